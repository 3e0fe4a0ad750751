"""Generated text as it comes -> whole sentences and whole reference entries, in order, nothing lost.

An entry of a reference list is a line; a sentence of prose ends where the next begins. What may still go on
is kept back. Joined again, the segments are the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeproof.extractors.prose.entry_segments import is_likely_reference
from citeproof.extractors.prose.entry_starts import has_leading_name
from citeproof.extractors.prose.sentence_spans import find_sentence_spans
from citeproof.extractors.prose.text_lines import is_reference_heading

LONGEST = 100_000  # characters of one segment; a longer one is cut
LONGEST_BRACKET = 3000  # characters of a sentence that ends inside brackets, with what follows
_ENTRY_MARK = re.compile(r"\s{0,12}(?:\[\^?\w{1,30}\]:?|\d{1,3}[.)]|[-*+•])\s")
_LABEL = re.compile(r"\s{0,12}(?:\[\^?(\w{1,30})\]:?|(\d{1,3})[.)])\s")


@dataclass(frozen=True, slots=True)
class TextSegment:
    """One sentence, or one entry of a reference list with the label that the text knows it by."""

    text: str
    entry: bool = False
    label: str = ""
    start: int = 0  # where the entry begins, behind its label


class SegmentReader:
    """Takes chunks and gives whole segments."""

    def __init__(self) -> None:
        self._left = ""
        self._scanned = 0  # characters of it that were looked at
        self._in_list = False

    def feed(self, chunk: str) -> list[TextSegment]:
        """Return the segments that are whole now."""
        self._left += chunk
        found: list[TextSegment] = []
        while "\n" in self._left:
            line, _, rest = self._left.partition("\n")
            found += self._read_line(line + "\n")
            self._left, self._scanned = rest, 0
        if len(self._left) > LONGEST:
            found.append(TextSegment(self._left, self._in_list))
            self._left = ""
        if len(self._left) - self._scanned < len(self._left) // 16 or self._is_open_entry(self._left):
            return found  # a long sentence is not read again for each word of it
        whole = _list_spans(self._left)[:-1]  # the last may go on
        found += [TextSegment(self._left[start:end]) for start, end in whole]
        self._left = self._left[whole[-1][1] :] if whole else self._left
        self._scanned = len(self._left)
        return found

    def finish(self) -> list[TextSegment]:
        """Return what is left."""
        left, self._left = self._left, ""
        return self._read_line(left) if left else []

    def _read_line(self, line: str) -> list[TextSegment]:
        if is_reference_heading(line):
            self._in_list = True
            return [TextSegment(line)]
        if not line.strip():
            return [TextSegment(line)]
        if line.lstrip().startswith("#"):
            self._in_list = False
        if self._in_list or _is_entry(line):
            return [TextSegment(line, True, _read_label(line), len(line) - len(_strip_mark(line)))]
        return [TextSegment(line[start:end]) for start, end in _list_spans(line)]

    def _is_open_entry(self, line: str) -> bool:
        """Return whether a line that has begun may be an entry: then it is read as a whole."""
        return self._in_list or bool(_ENTRY_MARK.match(line)) or has_leading_name(line)


def _list_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences are; one does not end inside brackets, as in the title of a link."""
    spans: list[tuple[int, int]] = []
    for start, end in find_sentence_spans(text):
        if spans and _has_open_bracket(text, *spans[-1]) and end - spans[-1][0] <= LONGEST_BRACKET:
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return spans


def _has_open_bracket(text: str, start: int, end: int) -> bool:
    return any(text.count(one, start, end) > text.count(other, start, end) for one, other in ("[]", "()"))


def _is_entry(line: str) -> bool:
    """Return whether a line outside of a list is a reference: it begins with a name and has a year."""
    body = _strip_mark(line)
    return has_leading_name(body) and is_likely_reference(body)


def _strip_mark(line: str) -> str:
    mark = _ENTRY_MARK.match(line)
    return line[mark.end() :] if mark else line


def _read_label(line: str) -> str:
    label = _LABEL.match(line)
    return (label[1] or label[2]) if label else ""
