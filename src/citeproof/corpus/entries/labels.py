"""Labelled lines: the field that a label names, and its value without marks.

`**Authors:** Ann Smith¹ (MIT)` ⇒ authors, "Ann Smith"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

from citeproof.corpus.entries.fields import affirmed, keys
from citeproof.corpus.entries.markup import address, unmarked
from citeproof.corpus.entries.refs import ref_alone
from citeproof.corpus.grade.computing import fold
from citeproof.corpus.grade.levels import level
from citeproof.extractors.yamltext import Value
from citeproof.text import dates, doi, names

MAX_LABEL = 80
_FIELDS = ("ref_id", "title", "authors", "year", "doi", "pages", "total_pages", "type", "grade", "verified",
           "retracted", "full_text", "source", "citation")  # fmt: skip

BULLET = re.compile(r"(?:(?:[-*+•]|\d{1,3}[.)])[ \t]{1,9}|>[ \t]{0,9}){1,3}")
LABEL = re.compile(
    r"\*{1,3}([^*:|]{1,60})(?::[ \t]{0,2}\*{1,3}|\*{1,3}[ \t]{0,2}:)(.*)"
    r"|__([^:|]{1,60}?)(?::__|__[ \t]{0,2}:)(.*)"
    r"|(?!\w{1,60}://)([^\W\d_][\w /()-]{0,40}):(?:[ \t](.*)|$)"
)
_NOTE = re.compile(r"\([^()]{0,200}\)|\[[^\[\]]{0,20}\]|[¹²³⁰⁴-⁹†‡§¶*]{1,9}")  # "Ann Smith¹ (MIT)"

_FITS: dict[str, Callable[[str], object]] = {"year": dates.year, "grade": level, "retracted": affirmed}


def target(value: str) -> str:
    """Return the address or path that a value gives."""
    return address(value) or unmarked(value)


def labelled(line: str) -> tuple[str, str] | None:
    """Return the field that a line names at its beginning, and what it says."""
    bullet = BULLET.match(line)
    found = LABEL.match(line, bullet.end() if bullet else 0)
    if found is None:
        return None
    label = found[1] or found[3] or found[5]
    name = field_of(label)
    value = (found[2] or found[4] or found[6] or "").strip(" \t\\")
    return (name, value) if name else None


def value_of(name: str, items: list[str], word: str) -> Value:
    """Return a value without its marks; nothing if it cannot be one of the field."""
    plain = [unmarked(item) for item in items]
    if name == "ref_id":
        return ref_alone(plain[0], word)
    if name == "doi":
        return doi.normal(plain[0]) or doi.normal(address(items[0])) or ""
    if name == "authors":
        plain = [_people(one) for one in plain]
        return [one for one in plain if one] if len(plain) > 1 else plain[0]
    if name in ("source", "full_text"):
        return target(items[0])
    return plain[0] if _FITS.get(name, bool)(plain[0]) else ""


def _people(text: str) -> str:
    """Return a list of names without affiliations; two full names joined by a comma are two people."""
    text = _NOTE.sub("", text).strip(" ,;–—-")
    pair = [one.split() for one in text.split(",", 2)]
    if len(pair) != 2 or not all(2 <= len(one) <= 4 and one[0][0].isupper() for one in pair):
        return text
    if any("." in word for one in pair for word in one) or pair[1][-1].casefold() in names.given_names():
        return text  # "Garcia Lopez, Juan Carlos"
    return " and ".join(map(" ".join, pair))


@lru_cache(4096)
def field_of(label: str) -> str:
    """Return the field that a label names; empty if it names none."""
    if len(label) > MAX_LABEL:
        return ""
    return _names().get(fold(unmarked(label).rstrip(": ").replace("(s)", "s")), "")


@cache
def _names() -> dict[str, str]:
    """Return the field that each label names."""
    return {label: name for name in reversed(_FIELDS) for label in keys("labels", name)}
