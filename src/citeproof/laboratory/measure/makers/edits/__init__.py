"""Edits by rule: each spoils one field of a citation in one way and says what it did.

A rule gives None where it does not apply. Whatever it gives is wrong: never a form that a careful
person would accept, never the data of another version of the work, never another real work's title.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit, CitationFields
from citeproof.laboratory.measure.makers.record_pool import RecordPool
from citeproof.vocabulary import Record


@dataclass(frozen=True, slots=True)
class TrueCitation:
    """A true citation and the record it was made from."""

    cited: CitationFields
    record: Record


@dataclass(frozen=True, slots=True)
class EditedCitation:
    cited: CitationFields
    edit: BenchmarkEdit


@dataclass(frozen=True, slots=True)
class EditDraw:
    """What an edit draws from: the truth that it must not tell, other works, and chance."""

    truth: TrueCitation
    pool: RecordPool
    rng: random.Random


Rule = Callable[[CitationFields, EditDraw], EditedCitation | None]


def edit_field(cited: CitationFields, field: str, new: str | int, kind: str) -> EditedCitation:
    """Return the citation with another value in a field, and the edit that says so."""
    edit = BenchmarkEdit(kind=kind, field=field, before=str(getattr(cited, field)), after=str(new))
    changes: dict[str, Any] = {field: new}
    return EditedCitation(replace(cited, **changes), edit)
