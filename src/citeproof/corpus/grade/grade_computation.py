"""A GRADE level computed from what an assessment says.

1. the baseline is that of the source's type (or the one the assessment states);
2. the kind of evidence moves it: review +1, empirical 0, case study −1, opinion −2;
3. five reasons lower it, serious −1, very serious −2; a retraction is a very serious risk of bias;
4. three reasons raise it, each +1, only for observational evidence that starts LOW;
5. the sum stays between VERY LOW and HIGH.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from citeproof.corpus.corpus_types import Grade
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

_LEVEL = re.compile(r"(very[\s_-]{0,3}low|low|moderate|medium|high)(?![a-z])")
_RANGE = re.compile(r"\s{0,3}(?:to|or|/|-|–)\s{0,3}")
_SYMBOLS = re.compile(r"⊕{1,4}[○◯⊝⊖]{0,3}")
_WORDS = {"low": Grade.LOW, "moderate": Grade.MODERATE, "medium": Grade.MODERATE, "high": Grade.HIGH}
_SCALE = (Grade.VERY_LOW, Grade.LOW, Grade.MODERATE, Grade.HIGH)

_MAX = 300  # characters of one value that are read
_BLANKS = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class GradeFactors:
    """What a level is computed from; each of the eight reasons 0, 1 or 2."""

    baseline: Grade
    modifier: int = 0
    observational: bool = False
    risk_of_bias: int = 0
    inconsistency: int = 0
    indirectness: int = 0
    imprecision: int = 0
    publication_bias: int = 0
    large_effect: int = 0
    dose_response: int = 0
    plausible_confounding: int = 0
    retracted: bool = False
    judged: bool = False  # one of the eight, or the baseline, was stated: more than a kind of source
    unread: tuple[str, ...] = ()  # what was written and not understood


def compute_grade(facts: GradeFactors) -> Grade:
    bias = 2 if facts.retracted else facts.risk_of_bias
    down = bias + facts.inconsistency + facts.indirectness + facts.imprecision + facts.publication_bias
    start = shift_grade(facts.baseline, facts.modifier)
    raisable = facts.observational and start is Grade.LOW
    reasons = (facts.large_effect, facts.dose_response, facts.plausible_confounding)
    up = sum(1 for reason in reasons if reason) if raisable else 0
    return shift_grade(facts.baseline, facts.modifier - down + up)


def read_factors(table: Mapping[str, object]) -> GradeFactors | None:
    """Return the factors that an assessment states; None if it gives nothing to start from."""
    flat = _flatten_table(table)
    kind, evidence = _find_first_text(flat, "type"), _find_first_text(flat, "evidence")
    stated = parse_grade(_find_first_text(flat, "baseline"))
    baseline = stated or _find_baseline(kind) or _find_baseline(evidence)
    if baseline is None:
        return None
    down, downgraded = _rate_reasons(flat, "downgrades")
    up, upgraded = _rate_reasons(flat, "upgrades")
    unread = [value for value in (kind,) if value and not (stated or _find_baseline(kind))]
    steps: dict[str, Any] = {**down, **{name: min(value, 1) for name, value in up.items()}}
    return GradeFactors(
        baseline,
        _find_modifier(evidence),
        _fold_words(evidence) in _get_names("observational", "designs"),
        retracted=_fold_words(_get_text(flat.get("retracted"))) in ("true", "yes", "1"),
        judged=bool(stated or down or up),
        unread=tuple(_get_text(value)[:80] for value in (*unread, *downgraded, *upgraded)),
        **steps,
    )


@lru_cache(maxsize=4096)
def fold_key(key: str) -> str:
    """Return a key as the tables have it: "Risk of Bias" ⇒ "risk_of_bias"."""
    return _BLANKS.sub("_", key[:_MAX].strip().lower())


def _flatten_table(table: Mapping[str, object]) -> dict[str, object]:
    """Return the keys of a table and of the tables in it that hold factors; the outer ones win."""
    flat: dict[str, object] = {}
    waiting: list[tuple[Mapping[str, object], int]] = [(table, 0)]
    while waiting:
        inner, depth = waiting.pop(0)
        for name, value in inner.items():
            flat.setdefault(key := fold_key(name), value)
            if isinstance(value, Mapping) and depth < 3 and key in _get_keys("inside"):
                waiting.append((value, depth + 1))
    return flat


def _find_first_text(flat: Mapping[str, object], room: str) -> str:
    return next((words for key in _get_keys(room) if (words := _get_text(flat.get(key)))), "")


def _get_text(value: object) -> str:
    return str(value)[:_MAX].strip() if isinstance(value, str | int | float) else ""


def _rate_reasons(flat: Mapping[str, object], room: str) -> tuple[dict[str, int], list[str]]:
    """Return how serious each reason is, and what was not understood."""
    rated: dict[str, int] = {}
    unread: list[str] = []
    for name, value in (
        *_list_reasons(flat, room),
        *((key, value) for key, value in flat.items() if _find_reason(key, room)),
    ):
        reason, steps = _find_reason(name, room), _rate_severity(value)
        if reason is None or steps is None:
            unread.append(f"{name}: {_get_text(value)}" if _get_text(value) else name)
        else:
            rated[reason] = max(steps, rated.get(reason, 0))
    return rated, unread


def _list_reasons(flat: Mapping[str, object], room: str) -> Iterator[tuple[str, object]]:
    """Yield the reasons below `downgrades:`: a table, or a list of names that may say how serious."""
    for key in _get_keys(room):
        value = flat.get(key)
        if isinstance(value, Mapping):
            yield from ((str(name), item) for name, item in value.items() if _find_reason(str(name), room))
        for item in value[:50] if isinstance(value, list) else ():
            if isinstance(item, Mapping):
                yield from ((str(name), inner) for name, inner in item.items())
            elif words := _get_text(item):
                yield _parse_reason_words(words, room)


def _parse_reason_words(words: str, room: str) -> tuple[str, object]:
    """Return name and severity of "very serious imprecision" or "imprecision (serious)"."""
    folded = _fold_words(words)
    for name, other in _map_reason_names(room).items():
        if name in folded:
            return other, "very serious" if "very serious" in folded else "serious"
    return words, "serious"


def _rate_severity(value: object) -> int | None:
    """Return 0, 1 or 2; None if it is not understood."""
    if isinstance(value, Mapping):
        inner = {fold_key(str(name)): item for name, item in value.items()}
        read = [
            steps
            for key in _get_keys("severity")
            if (steps := _rate_severity(_get_text(inner.get(key)))) is not None
        ]
        return max(read, default=None)
    if isinstance(value, bool):
        return int(value)
    words = _fold_words(_get_text(value))
    return next((steps for steps in (2, 1, 0) if words in _get_names("severity", str(steps))), None)


def _find_reason(name: str, room: str) -> str | None:
    return _map_reason_names(room).get(_fold_words(name))


def _find_baseline(kind: str) -> Grade | None:
    return next((grade for grade in Grade if _fold_words(kind) in _get_names("baseline", grade)), None)


def _find_modifier(evidence: str) -> int:
    return next(
        (steps for steps in (1, 0, -1, -2) if _fold_words(evidence) in _get_names("evidence", str(steps))), 0
    )


@lru_cache(maxsize=4096)
def _fold_words(words: str) -> str:
    return _BLANKS.sub(" ", words.strip().lower()).strip() if words[:1] != "-" else words.strip()


def _load_grade_table() -> dict[str, dict[str, str]]:
    return load_package_table("citeproof.corpus.grade", "computing.toml")


@cache
def _get_names(room: str, name: str) -> frozenset[str]:
    return frozenset(_split_words(_load_grade_table()[room][name]))


@cache
def _get_keys(name: str) -> tuple[str, ...]:
    return tuple(_split_words(_load_grade_table()["keys"][name]))


@cache
def _map_reason_names(room: str) -> dict[str, str]:
    return {other: name for name, words in _load_grade_table()[room].items() for other in _split_words(words)}


def _split_words(words: str) -> list[str]:
    return [word.strip() for word in words.replace("\n", "|").split("|") if word.strip()]


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
    named = (_WORDS.get(level[1], Grade.VERY_LOW) for level in (first, second) if level)
    return min(named, key=_SCALE.index)


def shift_grade(start: Grade, steps: int) -> Grade:
    """Return the level `steps` above `start` (below, if negative), within the scale."""
    return _SCALE[max(0, min(len(_SCALE) - 1, _SCALE.index(start) + steps))]
