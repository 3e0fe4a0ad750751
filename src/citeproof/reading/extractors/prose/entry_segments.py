"""The lines of a reference list to its entries: numbered, bulleted, spaced, hanging or one per line.

Printed numbers are the longest run that counts on, in one way of printing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from citeproof.reading.extractors.prose.entry_starts import find_named_starts, has_entry_end, has_leading_name
from citeproof.reading.extractors.prose.hyphenated_words import join_broken_word
from citeproof.reading.extractors.prose.text_lines import TextLine
from citeproof.text import dates, ids
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Claimed

MAX_ENTRY = 5000  # characters of one entry that are kept

_LABEL = re.compile(
    r"\s{0,12}\[((?=[^\]\n]{0,30}[A-Z0-9])[A-Za-z][\w+.:-]{0,30})\](?:\s{1,9}(?=\S)|\s{0,9}$)"
)
# the other kind in a list of one kind: "[3]" among labels, "[He16]" among numbers, never "[Online]"
_OTHER_LABEL = re.compile(r"\s{0,12}\[((?=[^\]\n]{0,30}\d)\w[\w+.:-]{0,30})\]\s{1,9}(?=\S)")
_BULLET = re.compile(r"\s{0,12}[-*+•·–◦▪]\s{1,9}(?=\S)")
_BROKEN_WORD = re.compile(r"[^\W\d_]{2,}-$|[^\W\d_]\u00ad$")  # what PDF readers write is \ufffe or \x02
_IN_ADDRESS = re.compile(r"(?:https?:|www\.|\b10\.\d{4,9}/)\S{0,150}.$")
_INNER_NUMBER = re.compile(
    r"\[(\d{1,6})\]\s{1,3}(?=\S)|(?:^|(?<=[.)\]\d]\s))(\d{1,3})\.\s{1,3}(?=[^\W\d_a-z])"
)
_SEMICOLON = re.compile(
    r"(?<=[\d)\]a-z]);\s{1,3}(?=(?:[A-Z]\.[\s-]?){1,4}[A-Z][\w'’-]|[A-Z][\w'’-]{1,30},?\s[A-Z]\.)"
)
_PART_HEADING = re.compile(r"\s{0,3}[^\W\d_a-z][^\W\d_]{2,29}(?:\s(?:&|[^\W\d_]{2,30})){0,3}\s{0,3}:?\s{0,9}")
_LONG_LINE = 150  # characters of a line in which several entries may stand
_BLOCK = 6  # lines an entry has on the average at most, where blank lines part them
_FEW = 4  # times as many lines as numbers: the numbers do not carry the list
_MOST = 0.9  # of the lines must look whole before they are entries by themselves
_FEWEST_LINES = 3  # that show by their words that each is an entry
_FEWEST_WHOLE = 2  # lines that look like references, before a few words are taken for a heading
_LIST_SHARE = 0.6  # of the lines must look whole before each line is taken as one entry
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


@dataclass(frozen=True, slots=True)
class EntrySegment:
    """One entry: its words on one line, where it is, and its printed number or label."""

    text: str
    start: int
    end: int
    label: str = ""
    claimed: Claimed | None = None  # the fields, where the document itself states them
    citing: tuple[str, ...] = ()  # the sentence that it is in, where it is in one


def split_segments(lines: Sequence[TextLine]) -> list[EntrySegment]:
    """Return the entries of a reference list, cut in the way its lines ask for, without headings in it."""
    lines = _blank_headings(_break_up_lines(lines))
    filled = [line for line in lines if not line.blank]
    if not filled:
        return []
    if found := find_numbered_lines(lines):
        marks = {index: (str(number), end) for index, number, end in found}
        others = {index: ("", lines[index].indent) for index in _find_unnumbered_starts(lines, marks)}
        return _group_lines(lines, marks | others | _find_other_labels(lines, marks))
    for marker, share in ((_LABEL, 10), (_BULLET, 2)):
        marked = sum(bool(marker.match(line.text)) for line in filled)
        if marker.match(filled[0].text) or (marked > 2 and marked > len(filled) // share):
            starts = _find_marked_starts(lines, marker)
            others = _find_other_labels(lines, starts) if marker is _LABEL else {}
            return _group_lines(lines, starts | others)
    return _group_lines(lines, {index: ("", lines[index].indent) for index in _find_unmarked_starts(lines)})


def _blank_headings(lines: list[TextLine]) -> list[TextLine]:
    """Return the lines of a list without those that only name a part of it: "Books", "Primary sources:"."""
    last = len(lines) - 1
    heads = {
        index
        for index, line in enumerate(lines)
        if _PART_HEADING.fullmatch(line.text)
        and (index == 0 or lines[index - 1].blank)
        and index < last
        and lines[index + 1].blank
    }
    if not heads or sum(is_likely_reference(line.text) for line in lines) < _FEWEST_WHOLE:
        return lines
    return [replace(line, text="") if index in heads else line for index, line in enumerate(lines)]


def _find_unnumbered_starts(lines: Sequence[TextLine], marks: Mapping[int, tuple[str, int]]) -> list[int]:
    """Return the lines without number that are entries of their own in a list that is only partly numbered.

    Where few lines have a number and nearly all are whole, each line is one; else it takes a name, a
    year and an end, behind an entry that is whole and has ended.
    """
    filled = [index for index, line in enumerate(lines) if not line.blank]
    alone = {index for index in filled if is_identifier_only(lines[index].text)}
    rest = [index for index in filled if index not in marks and index not in alone]
    whole = [index for index in rest if is_likely_reference(lines[index].text)]
    if _FEW * len(marks) < len(filled) and len(whole) >= _MOST * len(rest) and not lines[filled[-1]].indent:
        return [index for index in rest if not _is_continuation(lines[index].text)]
    extra: list[int] = []
    group: list[str] = []
    for index in filled:
        line = lines[index].text
        over = not group or (has_entry_end(group[-1]) and is_likely_reference(" ".join(group[-_BLOCK:])))
        if index in marks:
            group = []
        elif over and is_likely_reference(line) and has_entry_end(line) and has_leading_name(line):
            extra.append(index)
            group = []
        group.append(line)
    return extra


def _is_continuation(line: str) -> bool:
    """Return whether a line begins in lower case, and not with a name ("van der Berg, C.")."""
    return line[:1].islower() and not has_leading_name(line)


def _break_up_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines, one that holds several entries ("[1] … [2] …") broken up before each number.

    Where all lines are identifiers and nothing else, each of them is an entry.
    """
    broken: list[TextLine] = []
    bare = all(line.blank or _find_bare_identifiers(line.text) for line in lines)
    for line in lines:
        find = _find_bare_identifiers if bare else _find_inner_numbers
        cuts = find(line.text) if bare or len(line.text) > _LONG_LINE else []
        ends = [*cuts[1:], len(line.text)]
        if len(cuts) < 2:
            broken.append(line)
            continue
        pieces = [(0, cuts[0]), *zip(cuts, ends, strict=True)]
        last = pieces[-1][0]
        broken += [
            TextLine(line.text[low:high], line.start + low, line.end if low == last else line.start + high)
            for low, high in pieces
            if line.text[low:high].strip()
        ]
    return broken


def _find_inner_numbers(text: str) -> list[int]:
    """Return where the numbers of entries are in one long line: [1], [2], [3] one after the other."""
    cuts: list[int] = []
    last = 0
    for match in _INNER_NUMBER.finditer(text):
        number = int(match[1] or match[2])
        if number == last + 1 or (not cuts and match.start() == 0):
            cuts.append(match.start())
            last = number
    return cuts


def _find_bare_identifiers(text: str) -> list[int]:
    """Return where the identifiers of a line begin, if there is nothing else in it."""
    spans = sorted({(start, end) for _, _, start, end in ids.find_ids(text)})
    ends = [0, *(end for _, end in spans)]
    between = "".join(text[low:high] for low, (high, _) in zip(ends, spans, strict=False)) + text[ends[-1] :]
    return [start for start, _ in spans] if not between.strip(" \t\r,;.") else []


def _find_marked_starts(lines: Sequence[TextLine], marker: re.Pattern[str]) -> dict[int, tuple[str, int]]:
    """Return the lines that begin with a label or bullet; a bullet further in is part of the text."""
    starts: dict[int, tuple[str, int]] = {}
    indent = None
    for index, line in enumerate(lines):
        match = marker.match(line.text)
        if not match:
            continue
        if marker is _BULLET:
            indent = line.indent if indent is None else indent
            if line.indent > indent + 1:
                continue
        starts[index] = (match[1] if marker is _LABEL else "", match.end())
    return starts


def _find_other_labels(
    lines: Sequence[TextLine], starts: Mapping[int, tuple[str, int]]
) -> dict[int, tuple[str, int]]:
    """Return the lines with a label of another kind than the list's, behind an entry that has ended."""
    found: dict[int, tuple[str, int]] = {}
    before = ""
    for index, line in enumerate(lines):
        match = _OTHER_LABEL.match(line.text) if index not in starts else None
        if match and has_entry_end(before) and is_likely_reference(line.text):
            found[index] = (match[1], match.end())
        before = before if line.blank else line.text
    return found


def _find_unmarked_starts(lines: Sequence[TextLine]) -> set[int]:
    """Return which lines begin an entry where nothing is printed before them."""
    filled = [index for index, line in enumerate(lines) if not line.blank]
    alone = {index for index in filled if is_identifier_only(lines[index].text)}
    if len(alone) >= _LIST_SHARE * len(filled):
        return alone
    if _is_one_per_line(lines, filled, alone):
        going_on = alone | {index for index in filled if _is_continuation(lines[index].text)}
        return set(filled) - going_on | {filled[0]}  # a DOI on its own line completes the one before
    margin = min(lines[index].indent for index in filled)
    flush = {index for index in filled if lines[index].indent == margin}
    after_blank = {index for index in filled if index == filled[0] or lines[index - 1].blank}
    if len(flush) < len(filled) and after_blank <= flush:
        return flush  # hanging indent: what is indented continues
    if len(after_blank) > 1 and len(filled) <= _BLOCK * len(after_blank):
        return after_blank
    return find_named_starts(lines, filled)


def _is_one_per_line(lines: Sequence[TextLine], filled: Sequence[int], alone: set[int]) -> bool:
    """Return whether each line is an entry: all hold a year or identifier, or most do and end like one."""
    rest = [lines[index].text for index in filled if index not in alone]
    whole = sum(is_likely_reference(text) for text in rest)
    indents = {lines[index].indent for index in filled}
    if len(indents) > 1:  # what is indented continues, unless the words of each line say that it is an entry
        ragged = max(indents) - min(indents) == 1 or len({lines[at].indent for at in filled[1:]}) == 1
        entries = sum(has_entry_end(text) and (ragged or has_leading_name(text)) for text in rest)
        return len(rest) >= _FEWEST_LINES and min(whole, entries) >= _MOST * len(rest)
    ended = sum(text.rstrip()[-1:] in '.)]”"/' or text.rstrip()[-1:].isdigit() for text in rest)
    return whole >= _MOST * len(rest) or min(whole, ended) >= _LIST_SHARE * len(rest)


def _group_lines(lines: Sequence[TextLine], starts: Mapping[int, tuple[str, int]]) -> list[EntrySegment]:
    """Return one segment per start, given as line => label and where the words behind it begin."""
    groups: list[tuple[str, int, list[TextLine]]] = []
    for index, line in enumerate(lines):
        if index in starts:
            groups.append((*starts[index], [line]))
        elif groups and not line.blank:
            groups[-1][2].append(line)
    return [
        part
        for label, skipped, group in groups
        for part in _split_works(_build_segment(label, skipped, group))
    ]


def _split_works(segment: EntrySegment) -> list[EntrySegment]:
    """Return the works that one numbered entry lists, parted by semicolons: each has a year of its own."""
    cuts = [0, *(match.end() for match in _SEMICOLON.finditer(segment.text)), len(segment.text)]
    pieces = [segment.text[low:high].strip(" ;") for low, high in pairwise(cuts)]
    if (
        not segment.label
        or len(pieces) < 2
        or not all(dates.find_years(piece) or ids.find_ids(piece) for piece in pieces)
    ):
        return [segment]
    return [replace(segment, text=piece) for piece in pieces]


def _build_segment(label: str, skipped: int, group: list[TextLine]) -> EntrySegment:
    first = group[0]
    if not first.text[skipped:].strip() and len(group) > 1:  # the number is alone on its line
        first, skipped, group = group[1], group[1].indent, group[1:]
    text = join_entry_lines([first.text[skipped:], *(line.text for line in group[1:])])
    return EntrySegment(text[:MAX_ENTRY], first.start + skipped, group[-1].end, label)


def join_entry_lines(parts: Sequence[str]) -> str:
    """Return lines as one; a word broken at the line end is made whole, a compound keeps its hyphen."""
    whole = ""
    for part in parts:
        word = part.strip()
        broken = whole and (whole[-1] in "\ufffe\u0002" or _BROKEN_WORD.search(whole[-60:]))
        if broken and _IN_ADDRESS.search(whole[-200:]):
            whole = f"{whole[:-1]}-{word}"
        elif broken and word[:1].islower():
            whole = join_broken_word(whole[:-1], word)
        elif broken and word[:1].isalnum():
            whole = f"{whole[:-1]}{'-' * word[0].isalpha()}{word}"  # "Hahn-Powell", "RNA-Seq"
        else:
            whole = f"{whole} {word}" if whole else word
        if len(whole) > 2 * MAX_ENTRY:
            break
    return whole.replace("\ufffe", "").replace("\u0002", "")


def is_identifier_only(text: str) -> bool:
    """Return whether `text` is an identifier or address and nothing else."""
    words = text.split()
    found = ids.find_ids(text) if 0 < len(words) <= 3 else ()
    longest = max((end - start for _, _, start, end in found), default=0)
    return bool(found) and sum(map(len, words)) <= 3 + longest


def is_likely_reference(text: str) -> bool:
    """Return whether `text` by itself could be a reference: a year or an identifier, and some words."""
    text = text[:MAX_ENTRY]
    return len(text.split()) > 2 and bool(dates.find_years(text) or ids.find_ids(text))
