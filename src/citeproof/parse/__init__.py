"""Citation strings to fields, each with where it came from and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from citeproof.parse.citation_reader import read_references
from citeproof.parse.same_author import repeat_authors
from citeproof.parse.site_titles import undecorate_title
from citeproof.parse.structured_entry import complete_reference
from citeproof.text.title import find_notice_word, strip_notice
from citeproof.vocabulary import RawReference, Reference

__all__ = ["parse", "parse_all"]

BATCH = 64  # references read together: what a step of the tagger costs is shared by them


def parse(raw: RawReference) -> Reference:
    """Return the reference with its fields: the document's own completed, or read from the text."""
    return _parse_batch([raw], None)[0]


def parse_all(raws: Iterable[RawReference]) -> Iterator[Reference]:
    """Yield the references of `raws` in their order, as `parse` gives them, at less cost a reference.

    An entry that says "the same author" has the people of the one before it.
    `raws` is taken in batches, the first reference comes when a batch is full or `raws` is at its end.
    """
    left = iter(raws)
    last = None
    while batch := list(islice(left, BATCH)):
        found = _parse_batch(batch, last)
        last = found[-1]
        yield from found


def _parse_batch(raws: list[RawReference], before: Reference | None) -> list[Reference]:
    """Return the references: those without fields of their own are read together."""
    read = iter(read_references([raw for raw in raws if raw.claimed is None]))
    found: list[Reference] = []
    for raw in raws:
        one = repeat_authors(before, next(read)) if raw.claimed is None else complete_reference(raw)
        before = _clean_title(one)
        found.append(before)
    return found


def _clean_title(reference: Reference) -> Reference:
    """Return the reference with the work's own title, where it is cited as a registry or a site shows it.

    "RETRACTED:" before it is a signal, not noise: it stays as a code, such as "titled_retracted".
    """
    title = reference.claimed.title
    if not title or (bare := undecorate_title(strip_notice(title))) == title:
        return reference
    codes = reference.suspicious
    if word := find_notice_word(title):
        codes = (*codes, f"titled_{word}")
    return replace(reference, claimed=replace(reference.claimed, title=bare), suspicious=codes)
