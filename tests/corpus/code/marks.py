"""Code citations made by hand."""

from __future__ import annotations

from citeproof.corpus.corpus_types import CitationMark, Pattern, Span


def mark(path: str, cited: str = "", lines: str = "") -> CitationMark:
    """Return a code citation as a document's page would give it."""
    raw = f"[{path}{'@' * bool(cited)}{cited}{', ' * bool(lines)}{lines}]"
    span = Span(0, len(raw))
    return CitationMark(Pattern.CODE, raw, span, path, 0, span, hash=cited, lines=lines)
