"""The items of a made benchmark of claims, and the files they are in: a line each, the texts next to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
from bench.made_claims.quotation_damage import QuotableText

from citeproof.plumbing.output_files import replace_output

ClaimKind = Literal["quote", "number", "direction", "negation", "absent"]
ClaimWord = Literal["verbatim", "altered", "agree", "differs", "absent"]


class ClaimSource(msgspec.Struct, frozen=True, kw_only=True):
    """The text that a claim is about: a file next to the benchmark."""

    file: str
    sha256: str


class ClaimEdit(msgspec.Struct, frozen=True, kw_only=True):
    """One change that was made to the words of the text."""

    kind: str
    before: str
    after: str


class ClaimItem(msgspec.Struct, frozen=True, kw_only=True):
    """One claim with its true label and how it came about."""

    index: int
    kind: ClaimKind
    damage: str  # what was done: "none", "number", "ocr", …
    label: ClaimWord
    claim: str
    source: ClaimSource
    places: tuple[tuple[int, int], ...]  # of the text that it was cut from; none if it is not from there
    edits: tuple[ClaimEdit, ...]
    collection: str  # the text: intervals go by it
    split: Literal["dev", "test"]
    seed: int


def name_text_file(text: QuotableText, folder: str) -> str:
    """Return where the text is stored, seen from the benchmark."""
    return f"{folder}/{sha256(text.name.encode()).hexdigest()[:12]}.txt"


def describe_source(text: QuotableText, folder: str) -> ClaimSource:
    return ClaimSource(file=name_text_file(text, folder), sha256=sha256(text.text.encode()).hexdigest())


def write_claims(path: Path, items: Iterable[ClaimItem], texts: Sequence[QuotableText], folder: str) -> None:
    """Write the items to `path`, and the texts that they are about into the folder next to it."""
    (path.parent / folder).mkdir(parents=True, exist_ok=True)
    for text in texts:
        with replace_output(path.parent / name_text_file(text, folder)) as out:
            out.write(text.text.encode())
    with replace_output(path) as out:
        for item in items:
            out.write(msgspec.json.encode(item) + b"\n")
