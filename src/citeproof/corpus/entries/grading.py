"""The level that metadata states, or that follows from its factors, and whether the two agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from citeproof.corpus.entries.fields import Fields, keys, scalar
from citeproof.corpus.grade.computing import Factors, compute, factors, fold
from citeproof.corpus.grade.levels import level
from citeproof.corpus.nouns import Grade
from citeproof.extractors.yamltext import Value
from citeproof.text.unicode import one_line

_LINE = re.compile(
    r"^[ \t>|*_#+-]{0,12}(?:final|overall|grade|quality|certainty|evidence)"
    r"(?:[ _](?:grade|level|rating|quality|certainty|assessment|of|evidence)){0,3}"
    r"[ \t*_]{0,6}[:|=][ \t|*_:]{0,20}([^\n|]{1,60})",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Graded:
    """A level, if there is one, and what is wrong with how it was given."""

    grade: Grade | None = None
    troubles: tuple[str, ...] = ()


def graded(fields: Fields, *, own: bool) -> Graded:
    """Return the level of metadata; in a source's `own`, its type alone is no assessment."""
    stated = next(_stated(fields), None)
    facts = factors(fields.table)
    if facts is None:
        return Graded(stated)
    if own and not facts.judged:
        return Graded(stated, tuple(_troubles(stated, facts)))
    facts = replace(facts, retracted=facts.retracted or fields.retracted())
    return Graded(stated or compute(facts), tuple(_troubles(stated, facts)))


def written(body: str) -> Grade | None:
    """Return the level that a line of running text states: `**GRADE Rating:** Moderate`."""
    return next((found for match in _LINE.finditer(body) if (found := level(match[1]))), None)


def _troubles(stated: Grade | None, facts: Factors) -> Iterator[str]:
    computed = compute(facts)
    if stated is None:
        yield from (f"“{one_line(one)}” was not understood and not counted" for one in facts.unread[:5])
    elif facts.judged and computed is not stated:
        yield f"it states {stated}, but its factors give {computed}; {stated} counts"


def _stated(fields: Fields) -> Iterator[Grade]:
    for value in fields.values("keys", "grades"):
        if found := _level(value):
            yield found
    for value in fields.values("tables", "grades"):
        if isinstance(value, dict) and (found := _level(value)):
            yield found


def _level(value: Value) -> Grade | None:
    if not isinstance(value, dict):
        return level(scalar(value))
    inner = {fold(name): one for name, one in value.items()}
    for name in keys("grades", "inner"):
        one = inner.get(name)
        if found := _level(one) if isinstance(one, dict) and name.startswith("final") else level(scalar(one)):
            return found
    return None
