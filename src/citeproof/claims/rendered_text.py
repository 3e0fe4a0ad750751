"""A language model's answer with `[[cite:KEY]]` -> the text a reader sees; only records become citations.

1. A marker closes: its key is looked up among the works at hand and verified, at once, beside the text.
2. Text between markers goes on sentence by sentence. What cites by hand is replaced by a mark, but for the
   people and year of a work that is cited by a marker; a reference list written by hand is left out.
3. A marker whose work was verified becomes a citation, written from the record; any other becomes a mark.
4. At the end comes the list of the records that were cited.

A marker cannot show what was not verified. What is written by hand is held back as far as the finder sees it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from citeproof.claims.cite_markers import CiteMarker, MarkerReader, remove_markers
from citeproof.claims.grounding import AHEAD, GroundingEngine, ground_claim
from citeproof.claims.shown_units import MARK
from citeproof.claims.text_citations import TextCitation, find_text_citations
from citeproof.claims.text_segments import SegmentReader, TextSegment
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.prose.text_lines import is_reference_heading
from citeproof.text import lazy_patterns as re
from citeproof.text.names import fold_family_words
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import Claim, ClaimStatus, GroundedClaim, Record

MOST_KEYS = 500  # different keys of one answer that are looked up
MOST_MARKERS = 60_000  # different markers of one answer; there are 65,534 private characters
MOST_CONTEXT = 1000  # characters before a sentence that are read with it
HEADING = "## References"
_FIRST_STAND_IN = 0xF0000  # private characters that no text has by then: MarkerReader takes them out
_STAND_IN = "[\U000f0000-\U000ffffd]"
_STAND_INS = re.compile(rf"[ \t]*{_STAND_IN}(?:[ \t]*{_STAND_IN})*[ \t]*")
_LINKED = re.compile(
    rf"!?\[([^\[\]\n]{{0,500}}{_STAND_IN}[^\[\]\n]{{0,500}})\](?:\([^()\n]{{0,2000}}\)|\[[^\[\]\n]{{0,500}}\])"
    rf"|<a\b[^<>]{{0,2000}}>([^<>]{{0,500}}{_STAND_IN}[^<>]{{0,500}})(?:</a\s{{0,9}}>)?"
    rf"|({_STAND_IN})\([^\s()]{{0,1000}}[/.#][^\s()]{{0,1000}}\)",
    re.IGNORECASE,
)
_HAND_NUMBER = re.compile(r"(?<![\w\]])\[\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,30}\]")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_LIST_ITEM = re.compile(r"\s{0,12}(?:[-*+•]\s|\d{1,3}[.)]\s|\[\^?\w{1,30}\]:?)")
_TOKEN = re.compile(r"\w[\w'’-]*")
_JOINTS = frozenset(("et", "al", "and", "und", "y", "e", "u", "a", "colleagues", "co-workers"))


class CitationWriter(Protocol):
    """Writes the citations and the list of one text, in one style."""

    numeric: bool  # whether citations are numbers

    def cite(self, records: Sequence[Record]) -> str:
        """Return the citation of some works; the first time a work is named it gets its place in the list."""
        ...

    def list_entries(self) -> list[str]:
        """Return a line for each work that was cited."""
        ...


@dataclass(frozen=True, slots=True)
class RenderedCitation:
    """One key of a marker, and what came of it; a `record` is there only if it may be shown."""

    key: str
    status: ClaimStatus
    record: Record | None = None
    reason: str = ""
    grounded: GroundedClaim | None = None


@dataclass(frozen=True, slots=True)
class RenderedPart:
    """A piece of text that may be shown, its citations, and what was written by hand and held back."""

    text: str
    citations: tuple[RenderedCitation, ...] = ()
    held_back: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RenderedText:
    """A whole answer: `body` and `references`, the list, both written from verified records alone."""

    body: str
    references: tuple[str, ...]
    citations: tuple[RenderedCitation, ...]
    held_back: tuple[str, ...]

    @property
    def text(self) -> str:
        """The body with the list behind it."""
        return self.body + format_reference_list(self.references, self.body)

    @property
    def verified(self) -> bool:
        """Whether every marker became a citation, and nothing was held back."""
        return not self.held_back and all(one.record is not None for one in self.citations)

    def count(self, status: ClaimStatus) -> int:
        """Return how many keys have this status."""
        return sum(one.status is status for one in self.citations)


def format_reference_list(entries: Sequence[str], body: str = "") -> str:
    """Return the list as it follows a text; empty without entries."""
    gap = "" if not body or body.endswith("\n\n") else "\n" if body.endswith("\n") else "\n\n"
    return "".join((gap, HEADING, "\n\n", *(f"{one}\n" for one in entries))) if entries else ""


FindWork = Callable[[str], Claim | None]


class AnswerRenderer:
    """Takes chunks of an answer and gives what may be shown. `find_work` knows the work that a key names."""

    def __init__(
        self, engine: GroundingEngine, find_work: FindWork, writer: CitationWriter, most: int = MOST_KEYS
    ) -> None:
        engine.require_retractions()
        self._engine, self._find_work, self._writer, self._most = engine, find_work, writer, most
        self._places = asyncio.Semaphore(AHEAD)  # works that are looked up at a time
        self._markers, self._segments = MarkerReader(), SegmentReader()
        self._tasks: dict[str, asyncio.Task[RenderedCitation]] = {}
        self._works: dict[str, Record] = {}  # verified ones, by what tells works apart
        self._prose = HandwrittenFilter(numeric=writer.numeric)
        self._stand_ins: dict[tuple[str, ...], str] = {}  # the private character of some keys
        self._marked: dict[str, tuple[str, ...]] = {}  # the keys of a private character
        self._waiting: TextSegment | None = None
        self._shown = ""  # the last characters that were given out

    async def feed(self, chunk: str) -> list[RenderedPart]:
        """Return what may be shown now."""
        return await self._pass_on([*self._segments.feed(self._stand_in(self._markers.feed(chunk)))])

    async def finish(self) -> list[RenderedPart]:
        """Return the rest of the text, and the list."""
        last = self._stand_in(self._markers.finish())
        parts = await self._pass_on([*self._segments.feed(last), *self._segments.finish()])
        if self._waiting is not None:
            parts += await self._write_segment(self._waiting, "")
        listed = format_reference_list(self._writer.list_entries(), self._shown)
        return [*parts, RenderedPart(listed)] if listed else parts

    async def close(self) -> None:
        """End what is still being looked up."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def list_references(self) -> tuple[str, ...]:
        """Return the entries of the list so far."""
        return tuple(self._writer.list_entries())

    # --- verifying -----------------------------------------------------------------------------

    def _stand_in(self, parts: Sequence[str | CiteMarker]) -> str:
        """Return text with a private character for each marker; its works are looked up from now on."""
        written = []
        for one in parts:
            if isinstance(one, str):
                written.append(one)
                continue
            keys = self._list_keys(one)
            for key in keys:
                if key not in self._tasks and len(self._tasks) < self._most:
                    self._tasks[key] = asyncio.ensure_future(self._verify(key))
            keys = keys if len(self._stand_ins) < MOST_MARKERS or keys in self._stand_ins else ("",)
            sign = self._stand_ins.setdefault(keys, chr(_FIRST_STAND_IN + len(self._stand_ins)))
            self._marked[sign] = keys
            written.append(sign)
        return "".join(written)

    def _list_keys(self, marker: CiteMarker) -> tuple[str, ...]:
        if not marker.content or self._find_work(marker.content) is not None:
            return (marker.content,)
        return tuple(dict.fromkeys(marker.split_keys())) or ("",)

    async def _verify(self, key: str) -> RenderedCitation:
        claim = self._find_work(key)
        if claim is None:
            return RenderedCitation(key, ClaimStatus.UNSUPPORTED, reason="no work has this key")
        async with self._places:
            grounded = await ground_claim(self._engine, claim)
        attached = grounded.attached
        matched = attached.checked.judgement.matched if attached else None
        if attached is None or matched is None:
            return RenderedCitation(key, grounded.status, reason=grounded.reason, grounded=grounded)
        record = _put_version_first(matched.record, attached.candidate.claimed.year)
        return RenderedCitation(key, grounded.status, record, grounded=grounded)

    async def _settle(self, key: str) -> RenderedCitation:
        """Return what came of a key; two keys of one work have the same record."""
        task = self._tasks.get(key)
        if task is None:
            reason = f"more than {self._most} keys in one answer"
            return RenderedCitation(key, ClaimStatus.UNCHECKED, reason=reason)
        settled = await task
        if settled.record is None:
            return settled
        name = settled.record.ids.first("doi") or f"{settled.record.source}:{settled.record.id}"
        return replace(settled, record=self._works.setdefault(name, settled.record))

    # --- writing -------------------------------------------------------------------------------

    async def _pass_on(self, segments: Sequence[TextSegment]) -> list[RenderedPart]:
        """Return the segments that are decided; a line waits for the next, which may go on with it."""
        parts: list[RenderedPart] = []
        for segment in segments:
            if self._waiting is not None:
                parts += await self._write_segment(self._waiting, segment.text)
            self._waiting = segment
        if self._waiting is not None and (
            not self._waiting.text.endswith("\n") or not self._waiting.text.strip()
        ):
            parts += await self._write_segment(self._waiting, "")
            self._waiting = None
        return parts

    async def _write_segment(self, segment: TextSegment, following: str) -> list[RenderedPart]:
        settled = {
            sign: [await self._settle(key) for key in self._marked[sign]]
            for sign in dict.fromkeys(re.findall(_STAND_IN, segment.text))
        }
        unlinked = _LINKED.sub(lambda found: found[1] or found[2] or found[3], segment.text)
        text, held = self._prose.read(replace(segment, text=unlinked), following, list(self._works.values()))
        shown = "".join(self._write_parts(text, settled))
        self._shown = (self._shown + shown)[-2:]
        citations = tuple(
            one for sign in settled for one in settled[sign] if sign in text or one.record is None
        )
        return [RenderedPart(shown, citations, held)] if shown or citations or held else []

    def _write_parts(self, text: str, settled: dict[str, list[RenderedCitation]]) -> Iterator[str]:
        before = ""
        for part in re.split(f"({_STAND_IN})", text):
            if part not in settled:
                # "[1](address)" would be a link, "[1]: address" a definition
                yield f" {part}" if before.endswith("]") and part[:1] in ("(", "[", ":") else part
                before = ""
                continue
            records = [one.record for one in settled[part] if one.record is not None]
            written = [remove_markers(self._writer.cite(records))] if records else []
            if len(records) < len(settled[part]):
                written.append(MARK)
            before = " ".join(written)
            yield before


def _put_version_first(record: Record, year: int | None) -> Record:
    """Return the record with the appearance first that was cited by its year, if it has one."""
    fitting = [one for one in record.versions if year is not None and one.year == year]
    others = tuple(one for one in record.versions if one not in fitting)
    return replace(record, versions=(*fitting, *others))


class HandwrittenFilter:
    """Passes text on, sentence by sentence, but for the citations that a model wrote by hand."""

    def __init__(self, *, numeric: bool) -> None:
        self._numeric = numeric
        self._context = ""  # what stands before the sentence in its block
        self._fence = ""  # the line that opened a block of code, from its mark on
        self._in_list = False
        self._heading = ""  # of a list; shown only if text follows that is no entry

    def read(
        self, segment: TextSegment, following: str, cited: Sequence[Record]
    ) -> tuple[str, tuple[str, ...]]:
        """Return the text that may pass, and what was held back of it; `cited` are works it may name."""
        text = segment.text
        if not self._fence and is_reference_heading(text):
            self._in_list, self._heading, self._context = True, text, ""
            return "", ()
        if text.lstrip().startswith("#") and not self._fence:
            self._in_list = False
        spans = self._find_held(segment, following, cited)
        self._note_context(text)
        own = bool(spans or re.search(_STAND_IN, text) or _LIST_ITEM.match(text)) or is_likely_reference(text)
        left_out = self._in_list and (own or not text.strip())
        texts = [text] if left_out else [text[start:end] for start, end in spans]
        held = tuple(
            one for one in (_STAND_INS.sub(" ", each).strip() for each in texts) if re.search(r"\w", one)
        )
        if left_out:
            return "", held
        passed, at = [self._heading], 0
        self._heading = ""
        for start, end in spans:
            passed += [text[at:start], MARK]
            at = end
        return "".join([*passed, text[at:]]), held

    def _find_held(
        self, segment: TextSegment, following: str, cited: Sequence[Record]
    ) -> list[tuple[int, int]]:
        """Return the places of a segment that cite by hand, in order and apart."""
        text = segment.text
        whole = self._context + text + following
        view, places = _hide_stand_ins(whole)
        found = [
            (places[one.start], places[one.end - 1] + 1)
            for one in find_text_citations(view)
            if one.end > one.start
            and not (self._fence and one.labels)  # an index
            and not any(_names_work(one, record) for record in cited)
        ]
        if self._numeric and not self._fence:
            found += [match.span() for match in _HAND_NUMBER.finditer(whole)]
        first, last = len(self._context), len(self._context) + len(text)
        clipped = ((max(start, first) - first, min(end, last) - first) for start, end in found)
        return _join_spans(sorted((start, end) for start, end in clipped if start < end))

    def _note_context(self, text: str) -> None:
        if found := _FENCE.match(text):
            closes = bool(self._fence) and found[1].startswith(self._fence[:3])
            self._fence = "" if closes else self._fence or text.lstrip()
        if not text.strip():
            self._context = self._fence
        elif len(self._context) > MOST_CONTEXT:
            self._context = self._fence + text
        else:
            self._context += text


def _hide_stand_ins(text: str) -> tuple[str, list[int]]:
    """Return the text as if the markers were not there, and the place of each character in the original."""
    parts, places, at = [], [], 0
    for found in _STAND_INS.finditer(text):
        parts += [text[at : found.start()], " "]
        places += [*range(at, found.start()), found.start()]
        at = found.end()
    return "".join([*parts, text[at:]]), [*places, *range(at, len(text))]


def _join_spans(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _names_work(citation: TextCitation, record: Record) -> bool:
    """Return whether a citation says no more than people and year of a work: "Devlin et al. (2019)"."""
    if citation.claimed is not None or citation.labels or not record.authors:
        return False
    tokens = [strip_marks(one).casefold() for one in _TOKEN.findall(citation.text)]
    people = [set(fold_family_words(one)) for one in record.authors]
    years = {str(one.year) for one in record.versions}
    named = [one for one in tokens if one not in _JOINTS and one not in years]
    return bool(named) and named[0] in people[0] and all(any(one in each for each in people) for one in named)
