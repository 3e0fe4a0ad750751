"""Where a document lists its references: the stretches of lines that are such lists, cut into entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median_high
from typing import NamedTuple

from citeproof.reading.extractors.pdf import reference_signs
from citeproof.reading.extractors.pdf.list_entries import PdfEntry, drop_unfitting_lines, split_entries
from citeproof.reading.extractors.pdf.page_layout import PdfLine
from citeproof.reading.extractors.prose.text_lines import is_closing_heading, is_reference_heading
from citeproof.text import lazy_patterns as re

_SPACED = re.compile(r"(?:[^\W\d_] ){3,}[^\W\d_]\b")
_SINGLE = re.compile(r" [^\W\d_] [^\W\d_] ")  # in every text that is spaced out, and found sooner
# Slides
_PART = re.compile(r"(?i) (?:[IVX]{1,5}|\(?(?:cont(?:inued|['’]d|\.)?|forts\.|suite|\d{1,2}/\d{1,2})\)?)$")
_LOOK = 40  # lines behind a heading that tell whether a list follows
_FEWEST = 5  # references make a list that no heading announces
_SPARSE = 8  # lines without a beginning end such a list
_COUNTED = re.compile(r"[\[(](\d{1,4})[\])]\s?[^\W\d_]|(\d{1,4})\.\s[^\W\d_]")
_TRIES = 20  # places where a numbered list may continue are tried
_SECTION = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z]|[IVX]{1,5})[.)]? {1,3}[^\W\d_a-z]")
_OWN = 3  # references at least make a list under a heading of another chapter
_RUN = 3  # lines of prose at least are a text of their own
_FIRST = re.compile(r"[\[(]?1[\])]?[.)]?\s?[^\W\d_]")
_BEHIND = re.compile(
    r"(?i)(?:appendix|appendices|appendice|apéndice|anhang|annexe?|anexo|supplement\w{0,9})\b"
)
_NO_SIGN = -2.0  # the weight of sentences that hold nothing that references hold
_INTERRUPTED = 600  # lines of figures and tables between two entries
_LOST = 4  # numbers may be missing where figures interrupt a list
_STRAY = 5  # entries in a row that are not references end a list
_NEAR = 2.0  # points: the first lines of both columns of a list are at one height
_WHITE = 1.5  # times the size of its letters stand white above a list in the other column
_SAME_SIZE = 0.6  # points
_DENSE = 0.15  # of the lines of a list begin an entry at least
_NUMBER = re.compile(r"[\[(]?(\d{1,4})(?:[\])][.:]?|\.)\s")


@dataclass(slots=True)
class ReferenceList:
    """One reference list: its entries, how it was cut, and the lines it takes from the document."""

    entries: list[PdfEntry]
    way: str
    heading: PdfLine | None = None
    lines: set[int] = field(default_factory=set)  # indexes in the document
    notes: list[PdfEntry] = field(default_factory=list)  # what is among the entries and is not a reference


class UsualSize(NamedTuple):
    """What is usual in a list: the size of its letters, the width of its lines."""

    size: float
    width: float


def order_lists(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the lines of a document in the order in which its reference lists are read."""
    headings = [i for i, line in enumerate(lines) if _is_list_heading(line)]
    if not headings and (start := _find_numbered_start(lines)):  # physics journals print no heading
        headings = [start - 1]
    return order_list_bands(lines, headings)


def find_reference_lists(lines: Sequence[PdfLine]) -> list[ReferenceList]:
    """Return the reference lists of a document in order."""
    headings = [i for i, line in enumerate(lines) if _is_list_heading(line)]
    lists: list[ReferenceList] = []
    taken = -1
    stops = [len(lines)] * len(headings)  # the next heading that a list follows
    for position in range(len(headings) - 1, 0, -1):
        other = headings[position]
        stops[position - 1] = other if _has_list_below(lines, other) else stops[position]
    for index, stop in zip(headings, stops, strict=True):
        if index < taken:
            continue
        listing = _read_list(lines, index, stop)
        if listing.entries:
            lists.append(listing)
            taken = max(listing.lines)
    return lists


def find_unannounced_list(lines: Sequence[PdfLine]) -> list[ReferenceList]:
    """Return the list of a document that has no heading over it, found by what its lines look like."""
    start = _find_numbered_start(lines)
    if start is None:
        start = _find_dense_start(lines)
    if start is None:
        return []
    above = _find_first_entry(lines, start) - 1
    listing = _read_list(lines, above, len(lines))
    listing.heading = None
    listing.lines.discard(above)
    return [listing] if len(listing.entries) >= _FEWEST and _measure_share(listing.entries) >= 0.7 else []


def _find_first_entry(lines: Sequence[PdfLine], start: int) -> int:
    """Return where the block begins that holds `start`: its first entry may begin with an odd name."""
    at = start
    below = lines[start + 1].base - lines[start].base if start + 1 < len(lines) else 0.0
    usual = max(1.7 * lines[start].size, 1.15 * below)
    while at > 0 and start - at < 6:
        above, line = lines[at - 1], lines[at]
        adjacent = above.page == line.page and above.column == line.column
        if not adjacent or line.base - above.base > usual or abs(above.size - line.size) > 1:
            break
        at -= 1
    text = " ".join(line.text for line in lines[at:start])
    return at if 0 < start - at < 6 and reference_signs.is_reference(text) else start


def _find_numbered_start(lines: Sequence[PdfLine]) -> int | None:
    for start in reversed([i for i, line in enumerate(lines) if _FIRST.match(line.text)]):
        entries, way = split_entries(lines[start : start + 60])
        if way == "number" and len(entries) >= _FEWEST and _measure_share(entries[:-1]) >= 0.75:
            return start
    return _find_continued_start(lines)


def _find_continued_start(lines: Sequence[PdfLine]) -> int | None:
    """Return where references begin that count on from a page before the document: [7], [8], ..."""
    counted = ((i, _COUNTED.match(line.text)) for i, line in enumerate(lines))
    marks = [(i, int(match[1] or match[2])) for i, match in counted if match]
    tried = 0
    for position, (start, number) in enumerate(marks):
        ahead = [n for i, n in marks[position + 1 : position + 1 + _FEWEST] if i - start < _LOOK]
        if ahead[:2] != [number + 1, number + 2]:
            continue
        entries, way = split_entries(lines[start : start + 60])
        if way == "number" and len(entries) >= _FEWEST and _measure_share(entries[:-1]) >= 0.75:
            return start
        tried += 1
        if tried == _TRIES:
            break
    return None


def _find_dense_start(lines: Sequence[PdfLine]) -> int | None:
    """Return where the last stretch begins in which every few lines begin with names and hold a year."""
    starts = [
        i
        for i, line in enumerate(lines)
        if reference_signs.is_reference_start(line.text)
        and reference_signs.YEAR.search(" ".join(line.text for line in lines[i : i + 4]))
    ]
    runs: list[list[int]] = []
    for i in starts:
        if runs and i - runs[-1][-1] <= _SPARSE:
            runs[-1].append(i)
        else:
            runs.append([i])
    best = max(runs, key=len, default=[])
    return best[0] if len(best) >= _FEWEST else None


def _is_list_heading(line: PdfLine) -> bool:
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


def _has_list_below(lines: Sequence[PdfLine], heading: int) -> bool:
    ahead = [line for line in lines[heading + 1 : heading + 1 + _LOOK] if not _is_list_heading(line)]
    entries, _ = split_entries(ahead)
    return _measure_share(entries[:6]) >= 0.5


def _measure_share(entries: Sequence[PdfEntry]) -> float:
    """Return which part of the entries are references; one sign is enough for those under a mark."""
    return sum(
        reference_signs.is_reference(entry.rough)
        or (bool(entry.label) and reference_signs.weigh_reference(entry.rough) >= 1)
        for entry in entries
    ) / max(len(entries), 1)


def _read_list(lines: Sequence[PdfLine], heading: int, stop: int) -> ReferenceList:
    """Return the list under a heading: group after group between further headings, while they are lists."""
    listing = ReferenceList([], "", lines[heading], {heading})
    body = lines[heading + 1 : min(heading + 400, stop)]
    usual = UsualSize(
        median_high([line.size for line in body] or [0.0]),
        median_high([line.right - line.margin for line in body] or [0.0]),
    )
    start = heading + 1
    for end in _find_breaks(lines, heading, stop, usual):
        start = _skip_to_number(lines, start, end, listing.entries) or start
        notes = _find_footnote_lines(lines, start, end, usual)
        group = {id(lines[i]): i for i in range(start, end) if i not in notes}
        if group:
            entries, way = split_entries([lines[i] for i in group.values()])
            entries = _drop_trailing_prose(_drop_tail(drop_unfitting_lines(entries), way))
            entries, way = _split_again(entries, way)
            foreign = entries and listing.entries and _is_foreign_section(lines, start - 1, heading, entries)
            if foreign or not _is_list_group(entries, listing):
                ahead = _skip_to_number(lines, end, stop, listing.entries)
                if (end - start > 3 or listing.entries) and ahead is None:
                    break
            else:
                listing.entries += entries
                listing.way = listing.way or way
                listing.lines.update(
                    range(start, 1 + max(group[id(line)] for e in entries for line in e.lines))
                )
        if end < stop:
            if is_closing_heading(lines[end].text):
                break
            listing.lines.add(end)
        start = end + 1
    return listing


def _skip_to_number(
    lines: Sequence[PdfLine], start: int, stop: int, so_far: Sequence[PdfEntry]
) -> int | None:
    """Return where a list that figures interrupt continues: at one of the next numbers in brackets."""
    last = so_far[-1] if so_far else None
    if last is None or not last.label.isdecimal() or not last.lines[0].text.startswith("["):
        return None
    number = int(last.label)
    wanted = {f"[{number + ahead}" for ahead in range(1, _LOST + 2)}
    for i in range(start, min(stop, start + _INTERRUPTED)):
        label = lines[i].text.partition("]")[0]
        if label in wanted:
            return i
        if label == "[1":
            return None  # another list
    return None


def _split_again(entries: list[PdfEntry], way: str) -> tuple[list[PdfEntry], str]:
    """Return a list that words or gaps could cut, cut by its indents, once what is not of it is gone."""
    if way not in ("words", "gap", "fine gap") or len(entries) < _OWN:
        return entries, way
    again, other = split_entries([line for entry in entries for line in entry.lines])
    again = drop_unfitting_lines(again)
    before, after = _measure_share(entries), _measure_share(again)
    better = after > before or (after == before and len(again) > len(entries))
    return (again, other) if other == "hanging" and better else (entries, way)


def _find_breaks(lines: Sequence[PdfLine], heading: int, stop: int, usual: UsualSize) -> Iterator[int]:
    """Yield where the lines under a heading are parted by further headings, and where they end."""
    yield from (i for i in range(heading + 1, stop) if _is_inner_heading(lines, i, usual))
    yield stop


def _find_footnote_lines(lines: Sequence[PdfLine], start: int, end: int, usual: UsualSize) -> set[int]:
    """Return which lines are footnotes below a list in larger print: runs in which a raised number stands."""
    noted: set[int] = set()
    run: list[int] = []
    for i in range(start, end + 1):
        if i < end and lines[i].note and lines[i].size < 0.9 * usual.size:
            run.append(i)
            continue
        if any(lines[j].numbered for j in run):
            noted.update(run)
        run = []
    return noted


def _is_foreign_section(
    lines: Sequence[PdfLine], above: int, heading: int, entries: Sequence[PdfEntry]
) -> bool:
    """Return whether the heading at `above` ranks with the list's own, and what follows it is not a list."""
    line, first = lines[above], lines[heading]
    large = line.size > 1.1 * entries[0].lines[0].size
    ranks = large and line.size > 0.95 * first.size and line.bold == first.bold
    if _is_list_heading(line) or not (ranks or _SECTION.match(line.text)):
        return False
    return len(entries) < _OWN or _measure_share(entries) < 0.8


def _drop_trailing_prose(entries: list[PdfEntry]) -> list[PdfEntry]:
    """Return the entries, the last one without the text that begins where it has ended: an appendix."""
    lines = entries[-1].lines if entries else []
    for at in range(1, len(lines) - _RUN + 1):
        rest = " ".join(line.text for line in lines[at : at + 12])
        if _is_end_of_entry(lines, at) and reference_signs.is_running_text(rest):
            entries[-1].lines = lines[:at]
            break
    return entries


def _is_end_of_entry(lines: Sequence[PdfLine], at: int) -> bool:
    """Return whether the entry may be over before line `at`: by its place and size, or since it is whole."""
    before, line = lines[at - 1], lines[at]
    named = _BEHIND.match(line.text) is not None
    if reference_signs.is_reference_start(line.text) and not named:
        return False
    if before.page != line.page or before.column != line.column or line.left < before.left - 3:
        return before.text[-1:] in ".)]"
    if reference_signs.YEAR.search(" ".join(each.text for each in lines[:at])) is None:
        return False
    resized = abs(line.size - lines[0].size) > 0.15 * lines[0].size
    signless = (
        reference_signs.weigh_reference(" ".join(each.text for each in lines[at : at + 12])) <= _NO_SIGN
    )
    return named or (before.text[-1:] in ".)]" and (resized or signless))


def _is_list_group(entries: Sequence[PdfEntry], so_far: ReferenceList) -> bool:
    if not entries:
        return False
    share = _measure_share(entries)
    if so_far.entries and entries[0].label.isdecimal() and so_far.entries[-1].label.isdecimal():
        return int(entries[0].label) == int(so_far.entries[-1].label) + 1 or share >= 0.5
    if so_far.entries and not entries[0].label:  # behind a further heading there may be text that cites
        begun = sum(reference_signs.is_reference_start(entry.rough) for entry in entries)
        share = min(share, 1.5 * begun / len(entries))
    return share >= (0.6 if so_far.entries else 0.4)


def _is_inner_heading(lines: Sequence[PdfLine], index: int, usual: UsualSize) -> bool:
    """Return whether a line inside a list is a heading: by its words, or set apart by font and white."""
    line = lines[index]
    text = line.text
    if len(text) > 90 or not any(c.isalpha() for c in text):
        return False
    if is_closing_heading(text) or _is_list_heading(line):
        return True
    if reference_signs.YEAR.search(text) or text[-1:] in "\x02,;" or text[:1].islower():
        return False
    before = lines[index - 1]
    adjacent = before.page == line.page and before.column == line.column
    white = not adjacent or line.base - before.base > 1.35 * min(line.size, before.size)
    large = line.size > 1.1 * usual.size
    if line.bold and not before.bold:
        return white and (large or not reference_signs.is_reference_start(text))
    if large and line.size > 1.12 * before.size:  # a recognised scan has letters of all sizes
        short = line.right - line.margin < 0.85 * usual.width
        return white and short and not reference_signs.is_reference_start(text)
    return text.isupper() and white and len(text) < 60 and "," not in text and not text[0].isdigit()


def _drop_tail(entries: list[PdfEntry], way: str) -> list[PdfEntry]:
    """Return the entries without what follows the list under no heading: biographies, tables, an advert."""
    for index, entry in enumerate(entries):
        again = index and entry.label == "1"
        if again and _measure_share(entries[index:]) < 0.6:  # something else that is numbered
            entries = entries[:index]
            break
    if way in ("number", "label"):
        return entries
    run = 0
    for index, entry in enumerate(entries):
        run = 0 if reference_signs.is_reference(entry.rough) else run + 1
        if run >= _STRAY and _measure_share(entries[index - run + 1 :]) < 0.34:
            entries = entries[: index - run + 1]
            break
    while entries and not reference_signs.is_reference(entries[-1].rough):
        entries = entries[:-1]
    return entries


def order_list_bands(lines: Sequence[PdfLine], headings: Sequence[int]) -> list[PdfLine]:
    """Return the lines; those of a further column that are above a list's heading come before it."""
    ordered = list(lines)
    for heading in headings:
        if above := _find_lines_above(ordered, heading):
            ordered[heading : above[-1] + 1] = [*(ordered[i] for i in above), *ordered[heading : above[0]]]
    return ordered


def _find_lines_above(lines: Sequence[PdfLine], heading: int) -> range | None:
    """Return which lines of the next column are the end of the text above the list, None if none are."""
    first = lines[heading]
    stop = heading + 1
    while stop < len(lines) and lines[stop].shares_column(first):
        stop += 1
    own = lines[heading + 1 : stop]
    if not own or stop == len(lines):
        return None
    end = stop
    while (
        end < len(lines) and lines[end].shares_column(lines[stop]) and lines[end].base < own[0].base - _NEAR
    ):
        end += 1
    low = end
    while low < len(lines) and lines[low].shares_column(lines[stop]):
        low += 1
    adjacent = lines[stop].page == first.page and stop < end < low
    return range(stop, end) if adjacent and _is_list_continued(own, lines[stop:end], lines[end:low]) else None


def _is_list_continued(own: Sequence[PdfLine], above: Sequence[PdfLine], below: Sequence[PdfLine]) -> bool:
    """Return whether the list `own` continues with the lines `below`, apart from the text `above`."""
    then = below[0]
    white = then.base - above[-1].base > _WHITE * max(then.size, above[-1].size)
    if not white or abs(then.base - own[0].base) > _NEAR or abs(then.size - own[0].size) > _SAME_SIZE:
        return False
    if numbers := _read_numbers(own):
        return max(numbers) + 1 in _read_numbers(below) and max(numbers) + 1 not in _read_numbers(above)
    return _measure_starts(below) > _DENSE > _measure_starts(above)


def _read_numbers(lines: Sequence[PdfLine]) -> set[int]:
    return {int(match[1]) for line in lines if (match := _NUMBER.match(line.text))}


def _measure_starts(lines: Sequence[PdfLine]) -> float:
    return sum(
        reference_signs.is_reference_start(line.text)
        and reference_signs.YEAR.search(" ".join(line.text for line in lines[i : i + 3])) is not None
        for i, line in enumerate(lines)
    ) / len(lines)
