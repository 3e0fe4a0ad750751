"""ISSNs to one form, check digit verified: `0031-9007`."""

from __future__ import annotations

import re

_LABEL = re.compile(
    r"https?://portal\.issn\.org/resource/issn(?:-l)?/|[ep]?-?issn(?:-l)?\s{0,3}:?\s{0,3}", re.IGNORECASE
)
_SHAPE = re.compile(r"([0-9]{4})[-\u2010-\u2013\u2212 ]?([0-9]{3}[0-9Xx])")


def normalise(value: str) -> str | None:
    """Return the ISSN in `value` as `NNNN-NNNC`, None if malformed or its check digit is wrong."""
    match = _SHAPE.fullmatch(_LABEL.sub("", value[:100].strip(), count=1).strip(" .,;()[]"))
    if not match:
        return None
    digits = (match[1] + match[2]).upper()
    total = sum((8 - i) * (10 if d == "X" else int(d)) for i, d in enumerate(digits))
    return f"{digits[:4]}-{digits[4:]}" if total % 11 == 0 else None
