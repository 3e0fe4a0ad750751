"""All identifier schemes behind four functions: `normalise_id`, `expand_doi`, `find_ids`, `find_malformed`.

normal("doi", "https://doi.org/10.1038/NATURE14539")  ⇒ "10.1038/nature14539"
normal("isbn", "0-262-03561-8")                       ⇒ "9780262035613"
normal("pmid", "not a number")                        ⇒ None
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from citeproof.text import arxiv, doi, url
from citeproof.text import lazy_patterns as re
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
_PMID = re.compile(
    r"(?:https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/(?:pubmed/|m/pubmed/))"
    r"|(?:pubmed\s{0,3}(?:id\b|p?mid\b)?|pmid)(?:\snumber|\sno\.?)?(?:\sis)?\s{0,3}[:=-]?\s{0,3})?(\d{1,8})/?",
    re.IGNORECASE,
)
_PMCID = re.compile(
    r"(?:https?://(?:www\.)?(?:pmc\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pmc)/articles/"
    r"|pmcid\s{0,3}[:=]?\s{0,3})?(?:pmc\s{0,2})?(\d{1,8})(?:\.\d{1,2})?/?",
    re.IGNORECASE,
)
_ORCID = re.compile(
    r"(?:https?://(?:www\.)?orcid\.org/|orcid\s{0,3}:?\s{0,3})?((?:[0-9]{4}-?){3}[0-9]{3}[0-9Xx])/?",
    re.IGNORECASE,
)
_ADS_LABEL = re.compile(
    r"(?:https?://(?:ui\.)?adsabs\.harvard\.edu/(?:#?abs/|cgi-bin/nph-bib_query\?bibcode=)"
    r"|(?:ads)?bibcode\s{0,3}:?\s{0,3}|ads\s{0,3}:\s{0,3})",
    re.IGNORECASE,
)
_ADS = re.compile(r"[12]\d{3}[A-Za-z&][A-Za-z0-9&.]{4}[A-Za-z0-9.]{9}[A-Z.:]")
_ISBN_LABEL = re.compile(
    r"https?://(?:www\.)?(?:openlibrary|worldcat)\.org/isbn/"
    r"|(?:urn:)?e?-?isbn(?:[\s-]{0,3}1[03](?=[\s:]))?\s{0,3}:?\s{0,3}",
    re.IGNORECASE,
)
_JOINTS = str.maketrans("", "", "- \u2010\u2011\u2012\u2013\u2212\u00a0")
_ISBN = re.compile(r"97[89][0-9]{10}|[0-9]{9}[0-9Xx]")
_ISSN_LABEL = re.compile(
    r"https?://portal\.issn\.org/resource/issn(?:-l)?/|[ep]?-?issn(?:-l)?\s{0,3}:?\s{0,3}", re.IGNORECASE
)
_ISSN = re.compile(r"([0-9]{4})[-\u2010-\u2013\u2212 ]?([0-9]{3}[0-9Xx])")
_ACL = re.compile(
    r"(?:https?://(?:www\.)?(?:aclanthology\.org|aclanthology\.info/papers|aclweb\.org/anthology)/"
    r"(?:anthology/|papers/[A-Z]/[A-Z]\d\d/)?)?"
    r"(\d{4}\.[a-z0-9_]{1,24}-[a-z0-9_]{1,24}(?:\.\d{1,4})?|[A-Z]\d{2}-\d{4,5})(?:v\d)?(?:\.pdf|\.bib)?/?",
    re.IGNORECASE,
)
_OPENREVIEW = re.compile(
    r"(?:https?://(?:www\.)?openreview\.net/(?:forum|pdf|attachment)\?id=)?([A-Za-z0-9_-]{6,24})(?:[&#].{0,200})?"
)
_DBLP = re.compile(
    r"(?:https?://(?:www\.)?dblp\.(?:org|uni-trier\.de|dagstuhl\.de)/rec/(?:html/|bibtex/|xml/)?|dblp:)?"
    r"((?:conf|journals|books|series|phd|reference|tr|homepages|data|www)/[\w+-]{1,60}/[\w+-]{1,80})(?:\.html|\.bib|\.xml)?",
    re.IGNORECASE | re.ASCII,
)
_WHO = re.compile(
    r"https?://(?:iris\.who\.int|apps\.who\.int/iris)/(?:rest/)?(?:bitstream/)?handle/(?:10665|123456789)/(\d{1,9})\b\S{0,200}"
    r"|https?://(?:iris\.who\.int|apps\.who\.int/iris)/bitstream/10665/(\d{1,9})\b\S{0,200}",
    re.IGNORECASE,
)


def normalise_id(scheme: str, value: str) -> str | None:
    """Return `value` in the one form of its scheme, None if malformed or the scheme is unknown."""
    rule = _NORMALS.get(scheme)
    return rule(doi.drop_tracking(value)) if rule and value else None


def join_broken_id(value: str) -> str:
    """Return an identifier without the spaces that broke it: "10.1038/ nature14539"."""
    return _BROKEN.sub("", value)


def expand_doi(value: str) -> tuple[tuple[str, str], ...]:
    """Return the identifiers a normalised DOI implies: itself, then its arXiv or ACL Anthology id."""
    own = ("doi", value)
    if value.startswith("10.48550/arxiv.") and (number := arxiv.normalise(value)):
        return (own, ("arxiv", number))
    if (match := _ACL_DOI.fullmatch(value)) and (number := normalise_acl(match[1])):
        return (own, ("acl", number))
    return (own,)


def identify_url(value: str) -> tuple[tuple[str, str], ...]:
    """Return the identifiers an address represents; the address itself unless it is only a resolver.

    An arXiv or doi.org address that holds no well-formed identifier stays an address.
    """
    value = doi.drop_tracking(value)
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
        written += (("isbn", value) for value in shaped if extract_isbn_digits(value))
    if "issn" in low:
        written += (("issn", match[1]) for match in _ISSN_LIKE.finditer(text))
    wrong = (row for row in written if normalise_id(*row) is None)
    return tuple(dict.fromkeys((*(("arxiv", number) for number in numbers if number), *wrong)))


def _find_bad_number(match: re.Match[str]) -> str | None:
    """Return what is in an arXiv number's place, None if it is one or does not try to be."""
    value = match["address"] or match["label"]
    value = value.rstrip(".,;/").removesuffix(".pdf")
    return None if arxiv.normalise(value) or not _ANY_DIGIT.search(value) else value


def normalise_pmid(value: str) -> str | None:
    """Return the PubMed number in `value` as plain digits, None if malformed."""
    return _read_number(_PMID, value)


def normalise_pmcid(value: str) -> str | None:
    """Return the PubMed Central identifier in `value` as `PMC<digits>`, None if malformed."""
    number = _read_number(_PMCID, value)
    return f"PMC{number}" if number else None


def _read_number(pattern: re.Pattern[str], value: str) -> str | None:
    match = pattern.fullmatch(value[:200].strip(" .,;[]()"))
    if not match or not match[1].isascii():
        return None
    return match[1].lstrip("0") or None


def normalise_orcid(value: str) -> str | None:
    """Return the ORCID iD in `value` with hyphens, None if malformed or its check digit is wrong."""
    match = _ORCID.fullmatch(value[:100].strip(" .,;()[]"))
    if not match:
        return None
    digits = match[1].replace("-", "").upper()
    total = 0
    for digit in digits[:15]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    if ("X" if check == 10 else str(check)) != digits[15]:
        return None
    return "-".join(digits[i : i + 4] for i in (0, 4, 8, 12))


def normalise_ads(value: str) -> str | None:
    """Return the bibcode in `value`, None if malformed. Case is part of a bibcode and kept."""
    value = _ADS_LABEL.sub("", value[:200].strip(), count=1).replace("%26", "&")
    value = value.partition("/")[0].strip(" ,;()[]")
    return value if value.isascii() and _ADS.fullmatch(value) else None


def normalise_isbn(value: str) -> str | None:
    """Return the ISBN in `value` as ISBN-13 digits, None if malformed or its check digit is wrong."""
    digits = extract_isbn_digits(value)
    if digits is None or not _has_right_check(digits):
        return None
    if len(digits) == 13:
        return digits
    body = "978" + digits[:9]
    return body + _compute_check13(body)


def extract_isbn_digits(value: str) -> str | None:
    """Return the digits of an ISBN-shaped `value`, right check digit or not; None if another shape."""
    digits = _ISBN_LABEL.sub("", value[:100].strip(), count=1).translate(_JOINTS).strip(".,;()[]")
    return digits.upper() if _ISBN.fullmatch(digits) else None


def _has_right_check(digits: str) -> bool:
    if len(digits) == 13:
        return _compute_check13(digits[:12]) == digits[12]
    total = sum((10 - i) * (10 if d == "X" else int(d)) for i, d in enumerate(digits))
    return total % 11 == 0


def _compute_check13(body: str) -> str:
    return str(-sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(body)) % 10)


def normalise_issn(value: str) -> str | None:
    """Return the ISSN in `value` as `NNNN-NNNC`, None if malformed or its check digit is wrong."""
    match = _ISSN.fullmatch(_ISSN_LABEL.sub("", value[:100].strip(), count=1).strip(" .,;()[]"))
    if not match:
        return None
    digits = (match[1] + match[2]).upper()
    total = sum((8 - i) * (10 if d == "X" else int(d)) for i, d in enumerate(digits))
    return f"{digits[:4]}-{digits[4:]}" if total % 11 == 0 else None


def normalise_acl(value: str) -> str | None:
    """Return the ACL Anthology id in `value` (`P19-1001`, `2020.acl-main.1`), None if malformed."""
    match = _ACL.fullmatch(value[:200].strip(" ,;()[]"))
    if not match or not match[1].isascii():
        return None
    return match[1].lower() if "." in match[1] else match[1].upper()


def normalise_openreview(value: str) -> str | None:
    """Return the OpenReview forum id in `value`, None if malformed. Its case matters."""
    match = _OPENREVIEW.fullmatch(value[:400].strip(" ,;()"))
    return match[1] if match and not match[1].startswith("site_") else None  # a crawler's own numbers


def normalise_dblp(value: str) -> str | None:
    """Return the DBLP key in `value` (`conf/nips/VaswaniSPUJGKP17`), None if malformed."""
    match = _DBLP.fullmatch(value[:300].strip(" ,;()"))
    return match[1] if match else None


def normalise_who_iris(value: str) -> str | None:
    """Return the WHO IRIS handle address in `value`, None if it is not one."""
    match = _WHO.fullmatch(value[:500].strip(" .,;()[]"))
    return f"https://iris.who.int/handle/10665/{match[1] or match[2]}" if match else None


_NORMALS: dict[str, Callable[[str], str | None]] = {
    "doi": doi.normalise,
    "pmid": normalise_pmid,
    "pmcid": normalise_pmcid,
    "arxiv": arxiv.normalise,
    "ads": normalise_ads,
    "isbn": normalise_isbn,
    "issn": normalise_issn,
    "who_iris": normalise_who_iris,
    "url": url.normalise,
    "acl": normalise_acl,
    "openreview": normalise_openreview,
    "dblp": normalise_dblp,
    "orcid": normalise_orcid,
}
SCHEMES = frozenset(_NORMALS)
