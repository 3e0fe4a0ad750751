"""THE PATH: a document goes in, judged and explained references come out, in document order.

1 extract · 2 parse · 3 retrieve · 4 compare · 5 judge (and review, where a language model is asked) ·
6 examine · 7 correct; then, of each document, 8 examine the set. The report is the caller's business.
The observer sees every step and decides nothing; time comes only from the clock.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import date
from functools import partial
from itertools import islice
from typing import Protocol

from citeproof.answers.fix import correct
from citeproof.errors import UsageError
from citeproof.evidence.retrieve import Retriever
from citeproof.judgement.checks import examine_set, examine_work
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence, SetMember
from citeproof.judgement.checks.evidence.work_notices import (
    WorkEvidence,
    make_cited_question,
    make_list_question,
)
from citeproof.judgement.judge import judge
from citeproof.judgement.judge.model import Model
from citeproof.plumbing.clock import Clock, format_timestamp, today
from citeproof.reading.parse import parse, parse_all
from citeproof.vocabulary import (
    DAMAGED,
    Checked,
    ClaimPolicy,
    Compared,
    Document,
    Extraction,
    Finding,
    FindingState,
    FindText,
    GroundedClaim,
    Judgement,
    Keeper,
    ListAnswer,
    ListQuestion,
    LookupTiming,
    ModelExchange,
    ModelReviewer,
    Observer,
    Override,
    RawReference,
    Reference,
    Run,
    SetFinding,
    Step,
    WorkList,
    WorkMemory,
)
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

NO_RETRACTIONS = "no list of retractions is installed, and an offline run can ask no registry for them"
NOT_FINDINGS = ("malformed_", "titled_", DAMAGED)  # codes that others read: comparison, checks, judge
AHEAD = 16  # references in flight at a time; the output keeps the order of the document
AHEAD_KEPT = 256  # they wait for a common commit of the log while others are checked
AHEAD_ONLINE = 64  # more of them fit one request to a registry, and wait for it together


class Closable(Protocol):
    """What holds connections."""

    async def close(self) -> None: ...


class NoticeSource(Protocol):
    """Live registries that mark retractions."""

    async def look_up(self, reference: Reference, asked: ListQuestion, day: date) -> ListAnswer: ...


class NullObserver:
    """The default observer: sees nothing."""

    def note_step(self, step: Step) -> None: ...


def list_own_findings(
    reference: Reference,
    judgement: Judgement,
    compared: Sequence[Compared],
    listed: Sequence[ListAnswer] = (),
    day: date | None = None,
) -> tuple[Finding, ...]:
    """Return what was odd about the reference itself, and what the checks say about its work."""
    odd = [code for code in reference.suspicious if not code.startswith(NOT_FINDINGS)]
    found = [Finding(code, FindingState.FINDING, source="document") for code in dict.fromkeys(odd)]
    return (*found, *examine_work(WorkEvidence(reference, judgement, compared, listed, day)))


def add_findings(findings: tuple[Finding, ...], more: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings with those of `more` that they do not have yet."""
    known = {one.name for one in findings}
    return (*findings, *(one for one in more if one.name not in known))


@dataclass(frozen=True, slots=True)
class ReferenceVerifier:
    """Everything one run needs, assembled by `assemble`."""

    extract_with: Callable[[Document], Extraction]
    retriever: Retriever
    model: Model
    clock: Clock
    snapshots: tuple[str, ...] = ()
    offline: bool = False
    observer: Observer = field(default_factory=NullObserver)
    client: Closable | None = None
    keeper: Keeper | None = None  # the audit log, when there is one
    overrides: tuple[Override, ...] = ()
    lists: tuple[WorkList, ...] = ()  # of retractions and the like
    text_finders: tuple[FindText, ...] = ()  # where the texts of works are looked for, in order
    reviewer: ModelReviewer | None = None  # language models, where the user asked for one
    at_once: int = 0  # references in flight; 0: as many as suit the kind of run
    memory: WorkMemory | None = None
    registries: NoticeSource | None = None  # that mark retractions, in a live run
    claim_policy: ClaimPolicy = field(default_factory=ClaimPolicy)

    def extract(self, document: Document) -> Extraction:
        """Return the references of `document` as they are in it."""
        self._note_step(Step("document", document.name, document))
        extraction = self.extract_with(document)  # 1 extract
        self._note_step(Step("extract", document.name, extraction))
        return extraction

    async def verify(
        self, extraction: Extraction, done: int = 0, *, unordered: bool = False
    ) -> AsyncGenerator[Checked]:
        """Yield one `Checked` for each reference of `extraction`, in document order or as they are done.

        The first `done` of them are left out: an earlier attempt has checked them.
        """
        usual = AHEAD_ONLINE if self.client else AHEAD_KEPT if self.keeper else AHEAD
        ahead = self.at_once or usual
        under_way: deque[asyncio.Task[Checked]] = deque()
        try:
            for parsed in islice(parse_all(extraction.references), done, None):  # 2 parse
                reference = replace(parsed, dated=extraction.dated) if extraction.dated else parsed
                under_way.append(asyncio.ensure_future(self._check(reference)))
                if len(under_way) >= ahead:
                    yield await self._take_next(under_way, unordered=unordered)
            while under_way:
                yield await self._take_next(under_way, unordered=unordered)
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    async def close(self) -> None:
        """Close the connections of this run, and seal its log."""
        try:
            if self.memory is not None:
                self.memory.close()
            if self.client is not None:
                await self.client.close()
        finally:
            if self.keeper is not None:
                await self.keeper.finish()

    async def verify_one(self, raw: RawReference, *, retractions: bool = False) -> Checked:
        """Return one reference with all that was found out about it.

        `retractions`: without a list that clears it, registries are asked whether the work was retracted.
        """
        checked = await self._check(parse(raw), retractions=retractions)  # 2 parse
        if self.keeper is not None:
            self.keeper.hurry()
        return await self._wait_for_log(checked)

    def require_retractions(self) -> None:
        """Raise a UsageError if nobody can say of any work whether it was retracted."""
        if not self.offline or self.claim_policy.allow_unchecked_retractions:
            return
        day = today(self.clock)
        answers = [one.look_up(ListQuestion(), day) for one in self.lists]
        if not any(one.subject == "works" and one.day for one in answers):
            hint = (
                "run `citeproof lists update` once, run without --offline, or --allow-unchecked-retractions"
            )
            raise UsageError(NO_RETRACTIONS, hint=hint)

    async def examine_set(
        self, document: str, extraction: Extraction, members: Sequence[SetMember]
    ) -> tuple[SetFinding, ...]:
        """Return what the checks say about the references of one document together."""
        evidence = SetEvidence(
            document, tuple(members), today(self.clock), extraction.format, extraction.about
        )
        found = examine_set(evidence)  # 8 examine the set
        if self.keeper is not None and found:
            if extraction.references:  # its members are the last references of the run
                evidence = replace(evidence, members=())
            await self.keeper.keep_set_findings(evidence, len(members), found)
        return found

    async def keep_claim(self, grounded: GroundedClaim) -> None:
        """Put what was decided about a claim into the audit log, if there is one."""
        if self.keeper is not None:
            await self.keeper.keep_claim(grounded)

    async def _take_next(self, under_way: deque[asyncio.Task[Checked]], *, unordered: bool) -> Checked:
        """Return what is next in the document, or done; it is no longer under way."""
        if unordered:
            done, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            under_way.rotate(-next(at for at, task in enumerate(under_way) if task in done))
        return await self._wait_for_log(await under_way.popleft())

    async def _wait_for_log(self, checked: Checked) -> Checked:
        """Return what may be shown: with an audit log, only what is in it."""
        if self.keeper is not None:
            await self.keeper.wait_until_kept(checked)
        return checked

    async def _check(self, reference: Reference, *, retractions: bool = False) -> Checked:
        """Return a reference that was parsed with all that was found out about it."""
        key = reference.key
        self._note_step(Step("parse", key, reference))
        asked: tuple[ModelExchange, ...] = ()
        if self.reviewer is not None:
            reference, asked = await self._fill_fields(self.reviewer, reference)
        day = today(self.clock)
        evidence = await self.retriever.retrieve(
            reference, day, partial(self._report_lookup, key)
        )  # 3 retrieve
        retrieved = evidence.retrieval
        self._note_step(Step("retrieve", key, retrieved))
        compared = evidence.compare()  # 4 compare
        self._note_step(Step("compare", key, compared))
        judgement = judge(reference, retrieved, compared, self.model)  # 5 judge
        tried: tuple[Finding, ...] = ()
        if self.reviewer is not None:
            judgement, tried = await self.reviewer.review(reference, compared, judgement, asked)
        self._note_step(Step("judge", key, judgement))
        listed = await self._ask_lists(reference, judgement, compared, day)
        if (
            retractions
            and self.registries
            and not any(a.subject == "works" and not a.trouble for a in listed)
        ):
            question = make_list_question(reference, judgement)
            listed += (await self.registries.look_up(reference, question, day),)
        findings = list_own_findings(reference, judgement, compared, listed, day)  # 6 examine
        findings = add_findings(findings, tried)
        correction = correct(reference, judgement)  # 7 correct
        checked = Checked(reference, retrieved, compared, judgement, findings, correction, day, listed)
        self._note_step(Step("checked", key, checked))
        if self.memory is not None:
            self.memory.remember(checked)
        return checked

    async def _fill_fields(
        self, reviewer: ModelReviewer, reference: Reference
    ) -> tuple[Reference, tuple[ModelExchange, ...]]:
        """Return the reference with fields that only a language model could read, and what it was asked."""
        filled, asked = await reviewer.fill_fields(reference)
        if filled is not reference:
            self._note_step(Step("fill", reference.key, (reference, filled)))
        return filled, asked

    async def _ask_lists(
        self, reference: Reference, judgement: Judgement, compared: Sequence[Compared], day: date
    ) -> tuple[ListAnswer, ...]:
        """Return what the lists say about the work, then about works that it cites, where those are known."""
        question = make_list_question(reference, judgement)
        listed = tuple(each.look_up(question, day) for each in self.lists)
        cited = make_cited_question(judgement, compared) if listed else None
        if cited is None:
            return listed
        answers = (each.look_up(cited, day) for each in self.lists)
        found = [one for one in answers if one.subject == "works" and one.notices]
        return (*listed, *(replace(one, subject="cited") for one in found))

    def _note_step(self, step: Step) -> None:
        if self.keeper is not None:
            self.keeper.note_step(step)
        self.observer.note_step(step)

    def _report_lookup(self, key: str, asked: LookupTiming) -> None:
        self._note_step(Step("lookup", key, asked))

    def run(self, documents: Sequence[Document], extractions: Sequence[Extraction]) -> Run:
        """Return the head of a report: what was checked against what, and what could not be read."""
        expected = [len(e.references) if e.expected is None else e.expected for e in extractions]
        counted = any(e.expected is not None for e in extractions)
        return Run(
            started=format_timestamp(self.clock),
            documents=tuple(d.name for d in documents),
            snapshots=self.snapshots,
            sources=self.retriever.sources,
            offline=self.offline,
            judge=self.model.name,
            problems=tuple(p for e in extractions for p in e.problems),
            expected=sum(expected) if counted else None,
            extracted=sum(len(e.references) for e in extractions),
            overrides=self.overrides,
        )
