"""Sentences of a text as claims about it: reworded a little, one number, direction or negation changed."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from citeproof.measure.makers.claim_items import ClaimEdit
from citeproof.measure.makers.quotation_damage import NEGATION, NUMBER, change_number, drop_negation

_DIRECTIONS = (
    ("increase", "decrease"), ("increases", "decreases"), ("increased", "decreased"),
    ("increasing", "decreasing"), ("higher", "lower"), ("highest", "lowest"), ("greater", "smaller"),
    ("larger", "smaller"), ("more", "less"), ("faster", "slower"), ("above", "below"), ("better", "worse"),
    ("best", "worst"), ("improved", "worsened"), ("improves", "worsens"), ("positive", "negative"),
    ("positively", "negatively"), ("upregulated", "downregulated"), ("stronger", "weaker"),
    ("longer", "shorter"), ("rise", "fall"), ("rises", "falls"), ("gain", "loss"), ("earlier", "later"),
)  # fmt: skip
_OTHER = {word: other for pair in _DIRECTIONS for word, other in (pair, pair[::-1])}
_DIRECTION = re.compile(rf"\b(?:{'|'.join(sorted(_OTHER, key=len, reverse=True))})\b", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|could|will|would|should|did|does|do|has|have)\b(?! not)")
_OPENING = re.compile(
    r"(?:However|Moreover|Furthermore|Therefore|Thus|Hence|In addition|In contrast|Here"
    r"|In this (?:study|paper|work)|In general|Finally|Interestingly|Importantly|Indeed|First|Second"
    r"|For example|Overall), "
)
_WE = re.compile(r"\b(?:we|We)\b")
_ASIDE = re.compile(r" \([^()\d]{1,80}\)")
_QUANTITY = re.compile(r"\d(?:[.,]\d+)?\s?(?:%|percent|[a-zA-Zµ°]{1,12})|\d[.,]\d|\b\d{3,}\b")
_UNSUITED = re.compile(r"[\[\]{}<>=\\|@#\"“”]|\b(?:Fig|Figure|Table|Eq|Section|et al|pp|Vol)\b|https?:")
MOST_WORDS, LEAST_WORDS = 45, 8


def is_claim_like(sentence: str) -> bool:
    """Return whether a sentence is prose that one could state: it ends, has words, and cites nothing."""
    words = sentence.split()
    plain = sum(word.strip("(),.;:%").isalpha() for word in words)
    return (
        LEAST_WORDS <= len(words) <= MOST_WORDS
        and sentence[:1].isupper()
        and sentence.endswith(".")
        and 4 * plain >= 3 * len(words)
        and not _UNSUITED.search(sentence)
    )


def find_subject(kind: str, sentence: str) -> bool:
    """Return whether a sentence has what a claim of this kind is about."""
    match kind:
        case "number":
            return bool(_QUANTITY.search(sentence)) and 1 <= len(NUMBER.findall(sentence)) <= 3
        case "direction":
            return len(_DIRECTION.findall(sentence)) == 1
        case "negation":
            return len(NEGATION.findall(sentence)) == 1 or bool(_AUXILIARY.search(sentence))
        case _:
            return True


def reword_sentence(sentence: str, rng: random.Random) -> tuple[str, list[ClaimEdit]]:
    """Return a sentence as somebody else might say it, its numbers, direction and negation untouched."""
    made = sentence
    if rng.random() < 0.8:
        made = _OPENING.sub("", made, count=1)
        made = _ASIDE.sub("", made) if rng.random() < 0.5 else made
        made = _WE.sub("the authors", made)
        made = made[:1].upper() + made[1:]
    edits = [ClaimEdit(kind="reworded", before=sentence, after=made)] if made != sentence else []
    return made, edits


def damage_claim(kind: str, sentence: str, rng: random.Random) -> tuple[str, ClaimEdit] | None:
    """Return a sentence that says something else, with the edit; None if this one cannot carry it."""
    match kind:
        case "number":
            made = change_number(sentence, rng)
        case "direction":
            made = _turn_direction(sentence)
        case _:
            made = _turn_negation(sentence, rng)
    if made is None or made == sentence:
        return None
    return made, ClaimEdit(kind=kind, before=sentence, after=made)


def _turn_direction(sentence: str) -> str:
    def turn(found: re.Match[str]) -> str:
        other = _OTHER[found[0].lower()]
        return other.capitalize() if found[0][0].isupper() else other

    return _DIRECTION.sub(turn, sentence, count=1)


def _turn_negation(sentence: str, rng: random.Random) -> str | None:
    """Return the sentence without its negation; one that has none gets a "not"."""
    if NEGATION.search(sentence):
        return drop_negation(sentence, rng)
    return _AUXILIARY.sub(lambda found: f"{found[0]} not", sentence, count=1)


def choose_sentences(kind: str, sentences: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return the sentences that a claim of this kind can be made from."""
    return [one for one in sentences if is_claim_like(one[2]) and find_subject(kind, one[2])]
