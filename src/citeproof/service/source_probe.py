"""One harmless lookup at each source, past every cached answer: does it answer, and how fast?"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citeproof.answers import serializers
from citeproof.evidence.retrieve.route_plan import RoutePlan
from citeproof.evidence.sources.base import LiveSource, SourceProfile
from citeproof.plumbing.clock import Clock
from citeproof.reading.parse import parse_all
from citeproof.service.assemble import assemble, connect_sources
from citeproof.settings import Settings
from citeproof.text import ids
from citeproof.vocabulary import Cause, Claimed, Document, Found, Ids, Lookup, Question, Reference, Unchecked


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
