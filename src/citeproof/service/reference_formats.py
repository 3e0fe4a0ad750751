"""Parsed references in the formats of other programs, as `extract` and `parse` print them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from citeproof import serializers
from citeproof.serializers.bibtex import make_safe_key
from citeproof.service import reference_fields
from citeproof.vocabulary import Reference

FORMATS = ("text", "jsonl", "json", "bibtex", "csl", "ris")


def format_references(references: Iterable[Reference], form: str) -> Iterator[str]:
    """Yield the references in the format `form`, each as soon as it comes."""
    if form in ("bibtex", "csl"):
        references = _make_keys_unique(references, form)
    if form in ("json", "csl"):
        shape = _build_csl_item if form == "csl" else reference_fields.build_fields_json
        yield from _format_json_array(shape(reference) for reference in references)
        return
    for reference in references:
        yield _format_one_reference(reference, form)


def _make_keys_unique(references: Iterable[Reference], form: str) -> Iterator[Reference]:
    """Yield the references with keys that no two share, as their format needs them."""
    taken = serializers.UniqueKeys()
    for one in references:
        yield replace(one, key=taken.make_unique(make_safe_key(one.key) if form == "bibtex" else one.key))


def _format_one_reference(reference: Reference, form: str) -> str:
    match form:
        case "jsonl":
            return serializers.dump_printable(reference_fields.build_fields_json(reference)) + "\n"
        case "bibtex":
            return serializers.build_bibtex_entry(reference.key, reference.kind, reference.claimed) + "\n"
        case "ris":
            return serializers.build_ris_record(reference.key, reference.kind, reference.claimed) + "\r\n"
        case _:
            return "\n".join(reference_fields.format_fields(reference)) + "\n"


def _build_csl_item(reference: Reference) -> serializers.Json:
    return serializers.build_csl_item(reference.key, reference.kind, reference.claimed)


def _format_json_array(items: Iterable[serializers.Json]) -> Iterator[str]:
    """Yield a JSON array, one item a line."""
    texts = (serializers.dump_printable(item) for item in items)
    first = next(texts, None)
    if first is None:
        yield "[]\n"
        return
    yield f"[\n{first}"
    yield from chain((f",\n{text}" for text in texts), ["\n]\n"])
