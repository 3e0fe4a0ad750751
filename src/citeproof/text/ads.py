"""ADS bibcodes, nineteen characters: `1998PhRvL..80.3843A`, `2013A&A...558A..33A`."""

from __future__ import annotations

import re

_ADDRESS = re.compile(
    r"(?:https?://(?:ui\.)?adsabs\.harvard\.edu/(?:#?abs/|cgi-bin/nph-bib_query\?bibcode=)"
    r"|(?:ads)?bibcode\s{0,3}:?\s{0,3}|ads\s{0,3}:\s{0,3})",
    re.IGNORECASE,
)
_SHAPE = re.compile(r"[12]\d{3}[A-Za-z&][A-Za-z0-9&.]{4}[A-Za-z0-9.]{9}[A-Z.:]")


def normalise(value: str) -> str | None:
    """Return the bibcode in `value`, None if malformed. Case is part of a bibcode and kept."""
    value = _ADDRESS.sub("", value[:200].strip(), count=1).replace("%26", "&")
    value = value.partition("/")[0].strip(" ,;()[]")
    return value if value.isascii() and _SHAPE.fullmatch(value) else None
