"""Settings to a `ReferenceVerifier`: the only module that knows every implementation."""

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
from citeproof.extractors import extraction, grobid
from citeproof.extractors.base import detect_extractor
from citeproof.extractors.decoded_text import decode
from citeproof.index.snapshot import Snapshot
from citeproof.judge import false_alarm_limit, model, user_calibration
from citeproof.judge.model import Model
from citeproof.net.message import Rate
from citeproof.retrieve import LiveNetwork, Retriever
from citeproof.sandbox import Limits
from citeproof.settings import Settings
from citeproof.sources import base as sources
from citeproof.sources.base import LiveSource, SourceProfile, SourceWiring
from citeproof.sources.snapshot import SnapshotSource
from citeproof.stores.answer_cache import AnswerCache, AnswerLifetimes
from citeproof.text.venue_match import is_surely_same
from citeproof.verifier import NullObserver, ReferenceVerifier
from citeproof.vocabulary import Document, Extraction, Observer, Override, Source

SNAPSHOT = "snapshot"
DEFAULT = "default"  # in --sources: all that are asked without it
MAX_BYTES = 10_000_000  # bytes of thresholds or calibration; nothing real is longer
_Made = TypeVar("_Made", user_calibration.Thresholds, user_calibration.Calibration)


if TYPE_CHECKING:
    from citeproof.audit.batch_writer import BatchWriter
    from citeproof.audit.run_recorder import RunRecorder
    from citeproof.fix.corrected_files import ReferenceFixer
    from citeproof.net.client import Client, RequestPolicy, SentRequest


@dataclass(frozen=True, slots=True)
class OnlineSources:
    """The client and the live sources behind it."""

    client: Client
    sources: tuple[LiveSource, ...]


def assemble(
    settings: Settings,
    *,
    clock: Clock | None = None,
    observer: Observer | None = None,
    stage: str | None = "check",
) -> ReferenceVerifier:
    """Return a verifier with everything that `settings` asks for.

    `stage` names it in the audit log, if there is one; None: a measurement, which is not logged.
    """
    clock = clock or SystemClock()
    chosen = choose_sources(settings)
    folders = list_snapshot_folders(settings) if SNAPSHOT in chosen else ()
    judge = choose_judge(settings).model
    ledger = _open_ledger(settings, clock) if stage else None
    record = ledger.keep if ledger else None
    snapshots = [Snapshot.open(folder, record) for folder in folders]
    online = None if settings.offline else connect_sources(settings, clock, chosen, record)
    retriever = Retriever(_make_local_sources(snapshots), network=_make_network(settings, online, clock))
    ids = tuple(snapshot.id for snapshot in snapshots)
    facts = (stage or "", judge, ids, retriever.sources, online.sources if online else ())
    return ReferenceVerifier(
        extract_with=make_reader(settings, clock, sent=online.client.sent if online else None),
        retriever=retriever,
        model=judge,
        clock=clock,
        snapshots=ids,
        offline=settings.offline,
        observer=observer or NullObserver(),
        client=online.client if online else None,
        keeper=_make_recorder(settings, ledger, facts) if ledger else None,
        overrides=list_overrides(settings, judge),
    )


def list_overrides(settings: Settings, judge: Model | None = None) -> tuple[Override, ...]:
    """Return every address, judge and threshold of a run that is not the shipped one, and who set it."""
    found = [] if settings.offline else list(_list_replaced_urls(settings))
    if settings.proxy and not settings.offline:
        found.append(Override("proxy", settings.proxy, "none", settings.origin("proxy")))
    if settings.offline and "offline" in settings.set_by_project:
        found.append(Override("offline", "true", "false", settings.origin("offline")))
    shipped = model.load_model()
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


def _list_replaced_urls(settings: Settings) -> Iterator[Override]:
    """Yield the sources that are asked at an address other than their own."""
    names = [name for name in choose_sources(settings) if name != SNAPSHOT] if settings.urls else []
    for kind in map(sources.find_source, names):
        for name, shipped in {kind.name: kind.profile.url, **kind.profile.further}.items():
            url = settings.urls.get(name, shipped)
            if url.rstrip("/") != shipped.rstrip("/"):
                yield Override(f"urls.{name}", url, shipped, settings.origin_of_url(name))


def _open_ledger(settings: Settings, clock: Clock) -> BatchWriter | None:
    """Return the writer of the audit log, if there is to be one."""
    if settings.audit_dir is None:
        if settings.audit_run or settings.audit_anchors:
            hint = "set it with --audit DIR or CITEPROOF_AUDIT_DIR"
            raise UsageError("no folder for the audit log is set", place="--audit-run", hint=hint)
        return None
    from citeproof.audit import log_setup as audit  # noqa: PLC0415 - a run without a log need not load it

    return audit.open_batch_writer(settings, settings.audit_dir, clock)


_Facts = tuple[str, Model, tuple[str, ...], tuple[str, ...], tuple[LiveSource, ...]]


def _make_recorder(settings: Settings, ledger: BatchWriter, facts: _Facts) -> RunRecorder:
    """Return the observer that logs a run of (stage, judge, snapshots, all sources, live ones)."""
    from citeproof.audit import log_setup as audit  # noqa: PLC0415 - same

    stage, judge, snapshots, names, live = facts
    model = msgspec.json.encode(judge)
    wired = _describe_wiring(settings, live)
    return audit.make_recorder(
        settings, ledger, audit.RunFacts(stage, judge.name, model, snapshots, names, wired)
    )


def _describe_wiring(settings: Settings, live: tuple[LiveSource, ...]) -> Mapping[str, object]:
    """Return how the sources are reached, as a replay must reach them: no key, nobody's address."""
    return {
        "urls": {name: url for s in live for name, url in {s.name: s.wiring.url, **s.wiring.urls}.items()},
        "keys": sorted(source.name for source in live if source.wiring.key),
        "contact": bool(settings.contact),
    }


@dataclass(frozen=True, slots=True)
class ChosenJudge:
    """The judge of a run, and what was made for another judge and therefore left aside."""

    model: Model
    trouble: tuple[str, ...] = ()


def choose_judge(settings: Settings) -> ChosenJudge:
    """Return the judge with the thresholds, the calibration and the promise that `settings` ask for."""
    cut = choose_cut_judge(settings)
    judge = cut.model
    calibration, why = _load_tuning(
        user_calibration.Calibration, settings.calibration_file, judge, settings.judge_calibration
    )
    measured = None
    if calibration is not None:
        judge, measured = user_calibration.apply_calibration(judge, calibration)
    if settings.base_rate is not None:
        judge = msgspec.structs.replace(judge, stated_rate=settings.base_rate)
    if settings.max_false_accusations is not None:
        judge = false_alarm_limit.bind_model(judge, settings.max_false_accusations, measured)
    return ChosenJudge(judge, (*cut.trouble, why) if why else cut.trouble)


def choose_cut_judge(settings: Settings) -> ChosenJudge:
    """Return the shipped judge with the thresholds that `settings` ask for, and nothing else."""
    judge = model.load_model()
    chosen, why = _load_tuning(
        user_calibration.Thresholds, settings.thresholds_file, judge, settings.judge_thresholds
    )
    if chosen is not None:
        judge = user_calibration.apply_thresholds(judge, chosen)
    return ChosenJudge(judge, (why,) if why else ())


def _load_tuning(kind: type[_Made], path: Path, judge: Model, asked: Path | None) -> tuple[_Made | None, str]:
    """Return what is at `path` if it was made for `judge`; else nothing, and why it is not used.

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
            raise UsageError(why, place=str(path), hint=f"create it again with `{kind.BY}`") from error
        return None, f"{path} {why}; create it again with `{kind.BY}`, or remove it with `{kind.BY} --forget`"
    if made.judge != judge.name:
        return None, (
            f"{path} is not used: it was made for the judge {made.judge}, and this is {judge.name}; "
            f"create it again with `{kind.BY}`, or remove it with `{kind.BY} --forget`"
        )
    return made, ""


def list_snapshot_folders(settings: Settings) -> tuple[Path, ...]:
    """Return the snapshots to open: those asked for, else the starter if it was built."""
    if settings.snapshots:
        return settings.snapshots
    return (settings.starter,) if settings.starter.is_dir() else ()


def connect_sources(
    settings: Settings,
    clock: Clock,
    names: Iterable[str] | None = None,
    record: Callable[[str, bytes], None] | None = None,
) -> OnlineSources:
    """Return the live sources called `names` (all without it), over one client. Opens no connection."""
    from citeproof.net.client import Client  # noqa: PLC0415 - an offline run need not load it

    kinds = [
        sources.find_source(name)
        for name in (sources.list_sources() if names is None else names)
        if name != SNAPSHOT
    ]
    policies = {
        name: _make_policy(kind.profile, name, url, settings)
        for kind in kinds
        for name, url in {kind.name: kind.profile.url, **kind.profile.further}.items()
    }
    client = Client(
        policies,
        AnswerCache(settings.cache_dir / "answers", clock, _make_lifetimes(settings)),
        settings.limits_dir,
        clock,
        agent=_make_user_agent(settings),
        timeout=settings.timeout,
        allowed=settings.private_hosts,
        proxy=settings.proxy,
        trouble=_explain_unknown_urls(settings),
        record=record,
        contact=settings.contact,
    )
    return OnlineSources(client, tuple(kind(client, make_wiring(kind, settings)) for kind in kinds))


def make_wiring(kind: type[LiveSource], settings: Settings) -> SourceWiring:
    """Return how a source is reached under these settings."""
    further = {name: settings.urls.get(name, url) for name, url in kind.profile.further.items()}
    url = settings.urls.get(kind.name, kind.profile.url)
    led = settings.project_urls.intersection((kind.name, *further))  # a cloned project may not collect keys
    return SourceWiring(url, None if led else settings.keys.get(kind.name), settings.contact, further)


def choose_sources(settings: Settings) -> tuple[str, ...]:
    """Return the names of the sources to use; an unknown one is an error that names those there are."""
    known = (SNAPSHOT, *sources.list_sources())
    unknown = next((name for name in settings.sources if name not in (*known, DEFAULT)), None)
    if unknown is not None:
        near = get_close_matches(unknown, known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            f"unknown source {unknown!r}",
            place="--sources",
            hint=f"{hint}known sources: {', '.join((DEFAULT, *known))}",
        )
    usual: tuple[str, ...] = (SNAPSHOT,)
    if not settings.offline:
        usual += tuple(
            name for name in sources.list_sources() if sources.find_source(name).profile.by_default
        )
    asked = settings.sources or (DEFAULT,)
    return tuple(dict.fromkeys(name for one in asked for name in (usual if one == DEFAULT else (one,))))


def _explain_unknown_urls(settings: Settings) -> str:
    """Return a word on base URLs that are set for no source: a slip of the pen would go unnoticed."""
    known = {grobid.SOURCE} | {
        name for each in sources.list_sources() for name in (each, *sources.find_source(each).profile.further)
    }
    told = []
    for name in sorted(set(settings.urls) - known):
        near = get_close_matches(name, known, n=1)
        told.append(
            f"a base URL is set for {name!r}, which is not a source" + (f" ({near[0]}?)" if near else "")
        )
    return "; ".join(told)


def _make_policy(profile: SourceProfile, name: str, url: str, settings: Settings) -> RequestPolicy:
    from citeproof.net.client import RequestPolicy  # noqa: PLC0415 - same

    keyed, named = name in settings.keys, bool(settings.contact) or not profile.contact
    rate: Rate = profile.rate if named else profile.anonymous or profile.rate
    lanes: Mapping[str, Rate] = profile.lanes if named else profile.anonymous_lanes or profile.lanes
    if keyed:
        rate, lanes = profile.keyed_rate or rate, profile.keyed_lanes or lanes
    pace = settings.pace if name in settings.urls else 1.0  # a server of one's own; the public ones never
    rate, lanes = _scale_rate(rate, pace), {lane: _scale_rate(each, pace) for lane, each in lanes.items()}
    server = urlsplit(settings.urls.get(name, url)).netloc
    shared = profile.group if url == profile.url else ""
    group = f"{shared or name}-{sha256(server.encode()).hexdigest()[:8]}"
    return RequestPolicy(rate, group, lanes, profile.budget, profile.title, profile.typical, pace)


def _scale_rate(rate: Rate, pace: float) -> Rate:
    return replace(rate, requests=rate.requests * pace)


def _make_lifetimes(settings: Settings) -> AnswerLifetimes:
    return AnswerLifetimes(
        timedelta(hours=settings.keep_found_hours),
        timedelta(hours=settings.keep_absent_hours),
        timedelta(hours=settings.keep_notice_hours),
    )


def _make_user_agent(settings: Settings) -> str:
    contact = f" (mailto:{settings.contact})" if settings.contact else ""
    return f"citeproof/{metadata.version('citeproof')}{contact}"


def _make_network(settings: Settings, online: OnlineSources | None, clock: Clock) -> LiveNetwork | None:
    if online is None or not online.sources:
        return None
    client = online.client
    return LiveNetwork(
        online.sources,
        clock,
        expected=client.estimate_wait,
        queued=client.measure_queueing,
        deadline=settings.deadline,
    )


def _make_local_sources(snapshots: list[Snapshot]) -> list[Source]:
    return [SnapshotSource(snapshot, same_venue=is_surely_same) for snapshot in snapshots]


def make_reader(
    settings: Settings, clock: Clock, *, sent: list[SentRequest] | None = None
) -> Callable[[Document], Extraction]:
    """Return what reads documents under these settings; what leaves the machine goes to `sent`."""
    limits = Limits(settings.extract_memory_bytes, settings.extract_seconds)
    if settings.pdf_engine != grobid.SOURCE:
        return partial(extraction.extract, limits=limits)
    url = _find_grobid_url(settings)

    def read(document: Document) -> Extraction:
        if grobid.is_pdf(document):
            loop = BackgroundLoop("grobid")
            try:
                document = loop.run(_convert_document(document, url, settings, clock, sent))
            finally:
                loop.close()
        return extraction.extract(document, limits)

    return read


def make_fixer() -> ReferenceFixer:
    """Return what corrects the references of documents."""
    from citeproof.fix.corrected_files import ReferenceFixer  # noqa: PLC0415 - only a fix needs it
    from citeproof.fix.encoded_text import EncodedText  # noqa: PLC0415 - same

    def decode_document(document: Document) -> EncodedText:
        decoded = decode(document)
        first = decoded.locate_span(0, 0).start or 0
        return EncodedText(document.data, decoded.text, decoded.encoding, first)

    return ReferenceFixer(detect_extractor, decode_document)


async def _convert_document(
    document: Document, url: str, settings: Settings, clock: Clock, sent: list[SentRequest] | None
) -> Document:
    from citeproof.net.client import Client, RequestPolicy  # noqa: PLC0415 - only this engine needs it here

    policies = {grobid.SOURCE: RequestPolicy(Rate(10, 1.0, at_once=4), grobid.SOURCE)}
    answers = AnswerCache(settings.cache_dir / "answers", clock, _make_lifetimes(settings))
    client = Client(
        policies,
        answers,
        settings.limits_dir,
        clock,
        agent=_make_user_agent(settings),
        timeout=settings.timeout,
    )
    try:
        return await grobid.convert_pdf(document, client, url)
    finally:
        if sent is not None:
            sent.extend(client.sent)
        await client.close()


def _find_grobid_url(settings: Settings) -> str:
    """Return the address of the GROBID server. Whole documents go there: it must be the user's word."""
    if settings.offline:
        hint = "leave out --offline, or read PDFs with --pdf-engine pdfium"
        raise UsageError("GROBID needs the network, but the run is offline", place="--pdf-engine", hint=hint)
    if grobid.SOURCE in settings.project_urls:
        hint = "set CITEPROOF_GROBID_URL, or the address in your own settings file"
        raise UsageError(
            "a project's file may not say where documents are sent", place="--pdf-engine", hint=hint
        )
    return settings.urls.get(grobid.SOURCE, grobid.URL)
