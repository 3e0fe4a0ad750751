"""ORCID iDs to one form, check digit verified: `0000-0002-1825-0097`."""

from __future__ import annotations

import re

_SHAPE = re.compile(
    r"(?:https?://(?:www\.)?orcid\.org/|orcid\s{0,3}:?\s{0,3})?((?:[0-9]{4}-?){3}[0-9]{3}[0-9Xx])/?",
    re.IGNORECASE,
)


def normalise(value: str) -> str | None:
    """Return the ORCID iD in `value` with hyphens, None if malformed or its check digit is wrong."""
    match = _SHAPE.fullmatch(value[:100].strip(" .,;()[]"))
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
