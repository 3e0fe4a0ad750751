"""Generated text passes here on its way to a reader: all of it at once, but for citations not decided yet.

1. The text is cut into segments; the citations of each are found, and what is judged together is grouped.
2. Text is given out at once. A citation that is not decided yet is a placeholder, `[checking 3]`.
3. What can be verified by itself (identifiers, entries of a list, people and a year) is, at the same time as
   the text goes on. A number or key is decided with the first entry of the list that has it.
4. What is decided takes the place of its placeholder: a patch. At the end, people and years that no search
   found are looked up in the list; whatever is still open is not verified.

The decisions do not depend on how the text was cut into chunks. `feed` and `finish` are for callers that
cannot patch: they give the same text in order, where what follows an open citation waits for it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from citeproof.claims.canonical_fields import write_canonical_fields
from citeproof.claims.citation_settling import (
    CitationSettler,
    JudgedTogether,
    ListedEntry,
    choose_worst,
    find_entry,
    group_citations,
)
from citeproof.claims.shown_units import Removal, TextUnit, divide_units
from citeproof.claims.text_citations import TextCitation, find_text_citations
from citeproof.claims.text_segments import SegmentReader, TextSegment
from citeproof.reading.parse import parse
from citeproof.text import lazy_patterns as re
from citeproof.text.span_set import SpanSet
from citeproof.vocabulary import (
    Claimed,
    ClaimStatus,
    GroundedClaim,
    Kind,
    Place,
    RawReference,
    Reference,
    SupportOutcome,
)

PATIENCE = 0.1  # seconds that a sentence waits for its citations before they are placeholders
AT_ONCE = 16  # claims that are being decided at a time
PENDING, PLAIN = "pending", "plain"
_DEFINITION = re.compile(r"(?:^|\n)[ \t]{0,3}\[([^\[\]\n]{1,60})\]:[ \t]{0,9}<?$")
_REFERENCE_LINK = re.compile(r"(?<![!\]\w])\[([^\[\]\n]{1,500})\] ?\[([^\[\]\n]{0,60})\]")
_TITLE_WORDS = 4  # words of a link that are a title, not "this paper"
_YEAR_BEHIND = len(" (2020)")  # of a citation
SHOWN = frozenset(("verified", "resolved"))  # statuses of citations that may be shown


@dataclass(frozen=True, slots=True)
class SettledCitation:
    """One citation and what came of it.

    `start` and `end` count characters of the whole text, or of the `original` of a `ReleasedText`.
    """

    text: str
    start: int
    end: int
    status: ClaimStatus
    grounded: tuple[GroundedClaim, ...] = ()
    held: bool = False  # because of what the text of the work says
    written: str = ""  # with the fields of the record, where the text has false ones

    @property
    def shown(self) -> bool:
        """Whether it may be shown."""
        return self.status.value in SHOWN and not self.held


@dataclass(frozen=True, slots=True)
class ReleasedText:
    """One piece that may be shown: `text` as it may be, `original` as it was."""

    text: str
    original: str
    citations: tuple[SettledCitation, ...] = ()

    @property
    def verified(self) -> bool:
        """Whether every citation of it was verified."""
        return all(one.shown for one in self.citations)


@dataclass(frozen=True, slots=True)
class GuardEvent:
    """One step of a stream: text, a citation that may be pending, or the patch of an earlier one.

    `start` and `end` say which characters of the original text it stands for.
    """

    event: str  # text, citation, patch or end
    text: str
    start: int
    end: int
    id: int | None = None  # of a citation and its patch
    state: str = ""  # pending, else the worst status of the citations
    citations: tuple[SettledCitation, ...] = ()


@dataclass(slots=True, eq=False)
class _HeldUnit:
    """A unit on its way, and the citations of it that are settled."""

    id: int
    unit: TextUnit
    segment: TextSegment
    settled: dict[tuple[int, int], SettledCitation] = field(default_factory=dict)
    told: bool = False  # it was given out, pending

    @property
    def is_open(self) -> bool:
        return len(self.settled) < len(self.unit.citations)

    def list_settled(self) -> tuple[SettledCitation, ...]:
        return tuple(self.settled[one.span] for one in self.unit.citations)

    def make_event(self, removal: Removal) -> GuardEvent:
        unit, at = self.unit, self.segment.start
        if self.is_open:
            shown = unit.show_pending(self.id)
            return GuardEvent("citation", shown, at + unit.start, at + unit.end, self.id, PENDING)
        citations = self.list_settled()
        state = choose_worst([one.status for one in citations]) if citations else PLAIN
        kind = "patch" if self.told else "citation"
        shown = self.show(removal)
        return GuardEvent(kind, shown, at + unit.start, at + unit.end, self.id, str(state), citations)

    def drop(self, citation: TextCitation) -> None:
        """Show what was taken for a citation as the plain text that it is."""
        self.unit = replace(self.unit, citations=tuple(one for one in self.unit.citations if one != citation))

    def show(self, removal: Removal) -> str:
        citations = self.unit.citations
        written = {one.span: self.settled[one.span].written for one in citations}
        return self.unit.show(
            removal, [one for one in citations if not self.settled[one.span].shown], written
        )


@dataclass(frozen=True, slots=True)
class _HeldSegment:
    segment: TextSegment
    units: tuple[_HeldUnit, ...]

    def release(self, removal: Removal) -> ReleasedText:
        text, parts, at = self.segment.text, [], 0
        for one in self.units:
            parts += [text[at : one.unit.start], one.show(removal)]
            at = one.unit.end
        citations = tuple(
            replace(each, start=each.start - self.segment.start, end=each.end - self.segment.start)
            for one in self.units
            for each in one.list_settled()
        )
        return ReleasedText("".join([*parts, text[at:]]), text, citations)


class TextGuard:
    """Takes chunks of generated text and gives back what may be shown."""

    def __init__(
        self, settler: CitationSettler, *, removal: Removal, hold: Collection[SupportOutcome] = ()
    ) -> None:
        """Take what decides citations; `hold`: what the text of a work may not say of a claim."""
        self._settler, self._removal, self._hold = settler, removal, frozenset(hold)
        self._reader = SegmentReader()
        self._held: deque[_HeldSegment] = deque()  # that were not released in order
        self._read: list[str] = []  # the text of all segments
        self._number = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._gate = asyncio.Semaphore(AT_ONCE)
        self._patched: list[_HeldUnit] = []
        self._entries: dict[int, ListedEntry] = {}  # by their place in the text; those beside it are below 0
        self._labels: dict[str, int] = {}  # the place of the first entry that has a label
        self._waiting: list[tuple[_HeldUnit, TextCitation]] = []
        self._doubtful: list[tuple[_HeldUnit, TextCitation, JudgedTogether, GroundedClaim]] = []
        self._decided: dict[tuple[str, ...], GroundedClaim | None] = {}  # by the sentence and what it cites

    def add_entry(self, key: str, grounded: GroundedClaim) -> None:
        """Note an entry of a bibliography beside the text, which the text may cite by its key."""
        for candidate in grounded.claim.references[:1]:
            reference = Reference(key, candidate.text, candidate.kind, candidate.claimed)
            place = -1 - len(self._entries)
            self._entries[place] = ListedEntry(reference, grounded)
            self._labels.setdefault(key, place)

    # --- events --------------------------------------------------------------------------------

    async def take(self, chunk: str) -> list[GuardEvent]:
        """Return what may be shown now, with patches of what was decided meanwhile."""
        events: list[GuardEvent] = []
        for segment in self._reader.feed(chunk):
            events += await self._give_out(segment)
        return [*events, *self._collect_patches()]

    async def wait_patches(self) -> list[GuardEvent]:
        """Return the next patches; none if nothing is being decided."""
        while self._tasks and not self._patched:
            await self._await_tasks(asyncio.FIRST_COMPLETED)
        return self._collect_patches()

    async def take_rest(self) -> list[GuardEvent]:
        """Return the rest of the text, which has ended."""
        return [event for segment in self._reader.finish() for event in await self._give_out(segment)]

    async def end(self) -> list[GuardEvent]:
        """Return the rest of the text and every patch that is left."""
        events = await self.take_rest()
        await self._decide_rest()
        size = self._reader.size
        return [*events, *self._collect_patches(), GuardEvent("end", "", size, size)]

    @property
    def is_deciding(self) -> bool:
        """Whether a patch may come without more text."""
        return bool(self._tasks)

    async def close(self) -> None:
        """Stop deciding; for a stream that nobody reads any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _give_out(self, segment: TextSegment) -> list[GuardEvent]:
        before = set(self._tasks)
        held = self._hold_segment(segment)
        if own := self._tasks - before:
            await asyncio.wait(own, timeout=PATIENCE)
        events, at = [], 0
        for one in held.units:
            if one.unit.start > at:
                events.append(_tell_text(segment, at, one.unit.start))
            events.append(one.make_event(self._removal))
            one.told, at = True, one.unit.end
        return [*events, _tell_text(segment, at, len(segment.text))] if at < len(segment.text) else events

    def _collect_patches(self) -> list[GuardEvent]:
        patched, self._patched = self._patched, []
        return [one.make_event(self._removal) for one in patched]

    # --- in order ------------------------------------------------------------------------------

    async def feed(self, chunk: str) -> list[ReleasedText]:
        """Return what may be shown now, in order, whatever the chunks are."""
        released: list[ReleasedText] = []
        for segment in self._reader.feed(chunk):
            self._held.append(self._hold_segment(segment))
            await self._await_tasks(asyncio.ALL_COMPLETED)
            released += self._release()
        return released

    async def finish(self, text: str = "") -> list[ReleasedText]:
        """Return the rest, `text` included; what could not be settled was not verified."""
        self._held.extend([self._hold_segment(segment) for segment in self._reader.feed(text)])
        self._held.extend([self._hold_segment(segment) for segment in self._reader.finish()])
        await self._decide_rest()
        return list(self._release())

    def _release(self) -> Iterator[ReleasedText]:
        while self._held and not any(one.is_open for one in self._held[0].units):
            yield self._held.popleft().release(self._removal)

    # --- deciding ------------------------------------------------------------------------------

    def _hold_segment(self, segment: TextSegment) -> _HeldSegment:
        """Return a segment with its citations on their way to be decided."""
        self._read.append(segment.text)
        citations = _find_citations(segment)
        units = []
        on_line = not segment.context or segment.context.endswith("\n")
        for unit in divide_units(segment.text, citations, self._removal, on_line=on_line):
            self._number += 1
            units.append(_HeldUnit(self._number, unit, segment))
        unit_of = {one.span: held for held in units for one in held.unit.citations}
        for group in group_citations(segment.text, citations):
            first = group.citations[0]
            held = [unit_of[one.span] for one in group.citations]
            if first.entry and not first.doubtful:
                self._labels.setdefault(first.label, segment.start + first.start)
                self._start(self._decide_entry, held[0], first)
            elif first.labels:
                self._waiting.append((held[0], first))
                self._decide_waiting(self._waiting[-1:])
            else:
                self._start(self._decide_alone, held, group)
        return _HeldSegment(segment, tuple(units))

    async def _decide_entry(self, held: _HeldUnit, citation: TextCitation) -> None:
        grounded = await self._settler.settle_entry(citation.text, citation.claimed)
        reference = parse(RawReference(citation.label or "entry", citation.text, Place()))
        if citation.claimed is not None:
            reference = replace(reference, claimed=citation.claimed)
        self._entries[held.segment.start + citation.start] = ListedEntry(reference, grounded)
        self._settle(held, citation, [grounded], [citation])
        self._decide_waiting([one for one in self._waiting if citation.label in one[1].labels])

    async def _decide_alone(self, held: Sequence[_HeldUnit], group: JudgedTogether) -> None:
        sentence = held[0].segment.text
        same = (sentence, *(one.text for one in group.citations))  # a sentence may cite a work many times
        if same not in self._decided:
            self._decided[same] = await self._settler.settle_alone(sentence, group)
        grounded = self._decided[same]
        if grounded is not None and group.claimed is not None and grounded.attached is not None:
            first = group.citations[0]  # it may be cited by people and year elsewhere in the text
            reference = Reference("", first.text, Kind.UNKNOWN, group.claimed)
            self._entries[held[0].segment.start + first.start] = ListedEntry(reference, grounded)
        for unit, citation in zip(held, group.citations, strict=True):
            if citation.doubtful and grounded is not None:
                self._doubtful.append((unit, citation, group, grounded))
            elif grounded is None:
                self._waiting.append((unit, citation))
            else:
                self._settle(unit, citation, [grounded], group.citations)

    def _decide_waiting(self, waiting: Sequence[tuple[_HeldUnit, TextCitation]]) -> None:
        """Decide the numbers and keys of which every entry is known."""
        for held, citation in waiting:
            found = [self._entries.get(self._labels.get(label, -1 << 60)) for label in citation.labels]
            entries = [one for one in found if one is not None]
            if entries and len(entries) == len(found):
                self._waiting.remove((held, citation))
                self._start(self._decide_by_entries, held, citation, entries)

    async def _decide_by_entries(
        self, held: _HeldUnit, citation: TextCitation, entries: Sequence[ListedEntry]
    ) -> None:
        sentence = held.segment.text
        grounded = [await self._settler.settle_by_entry(sentence, one) for one in entries]
        if citation.claimed is not None:  # a link with a title as its text: the work must have it
            claimed = replace(citation.claimed, ids=entries[0].reference.claimed.ids)
            group = JudgedTogether((citation,), claimed)
            grounded = [one for one in [await self._settler.settle_alone(sentence, group)] if one]
        self._settle(held, citation, grounded, [citation] if citation.claimed is not None else [])

    async def _decide_by_document(self, held: _HeldUnit, citation: TextCitation) -> None:
        assert citation.mention is not None
        document = "".join(self._read)
        grounded = await self._settler.settle_mention(held.segment.text, citation.mention, document)
        self._settle(held, citation, [grounded] if grounded else [])

    async def _decide_rest(self) -> None:
        """Decide what is open at the end of the text."""
        await self._await_tasks(asyncio.ALL_COMPLETED)
        entries = [self._entries[place] for place in sorted(self._entries)]
        waiting, self._waiting = self._waiting, []
        open_ = waiting or self._doubtful
        cited = SpanSet(one.span for one in find_text_citations("".join(self._read))) if open_ else SpanSet()
        for held, citation, group, grounded in self._doubtful:
            if cited.is_free(*_find_place(held, citation)):
                self._drop(held, citation)
            else:
                self._settle(held, citation, [grounded], group.citations)
        for held, citation in waiting:
            found = None if citation.labels else find_entry(held.segment.text, citation, entries)
            if cited.is_free(*_find_place(held, citation)):
                self._drop(
                    held, citation
                )  # the whole text says that it is none: "[1]: https://example.org/docs"
            elif found is not None:
                self._start(self._decide_by_entries, held, citation, [found])
            elif citation.mention is not None:
                self._start(self._decide_by_document, held, citation)
            else:
                self._settle(held, citation, [])
        await self._await_tasks(asyncio.ALL_COMPLETED)

    def _drop(self, held: _HeldUnit, citation: TextCitation) -> None:
        held.drop(citation)
        if held.told and not held.is_open:
            self._patched.append(held)

    def _settle(
        self,
        held: _HeldUnit,
        citation: TextCitation,
        grounded: Sequence[GroundedClaim],
        stating: Sequence[TextCitation] = (),  # what the claim was read from, if not from a list
    ) -> None:
        status = choose_worst([one.status for one in grounded] or [ClaimStatus.UNSUPPORTED])
        outcomes = {one.support.outcome for one in grounded if one.support}
        at = held.segment.start
        written: str | None = ""
        if stating and grounded:
            printed = [held.segment.text[part.start : part.end] for part in stating]
            behind = held.segment.text[stating[-1].end :][:_YEAR_BEHIND]
            texts = write_canonical_fields(printed, grounded[0], behind)
            written = texts[stating.index(citation)] if texts else None
        held.settled[citation.span] = SettledCitation(
            citation.text, at + citation.start, at + citation.end, status, tuple(grounded),
            held=not self._hold.isdisjoint(outcomes) or written is None, written=written or "",
        )  # fmt: skip
        if held.told and not held.is_open:
            self._patched.append(held)

    def _start(self, decide: Callable[..., Awaitable[None]], *about: object) -> None:
        async def work_in_turn() -> None:
            async with self._gate:
                await decide(*about)

        self._tasks.add(asyncio.ensure_future(work_in_turn()))

    async def _await_tasks(self, until: str) -> None:
        """Wait for what is being decided, and for what that makes possible to decide."""
        while self._tasks:
            done, _ = await asyncio.wait(self._tasks, return_when=until)
            self._tasks -= done
            for task in done:
                task.result()
            if until == asyncio.FIRST_COMPLETED:
                return


def _find_place(held: _HeldUnit, citation: TextCitation) -> tuple[int, int]:
    """Return where a citation stands in the whole text."""
    return held.segment.start + citation.start, held.segment.start + citation.end


def _tell_text(segment: TextSegment, start: int, end: int) -> GuardEvent:
    return GuardEvent("text", segment.text[start:end], segment.start + start, segment.start + end)


def _find_citations(segment: TextSegment) -> list[TextCitation]:
    """Return the citations of a segment, read with what stands before it."""
    before, text = len(segment.context), segment.text
    found = []
    sure = find_text_citations(segment.context + text)
    spans = SpanSet(one.span for one in sure)
    every = find_text_citations(segment.context + text, scholarly=True)
    doubtful = [replace(one, doubtful=True) for one in every if spans.is_free(*one.span)]
    for one in sorted([*sure, *doubtful], key=lambda one: one.start):
        if one.end > before:
            start = max(0, one.start - before)
            defined = None if one.entry else _DEFINITION.search(text, 0, start)
            named = replace(one, entry=True, label=defined[1], claimed=None) if defined else one
            found.append(replace(named, start=start, end=one.end - before))
    return sorted([*found, *_find_reference_links(segment, found)], key=lambda one: one.start)


def _find_reference_links(segment: TextSegment, found: Sequence[TextCitation]) -> Iterator[TextCitation]:
    """Yield links such as `[A title][1]`, whose target comes later; it may be no work."""
    for match in () if segment.in_code else _REFERENCE_LINK.finditer(segment.text):
        if not any(one.start < match.end() and match.start() < one.end for one in found):
            is_title = len(match[1].split()) >= _TITLE_WORDS
            claimed = Claimed(title=match[1], et_al=True) if is_title else None
            yield TextCitation(*match.span(), match[0], claimed, labels=(match[2] or match[1],))
