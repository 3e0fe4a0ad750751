"""Which of several years is the year of a work: the one that stands by itself, not the event's.

"In CIDR 2015, Asilomar, January 4-7, 2015. 2016." names its event's date twice before its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from citeproof.parse.citation_anchors import LOOKED_AT
from citeproof.parse.label_stretches import Stretch

SURE = 0.9

Found = dict[str, Stretch]

_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_EVENT = re.compile(
    rf"(?:{_MONTH}\s\d{{1,2}}(?:\s?[-–]\s?(?:{_MONTH}\s)?\d{{1,2}})?|\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}})?\s{_MONTH}),?\s$",
    re.IGNORECASE,
)
_SPAN = re.compile(r"\d{4}\s?[-–]\s?(?:1[6-9]|20)\d\d")  # "(1976-2008)"
_NAMED = re.compile(r"[^\W\d_]['’]?\s$")  # "ICCV 2015": the year is part of the name before it
_LAST = re.compile(r"[,.(\[\s]((?:1[6-9]|20)\d\d)[a-z]?[)\]]?[\s.,;]*$")
_BEHIND_NAMES = re.compile(r"[.,]{0,2}\s?[(\[]?((?:1[6-9]|20)\d\d)[a-z]?[)\].,:]")
_LOOKED_BACK = 40
_LOOKED_AT = re.compile(rf"\b(?:{LOOKED_AT})\b[^.;()]{{0,25}}$", re.IGNORECASE)
_LABELS = ("doi", "url", "available at", "https", "http", "//")
_MARKS = " .,;:<("


def correct_date(text: str, found: Found, spans: Sequence[tuple[str, int, int]]) -> Found:
    """Return the stretches with the date moved off an event's, where the work has a year of its own.

    The day on which somebody looked at a page is no date of the work.
    """
    date = found.get("date")
    year = _YEAR.search(text, date.start, date.end) if date else None
    if date is None or year is None:
        return found
    if _is_day_of_access(text, year.start()):
        found = {name: one for name, one in found.items() if name != "date"}
    elif not _is_event_year(text, year.start()):
        return found
    own = find_own_year(text, found, spans)
    if own is None or text[own[0] : own[1]] == year[0]:
        return found
    return found | {"date": replace(date, start=own[0], end=own[1], confidence=SURE, ruled=True)}


def find_own_year(text: str, found: Found, spans: Sequence[tuple[str, int, int]]) -> tuple[int, int] | None:
    """Return where the work's own year stands: behind its people, or last of all."""
    return _find_year_after_names(text, found) or _find_last_year(text, spans)


def _is_event_year(text: str, start: int) -> bool:
    """Return whether the year at `start` belongs to an event, a name or a span of years."""
    before = text[max(0, start - _LOOKED_BACK) : start]
    return bool(_EVENT.search(before) or _NAMED.search(before) or _SPAN.match(text, start))


def _is_day_of_access(text: str, start: int) -> bool:
    """Return whether the year at `start` is of the day on which somebody looked at a page."""
    return _LOOKED_AT.search(text[max(0, start - _LOOKED_BACK) : start]) is not None


def _find_year_after_names(text: str, found: Found) -> tuple[int, int] | None:
    names = found.get("author")
    match = _BEHIND_NAMES.match(text, names.end) if names else None
    return match.span(1) if match else None


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
        label = next((one for one in _LABELS if text[:end].lower().endswith(one)), "")
        if not label:
            break
        end -= len(label)
    return end + 1
