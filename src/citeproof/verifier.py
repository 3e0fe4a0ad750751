"""THE PATH: a document goes in, judged and explained references come out, in document order.

1 extract · 2 parse · 3 retrieve · 4 compare · 5 judge · (report is the caller's business).
The observer sees every step and decides nothing; time comes only from the clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from citeproof.clock import Clock, timestamp, today
from citeproof.compare import compare
from citeproof.judge import judge
from citeproof.judge.model import Model
from citeproof.parse import parse
from citeproof.retrieve import Retriever
from citeproof.vocabulary import (
    Checked,
    Document,
    Extraction,
    Finding,
    FindingState,
    Observer,
    RawReference,
    Reference,
    Run,
    Step,
)

AHEAD = 16  # references in flight at a time; the output keeps the order of the document


class Unobserved:
    """The default observer: sees nothing."""

    def saw(self, step: Step) -> None: ...


def noticed(reference: Reference) -> tuple[Finding, ...]:
    """Return what was odd about the reference itself, such as characters that imitate others."""
    odd = [code for code in reference.suspicious if not code.startswith("malformed_")]
    return tuple(Finding(code, FindingState.FINDING, source="document") for code in dict.fromkeys(odd))


@dataclass(frozen=True, slots=True)
class Verifier:
    """Everything one run needs, put together by `assemble`."""

    extract_with: Callable[[Document], Extraction]
    retriever: Retriever
    model: Model
    clock: Clock
    snapshots: tuple[str, ...] = ()
    offline: bool = False
    observer: Observer = field(default_factory=Unobserved)

    def extract(self, document: Document) -> Extraction:
        """Return the references of `document` as they stand in it."""
        extraction = self.extract_with(document)  # 1 extract
        self.observer.saw(Step("extract", document.name, extraction))
        return extraction

    async def verify(self, extraction: Extraction) -> AsyncIterator[Checked]:
        """Yield one `Checked` for each reference of `extraction`, in document order."""
        raws = extraction.references
        for start in range(0, len(raws), AHEAD):
            batch = raws[start : start + AHEAD]
            for checked in await asyncio.gather(*(self.verify_one(raw) for raw in batch)):
                yield checked

    async def verify_one(self, raw: RawReference) -> Checked:
        """Return one reference with all that was found out about it."""
        reference = parse(raw)  # 2 parse
        self.observer.saw(Step("parse", raw.key, reference))
        retrieved = await self.retriever.retrieve(reference)  # 3 retrieve
        self.observer.saw(Step("retrieve", raw.key, retrieved))
        compared = compare(reference, retrieved, today(self.clock))  # 4 compare
        self.observer.saw(Step("compare", raw.key, compared))
        judgement = judge(reference, retrieved, compared, self.model)  # 5 judge
        self.observer.saw(Step("judge", raw.key, judgement))
        checked = Checked(reference, retrieved, compared, judgement, noticed(reference))
        self.observer.saw(Step("checked", raw.key, checked))
        return checked

    def run(self, documents: Sequence[Document], extractions: Sequence[Extraction]) -> Run:
        """Return the head of a report: what was checked against what, and what could not be read."""
        expected = [len(e.references) if e.expected is None else e.expected for e in extractions]
        counted = any(e.expected is not None for e in extractions)
        return Run(
            started=timestamp(self.clock),
            documents=tuple(d.name for d in documents),
            snapshots=self.snapshots,
            sources=tuple(source.name for source in self.retriever.sources),
            offline=self.offline,
            judge=self.model.name,
            problems=tuple(p for e in extractions for p in e.problems),
            expected=sum(expected) if counted else None,
            extracted=sum(len(e.references) for e in extractions),
        )
