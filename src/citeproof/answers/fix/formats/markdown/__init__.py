"""Changes into the references of a Markdown document, and the remedies of its issues.

References are running text. Remedies become edits such that the structure of the document stays as it is:

1 the document's shape · 2 which remedies go together · 3 what is removed and replaced, leaf by leaf · 4 where
the comments and annotations go · 5 the edited text is read again, block by block; a remedy that would change
the structure is left, and a citation that cannot be removed gets a TODO.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from citeproof.answers.fix.formats.markdown.document_shape import (
    COMMENT,
    DocumentShape,
    InlineElement,
    read_shape,
)
from citeproof.answers.fix.formats.markdown.remedy_writer import (
    RemedyWriter,
    WrittenRemedies,
    choose_remedies,
    format_todo_note,
    has_todo_note,
)
from citeproof.answers.fix.running_text import open_references
from citeproof.answers.fix.text_edits import TextEdit, apply_edits, shift_edits
from citeproof.text.span_set import SpanSet
from citeproof.vocabulary import Act, Remedy

__all__ = ["GUESSED", "edit_document", "open_references"]

GUESSED = True
_READ = 10_000_000  # characters that deciding about one piece may take, next to the least number of readings
_LEAST = 24
_FEW = 24  # remedies that are tried one by one


def edit_document(
    text: str, remedies: Sequence[Remedy], protected: Iterable[tuple[int, int]]
) -> tuple[TextEdit, ...]:
    """Return the edits that carry out the remedies, in order and never overlapping.

    `protected`: spans in which nothing is ever changed, whatever a remedy says.
    """
    if not remedies:
        return ()
    before, kept = read_shape(text), SpanSet(protected)  # 1
    fit = choose_remedies(remedies, before, kept, len(text))  # 2
    wanted = [remedy for remedy in fit if not _is_given_up(text, before, remedy)]
    draft = DocumentDraft(text, before, RemedyWriter(text, before, kept))
    whole, every = DocumentPiece(draft, 0, len(text), wanted), list(range(len(wanted)))
    if not whole.keeps_structure(every):  # 5: block by block, then what is left together
        parts = [
            _settle_remedies(DocumentPiece(draft, *ends, wanted), wanted, some)
            for ends, some in _group_by_block(draft, wanted)
        ]
        done = _settle_remedies(whole, wanted, chain.from_iterable(parts))
        # some can only be decided with the rest of the document, such as its footnotes
        every = sorted(whole.find_sound(set(every) - done, done))
    return draft.writer.write_edits([wanted[number] for number in every]).edits


def _settle_remedies(piece: DocumentPiece, remedies: list[Remedy], wanted: Iterable[int]) -> set[int]:
    """Return those of `wanted` that leave the structure; in `remedies`, a TODO for what cannot be removed."""
    asked = set(wanted)
    done = piece.find_sound(asked)
    lost = asked - done
    for number in lost:
        if remedies[number].act is Act.REMOVE:
            remedies[number] = _make_todo(piece.document, remedies[number])
    return piece.find_sound(lost, done)  # also what was lost only next to a removal


def _group_by_block(
    draft: DocumentDraft, remedies: Sequence[Remedy]
) -> list[tuple[tuple[int, int], list[int]]]:
    """Return the ends of each block that is in no other and has remedies, with their numbers."""
    blocks: dict[int, list[int]] = {}
    for number, remedy in enumerate(remedies):
        leaf = draft.writer.leaf(remedy)
        if leaf is not None:
            blocks.setdefault(bisect_right(draft.before.tops, leaf.start), []).append(number)
    starts = [0, *(draft.text.rfind("\n", 0, top) + 1 for top in draft.before.tops), len(draft.text)]
    return [((starts[at], starts[at + 1]), numbers) for at, numbers in blocks.items()]


def _is_given_up(text: str, before: DocumentShape, remedy: Remedy) -> bool:
    """Return whether a citation has its TODO already: removing it failed, or would break its sentence."""
    leaf = before.leaf(remedy.start, remedy.end)
    if remedy.act is not Act.REMOVE or leaf is None:
        return False
    said = format_todo_note(_make_todo(text, remedy).text, cell=leaf.kind == "TableCell")
    named = remedy.text.rpartition(" ")[2] or text[remedy.start : remedy.end]
    return said in text[remedy.end : leaf.end] or has_todo_note(text, remedy.end, leaf.end, named)


def _make_todo(text: str, remedy: Remedy) -> Remedy:
    said = remedy.text or text[remedy.start : remedy.end]
    return replace(remedy, act=Act.TODO, text=f"remove {said.removeprefix('removed ')}")


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

    def find_sound(self, wanted: set[int], taken: Iterable[int] = ()) -> set[int]:
        """Return the numbers of the remedies that leave the structure, `taken` and those of `wanted`.

        All together; where that fails, half by half, as often as the piece may be read.
        """
        self._readings = max(_LEAST, _READ // max(1, len(self._text)))
        done, asked = set(taken), sorted(wanted)
        while stuck := set(self._write_edits({*done, *asked}).stuck):  # those whose comment found no place
            left = [number for number in asked if self._remedies[number] not in stuck]
            if left == asked:
                break
            asked = left
        done = self._add_sound(done, asked)
        dropped = sorted(set(wanted) - set(asked))  # some are only bad together
        for number in dropped if len(dropped) <= _FEW else ():
            done = self._add_sound(done, [number])
        return done

    def _write_edits(self, numbers: Iterable[int]) -> WrittenRemedies:
        return self._draft.writer.write_edits([self._remedies[number] for number in sorted(numbers)])

    def _add_sound(self, taken: set[int], trial: Sequence[int]) -> set[int]:
        if not trial or self._readings <= 0:
            return taken
        if self.keeps_structure(taken | set(trial)):
            return taken | set(trial)
        if len(trial) == 1:
            return taken
        half = len(trial) // 2
        return self._add_sound(self._add_sound(taken, trial[:half]), trial[half:])

    def keeps_structure(self, numbers: Iterable[int]) -> bool:
        """Return whether all of these together leave the structure."""
        made = self._write_edits(numbers)
        if made.stuck:
            return False
        if not made.edits:
            return True
        self._readings -= 1
        edits = shift_edits(made.edits, -self._low)
        after = read_shape(apply_edits(self._text, edits), frozenset(made.comments))
        came = Counter(COMMENT.findall("\n".join(after.html)))
        came -= Counter(COMMENT.findall("\n".join(self._before.html)))
        if after.blocks != self._before.blocks or Counter(made.comments) - came:
            return False
        return _has_same_elements(self._before, after, _RemovedElements(made, self._low), made)


class _RemovedElements:
    """The inline elements that remedies take away."""

    def __init__(self, made: WrittenRemedies, low: int) -> None:
        self._spans = SpanSet((start - low, end - low) for start, end in made.gone)
        self._opened = {(start - low, end - low) for start, end in made.opened}

    def is_removed(self, element: InlineElement) -> bool:
        """Return whether an element goes: with its words, or a link whose words stay."""
        opened = element.kind == "Link" and (element.start, element.end) in self._opened
        return opened or self._spans.holds(element.start, element.end)


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
