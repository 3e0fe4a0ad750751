"""One citation string to fields, each with where it came from and how sure it is."""

from __future__ import annotations

from citeproof.parse.complete import complete
from citeproof.parse.reading import read
from citeproof.vocabulary import RawReference, Reference

__all__ = ["parse"]


def parse(raw: RawReference) -> Reference:
    """Return the reference with its fields: the document's own completed, or read from the text."""
    return complete(raw) if raw.claimed is not None else read(raw)
