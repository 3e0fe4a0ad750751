"""Which passages of a text are about a claim.

1. Weigh the words of the claim by how rare they are, by a frozen table and, in a long text, by the text too;
   of several citations in a sentence, the words before this one count a little more.
2. Take the passages that have most of that weight, word for word or by an abbreviation that the text defines.
3. Score these again, also by words that are alike in their letters (names, compounds, other endings).
4. With a reranker (embeddings), its order and this one are added up.

A passage's length counts neither for nor against it: dividing by it made the right passage rarer among the
first three. The score is the share of the claim's weight; the coverage leaves its numbers out, so that a
passage with another number still is about the same thing.
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
    measure_stem_likeness,
    split_content_words,
    split_passage_words,
    stem_word,
)

Reranker = Callable[[str, Sequence[str]], Sequence[float]]  # claim and passages: how alike, -1..1

_CANDIDATES = 20
_ALIKE = 0.5  # letters in common from which words are counted as alike
_NEAR = 150.0  # characters from the citation mark over which a word loses most of its weight
_FLOOR = 0.8  # of a word's weight, however far it is from the mark
_RERANKED = 0.4  # weight of a reranker's score against the words'


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage by its number, how much of the claim it has, and how much of its words: 0..1."""

    number: int
    score: float
    coverage: float


def rank_passages(
    claim: str, index: PassageIndex, cited_at: int | None = None, rerank: Reranker | None = None
) -> list[RankedPassage]:
    """Return the passages that are about a claim, the best first."""
    weights = _weigh_claim(claim, index, cited_at)  # 1
    if not weights:
        return []
    tally: dict[int, float] = defaultdict(float)  # 2
    for stem, weight in weights.items():
        for form in {stem, *index.abbreviations.get(stem, ())}:
            for number in index.postings.get(form, ()):
                tally[number] += weight
    best = sorted(tally, key=lambda number: (-tally[number], number))[:_CANDIDATES]
    ranked = [_score_passage(number, weights, index) for number in best]  # 3
    if rerank is not None and ranked:
        ranked = _merge_reranked(claim, ranked, index, rerank)  # 4
    return sorted(ranked, key=lambda one: (-one.score, one.number))


def measure_coverage(claim: str, text: str, index: PassageIndex) -> float:
    """Return how much of a claim's words a text has, 0..1, by the weights of `index`; numbers left out."""
    weights = _weigh_claim(claim, index, None)
    named = {stem: weight for stem, weight in weights.items() if not stem[0].isdigit()}
    stems = {stem_word(word) for word in split_content_words(text)}
    return _share_weight(named, {stem: _measure_reach(stem, stems, index) for stem in named})


def _weigh_claim(claim: str, index: PassageIndex, cited_at: int | None) -> dict[str, float]:
    """Return the stems of a claim with their weights."""
    stop = load_word_table("stop")
    weights: dict[str, float] = {}
    for start, _, word in split_passage_words(blank_citation_marks(claim)):
        if word.lower() in stop:
            continue
        stem = stem_word(word)
        weight = index.weigh_stem(stem)
        if cited_at is not None:
            away = cited_at - start if start < cited_at else 3 * (start - cited_at)
            weight *= _FLOOR + (1 - _FLOOR) * math.exp(-away / _NEAR)
        weights[stem] = max(weights.get(stem, 0.0), weight)
    return weights


def _score_passage(number: int, weights: dict[str, float], index: PassageIndex) -> RankedPassage:
    stems = {stem_word(word) for word in split_content_words(index.read_passage(number))}
    reached = {stem: _measure_reach(stem, stems, index) for stem in weights}
    named = {stem: weight for stem, weight in weights.items() if not stem[0].isdigit()}
    return RankedPassage(number, _share_weight(weights, reached), _share_weight(named, reached))


def _measure_reach(stem: str, stems: set[str], index: PassageIndex) -> float:
    """Return how far a passage has a stem of the claim: 1 if itself or all that it stands for."""
    meaning = index.abbreviations.get(stem)
    if stem in stems or (meaning and meaning <= stems):
        return 1.0
    likeness = max((measure_stem_likeness(stem, other) for other in stems), default=0.0)
    return likeness if likeness >= _ALIKE else 0.0


def _share_weight(weights: dict[str, float], reached: dict[str, float]) -> float:
    total = sum(weights.values())
    return sum(weight * reached[stem] for stem, weight in weights.items()) / total if total else 0.0


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
