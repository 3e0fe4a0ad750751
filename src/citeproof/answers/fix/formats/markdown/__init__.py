"""Changes into the references of a Markdown document, and the remedies of its issues.

References are running text. Remedies become edits such that the structure of the document stays as it is:

1 the document's shape · 2 which remedies go together · 3 what is removed and replaced, leaf by leaf · 4 where
the comments and annotations go · 5 the edited text is read again, block by block; a remedy that would change
the structure is left, and a citation that cannot be removed gets a TODO.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from citeproof.answers.fix.formats.markdown.document_shape import DocumentShape, read_shape
from citeproof.answers.fix.formats.markdown.remedy_trial import DocumentDraft, DocumentPiece
from citeproof.answers.fix.formats.markdown.remedy_writer import (
    RemedyWriter,
    choose_remedies,
    format_todo_note,
    has_todo_note,
)
from citeproof.answers.fix.running_text import open_references
from citeproof.answers.fix.text_edits import TextEdit
from citeproof.text.span_set import SpanSet
from citeproof.vocabulary import Act, Remedy

__all__ = ["GUESSED", "edit_document", "open_references"]

GUESSED = True


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
