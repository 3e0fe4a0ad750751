"""One parsed reference for people and for programs, as `extract` and `parse` show it."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof import serializers
from citeproof.parse import parse_all
from citeproof.reporters import wording
from citeproof.vocabulary import Document, Extraction, Reference

_FIELDS = ("title", "venue", "series", "volume", "issue", "pages", "publisher", "edition")


def build_fields_json(reference: Reference) -> serializers.Json:
    """Return the reference as the report has it, with how sure each field is and who cites it."""
    return {
        **serializers.build_reference_json(reference),
        "confidences": serializers.build_origins_json(reference.claimed.origins),
        "citing": list(reference.citing),
        "suspicious": list(reference.suspicious),
    }


def build_extraction_json(document: Document, extraction: Extraction) -> serializers.Json:
    """Return what was read out of a document: its references, and the problems met."""
    return {
        "file": document.name,
        "format": extraction.format,
        "expected": extraction.expected,
        "extracted": len(extraction.references),
        "references": [build_fields_json(one) for one in parse_all(extraction.references)],
        "problems": [serializers.build_problem_json(problem) for problem in extraction.problems],
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


def _format_authors(reference: Reference) -> str:
    shown = "; ".join(name.display for name in reference.claimed.authors)
    return f"{shown}; et al." if shown and reference.claimed.et_al else shown


def _format_certainty(reference: Reference, field: str) -> str:
    origin = next((o for o in reference.claimed.origins if o.field == field), None)
    return f"  ({origin.origin.value} {origin.confidence:.2f})" if origin else ""
