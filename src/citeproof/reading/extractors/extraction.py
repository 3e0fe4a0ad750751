"""The way into this room: plain text is read here, anything else in a child process with limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeproof.reading.extractors.base import detect_named_extractor, mark_doubtful
from citeproof.vocabulary import Document, Extraction

if TYPE_CHECKING:
    from citeproof.plumbing.sandbox import Limits


def extract(document: Document, limits: Limits | None = None) -> Extraction:
    """Return the references of `document`; what is not plain text is read in a child with limits."""
    extractor = detect_named_extractor(document)
    if not extractor.hostile:
        return mark_doubtful(extractor.extract(document))
    from citeproof.reading.extractors import sandbox_reader  # noqa: PLC0415 - plain text needs no child

    return sandbox_reader.extract(document, limits)
