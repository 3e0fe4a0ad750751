"""Lines of a document with their offsets, and the headings among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

MAX_LINE = 10_000  # characters of one line that are examined

_HEADING_MARKS = re.compile(
    r"^[\s#*_>]{0,20}(?:(?:\d{1,2}|[IVX]{1,5}|[A-Z])[.)]?\s{1,3})?(.{1,60}?)[\s:.#*_]{0,20}$"
)
_MARKS = "#*_>:."
_AND = re.compile(r"\s(?:and|&|und|et|y|e|en|och|og|i|и)\s")
_ATTRIBUTES = re.compile(r"\s\{[#.][^{}]{0,80}\}\s{0,9}$")  # "# References {#references .unnumbered}"


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line without its end; `start` and `end` are character offsets in the text."""

    text: str
    start: int
    end: int

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip(" \t"))


def split_lines(text: str, start: int = 0) -> Iterator[TextLine]:
    """Yield the lines of `text` from `start` on, cut to `MAX_LINE` characters."""
    at = start
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        end = stop - 1 if stop > at and text[stop - 1] == "\r" else stop
        yield TextLine(text[at : min(end, at + MAX_LINE)], at, end)
        at = stop + 1


def is_reference_heading(line: str) -> bool:
    """Return whether `line` alone announces a reference list: `## 7. References`, `**Literatur**`."""
    known, last = _list_announcing_words()
    # most lines end with a word that no such heading ends with
    if "{" not in line and "".join(line.rsplit(None, 1)[-1:]).strip(_MARKS).lower() not in last:
        return False
    words = _read_heading(line)
    return words in known or (bool(words) and all(part in known for part in _AND.split(words)))


def is_notes_heading(line: str) -> bool:
    """Return whether `line` alone announces notes, which may hold references: `Notes`, `Anmerkungen`."""
    return _read_heading(line) in _load_heading_words()["notes"]


def is_closing_heading(line: str) -> bool:
    """Return whether `line` alone begins what comes after a reference list."""
    words = _read_heading(line)
    return words in _load_heading_words()["ends"] or words.split(" ")[0] in ("appendix", "anhang", "annexe")


def _read_heading(line: str) -> str:
    match = _HEADING_MARKS.match(_ATTRIBUTES.sub("", line)) if len(line) < 100 else None
    return " ".join(match[1].lower().split()) if match else ""


@cache
def _list_announcing_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the headings over references, and the words they end with, or the marks behind these."""
    known = _load_heading_words()["references"] | _load_heading_words()["publications"]
    return known, frozenset(["", *(heading.split()[-1] for heading in known)])


@cache
def _load_heading_words() -> dict[str, frozenset[str]]:
    table: dict[str, list[str]] = load_package_table(__package__, "headings.toml")
    return {name: frozenset(words) for name, words in table.items()}
