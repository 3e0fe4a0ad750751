"""The status of each source: what it covers, whether it is asked, its limit, its budget, its last error.

Reads only this machine: the settings, the snapshots, and the small files in which all processes note what
servers stated. A probe is one harmless lookup at a source, past every cached answer.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime
from inspect import cleandoc
from pathlib import Path

from citeproof.answers import serializers
from citeproof.errors import SnapshotError
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.retrieve.route_plan import RoutePlan
from citeproof.evidence.sources.base import KeyNeed, LiveSource, SourceProfile
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.net.message import Rate
from citeproof.plumbing.net.rate_limiter import ServerLimiter, ServerState
from citeproof.reading.parse import parse_all
from citeproof.service.assemble import assemble, choose_sources, connect_sources
from citeproof.settings import Settings
from citeproof.text import ids
from citeproof.vocabulary import Cause, Claimed, Document, Found, Ids, Lookup, Question, Reference, Unchecked
from citeproof.vocabulary.quick_dataclass import dataclass, replace

LOCAL = "snapshot"
NOT_CHOSEN = "not in the setting sources"


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One row of `citeproof sources`. A snapshot has no profile and no server."""

    name: str
    covers: tuple[str, ...]
    state: str  # in a word or two: ok, failing, blocked, or how large a snapshot is
    not_asked: str = ""  # why it is not asked
    profile: SourceProfile | None = None
    url: str = ""
    answers: tuple[str, ...] = ()
    key_set: bool = False
    rate: Rate | None = None
    server: ServerState | None = None
    last_error: str = ""
    blocked: float = 0.0  # seconds for which it is left alone
    note: str = ""  # why it is left alone, or its last error

    @property
    def asked(self) -> bool:
        return not self.not_asked

    @property
    def own(self) -> tuple[str, ...]:
        """The identifiers on which its silence means "no such one"."""
        return tuple(sorted(self.profile.authority)) if self.profile else ()

    @property
    def key(self) -> str:
        if self.profile is None or self.profile.key is KeyNeed.NONE:
            return ""
        return f"{self.profile.key}, set" if self.key_set else str(self.profile.key)

    @property
    def limit(self) -> str:
        return format_rate(self.rate) if self.rate else ""

    @property
    def budget(self) -> str:
        """The rest of its budget, as last reported by the server."""
        unit = self.profile.budget if self.profile else ""
        if not unit or self.server is None or self.server.budget is None:
            return ""
        of = "" if self.server.budget_of is None else f" of {self.server.budget_of:g}"
        return f"{self.server.budget:g}{of} {unit} left until {format_moment(self.server.budget_until)}"

    def json(self) -> serializers.Json:
        """Return the row as `citeproof sources --format json` prints it."""
        profile, server = self.profile, self.server
        if profile is None or server is None or self.rate is None:
            return {
                "name": self.name,
                "type": "snapshot",
                "covers": list(self.covers),
                "asked": self.asked,
                "not_asked": self.not_asked or None,
                "state": self.state,
            }
        until = format_moment(server.budget_until) if server.budget is not None else None
        budget = {"unit": profile.budget, "left": server.budget, "of": server.budget_of, "until": until}
        error = {"text": self.last_error, "at": format_moment(server.error_at)} if self.last_error else None
        rate = {name: getattr(self.rate, name) for name in ("requests", "seconds", "at_once")}
        return {
            "name": self.name,
            "type": "live",
            "title": profile.title,
            "url": self.url,
            "answers": list(self.answers),
            "covers": list(self.covers),
            "required": sorted(profile.required),
            "own_identifiers": list(self.own),
            "key": {"need": profile.key.value, "set": self.key_set},
            "contact_helps": profile.contact,
            "limit": rate,
            "budget": budget if profile.budget else None,
            "asked": self.asked,
            "not_asked": self.not_asked or None,
            "by_default": profile.by_default,
            "state": self.state,
            "blocked_seconds": round(self.blocked, 1),
            "last_error": error,
            "truncates_authors": profile.truncates_authors,
            "licence": profile.licence,
        }


def list_source_status(settings: Settings, clock: Clock) -> list[SourceStatus]:
    """Return a row for each snapshot, then one for each live source."""
    online = connect_sources(settings, clock)
    servers = online.client.servers()
    try:
        return [
            *_list_snapshot_status(settings),
            *(_make_live_status(source, settings, servers[source.name]) for source in online.sources),
        ]
    finally:
        online.client.close_limits()


def read_page(kind: type[LiveSource]) -> str:
    """Return the documentation of a source: the docstring of its file."""
    return cleandoc(sys.modules[kind.__module__].__doc__ or "")


def format_moment(seconds: float) -> str:
    """Return a moment as people and programs read it: 2026-01-02T03:04:05Z."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return "an unknown time"


def format_rate(rate: Rate) -> str:
    """Return a rate in a few words: `10/s, 3 at once`, `1 in 3 s, 1 at once`."""
    units = {1.0: "/s", 60.0: "/min", 3600.0: "/h"}
    unit = units.get(rate.seconds)
    often = f"{rate.requests:g}{unit}" if unit else f"{rate.requests:g} in {rate.seconds:g} s"
    return f"{often}, {rate.at_once} at once"


def _make_live_status(source: LiveSource, settings: Settings, server: ServerLimiter) -> SourceStatus:
    profile, state = source.profile, server.look()
    if state.budget_until <= server.now():
        state.budget = None  # it was renewed meanwhile
    blocked, why = server.get_block()
    last_error = server.last_error(state)
    error = f"last error {format_moment(state.error_at)}: {last_error}" if last_error else ""
    return SourceStatus(
        name=source.name,
        covers=tuple(sorted(profile.covers)),
        state="blocked" if blocked else "failing" if state.failed or state.refused else "ok",
        not_asked=_explain_not_asked(source, settings),
        profile=profile,
        url=source.wiring.url,
        answers=tuple(sorted(source.answers)),
        key_set=source.wiring.key is not None,
        rate=server.rate,
        server=state,
        last_error=last_error,
        blocked=blocked,
        note=f"left alone for {blocked:.0f} s more: it {why or 'is recovering'}" if blocked else error,
    )


def _explain_not_asked(source: LiveSource, settings: Settings) -> str:
    if settings.offline:
        return "offline"
    if source.name not in choose_sources(settings):
        return NOT_CHOSEN if settings.sources else "only when named"
    if source.profile.key is KeyNeed.REQUIRED and source.wiring.key is None:
        return "needs a key"
    return ""


def _list_snapshot_status(settings: Settings) -> Iterator[SourceStatus]:
    folders = settings.list_snapshot_folders()
    not_asked = "" if LOCAL in choose_sources(settings) else NOT_CHOSEN
    if not folders:
        yield SourceStatus(LOCAL, (), "none", "make one with: citeproof index starter")
    for folder in folders:
        try:
            with Snapshot.open(folder) as snapshot:
                claims = tuple(str(claim) for claim in snapshot.covers)
                size = f"{snapshot.manifest.records:,} records"
                yield SourceStatus(snapshot.source, claims, size, not_asked, note=snapshot.id)
        except SnapshotError as error:
            yield SourceStatus(LOCAL, (), "damaged", f"{error.place}: {error.message}")


@dataclass(frozen=True, slots=True)
class ProbeResult:
    source: str
    question: str
    lookup: Lookup
    seconds: float

    @property
    def outcome(self) -> str:
        """`found`, `absent`, `not asked`, or why it could not answer."""
        if isinstance(self.lookup, Unchecked):
            return "not asked" if self.lookup.cause is Cause.NEEDS_KEY else self.lookup.cause.value
        return "found" if isinstance(self.lookup, Found) else "absent"

    @property
    def detail(self) -> str:
        match self.lookup:
            case Unchecked(detail=detail):
                return detail
            case Found(records=records, note=note):
                return records[0].title if records else note
            case _:
                return f"it answered, and does not know {self.question}"

    @property
    def unanswered(self) -> bool:
        return isinstance(self.lookup, Unchecked) and self.lookup.cause is not Cause.NEEDS_KEY

    def json(self) -> serializers.Json:
        """Return the result as `citeproof sources test --format json` prints it."""
        return {
            "name": self.source,
            "question": self.question,
            "outcome": self.outcome,
            "detail": self.detail,
            "milliseconds": round(self.seconds * 1000),
        }


def make_probe_question(profile: SourceProfile) -> Question:
    """Return the question of a source's profile, about a reference that has nothing else."""
    by, value = profile.probe
    value = ids.normalise_id(by, value) or value
    claimed = Claimed(title=value) if by == "title" else Claimed(ids=Ids(((by, value),)))
    return Question(by, value, Reference("test", "", profile.probe_kind, claimed))


async def probe_sources(settings: Settings, clock: Clock, names: Sequence[str]) -> AsyncIterator[ProbeResult]:
    """Ask the sources called `names` at the same time; yield what came of it in their order."""
    with tempfile.TemporaryDirectory() as folder:
        online = connect_sources(
            replace(settings, cache_dir=Path(folder), limits_dir=Path(folder), shared_store=None),
            clock,
            names,
        )
        tasks = [asyncio.ensure_future(_probe_source(s, settings, clock)) for s in online.sources]
        try:
            for task in tasks:
                yield await task
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await online.client.close()


async def _probe_source(source: LiveSource, settings: Settings, clock: Clock) -> ProbeResult:
    asked, started = make_probe_question(source.profile), clock.elapsed()
    try:
        async with asyncio.timeout(settings.deadline):
            lookup = await source.lookup(asked)
    except TimeoutError:
        detail = f"no answer within {settings.deadline:g} s"
        lookup = Unchecked(source.name, asked.by, Cause.TIMEOUT, detail)
    except Exception as bug:  # noqa: BLE001 - a source's bug must not cost the others their test
        lookup = Unchecked(source.name, asked.by, Cause.BUG, f"{type(bug).__name__}: {bug}"[:200])
    return ProbeResult(source.name, " ".join(source.profile.probe), lookup, clock.elapsed() - started)


def plan_document(settings: Settings, document: Document) -> list[RoutePlan]:
    """Return the route of each reference of a document, in document order."""
    verifier = assemble(settings, stage=None)
    references = verifier.extract(document).references
    return [verifier.retriever.plan(reference) for reference in parse_all(references)]
