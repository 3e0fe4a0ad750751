"""Which of several years is the year of a work: the one that stands by itself, not the event's.

"In CIDR 2015, Asilomar, January 4-7, 2015. 2016." names its event's date twice before its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeproof.reading.parse.citation_anchors import LOOKED_AT
from citeproof.reading.parse.label_stretches import Stretch, Stretches
from citeproof.reading.parse.name_run import NameRun
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import LIKELY_YEAR
from citeproof.text.package_tables import load_package_table

SURE = 0.9


_YEAR = re.compile(rf"{LIKELY_YEAR}")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_EVENT = re.compile(
    rf"(?:{_MONTH}\s\d{{1,2}}(?:\s?[-–]\s?(?:{_MONTH}\s)?\d{{1,2}})?|\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}})?\s{_MONTH}),?\s$",
    re.IGNORECASE,
)
_SPAN = re.compile(rf"\d{{4}}\s?[-–]\s?{LIKELY_YEAR}")  # "(1976-2008)"
_NAMED = re.compile(r"[^\W\d_]['’]?\s$")  # "ICCV 2015": the year is part of the name before it
_LAST = re.compile(rf"[,.(\[\s]({LIKELY_YEAR})[a-z]?[)\]]?[\s.,;]*$")
_BEHIND_NAMES = re.compile(rf"[.,]{{0,2}}\s?[(\[]?({LIKELY_YEAR})[a-z]?[)\].,:]")
_LOOKED_BACK = 40
_LOOKED_AT = re.compile(rf"\b(?:{LOOKED_AT})\b[^.;()]{{0,25}}$", re.IGNORECASE)
_LABELS = ("doi", "url", "available at", "https", "http", "//")
_MARKS = " .,;:<("

RULED = 0.8  # how sure a date is that this rule found


_NAMES = sorted(
    {
        name
        for names in load_package_table("citeproof.reading.parse", "months.toml").values()
        for name in names.split()
    },
    key=len,
    reverse=True,
)
# It stands by itself: behind a full stop, a comma, a bracket or a quotation.
_BEFORE = re.compile(
    rf"[.,;:?!(\[»”“\"'’]\s?((?:\d{{1,2}}\.?\s(?:de\s)?)?(?:{'|'.join(_NAMES)})\b\.?,?(?:\s(?:de|del|di)\b)?\s)$",
    re.IGNORECASE,
)
_DATED_YEAR = re.compile(rf"(?<=\s){LIKELY_YEAR}(?!\w|\s?[-–/]\s?\d)")
_LONGEST = 30  # characters of a day and a month with what comes before them
_CUT = ("title", "container", "publisher", "series", "author", "editor", "location", "note", "edition")
_EDGE = " .,;:(["


def correct_date(text: str, stretches: Stretches, spans: Sequence[tuple[str, int, int]]) -> Stretches:
    """Return the stretches with the date moved off an event's, where the work has a year of its own.

    The day on which somebody looked at a page is no date of the work.
    """
    date = stretches.get("date")
    year = _YEAR.search(text, date.start, date.end) if date else None
    if date is None or year is None:
        return stretches
    if _is_day_of_access(text, year.start()):
        stretches = {name: stretch for name, stretch in stretches.items() if name != "date"}
    elif not _is_event_year(text, year.start()):
        return stretches
    own = find_own_year(text, stretches, spans)
    if own is None or text[own[0] : own[1]] == year[0]:
        return stretches
    return stretches | {"date": replace(date, start=own[0], end=own[1], confidence=SURE, ruled=True)}


def find_own_year(
    text: str, stretches: Stretches, spans: Sequence[tuple[str, int, int]]
) -> tuple[int, int] | None:
    """Return where the work's own year stands: behind its people, or last of all."""
    names = stretches.get("author")
    match = _BEHIND_NAMES.match(text, names.end) if names else None
    return (match.span(1) if match else None) or _find_last_year(text, spans)


def _is_event_year(text: str, start: int) -> bool:
    """Return whether the year at `start` belongs to an event, a name or a span of years."""
    before = text[max(0, start - _LOOKED_BACK) : start]
    return bool(_EVENT.search(before) or _NAMED.search(before) or _SPAN.match(text, start))


def _is_day_of_access(text: str, start: int) -> bool:
    return _LOOKED_AT.search(text[max(0, start - _LOOKED_BACK) : start]) is not None


def _find_last_year(text: str, spans: Sequence[tuple[str, int, int]]) -> tuple[int, int] | None:
    """Return the year at the end of the text, identifiers aside, unless it belongs to a name or an event."""
    end = min((start for _, start, stop in spans if stop >= len(text) - 3), default=len(text))
    match = _LAST.search(text[: _trim_identifier_label(text, end)])
    if match is None or _is_event_year(text, match.start(1)) or _is_day_of_access(text, match.start(1)):
        return None
    return match.span(1)


def _trim_identifier_label(text: str, end: int) -> int:
    """Return where the text ends without the label of the identifier behind it."""
    for _ in _LABELS:
        end = len(text[:end].rstrip(_MARKS))
        label = next((candidate for candidate in _LABELS if text[:end].lower().endswith(candidate)), "")
        if not label:
            break
        end -= len(label)
    return end + 1


def release_months(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A month before the year is part of the date: "(Ago. de 2022)", ". Dic. de 2017"."""
    for year in _DATED_YEAR.finditer(text):
        head = max(0, year.start() - _LONGEST)
        month = _BEFORE.search(text[head : year.start()])
        if month is None:
            continue
        start, end = head + month.start(1), year.end()
        cut = {label: _cut_stretch(text, label, stretch, start, end) for label, stretch in stretches.items()}
        if any(stretch is not stretches[label] for label, stretch in cut.items()):
            stretches = {label: stretch for label, stretch in cut.items() if stretch is not None}
            stretches.setdefault("date", Stretch(start, end, RULED, ruled=True))
    return stretches


def _cut_stretch(text: str, label: str, stretch: Stretch, start: int, end: int) -> Stretch | None:
    """Return a stretch without the date at [start, end); None if it is no more than the date."""
    if label not in _CUT or stretch.end <= start or stretch.start >= end:
        return stretch
    if stretch.start >= start - 1:
        return None if stretch.end <= end + 1 else stretch
    sentence = text[:start].rstrip()[-1:] not in ",:" or label not in ("title", "container")
    if stretch.end > end + 1 or not sentence:
        return stretch  # "Paris, May 1968" may be part of a name
    return replace(stretch, end=stretch.start + len(text[stretch.start : start].rstrip(_EDGE)))
