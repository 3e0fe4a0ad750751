"""All identifier schemes behind four functions: `normalise_id`, `expand_doi`, `find_ids`, `find_malformed`.

normal("doi", "https://doi.org/10.1038/NATURE14539")  ⇒ "10.1038/nature14539"
normal("isbn", "0-262-03561-8")                       ⇒ "9780262035613"
normal("pmid", "not a number")                        ⇒ None
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from citeproof.text import arxiv, catalogue_ids, doi, url
from citeproof.text.package_tables import load_package_table

# What is written as an identifier, well formed or not.
_ARXIV_LIKE = re.compile(
    r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/(?P<address>[^\s?#\"'<>()\[\]{}|]{4,60})"
    r"|\barxiv\s?:\s?(?P<label>\d{4}\.\d{1,7}|[a-z-]{2,12}(?:\.[a-z]{2})?/\d{4,9}|\d{4}/\d{4,9})(?![\w.-]{0,3}\d)",
    re.IGNORECASE,
)
_ADS_LIKE = re.compile(
    r"https?://(?:ui\.)?adsabs\.harvard\.edu/abs/([^\s/?#\"'<>(){}|]{8,40})", re.IGNORECASE
)
_ISBN_LIKE = re.compile(
    r"\bisbn(?:[\s-]{0,3}1[03](?=[\s:]))?[^0-9a-z]{0,12}([0-9][0-9 \u2010-\u2013-]{8,20}[0-9X])(?![0-9])",
    re.IGNORECASE,
)
_ISSN_LIKE = re.compile(
    r"\bissn(?:-l)?[^0-9a-z]{0,12}([0-9]{4}[-\u2010-\u2013]?[0-9]{3}[0-9X])(?![0-9])", re.IGNORECASE
)
_ANY_DIGIT = re.compile(r"\d")

Anchor = tuple[str, str, int, int]  # scheme, normalised value, start, end

MAX_TEXT = 20_000  # characters of running text searched for identifiers

_NORMALS: dict[str, Callable[[str], str | None]] = {
    "doi": doi.normalise,
    "pmid": catalogue_ids.normalise_pmid,
    "pmcid": catalogue_ids.normalise_pmcid,
    "arxiv": arxiv.normalise,
    "ads": catalogue_ids.normalise_ads,
    "isbn": catalogue_ids.normalise_isbn,
    "issn": catalogue_ids.normalise_issn,
    "who_iris": catalogue_ids.normalise_who_iris,
    "url": url.normalise,
    "acl": catalogue_ids.normalise_acl,
    "openreview": catalogue_ids.normalise_openreview,
    "dblp": catalogue_ids.normalise_dblp,
    "orcid": catalogue_ids.normalise_orcid,
}
SCHEMES = frozenset(_NORMALS)


_DIGIT = re.compile(r"\d|://")
_URL = re.compile(r"https?://[^\s<>\"\u201c\u201d|]{3,2048}", re.IGNORECASE)
_NUMBER = r"(?:\d{4}(?:\.|\s?\.\s)\d{4,5}|[a-z-]{2,9}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,3})?(?!\d)"
_TABLE = load_package_table("citeproof.text", "id_patterns.toml")
_IN_TEXT = [
    (scheme, clue, re.compile(pattern.replace("<NUMBER>", _NUMBER), re.IGNORECASE))
    for scheme, clue, pattern in _TABLE["in_text"]
]
_IN_ADDRESS = [(scheme, re.compile(pattern, re.IGNORECASE)) for scheme, pattern in _TABLE["in_address"]]
_RESOLVER = re.compile(r"https?://(?:dx\.|www\.)?doi\.org/10\.(?:\d{4,9}/?)?", re.IGNORECASE)
_BROKEN = re.compile(r"(?<=10\.)\s(?=\d)|(?<=[\d/])\s(?=[./])|(?<=/)\s|(?<=\.)\s(?=\d)")
_ACL_DOI = re.compile(r"10\.(?:18653/v1|3115/v1)/(.{4,60})")


def normalise_id(scheme: str, value: str) -> str | None:
    """Return `value` in the one form of its scheme, None if malformed or the scheme is unknown."""
    rule = _NORMALS.get(scheme)
    return rule(value) if rule and value else None


def join_broken_id(value: str) -> str:
    """Return an identifier without the spaces that broke it: "10.1038/ nature14539"."""
    return _BROKEN.sub("", value)


def expand_doi(value: str) -> tuple[tuple[str, str], ...]:
    """Return the identifiers a normalised DOI implies: itself, then its arXiv or ACL Anthology id."""
    own = ("doi", value)
    if value.startswith("10.48550/arxiv.") and (number := arxiv.normalise(value)):
        return (own, ("arxiv", number))
    if (match := _ACL_DOI.fullmatch(value)) and (number := catalogue_ids.normalise_acl(match[1])):
        return (own, ("acl", number))
    return (own,)


def identify_url(value: str) -> tuple[tuple[str, str], ...]:
    """Return the identifiers an address represents; the address itself unless it is only a resolver.

    An arXiv or doi.org address that holds no well-formed identifier stays an address.
    """
    for scheme, pattern in _IN_ADDRESS:
        if not pattern.match(value):
            continue
        if known := normalise_id(scheme, value):
            pairs = expand_doi(known) if scheme == "doi" else ((scheme, known),)
            own = url.normalise(value) if scheme == "doi" and "doi.org/" not in value[:24].lower() else None
            return (*pairs, ("url", own)) if own else pairs
    own = url.normalise(value)
    return (("url", own),) if own else ()


def find_ids(text: str) -> tuple[Anchor, ...]:
    """Return every identifier in running text as (scheme, value, start, end), in text order.

    Spans cover what a reader would strike out: the whole address, the label before a number.
    """
    text = text[:MAX_TEXT]
    if not _DIGIT.search(text):
        return ()  # every identifier holds a digit, but for addresses
    anchors: list[Anchor] = []
    taken: list[tuple[int, int]] = []
    for anchor in (*_find_addresses(text), *_find_labelled(text)):
        span = anchor[2:]
        if anchor in anchors:
            continue
        if span in taken or not any(span[0] < end and start < span[1] for start, end in taken):
            anchors.append(anchor)
            taken.append(span)
    return tuple(sorted(anchors, key=lambda anchor: anchor[2]))


def _find_addresses(text: str) -> Iterator[Anchor]:
    if "://" not in text:
        return
    for match in _URL.finditer(text):
        address = doi.trim_tail(match[0])
        if _RESOLVER.fullmatch(address):
            continue  # the rest of its DOI comes after a space
        if "adsabs" in address and not normalise_id("ads", address) and normalise_id("ads", f"{address}."):
            address += "."  # a bibcode may end in a dot
        for scheme, value in identify_url(address):
            yield scheme, value, match.start(), match.start() + len(address)


def _find_labelled(text: str) -> Iterator[Anchor]:
    low = text.lower()
    for scheme, clue, pattern in _IN_TEXT:
        for match in pattern.finditer(text) if clue in low else ():
            value = normalise_id(scheme, join_broken_id(match[0]))
            if value is None:
                continue
            end = match.start() + len(doi.trim_tail(match[0]))
            pairs = expand_doi(value) if scheme == "doi" else ((scheme, value),)
            yield from ((name, implied, match.start(), end) for name, implied in pairs)


@lru_cache(maxsize=256)
def find_malformed(text: str) -> tuple[tuple[str, str], ...]:
    """Return (scheme, text) of each identifier that is written as one and cannot be one."""
    text = text[:MAX_TEXT]
    low = text.lower()
    numbers = map(_find_bad_number, _ARXIV_LIKE.finditer(text)) if "arxiv" in low else ()
    written: list[tuple[str, str]] = []
    if "adsabs" in low:
        written += (("ads", match[1].replace("%26", "&")) for match in _ADS_LIKE.finditer(text))
    if "isbn" in low:
        shaped = (match[1].strip() for match in _ISBN_LIKE.finditer(text))
        written += (("isbn", value) for value in shaped if catalogue_ids.extract_isbn_digits(value))
    if "issn" in low:
        written += (("issn", match[1]) for match in _ISSN_LIKE.finditer(text))
    wrong = (row for row in written if normalise_id(*row) is None)
    return tuple(dict.fromkeys((*(("arxiv", number) for number in numbers if number), *wrong)))


def _find_bad_number(match: re.Match[str]) -> str | None:
    """Return what is in an arXiv number's place, None if it is one or does not try to be."""
    value = match["address"] or match["label"]
    value = value.rstrip(".,;/").removesuffix(".pdf")
    return None if arxiv.normalise(value) or not _ANY_DIGIT.search(value) else value
