"""The streams of features the tagger sees, in order.

A stream gives one small key a token (or a segment); a key is spelled out as features, and each
feature is seen from the tokens around as well, under another name for each offset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from citeproof.parse import token_context as around
from citeproof.parse import word_features
from citeproof.parse.citation_tokens import CitationTokens
from citeproof.parse.token_context import TokenContext

NEAR = (2, 1, 0, -1, -2)  # where a key is as seen from a token: +1 is the one behind it
BESIDE = (1, 0, -1)


@dataclass(frozen=True, slots=True)
class FeatureStream:
    """A stream: how its keys are spelled out as features, and from which offsets those are seen."""

    name: str
    spell: Callable[[Any], list[str]]
    offsets: tuple[int, ...] = (0,)
    seen: Callable[[str, int], bool] = lambda _feature, _offset: True
    of: Callable[[TokenContext], list[int]] | None = None  # each token's key, where there is not one a token


PLACE = FeatureStream("place", around.spell_place)  # depends on the number of tokens alone
STATE = FeatureStream("state", around.spell_state, of=lambda seen: around.list_piece_numbers(seen.state))
TOKENS = (
    FeatureStream("words", word_features.list_word_features, NEAR, word_features.is_feature_seen),
    FeatureStream("kinds", word_features.list_kind_features, BESIDE),
    FeatureStream("marks", around.spell_marks),
)
SEGMENTS = (
    FeatureStream(
        "segments",
        around.spell_segment,
        BESIDE,
        around.is_segment_feature_seen,
        lambda seen: around.list_piece_numbers(seen.segments),
    ),
    FeatureStream(
        "clauses",
        around.spell_segment,
        BESIDE,
        around.is_segment_feature_seen,
        lambda seen: around.list_piece_numbers(seen.clauses),
    ),
)
STREAMS: tuple[FeatureStream, ...] = (PLACE, *TOKENS, STATE, *SEGMENTS)


def list_stream_keys(tokens: CitationTokens, seen: TokenContext) -> dict[str, Sequence[Any]]:
    """Return the keys of each stream, one a token or, where several share it, one a piece."""
    kinds, count = f"#{seen.coarse}#", len(tokens.words)
    return {
        "place": around.list_place_keys(count),
        "words": tokens.keys,
        "kinds": [kinds[at : at + 3] for at in range(count)],
        "marks": seen.marks,
        "state": seen.state[0],
        "segments": seen.segments[0],
        "clauses": seen.clauses[0],
    }
