"""Generated text passes here on its way to a reader: a sentence is released once its citations are settled.

1. A citation that can be verified by itself (an identifier, authors and a year) is verified at once.
2. One that points into a reference list, or could not be verified, waits: the list may come at the end.
3. Entries of the list are verified as references. What points to a verified entry is verified.
4. At the end of the text, whatever is still open is not verified.

The order stays: what follows a sentence that waits, waits too. With `Removal.BRACKET` and `Removal.REMOVE` no
citation that was not verified is in the released text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from citeproof.claims.grounding import GroundingEngine, ground_claim
from citeproof.claims.hypothesis_json import propose_text
from citeproof.claims.mention_search import rank_references
from citeproof.claims.mention_surroundings import CitingDocument
from citeproof.claims.text_citations import TextCitation, find_text_citations
from citeproof.claims.text_segments import SegmentReader, TextSegment
from citeproof.extractors.prose.mention_finder import AuthorYearMention
from citeproof.parse import parse
from citeproof.vocabulary import (
    SHOWN_STATUSES,
    CandidateOrigin,
    CitationCandidate,
    Claim,
    ClaimStatus,
    GroundedClaim,
    Place,
    RawReference,
    Reference,
)

MARK = "[citation not verified]"
SURE = 0.8  # confidence of a candidate that the text itself names
_SPACES = re.compile(r"[ \t]{2,}")
_PUNCTUATION = tuple(".,;:!?)")
_HOLLOW = re.compile(r"[ \t]?(?:\([\s,;]*\)|\[[\s,;]*\])")

SearchMention = Callable[[AuthorYearMention, str], Awaitable[Sequence[CitationCandidate]]]


class Removal(StrEnum):
    """What becomes of a citation that was not verified."""

    BRACKET = "bracket"  # replaced by a mark
    REMOVE = "remove"  # taken out
    KEEP = "keep"  # left, for a caller who looks at `citations`


@dataclass(frozen=True, slots=True)
class SettledCitation:
    """One citation of a sentence and what came of it."""

    text: str
    start: int  # in `original`
    end: int
    status: ClaimStatus
    grounded: tuple[GroundedClaim, ...] = ()


@dataclass(frozen=True, slots=True)
class ReleasedText:
    """One sentence or entry that may be shown: `text` as it may be, `original` as it was."""

    text: str
    original: str
    citations: tuple[SettledCitation, ...] = ()

    @property
    def verified(self) -> bool:
        """Whether every citation of it was verified."""
        return all(one.status in SHOWN_STATUSES for one in self.citations)


@dataclass(slots=True)
class _HeldSegment:
    """A segment on its way: its citations, and those that are settled, by their place."""

    segment: TextSegment
    citations: list[TextCitation]
    settled: dict[tuple[int, int], SettledCitation] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        return len(self.settled) < len(self.citations)


@dataclass(frozen=True, slots=True)
class _ListedEntry:
    reference: Reference
    label: str
    grounded: GroundedClaim


class TextGuard:
    """Takes chunks of generated text and gives back what may be shown."""

    def __init__(
        self, engine: GroundingEngine, search: SearchMention | None = None, *, removal: Removal
    ) -> None:
        self._engine, self._search, self._removal = engine, search, removal
        self._reader = SegmentReader()
        self._held: deque[_HeldSegment] = deque()
        self._entries: list[_ListedEntry] = []

    def add_entry(self, key: str, grounded: GroundedClaim) -> None:
        """Note an entry of a bibliography beside the text, which the text may cite by its key."""
        for candidate in grounded.claim.references[:1]:
            reference = Reference(key, candidate.text, candidate.kind, candidate.claimed)
            self._entries.append(_ListedEntry(reference, key, grounded))

    async def feed(self, chunk: str) -> list[ReleasedText]:
        """Return what may be shown now."""
        for segment in self._reader.feed(chunk):
            await self._take(segment)
        return list(self._release())

    async def finish(self) -> list[ReleasedText]:
        """Return the rest; what could not be settled was not verified."""
        for segment in self._reader.finish():
            await self._take(segment)
        for held in self._held:
            for citation in held.citations:
                if citation.span not in held.settled:
                    held.settled[citation.span] = self._settle_by_list(held, citation) or SettledCitation(
                        citation.text, citation.start, citation.end, ClaimStatus.UNSUPPORTED
                    )
        return list(self._release())

    async def _take(self, segment: TextSegment) -> None:
        if segment.entry:
            self._held.append(await self._settle_entry(segment))
            for held in self._held:
                self._settle_waiting(held, self._entries[-1])
            return
        held = _HeldSegment(segment, find_text_citations(segment.text))
        self._held.append(held)
        for citation in held.citations:
            settled = self._settle_by_list(held, citation) or await self._settle_alone(segment.text, citation)
            if settled is not None:
                held.settled[citation.span] = settled

    def _release(self) -> Iterator[ReleasedText]:
        while self._held and not self._held[0].is_open:
            yield self._write(self._held.popleft())

    # --- settling ------------------------------------------------------------------------------

    async def _settle_entry(self, segment: TextSegment) -> _HeldSegment:
        """Return an entry of a reference list, verified or not; it is one citation as a whole."""
        body = segment.text[segment.start :].strip()
        whole = TextCitation(segment.start, max(segment.start, len(segment.text.rstrip())), body)
        grounded = await self._ground(body, propose_text(body, SURE))
        reference = parse(RawReference(segment.label or "entry", body, Place()))
        self._entries.append(_ListedEntry(reference, segment.label, grounded))
        settled = SettledCitation(body, whole.start, whole.end, grounded.status, (grounded,))
        return _HeldSegment(segment, [whole], {whole.span: settled})

    async def _settle_alone(self, sentence: str, citation: TextCitation) -> SettledCitation | None:
        """Return a citation that is verified by itself; None: the list at the end may still do it."""
        if citation.claimed is not None:
            candidate = CitationCandidate(citation.claimed, SURE, CandidateOrigin.TEXT, citation.text)
            candidates: Sequence[CitationCandidate] = [candidate]
        elif citation.mention is not None and self._search is not None:
            candidates = await self._search(citation.mention, sentence)
        else:
            return None
        if not candidates:
            return None
        grounded = await self._ground(sentence, *candidates)
        if grounded.status not in SHOWN_STATUSES and citation.mention is not None:
            return None
        return SettledCitation(citation.text, citation.start, citation.end, grounded.status, (grounded,))

    def _settle_waiting(self, held: _HeldSegment, entry: _ListedEntry) -> None:
        """Settle what waits in a segment for an entry of the list that has come."""
        for citation in held.citations:
            if citation.span in held.settled or not _may_point_to(citation, entry):
                continue
            if settled := self._settle_by_list(held, citation):
                held.settled[citation.span] = settled

    def _settle_by_list(self, held: _HeldSegment, citation: TextCitation) -> SettledCitation | None:
        """Return a citation that points to entries of the list; None while one of them is not known."""
        found = self._find_entries(held.segment.text, citation)
        if not found or any(one is None for one in found):
            return None
        grounded = tuple(one.grounded for one in found if one is not None)
        statuses = {one.status for one in grounded}
        worst = next(status for status in _WORST_FIRST if status in statuses)
        return SettledCitation(citation.text, citation.start, citation.end, worst, grounded)

    def _find_entries(self, sentence: str, citation: TextCitation) -> Sequence[_ListedEntry | None]:
        if citation.labels:
            by_label = {one.label: one for one in self._entries if one.label}
            return [by_label.get(label) for label in citation.labels]
        if citation.mention is None:
            return self._find_first_author(citation)
        around = CitingDocument("").find_surroundings(citation.mention, sentence)
        dated = [one.reference for one in self._entries if _may_point_to(citation, one)]
        best = next((one.reference for one in rank_references(citation.mention, dated, around)), None)
        return [one for one in self._entries if one.reference is best][:1]

    def _find_first_author(self, citation: TextCitation) -> Sequence[_ListedEntry]:
        """Return the one entry whose first author "X et al." names; none if there are several."""
        if citation.claimed is not None:
            return []
        family = citation.text.split()[0].casefold()
        fitting = [
            one
            for one in self._entries
            if _may_point_to(citation, one)
            and one.reference.claimed.authors
            and one.reference.claimed.authors[0].family.casefold() == family
        ]
        return fitting if len(fitting) == 1 else []

    async def _ground(self, text: str, *candidates: CitationCandidate) -> GroundedClaim:
        claim = Claim("sentence", "", Place(), tuple(candidates))
        grounded = await ground_claim(self._engine, claim)
        return replace(grounded, claim=replace(claim, text=text))

    # --- writing -------------------------------------------------------------------------------

    def _write(self, held: _HeldSegment) -> ReleasedText:
        original = held.segment.text
        citations = tuple(held.settled[one.span] for one in held.citations)
        if self._removal is Removal.KEEP or all(one.status in SHOWN_STATUSES for one in citations):
            return ReleasedText(original, original, citations)
        parts, at = [], 0
        for one in citations:
            parts.append(original[at : one.start])
            if one.status in SHOWN_STATUSES:
                parts.append(original[one.start : one.end])
            elif self._removal is Removal.BRACKET:
                parts.append(MARK)
            elif original[one.end : one.end + 1] in _PUNCTUATION:  # no "was shown, ."
                parts[-1] = parts[-1].rstrip(" \t,;:")
            at = one.end
        text = "".join([*parts, original[at:]])
        if self._removal is Removal.REMOVE:
            text = _SPACES.sub(" ", _HOLLOW.sub("", text))
            text = "" if held.segment.entry else text
        return ReleasedText(text, original, citations)


def _may_point_to(citation: TextCitation, entry: _ListedEntry) -> bool:
    """Return whether an entry could be the one meant; a year beside it is another work."""
    if citation.labels:
        return entry.label in citation.labels
    return citation.year is None or entry.reference.claimed.year == citation.year


_WORST_FIRST = (
    ClaimStatus.RETRACTED_SOURCE, ClaimStatus.UNSUPPORTED, ClaimStatus.UNCHECKED, ClaimStatus.RESOLVED,
    ClaimStatus.VERIFIED,
)  # fmt: skip
