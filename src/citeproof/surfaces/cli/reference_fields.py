"""One parsed reference for people and for programs, as `extract` and `parse` print it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from citeproof import serializers
from citeproof.reporters import wording
from citeproof.vocabulary import Problem, Reference

_FIELDS = ("title", "venue", "series", "volume", "issue", "pages", "publisher", "edition")


def build_fields_json(reference: Reference) -> serializers.Json:
    """Return the reference as the report has it, with how sure each field is and who cites it."""
    return {
        **serializers.build_reference_json(reference),
        "confidences": serializers.build_origins_json(reference.claimed.origins),
        "citing": list(reference.citing),
        "suspicious": list(reference.suspicious),
    }


def format_fields(reference: Reference) -> Iterator[str]:
    """Yield lines for people: the key and place, then one field a line with its certainty."""
    where = wording.format_place(reference.place)
    yield f"{wording.show_line(reference.key)}  {reference.kind.value}" + (f"  {where}" if where else "")
    claimed = reference.claimed
    values = [("title", claimed.title), ("authors", _format_authors(reference)), ("year", claimed.year)]
    values += [(name, getattr(claimed, name)) for name in _FIELDS if name != "title"]
    values += [(scheme, value) for scheme, value in claimed.ids.pairs]
    for name, value in values:
        if value:
            field = name if name in {o.field for o in claimed.origins} else "ids"
            yield f"  {name:<10} {wording.show_line(str(value))}{_format_certainty(reference, field)}"


def print_problems(problems: Iterable[Problem], *, notes: bool = True) -> None:
    """Print on standard error what could not be read; `notes`: also what cost no reference."""
    for problem in problems:
        if notes or not problem.note:
            print(_format_problem(problem), file=sys.stderr)


def _format_problem(problem: Problem) -> str:
    """Return a problem on one or two lines: where, what, and how to fix it."""
    word = "note" if problem.note else "warning"
    head = f"{word}: {wording.format_place(problem.place)}: {wording.show_line(problem.message)}"
    return f"{head}\n  hint: {wording.show_line(problem.hint)}" if problem.hint else head


def _format_authors(reference: Reference) -> str:
    shown = "; ".join(name.display for name in reference.claimed.authors)
    return f"{shown}; et al." if shown and reference.claimed.et_al else shown


def _format_certainty(reference: Reference, field: str) -> str:
    origin = next((o for o in reference.claimed.origins if o.field == field), None)
    return f"  ({origin.origin.value} {origin.confidence:.2f})" if origin else ""
