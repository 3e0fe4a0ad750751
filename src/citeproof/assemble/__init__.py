"""Settings to a `ReferenceVerifier`: the only room that knows every implementation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from citeproof.assemble.judge_choice import ChosenJudge, choose_cut_judge, choose_judge
from citeproof.assemble.list_choice import choose_list_set, choose_lists
from citeproof.assemble.memory_choice import open_memory
from citeproof.assemble.model_choice import (
    LLM,
    choose_model,
    choose_search_tool,
    is_loopback_url,
    make_spending,
)
from citeproof.assemble.reader_choice import make_fixer, make_reader
from citeproof.assemble.run_overrides import list_overrides
from citeproof.assemble.source_choice import (
    SNAPSHOT,
    OnlineSources,
    choose_sources,
    choose_text_sources,
    connect_sources,
    describe_wiring,
    list_deprecated_urls,
    require_shared_store,
)
from citeproof.assemble.text_choice import make_text_finders
from citeproof.clock import Clock, SystemClock
from citeproof.errors import UsageError
from citeproof.index.snapshot import Snapshot
from citeproof.index.snapshot_questions import VenueRegistry
from citeproof.judge.model import Model
from citeproof.retrieve import LiveNetwork, Retriever
from citeproof.retrieve.registry_notices import RegistryNotices
from citeproof.settings import Settings
from citeproof.sources.base import LiveSource
from citeproof.sources.snapshot import SnapshotSource
from citeproof.text.venue_match import is_surely_same
from citeproof.verifier import NullObserver, ReferenceVerifier
from citeproof.vocabulary import ClaimPolicy, ModelReviewer, Observer

WEB_FIRST = "web-first"  # of the setting `route`
WEB_AT_ONCE = 4  # references of such a run in flight: each searches the web and fetches pages

if TYPE_CHECKING:
    from citeproof.audit.batch_writer import BatchWriter
    from citeproof.audit.run_recorder import RunRecorder
    from citeproof.models.spending import Spending
    from citeproof.net.client import Client

__all__ = [
    "SNAPSHOT", "ChosenJudge", "OnlineSources", "assemble", "choose_cut_judge", "choose_judge",
    "choose_lists", "choose_sources", "connect_sources", "list_deprecated_urls", "list_overrides",
    "make_fixer", "make_reader", "open_memory", "require_shared_store",
]  # fmt: skip


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
    client = online.client if online else _connect_local_model(settings, clock, record)
    asked = tuple(one for one in online.sources if one.name in chosen) if online else ()
    network = _make_network(settings, online, asked, clock)
    memory = open_memory(settings, clock, record)
    local = [SnapshotSource(snapshot, same_venue=is_surely_same) for snapshot in snapshots]
    retriever = Retriever(local, network=network, memory=memory)
    ids = tuple(snapshot.id for snapshot in snapshots)
    foreign = [one.source.partition(":")[2] for one in snapshots if not one.own]
    facts = (stage or "", judge, ids, retriever.sources, asked, listed.pin)
    return ReferenceVerifier(
        extract_with=make_reader(settings, clock, sent=online.client.sent if online else None),
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
        reviewer=_make_reviewer(settings, client, judge, spending),
        memory=memory,
        registries=RegistryNotices(online.sources) if online else None,
        claim_policy=ClaimPolicy(settings.hold, settings.allow_unchecked_retractions),
    )


def _connect_local_model(
    settings: Settings, clock: Clock, record: Callable[[str, bytes], None] | None
) -> Client | None:
    """Return a client for the model of an offline run, which is on loopback; None if there is no such."""
    local = settings.llm and is_loopback_url(settings.urls.get(LLM, ""))
    return connect_sources(settings, clock, (), record).client if local else None


def _make_reviewer(
    settings: Settings, client: Client | None, judge: Model, spending: Spending | None
) -> ModelReviewer | None:
    """Return what asks the language model of the run; None if none is set, and nothing is loaded then."""
    model = choose_model(settings, client, spending)
    if model is None:
        return None
    from citeproof.review import ModelReview  # noqa: PLC0415 - a run without a model need not load it

    return ModelReview(model, judge, figures=settings.llm_figures)


def _open_ledger(settings: Settings, clock: Clock) -> BatchWriter | None:
    """Return the writer of the audit log, if there is to be one."""
    if settings.audit_dir is None:
        if settings.audit_run or settings.audit_anchors:
            hint = "set it with --audit DIR or CITEPROOF_AUDIT_DIR"
            raise UsageError("no folder for the audit log is set", place="--audit-run", hint=hint)
        return None
    from citeproof.audit import log_setup as audit  # noqa: PLC0415 - a run without a log need not load it

    return audit.open_batch_writer(settings, settings.audit_dir, clock)


_Facts = tuple[str, Model, tuple[str, ...], tuple[str, ...], tuple[LiveSource, ...], str]


def _make_recorder(
    settings: Settings, ledger: BatchWriter, facts: _Facts, resumed: Mapping[str, int] | None
) -> RunRecorder:
    """Return the observer that logs a run of (stage, judge, snapshots, sources, live ones, pinned lists)."""
    from citeproof.audit import log_setup as audit  # noqa: PLC0415 - same

    stage, judge, snapshots, names, live, pin = facts
    model = msgspec.json.encode(judge)
    wired = describe_wiring(settings, live)
    return audit.make_recorder(
        settings, ledger, audit.RunFacts(stage, judge.name, model, snapshots, names, wired, pin), resumed
    )


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
