"""Identifiers where they are in a text: the part that is the identifier, without address or label."""

from __future__ import annotations

import re

from citeproof.fix.text_edits import TextEdit
from citeproof.text import ids

_CORE = {
    "doi": re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,4}(?:/|%2F)[^\s\"“”|{}]{1,500}", re.IGNORECASE),
    "arxiv": re.compile(
        r"(?:\d{4}\.\d{4,5}|[a-z-]{2,9}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,3})?(?!\d)", re.IGNORECASE
    ),
    "pmid": re.compile(r"(?<!\d)\d{1,8}(?!\d)"),
    "pmcid": re.compile(r"PMC\s?\d{4,8}(?!\d)", re.IGNORECASE),
    "ads": re.compile(r"[12]\d{3}[A-Za-z&.][\w&.]{13}[A-Z.](?!\w)"),
}


def replace_identifier(text: str, start: int, end: int, new: str) -> TextEdit:
    """Return the edit of the characters in which an identifier differs; capitals of the rest stay."""
    old = text[start:end]
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n].lower() != new[n].lower()), most)
    most -= head
    tail = next((n for n in range(most) if old[-1 - n].lower() != new[-1 - n].lower()), most)
    changed = new[head : len(new) - tail]
    return TextEdit(start + head, end - tail, changed.upper() if old.isupper() else changed)


def find_identifier(scheme: str, text: str, value: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where in `text`, between two places, the identifier that means `value` first stands."""
    pattern = _CORE.get(scheme)
    for match in pattern.finditer(text, start, end) if pattern else ():
        stop = match.end()
        if ids.normalise_id(scheme, match[0]) != value:
            continue
        while ids.normalise_id(scheme, text[match.start() : stop - 1]) == value:
            stop -= 1  # a full stop or bracket behind it
        return match.start(), stop
    return None
