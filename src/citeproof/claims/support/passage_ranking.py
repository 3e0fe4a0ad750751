"""Which passages of a text are about a claim.

1. Weigh the words of the claim: rare words tell more; those by the citation mark belong to this work.
2. Take the passages that have most of that weight, word for word or by an abbreviation that the text defines.
3. Score these again: also words that are alike (names, compounds), and the words of the neighbours a little.
4. With a reranker (embeddings), its order and this one are added up.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citeproof.claims.support.claim_cleaning import blank_citation_marks
from citeproof.claims.support.passage_index import PassageIndex
from citeproof.claims.support.passage_words import (
    load_word_table,
    measure_word_likeness,
    split_content_words,
    split_passage_words,
    stem_word,
)

Reranker = Callable[[str, Sequence[str]], Sequence[float]]  # claim and passages: how alike, -1..1

_CANDIDATES = 20
_ALIKE = 0.4  # letters in common from which words are counted as alike
_LENGTH = 0.3  # power of a passage's length that its score is divided by
_NEAR = 150.0  # characters from the citation mark over which a word loses most of its weight
_FLOOR = 0.8  # of a word's weight, however far it is from the mark
_RERANKED = 0.4  # weight of a reranker's score against the words'


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage by its number, and how much of the claim it has: 0..1."""

    number: int
    score: float
    coverage: float


def rank_passages(
    claim: str, index: PassageIndex, cited_at: int | None = None, rerank: Reranker | None = None
) -> list[RankedPassage]:
    """Return the passages that are about a claim, the best first."""
    weights = _weigh_claim(claim, index, cited_at)  # 1
    total = sum(weights.values())
    if not total:
        return []
    tally: dict[int, float] = defaultdict(float)  # 2
    for word, weight in weights.items():
        for stem in {stem_word(word), *index.abbreviations.get(stem_word(word), ())}:
            for number in index.postings.get(stem, ()):
                tally[number] += weight
    best = sorted(tally, key=lambda number: (-tally[number], number))[:_CANDIDATES]
    ranked = [_score_passage(number, weights, total, index) for number in best]  # 3
    if rerank is not None and ranked:
        ranked = _merge_reranked(claim, ranked, index, rerank)  # 4
    return sorted(ranked, key=lambda one: (-one.score, one.number))


def _weigh_claim(claim: str, index: PassageIndex, cited_at: int | None) -> dict[str, float]:
    """Return the words of a claim with their weights."""
    stop = load_word_table("stop")
    weights: dict[str, float] = {}
    for start, _, word in split_passage_words(blank_citation_marks(claim)):
        if word.lower() in stop:
            continue
        weight = index.weigh_stem(stem_word(word))
        if cited_at is not None:
            away = cited_at - start if start < cited_at else 3 * (start - cited_at)
            weight *= _FLOOR + (1 - _FLOOR) * math.exp(-away / _NEAR)
        weights[word] = max(weights.get(word, 0.0), weight)
    return weights


def _score_passage(
    number: int, weights: dict[str, float], total: float, index: PassageIndex
) -> RankedPassage:
    words = list(dict.fromkeys(split_content_words(index.read_passage(number))))
    stems = {stem_word(word) for word in words}
    reached = 0.0
    for word, weight in weights.items():
        meaning = index.abbreviations.get(stem_word(word))
        if meaning and meaning <= stems:
            reached += weight
            continue
        likeness = max((measure_word_likeness(word, other) for other in words), default=0.0)
        if likeness >= _ALIKE:
            reached += weight * likeness
    length = sum(index.weigh_stem(stem) for stem in stems)
    coverage = reached / total
    return RankedPassage(number, coverage * (100 / (length + 100)) ** _LENGTH, coverage)


def _merge_reranked(
    claim: str, ranked: Sequence[RankedPassage], index: PassageIndex, rerank: Reranker
) -> list[RankedPassage]:
    given = rerank(claim, [index.read_passage(one.number).strip() for one in ranked])
    return [
        RankedPassage(
            one.number, (1 - _RERANKED) * one.score + _RERANKED * max(0.0, float(score)), one.coverage
        )
        for one, score in zip(ranked, given, strict=True)
    ]
