"""Quotation and source to a match: verbatim, altered or absent.

1. Split the quotation at its ellipses and brackets.
2. If the source has all of it in order, word for word: verbatim.
3. Else find for each part the passages most like it; what one passage does not have is looked for elsewhere.
4. Compare part and passage word by word, and weigh the differences.
5. Decide: too little in too many places is absent; only harmless differences are verbatim; else altered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeproof.claims.quotes.difference_weights import has_negation, is_particle
from citeproof.claims.quotes.omitted_citations import is_page_furniture
from citeproof.claims.quotes.ordered_stretches import OMITTED, QuotedStretch, chain_stretches, split_stretches
from citeproof.claims.quotes.part_placement import PlacedPiece, place_parts
from citeproof.claims.quotes.passage_comparison import (
    compare_words,
    find_unit_changes,
    show_words,
    weigh_brackets,
)
from citeproof.claims.quotes.quotation_parts import QuotedPart, split_quotation
from citeproof.claims.quotes.quotation_types import (
    DifferenceWeight,
    PassageSpan,
    QuotationMatch,
    QuotationStatus,
    WordDifference,
)
from citeproof.claims.quotes.source_index import SourceIndex
from citeproof.claims.quotes.word_tokens import is_number

NEAR = 0.6  # share of the quoted words that a passage must have, or the quotation is not from there
_FEWEST = 3  # words that a passage must have: two of three words are in every text
_PIECED = (
    (6.0, 0.8),
    (4.0, 0.97),
)  # words from one place on average, and the share of all words that are found
_JOINTS = (DifferenceWeight.JOINED, DifferenceWeight.REORDERED)
_HOPELESS = 0.25  # share below which even many scanning errors explain nothing
_OTHERS = 20
_HIDDEN = 3  # words before the end of an ellipsis among which a negation belongs to the words behind it
_NOTHING = QuotationMatch(QuotationStatus.ABSENT)


def locate_quotation(quote: str, source: SourceIndex) -> QuotationMatch:
    """Return what the source has of a quotation."""
    parts = split_quotation(quote)  # 1
    if not parts or not len(source):
        return _NOTHING
    stretches = split_stretches(parts)
    chain, lasts = chain_stretches(stretches, source)  # 2
    if chain:
        found = _describe_chain(stretches, chain, source)
        if len(stretches) == 1:
            size = len(stretches[0].words)
            others = [source.make_span(int(at), int(at) + size) for at in lasts[1 : _OTHERS + 1]]
            found = replace(found, others=tuple(others))
        return found
    placed = place_parts(parts, source)  # 3
    fitting = sum(piece.passage.fitting for pieces in placed for piece in pieces if piece.passage)
    if fitting < _HOPELESS * sum(part.own for part in parts):
        return _NOTHING
    chosen = [piece for pieces in placed for piece in _prefer_one(parts, pieces, source)]
    return _judge_pieces(parts, chosen, source)


def _describe_chain(
    stretches: Sequence[QuotedStretch], chain: Sequence[int], source: SourceIndex
) -> QuotationMatch:
    """Return the match of a quotation that the source has word for word."""
    spans: list[PassageSpan] = []
    differences: list[WordDifference] = []
    low = chain[0]
    for index, (stretch, at) in enumerate(zip(stretches, chain, strict=True)):
        differences += find_unit_changes(stretch.words, at, source)
        end = chain[index - 1] + len(stretches[index - 1].words) if index else at
        if index and stretch.part != stretches[index - 1].part:
            spans.append(source.make_span(low, end))
            differences += _find_hidden_words(end, at, source, begins=stretch.begins)
            low = at
        elif stretch.brackets:
            weight = weigh_brackets([word.word for word in stretch.brackets], end, at, source)
            written = show_words(" ".join(word.text for word in stretch.brackets))
            op = "replace" if end < at else "insert"
            place = int(source.starts[at])
            differences.append(
                WordDifference(op, written, show_words(source.read_words(end, at)), weight, place)
            )
    spans.append(source.make_span(low, chain[-1] + len(stretches[-1].words)))
    status = _decide_status(differences)
    return QuotationMatch(status, tuple(spans), 1.0, tuple(differences))


def _prefer_one(
    parts: Sequence[QuotedPart], pieces: Sequence[PlacedPiece], source: SourceIndex
) -> Sequence[PlacedPiece]:
    """Return the pieces of a part, only one if its passage differs by typesetting and scanning alone."""
    words = parts[pieces[0].part].words
    passages = [piece.passage for piece in pieces if piece.passage is not None]
    if len(passages) < 2 or not 0 < passages[-1].high - passages[0].low <= 3 * len(words):
        return pieces
    passage = max(passages, key=lambda one: one.fitting)
    edges = passage.quoted_low, len(words) - passage.quoted_high
    found = compare_words(words, passage.low, passage.high, source, edges)
    if all(difference.harmless for difference in found.differences):
        return [PlacedPiece(pieces[0].part, 0, len(words), passage)]
    return pieces


def _judge_pieces(
    parts: Sequence[QuotedPart], pieces: Sequence[PlacedPiece], source: SourceIndex
) -> QuotationMatch:
    """Return the match of a quotation whose pieces are like passages of the source."""
    spans: list[PassageSpan] = []
    differences: list[WordDifference] = []
    fitting, before = 0, None
    for piece in pieces:
        if piece.passage is None:  # a part that the source has nowhere
            words = parts[piece.part].words
            at = spans[-1].end if spans else 0
            text = show_words(" ".join(word.text for word in words))
            differences.append(WordDifference("insert", text, "", DifferenceWeight.WORD, at))
            continue
        passage = piece.passage
        words = parts[piece.part].words[piece.low : piece.high]
        edges = (passage.quoted_low - piece.low, piece.high - passage.quoted_high)
        compared = compare_words(words, passage.low, passage.high, source, edges)  # 4
        fitting += compared.fitting
        if before is not None:
            begins = parts[piece.part].begins
            differences += _find_joint(before, (piece.part, compared.low), source, begins=begins)
        before = (piece.part, compared.high)
        spans.append(source.make_span(compared.low, compared.high))
        differences += compared.differences
    ratio = fitting / sum(part.own for part in parts)
    joints = sum(one.weight in _JOINTS for one in differences)
    few = fitting < _FEWEST and ratio < 1
    # words here and there are in every text
    pieced = any(fitting / (joints + 1) >= words and ratio >= share for words, share in _PIECED)
    if few or ratio < NEAR or (joints and not pieced):  # 5
        return QuotationMatch(QuotationStatus.ABSENT, tuple(spans[:1]), round(ratio, 4), tuple(differences))
    return QuotationMatch(_decide_status(differences), tuple(spans), round(ratio, 4), tuple(differences))


def _decide_status(differences: Sequence[WordDifference]) -> QuotationStatus:
    harmless = all(difference.harmless for difference in differences)
    return QuotationStatus.VERBATIM if harmless else QuotationStatus.ALTERED


def _find_joint(
    before: tuple[int, int], after: tuple[int, int], source: SourceIndex, *, begins: bool
) -> list[WordDifference]:
    """Return what is wrong with the order of two pieces: each a part and where it ends or begins."""
    end, begin = before[1], after[1]
    at = int(source.starts[min(begin, len(source) - 1)])
    if begin < end:
        return [WordDifference("join", "", "", DifferenceWeight.REORDERED, at)]
    left_out = show_words(source.read_words(end, min(begin, end + OMITTED)))
    if is_page_furniture(end, begin, source):
        return [WordDifference("delete", "", left_out, DifferenceWeight.TYPOGRAPHY, at)]
    if after[0] != before[0]:
        if begin - end <= OMITTED:
            return _find_hidden_words(end, begin, source, begins=begins)
        return [WordDifference("join", "…", left_out, DifferenceWeight.JOINED, at)]
    return [WordDifference("join", "", left_out, DifferenceWeight.JOINED, at)]


def _find_hidden_words(low: int, high: int, source: SourceIndex, *, begins: bool) -> list[WordDifference]:
    """Return what an ellipsis may not hide: "was … effective" for "was not effective"; the end of a sentence.

    `begins`: the quotation shows that another sentence begins behind the ellipsis.
    """
    if low >= high:
        return []
    words, place = show_words(source.read_words(low, high)), int(source.starts[low])
    weight = None
    if source.ends_sentence(low, high):
        weight = None if begins else DifferenceWeight.JOINED
    else:
        weight = _weigh_edges(low, high, source)
    return [WordDifference("delete", "…", words, weight, place)] if weight else []


def _weigh_edges(low: int, high: int, source: SourceIndex) -> DifferenceWeight | None:
    """Return what the first and last words that an ellipsis stands for change of the words next to it."""
    last, first = max(low, high - _HIDDEN), min(high, low + _HIDDEN)
    backwards, forwards = range(high - 1, last - 1, -1), range(low, first)
    after = [source.words[one] for one in source.ids[high : high + _HIDDEN]]
    before = [source.words[one] for one in source.ids[max(0, low - _HIDDEN) : low]]
    for places, shown, gap in ((backwards, after, 0), (forwards, before, -1)):
        for at in places:
            between = source.text[int(source.ends[at + gap]) : int(source.starts[at + gap + 1])]
            if any(sign in between for sign in ".,;:!?()—"):
                break
            word = source.words[source.ids[at]]
            if is_particle(word) and not has_negation(shown):  # ne … pas
                return DifferenceWeight.NEGATION
            if is_number(word) and at in (low, high - 1):
                return DifferenceWeight.NUMBER
    return None
