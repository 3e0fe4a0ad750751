"""What a citation looks like from its kind: a journal article, a paper in proceedings, a book …"""

from __future__ import annotations

import re

from citeproof.measure.makers.citation_fields import CitationFields
from citeproof.serializers.venue_kind import is_proceedings
from citeproof.vocabulary import Claimed, Kind

_SHAPES = {
    Kind.PREPRINT: "preprint", Kind.BOOK: "book", Kind.CHAPTER: "paper", Kind.THESIS: "thesis",
    Kind.REPORT: "report",
}  # fmt: skip
_SERVER = re.compile(r"(?:corr\b|arxiv\b).*|.*\barxiv\b.*", re.IGNORECASE)


def choose_shape(cited: CitationFields) -> str:
    """Return "article", "paper", "book", "thesis", "report", "preprint" or "other"."""
    if cited.kind is Kind.ARTICLE:
        if _SERVER.fullmatch(cited.venue):
            return "preprint"
        return "paper" if is_proceedings(Claimed(venue=cited.venue, volume=cited.volume)) else "article"
    return _SHAPES.get(cited.kind, "article" if cited.venue and cited.volume else "other")


def is_on_arxiv(cited: CitationFields) -> bool:
    """Return whether the venue is arXiv, under one of its names, or none but an arXiv number is known."""
    return bool(cited.ids.first("arxiv")) and (not cited.venue or bool(_SERVER.fullmatch(cited.venue)))
