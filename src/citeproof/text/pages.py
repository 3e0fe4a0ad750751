"""Page ranges to one form: `1012–20` ⇒ `1012-1020`."""

from __future__ import annotations

from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import read_digits

_LABEL = re.compile(r"^(?:pages?|pp?|seiten?|s|art(?:icle)?|no)\b\.?\s{0,3}", re.IGNORECASE)
_RANGE = re.compile(r"\s{0,3}(?:--?-?|[\u2010-\u2015\u2212\uff0d]|\bto\b)\s{0,3}")
_NUMBER = re.compile(r"([A-Za-z]{0,4})(\d{1,9})([A-Za-z]{0,2})")


def normalise(text: str) -> str | None:
    """Return pages as `first-last` or `first`, an abbreviated last page written out; None if empty."""
    ends = split_range(text)
    if ends is None:
        return None
    first, last = ends
    return first if first == last else f"{first}-{last}"


def split_range(text: str) -> tuple[str, str] | None:
    """Return the first and last page as written, an abbreviated last page written out."""
    text = _LABEL.sub("", read_digits(text[:200]).strip().strip("{}()[] .,;"), count=1)
    if not text:
        return None
    first, *rest = _RANGE.split(text.split(",")[0], maxsplit=1)
    first = first.strip()
    last = rest[0].strip().rstrip("+f. ") if rest else first
    return (first, _expand_last(first, last) or first) if first else None


def _expand_last(first: str, last: str) -> str:
    """Return `last` with the leading digits it leaves out: 1798-806 ⇒ 1806, D865-72 ⇒ D872."""
    low, high = _NUMBER.fullmatch(first), _NUMBER.fullmatch(last)
    if not low or not high or len(high[2]) >= len(low[2]):
        return last
    return low[1] + low[2][: -len(high[2])] + high[2] + high[3]
