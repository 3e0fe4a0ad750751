"""The level that metadata states, or that follows from its factors, and whether the two agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from citeproof.corpus.corpus_types import Grade
from citeproof.corpus.entries.entry_fields import EntryFields, get_field_names, read_scalar
from citeproof.corpus.grade.grade_computation import (
    GradeFactors,
    compute_grade,
    fold_key,
    parse_grade,
    read_factors,
)
from citeproof.reading.extractors.records.yaml_text import Value
from citeproof.text.unicode import show_one_line

_LINE = re.compile(
    r"^[ \t>|*_#+-]{0,12}(?:final|overall|grade|quality|certainty|evidence)"
    r"(?:[ _](?:grade|level|rating|quality|certainty|assessment|of|evidence)){0,3}"
    r"[ \t*_]{0,6}[:|=][ \t|*_:]{0,20}([^\n|]{1,60})",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class EntryGrade:
    """A level, if there is one, and what is wrong with how it was given."""

    grade: Grade | None = None
    troubles: tuple[str, ...] = ()


def read_entry_grade(fields: EntryFields, *, own: bool) -> EntryGrade:
    """Return the level of metadata; in a source's `own`, its type alone is no assessment."""
    stated = next(_find_stated_grades(fields), None)
    facts = read_factors(fields.table)
    if facts is None:
        return EntryGrade(stated)
    if own and not facts.judged:
        return EntryGrade(stated, tuple(_list_grade_troubles(stated, facts)))
    facts = replace(facts, retracted=facts.retracted or fields.is_retracted())
    return EntryGrade(stated or compute_grade(facts), tuple(_list_grade_troubles(stated, facts)))


def find_written_grade(body: str) -> Grade | None:
    """Return the level that a line of running text states: `**GRADE Rating:** Moderate`."""
    return next((grade for match in _LINE.finditer(body) if (grade := parse_grade(match[1]))), None)


def _list_grade_troubles(stated: Grade | None, facts: GradeFactors) -> Iterator[str]:
    computed = compute_grade(facts)
    if stated is None:
        yield from (f"“{show_one_line(text)}” was not understood and is ignored" for text in facts.unread[:5])
    elif facts.judged and computed is not stated:
        yield f"it states {stated}, but its factors give {computed}; {stated} counts"


def _find_stated_grades(fields: EntryFields) -> Iterator[Grade]:
    for value in fields.values("keys", "grades"):
        if grade := _read_level(value):
            yield grade
    for value in fields.values("tables", "grades"):
        if isinstance(value, dict) and (grade := _read_level(value)):
            yield grade


def _read_level(value: Value) -> Grade | None:
    if not isinstance(value, dict):
        return parse_grade(read_scalar(value))
    inner = {fold_key(name): item for name, item in value.items()}
    for name in get_field_names("grades", "inner"):
        item = inner.get(name)
        if (
            grade := _read_level(item)
            if isinstance(item, dict) and name.startswith("final")
            else parse_grade(read_scalar(item))
        ):
            return grade
    return None
