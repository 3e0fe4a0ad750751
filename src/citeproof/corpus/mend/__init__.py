"""What --fix does to a document: remedies to edits, such that its structure stays as it is.

1 the document's shape · 2 which remedies go together · 3 what is removed and replaced, leaf by leaf · 4 where
the comments and annotations go · 5 the mended text is read again; a remedy that would change the structure
is left, and a citation that cannot be removed gets a TODO.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from citeproof.corpus.mend import notes
from citeproof.corpus.mend.choosing import chosen
from citeproof.corpus.mend.cited import cited
from citeproof.corpus.mend.shape import COMMENT, Shape, shape
from citeproof.corpus.mend.spans import Spans
from citeproof.corpus.mend.writing import Written, written
from citeproof.corpus.nouns import Act, Remedy
from citeproof.correct.edits import Edit, applied

_TRIES = 200  # times that a document is read again before what is left of its remedies is left undone


def mend(text: str, remedies: Sequence[Remedy]) -> tuple[Edit, ...]:
    """Return the edits that carry out the remedies, in order and never overlapping."""
    if not remedies:
        return ()
    before, kept = shape(text), cited(text)  # 1
    wanted = chosen(remedies, before, kept, len(text))  # 2
    return _Mending(text, before, kept).edits([one for one in wanted if not _given_up(text, before, one)])


class _Mending:
    """The remedies of one document, tried together and in halves until the structure stays."""

    def __init__(self, text: str, before: Shape, cited: Spans) -> None:
        self._text, self._before, self._cited = text, before, cited
        self._tries = 0

    def edits(self, wanted: Sequence[Remedy]) -> tuple[Edit, ...]:
        """Return the edits of all remedies that leave the structure as it is."""
        return self._made(self._sound((), tuple(wanted))).edits

    def _made(self, remedies: Sequence[Remedy]) -> Written:
        return written(self._text, self._before, self._cited, remedies)

    def _sound(self, taken: tuple[Remedy, ...], more: tuple[Remedy, ...]) -> tuple[Remedy, ...]:
        """Return `taken` with those of `more` that can be carried out beside it."""
        if not more or self._keeps(taken + more):
            return taken + more
        if self._tries >= _TRIES:
            return taken
        if len(more) > 1:
            half = len(more) // 2
            return self._sound(self._sound(taken, more[:half]), more[half:])
        if more[0].act is Act.REMOVE:
            return self._sound(taken, (_instead(self._text, more[0]),))
        return taken

    def _keeps(self, remedies: Sequence[Remedy]) -> bool:
        """Return whether the document has the same structure afterwards, and its comments are comments."""
        made = self._made(remedies)
        if made.stuck:
            return False
        if not made.edits:
            return True
        self._tries += 1
        after = shape(applied(self._text, made.edits), frozenset(made.comments))
        return (
            after.blocks == self._before.blocks
            and self._same_elements(after, made)
            and self._told(after, made)
        )

    def _same_elements(self, after: Shape, made: Written) -> bool:
        """Return whether emphasis, links and code stay, but for those removed and the comments that came."""
        ours = Counter(("InlineHtml", one) for one in made.comments)
        was, now = _elements(self._before, made.gone), _elements(after, ())
        return not was - now and not now - was - ours

    def _told(self, after: Shape, made: Written) -> bool:
        """Return whether every comment arrived as one."""
        came = Counter(COMMENT.findall("\n".join(after.html)))
        came.subtract(COMMENT.findall("\n".join(self._before.html)))
        return all(came[one] >= count for one, count in Counter(made.comments).items())


def _elements(shape: Shape, gone: Iterable[tuple[int, int]]) -> Counter[tuple[str, str]]:
    """Return kind and words of the inline elements that do not go."""
    removed = Spans(gone)
    every = (one for leaf in shape.leaves for one in leaf.elements)
    return Counter((one.kind, one.said) for one in every if not removed.holds(one.start, one.end))


def _given_up(text: str, before: Shape, remedy: Remedy) -> bool:
    """Return whether a citation could not be removed the last time, and has its TODO already."""
    leaf = before.leaf(remedy.start, remedy.end)
    if remedy.act is not Act.REMOVE or leaf is None:
        return False
    said = notes.todo(_instead(text, remedy).text, cell=leaf.kind == "TableCell")
    return said in text[remedy.end : leaf.end]


def _instead(text: str, remedy: Remedy) -> Remedy:
    """Return the TODO that stands for a citation that cannot be removed."""
    said = remedy.text or text[remedy.start : remedy.end]
    return replace(remedy, act=Act.TODO, text=f"remove {said.removeprefix('removed ')}")
