"""Works that have a heading each, as in annotated bibliographies: fields, points or remarks are below it."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.reading.extractors.prose.entry_segments import MAX_ENTRY, EntrySegment, join_entry_lines
from citeproof.reading.extractors.prose.entry_starts import has_leading_name
from citeproof.reading.extractors.prose.loose_references import (
    LABEL_LINE,
    POINT,
    SET_OFF,
    find_work_ids,
    is_standalone_citation,
    read_label,
    strip_item_mark,
)
from citeproof.reading.extractors.prose.text_lines import TextLine
from citeproof.text import lazy_patterns as re

_HEADED = re.compile(
    r"(?:#{1,6}\s{1,3})?[*_]{0,3}(?:(?:Paper\s)?(\d{1,3})[.):]\s{1,3})?([^\s#].{3,300}?)[*_#\s]{0,9}$"
)
_NAMES_LAST = re.compile(
    r"((?:\S{1,40}\s{1,2}){3,30})\(([^\Wa-z_][\w'’-]{1,30}[^()\d,]{0,100}),?\s((?:1[6-9]|20)\d\d[a-z]?)\)"
)
_PEOPLE = (
    r"([^\Wa-z_][\w'’-]{1,30}(?:(?:,\s|,?\s(?:and|&)\s|\s)[^\Wa-z_][\w'’-]{1,30}){0,5}(?:,?\set al\.?)?)"
)
_TITLE = r"((?:\S{1,40}\s{1,2}){2,40}\S{1,40})"
_NAMES_FIRST = re.compile(
    rf"{_PEOPLE},?\s\((?:([^()\d]{{1,40}}?),?\s)?((?:1[6-9]|20)\d\d[a-z]?)\)[,:.]?\s(?:[—–-]\s)?{_TITLE}"
)
_YEAR_FIRST = re.compile(rf"((?:1[6-9]|20)\d\d)\s?[—–:-]\s{_PEOPLE}\s?[—–:-]\s{_TITLE}")
_QUOTED = re.compile(r"[“\"](\w[^“”\"]{12,300})[”\"]")
_BOLD = re.compile(r"\*\*([^*]{8,300})\*\*")
_KEY = re.compile(r"\[[^\[\]]{1,60}\][,:.]?\s{0,3}")
_POINTER = re.compile(r"\]\(|https?:|arxiv|doi|10\.\d{4}", re.IGNORECASE)  # where an identifier begins
_ASIDE = re.compile(r"`[^`]{0,100}`|\*\([^()]{0,200}\)\*")
_FIELDS = 12  # lines below a heading in which its labelled fields stand
_MOST_POINTS = 12  # below the heading of a work
_EARLY = 3  # points before the one with the identifier
_FEWEST = 2  # headings of a kind, before each is taken for a work
_LONGEST_NAMES = 300

Candidate = tuple[EntrySegment, range]  # and its lines


def find_headed_works(lines: list[TextLine], used: set[int]) -> list[EntrySegment]:
    """Return the works that have a heading each; their lines go into `used`.

    Fields are labelled below the heading, or a point has the identifier, or the heading is the citation.
    """
    labelled = list(_find_labelled_works(lines, used))
    used.update(index for _, span in labelled for index in span)
    others = [*_find_citing_headings(lines, used), *_find_pointed_works(lines, used)]
    others = others if len(labelled) + len(others) >= _FEWEST else []
    used.update(index for _, span in others for index in span)
    return [segment for segment, _ in [*labelled, *others]]


def _match_heading(line: TextLine) -> re.Match[str] | None:
    head = _HEADED.match(line.text) if line.text.startswith(("#", "**")) else None
    return head if head and not read_label(line.text) else None


def _find_labelled_works(lines: list[TextLine], used: set[int]) -> Iterator[Candidate]:
    for index, line in enumerate(lines):
        head = _match_heading(line) if index not in used else None
        if head is None:
            continue
        below: list[int] = []
        for later in range(index + 1, min(index + 2 + _FIELDS, len(lines))):
            if LABEL_LINE.match(lines[later].text):
                below.append(later)
            elif not lines[later].blank and (below or later > index + 2 or lines[later].text.startswith("#")):
                break
        if len(below) < 2:
            continue
        named = any(read_label(lines[at].text) == "title" for at in below)
        parts = [] if named else [f"Title: {head[2].strip('*_ ')}"]
        text = join_entry_lines([*parts, *(strip_item_mark(lines[at].text) for at in below)])
        start, end = line.start + head.start(2), lines[below[-1]].end
        yield EntrySegment(text[:MAX_ENTRY], start, end, head[1] or ""), range(index, below[-1] + 1)


def _find_citing_headings(lines: list[TextLine], used: set[int]) -> Iterator[Candidate]:
    """Yield the headings that are citations with a title, and the identifier in the lines below."""
    for index, line in enumerate(lines):
        head = _match_heading(line) if index not in used and line.text.startswith("#") else None
        if head is None:
            continue
        near = range(index + 1, min(index + 3, len(lines)))
        below = next((at for at in near if not lines[at].blank), index)
        found = find_work_ids(lines[below].text) if below > index else frozenset()
        told = next(iter(found)) if len(found) == 1 and not _is_whole(lines[below].text) else None
        text = _read_citing_heading(_ASIDE.sub("", head[2]).strip(), lines[below].text if told else "")
        if not text:
            continue
        last = below if told else index
        text += f" {told[0]}:{told[1]}" if told and told[1] not in text else ""
        start, end = line.start + head.start(2), lines[last].end if told else line.start + head.end(2)
        yield EntrySegment(text[:MAX_ENTRY], start, end, head[1] or ""), range(index, last + 1)


def _read_citing_heading(text: str, below: str) -> str:
    """Return a heading as a citation, nothing if it is none; `below` is the line that has its identifier."""
    if match := _NAMES_LAST.fullmatch(text):  # "Long Short-Term Memory (Hochreiter & Schmidhuber, 1997)"
        return f"{match[2]} ({match[3]}). “{match[1].strip(' *_')}.”"
    if match := _NAMES_FIRST.fullmatch(text):  # "Zhang et al. (ICLR 2017), Understanding …"
        return f"{match[1]} ({match[3]}). “{match[4].strip(' *_.“”')}.” {match[2] or ''}".strip()
    if match := _YEAR_FIRST.fullmatch(text):  # "2021 — Müller et al. — Transformers Can Do …"
        return f"{match[2]} ({match[1]}). “{match[3].strip(' *_.“”')}.”"
    if has_leading_name(text) and SET_OFF.search(f"{text}*") and is_standalone_citation(text):
        return text  # "Ray, P. S., 1977: *De-Aliasing …*"
    quoted = _QUOTED.search(text) if below else None
    return f"“{quoted[1].strip(' .')}.” {below}" if quoted else ""  # "Paper 1 — “Steering Awareness: …”"


def _find_pointed_works(lines: list[TextLine], used: set[int]) -> Iterator[Candidate]:
    """Yield the works whose title is the heading, or the first point, and whose identifier is in a point."""
    for index, line in enumerate(lines):
        head = _match_heading(line) if index not in used and line.text.startswith("#") else None
        first = index + 2 if index + 1 < len(lines) and lines[index + 1].blank else index + 1
        last = first
        while head and last < min(len(lines), first + _MOST_POINTS) and POINT.match(lines[last].text):
            last += 1
        points = [_ASIDE.sub("", strip_item_mark(lines[at].text)) for at in range(first, last)]
        told = next((at for at, point in enumerate(points[: _EARLY + 1]) if find_work_ids(point)), None)
        if head is None or told is None or len(points) < 2 or _is_whole(points[told]):
            continue
        bold = _BOLD.match(points[0])
        title = bold[1] if bold else _KEY.sub("", _ASIDE.sub("", head[2]), count=1)
        if len(title.split()) < 3:
            continue
        named = told > 0 and (bold or _is_people(points[0]))
        people = points[0][bold.end() if bold else 0 :].strip(" ,;:–—-")[:_LONGEST_NAMES] if named else ""
        text = join_entry_lines([f"{people}." if people else "", f"“{title.strip(' *_.')}.”", points[told]])
        start, end = line.start + head.start(2), lines[first + told].end
        yield EntrySegment(text[:MAX_ENTRY], start, end, head[1] or ""), range(index, last)


def _is_whole(point: str) -> bool:
    """Return whether a point is a citation by itself, one of several below the heading."""
    return has_leading_name(point) or SET_OFF.search(_POINTER.split(point, maxsplit=1)[0]) is not None


def _is_people(point: str) -> bool:
    return len(point) <= _LONGEST_NAMES and (has_leading_name(point) or "et al" in point)
