"""The streams of features the tagger sees, in order.

A stream gives one small key a token (or a segment); a key is spelled out as features, and each
feature is seen from the tokens around as well, under another name for each offset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from citeproof.parse import context as around
from citeproof.parse import words
from citeproof.parse.context import Context
from citeproof.parse.tokens import Tokens

NEAR = (2, 1, 0, -1, -2)  # where a key stands as seen from a token: +1 is the one behind it
BESIDE = (1, 0, -1)


@dataclass(frozen=True, slots=True)
class Kind:
    """A stream: how its keys are spelled out as features, and from which offsets those are seen."""

    name: str
    spell: Callable[[Any], list[str]]
    offsets: tuple[int, ...] = (0,)
    seen: Callable[[str, int], bool] = lambda _feature, _offset: True
    of: Callable[[Context], list[int]] | None = None  # each token's key, where there is not one a token


PLACE = Kind("place", around.spelled_place)  # depends on the number of tokens alone
STATE = Kind("state", around.spelled_state, of=lambda seen: around.piece_of(seen.state))
TOKENS = (
    Kind("words", words.features, NEAR, words.seen),
    Kind("kinds", words.kinds, BESIDE),
    Kind("marks", around.spelled_marks),
)
SEGMENTS = (
    Kind(
        "segments",
        around.spelled_segment,
        BESIDE,
        around.segment_seen,
        lambda seen: around.piece_of(seen.segments),
    ),
    Kind(
        "clauses",
        around.spelled_segment,
        BESIDE,
        around.segment_seen,
        lambda seen: around.piece_of(seen.clauses),
    ),
)
STREAMS: tuple[Kind, ...] = (PLACE, *TOKENS, STATE, *SEGMENTS)


def keys(tokens: Tokens, seen: Context) -> dict[str, Sequence[Any]]:
    """Return the keys of each stream, one a token or, where several share it, one a piece."""
    kinds, count = f"#{seen.coarse}#", len(tokens.words)
    return {
        "place": around.places(count),
        "words": tokens.keys,
        "kinds": [kinds[at : at + 3] for at in range(count)],
        "marks": seen.marks,
        "state": seen.state[0],
        "segments": seen.segments[0],
        "clauses": seen.clauses[0],
    }
