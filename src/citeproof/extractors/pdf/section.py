"""Where a document lists its references: the stretches of lines that are such lists, cut into entries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from citeproof.extractors.lines import ends_references, is_reference_heading
from citeproof.extractors.pdf import signs
from citeproof.extractors.pdf.fitting import fitted
from citeproof.extractors.pdf.segment import Entry, entries
from citeproof.extractors.pdf.shape import Line

_SPACED = re.compile(r"(?:[^\W\d_] ){3,}[^\W\d_]\b")
_RUN_IN = re.compile(r"([^\W\d_][^\W\d_ ]{5,20}(?: [^\W\d_]{3,20}){0,2})[.:]?\s+(?=\[1\]|1\.\s|\(1\)\s)")
_LOOK = 40  # lines behind a heading that tell whether a list follows
_FEWEST = 5  # references make a list that no heading announces
_SPARSE = 8  # lines without a beginning end such a list
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
    for position, index in enumerate(headings):
        if index < taken:
            continue
        following = headings[position + 1 :]
        stop = next((other for other in following if _listed(lines, other)), len(lines))
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
    one = _read(lines, _first_entry(lines, start) - 1, len(lines))
    one.heading = None
    one.lines.discard(start - 1)
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
    if _SPACED.search(text):
        text = _SPACED.sub(lambda match: match[0].replace(" ", ""), text)
    if is_reference_heading(text):
        return True
    if not (line.bold or text.isupper()) or len(text) > 60 or text[-1:] in ".,;" or not text[:1].isalnum():
        return False
    return any(is_reference_heading(word) for word in text.replace(":", " ").split() if len(word) > 7)


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
    breaks = [i for i in range(heading + 1, stop) if _stands_out(lines, i, usual)]
    start = heading + 1
    for end in [*breaks, stop]:
        if end > start:
            found, way = entries(lines[start:end])
            found = _without_tail(fitted(found), way)
            if not _is_list(found, one):
                if end - start > 3 or one.entries:
                    break
            else:
                one.entries += found
                one.way = one.way or way
                one.lines.update(range(start, end))
        if end < stop:
            if ends_references(lines[end].text):
                break
            one.lines.add(end)
        start = end + 1
    return one


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
