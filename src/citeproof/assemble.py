"""Settings to a `Verifier`: the only module that knows every implementation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from difflib import get_close_matches
from functools import partial
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import msgspec

from citeproof.background import BackgroundLoop
from citeproof.clock import Clock, SystemClock
from citeproof.errors import UsageError
from citeproof.extractors import base as extractors
from citeproof.extractors import grobid
from citeproof.index.snapshot import Snapshot
from citeproof.judge import model, promise, tuned
from citeproof.judge.model import Model
from citeproof.net.message import Rate
from citeproof.retrieve import Network, Retriever
from citeproof.sandbox import Limits
from citeproof.settings import Settings
from citeproof.sources import base as sources
from citeproof.sources.base import Live, Profile, Wiring
from citeproof.sources.snapshot import SnapshotSource
from citeproof.stores.answers import Answers, Lifetimes
from citeproof.text.journal import surely_same
from citeproof.verifier import Unobserved, Verifier
from citeproof.vocabulary import Document, Extraction, Observer, Override, Source

SNAPSHOT = "snapshot"
DEFAULT = "default"  # in --sources: all that are asked without it
MAX_BYTES = 10_000_000  # bytes of thresholds or calibration; nothing real is longer
_Made = TypeVar("_Made", tuned.Thresholds, tuned.Calibration)


if TYPE_CHECKING:
    from citeproof.audit.ledger import Ledger
    from citeproof.audit.recording import Recorder
    from citeproof.net.client import Client, Policy, Sent


@dataclass(frozen=True, slots=True)
class Online:
    """The client and the live sources behind it."""

    client: Client
    sources: tuple[Live, ...]


def assemble(
    settings: Settings,
    *,
    clock: Clock | None = None,
    observer: Observer | None = None,
    stage: str | None = "check",
) -> Verifier:
    """Return a verifier with everything that `settings` asks for.

    `stage` names it in the audit log, if there is one; None: a measurement, which is not logged.
    """
    clock = clock or SystemClock()
    chosen = chosen_sources(settings)
    folders = snapshot_folders(settings) if SNAPSHOT in chosen else ()
    judge = judge_of(settings).model
    ledger = _ledger(settings, clock) if stage else None
    record = ledger.keep if ledger else None
    snapshots = [Snapshot.open(folder, record) for folder in folders]
    online = None if settings.offline else connect(settings, clock, chosen, record)
    retriever = Retriever(_local(snapshots), network=_network(settings, online, clock))
    ids = tuple(snapshot.id for snapshot in snapshots)
    facts = (stage or "", judge, ids, retriever.sources, online.sources if online else ())
    return Verifier(
        extract_with=reader(settings, clock, sent=online.client.sent if online else None),
        retriever=retriever,
        model=judge,
        clock=clock,
        snapshots=ids,
        offline=settings.offline,
        observer=observer or Unobserved(),
        client=online.client if online else None,
        keeper=_keeper(settings, ledger, facts) if ledger else None,
        overrides=list_overrides(settings, judge),
    )


def list_overrides(settings: Settings, judge: Model | None = None) -> tuple[Override, ...]:
    """Return every address, judge and threshold of a run that is not the shipped one, and who set it."""
    found = [] if settings.offline else list(_replaced_urls(settings))
    if settings.proxy and not settings.offline:
        found.append(Override("proxy", settings.proxy, "none", settings.origin("proxy")))
    if settings.offline and "offline" in settings.set_by_project:
        found.append(Override("offline", "true", "false", settings.origin("offline")))
    shipped = model.default()
    if (
        judge is not None and judge.name.partition("+p")[0] != shipped.name
    ):  # a promise is told by its setting
        names = [
            name for name in ("judge_thresholds", "judge_calibration") if settings.origin(name) != "default"
        ]
        origin = ", ".join(settings.origin(name) for name in names) or "the user's configuration folder"
        found.append(Override("judge", judge.name, shipped.name, origin))
    for name in ("base_rate", "max_false_accusations"):
        value = getattr(settings, name)
        if judge is not None and value is not None:
            found.append(Override(name, f"{value:g}", "none", settings.origin(name)))
    return tuple(found)


def _replaced_urls(settings: Settings) -> Iterator[Override]:
    """Yield the sources that are asked at an address other than their own."""
    names = [name for name in chosen_sources(settings) if name != SNAPSHOT] if settings.urls else []
    for kind in map(sources.find, names):
        for name, shipped in {kind.name: kind.profile.url, **kind.profile.further}.items():
            url = settings.urls.get(name, shipped)
            if url.rstrip("/") != shipped.rstrip("/"):
                yield Override(f"urls.{name}", url, shipped, settings.origin_of_url(name))


def _ledger(settings: Settings, clock: Clock) -> Ledger | None:
    """Return the writer of the audit log, if there is to be one."""
    if settings.audit_dir is None:
        if settings.audit_run or settings.audit_anchors:
            mend = "name the folder of the log with --audit DIR or CITEPROOF_AUDIT_DIR"
            raise UsageError("a run is to be logged, but nothing says where", place="--audit-run", mend=mend)
        return None
    from citeproof.audit import wiring as audit  # noqa: PLC0415 - a run without a log need not load it

    return audit.ledger(settings, settings.audit_dir, clock)


_Facts = tuple[str, Model, tuple[str, ...], tuple[str, ...], tuple[Live, ...]]


def _keeper(settings: Settings, ledger: Ledger, facts: _Facts) -> Recorder:
    """Return the observer that logs a run of (stage, judge, snapshots, all sources, live ones)."""
    from citeproof.audit import wiring as audit  # noqa: PLC0415 - same

    stage, judge, snapshots, names, live = facts
    model = msgspec.json.encode(judge)
    wired = _wired(settings, live)
    return audit.recorder(settings, ledger, audit.Facts(stage, judge.name, model, snapshots, names, wired))


def _wired(settings: Settings, live: tuple[Live, ...]) -> Mapping[str, object]:
    """Return how the sources are reached, as a replay must reach them: no key, nobody's address."""
    return {
        "urls": {name: url for s in live for name, url in {s.name: s.wiring.url, **s.wiring.urls}.items()},
        "keys": sorted(source.name for source in live if source.wiring.key),
        "contact": bool(settings.contact),
    }


@dataclass(frozen=True, slots=True)
class Judging:
    """The judge of a run, and what was made for another judge and therefore left aside."""

    model: Model
    trouble: tuple[str, ...] = ()


def judge_of(settings: Settings) -> Judging:
    """Return the judge with the thresholds, the calibration and the promise that `settings` ask for."""
    cut = cut_judge(settings)
    judge = cut.model
    calibration, why = _made(tuned.Calibration, settings.calibration_file, judge, settings.judge_calibration)
    measured = None
    if calibration is not None:
        judge, measured = tuned.with_calibration(judge, calibration)
    if settings.base_rate is not None:
        judge = msgspec.structs.replace(judge, stated_rate=settings.base_rate)
    if settings.max_false_accusations is not None:
        judge = promise.held(judge, settings.max_false_accusations, measured)
    return Judging(judge, (*cut.trouble, why) if why else cut.trouble)


def cut_judge(settings: Settings) -> Judging:
    """Return the shipped judge with the thresholds that `settings` ask for, and nothing else."""
    judge = model.default()
    chosen, why = _made(tuned.Thresholds, settings.thresholds_file, judge, settings.judge_thresholds)
    if chosen is not None:
        judge = tuned.with_thresholds(judge, chosen)
    return Judging(judge, (why,) if why else ())


def _made(kind: type[_Made], path: Path, judge: Model, asked: Path | None) -> tuple[_Made | None, str]:
    """Return what stands at `path` if it was made for `judge`; else nothing, and why it is not used.

    A file that was asked for must be there and be readable; the user's own, by default, need not.
    """
    if asked is None and not path.is_file():
        return None, ""
    try:
        with path.open("rb") as file:
            made = msgspec.json.decode(file.read(MAX_BYTES), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        why = f"cannot be read: {error}"
        if asked is not None:
            raise UsageError(why, place=str(path), mend=f"make it again with `{kind.BY}`") from error
        return None, f"{path} {why}; make it again with `{kind.BY}`, or remove it with `{kind.BY} --forget`"
    if made.judge != judge.name:
        return None, (
            f"{path} is not used: it was made for the judge {made.judge}, and this is {judge.name}; "
            f"make it again with `{kind.BY}`, or remove it with `{kind.BY} --forget`"
        )
    return made, ""


def snapshot_folders(settings: Settings) -> tuple[Path, ...]:
    """Return the snapshots to open: those asked for, else the starter if it was built."""
    if settings.snapshots:
        return settings.snapshots
    return (settings.starter,) if settings.starter.is_dir() else ()


def connect(
    settings: Settings,
    clock: Clock,
    names: Iterable[str] | None = None,
    record: Callable[[str, bytes], None] | None = None,
) -> Online:
    """Return the live sources called `names` (all without it), over one client. Opens no connection."""
    from citeproof.net.client import Client  # noqa: PLC0415 - an offline run need not load it

    kinds = [sources.find(name) for name in (sources.names() if names is None else names) if name != SNAPSHOT]
    policies = {
        name: _policy(kind.profile, name, url, settings)
        for kind in kinds
        for name, url in {kind.name: kind.profile.url, **kind.profile.further}.items()
    }
    client = Client(
        policies,
        Answers(settings.cache_dir / "answers", clock, _lifetimes(settings)),
        settings.limits_dir,
        clock,
        agent=_agent(settings),
        timeout=settings.timeout,
        allowed=settings.private_hosts,
        proxy=settings.proxy,
        trouble=_unknown_urls(settings),
        record=record,
        contact=settings.contact,
    )
    return Online(client, tuple(kind(client, wiring(kind, settings)) for kind in kinds))


def wiring(kind: type[Live], settings: Settings) -> Wiring:
    """Return how a source is reached under these settings."""
    further = {name: settings.urls.get(name, url) for name, url in kind.profile.further.items()}
    url = settings.urls.get(kind.name, kind.profile.url)
    led = settings.project_urls.intersection((kind.name, *further))  # a cloned project may not collect keys
    return Wiring(url, None if led else settings.keys.get(kind.name), settings.contact, further)


def chosen_sources(settings: Settings) -> tuple[str, ...]:
    """Return the names of the sources to use; an unknown one is an error that names those there are."""
    known = (SNAPSHOT, *sources.names())
    unknown = next((name for name in settings.sources if name not in (*known, DEFAULT)), None)
    if unknown is not None:
        near = get_close_matches(unknown, known, n=1)
        mend = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            f"unknown source {unknown!r}",
            place="--sources",
            mend=f"{mend}known sources: {', '.join((DEFAULT, *known))}",
        )
    usual: tuple[str, ...] = (SNAPSHOT,)
    if not settings.offline:
        usual += tuple(name for name in sources.names() if sources.find(name).profile.by_default)
    asked = settings.sources or (DEFAULT,)
    return tuple(dict.fromkeys(name for one in asked for name in (usual if one == DEFAULT else (one,))))


def _unknown_urls(settings: Settings) -> str:
    """Return a word on base URLs that are set for no source: a slip of the pen would go unnoticed."""
    known = {grobid.SOURCE} | {
        name for each in sources.names() for name in (each, *sources.find(each).profile.further)
    }
    told = []
    for name in sorted(set(settings.urls) - known):
        near = get_close_matches(name, known, n=1)
        told.append(
            f"a base URL is set for {name!r}, which is no source" + (f" ({near[0]}?)" if near else "")
        )
    return "; ".join(told)


def _policy(profile: Profile, name: str, url: str, settings: Settings) -> Policy:
    from citeproof.net.client import Policy  # noqa: PLC0415 - same

    keyed, named = name in settings.keys, bool(settings.contact) or not profile.contact
    rate: Rate = profile.rate if named else profile.anonymous or profile.rate
    lanes: Mapping[str, Rate] = profile.lanes if named else profile.anonymous_lanes or profile.lanes
    if keyed:
        rate, lanes = profile.keyed_rate or rate, profile.keyed_lanes or lanes
    pace = settings.pace if name in settings.urls else 1.0  # a server of one's own; the public ones never
    rate, lanes = _paced(rate, pace), {lane: _paced(each, pace) for lane, each in lanes.items()}
    server = urlsplit(settings.urls.get(name, url)).netloc
    shared = profile.group if url == profile.url else ""
    group = f"{shared or name}-{sha256(server.encode()).hexdigest()[:8]}"
    return Policy(rate, group, lanes, profile.budget, profile.title, profile.typical, pace)


def _paced(rate: Rate, pace: float) -> Rate:
    return replace(rate, requests=rate.requests * pace)


def _lifetimes(settings: Settings) -> Lifetimes:
    return Lifetimes(
        timedelta(hours=settings.keep_found_hours),
        timedelta(hours=settings.keep_absent_hours),
        timedelta(hours=settings.keep_notice_hours),
    )


def _agent(settings: Settings) -> str:
    contact = f" (mailto:{settings.contact})" if settings.contact else ""
    return f"citeproof/{metadata.version('citeproof')}{contact}"


def _network(settings: Settings, online: Online | None, clock: Clock) -> Network | None:
    if online is None or not online.sources:
        return None
    client = online.client
    return Network(
        online.sources, clock, expected=client.expected, queued=client.queued, deadline=settings.deadline
    )


def _local(snapshots: list[Snapshot]) -> list[Source]:
    return [SnapshotSource(snapshot, same_venue=surely_same) for snapshot in snapshots]


def reader(
    settings: Settings, clock: Clock, *, sent: list[Sent] | None = None
) -> Callable[[Document], Extraction]:
    """Return what reads documents under these settings; what leaves the machine goes to `sent`."""
    limits = Limits(settings.extract_memory_bytes, settings.extract_seconds)
    if settings.pdf_engine != grobid.SOURCE:
        return partial(extractors.extract, limits=limits)
    url = _grobid_url(settings)

    def read(document: Document) -> Extraction:
        if grobid.sendable(document):
            loop = BackgroundLoop("grobid")
            try:
                document = loop.run(_converted(document, url, settings, clock, sent))
            finally:
                loop.close()
        return extractors.extract(document, limits)

    return read


async def _converted(
    document: Document, url: str, settings: Settings, clock: Clock, sent: list[Sent] | None
) -> Document:
    from citeproof.net.client import Client, Policy  # noqa: PLC0415 - only this engine needs it here

    policies = {grobid.SOURCE: Policy(Rate(10, 1.0, at_once=4), grobid.SOURCE)}
    answers = Answers(settings.cache_dir / "answers", clock, _lifetimes(settings))
    client = Client(
        policies, answers, settings.limits_dir, clock, agent=_agent(settings), timeout=settings.timeout
    )
    try:
        return await grobid.converted(document, client, url)
    finally:
        if sent is not None:
            sent.extend(client.sent)
        await client.close()


def _grobid_url(settings: Settings) -> str:
    """Return the address of the GROBID server. Whole documents go there: it must be the user's word."""
    if settings.offline:
        mend = "leave out --offline, or read PDFs with --pdf-engine pdfium"
        raise UsageError("GROBID is a server, and the run is offline", place="--pdf-engine", mend=mend)
    if grobid.SOURCE in settings.project_urls:
        mend = "set CITEPROOF_GROBID_URL, or the address in your own settings file"
        raise UsageError(
            "a project's file may not say where documents are sent", place="--pdf-engine", mend=mend
        )
    return settings.urls.get(grobid.SOURCE, grobid.URL)
