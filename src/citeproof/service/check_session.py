"""Documents through the engine, the same way for every door."""

from __future__ import annotations

import asyncio
import threading
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from itertools import accumulate
from queue import Queue
from typing import Protocol

from citeproof.checks.evidence.set_evidence import SetMember
from citeproof.errors import InputError
from citeproof.service.document_paths import locate_problems, locate_reference, locate_set_finding
from citeproof.vocabulary import Checked, Document, Extraction, Place, Problem, RawReference, Run, SetFinding

AHEAD = 200  # checked references that wait for a slow caller


class CheckEngine(Protocol):
    """What a door needs of the verifier."""

    def extract(self, document: Document) -> Extraction: ...

    def verify(self, extraction: Extraction, done: int = 0) -> AsyncGenerator[Checked]: ...

    async def verify_one(self, raw: RawReference) -> Checked: ...

    async def examine_set(
        self, document: str, extraction: Extraction, members: Sequence[SetMember]
    ) -> Sequence[SetFinding]: ...

    def run(self, documents: Sequence[Document], extractions: Sequence[Extraction]) -> Run: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class CheckSession:
    """Documents that were read and wait to be verified."""

    engine: CheckEngine
    run: Run
    extractions: tuple[Extraction, ...]
    documents: tuple[Document, ...]
    set_findings: list[SetFinding] = field(default_factory=list)  # of the documents that are done
    earlier: tuple[Checked, ...] = ()  # the first references, which an earlier attempt has checked

    @property
    def total(self) -> int:
        """How many references there are to verify."""
        return sum(len(extraction.references) for extraction in self.extractions)

    @property
    def lost(self) -> int:
        """How many places of the documents cost a reference."""
        return sum(_count_lost_references(extraction) for extraction in self.extractions)

    async def verify_references(self) -> AsyncGenerator[Checked]:
        """Yield every checked reference, in document order; after a document's last one, look at them all."""
        left = self.earlier
        for extraction, document in zip(self.extractions, self.documents, strict=True):
            known, left = left[: len(extraction.references)], left[len(extraction.references) :]
            members = [SetMember.of(one) for one in known]
            verified = self.engine.verify(extraction, len(known)) if known else self.engine.verify(extraction)
            async with aclosing(verified) as checks:
                async for checked in checks:
                    members.append(SetMember.of(checked))
                    yield locate_reference(checked, document)
            found = await self.engine.examine_set(document.name, extraction, members)
            self.set_findings.extend(locate_set_finding(one, document) for one in found)

    async def stream(self) -> AsyncGenerator[Checked]:
        """Yield every checked reference, in document order, and close the engine."""
        try:
            async with aclosing(self.verify_references()) as checks:
                async for checked in checks:
                    yield checked
        finally:
            await self.engine.close()

    def __iter__(self) -> Iterator[Checked]:
        """Yield every checked reference, each as soon as it is known, to a caller without a loop.

        The loop has its own thread: while the caller writes or a pager waits, answers come in time.
        """
        done: Queue[Checked | BaseException | None] = Queue()
        wanted = threading.Semaphore(AHEAD)  # no further than this ahead of a caller that takes its time
        begun: Queue[Callable[[], object]] = Queue()  # what ends the checking
        thread = threading.Thread(
            target=lambda: asyncio.run(self._feed(done, wanted, begun)), name="checking", daemon=True
        )
        thread.start()
        stop = begun.get()
        try:
            while (one := done.get()) is not None:
                if isinstance(one, BaseException):
                    raise one
                yield one
                wanted.release()
        finally:
            stop()
            thread.join()

    async def _feed(
        self,
        done: Queue[Checked | BaseException | None],
        wanted: threading.Semaphore,
        begun: Queue[Callable[[], object]],
    ) -> None:
        """Put what is checked where the caller takes it; what goes wrong too; None at the end."""
        begun.put(_make_canceller())
        try:
            async with aclosing(self.stream()) as stream:
                async for one in stream:
                    while not wanted.acquire(blocking=False):  # noqa: ASYNC110 - the caller has no loop
                        await asyncio.sleep(0.01)
                    done.put(one)
        except BaseException as error:  # noqa: BLE001 - it is raised again where the caller is
            done.put(error)
        finally:
            done.put(None)


def _make_canceller() -> Callable[[], object]:
    """Return what ends the task that runs here, from another thread; nothing happens where it has ended."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def cancel() -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(task.cancel if task else int)

    return cancel


def begin_check(engine: CheckEngine, documents: Sequence[Document]) -> CheckSession:
    """Return the documents, read. One that cannot be read is a problem next to the others."""
    extractions = extract_documents(engine.extract, documents)
    run = engine.run(documents, locate_problems(extractions, documents))
    return CheckSession(engine, run, tuple(extractions), tuple(documents))


def extract_documents(
    read: Callable[[Document], Extraction], documents: Sequence[Document]
) -> list[Extraction]:
    """Return what `read` makes of each document; InputError only if it can read none of them."""
    extractions: list[Extraction] = []
    failed: list[InputError] = []
    for document in documents:
        try:
            extractions.append(read(document))
        except InputError as error:
            failed.append(error)
            extractions.append(_make_unread_extraction(document, error))
    if failed and len(failed) == len(documents):
        raise failed[0]
    return extractions


def _make_unread_extraction(document: Document, error: InputError) -> Extraction:
    # Line 1, because a whole document that cannot be read has cost its references.
    return Extraction((), (Problem(Place(document.name, 1), error.message, error.hint, whole=True),))


def _count_lost_references(extraction: Extraction) -> int:
    """Count problems outside all references; the others are only warnings."""
    standing = [reference.place for reference in extraction.references]
    lines = _SpanLookup([(p.line or 0, (p.end_line or p.line or 0) + 1) for p in standing])
    # One line may hold a whole document, so that bytes tell more than lines where both sides have them.
    exact = all(p.start is not None and p.end is not None for p in standing)
    spans = _SpanLookup([(p.start or 0, p.end or 0) for p in standing]) if exact else None
    missing = (extraction.expected or 0) - len(standing)
    costs = sum(_is_lost_at(p.place, lines, spans) for p in extraction.problems if not p.note)
    return max(0, missing, costs)


def _is_lost_at(place: Place, lines: _SpanLookup, spans: _SpanLookup | None) -> bool:
    if spans is not None and place.start is not None:
        return not spans.hold(place.start)
    return place.line is not None and not lines.hold(place.line)


class _SpanLookup:
    """Half-open spans, asked again and again whether one of them holds a point."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._reach = list(accumulate((end for _, end in ordered), max))

    def hold(self, point: int) -> bool:
        """Return whether some span holds `point`: one of those that begin before it reaches so far."""
        before = bisect_right(self._starts, point)
        return before > 0 and point < self._reach[before - 1]
