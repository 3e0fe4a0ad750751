"""What would make the next run better, each with the command that does it; how old snapshots are."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from citeproof import settings
from citeproof.errors import SnapshotError, suggest_word
from citeproof.evidence.index.manifest import Manifest
from citeproof.evidence.index.pulled_folder import PulledEdition, PulledFolder
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.index.starter import load_recipe
from citeproof.evidence.sources.base import KeyNeed
from citeproof.plumbing.clock import Clock
from citeproof.reading.extractors.pdf.ocr import is_ocr_installed
from citeproof.service.assemble import list_deprecated_urls
from citeproof.service.list_import import list_status
from citeproof.service.source_status import SourceStatus, list_source_status
from citeproof.settings import Settings
from citeproof.vocabulary.quick_dataclass import dataclass


def count_days(made: Manifest, clock: Clock) -> int | None:
    """Return how old the newest data of a snapshot is; None where that is unknown."""
    for stated in (max((s.read_at or "" for s in made.sources), default=""), made.created):
        with suppress(ValueError):
            moment = datetime.fromisoformat(stated)
            return (clock.now() - (moment if moment.tzinfo else moment.replace(tzinfo=UTC))).days
    return None


def describe_age(made: Manifest, clock: Clock) -> str:
    days = count_days(made, clock)
    if days is None:
        return "of unknown age"
    return f"built {made.created[:10]}, data {days} day{'' if days == 1 else 's'} old"


def load_pulled(path: Path) -> PulledEdition | None:
    """Return what is known of a snapshot that was pulled; None for any other."""
    return PulledFolder(path).load_current() if path.is_symlink() else None


STALE = 180  # days after which a registry has many works that a snapshot lacks
_MOST_SHOWN = 3  # inputs of a snapshot whose names a command shows


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing that would help, and the command that does it."""

    what: str
    command: str


def list_advice(chosen: Settings, clock: Clock) -> list[Advice]:
    """Return what would help, the most useful first. Opens no connection, writes nothing."""
    return [
        *_advise_on_snapshots(chosen, clock),
        *_advise_on_lists(chosen, clock),
        *([] if chosen.offline else _advise_on_sources(chosen, clock)),
        *_advise_on_extras(),
        *_advise_on_variables(chosen),
    ]


def _advise_on_snapshots(chosen: Settings, clock: Clock) -> Iterator[Advice]:
    folders = chosen.list_snapshot_folders()
    if not folders:
        what = "no snapshot: nothing can be checked offline, and every lookup takes the network"
        yield Advice(what, "citeproof index starter")
    for folder in folders:
        try:
            with Snapshot.open(folder) as snapshot:
                starter = folder == chosen.starter
                yield from _advise_on_snapshot(folder, snapshot.manifest, clock, starter=starter)
        except SnapshotError:
            continue  # it is among the problems


def _advise_on_snapshot(folder: Path, made: Manifest, clock: Clock, *, starter: bool) -> Iterator[Advice]:
    if starter:
        wanted = {package.sha256 for package in load_recipe().packages}
        if not wanted <= {file.sha256 for source in made.sources for file in source.inputs}:
            remove = shlex.join(["rm", "-r", str(folder)])
            what = "the starter snapshot was built by another version, from other data"
            yield Advice(what, f"{remove} && citeproof index starter")
        return
    days = count_days(made, clock)
    pulled = load_pulled(folder)
    if days is not None and days > STALE and pulled:
        what = f"snapshot {pulled.name} is {days} days old: newer works are not in it"
        yield Advice(what, shlex.join(["citeproof", "index", "pull", pulled.url]))
    elif days is not None and days > STALE:
        what = (
            f"snapshot {folder} is {days} days old: newer works are not in it; build it again from new files"
        )
        yield Advice(what, _make_build_command(folder, made))


def _advise_on_lists(chosen: Settings, clock: Clock) -> Iterator[Advice]:
    """Yield the lists that clear nothing: the list of retractions if it is missing, all that are too old."""
    if chosen.lists_pin:
        return
    for row in list_status(chosen, clock):
        what = row.trouble.partition(";")[0]
        if what and not what.startswith("is damaged") and (row.head or not row.home.optional):
            name, optional = row.home.name, row.home.optional
            effect = "its silence says nothing" if optional else "no work can be cleared of a retraction"
            yield Advice(f"the list {name} {what}: {effect}", f"citeproof lists update {name}")


def _make_build_command(folder: Path, made: Manifest) -> str:
    """Return the command that a snapshot was built with, into a folder next to it."""
    words = ["citeproof", "index", "build"]
    for source in made.sources:
        words += ["--from", source.reader, *(file.name for file in source.inputs[:_MOST_SHOWN])]
    words += [word for claim in made.covers[:_MOST_SHOWN] for word in ("--covers", claim)]
    cut = any(len(s.inputs) > _MOST_SHOWN for s in made.sources) or len(made.covers) > _MOST_SHOWN
    return f"{shlex.join([*words, '--out', f'{folder}-new'])}{'  # and so on' if cut else ''}"


def _advise_on_sources(chosen: Settings, clock: Clock) -> Iterator[Advice]:
    rows = [row for row in list_source_status(chosen, clock) if row.profile]
    if not chosen.contact:
        helped = [row for row in rows if row.profile and row.profile.contact and row.asked]
        what = f"no contact address: {_list_names(helped)} serve better, or only, those who give one"
        yield Advice(what, "export CITEPROOF_CONTACT=you@example.org")
    failing = [row for row in rows if row.asked and row.state != "ok"]
    if failing:
        command = shlex.join(["citeproof", "sources", "test", *(row.name for row in failing)])
        yield Advice(f"did not answer in earlier runs: {_list_names(failing)}", command)
    for need, effect in (
        (KeyNeed.REQUIRED, "not asked without a key"),
        (KeyNeed.OPTIONAL, "faster with a key"),
    ):
        wanting = [
            row
            for row in rows
            if row.profile and row.profile.key is need and not row.key_set
            and (row.asked or row.not_asked == "needs a key")
        ]  # fmt: skip
        if wanting:
            variables = " ".join(f"CITEPROOF_{row.name.upper()}_KEY=…" for row in wanting)
            what = f"{effect}: {_list_names(wanting)} (`citeproof sources NAME` tells how to get one)"
            yield Advice(what, f"export {variables}")


def _list_names(rows: Sequence[SourceStatus]) -> str:
    return ", ".join(row.name for row in rows)


def _advise_on_extras() -> Iterator[Advice]:
    if not is_ocr_installed():
        pip = shlex.join([sys.executable, "-m", "pip", "install", "citeproof[ocr]"])
        yield Advice("scanned PDFs cannot be read: the extra `ocr` is not installed (270 MB)", pip)


def _advise_on_variables(chosen: Settings) -> Iterator[Advice]:
    known = [row.env for row in settings.TABLE if "<" not in row.env]
    for name in settings.list_unread_variables():
        unread = f"{name} is set, but no setting of this version reads it {suggest_word(name, known)}"
        yield Advice(unread.rstrip(), f"unset {name}")
    for warning in list_deprecated_urls(chosen):
        origin = warning.partition(" ")[0]
        unset = f"unset {origin}" if origin.startswith("CITEPROOF_") else f"remove it from {origin}"
        yield Advice(warning, unset)
