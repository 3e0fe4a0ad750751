"""The four GRADE levels as people write them: `VERY-LOW`, `very_low`, `High (⊕⊕⊕⊕)`, `low to moderate`."""

from __future__ import annotations

import re

from citeproof.corpus.corpus_types import Grade

_LEVEL = re.compile(r"(very[\s_-]{0,3}low|low|moderate|medium|high)(?![a-z])")
_RANGE = re.compile(r"\s{0,3}(?:to|or|/|-|–)\s{0,3}")
_SYMBOLS = re.compile(r"⊕{1,4}[○◯⊝⊖]{0,3}")
_WORDS = {"low": Grade.LOW, "moderate": Grade.MODERATE, "medium": Grade.MODERATE, "high": Grade.HIGH}
_SCALE = (Grade.VERY_LOW, Grade.LOW, Grade.MODERATE, Grade.HIGH)


def parse_grade(text: str) -> Grade | None:
    """Return the level that `text` begins with, of "low to moderate" the lower; None if it names none."""
    words = text[:200].strip(" \t*_`\"'(").lower()
    if symbols := _SYMBOLS.match(words):
        return _SCALE[symbols[0].count("⊕") - 1]
    first = _LEVEL.match(words)
    if first is None:
        return None
    joint = _RANGE.match(words, first.end())
    second = _LEVEL.match(words, joint.end()) if joint else None
    return min(
        (_map_grade_word(first[1]), _map_grade_word(second[1] if second else first[1])), key=_SCALE.index
    )


def shift_grade(start: Grade, steps: int) -> Grade:
    """Return the level `steps` above `start` (below, if negative), within the scale."""
    return _SCALE[max(0, min(len(_SCALE) - 1, _SCALE.index(start) + steps))]


def _map_grade_word(word: str) -> Grade:
    return _WORDS.get(word, Grade.VERY_LOW)
