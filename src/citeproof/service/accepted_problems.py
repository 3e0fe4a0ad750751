"""Problems that their owner accepts: those of a baseline, which were there before, and an ignore list.

An accepted problem keeps its verdict and stands in every report, marked as accepted; no run fails on it.
A baseline is JSON and written by citeproof. An ignore list is TOML and written by people: `[[ignore]]` with
`id` and `reason`, and `check`, `file`, `expires` if it is to hold for less (docs/ci.md).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import date, datetime
from pathlib import Path

from citeproof.answers import serializers
from citeproof.answers.serializers.judgements import (
    FINDING_RULE,
    RULE_OF,
    find_acceptance,
    identify_finding,
    identify_judgement,
    identify_set_finding,
    make_fingerprint,
)
from citeproof.errors import UsageError, suggest_word
from citeproof.plumbing.disk_files import hold_lock, read_plain_file
from citeproof.plumbing.output_files import write_file
from citeproof.settings import config_files
from citeproof.text import doi
from citeproof.vocabulary import CHECK_NAMES, Acceptance, Checked, FindingState, Label, SetFinding
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

SCHEMA = "citeproof/baseline/1"
MAX_BASELINE = 64_000_000  # bytes
_MOST = 2_000  # characters of an id or a reason
_KEYS = ("id", "reason", "check", "file", "expires")
_CHECKS = (*CHECK_NAMES, *RULE_OF.values())
_HEAD = "# Problems that you accept; docs/ci.md says what an entry can have.\n"


@dataclass(frozen=True, slots=True)
class IgnoreEntry:
    id: str
    reason: str
    place: str  # of the entry itself, for messages
    file: str = ""
    expires: date | None = None
    check: str = ""  # the finding or the rule that it accepts; empty: every problem

    @property
    def shown(self) -> str:
        """What it is about, for messages."""
        return f"{self.id!r} ({self.check})" if self.check else repr(self.id)

    def fits_problem(self, identity: str) -> bool:
        """Return whether the entry accepts a problem that is identified so."""
        rule = identity.partition("\0")[0].removeprefix(f"{FINDING_RULE}:")
        return self.check in ("", rule)

    def fits_file(self, file: str) -> bool:
        """Return whether the entry applies to references of `file`, which may stand in folders above."""
        return not self.file or f"/{file}".endswith(f"/{self.file}")


@dataclass(slots=True)
class Baseline:
    """How often each problem was there, by its fingerprint, and how many references were lost in reading."""

    times: Counter[str] = field(default_factory=Counter)
    lost: int = 0


class AcceptedProblems:
    """Marks the problems of passing references that their owner accepts."""

    def __init__(
        self, ignored: Sequence[IgnoreEntry] = (), baseline: Baseline | None = None, *, today: date
    ) -> None:
        self._expired = [entry for entry in ignored if entry.expires and entry.expires < today]
        self._entries: dict[str, list[IgnoreEntry]] = {}
        for entry in ignored:
            if entry not in self._expired:
                self._entries.setdefault(doi.normalise(entry.id) or entry.id, []).append(entry)
        self._unused = {id(entry): entry for group in self._entries.values() for entry in group}
        self._left = Counter(baseline.times) if baseline else Counter[str]()
        self.lost = baseline.lost if baseline else 0

    def watch(self, checked: Iterable[Checked]) -> Iterator[Checked]:
        """Yield what comes; a reference with accepted problems says so."""
        for each in checked:
            marks = (self._accept(each, identity) for identity in list_identities(each))
            accepted = tuple(mark for mark in marks if mark)
            yield replace(each, accepted=accepted) if accepted else each

    def accept_set_finding(self, found: SetFinding) -> SetFinding:
        """Return what was found about references together; one that is accepted says so."""
        if found.finding.state is not FindingState.FINDING:
            return found
        fingerprint = make_fingerprint(identity := identify_set_finding(found))
        names = (fingerprint, found.finding.name, *(found.keys if len(found.keys) == 1 else ()))
        accepted = self._find_entry(names, found.place.file, identity)
        if accepted is None and self._left[fingerprint] > 0:
            self._left[fingerprint] -= 1
            accepted = Acceptance(fingerprint, "baseline")
        return replace(found, accepted=accepted) if accepted else found

    def list_notices(self) -> Iterator[str]:
        """Yield what the owner should know once all references have passed."""
        for entry in self._expired:
            expired = f"the entry for {entry.shown} expired on {entry.expires} and no longer applies"
            yield f"warning: {entry.place}: {expired}"
        for entry in self._unused.values():
            yield f"note: {entry.place}: the entry for {entry.shown} matches no problem; it can be removed"
        if gone := self._left.total():
            be = "problem of the baseline is" if gone == 1 else "problems of the baseline are"
            yield f"note: {gone:,} {be} gone; --write-baseline writes it anew"

    def _accept(self, checked: Checked, identity: str) -> Acceptance | None:
        fingerprint = make_fingerprint(identity)
        names = (fingerprint, checked.reference.key, *checked.reference.claimed.ids.all("doi"))
        if ignored := self._find_entry(names, checked.reference.place.file, identity):
            return ignored
        known = next((form for form in _list_known_forms(checked, identity) if self._left[form] > 0), None)
        if known is None:
            return None
        self._left[known] -= 1
        return Acceptance(fingerprint, "baseline")

    def _find_entry(self, names: Iterable[str], file: str, identity: str) -> Acceptance | None:
        for entry in (entry for name in names for entry in self._entries.get(name, ())):
            if entry.fits_problem(identity) and entry.fits_file(file):
                self._unused.pop(id(entry), None)
                return Acceptance(make_fingerprint(identity), "ignore", entry.reason, entry.expires)
        return None


def list_identities(checked: Checked) -> Iterator[str]:
    """Yield what identifies each problem of a reference: its judgement unless EXACT, and each finding."""
    if checked.judgement.label is not Label.EXACT:
        yield identify_judgement(checked)
    for finding in checked.findings:
        if finding.state is FindingState.FINDING:
            yield identify_finding(checked, finding)


def _list_known_forms(checked: Checked, identity: str) -> Iterator[str]:
    """Yield fingerprints of a problem; it stays known where its reference cannot be checked today."""
    yield make_fingerprint(identity)
    if checked.judgement.label is None and identity == identify_judgement(checked):
        yield from (make_fingerprint(identify_judgement(checked, rule)) for rule in RULE_OF.values())


class BaselineWriter:
    """Collects the problems of passing references, but for those that an ignore list accepts.

    NOTED is a problem only with `noted`: where the run may fail on it.
    """

    def __init__(self, *, noted: bool = False) -> None:
        self._noted = noted
        self._times: Counter[tuple[str, str, str, str]] = Counter()  # by file, key, rule and fingerprint

    @property
    def count(self) -> int:
        return self._times.total()

    def watch(self, checked: Iterable[Checked]) -> Iterator[Checked]:
        for each in checked:
            passes = each.label is Label.NOTED and not self._noted
            for identity in list_identities(each):
                if passes and identity == identify_judgement(each):
                    continue
                accepted = find_acceptance(each, identity)
                if accepted is None or accepted.by == "baseline":
                    rule, file = identity.partition("\0")[0], each.reference.place.file
                    self._times[file, each.reference.key, rule, make_fingerprint(identity)] += 1
            yield each

    def note_set_finding(self, found: SetFinding) -> None:
        """Take what was found about references together."""
        ours = found.accepted is None or found.accepted.by == "baseline"
        if ours and found.finding.state is FindingState.FINDING:
            identity = identify_set_finding(found)
            rule = identity.partition("\0")[0]
            self._times[found.place.file, "", rule, make_fingerprint(identity)] += 1

    def encode_baseline(self, lost: int) -> bytes:
        """Return the baseline as a file that is the same for the same problems."""
        problems = [
            {"file": file, "key": key, "rule": rule, "fingerprint": fingerprint, "times": times}
            for (file, key, rule, fingerprint), times in sorted(self._times.items())
        ]
        whole = {"schema": SCHEMA, "lost": lost, "problems": problems}
        return f"{serializers.dump_pretty(whole)}\n".encode()


def read_baseline(path: Path) -> Baseline:
    """Return the baseline in a file; UsageError for one that is none."""
    try:
        data = json.loads(read_plain_file(path.resolve(), MAX_BASELINE))
    except FileNotFoundError as error:
        hint = "write it first with --write-baseline FILE"
        raise UsageError("no such baseline", place=str(path), hint=hint) from error
    except OSError as error:
        hint = "check its name and permissions"
        raise UsageError(f"cannot be read: {error.strerror}", place=str(path), hint=hint) from error
    except (ValueError, RecursionError) as error:
        raise _refuse_baseline(path) from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise _refuse_baseline(path)
    lost, problems = data.get("lost", 0), data.get("problems")
    if not _is_count(lost) or not isinstance(problems, list):
        raise _refuse_baseline(path)
    baseline = Baseline(lost=lost)
    for row in problems:
        if not isinstance(row, dict) or not isinstance(row.get("fingerprint"), str):
            raise _refuse_baseline(path)
        if not _is_count(times := row.get("times", 1)):
            raise _refuse_baseline(path)
        baseline.times[row["fingerprint"]] += times
    return baseline


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**9


def _refuse_baseline(path: Path) -> UsageError:
    hint = "write it anew with --write-baseline FILE"
    return UsageError("is not a baseline of this version of citeproof", place=str(path), hint=hint)


def read_ignore_list(path: Path) -> list[IgnoreEntry]:
    """Return the entries of an ignore list; UsageError, with its line, for one that is wrong."""
    if not path.exists():
        hint = "check the name; docs/ci.md shows what is in such a file"
        raise UsageError("no such ignore list", place=str(path), hint=hint)
    text = config_files.decode_config(config_files.read_config_bytes(path))
    table = config_files.parse_config(text, path)
    entries = table.get("ignore", [])
    if set(table) - {"ignore"} or not isinstance(entries, list):
        hint = "write each entry as [[ignore]] with id and reason"
        raise UsageError("is not an ignore list", place=str(path), hint=hint)
    numbered = enumerate(text.splitlines(), 1)
    lines = [n for n, line in numbered if line.replace(" ", "").startswith("[[ignore]]")]
    lines += [1] * (len(entries) - len(lines))
    return [_read_entry(entry, f"{path}:{line}") for entry, line in zip(entries, lines, strict=False)]


def _read_entry(entry: object, place: str) -> IgnoreEntry:
    if not isinstance(entry, Mapping):
        raise UsageError("is not an entry", place=place, hint="write [[ignore]] with id and reason")
    if unknown := sorted(set(entry) - set(_KEYS)):
        raise UsageError(f"unknown key {unknown[0]!r}", place=place, hint=f"known keys: {', '.join(_KEYS)}")
    for name in ("id", "reason"):
        if not _is_text(entry.get(name)):
            hint = "id names what to accept, reason says why; both are required"
            raise UsageError(f"an entry without {name}", place=place, hint=hint)
    check = entry.get("check", "")
    if check not in ("", *_CHECKS):
        hint = suggest_word(str(check), _CHECKS, f"known checks: {', '.join(_CHECKS)}")
        raise UsageError(f"unknown check {str(check)[:100]!r}", place=place, hint=hint)
    if "file" in entry and not _is_text(entry["file"]):
        raise UsageError("file is not a path", place=place, hint='write one like "paper/refs.bib"')
    file = str(entry.get("file", "")).replace("\\", "/").removeprefix("./")
    expires = _read_day(entry.get("expires"), place)
    return IgnoreEntry(str(entry["id"]).strip(), str(entry["reason"]).strip(), place, file, expires, check)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= _MOST


def _read_day(value: object, place: str) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError as error:
        hint = "write it as year-month-day, like 2027-06-30"
        raise UsageError("expires is not a date", place=place, hint=hint) from error


class EditorIgnores:
    """The entries of the ignore list, and those that hold until the editor closes."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._session: list[IgnoreEntry] = []

    def list_entries(self) -> Sequence[IgnoreEntry]:
        """Return what is accepted now; UsageError if the list is wrong. One that is not there is empty."""
        written = read_ignore_list(self._path) if self._path is not None and self._path.exists() else []
        return (*written, *self._session)

    def warn_of_list(self, root: Path) -> str:
        """Return a warning where the list came with the folder that is edited; it may be a stranger's."""
        path = self._path
        if path is None or not path.exists() or root.resolve() not in path.resolve().parents:
            return ""
        return f"{path} is in this folder and accepts some of its problems; is that list yours?"

    def accept(self, fingerprint: str, today: date) -> str:
        """Accept one problem, and return where that is stored."""
        reason = f"Accepted in the editor on {today.isoformat()}."
        if self._path is None:
            self._session.append(IgnoreEntry(fingerprint, reason, "until the editor closes"))
            return "until the editor closes; start the server with --ignore FILE to keep it"
        folder = self._path.parent
        # another editor may add to it as well
        with hold_lock(folder, folder=True) if folder.is_dir() else nullcontext():
            if fingerprint not in {entry.id for entry in self.list_entries()}:
                before = self._path.read_text("utf-8") if self._path.exists() else _HEAD
                quoted = [
                    serializers.dumps(text).decode() for text in (fingerprint, reason)
                ]  # TOML quotes so
                entry = "\n[[ignore]]\nid = {}\nreason = {}\n".format(*quoted)
                write_file(self._path, f"{before.rstrip()}\n{entry}".encode())
        return f"in {self._path}; say why there"
