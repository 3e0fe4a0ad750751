"""REF ids as one form: the word of the layout in its own case, a hyphen, the digits, a small suffix."""

from __future__ import annotations

import re
from functools import cache

_MAX = 300  # characters of one value that are read


def ref_id(text: str, word: str) -> str:
    """Return the REF id that `text` is, brackets and what follows it aside; empty if it is none."""
    found = _pattern(word).match(text[:_MAX].strip(" \t[](){}@\"'"))
    return _normal(found, word) if found else ""


def ref_in(text: str, word: str) -> str:
    """Return the first REF id that stands in `text`, without its suffix; empty if there is none."""
    found = _pattern(word).search(text)
    return f"{word}-{found[1]}" if found else ""


def named(stem: str, word: str) -> str:
    """Return the REF id with which a file's name begins; in `REF-001-smith` "smith" is only a label."""
    found = _pattern(word).match(stem[:_MAX])
    return f"{word}-{found[1]}" if found else ""


def number(ref: str) -> str:
    """Return a REF id without its suffix: REF-001-a ⇒ REF-001."""
    return "-".join(ref.split("-")[:2])


@cache
def _pattern(word: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![A-Za-z0-9]){re.escape(word)}[-_ ]?(\d{{1,9}})(?![0-9])(?:-([a-z]{{1,40}})(?![A-Za-z0-9-]))?",
        re.IGNORECASE,
    )


def _normal(found: re.Match[str], word: str) -> str:
    return f"{word}-{found[1]}" + (f"-{found[2].lower()}" if found[2] else "")
