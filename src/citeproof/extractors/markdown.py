"""Markdown: pandoc keys, reference lists, `[Author, Year, Title](url)` links, footnotes, tables, answers.

Inside code fences only BibTeX counts, and JSON where there is nothing else (`fenced.py`). Under a reference
heading every entry counts, elsewhere only what by itself looks like a reference (`loose.py`). Keys are read
as pandoc does (`pandoc.py`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from citeproof.extractors.base import sample
from citeproof.extractors.citing import MAX_BODY, Sentences, attach
from citeproof.extractors.decode import MAX_RUNNING, Decoded, decode, refuse_flood
from citeproof.extractors.entries import endless, expected, gaps, references, running
from citeproof.extractors.fenced import blocks
from citeproof.extractors.furniture import unspoken
from citeproof.extractors.lines import Line, is_reference_heading, lines_of
from citeproof.extractors.loose import bare, defined, footnotes, headed, links, listed
from citeproof.extractors.pandoc import front, keyed
from citeproof.extractors.segments import Segment, segments
from citeproof.extractors.spoken import spoken
from citeproof.extractors.tables import rows, tabled
from citeproof.vocabulary import Document, Extraction, Place, Problem, RawReference

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
        r"^\[[^\]\n]{1,60}\]:\s{1,9}<?https?://",
        r"(?<![\w\\])\[[^\[\]\n]{0,99}-?@[\w{]",
        r"^\|.{1,300}\|[ \t]*+\r?\n\|[ :|-]{3,200}\|",
    )
)
_EMPHASIS = re.compile(r"(?<![\w*])\*[^\s*][^*\n]{2,200}\*(?![\w*])")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s{0,3}\*\*[^*]{1,60}\*\*:?\s{0,9}$")
_NO_ENTRY = re.compile(r"\s{0,3}(?:={3,}|-{3,}|\*{3,}|_{3,}|:{3,}.*|</?div.*|<!--.*-->)\s{0,9}$")
_UNDERLINE = re.compile(r"\s{0,3}(?:={3,}|-{3,})\s{0,9}$")


class Markdown:
    """Reads Markdown."""

    name: ClassVar[str] = "markdown"
    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown", ".rmd", ".qmd")
    hostile: ClassVar[bool] = False

    def recognises(self, document: Document) -> float:
        """Return how many of Markdown's signs the content shows."""
        text = sample(document)
        signs = sum(bool(sign.search(text)) for sign in _SIGNS)
        weak = 0.1 * bool(_EMPHASIS.search(text))
        return min(0.9, 0.25 + 0.2 * signs + weak) if text.strip() else 0.0

    def extract(self, document: Document) -> Extraction:
        """Return the references: those cited by key first, then the others in the document's order."""
        decoded = decode(document, MAX_RUNNING)
        problems = list(decoded.problems)
        matter = front(decoded)
        every = [
            replace(line, text="") if line.start < matter.end else line for line in lines_of(decoded.text)
        ]
        lines = _unfenced(every)
        problems += endless(decoded, lines)
        masked = _masked(decoded, lines)
        by_key, wrong, keys = keyed(document, decoded, matter, masked)
        used: set[int] = set()
        found, numbered = _found(lines, used, masked)
        if keys and not by_key and numbered and not matter.bibliographies and _sections(lines):
            message = "keys are cited and no bibliography is named; the printed list was read"
            wrong, keys = [Problem(Place(file=document.name, line=1), message, note=True)], 0
        problems += wrong
        printed = references(decoded, found, {}, problems)
        fenced: list[RawReference] = []
        if not by_key:
            fenced, told = blocks(decoded, printed)
            problems += told
            printed = sorted([*printed, *fenced], key=lambda one: one.place.start or 0)
        refuse_flood(len(by_key) + len(printed), document.name)
        body = running(decoded, lines, used)
        problems += gaps(numbered, decoded)
        listed_to = expected(numbered)
        counted = listed_to + len(fenced) if listed_to else None
        counted = keys + max(counted or 0, len(printed)) if keys else counted
        kept = (*(replace(one, citing=_heard(one.citing)) for one in by_key), *attach(printed, spoken(body)))
        return Extraction(kept, tuple(problems), counted or None, self.name)


def _found(lines: list[Line], used: set[int], masked: str) -> tuple[list[Segment], list[Segment]]:
    """Return the references that stand in the document, and those of them that are one numbered list."""
    notes = [*footnotes(lines, used), *defined(lines, used)]
    in_tables = rows(lines, used)
    sections = _sections(lines)
    no_entries = used | tabled(lines)
    under = [s for start, end in sections for s in _entries(lines, range(start, end), no_entries)]
    used.update(index for start, end in sections for index in range(start - 1, end))
    announced = under or [one for one in in_tables if _stands_in(one, lines, sections)]
    loose = [] if announced else [*headed(lines, used), *listed(lines, used)]
    known = [*under, *notes, *in_tables, *loose]
    if not known and (known := bare(lines)):
        used.update(range(len(lines)))
    linked = links(lines, used, known)
    sentences = Sentences(masked[:MAX_BODY]) if linked else None
    for segment in linked:
        told = sentences.at([segment.start]) if sentences and segment.start < MAX_BODY else ()
        known.append(replace(segment, citing=_heard(told)))
    return sorted(known, key=lambda segment: segment.start), under or loose or in_tables


def _stands_in(one: Segment, lines: list[Line], sections: list[tuple[int, int]]) -> bool:
    return any(lines[low].start <= one.start < lines[high - 1].end for low, high in sections if low < high)


def _masked(decoded: Decoded, lines: list[Line]) -> str:
    """Return the text with all that was emptied blanked; offsets stay."""
    parts: list[str] = []
    at = 0
    for line in lines:
        if line.text or line.end == line.start:
            continue
        parts += [decoded.text[at : line.start], " " * (line.end - line.start)]
        at = line.end
    return "".join([*parts, decoded.text[at:]])


def _heard(sentences: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(spoken(sentence) for sentence in sentences))


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
    """Return the entries of one section; rules, divisions, footnotes and an answer's remarks are none."""
    emptied = [
        replace(lines[i], text="") if i in noted or _NO_ENTRY.match(lines[i].text) else lines[i] for i in span
    ]
    return segments(unspoken(emptied))


EXTRACTOR = Markdown()
