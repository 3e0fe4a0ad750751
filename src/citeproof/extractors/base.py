"""The extractor for a document: the one whose format its content looks like most.

The folder is the registry: every module here that holds an `EXTRACTOR` takes part. The file name
only breaks ties, because people paste BibTeX into `.txt` files.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

import citeproof.extractors
from citeproof.extractors.decode import decode
from citeproof.vocabulary import Document, Extraction, Extractor

SAMPLE = 200_000  # characters of a document that detection looks at

_SUFFIXES = {
    ".bib": "bibtex", ".bibtex": "bibtex", ".json": "csl_json", ".jsonl": "csl_json", ".md": "markdown",
    ".markdown": "markdown", ".txt": "plain_text", ".text": "plain_text",
}  # fmt: skip
_TIE = 0.1  # what a fitting file name adds


@cache
def extractors() -> dict[str, Extractor]:
    """Return every extractor of this folder by name."""
    found: dict[str, Extractor] = {}
    for module in iter_modules(citeproof.extractors.__path__):
        loaded = import_module(f"citeproof.extractors.{module.name}")
        if hasattr(loaded, "EXTRACTOR"):
            one = cast("Extractor", loaded.EXTRACTOR)
            found[one.name] = one
    return found


def detect(document: Document) -> Extractor:
    """Return the extractor for `document`; InputError if it is no text at all."""
    decode(document)
    suffix = "." + document.name.rpartition(".")[2].lower()
    hinted = _SUFFIXES.get(suffix, "")
    ranked = sorted(
        extractors().values(),
        key=lambda one: (-one.recognises(document) - _TIE * (one.name == hinted), one.name),
    )
    return ranked[0]


def extract(document: Document) -> Extraction:
    """Return the references of `document`, read by the extractor its content asks for."""
    return detect(document).extract(document)


def sample(document: Document) -> str:
    """Return the beginning of a document as text, for detection only."""
    return document.data[:SAMPLE].decode("utf-8", "replace").lstrip("\ufeff")
