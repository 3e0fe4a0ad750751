"""The items of a made benchmark, and the file they are in: one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from citeproof.plumbing.output_files import replace_output

Form = Literal["link", "text", "bibtex"]


class BenchmarkEdit(msgspec.Struct, frozen=True, kw_only=True):
    """One change that was made to a true citation."""

    kind: str  # e.g. "year_shift", "author_swap"; the slug of the rule that made it
    field: str
    before: str
    after: str


class BenchmarkItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """One citation with its true label and how it came about."""

    index: int
    label: Literal["EXACT", "MINOR", "MAJOR"]
    kind: str  # "valid", or the family of the error: "minor", "major", "title:keyword", "swapped_authors" …
    form: Form
    original: str  # the true citation in the same style
    corrupted: str  # what is to be checked; a valid item is `original` itself
    description: str  # the edits in words
    edits: tuple[BenchmarkEdit, ...] = ()
    collection: str = ""  # the document or topic it is in: splits and intervals go by it
    subdomain: str = ""
    split: Literal["dev", "test"] = "test"
    work: str = ""  # the work it was made of
    style: str = ""
    seed: int | None = None  # of the benchmark it belongs to


def write_items(path: Path, items: Iterable[BenchmarkItem]) -> int:
    """Write the items to `path`, one per line; return how many there are."""
    count = 0
    with replace_output(path) as out:
        for item in items:
            out.write(msgspec.json.encode(item) + b"\n")
            count += 1
    return count
