"""Markdown: reference lists, `[Author, Year, Title](url)` links, footnotes, a language model's answer.

Nothing inside code fences counts. Under a reference heading every entry counts; elsewhere only
what by itself looks like a reference (`loose.py`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from citeproof.extractors.base import sample
from citeproof.extractors.citing import citing
from citeproof.extractors.decode import decode
from citeproof.extractors.entries import endless, expected, gaps, references
from citeproof.extractors.lines import Line, is_reference_heading, lines_of
from citeproof.extractors.loose import footnotes, links, listed
from citeproof.extractors.segments import Segment, segments
from citeproof.vocabulary import Document, Extraction

_SIGNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^#{1,6}\s\S",
        r"\]\(https?://",
        r"^(?:```|~~~)",
        r"\*\*\S[^*\n]{0,200}\*\*",
        r"^\[\^[^\]\s]{1,60}\]:",
        r"^>\s",
        r"^[-*]\s\[[ x]\]\s",
    )
)
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s{0,3}\*\*[^*]{1,60}\*\*:?\s{0,9}$")
_UNDERLINE = re.compile(r"\s{0,3}(?:={3,}|-{3,})\s{0,9}$")


class Markdown:
    """Reads Markdown."""

    name: ClassVar[str] = "markdown"
    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown")
    hostile: ClassVar[bool] = False

    def recognises(self, document: Document) -> float:
        """Return how many of Markdown's signs the content shows."""
        text = sample(document)
        signs = sum(bool(sign.search(text)) for sign in _SIGNS)
        return min(0.9, 0.25 + 0.2 * signs) if signs else 0.0

    def extract(self, document: Document) -> Extraction:
        """Return the references of the document in its order."""
        decoded = decode(document)
        problems = list(decoded.problems)
        lines = _unfenced(list(lines_of(decoded.text)))
        problems += endless(decoded, lines)
        used: set[int] = set()
        notes = footnotes(lines, used)
        sections = _sections(lines)
        under = [s for start, end in sections for s in _entries(lines, range(start, end), used)]
        used.update(index for start, end in sections for index in range(start, end))
        cited = citing("\n".join(line.text for index, line in enumerate(lines) if index not in used))
        loose = [] if under else listed(lines, used)
        found = sorted([*under, *notes, *loose, *links(lines, used)], key=lambda segment: segment.start)
        kept = references(decoded, found, cited, problems)
        problems += gaps(under or loose, decoded)
        return Extraction(tuple(kept), tuple(problems), expected(under or loose), self.name)


def _unfenced(lines: list[Line]) -> list[Line]:
    """Return the lines with the content of code fences emptied; offsets stay."""
    kept: list[Line] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line.text)
        if fence:
            closes = mark is not None and mark[1].startswith(fence)
            fence = "" if closes else fence
            kept.append(replace(line, text=""))
        elif mark:
            fence = mark[1]
            kept.append(replace(line, text=""))
        else:
            kept.append(line)
    return kept


def _sections(lines: list[Line]) -> list[tuple[int, int]]:
    """Return the line spans that stand under a reference heading."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for index, line in enumerate(lines):
        underlined = (
            index + 1 < len(lines) and bool(_UNDERLINE.match(lines[index + 1].text)) and not line.blank
        )
        heading = bool(_HEADING.match(line.text)) or underlined
        announced = is_reference_heading(line.text)
        if start is not None and (heading or announced):
            found.append((start, index))
            start = None
        if announced and start is None:
            start = index + (2 if underlined else 1)
    return [*found, (start, len(lines))] if start is not None else found


def _entries(lines: list[Line], span: range, noted: set[int]) -> list[Segment]:
    """Return the entries of one section; rules and footnotes in it are not entries."""
    emptied = [
        replace(lines[i], text="") if i in noted or _UNDERLINE.match(lines[i].text) else lines[i]
        for i in span
    ]
    return segments(emptied)


EXTRACTOR = Markdown()
