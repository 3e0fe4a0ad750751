"""Remedies tried on a piece of a document, all at once: those that would change its structure are found out.

A piece is read again after it was fixed. What differs from before is blamed on the remedy that is there,
so that a thousand bad ones cost hardly more reading than one, and never keep a good one back.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest

from citeproof.answers.fix.formats.markdown.document_shape import (
    COMMENT,
    DocumentShape,
    InlineElement,
    read_shape,
)
from citeproof.answers.fix.formats.markdown.remedy_writer import RemedyWriter, WrittenRemedies
from citeproof.answers.fix.text_edits import TextEdit, apply_edits, shift_edits
from citeproof.text.span_set import SpanSet
from citeproof.vocabulary import Remedy

_READ = 2_000_000  # characters that deciding about one piece may take, next to the least number of readings
_LEAST = 24
FEW = 24  # remedies that are tried one by one
_Facts = Counter[tuple[int, str, str]]  # (number of the remedy, kind, words)


@dataclass(frozen=True, slots=True)
class DocumentDraft:
    """A document, its shape, and who writes into it."""

    text: str
    before: DocumentShape
    writer: RemedyWriter


class DocumentPiece:
    """A stretch of a document that can be read by itself, and its remedies in the order of the text."""

    def __init__(self, draft: DocumentDraft, low: int, high: int, remedies: Sequence[Remedy]) -> None:
        self._draft, self._low, self._remedies = draft, low, remedies
        self._text = draft.text[low:high]
        whole = not low and high == len(draft.text)
        self._before = draft.before if whole else read_shape(self._text)
        self._readings = 0

    @property
    def document(self) -> str:
        return self._draft.text

    def keeps_structure(self, numbers: Iterable[int]) -> bool:
        """Return whether all of these together leave the structure."""
        return self._find_blamed(sorted(numbers)) is None

    def find_sound(self, wanted: Iterable[int], taken: Iterable[int] = ()) -> set[int]:
        """Return the numbers of the remedies that leave the structure, `taken` and those of `wanted`.

        First all together; then of those that were blamed the first of each leaf, then the second: some are
        only bad together. A few that are left are tried one by one: blame may fall on a neighbour.
        """
        asked = set(wanted)
        self._readings = max(_LEAST, _READ // max(1, len(self._text)))
        done = self._find_agreed(set(taken), asked)
        for some in self._take_turns(asked - done):
            done = self._find_agreed(done, some)
        left = sorted(asked - done)
        for number in left if len(left) <= FEW else ():
            done = self._find_agreed(done, {number})
        return done

    def _take_turns(self, numbers: Iterable[int]) -> list[set[int]]:
        """Return the first remedies of all leaves, the second ones, and so on."""
        leaves: dict[int, list[int]] = {}
        for number in sorted(numbers):
            leaf = self._draft.writer.leaf(self._remedies[number])
            leaves.setdefault(leaf.start if leaf is not None else -1, []).append(number)
        return [{one for one in turn if one is not None} for turn in zip_longest(*leaves.values())]

    def _find_agreed(self, taken: set[int], trial: set[int]) -> set[int]:
        """Return `taken` with those of `trial` that are not to be blamed for anything."""
        while trial and self._readings > 0:
            bad = self._find_blamed(sorted(taken | trial))
            if bad is None:
                return taken | trial
            if not bad & trial:  # it is not known where it comes from
                order = sorted(trial)
                first, rest = set(order[: len(order) // 2]), set(order[len(order) // 2 :])
                return self._find_agreed(self._find_agreed(taken, first), rest) if first else taken
            trial = trial - bad
        return taken

    def _find_blamed(self, numbers: Sequence[int]) -> set[int] | None:
        """Return the remedies that would change the structure, none if that is unknown; None if it stays."""
        remedies = [self._remedies[number] for number in numbers]
        made = self._draft.writer.write_edits(remedies)
        if made.stuck:
            stuck = set(made.stuck)
            return {number for number in numbers if self._remedies[number] in stuck}
        if not made.edits:
            return None
        self._readings -= 1
        edits = shift_edits(made.edits, -self._low)
        after = read_shape(apply_edits(self._text, edits), frozenset(made.comments))
        gone = _RemovedElements(made, self._low)
        came = Counter(COMMENT.findall("\n".join(after.html)))
        missing = Counter(made.comments) - (came - Counter(COMMENT.findall("\n".join(self._before.html))))
        if (
            after.blocks == self._before.blocks
            and not missing
            and _has_same_elements(self._before, after, gone, made)
        ):
            return None
        where = _RemedyPlaces(self._before, [remedy.start - self._low for remedy in remedies])
        return {numbers[at] for at in where.find_blamed(after, edits, gone, missing)}


class _RemedyPlaces:
    """Which remedy is nearest to what is at a place of a piece."""

    def __init__(self, before: DocumentShape, starts: Sequence[int]) -> None:
        self._before, self._starts = before, starts
        self._begins = [leaf.start for leaf in before.leaves]
        self._ends = [leaf.end for leaf in before.leaves]

    def find_blamed(
        self,
        after: DocumentShape,
        edits: Sequence[TextEdit],
        gone: _RemovedElements,
        missing: Mapping[str, int],
    ) -> set[int]:
        """Return those at the places where the shapes differ, and those whose comments did not arrive."""
        back = _OriginalPlaces(edits)
        ours = {said for edit in edits for said in COMMENT.findall(edit.text)}
        was, now = self._facts(self._before, None, gone, ours), self._facts(after, back, None, ours)
        bad = {at for at, *_ in (was - now) | (now - was)}
        bad |= {self._find_remedy(edit.start) for edit in edits if any(said in edit.text for said in missing)}
        return {at for at in bad if at >= 0}

    def _facts(
        self, seen: DocumentShape, back: _OriginalPlaces | None, gone: _RemovedElements | None, ours: set[str]
    ) -> _Facts:
        facts: _Facts = Counter()
        for block, at in zip(seen.blocks, seen.places, strict=True):
            place = back.locate_original(at) if back else at
            facts[self._find_remedy(place, closes=block.startswith("/")), block, ""] += 1
        for leaf in seen.leaves:
            for element in leaf.elements:
                if (gone is None or not gone.is_removed(element)) and element.said not in ours:
                    facts[
                        self._find_remedy(back.locate_original(element.start) if back else element.start),
                        element.kind,
                        element.said,
                    ] += 1
        return facts

    def _find_remedy(self, place: int, *, closes: bool = False) -> int:
        """Return the number of the remedy in the same leaf, the last one before; -1 if there is none.

        What opens before a leaf is its own, and so is what closes behind it.
        """
        if closes:
            leaf = max(0, bisect_right(self._begins, place - 1) - 1)
        else:
            leaf = min(bisect_right(self._ends, place), len(self._ends) - 1)
        if not self._begins:
            return -1
        first = bisect_right(self._starts, self._begins[leaf] - 1)
        last = bisect_right(self._starts, self._ends[leaf] - 1) - 1
        index = min(max(first, bisect_right(self._starts, place) - 1), last)
        return index if index >= first else -1


class _RemovedElements:
    """The inline elements that remedies take away."""

    def __init__(self, made: WrittenRemedies, low: int) -> None:
        self._spans = SpanSet((start - low, end - low) for start, end in made.gone)
        self._opened = {(start - low, end - low) for start, end in made.opened}

    def is_removed(self, element: InlineElement) -> bool:
        """Return whether an element goes: with its words, or a link whose words stay."""
        opened = element.kind == "Link" and (element.start, element.end) in self._opened
        return opened or self._spans.holds(element.start, element.end)


class _OriginalPlaces:
    """From places of a fixed text to those of the text before."""

    def __init__(self, edits: Sequence[TextEdit]) -> None:
        self._edits = edits
        self._grown = [0, *accumulate(len(edit.text) - (edit.end - edit.start) for edit in edits)]
        self._starts = [edit.start + self._grown[at] for at, edit in enumerate(edits)]

    def locate_original(self, at: int) -> int:
        """Return the place before; the start of an edit for what is in its new text."""
        index = bisect_right(self._starts, at) - 1
        if index < 0:
            return at
        edit = self._edits[index]
        return edit.start if at <= self._starts[index] + len(edit.text) else at - self._grown[index + 1]


def _has_same_elements(
    before: DocumentShape, after: DocumentShape, gone: _RemovedElements, made: WrittenRemedies
) -> bool:
    """Return whether emphasis, links and code stay, but for those removed and the comments that came."""
    ours = Counter(("InlineHtml", comment) for comment in made.comments)
    was, now = _count_elements(before, gone), _count_elements(after, None)
    return not was - now and not now - was - ours


def _count_elements(shape: DocumentShape, gone: _RemovedElements | None) -> Counter[tuple[str, str]]:
    """Return kind and words of the inline elements that do not go."""
    every = (element for leaf in shape.leaves for element in leaf.elements)
    return Counter(
        (element.kind, element.said) for element in every if gone is None or not gone.is_removed(element)
    )
