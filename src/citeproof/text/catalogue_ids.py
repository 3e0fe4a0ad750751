"""Keys of subject catalogues to one form: ACL Anthology, OpenReview, DBLP, WHO IRIS."""

from __future__ import annotations

import re

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
