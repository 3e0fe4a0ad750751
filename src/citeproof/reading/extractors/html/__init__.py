"""Web pages (HTML): reference lists in whatever markup, and the metadata a page gives of what it cites.

Lists are known by their role, class or heading; entries keep their ids as keys, and the links to them
give the sentences that cite them. COinS, `citation_reference` tags and JSON-LD give fields. Scripts,
styles and what is hidden are dropped; nothing is loaded.
"""

from __future__ import annotations

from citeproof.reading.extractors.base import read_sample
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document, Extraction, Extractor

_PAGE = re.compile(
    r"\s{0,999}+(?:<\?xml[^>]{0,200}\?>\s{0,99}+)?(?><!--.{0,5000}?-->\s{0,99}+){0,5}+"  # atomic
    r"<(?:!doctype\s{1,9}html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_PIECE = re.compile(r"\s{0,999}<(?:!--|[a-z][a-z0-9]{0,15}[\s>])", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:p|div|span|li|ol|ul|h[1-6]|a|section|cite|em|i|b|strong|td|br|meta)\b[^<>]{0,999}>", re.IGNORECASE
)


def _recognise_html(document: Document) -> float:
    """Return how sure the content is HTML: a page says so itself, a piece of one has its tags."""
    text = read_sample(document)
    if _PAGE.match(text[:10_000]):
        return 0.95
    if not _PIECE.match(text[:2_000]):
        return 0.0
    tags = sum(1 for _, _ in zip(range(6), _TAG.finditer(text[:20_000]), strict=False))
    return 0.1 * tags + 0.2 if tags > 2 else 0.0


def _extract_html(document: Document) -> Extraction:
    """Return the entries of every reference list of the page, else what its metadata or notes cite."""
    from citeproof.reading.extractors.html.html_page import extract_html_page  # noqa: PLC0415  the parser is slow to load

    return extract_html_page(document, EXTRACTOR.name)


EXTRACTOR = Extractor("html", (".html", ".htm", ".xhtml"), _recognise_html, _extract_html, hostile=True)
