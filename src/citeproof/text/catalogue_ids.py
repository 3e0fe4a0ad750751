"""Identifiers of registries and catalogues to one form, each; check digits are verified.

PubMed `34094697`, PubMed Central `PMC8171234`, ORCID `0000-0002-1825-0097`, ADS bibcodes of nineteen
characters `1998PhRvL..80.3843A`, ISBNs of thirteen digits `9780262035613`, ISSNs `0031-9007`, and the keys of
the ACL Anthology, OpenReview, DBLP and WHO IRIS.
"""

from __future__ import annotations

import re

_PMID = re.compile(
    r"(?:https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/(?:pubmed/|m/pubmed/))"
    r"|(?:pubmed\s{0,3})?pmid\s{0,3}[:=]?\s{0,3}|pubmed\s{0,3}:?\s{0,3})?(\d{1,8})/?",
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
