"""Which lines of a list carry its printed numbers: the longest run that counts on, in one way of printing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from citeproof.reading.extractors.prose.text_lines import TextLine
from citeproof.text import lazy_patterns as re

_GAP = 20  # printed numbers may jump so far where numbers are missing; a larger jump is a year or a page
_FEWEST = 3  # numbers that make a list where it does not begin with one
_LONGEST = 10  # lines an entry has on the average at most, where nothing but a bare number marks it

# Strongest first. A number may be alone on its line; a bare one ("1 W. A. Noon") needs a name behind it.
_FORMS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s{0,12}\[(\d{1,6})\][.:]?(?:\s{1,9}(?=\S)|\s{0,9}$|(?=[^\W\d_]))",
        r"\s{0,12}(\d{1,6})[.)](?:\s{1,9}(?=\S)|\s{0,9}$|(?=[^\W\d_a-z]))",
        r"\s{0,12}\((\d{1,6})\)(?:\s{1,9}(?=\S)|\s{0,9}$)",
        r"\s{0,12}(\d{1,3})\s{1,9}(?=[^\W\d_a-z])",
    )
)
_BARE = _FORMS[-1]

NumberedLine = tuple[int, int, int]  # index of the line, the number, where the words behind it begin


def find_numbered_lines(lines: Sequence[TextLine]) -> list[NumberedLine]:
    """Return the numbered lines of a list; none if it is not numbered."""
    first = next((index for index, line in enumerate(lines) if not line.blank), None)
    if first is None:
        return []
    filled = sum(not line.blank for line in lines)
    best: list[NumberedLine] = []
    for form in _FORMS:
        run = _find_longest_run(lines, form)
        begins = bool(run) and run[0][0] == first
        enough = len(run) >= _FEWEST and run[0][1] == 1
        if form is _BARE:
            consecutive = all(after[1] - before[1] == 1 for before, after in pairwise(run))
            enough = enough and consecutive and _LONGEST * len(run) >= filled
            begins = begins and enough
        if (begins or enough or 2 * len(run) > filled) and len(run) > len(best):
            best = run
    return best


def _find_longest_run(lines: Sequence[TextLine], form: re.Pattern[str]) -> list[NumberedLine]:
    """Return the longest run of marks of one form that counts on, from one of its first marks."""
    found = [
        (index, int(match[1]), match.end())
        for index, line in enumerate(lines)
        if (match := form.match(line.text[:40] if len(line.text) > 40 else line.text))
    ]
    ones = [at for at, (_, number, _) in enumerate(found) if number == 1][:3]
    runs = [_follow_count(found, at) for at in dict.fromkeys([*ones, 0]) if found]
    return max(runs, key=len, default=[])


def _follow_count(found: Sequence[NumberedLine], at: int) -> list[NumberedLine]:
    """Return the marks from `at` on that count on; a number is skipped only if it never comes."""
    later: dict[int, int] = {}  # number -> its last place
    for place, (_, number, _) in enumerate(found):
        later[number] = place
    run = [found[at]]
    for place in range(at + 1, len(found)):
        number, last = found[place][1], run[-1][1]
        if number == last + 1 or (last < number <= last + _GAP and later.get(last + 1, -1) <= place):
            run.append(found[place])
    return run
