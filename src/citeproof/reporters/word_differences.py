"""Two values side by side: which words of each the other does not have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from citeproof.reporters import wording

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 400  # words; beyond that the cost of aligning them is not worth its while


@dataclass(frozen=True, slots=True)
class WordPiece:
    """A stretch of one value, and whether it is missing in the other."""

    text: str
    changed: bool


def split_differences(mine: str, theirs: str) -> tuple[list[WordPiece], list[WordPiece]]:
    """Return both values in pieces; those that only one of them has are marked."""
    left, right = (_WORD.findall(wording.show_line(value)) for value in (mine, theirs))
    if len(left) > _LONGEST or len(right) > _LONGEST:
        return [WordPiece("".join(left), changed=True)], [WordPiece("".join(right), changed=True)]
    match = SequenceMatcher(None, [w.casefold() for w in left], [w.casefold() for w in right], autojunk=False)
    ours: list[WordPiece] = []
    others: list[WordPiece] = []
    for kind, a, b, c, d in match.get_opcodes():
        if a < b:
            ours.append(WordPiece("".join(left[a:b]), kind != "equal"))
        if c < d:
            others.append(WordPiece("".join(right[c:d]), kind != "equal"))
    return ours, others
