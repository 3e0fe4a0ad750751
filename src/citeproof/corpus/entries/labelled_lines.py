"""Labelled lines: the field that a label names, and its value without the marks of Markdown.

`**Authors:** Ann Smith¹ (MIT)` ⇒ authors, "Ann Smith"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

from citeproof.corpus.entries.entry_fields import get_field_names, is_affirmed
from citeproof.corpus.entries.ref_ids import match_whole_ref_id
from citeproof.corpus.grade.grade_computation import fold_key, parse_grade
from citeproof.extractors.records.yaml_text import Value
from citeproof.text import dates, doi
from citeproof.text.frequent_names import load_given_names

_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\s]{0,2000}\)")
_LINK = re.compile(
    r"\[([^\[\]\n]{0,1000})\]"
    r"(?:\(<?([^()\s<>]{0,2000}+(?:\([^()\s]{0,200}\)[^()\s<>]{0,500}+)?)>?(?:\s[^()\n]{0,200})?\)|\[[^\[\]\n]{0,100}\])"
)
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,60}\]")
_AUTO = re.compile(r"<((?:https?://|doi:)[^<>\s]{1,2000})>")
_TAG = re.compile(r"<!--.{0,200}?-->|<sup>[^<>]{0,40}</sup>|</?[A-Za-z][^<>]{0,200}>", re.IGNORECASE)
_STRONG = re.compile(r"(?<!\\)\*{1,3}|(?<![\w\\])_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~|`+")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")

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

_FITS: dict[str, Callable[[str], object]] = {
    "year": dates.find_year,
    "grade": parse_grade,
    "retracted": is_affirmed,
}


def extract_target(value: str) -> str:
    """Return the address or path that a value gives."""
    return find_link_address(value) or strip_markup(value)


def parse_labelled_line(line: str) -> tuple[str, str] | None:
    """Return the field that a line names at its beginning, and what it says."""
    bullet = BULLET.match(line)
    found = LABEL.match(line, bullet.end() if bullet else 0)
    if found is None:
        return None
    label = found[1] or found[3] or found[5]
    name = find_label_field(label)
    value = (found[2] or found[4] or found[6] or "").strip(" \t\\")
    return (name, value) if name else None


def parse_label_value(name: str, items: list[str], word: str) -> Value:
    """Return a value without its marks; nothing if it cannot be one of the field."""
    plain = [strip_markup(item) for item in items]
    if name == "ref_id":
        return match_whole_ref_id(plain[0], word)
    if name == "doi":
        return doi.normalise(plain[0]) or doi.normalise(find_link_address(items[0])) or ""
    if name == "authors":
        plain = [_strip_affiliations(one) for one in plain]
        return [one for one in plain if one] if len(plain) > 1 else plain[0]
    if name in ("source", "full_text"):
        return extract_target(items[0])
    return plain[0] if _FITS.get(name, bool)(plain[0]) else ""


def _strip_affiliations(text: str) -> str:
    """Return a list of names without affiliations; two full names joined by a comma are two people."""
    text = _NOTE.sub("", text).strip(" ,;–—-")
    pair = [one.split() for one in text.split(",", 2)]
    if len(pair) != 2 or not all(2 <= len(one) <= 4 and one[0][0].isupper() for one in pair):
        return text
    if any("." in word for one in pair for word in one) or pair[1][-1].casefold() in load_given_names():
        return text  # "Garcia Lopez, Juan Carlos"
    return " and ".join(map(" ".join, pair))


@lru_cache(4096)
def find_label_field(label: str) -> str:
    """Return the field that a label names; empty if it names none."""
    if len(label) > MAX_LABEL:
        return ""
    return _map_labels().get(fold_key(strip_markup(label).rstrip(": ").replace("(s)", "s")), "")


@cache
def _map_labels() -> dict[str, str]:
    """Return the field that each label names."""
    return {label: name for name in reversed(_FIELDS) for label in get_field_names("labels", name)}


def strip_markup(text: str) -> str:
    """Return `text` without emphasis, code marks, tags and notes; of a link its words."""
    if "[" in text:
        text = _LINK.sub(r"\1", _FOOTNOTE.sub("", _IMAGE.sub("", text)))
    if "<" in text:
        text = _TAG.sub("", _AUTO.sub(r"\1", text))
    if "*" in text or "_" in text or "`" in text or "~~" in text:
        text = _STRONG.sub("", text)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    return " ".join(text.split())


def find_link_address(text: str) -> str:
    """Return the address of the first link in `text`; empty if there is none."""
    found = _LINK.search(text)
    return (found[2] or "") if found else ""
