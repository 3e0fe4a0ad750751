"""A citation that is a link: `[authors, year, title](address)` says by its form which part is which."""

from __future__ import annotations

import re

from citeproof.parse.label_stretches import Stretch

SURE = 0.97

_PARTS = re.compile(
    r"(?P<author>[^\W\d_].{1,1500}?),?\s(?P<date>(?:1[5-9]|20)\d\d)[a-z]?,\s+"
    r"(?P<title>.{8,1500}?)\s+https?://\S{1,2000}"
)


def split_link_text(text: str) -> dict[str, Stretch] | None:
    """Return the stretches of a link's text, which `plain` puts before its address; None if it has none."""
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return None
    return {name: Stretch(*parts.span(name), SURE, ruled=True) for name in ("author", "date", "title")}
