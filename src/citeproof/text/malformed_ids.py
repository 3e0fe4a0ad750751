"""Identifiers in a text that are none: `arXiv:2103.123`, an ISBN or ISSN with a wrong check digit."""

from __future__ import annotations

import re
from functools import lru_cache

from citeproof.text import arxiv, catalogue_ids

MAX_TEXT = 20_000  # characters of a reference that are searched
_ARXIV = re.compile(
    r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/(?P<address>[^\s?#\"'<>()\[\]{}|]{4,60})"
    r"|\barxiv\s?:\s?(?P<label>\d{4}\.\d{1,7}|[a-z-]{2,12}(?:\.[a-z]{2})?/\d{4,9}|\d{4}/\d{4,9})(?![\w.-]{0,3}\d)",
    re.IGNORECASE,
)
_ADS = re.compile(r"https?://(?:ui\.)?adsabs\.harvard\.edu/abs/([^\s/?#\"'<>(){}|]{8,40})", re.IGNORECASE)
_ISBN = re.compile(
    r"\bisbn(?:[\s-]{0,3}1[03](?=[\s:]))?[^0-9a-z]{0,12}([0-9][0-9 \u2010-\u2013-]{8,20}[0-9X])(?![0-9])",
    re.IGNORECASE,
)
_ISSN = re.compile(
    r"\bissn(?:-l)?[^0-9a-z]{0,12}([0-9]{4}[-\u2010-\u2013]?[0-9]{3}[0-9X])(?![0-9])", re.IGNORECASE
)
_DIGIT = re.compile(r"\d")


@lru_cache(maxsize=256)
def find_malformed(text: str) -> tuple[tuple[str, str], ...]:
    """Return (scheme, text) of each identifier that is written as one and cannot be one."""
    text = text[:MAX_TEXT]
    low = text.lower()
    malformed: list[tuple[str, str]] = []
    if "arxiv" in low:
        malformed += (("arxiv", value) for value in map(_find_bad_number, _ARXIV.finditer(text)) if value)
    if "adsabs" in low:
        codes = (match[1].replace("%26", "&") for match in _ADS.finditer(text))
        malformed += (("ads", code) for code in codes if catalogue_ids.normalise_ads(code) is None)
    if "isbn" in low:
        shaped = (
            (match[1].strip(), catalogue_ids.extract_isbn_digits(match[1])) for match in _ISBN.finditer(text)
        )
        malformed += (
            ("isbn", written)
            for written, digits in shaped
            if digits and catalogue_ids.normalise_isbn(digits) is None
        )
    if "issn" in low:
        malformed += (
            ("issn", match[1])
            for match in _ISSN.finditer(text)
            if catalogue_ids.normalise_issn(match[1]) is None
        )
    return tuple(dict.fromkeys(malformed))


def _find_bad_number(match: re.Match[str]) -> str | None:
    """Return what is in an arXiv number's place, None if it is one or does not try to be."""
    value = match["address"] or match["label"]
    value = value.rstrip(".,;/").removesuffix(".pdf")
    return None if arxiv.normalise(value) or not _DIGIT.search(value) else value
