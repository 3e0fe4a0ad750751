"""Parsed references in the formats of other programs, as `extract` and `parse` print them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.serializers.bibliography import make_safe_key
from citeproof.reading.parse import parse_all
from citeproof.vocabulary import Document, Extraction, Reference

FORMATS = ("text", "jsonl", "json", "bibtex", "csl", "ris")
_FIELDS = ("title", "venue", "series", "volume", "issue", "pages", "publisher", "edition")


def format_references(references: Iterable[Reference], form: str) -> Iterator[str]:
    """Yield the references in the format `form`, each as soon as it comes."""
    if form in ("bibtex", "csl"):
        taken = serializers.UniqueKeys()  # keys that no two share, as the format needs them
        make_key = make_safe_key if form == "bibtex" else str
        references = (replace(each, key=taken.make_unique(make_key(each.key))) for each in references)
    if form == "csl":
        build = serializers.build_csl_item
        yield from _format_json_array(build(each.key, each.kind, each.claimed) for each in references)
        return
    if form == "json":
        yield from _format_json_array(map(build_fields_json, references))
        return
    for reference in references:
        cited = (reference.key, reference.kind, reference.claimed)
        match form:
            case "jsonl":
                yield serializers.dump_printable(build_fields_json(reference)) + "\n"
            case "bibtex":
                yield serializers.build_bibtex_entry(*cited) + "\n"
            case "ris":
                yield serializers.build_ris_record(*cited) + "\r\n"
            case _:
                yield "\n".join(format_fields(reference)) + "\n"


def _format_json_array(items: Iterable[serializers.Json]) -> Iterator[str]:
    texts = (serializers.dump_printable(item) for item in items)
    first = next(texts, None)
    if first is None:
        yield "[]\n"
        return
    yield f"[\n{first}"
    yield from chain((f",\n{text}" for text in texts), ["\n]\n"])


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
        "references": list(map(build_fields_json, parse_all(extraction.references))),
        "problems": [serializers.build_problem_json(problem) for problem in extraction.problems],
    }


def format_fields(reference: Reference) -> Iterator[str]:
    """Yield lines for people: the key and place, then one field a line with its certainty."""
    where = wording.format_place(reference.place)
    yield f"{wording.show_line(reference.key)}  {reference.kind.value}" + (f"  {where}" if where else "")
    claimed = reference.claimed
    people = "; ".join(name.display for name in claimed.authors)
    people += "; et al." if people and claimed.et_al else ""
    values = [("title", claimed.title), ("authors", people), ("year", claimed.year)]
    values += [(name, getattr(claimed, name)) for name in _FIELDS if name != "title"]
    values += [(scheme, value) for scheme, value in claimed.ids.pairs]
    origins = {origin.field: origin for origin in reversed(claimed.origins)}
    for name, value in values:
        if value:
            origin = origins.get(name) or origins.get("ids")
            sure = f"  ({origin.origin.value} {origin.confidence:.2f})" if origin else ""
            yield f"  {name:<10} {wording.show_line(str(value))}{sure}"
