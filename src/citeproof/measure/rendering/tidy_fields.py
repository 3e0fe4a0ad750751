"""A citation's fields fit to be printed, whatever the registry or the edit left in them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from citeproof.measure.makers.citation_fields import CitationFields
from citeproof.text.latex import strip_latex
from citeproof.vocabulary import Ids, Name

MAX_FIELD = 2000  # characters of a field that are printed
MAX_PEOPLE = 3000  # names of a list that are printed
_JOINERS = "\u200c\u200d"  # Persian and Indic scripts spell with them
# MEDLINE tells journals of one name apart by place and year, the ACL Anthology has whole issues as venues
# ("Computational Linguistics, Volume 40, Issue 3 - September 2014"); no citation prints that.
_QUALIFIER = re.compile(
    r" \((?:(?:18|19|20)\d\d|[A-Z][^(),]{1,40}, [^()]{1,60})\)\Z"
    r"|, Volume \d{1,4}, (?:Issue|Number|Numéro) .*\Z"
)
_PAGES = re.compile(r"\s*(?:[-\u2010-\u2015\u2212]+)\s*")


def tidy_citation(cited: CitationFields) -> CitationFields:
    """Return the citation without control characters, line breaks, and white space at the ends."""
    return replace(
        cited,
        title=make_plain_line(cited.title).rstrip(" ,;:"),
        people=tuple(map(_tidy_name, cited.people[:MAX_PEOPLE])),
        venue=_QUALIFIER.sub("", strip_latex(make_plain_line(cited.venue))),
        publisher=strip_latex(make_plain_line(cited.publisher)),
        volume=make_plain_line(cited.volume),
        issue=make_plain_line(cited.issue),
        pages=_PAGES.sub("-", make_plain_line(cited.pages)),
        ids=Ids(tuple((scheme, make_plain_line(value)) for scheme, value in cited.ids.pairs)),
        url=make_plain_line(cited.url),
    )


def make_plain_line(text: str) -> str:
    """Return one line of visible text."""
    text = text[:MAX_FIELD]
    if not text.isprintable():
        text = "".join(" " if c.isspace() else c for c in text if c.isspace() or _is_visible(c))
    return " ".join(text.split())


def _is_visible(sign: str) -> bool:
    return sign in _JOINERS or not unicodedata.category(sign).startswith("C")


def _tidy_name(name: Name) -> Name:
    return replace(
        name,
        family=make_plain_line(name.family),
        given=make_plain_line(name.given),
        suffix=make_plain_line(name.suffix),
    )
