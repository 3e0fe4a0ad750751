"""Numbers of a claim against those of the passages: which agree, and which plainly differ.

A claim's number is an alarm if a passage that plainly is the same statement has another number of the same
kind for the same words, one that the claim does not have. Unless nearly all words around the two are the
same, the text must have the claimed number nowhere, in no unit and not as the rest to 100 %. Numbers that the
text has nowhere are reported; in a whole text with a passage about the claim, that is an alarm too.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citeproof.claims.support.passage_index import PassageIndex
from citeproof.claims.support.passage_words import (
    load_word_table,
    split_content_words,
    split_passage_words,
    stem_word,
)
from citeproof.claims.support.text_quantities import (
    Comparator,
    TextQuantity,
    find_quantities,
    list_unit_factors,
)
from citeproof.vocabulary.claim_support import AlarmKind, EvidencePassage, SupportAlarm
from citeproof.vocabulary.source_texts import TextExtent

_AROUND = 6  # words on each side of a number that say what it is of
_SHARED = 3  # of them that both sides must have
_SAME = 0.8  # of them from which a number that the text has elsewhere still is another one here
_ABOUT = 0.15  # by which "about 40 %" may differ
_LEAST_COUNT = 10  # smaller whole numbers without a unit are too common to compare
NEAR = (
    0.5  # share of a claim from which a passage is about it, so that a number must be somewhere in the text
)
_OPPOSITE = {Comparator.BELOW: Comparator.ABOVE, Comparator.ABOVE: Comparator.BELOW}


@dataclass(frozen=True, slots=True)
class NumberComparison:
    """Numbers of the claim that the passages have too, whether these are all, and the alarms."""

    agreeing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()  # the text has them nowhere
    complete: bool = False
    alarms: tuple[SupportAlarm, ...] = ()


def compare_numbers(
    claim: str, passages: Sequence[EvidencePassage], strong: float, index: PassageIndex
) -> NumberComparison:
    """Return how the numbers of a claim compare; passages with a score of `strong` or more are about it."""
    claimed = [one for one in find_quantities(claim) if _is_telling(one)]
    read = [(passage, list(find_quantities(passage.text))) for passage in passages]
    found = [quantity for _, quantities in read for quantity in quantities]
    agreeing = [one for one in claimed if any(have_same_value(one, other) for other in found)]
    missing = [one for one in claimed if one not in agreeing]
    alarms: list[SupportAlarm] = []
    absent: list[TextQuantity] = []
    for quantity in missing:
        known = _is_anywhere(quantity, index) or any(_is_derived(quantity, each) for _, each in read)
        absent += [] if known else [quantity]
        alarm = None
        for passage, quantities in read if alarm is None else ():
            if passage.score >= strong:
                others = [one for one in quantities if not any(have_same_value(own, one) for own in claimed)]
                alarm = alarm or _find_other_number(claim, quantity, passage, others, known=known)
        if alarm is None and not known and index.source.extent is TextExtent.FULL_TEXT:
            alarm = _find_absent_number(quantity, passages)
        alarms += [alarm] if alarm else []
    for passage, quantities in read:
        if passage.score >= strong:
            alarms += _find_other_comparator(claim, claimed, passage, quantities)
    texts, nowhere = (tuple(dict.fromkeys(one.text for one in each)) for each in (agreeing, absent))
    return NumberComparison(texts, nowhere, bool(claimed) and not missing, tuple(alarms))


def _is_telling(quantity: TextQuantity) -> bool:
    precise = quantity.step < 1  # it has decimals
    return not quantity.chance and bool(quantity.dimension or precise or quantity.high >= _LEAST_COUNT)


def _find_absent_number(quantity: TextQuantity, passages: Sequence[EvidencePassage]) -> SupportAlarm | None:
    """Return the alarm that a text that is about the claim has its number nowhere."""
    if not passages or passages[0].score < NEAR:
        return None
    detail = f"The text has no {quantity.text} anywhere, and a passage is about the claim."
    return SupportAlarm(AlarmKind.NUMBER, quantity.text, "", detail, passages[0])


def have_same_value(claimed: TextQuantity, found: TextQuantity) -> bool:
    """Return whether a text's number is the claimed one, as far as rounding and comparators allow."""
    if claimed.dimension != found.dimension:
        return False
    slack = max(claimed.step, found.step) * 0.501 + 1e-9 * abs(claimed.high)
    if Comparator.ABOUT in (claimed.comparator, found.comparator):
        slack = max(slack, _ABOUT * abs(claimed.high))
    if claimed.low != claimed.high or found.low != found.high:  # a range: one inside the other
        inside = found.low >= claimed.low - slack and found.high <= claimed.high + slack
        return inside or (claimed.low >= found.low - slack and claimed.high <= found.high + slack)
    if claimed.comparator is Comparator.ABOVE and found.comparator is not Comparator.BELOW:
        return claimed.low - slack <= found.high <= 2 * max(claimed.high, 1.0)
    if claimed.comparator is Comparator.BELOW and found.comparator is not Comparator.ABOVE:
        return claimed.high / 2 <= found.low <= claimed.high + slack
    return abs(claimed.low - found.low) <= slack


def _find_other_number(
    claim: str,
    claimed: TextQuantity,
    passage: EvidencePassage,
    quantities: Sequence[TextQuantity],
    *,
    known: bool,
) -> SupportAlarm | None:
    """Return the alarm that a passage has another number for the same words.

    `known`: the text has the claimed number in another place, or numbers that it follows from.
    """
    words = _list_context(claim, claimed)
    least = max(_SHARED + 1, _SAME * len(words)) if known else _SHARED
    for other in quantities:
        if other.dimension != claimed.dimension or not _is_telling(other) or _are_rests(claimed, other):
            continue
        if len(words & _list_context(passage.text, other)) < least:
            continue
        if not claimed.dimension and not _count_same_things(claim, claimed, passage.text, other):
            continue
        kind = AlarmKind.NUMBER
        if _has_same_digits(claimed, other):
            kind = AlarmKind.UNIT
        nowhere = "" if known else f", and the text has no {claimed.text}"
        detail = f"The claim has {claimed.text}; the passage has {other.text}{nowhere}."
        return SupportAlarm(kind, claimed.text, other.text, detail, passage)
    return None


def _are_rests(claimed: TextQuantity, other: TextQuantity) -> bool:
    """Return whether two shares make 100 %: 42.3% died, 57.7% lived."""
    slack = max(claimed.step, other.step) * 1.001
    return claimed.dimension == "share" and math.isclose(claimed.low + other.low, 100, abs_tol=slack)


def _count_same_things(claim: str, claimed: TextQuantity, text: str, other: TextQuantity) -> bool:
    """Return whether the words right behind two counts are of the same thing: 18 sequons, 22 sequons."""
    behind = (claim[claimed.end : claimed.end + 45], text[other.end : other.end + 45])
    nouns = [{stem_word(word) for word in list(split_content_words(one))[:2]} for one in behind]
    return bool(nouns[0] & nouns[1])


def _has_same_digits(claimed: TextQuantity, other: TextQuantity) -> bool:
    """Return whether only the units differ: 5 mg, 5 g."""
    digits = ["".join(sign for sign in one.text if sign.isdigit() or sign == ".") for one in (claimed, other)]
    return digits[0] == digits[1] and claimed.unit != other.unit


def _is_anywhere(claimed: TextQuantity, index: PassageIndex) -> bool:
    """Return whether the text has a claimed number in any unit, or what is left of 100 %."""
    wanted = {claimed.low, claimed.high}
    if claimed.dimension == "share":
        wanted |= {100 - value for value in wanted} | {value / 100 for value in wanted}
    loose = _ABOUT if claimed.comparator is Comparator.ABOUT else 0.0
    above, below = (claimed.comparator is one for one in (Comparator.ABOVE, Comparator.BELOW))
    for value in wanted:
        slack = max(claimed.step * 0.501, loose * abs(value))
        low, high = abs(value) * (0.5 if below else 1) - slack, abs(value) * (2 if above else 1) + slack
        for factor in list_unit_factors(claimed.dimension):
            if index.has_number(low / factor, high / factor):
                return True
    return False


def _is_derived(claimed: TextQuantity, quantities: Sequence[TextQuantity]) -> bool:
    """Return whether a claimed number follows from two of the passage: a sum, difference, ratio or share."""
    values = [one.low for one in quantities][:12]
    slack = max(claimed.step, 1e-9 * abs(claimed.low)) * 1.001
    made = [
        value
        for one in values
        for other in values
        if other
        for value in (one + other, one - other, one / other, 100 * one / other, 100 * (one - other) / other)
    ]
    made += [100 - value for value in values] + [sum(values)]
    return any(math.isclose(abs(value), abs(claimed.low), abs_tol=slack) for value in made)


def _find_other_comparator(
    claim: str, claimed: Sequence[TextQuantity], passage: EvidencePassage, quantities: Sequence[TextQuantity]
) -> Iterator[SupportAlarm]:
    """Yield the alarms that the same number is a lower bound on one side and an upper bound on the other."""
    for one in claimed:
        opposite = _OPPOSITE.get(one.comparator)
        for other in quantities:
            if opposite is None or other.comparator is not opposite or other.dimension != one.dimension:
                continue
            shared = _list_context(claim, one) & _list_context(passage.text, other)
            if math.isclose(one.low, other.low, rel_tol=1e-6) and len(shared) >= _SHARED:
                claimed_text, found = (
                    f"{one.comparator.value} {one.text}",
                    f"{other.comparator.value} {other.text}",
                )
                detail = f"The claim has {claimed_text}; the passage has {found}."
                yield SupportAlarm(AlarmKind.COMPARATOR, claimed_text, found, detail, passage)


def _list_context(text: str, quantity: TextQuantity) -> set[str]:
    """Return the stems around a number, those that say what it is of."""
    stop = load_word_table("stop")
    words = [
        (start, stem_word(word))
        for start, _, word in split_passage_words(text[max(0, quantity.start - 120) : quantity.end + 120])
        if word.lower() not in stop and not word[0].isdigit()
    ]
    at = bisect_left(words, min(quantity.start, 120), key=lambda one: one[0])
    return {stem for _, stem in words[max(0, at - _AROUND) : at + _AROUND]}
