"""Where a reference list in running text ends before a heading that is not known: of an appendix, a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.prose.entry_starts import has_leading_name
from citeproof.reading.extractors.prose.text_lines import TextLine
from citeproof.text import dates
from citeproof.text import lazy_patterns as re

_SECTION = re.compile(
    r"(?:[A-Z]|[A-Z]?\.?\d{1,2}(?:\.\d{1,2}){1,3}|[A-Z](?:\.\d{1,2}){1,3})[.)]?\s{1,4}[^\W\d_a-z]"
)
_CAPTION = re.compile(
    r"(?:Table|Figure|Fig\.|Tab\.|Tabelle|Abbildung|Abb\.|Tableau|Tabla|Figura)\s[A-Z]?\.?\d{1,3}[.:]"
)
_NUMBERED = re.compile(r"\s{0,12}(?:([\[(])(\d{1,4})[\])]|(\d{1,4})[.)])\s")
_LONGEST = 80  # characters of a heading
_MOST_WORDS = 8  # of a heading that no number marks
_BLOCK = 6  # lines of an entry that are examined
_FEWEST = 2  # references before it


def find_list_end(lines: Sequence[TextLine], start: int, end: int) -> int:
    """Return where the list in lines [start, end) ends: before a heading behind which no reference begins."""
    numbers = {index: _read_number(lines[index].text) for index in range(start, end)}
    starts = [
        index
        for index in range(start, end)
        if _is_start(lines[index : min(end, index + _BLOCK)], numbers[index])
    ]
    if len(starts) < _FEWEST:
        return end
    last = starts[-1]
    counted = max((number for index, number in numbers.items() if index <= last), default=0)
    for index in range(last + 1, end):
        if numbers[index] == counted + 1 > 1:
            counted += 1  # an entry without a year
        elif lines[index - 1].blank and _is_heading(lines, index, end):
            rest = range(index + 1, end)
            return end if any(numbers[later] == counted + 1 > 1 for later in rest) else index
    return end


def _read_number(text: str) -> int:
    match = _NUMBERED.match(text)
    return int(match[2] or match[3]) if match else 0


def _is_start(lines: Sequence[TextLine], number: int) -> bool:
    """Return whether the first line begins a reference: by a number or names, and a year or identifier."""
    if not number and not has_leading_name(lines[0].text):
        return False
    block = takewhile(lambda line: not line.blank, lines)
    return is_likely_reference(" ".join(line.text for line in block))


def _is_heading(lines: Sequence[TextLine], index: int, end: int) -> bool:
    text = lines[index].text.strip()
    if not text or len(text) > _LONGEST or dates.find_years(text):
        return False
    if _CAPTION.match(text):
        return True
    if text[-1] in ".,;" or "," in text:
        return False
    if _SECTION.match(text):
        return True
    words = [word for word in text.split() if len(word) > 3]
    titled = bool(words) and all(word[0].isupper() for word in words) and text[-1].isalpha()
    below = " ".join(line.text for line in lines[index + 1 : min(end, index + _BLOCK)])
    titled = titled and len(text.split()) <= _MOST_WORDS and not has_leading_name(text)
    return titled and bool(below.strip()) and not is_likely_reference(below)
