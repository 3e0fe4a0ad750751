"""The lines of a reference list to its entries: by number, label, indent, gap, or by their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from citeproof.reading.extractors.pdf import reference_signs
from citeproof.reading.extractors.pdf.page_layout import PdfLine
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import MODERN_YEAR, YEAR

_NUMBERS = (
    re.compile(r"[\[［](\d{1,4})[\]］][.:]?\s?(?=\S|$)"),
    re.compile(r"\((\d{1,4})\)\s?(?=\S|$)"),
    re.compile(r"(\d{1,4})\.(?=\s|[^\W\d]|$)\s?"),
    re.compile(r"(\d{1,4})\)\s?(?=\S|$)"),
    re.compile(r"(\d{1,3})\s?(?=[^\W\d_]|[“\"„]|$)"),
)
_LABEL = re.compile(r"\[([^\W\d_][^\[\]]{1,60}|\d{2}[^\W\d_][^\[\]]{0,40})\]\s?(?=\S|$)")
# Behind a dash that is drawn, not written
_SAME_AUTHOR = re.compile(rf"[.,:] (?:\(?{YEAR}[a-z]?\b|[“„\"])")
_INSIDE = re.compile(r"(?i)(?:in:\s|https?://|doi:?\s?10\.|pp?\. ?\d|vol\. ?\d)")  # never begins an entry
_DATED = re.compile(rf".{{0,160}}?\({YEAR}[a-z]?\)")
_UNDATED = re.compile(
    r"(?i)\bn\.? ?d\.|\bo\. ?j\.|\bs\. ?d\.|in press|im druck|forthcoming|à paraître|accessed"
)
_JUMP = 20  # printed numbers may leave out so many
_AHEAD = 40  # lines to look ahead for the number that should come next
_PREAMBLE = 25  # lines of a paragraph that may be between a heading and its list
_TALL = 14  # lines of an entry on average; more are not entries
_CAPTION = re.compile(
    r"(?i)(?:table|figure|fig\.|tabelle|abbildung|abb\.|tab\.|tableau|tabla|figura|scheme)"
    r" (?:[a-z]?\.?\d{1,3}|[ivx]{1,5})[:. ]"
)
_NOTICE = re.compile(rf"(?i)(?:copyright )?(?:©|\(c\)) ?{MODERN_YEAR}")
_TELLING = 8  # lines of an entry that tell what is usual: the last one may have an appendix behind it
_CELL = re.compile(r"[-–+±<>~]?\d{1,9}(?:[.,]\d{1,9})?%?$")


@dataclass(slots=True)
class PdfEntry:
    """One entry of a list: its lines, its printed number or label, and how much of line one that is."""

    lines: list[PdfLine]
    label: str = ""
    skipped: int = 0

    @property
    def rough(self) -> str:
        """The text as far as judging it needs: lines simply joined."""
        return " ".join(line.text for line in self.lines[:30])[self.skipped :].replace("\x02 ", "")


def split_entries(lines: Sequence[PdfLine]) -> tuple[list[PdfEntry], str]:
    """Return the entries of a list, and how it was cut: "number", "label", "hanging", ..."""
    if not lines:
        return [], ""
    chain = _find_number_chain(lines)
    if chain:
        return _drop_preamble(_cut_entries(lines, set(chain), chain)), "number"
    labels = {i: _LABEL.match(line.text) for i, line in enumerate(lines)}
    marked = {i: (match[1], match.end()) for i, match in labels.items() if match}
    # labels, each for one entry: "[S.l.: s.n.]" may begin many a line
    distinct = len(marked) >= 2 and 2 * len({label for label, _ in marked.values()}) > len(marked)
    if distinct and _is_dense(marked, lines) and _is_aligned(lines, marked):
        return _drop_preamble(_cut_entries(lines, set(marked), marked)), "label"
    return _split_unmarked(lines)


def _is_dense(marked: dict[int, tuple[str, int]], lines: Sequence[PdfLine]) -> bool:
    first = min(marked)
    soon = first <= 2 or (first <= _PREAMBLE and len(marked) >= 3)
    return soon and (len(lines) - first) / len(marked) < 2 * _TALL


def _drop_preamble(entries: list[PdfEntry]) -> list[PdfEntry]:
    """Return the entries without the paragraph that comes before them."""
    if entries and not entries[0].label and not reference_signs.is_reference(entries[0].rough):
        return entries[1:]
    return entries


def _cut_entries(
    lines: Sequence[PdfLine], starts: set[int], marks: dict[int, tuple[str, int]]
) -> list[PdfEntry]:
    entries: list[PdfEntry] = []
    for index, line in enumerate(lines):
        if index in starts:
            entries.append(PdfEntry([line], *marks.get(index, ("", 0))))
        elif entries:
            entries[-1].lines.append(line)
        else:
            entries.append(PdfEntry([line]))
    return entries


def _is_aligned(lines: Sequence[PdfLine], marked: dict[int, tuple[str, int]]) -> bool:
    indents = sorted(lines[i].indent for i in marked)
    middle = indents[len(indents) // 2]
    return sum(abs(indent - middle) < 6 for indent in indents) >= 0.6 * len(indents)


def _find_number_chain(lines: Sequence[PdfLine]) -> dict[int, tuple[str, int]]:
    """Return which lines begin with a number that continues counting, in the printed form most lines use."""
    best: dict[int, tuple[str, int]] = {}
    for style in _NUMBERS:
        matches = ((i, style.match(line.text)) for i, line in enumerate(lines))
        marks = [(i, int(match[1]), match.end()) for i, match in matches if match]
        chain = _follow_numbers(marks, lines)
        if len(chain) > len(best) and _is_sound_chain(chain, lines, style):
            best = chain
    return best


def _is_sound_chain(
    chain: dict[int, tuple[str, int]], lines: Sequence[PdfLine], style: re.Pattern[str]
) -> bool:
    enough = 1 if style is _NUMBERS[0] else 2 if style in _NUMBERS[1:4] else 4
    if style is _NUMBERS[0] and len(chain) > 1:  # in brackets: figures may follow before the list continues
        lines = lines[: max(chain) + 1]
    return len(chain) >= enough and _is_dense(chain, lines)


def _follow_numbers(
    marks: list[tuple[int, int, int]], lines: Sequence[PdfLine]
) -> dict[int, tuple[str, int]]:
    """Return the marks that count up: what comes too early or too late is part of a text."""
    chain: dict[int, tuple[str, int]] = {}
    last = 0
    indents = Counter(round(lines[i].indent / 4) for i, _, _ in marks)
    for position, (index, number, end) in enumerate(marks):
        ahead = [n for i, n, _ in marks[position + 1 : position + 60] if i - index < _AHEAD]
        usual = indents[round(lines[index].indent / 4)] >= 3
        if not chain:
            begins = number == 1 or (number < 400 and number + 1 in ahead and number + 2 in ahead)
        elif number == last + 1:
            begins = usual or not lines[index].text[end : end + 1].islower()
        elif last + 1 < number <= last + _JUMP:
            begins = last + 1 not in ahead and number + 1 in ahead and usual
        else:  # the next list, which counts from one again
            begins = number == 1 and last >= 2 and 2 in ahead and last + 1 not in ahead
        if begins:
            chain[index] = (str(number), end)
            last = number
    return chain


def _split_unmarked(lines: Sequence[PdfLine]) -> tuple[list[PdfEntry], str]:
    """Return the entries of a list that prints no numbers, cut in the way that gives the best entries."""
    ways: list[tuple[float, str, list[PdfEntry]]] = []
    ended = {i for i, (before, _) in enumerate(pairwise(lines), 1) if _is_entry_end(before)}
    same = {i for i in ended if _SAME_AUTHOR.match(lines[i].text)}
    for name, bonus, rule in _WAYS:
        starts = rule(lines)
        if starts and len(lines) / len(starts) < _TALL:
            entries = _cut_entries(lines, starts | same | {0}, {})
            ways.append((_rate_entries(entries) + bonus, name, entries))
    if not ways:
        return _cut_entries(lines, {0}, {}), "one"
    _, name, entries = max(ways, key=lambda way: way[0])
    entries = _rejoin_entries(entries)
    return _join_undated_entries(entries) if name == "words" else entries, name


def _rate_entries(entries: Sequence[PdfEntry]) -> float:
    """Return how much the entries look like references, on average."""
    total = 0.0
    for before, entry in pairwise([None, *entries]):
        text = entry.rough if entry else ""
        dated = reference_signs.YEAR.search(text) is not None
        total += 1.0 * reference_signs.is_reference_start(text) + 0.7 * dated
        total -= 1.0 * (text[:1].islower()) + 0.5 * (len(text) < 35) + 1.0 * (len(text) > 900)
        total -= 0.7 * sum(_is_possible_start(a, b) for a, b in pairwise(entry.lines)) if entry else 0
        if before and before.lines[-1].text[-1:] in "\x02-,:;&":
            total -= 0.7
    return total / max(len(entries), 1)


def _is_possible_start(before: PdfLine, line: PdfLine) -> bool:
    """Return whether a line could begin an entry by its words and by the end of the line before."""
    ended = before.text[-1:] in '.)]”’"' or before.text[-1:].isdigit() or "http" in before.text[-60:]
    dated = reference_signs.YEAR.search(line.text) is not None
    return ended and dated and reference_signs.is_reference_start(line.text)


def _find_hanging_starts(lines: Sequence[PdfLine]) -> set[int]:
    """Return the lines at the margin, where the others are indented."""
    margins = _find_margins(lines)
    offsets = [line.left - margins[id(line)] for line in lines]
    starts = {i for i, offset in enumerate(offsets) if offset < 2.5}
    others = [offset for offset in offsets if offset >= 2.5]
    if not others or not starts:
        return set()
    usual = Counter(round(offset / 2) for offset in others).most_common(1)[0][1]
    return starts if usual >= 0.4 * len(others) or len(others) < 4 else set()


def _is_entry_end(line: PdfLine) -> bool:
    return line.text[-1:] in ".)]”" or line.text[-1:].isdigit()


def _find_indented_starts(lines: Sequence[PdfLine]) -> set[int]:
    """Return the lines that are indented, where the others is at the margin."""
    margins = _find_margins(lines)
    offsets = [line.left - margins[id(line)] for line in lines]
    starts = {i for i, offset in enumerate(offsets) if 4 < offset < 60}
    return starts if 0 < len(starts) < len(lines) else set()


def _find_margins(lines: Sequence[PdfLine]) -> dict[int, float]:
    """Return for each line where its column begins, in this list and on pages of the same side."""
    groups: dict[tuple[int, int], list[PdfLine]] = {}
    for line in lines:
        groups.setdefault((line.page, line.column), []).append(line)
    lefts = {key: min(line.left for line in mine) for key, mine in groups.items()}
    known: dict[tuple[int, int], Counter[int]] = {}
    for (page, column), left in lefts.items():
        known.setdefault((page % 2, column), Counter())[round(left)] += 1
    margins: dict[int, float] = {}
    for (page, column), mine in groups.items():
        left = lefts[page, column]
        same = known[page % 2, column] + known.get((1 - page % 2, column), Counter())
        near = [float(other) for other in same if -40 < other - left < -2.5]
        if near and max(line.left for line in mine) - left < 2.5:  # only continuation lines here
            left = min(near)
        margins.update({id(line): left for line in mine})
    return margins


def _find_gaps(lines: Sequence[PdfLine], more: float) -> set[int]:
    """Return the lines that stand `more` times as far below the line above as lines usually do."""
    steps = {
        i: lower.base - upper.base
        for i, (upper, lower) in enumerate(pairwise(lines), 1)
        if upper.page == lower.page and upper.column == lower.column and lower.base > upper.base
    }
    if len(steps) < 3:
        return set()
    ordered = sorted(steps.values())
    usual = ordered[len(ordered) // 5]
    starts = {i for i, step in steps.items() if step > more * usual + 0.4}
    # at the top of a column there is no white to go by: the words decide
    for i, (upper, lower) in enumerate(pairwise(lines), 1):
        if i not in steps and _is_entry_end(upper) and reference_signs.is_reference_start(lower.text):
            starts.add(i)
    return starts


def _find_worded_starts(lines: Sequence[PdfLine]) -> set[int]:
    """Return the lines that begin with names, with a year soon after, behind a line that ended."""
    widths = sorted(line.right - line.margin for line in lines)
    full = widths[int(0.8 * (len(widths) - 1))]
    starts = set()
    for i, (before, line) in enumerate(pairwise(lines), 1):
        if not reference_signs.is_reference_start(line.text):
            continue
        short = before.right - before.margin < 0.85 * full
        soon = f"{line.text} {lines[i + 1].text if i + 1 < len(lines) else ''}"
        dated = reference_signs.YEAR.search(soon) and not reference_signs.is_broken_off(before.text)
        if (_is_entry_end(before) and (short or dated)) or (short and before.text[-1:] not in ",;&\x02-"):
            starts.add(i)
    return starts


_WAYS: tuple[tuple[str, float, Callable[[Sequence[PdfLine]], set[int]]], ...] = (
    ("hanging", 0.5, _find_hanging_starts),
    ("indented", 0.1, _find_indented_starts),
    ("gap", 0.25, partial(_find_gaps, more=1.18)),
    ("fine gap", 0.2, partial(_find_gaps, more=1.07)),  # a scan's lines waver as much
    ("words", 0.0, _find_worded_starts),
)


def _rejoin_entries(entries: list[PdfEntry]) -> list[PdfEntry]:
    """Put back what was cut off though it cannot begin an entry: "and B. Miller, 1999."."""
    joined: list[PdfEntry] = []
    for entry in entries:
        first = entry.lines[0].text
        before = joined[-1].lines[-1].text if joined else ""
        broken = before.endswith(("\x02", ",", "&", " and", " und", " et", " in", " of", " the"))
        goes_on = first[:1].islower() or broken
        inside = _INSIDE.match(first) or (goes_on and not reference_signs.is_reference_start(first))
        if joined and inside:
            joined[-1].lines += entry.lines
        else:
            joined.append(entry)
    return joined


def _join_undated_entries(entries: list[PdfEntry]) -> list[PdfEntry]:
    """Return the entries of a list with the year in brackets after the names; lines without one continue."""
    dated = [_DATED.match(entry.rough) is not None for entry in entries]
    if sum(dated) < 0.75 * len(entries) or len(entries) < 4:
        return entries
    joined = entries[:1]
    for entry in entries[1:]:
        if reference_signs.YEAR.search(entry.rough) or _UNDATED.search(entry.rough):
            joined.append(entry)
        else:
            joined[-1].lines += entry.lines
    return joined


def _is_table_row(text: str) -> bool:
    """Return whether a line is a row of a table: nearly nothing but numbers."""
    cells = text.split()
    return len(cells) >= 4 and sum(_CELL.match(cell) is not None for cell in cells) >= 0.75 * len(cells)


class UsualSpacing(NamedTuple):
    """What is usual in a list: the distance of lines, their size, the indent of continuation lines.

    And where entries begin in the columns that have several.
    """

    step: float
    size: float
    hang: float | None
    margins: dict[tuple[int, int], float]


def drop_unfitting_lines(entries: Sequence[PdfEntry]) -> list[PdfEntry]:
    """Return the entries without the lines that do not fit: captions, tables, paragraphs behind the list."""
    # what is behind the list, tables above all, does not tell what is usual in it
    sure = [entry for entry in entries if reference_signs.is_reference(entry.rough)] or entries
    every = (
        [
            lower.base - upper.base
            for upper, lower in pairwise(entry.lines[:_TELLING])
            if upper.shares_column(lower) and lower.base > upper.base
        ]
        for entry in sure
    )
    steps = sorted(sorted(mine)[len(mine) // 2] for mine in every if mine)
    step = steps[len(steps) // 2] if steps else 0.0
    sizes = sorted(line.size for entry in sure for line in entry.lines[:_TELLING])
    size = sizes[len(sizes) // 2] if sizes else 0.0
    usual = UsualSpacing(step, size, _measure_hang(sure), _find_entry_margins(entries))
    for entry in entries:
        entry.lines = _keep_fitting_lines(entry.lines, usual)
    return _drop_captions(entries)


def _drop_captions(entries: Sequence[PdfEntry]) -> list[PdfEntry]:
    """Return the entries without captions, and without what follows one and is not a reference."""
    fitting: list[PdfEntry] = []
    after = False
    for entry in entries:
        text = entry.lines[0].text
        if not entry.label and (_CAPTION.match(text) or _NOTICE.match(text) or _is_table_row(text)):
            after = True
        elif not after or entry.label or reference_signs.is_reference(entry.rough):
            fitting.append(entry)
            after = False
    return fitting


def _measure_hang(entries: Sequence[PdfEntry]) -> float | None:
    """Return how far continuation lines are indented, None unless nearly all of them are so."""
    offsets = [
        round(line.left - entry.lines[0].left)
        for entry in entries
        for line in entry.lines[1:_TELLING]
        if entry.lines[0].shares_column(line)
    ]
    if len(offsets) < 4:
        return None
    usual, _ = Counter(offsets).most_common(1)[0]
    near = [offset for offset in offsets if abs(offset - usual) <= 12]  # labels of other lengths
    return float(min(near)) if min(near) > 3 and len(near) >= 0.85 * len(offsets) else None


def _find_entry_margins(entries: Sequence[PdfEntry]) -> dict[tuple[int, int], float]:
    """Return where entries begin in each column of each page that has at least three."""
    lefts: dict[tuple[int, int], list[float]] = {}
    for entry in entries:
        first = entry.lines[0]
        lefts.setdefault((first.page, first.column), []).append(first.left)
    return {column: min(values) for column, values in lefts.items() if len(values) > 2}


def _keep_fitting_lines(lines: list[PdfLine], usual: UsualSpacing) -> list[PdfLine]:
    fitting = lines[:1]
    strange = False
    for line in lines[1:]:
        fits = _is_fitting(fitting, line, usual)
        if fits and not (strange and _has_end_sign(fitting[-1])):
            fitting.append(line)
            continue
        strange = True
    return fitting


def _is_fitting(fitting: list[PdfLine], line: PdfLine, usual: UsualSpacing) -> bool:
    first, before = fitting[0], fitting[-1]
    if _CAPTION.match(line.text) or _NOTICE.match(line.text) or _is_table_row(line.text):
        return False
    if line.size > 1.3 * usual.size or line.size < 0.5 * usual.size:
        return False
    if not before.shares_column(line) and line.size < 0.85 * usual.size:
        return False  # a table or a caption at the top of the next column
    if before.shares_column(line) and usual.step and line.base - before.base > 1.7 * usual.step + 1:
        return False
    if usual.hang is None:
        return True
    if not first.shares_column(line):  # above the rest of the list, a column may have other text
        margin = usual.margins.get((line.page, line.column))
        return margin is None or line.left - margin > usual.hang - 3
    return line.left - first.left > usual.hang - 3 or not _has_end_sign(before)


def _has_end_sign(line: PdfLine) -> bool:
    return line.text[-1:] in ".)]”" or line.text[-1:].isdigit() or "/" in line.text.rpartition(" ")[2]
