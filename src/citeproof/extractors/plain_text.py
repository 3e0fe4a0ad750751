"""Plain text in any citation style: a reference list under its heading, or a file that is one."""

from __future__ import annotations

import re
from typing import ClassVar

from citeproof.extractors.citing import citing
from citeproof.extractors.decode import decode
from citeproof.extractors.entries import endless, expected, gaps, references
from citeproof.extractors.lines import Line, ends_references, is_reference_heading, lines_of
from citeproof.extractors.segments import Segment, looks_whole, segments
from citeproof.vocabulary import Document, Extraction, Problem

_PROSE = 600  # characters; a longer entry without year or identifier is a paragraph, not a reference


class PlainText:
    """Reads plain text."""

    name: ClassVar[str] = "plain_text"
    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".text")
    hostile: ClassVar[bool] = False

    def recognises(self, document: Document) -> float:
        """Return a low certainty: every text is plain text, and most are something more."""
        return 0.3 if document.data.strip() else 0.2

    def extract(self, document: Document) -> Extraction:
        """Return the entries under the last reference heading, or all entries if there is none."""
        decoded = decode(document)
        problems = list(decoded.problems)
        lines = list(lines_of(decoded.text))
        problems += endless(decoded, lines)
        start, end = _section(lines)
        found = segments(lines[start:end])
        if start == 0:
            found, prose = _sorted_out(found)
            problems += [
                Problem(decoded.place(s.start, s.end), "a paragraph, not a reference", _HEADING, s.text[:500])
                for s in prose
            ]
        cited = citing(decoded.text[: lines[start].start]) if 0 < start < len(lines) else {}
        kept = references(decoded, found, cited, problems)
        problems += gaps(found, decoded)
        return Extraction(tuple(kept), tuple(problems), expected(found), self.name)


_HEADING = "put the references under a line that says References"


def _section(lines: list[Line]) -> tuple[int, int]:
    """Return the span of lines of the last reference list; the whole file if no heading is found."""
    start = 0
    for index, line in enumerate(lines):
        if is_reference_heading(line.text) and any(
            not later.blank for later in lines[index + 1 : index + 50]
        ):
            start = index + 1
    if start:
        for index in range(start, len(lines)):
            if ends_references(lines[index].text):
                return start, index
    return start, len(lines)


def _sorted_out(found: list[Segment]) -> tuple[list[Segment], list[Segment]]:
    """Part entries from paragraphs, in a file that has no heading to go by."""
    is_prose = [len(s.text) > _PROSE and not s.label and not _citation(s.text) for s in found]
    kept = [segment for segment, prose in zip(found, is_prose, strict=True) if not prose]
    return kept, [segment for segment, prose in zip(found, is_prose, strict=True) if prose]


def _citation(text: str) -> bool:
    sentences = len(re.findall(r"[a-z]{3}[.!?]\s[A-Z]", text[:3000]))
    return looks_whole(text) and sentences < 8


EXTRACTOR = PlainText()
