"""Parsed references in the formats of other programs, as `extract` and `parse` print them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from citeproof import serial
from citeproof.serial.bibtex import safe_key
from citeproof.surfaces.cli import fields
from citeproof.vocabulary import Reference

FORMATS = ("text", "jsonl", "json", "bibtex", "csl", "ris")


def written(references: Iterable[Reference], form: str) -> Iterator[str]:
    """Yield the references in the format `form`, each as soon as it comes."""
    if form in ("bibtex", "csl"):
        references = _told_apart(references, form)
    if form in ("json", "csl"):
        shape = _csl if form == "csl" else fields.as_json
        yield from _array(shape(reference) for reference in references)
        return
    for reference in references:
        yield _one(reference, form)


def _told_apart(references: Iterable[Reference], form: str) -> Iterator[Reference]:
    """Yield the references with keys that no two share, as their format needs them."""
    taken = serial.Taken()
    for one in references:
        yield replace(one, key=taken.free(safe_key(one.key) if form == "bibtex" else one.key))


def _one(reference: Reference, form: str) -> str:
    match form:
        case "jsonl":
            return serial.dump_printable(fields.as_json(reference)) + "\n"
        case "bibtex":
            return serial.bibtex_entry(reference.key, reference.kind, reference.claimed) + "\n"
        case "ris":
            return serial.ris_record(reference.key, reference.kind, reference.claimed) + "\r\n"
        case _:
            return "\n".join(fields.as_text(reference)) + "\n"


def _csl(reference: Reference) -> serial.Json:
    return serial.csl_item(reference.key, reference.kind, reference.claimed)


def _array(items: Iterable[serial.Json]) -> Iterator[str]:
    """Yield a JSON array, one item a line."""
    texts = (serial.dump_printable(item) for item in items)
    first = next(texts, None)
    if first is None:
        yield "[]\n"
        return
    yield f"[\n{first}"
    yield from chain((f",\n{text}" for text in texts), ["\n]\n"])
