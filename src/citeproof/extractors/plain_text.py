"""Plain text in any citation style: the reference lists under their headings, or a file that is one.

What pasting leaves behind is taken off first: quote marks, page numbers, running heads (`furniture.py`).
"""

from __future__ import annotations

import re
from typing import ClassVar

from citeproof.extractors.citing import attach
from citeproof.extractors.decode import MAX_RUNNING, Decoded, decode, refuse_flood
from citeproof.extractors.entries import endless, expected, gaps, references, running
from citeproof.extractors.furniture import cleared, unspoken
from citeproof.extractors.lines import Line, ends_references, is_reference_heading, lines_of
from citeproof.extractors.loose import links, listed
from citeproof.extractors.segments import Segment, looks_whole, segments
from citeproof.extractors.spoken import about_itself
from citeproof.vocabulary import Document, Extraction, Problem, RawReference

_PROSE = 600  # characters; a longer entry without year or identifier is a paragraph, not a reference
_HEADING = "put the references under a line that says References"


class PlainText:
    """Reads plain text."""

    name: ClassVar[str] = "plain_text"
    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".text")
    hostile: ClassVar[bool] = False

    def recognises(self, document: Document) -> float:
        """Return a low certainty: every text is plain text, and most are something more."""
        return 0.3 if document.data.strip() else 0.2

    def extract(self, document: Document) -> Extraction:
        """Return the entries under the reference headings, or all entries if there is none."""
        decoded = decode(document, MAX_RUNNING)
        problems = list(decoded.problems)
        lines = list(lines_of(decoded.text))
        problems += endless(decoded, lines)
        lines = cleared(lines)
        sections = _sections(lines)
        if not sections:
            kept, count = _headless(decoded, lines, problems)
            return Extraction(kept, tuple(problems), count, self.name)
        listings = [(start, end, segments(unspoken(lines[start:end]))) for start, end in sections]
        listings = [one for one in listings if _is_list(one[2])] or listings[-1:]
        found: list[RawReference] = []
        for _, _, entries in listings:
            found += references(decoded, entries, {}, problems, len(found) + 1)
            problems += gaps(entries, decoded)
        refuse_flood(len(found), document.name)
        inside = {at for start, end, _ in listings for at in range(start - 1, end)}
        body = running(decoded, lines, inside)
        counts = [count for _, _, entries in listings if (count := expected(entries))]
        return Extraction(attach(found, body), tuple(problems), sum(counts) or None, self.name)


def _headless(
    decoded: Decoded, lines: list[Line], problems: list[Problem]
) -> tuple[tuple[RawReference, ...], int | None]:
    """Return the references of a text without reference heading, and what it counts up to."""
    used: set[int] = set()
    found = segments(unspoken(lines))
    if _talks(lines) and not _is_list(found) and (told := listed(lines, used)):
        found = sorted([*told, *links(lines, used, told)], key=lambda segment: segment.start)
        kept = references(decoded, found, {}, problems)
        problems += gaps(told, decoded)
        return attach(kept, running(decoded, lines, used)), expected(told)
    found, prose = _sorted_out(found)
    problems += [
        Problem(decoded.place(s.start, s.end), "a paragraph, not a reference", _HEADING, s.text[:500])
        for s in prose
    ]
    kept = references(decoded, found, {}, problems)
    problems += gaps(found, decoded)
    return tuple(kept), expected(found)


def _talks(lines: list[Line]) -> bool:
    """Return whether the text is an answer or letter in someone's own voice around its references."""
    return any(about_itself(line.text) for line in lines if not line.blank)


def _sections(lines: list[Line]) -> list[tuple[int, int]]:
    """Return the spans of lines under reference headings."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for index, line in enumerate(lines):
        announced = is_reference_heading(line.text)
        if start is not None and (announced or ends_references(line.text)):
            found.append((start, index))
            start = None
        if announced:
            start = index + 1
    if start is not None:
        found.append((start, len(lines)))
    return [
        (low, high) for low, high in found if any(not line.blank for line in lines[low : min(high, low + 50)])
    ]


def _is_list(found: list[Segment]) -> bool:
    """Return whether what stands under a heading is a list of references: half of it looks like it."""
    return bool(found) and 2 * sum(looks_whole(segment.text) for segment in found) >= len(found)


def _sorted_out(found: list[Segment]) -> tuple[list[Segment], list[Segment]]:
    """Part entries from paragraphs, in a file that has no heading to go by."""
    is_prose = [len(s.text) > _PROSE and not s.label and not _citation(s.text) for s in found]
    kept = [segment for segment, prose in zip(found, is_prose, strict=True) if not prose]
    return kept, [segment for segment, prose in zip(found, is_prose, strict=True) if prose]


def _citation(text: str) -> bool:
    sentences = len(re.findall(r"[a-z]{3}[.!?]\s[A-Z]", text[:3000]))
    return looks_whole(text) and sentences < 8


EXTRACTOR = PlainText()
