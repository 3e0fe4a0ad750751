"""ISBNs to one form: thirteen digits, check digit verified (`9780262035613`)."""

from __future__ import annotations

import re

_LABEL = re.compile(
    r"https?://(?:www\.)?(?:openlibrary|worldcat)\.org/isbn/"
    r"|(?:urn:)?e?-?isbn(?:[\s-]{0,3}1[03](?=[\s:]))?\s{0,3}:?\s{0,3}",
    re.IGNORECASE,
)
_JOINTS = str.maketrans("", "", "- \u2010\u2011\u2012\u2013\u2212\u00a0")
_SHAPE = re.compile(r"97[89][0-9]{10}|[0-9]{9}[0-9Xx]")


def normalise(value: str) -> str | None:
    """Return the ISBN in `value` as ISBN-13 digits, None if malformed or its check digit is wrong."""
    digits = extract_digits(value)
    if digits is None or not _has_right_check(digits):
        return None
    if len(digits) == 13:
        return digits
    body = "978" + digits[:9]
    return body + _compute_check13(body)


def extract_digits(value: str) -> str | None:
    """Return the digits of an ISBN-shaped `value`, right check digit or not; None if another shape."""
    digits = _LABEL.sub("", value[:100].strip(), count=1).translate(_JOINTS).strip(".,;()[]")
    return digits.upper() if _SHAPE.fullmatch(digits) else None


def _has_right_check(digits: str) -> bool:
    if len(digits) == 13:
        return _compute_check13(digits[:12]) == digits[12]
    total = sum((10 - i) * (10 if d == "X" else int(d)) for i, d in enumerate(digits))
    return total % 11 == 0


def _compute_check13(body: str) -> str:
    return str(-sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(body)) % 10)
