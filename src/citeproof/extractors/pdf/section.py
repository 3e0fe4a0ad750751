"""Where a document lists its references: the stretches of lines that are such lists, cut into entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from citeproof.extractors.lines import ends_references, is_reference_heading
from citeproof.extractors.pdf import signs
from citeproof.extractors.pdf.fitting import fitted
from citeproof.extractors.pdf.segment import Entry, entries
from citeproof.extractors.pdf.shape import Line

_SPACED = re.compile(r"(?:[^\W\d_] ){3,}[^\W\d_]\b")
_SINGLE = re.compile(r" [^\W\d_] [^\W\d_] ")  # in every text that is spaced out, and found sooner
_RUN_IN = re.compile(r"([^\W\d_][^\W\d_ ]{5,20}(?: [^\W\d_]{3,20}){0,2})[.:]?\s+(?=\[1\]|1\.\s|\(1\)\s)")
_PART = re.compile(
    r"(?i) (?:[IVX]{1,5}|\(?(?:cont(?:inued|['’]d|\.)?|forts\.|suite|\d{1,2}/\d{1,2})\)?)$"
)  # slides
_LOOK = 40  # lines behind a heading that tell whether a list follows
_FEWEST = 5  # references make a list that no heading announces
_SPARSE = 8  # lines without a beginning end such a list
_COUNTED = re.compile(r"[\[(](\d{1,4})[\])]\s?[^\W\d_]|(\d{1,4})\.\s[^\W\d_]")
_TRIES = 20  # places where a numbered list may go on are tried
_SECTION = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z]|[IVX]{1,5})[.)]? {1,3}[^\W\d_a-z]")
_OWN = 3  # references at least make a list under a heading of another chapter
_RUN = 3  # lines of prose at least are a text of their own
_FIRST = re.compile(r"[\[(]?1[\])]?[.)]?\s?[^\W\d_]")
_STRAY = 5  # entries in a row that are no references end a list


@dataclass(slots=True)
class List:
    """One reference list: its entries, how it was cut, and the lines it takes from the document."""

    entries: list[Entry]
    way: str
    heading: Line | None = None
    lines: set[int] = field(default_factory=set)  # indexes in the document


class Usual(NamedTuple):
    """What is usual in a list: the size of its letters, the width of its lines."""

    size: float
    width: float


def lists(lines: Sequence[Line]) -> list[List]:
    """Return the reference lists of a document in order."""
    headings = [i for i, line in enumerate(lines) if _announces(line)]
    found: list[List] = []
    taken = -1
    stops = [len(lines)] * len(headings)  # the next heading that a list follows
    for position in range(len(headings) - 1, 0, -1):
        other = headings[position]
        stops[position - 1] = other if _listed(lines, other) else stops[position]
    for index, stop in zip(headings, stops, strict=True):
        if index < taken:
            continue
        one = _read(lines, index, stop)
        if one.entries:
            found.append(one)
            taken = max(one.lines)
    return found


def unannounced(lines: Sequence[Line]) -> list[List]:
    """Return the list of a document that has no heading over it, found by what its lines look like."""
    start = _counted_from(lines)
    if start is None:
        start = _dense_from(lines)
    if start is None:
        return []
    above = _first_entry(lines, start) - 1
    one = _read(lines, above, len(lines))
    one.heading = None
    one.lines.discard(above)
    return [one] if len(one.entries) >= _FEWEST and _share(one.entries) >= 0.7 else []


def _first_entry(lines: Sequence[Line], start: int) -> int:
    """Return where the block begins that holds `start`: its first entry may begin with an odd name."""
    at = start
    below = lines[start + 1].base - lines[start].base if start + 1 < len(lines) else 0.0
    usual = max(1.7 * lines[start].size, 1.15 * below)
    while at > 0 and start - at < 6:
        above, line = lines[at - 1], lines[at]
        beside = above.page == line.page and above.column == line.column
        if not beside or line.base - above.base > usual or abs(above.size - line.size) > 1:
            break
        at -= 1
    text = " ".join(line.text for line in lines[at:start])
    return at if 0 < start - at < 6 and signs.is_reference(text) else start


def _counted_from(lines: Sequence[Line]) -> int | None:
    """Return the last line where numbered references begin to count from one."""
    for start in reversed([i for i, line in enumerate(lines) if _FIRST.match(line.text)]):
        found, way = entries(lines[start : start + 60])
        if way == "number" and len(found) >= _FEWEST and _share(found[:-1]) >= 0.75:
            return start
    return _going_on(lines)


def _going_on(lines: Sequence[Line]) -> int | None:
    """Return where references begin that count on from a page before the document: [7], [8], ..."""
    marks = [
        (i, int(match[1] or match[2])) for i, line in enumerate(lines) if (match := _COUNTED.match(line.text))
    ]
    tried = 0
    for position, (start, number) in enumerate(marks):
        ahead = [n for i, n in marks[position + 1 : position + 1 + _FEWEST] if i - start < _LOOK]
        if ahead[:2] != [number + 1, number + 2]:
            continue
        found, way = entries(lines[start : start + 60])
        if way == "number" and len(found) >= _FEWEST and _share(found[:-1]) >= 0.75:
            return start
        tried += 1
        if tried == _TRIES:
            break
    return None


def _dense_from(lines: Sequence[Line]) -> int | None:
    """Return where the last stretch begins in which every few lines begin with names and hold a year."""
    starts = [
        i
        for i, line in enumerate(lines)
        if signs.begins(line.text) and signs.YEAR.search(" ".join(one.text for one in lines[i : i + 4]))
    ]
    runs: list[list[int]] = []
    for i in starts:
        if runs and i - runs[-1][-1] <= _SPARSE:
            runs[-1].append(i)
        else:
            runs.append([i])
    best = max(runs, key=len, default=[])
    return best[0] if len(best) >= _FEWEST else None


def _announces(line: Line) -> bool:
    """Return whether a line is a heading over references, also one with its letters spaced out."""
    text = line.text
    if len(text) > 90:
        return False
    if _SINGLE.search(text):
        text = _SPACED.sub(lambda match: match[0].replace(" ", ""), text)
    if is_reference_heading(_PART.sub("", text)):
        return True
    if not (line.bold or text.isupper()) or len(text) > 60 or text[-1:] in ".,;" or not text[:1].isalnum():
        return False
    words = text.replace(":", " ").split()
    # "Reference Format" is none: only the last word may be in the singular
    return any(
        is_reference_heading(word)
        for i, word in enumerate(words)
        if len(word) > 7 and (word.lower() != "reference" or i == len(words) - 1)
    )


def _listed(lines: Sequence[Line], heading: int) -> bool:
    """Return whether what follows a heading begins like a reference list."""
    ahead = [line for line in lines[heading + 1 : heading + 1 + _LOOK] if not _announces(line)]
    found, _ = entries(ahead)
    return _share(found[:6]) >= 0.5


def _share(found: Sequence[Entry]) -> float:
    """Return which part of the entries are references; one sign is enough for those under a mark."""
    return sum(
        signs.is_reference(entry.rough) or (bool(entry.label) and signs.weight(entry.rough) >= 1)
        for entry in found
    ) / max(len(found), 1)


def _read(lines: Sequence[Line], heading: int, stop: int) -> List:
    """Return the list under a heading: group after group between further headings, while they are lists."""
    one = List([], "", lines[heading], {heading})
    body = lines[heading + 1 : min(heading + 400, stop)]
    usual = Usual(_median([line.size for line in body]), _median([line.right - line.margin for line in body]))
    start = heading + 1
    for end in _breaks(lines, heading, stop, usual):
        notes = _footnotes(lines, start, end, usual)
        group = {id(lines[i]): i for i in range(start, end) if i not in notes}
        if group:
            found, way = entries([lines[i] for i in group.values()])
            found = _without_prose(_without_tail(fitted(found), way))
            if not _is_list(found, one) or (one.entries and _strange(lines, start - 1, heading, found)):
                if end - start > 3 or one.entries:
                    break
            else:
                one.entries += found
                one.way = one.way or way
                one.lines.update(range(start, 1 + max(group[id(line)] for e in found for line in e.lines)))
        if end < stop:
            if ends_references(lines[end].text):
                break
            one.lines.add(end)
        start = end + 1
    return one


def _breaks(lines: Sequence[Line], heading: int, stop: int, usual: Usual) -> Iterator[int]:
    """Yield where the lines under a heading are parted by further headings, and where they end."""
    yield from (i for i in range(heading + 1, stop) if _stands_out(lines, i, usual))
    yield stop


def _footnotes(lines: Sequence[Line], start: int, end: int, usual: Usual) -> set[int]:
    """Return which lines are footnotes below a list in larger print: runs in which a raised number stands."""
    found: set[int] = set()
    run: list[int] = []
    for i in range(start, end + 1):
        if i < end and lines[i].note and lines[i].size < 0.9 * usual.size:
            run.append(i)
            continue
        if any(lines[j].numbered for j in run):
            found.update(run)
        run = []
    return found


def _strange(lines: Sequence[Line], above: int, heading: int, found: Sequence[Entry]) -> bool:
    """Return whether the heading at `above` ranks with the list's own, and what follows it is no list."""
    line, first = lines[above], lines[heading]
    large = line.size > 1.1 * found[0].lines[0].size
    ranks = large and line.size > 0.95 * first.size and line.bold == first.bold
    if _announces(line) or not (ranks or _SECTION.match(line.text)):
        return False
    return len(found) < _OWN or _share(found) < 0.8


def _without_prose(found: list[Entry]) -> list[Entry]:
    """Return the entries, the last one without the text that begins where it has ended."""
    if not found:
        return found
    lines = found[-1].lines
    for at in range(1, len(lines) - _RUN + 1):
        before, line = lines[at - 1], lines[at]
        apart = before.page != line.page or before.column != line.column or line.left < before.left - 3
        if apart and before.text[-1:] in ".)]" and not signs.begins(line.text):
            rest = " ".join(one.text for one in lines[at : at + 12])
            if signs.is_running_text(rest):
                found[-1].lines = lines[:at]
                break
    return found


def _is_list(found: Sequence[Entry], so_far: List) -> bool:
    if not found:
        return False
    share = _share(found)
    if so_far.entries and found[0].label.isdecimal() and so_far.entries[-1].label.isdecimal():
        return int(found[0].label) == int(so_far.entries[-1].label) + 1 or share >= 0.5
    if so_far.entries and not found[0].label:  # behind a further heading there may be text that cites
        share = min(share, 1.5 * sum(signs.begins(entry.rough) for entry in found) / len(found))
    return share >= (0.6 if so_far.entries else 0.4)


def _stands_out(lines: Sequence[Line], index: int, usual: Usual) -> bool:
    """Return whether a line inside a list is a heading: by its words, or set apart by font and white."""
    line = lines[index]
    text = line.text
    if len(text) > 90 or not any(c.isalpha() for c in text):
        return False
    if ends_references(text) or _announces(line):
        return True
    if signs.YEAR.search(text) or text[-1:] in "\x02,;" or text[:1].islower():
        return False
    before = lines[index - 1]
    beside = before.page == line.page and before.column == line.column
    white = not beside or line.base - before.base > 1.35 * min(line.size, before.size)
    large = line.size > 1.1 * usual.size
    if line.bold and not before.bold:
        return white and (large or not signs.begins(text))
    if large and line.size > 1.12 * before.size:  # a recognised scan has letters of all sizes
        return white and not signs.begins(text) and line.right - line.margin < 0.85 * usual.width
    return text.isupper() and white and len(text) < 60 and "," not in text and not text[0].isdigit()


def _without_tail(found: list[Entry], way: str) -> list[Entry]:
    """Return the entries without what follows the list under no heading: biographies, tables, an advert."""
    for index, entry in enumerate(found):
        if index and entry.label == "1" and _share(found[index:]) < 0.6:  # something else that is numbered
            found = found[:index]
            break
    run = 0
    for index, entry in enumerate(found):
        run = 0 if signs.is_reference(entry.rough) else run + 1
        if run >= _STRAY and _share(found[index - run + 1 :]) < 0.34 and way not in ("number", "label"):
            found = found[: index - run + 1]
            break
    while found and way not in ("number", "label") and not signs.is_reference(found[-1].rough):
        found = found[:-1]
    return found


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0
