"""Settings to a `ReferenceVerifier`: the only room that knows every implementation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from citeproof.errors import UsageError
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.retrieve import LiveNetwork, Retriever
from citeproof.evidence.retrieve.registry_notices import RegistryNotices
from citeproof.evidence.sources import base as sources
from citeproof.evidence.sources.base import LiveSource
from citeproof.evidence.sources.snapshot import SnapshotSource, VenueRegistry
from citeproof.judgement.judge import false_alarm_limit, model, user_calibration
from citeproof.judgement.judge.model import Model, load_model
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.sandbox import Limits
from citeproof.plumbing.store_address import StoreAddress
from citeproof.reading.extractors import base
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.decoded_text import decode
from citeproof.service.assemble.list_choice import choose_list_set, choose_lists
from citeproof.service.assemble.model_choice import (
    LLM,
    choose_model,
    choose_search_tool,
    is_loopback_url,
    make_spending,
)
from citeproof.service.assemble.source_choice import (
    SNAPSHOT,
    OnlineSources,
    choose_sources,
    choose_text_sources,
    connect_sources,
    describe_wiring,
    list_deprecated_urls,
    make_text_finders,
    require_shared_store,
)
from citeproof.settings import Settings
from citeproof.text.typed_decoding import decode_json
from citeproof.text.venue_match import is_surely_same
from citeproof.verifier import NullObserver, ReferenceVerifier
from citeproof.vocabulary import (
    ClaimPolicy,
    Document,
    Extraction,
    ModelReviewer,
    ModelTask,
    Observer,
    Override,
)
from citeproof.vocabulary.quick_dataclass import dataclass, replace

if TYPE_CHECKING:
    from citeproof.answers.fix.corrected_files import ReferenceFixer
    from citeproof.evidence.sources.memory import MemorySource
    from citeproof.judgement.models.spending import Spending
    from citeproof.plumbing.net.client import Client
    from citeproof.proof.audit.batch_writer import BatchWriter
    from citeproof.proof.audit.run_recorder import RunRecorder

WEB_FIRST = "web-first"  # of the setting `route`
WEB_AT_ONCE = 4  # references of such a run in flight: each searches the web and fetches pages


__all__ = [
    "SNAPSHOT", "ChosenJudge", "OnlineSources", "assemble", "choose_cut_judge", "choose_judge",
    "choose_lists", "choose_sources", "connect_sources", "list_deprecated_urls", "list_overrides",
    "make_fixer", "make_reader", "open_memory", "require_shared_store",
]  # fmt: skip
_Facts = tuple[str, Model, tuple[str, ...], tuple[str, ...], tuple[LiveSource, ...], str]
MAX_BYTES = 10_000_000  # bytes of thresholds or calibration; nothing real is longer
_Made = TypeVar("_Made", user_calibration.Thresholds, user_calibration.Calibration)


def assemble(
    settings: Settings,
    *,
    clock: Clock | None = None,
    observer: Observer | None = None,
    stage: str | None = "check",
    resumed: Mapping[str, int] | None = None,
) -> ReferenceVerifier:
    """Return a verifier with everything that `settings` asks for.

    `stage` names it in the audit log, if there is one; None: a measurement, which is not logged.
    `resumed`: verdicts of what an earlier attempt at the same run has checked, if there was one.
    """
    clock = clock or SystemClock()
    chosen = choose_sources(settings)
    require_shared_store(settings, clock)
    judge = choose_judge(settings).model
    listed = choose_list_set(settings)
    ledger = _open_ledger(settings, clock) if stage else None
    record = ledger.keep if ledger else None
    folders = settings.list_snapshot_folders() if SNAPSHOT in chosen else ()
    snapshots = [Snapshot.open(folder, record) for folder in folders]
    connected = dict.fromkeys((*chosen, *choose_text_sources(settings)))
    spending = make_spending(settings)
    tool = choose_search_tool(settings, spending)
    online = None if settings.offline else connect_sources(settings, clock, connected, record, tool)
    client = online.client if online else None
    if settings.offline and settings.llm and is_loopback_url(settings.urls.get(LLM, "")):
        client = connect_sources(settings, clock, (), record).client  # the model of an offline run
    asked = tuple(source for source in online.sources if source.name in chosen) if online else ()
    network = _make_network(settings, online, asked, clock)
    memory = open_memory(settings, clock, record)
    local = [SnapshotSource(snapshot, same_venue=is_surely_same) for snapshot in snapshots]
    retriever = Retriever(local, network=network, memory=memory)
    ids = tuple(snapshot.id for snapshot in snapshots)
    foreign = [snapshot.source.partition(":")[2] for snapshot in snapshots if not snapshot.own]
    facts = (stage or "", judge, ids, retriever.sources, asked, listed.pin)
    return ReferenceVerifier(
        extract_with=make_reader(settings),
        retriever=retriever,
        model=judge,
        clock=clock,
        snapshots=ids,
        offline=settings.offline,
        observer=observer or NullObserver(),
        client=client,
        keeper=_make_recorder(settings, ledger, facts, resumed) if ledger else None,
        overrides=(*list_overrides(settings, judge, foreign), *listed.overrides),
        lists=(*listed.lists, *VenueRegistry.list_all(snapshots)),
        text_finders=make_text_finders(settings, snapshots, online, clock),
        at_once=WEB_AT_ONCE if settings.route == WEB_FIRST else 0,
        reviewer=_make_reviewer(settings, client, judge, spending, stage),
        memory=memory,
        registries=RegistryNotices(online.sources) if online else None,
        claim_policy=ClaimPolicy(settings.hold, settings.allow_unchecked_retractions),
    )


def _make_reviewer(
    settings: Settings, client: Client | None, judge: Model, spending: Spending | None, stage: str | None
) -> ModelReviewer | None:
    """Return what asks the language model of the run; None if none is set, and nothing is loaded then.

    To verify one citation it is asked the screen alone, about weak mismatches, as `verifyCitation` promises.
    """
    model = choose_model(settings, client, spending)
    if model is None:
        return None
    from citeproof.judgement.review import ALL_TASKS, ModelReview  # noqa: PLC0415 - a run without a model need not load it

    tasks = frozenset((ModelTask.SCREEN,)) if stage == "verify" else ALL_TASKS
    return ModelReview(model, judge, tasks, figures=settings.llm_figures)


def _open_ledger(settings: Settings, clock: Clock) -> BatchWriter | None:
    """Return the writer of the audit log, if there is to be one."""
    if settings.audit_dir is None:
        if settings.audit_run or settings.audit_anchors:
            hint = "set it with --audit DIR or CITEPROOF_AUDIT_DIR"
            raise UsageError("no folder for the audit log is set", place="--audit-run", hint=hint)
        return None
    from citeproof.proof.audit import log_setup as audit  # noqa: PLC0415 - a run without a log need not load it

    return audit.open_batch_writer(settings, settings.audit_dir, clock)


def _make_recorder(
    settings: Settings, ledger: BatchWriter, facts: _Facts, resumed: Mapping[str, int] | None
) -> RunRecorder:
    """Return the observer that logs a run of (stage, judge, snapshots, sources, live ones, pinned lists)."""
    from citeproof.proof.audit import log_setup as audit  # noqa: PLC0415 - same

    stage, judge, snapshots, names, live, pin = facts
    model = msgspec.json.encode(judge)
    wired = describe_wiring(settings, live)
    run = audit.RunFacts(stage, judge.name, model, snapshots, names, wired, pin)
    return audit.make_recorder(settings, ledger, run, resumed)


def _make_network(
    settings: Settings, online: OnlineSources | None, asked: tuple[LiveSource, ...], clock: Clock
) -> LiveNetwork | None:
    if online is None or not asked:
        return None
    client = online.client
    return LiveNetwork(
        asked,
        clock,
        expected=client.estimate_wait,
        queued=client.measure_queueing,
        deadline=settings.deadline,
        web_first=settings.route == WEB_FIRST,
    )


def open_memory(
    settings: Settings, clock: Clock, record: Callable[[str, bytes], None] | None = None
) -> MemorySource | None:
    """Return the memory that the settings name; `record` stores what a judgement rests on."""
    if settings.memory is None:
        return None
    from citeproof.evidence.embedding import MODEL, is_embedding_installed  # noqa: PLC0415 - a run without need not load it
    from citeproof.evidence.embedding.title_vectors import TitleVectors  # noqa: PLC0415 - same
    from citeproof.evidence.sources.memory import MemorySource  # noqa: PLC0415 - same
    from citeproof.plumbing.stores.memory_database import MemoryDatabase  # noqa: PLC0415 - same

    where = settings.memory
    if isinstance(where, Path) and where.exists() and not where.is_dir():
        raise UsageError("is not a folder", place=str(where), hint="name a folder with --memory")
    if isinstance(where, StoreAddress) and settings.offline and not where.is_local:
        hint = "leave out --offline, or keep the memory in a folder"
        raise UsageError("is not on this machine, but the run is offline", place=str(where), hint=hint)
    similar = is_embedding_installed()
    store = MemoryDatabase(where, most=settings.memory_entries, model=MODEL if similar else "")
    vectors = TitleVectors() if similar else None
    return MemorySource(store, clock, days=settings.memory_days, vectors=vectors, record=record)


def make_reader(settings: Settings) -> Callable[[Document], Extraction]:
    """Return what reads documents under these settings."""
    limits = Limits(settings.extract_memory_bytes, settings.extract_seconds)

    def read(document: Document) -> Extraction:
        return base.extract(replace(document, encoding=document.encoding or settings.encoding), limits)

    return read


def make_fixer() -> ReferenceFixer:
    from citeproof.answers.fix.corrected_files import ReferenceFixer  # noqa: PLC0415 - only a fix needs it
    from citeproof.answers.fix.text_edits import EncodedText  # noqa: PLC0415 - same

    def decode_document(document: Document) -> EncodedText:
        decoded = decode(document)
        first = decoded.locate_span(0, 0).start or 0
        sure = not any(problem.doubtful[1] for problem in decoded.problems)
        return EncodedText(document.data, decoded.text, decoded.encoding, first, sure)

    return ReferenceFixer(detect_extractor, decode_document)


def list_overrides(
    settings: Settings, judge: Model | None = None, foreign: Iterable[str] = ()
) -> tuple[Override, ...]:
    """Return every address, judge and threshold of a run that is not the shipped one, and who set it.

    `foreign`: its snapshots that this user neither built nor pulled, by path and id.
    """
    overrides = [] if settings.offline else list(_list_replaced_urls(settings))
    if settings.proxy and not settings.offline:
        overrides.append(Override("proxy", settings.proxy, "none", settings.origin("proxy")))
    if settings.llm and (not settings.offline or is_loopback_url(settings.urls.get(LLM, ""))):
        model = f"{settings.llm} at {settings.urls[LLM]}" if LLM in settings.urls else settings.llm
        overrides.append(Override("llm", model, "none", settings.origin("llm")))
    origin = settings.origin("snapshots")
    overrides += (Override("snapshots", place, "built or pulled by this user", origin) for place in foreign)
    if settings.offline and "offline" in settings.set_by_project:
        overrides.append(Override("offline", "true", "false", settings.origin("offline")))
    shipped = load_model()
    if judge is not None and judge.name.partition("+p")[0] != shipped.name:  # "+p": its setting says so
        origins = map(settings.origin, ("judge_thresholds", "judge_calibration"))
        files = ", ".join(origin for origin in origins if origin != "default")
        origin = files or "the user's configuration folder"
        overrides.append(Override("judge", judge.name, shipped.name, origin))
    for name in ("base_rate", "max_false_accusations"):
        value = getattr(settings, name)
        if judge is not None and value is not None:
            overrides.append(Override(name, f"{value:g}", "none", settings.origin(name)))
    return tuple(overrides)


def _list_replaced_urls(settings: Settings) -> Iterator[Override]:
    """Yield the sources that are asked at an address other than their own."""
    asked = dict.fromkeys((*choose_sources(settings), *choose_text_sources(settings)))
    names = [name for name in asked if name != SNAPSHOT] if settings.urls else []
    for kind in map(sources.find_source, names):
        shipped_urls = {kind.name: kind.profile.url, **kind.profile.further}
        for name, url in kind.find_urls(settings.urls).items():
            shipped = shipped_urls[name]
            if url.rstrip("/") != shipped.rstrip("/") and (name in settings.urls or name == kind.name):
                yield Override(f"urls.{name}", url, shipped, settings.origin_of_url(name))


@dataclass(frozen=True, slots=True)
class ChosenJudge:
    """The judge of a run, and what was made for another judge and therefore left aside."""

    model: Model
    trouble: tuple[str, ...] = ()
    thresholds: user_calibration.Thresholds | None = None  # the user's own


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
    trouble, pair = [*cut.trouble, why], cut.thresholds
    if pair is not None and pair.language_model and settings.llm:  # last: no promise rests on this pair
        if pair.language_model == settings.llm:
            judge = user_calibration.apply_model_thresholds(judge, pair)
        else:
            used = f"the thresholds of {pair.language_model} are not used for {settings.llm}"
            trouble.append(f"{settings.thresholds_file}: {used}")
    return ChosenJudge(judge, tuple(filter(None, trouble)), pair)


def choose_cut_judge(settings: Settings) -> ChosenJudge:
    """Return the shipped judge with the thresholds that `settings` ask for, and nothing else."""
    judge = model.load_model()
    chosen, why = _load_tuning(
        user_calibration.Thresholds, settings.thresholds_file, judge, settings.judge_thresholds
    )
    if chosen is not None:
        judge = user_calibration.apply_thresholds(judge, chosen)
    return ChosenJudge(judge, (why,) if why else (), chosen)


def _load_tuning(kind: type[_Made], path: Path, judge: Model, asked: Path | None) -> tuple[_Made | None, str]:
    """Return what is at `path` if it was made for `judge`; else why not. If `asked`, it must be there."""
    if asked is None and not path.is_file():
        return None, ""
    try:
        with path.open("rb") as file:
            made = decode_json(file.read(MAX_BYTES), type=kind)
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
