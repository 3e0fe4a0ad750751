"""Directions and negations of a claim against those of a passage that is about the same thing.

Simple methods cannot tell support from contradiction. An alarm is raised only where claim and passage each
have one direction (or one of them one negation), put on the same words, and nothing else turns the sense
round; or where they are the same sentence but for one direction. A passage that says much more than the
claim is another statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache

from citeproof.claims.support.passage_words import load_word_table, split_passage_words, stem_word
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.claim_support import AlarmKind, EvidencePassage, SupportAlarm

_AROUND = 4  # content words on each side that a direction is about
_SHARED = 3  # of them that both sides must have
_NEGATED = 3  # content words behind a negation that it turns round
_FEWEST = 2
_SAID = 0.5  # of a passage's words that a claim must have to be the same statement
_SAME = 0.8  # of the words of both, in order, from which they are the same sentence
_LONGEST = 200  # words of sentences that are compared in order
_CONTRACTED = re.compile(r"(?i)n['’]t\b")


@dataclass(frozen=True, slots=True)
class PolarWords:
    """The content stems of a sentence in order, and where among them directions and negations are."""

    stems: tuple[str, ...]
    up: tuple[int, ...]
    down: tuple[int, ...]
    negations: tuple[int, ...]  # each: the next content word
    words: tuple[str, ...]


@cache
def _list_stems(table: str) -> frozenset[str]:
    return frozenset(stem_word(word) for word in load_word_table(table))


def read_polar_words(text: str) -> PolarWords:
    """Return the words of a sentence that say where things go, and what is denied."""
    stop, negations = load_word_table("stop"), load_word_table("negations")
    stems: list[str] = []
    words: list[str] = []
    up: list[int] = []
    down: list[int] = []
    denied: list[int] = []
    for _, _, word in split_passage_words(_CONTRACTED.sub(" not ", text)):
        low = word.lower()
        if low in negations:
            denied.append(len(stems))
        elif low not in stop:
            stem = stem_word(word)
            up += [len(stems)] * (stem in _list_stems("upward"))
            down += [len(stems)] * (stem in _list_stems("downward"))
            stems.append(stem)
            words.append(word)
    return PolarWords(tuple(stems), tuple(up), tuple(down), tuple(denied), tuple(words))


def compare_polarity(
    claim: str, passages: Sequence[EvidencePassage], strong: float
) -> tuple[SupportAlarm, ...]:
    """Return the alarms of the best passage that is about the claim; most often none."""
    if not passages or passages[0].score < strong:
        return ()
    passage = passages[0]
    claimed, found = read_polar_words(claim), read_polar_words(passage.text)
    if len(set(claimed.stems) & set(found.stems)) < _SAID * len(set(found.stems)):
        return ()
    for find in (_find_other_direction, _find_replaced_direction, _find_other_negation):
        if (alarm := find(claimed, found, passage)) is not None:
            return (alarm,)
    return ()


def _find_other_direction(
    claimed: PolarWords, found: PolarWords, passage: EvidencePassage
) -> SupportAlarm | None:
    if claimed.negations or found.negations:
        return None
    for one, other in ((claimed.up, found.down), (claimed.down, found.up)):
        against = (claimed.down, found.up) if one is claimed.up else (claimed.up, found.down)
        if len(one) != 1 or len(other) != 1 or any(against):
            continue
        shared = _list_around(claimed, one[0]) & _list_around(found, other[0])
        if len(shared) >= _SHARED:
            return _make_direction_alarm(claimed.words[one[0]], found.words[other[0]], passage)
    return None


def _find_replaced_direction(
    claimed: PolarWords, found: PolarWords, passage: EvidencePassage
) -> SupportAlarm | None:
    """Return the alarm that the same sentence has the opposite direction in one place."""
    if len(claimed.negations) != len(found.negations) or max(len(claimed.stems), len(found.stems)) > _LONGEST:
        return None
    matcher = SequenceMatcher(None, claimed.stems, found.stems, autojunk=False)
    if matcher.ratio() < _SAME:
        return None
    for kind, start, end, other, last in matcher.get_opcodes():
        if kind == "replace" and end - start == last - other == 1:
            turned = (start in claimed.up and other in found.down) or (
                start in claimed.down and other in found.up
            )
            if turned:
                return _make_direction_alarm(claimed.words[start], found.words[other], passage)
    return None


def _make_direction_alarm(claimed: str, found: str, passage: EvidencePassage) -> SupportAlarm:
    detail = f"The claim has “{claimed}”; the passage has “{found}” with the same words."
    return SupportAlarm(AlarmKind.DIRECTION, claimed, found, detail, passage)


def _find_other_negation(
    claimed: PolarWords, found: PolarWords, passage: EvidencePassage
) -> SupportAlarm | None:
    if len(claimed.negations) + len(found.negations) != 1:
        return None
    negated, plain = (claimed, found) if claimed.negations else (found, claimed)
    at = negated.negations[0]
    turned = set(negated.stems[at : at + _NEGATED])
    same = [(one.up != (), one.down != ()) for one in (claimed, found)]
    if len(turned & set(plain.stems)) < _FEWEST or same[0] != same[1]:
        return None
    words = " ".join(("not", *negated.words[at : at + _NEGATED]))
    sides = (words, "") if negated is claimed else ("", words)
    where = "claim" if negated is claimed else "passage"
    detail = f"Only the {where} has a negation: “{words}”."
    return SupportAlarm(AlarmKind.NEGATION, *sides, detail, passage)


def _list_around(text: PolarWords, at: int) -> set[str]:
    return set(text.stems[max(0, at - _AROUND) : at]) | set(text.stems[at + 1 : at + 1 + _AROUND])
