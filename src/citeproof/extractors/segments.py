"""The lines of a reference list to its entries: numbered, bulleted, spaced, hanging or one per line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citeproof.extractors.lines import Line
from citeproof.text import dates, ids

MAX_ENTRY = 5000  # characters of one entry that are kept

_NUMBER = re.compile(r"\s{0,12}(?:\[(\d{1,4})\]\.?|\((\d{1,4})\)|(\d{1,4})[.)])\s{1,9}(?=\S)")
_LABEL = re.compile(r"\s{0,12}\[([A-Za-z][\w+.:-]{1,30})\]\s{1,9}(?=\S)")
_BULLET = re.compile(r"\s{0,12}[-*+•·–◦▪]\s{1,9}(?=\S)")
_BROKEN_WORD = re.compile(r"(?<![-\w])[^\W\d_]{2,}-$|[^\W\d_]\u00ad$")
_AUTHOR_START = re.compile(
    r"[^\Wa-z_][\w'’-]{1,30},\s[^\Wa-z_]|[^\Wa-z_]\.\s?[^\Wa-z_]|[^\Wa-z_][\w'’-]{1,30}\s[A-Z]{1,3}[,.]"
)
_LIST_SHARE = 0.6  # of the lines must look whole before each line is taken as one entry
_GAP = 20  # printed numbers may jump so far; a larger jump is a year or a page


@dataclass(frozen=True, slots=True)
class Segment:
    """One entry: its words on one line, where it stands, and its printed number or label."""

    text: str
    start: int
    end: int
    label: str = ""


def segments(lines: Sequence[Line]) -> list[Segment]:
    """Return the entries of a reference list, cut in the way its lines ask for."""
    filled = [line for line in lines if not line.blank]
    if not filled:
        return []
    for marker in (_NUMBER, _LABEL, _BULLET):
        if (
            marker.match(filled[0].text)
            or sum(bool(marker.match(line.text)) for line in filled) > len(filled) // 2
        ):
            return _marked(lines, marker)
    starts = _unmarked_starts(lines)
    return _grouped(lines, starts, None)


def _marked(lines: Sequence[Line], marker: re.Pattern[str]) -> list[Segment]:
    """Cut before each marker; a number that does not go on counting is part of the text."""
    starts: set[int] = set()
    last = 0
    indent = None
    for index, line in enumerate(lines):
        match = marker.match(line.text)
        if not match:
            continue
        if marker is _NUMBER:
            number = int(next(group for group in match.groups() if group))
            if starts and not last < number <= last + _GAP:
                continue
            last = number
        elif marker is _BULLET:
            indent = line.indent if indent is None else indent
            if line.indent > indent + 1:
                continue
        starts.add(index)
    return _grouped(lines, starts, marker)


def _unmarked_starts(lines: Sequence[Line]) -> set[int]:
    """Return which lines begin an entry where nothing is printed before them."""
    filled = [index for index, line in enumerate(lines) if not line.blank]
    whole = sum(looks_whole(lines[index].text) for index in filled)
    if whole >= _LIST_SHARE * len(filled) and not any(lines[i].indent for i in filled[1:]):
        return set(filled)
    margin = min(lines[index].indent for index in filled)
    flush = {index for index in filled if lines[index].indent == margin}
    after_blank = {index for index in filled if index == filled[0] or lines[index - 1].blank}
    if len(flush) < len(filled) and after_blank <= flush:
        return flush  # hanging indent: what is indented goes on
    if len(after_blank) > 1:
        return after_blank
    return {i for i in filled if i == filled[0] or _begins(lines[i - 1].text, lines[i].text)}


def _begins(before: str, line: str) -> bool:
    """Return whether `line` begins an entry after `before`: that one ended, this one has names."""
    return before.rstrip()[-1:] in ".)]" and _AUTHOR_START.match(line.lstrip()) is not None


def _grouped(lines: Sequence[Line], starts: set[int], marker: re.Pattern[str] | None) -> list[Segment]:
    groups: list[list[Line]] = []
    for index, line in enumerate(lines):
        if index in starts:
            groups.append([line])
        elif groups and not line.blank:
            groups[-1].append(line)
    return [_segment(group, marker) for group in groups]


def _segment(group: list[Line], marker: re.Pattern[str] | None) -> Segment:
    first = group[0]
    match = marker.match(first.text) if marker else None
    label = next((found for found in match.groups() if found), "") if match else ""
    skipped = match.end() if match else first.indent
    text = joined([first.text[skipped:], *(line.text for line in group[1:])])
    return Segment(text[:MAX_ENTRY], first.start + skipped, group[-1].end, label)


def joined(parts: Sequence[str]) -> str:
    """Return lines as one; a word broken at the line end is made whole, a compound keeps its hyphen."""
    whole = ""
    for part in parts:
        word = part.strip()
        if whole and word[:1].islower() and _BROKEN_WORD.search(whole[-60:]):
            whole = whole[:-1] + word
        else:
            whole = f"{whole} {word}" if whole else word
        if len(whole) > 2 * MAX_ENTRY:
            break
    return whole


def looks_whole(text: str) -> bool:
    """Return whether `text` by itself could be a reference: a year or an identifier, and some words."""
    text = text[:MAX_ENTRY]
    return len(text.split()) > 2 and bool(dates.years(text) or ids.from_text(text))
