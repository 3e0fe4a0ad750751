"""Dates with a month in words, kept out of the other fields: "Title. Ago. de 2022." has no venue "Ago".

The tagger learnt from lists in which such dates are mostly English.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from importlib.resources import files

from citeproof.parse.label_stretches import Stretch
from citeproof.parse.name_run import NameRun

RULED = 0.8  # how sure a date is that this rule found

Found = dict[str, Stretch]

_NAMES = sorted(
    {
        name
        for names in tomllib.loads(
            files("citeproof.parse").joinpath("months.toml").read_text("utf-8")
        ).values()
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
_YEAR = re.compile(r"(?<=\s)(?:1[6-9]|20)\d\d(?!\w|\s?[-–/]\s?\d)")
_LONGEST = 30  # characters of a day and a month with what comes before them
_CUT = ("title", "container", "publisher", "series", "author", "editor", "location", "note", "edition")
_EDGE = " .,;:(["


def release_months(text: str, found: Found, _run: NameRun) -> Found:
    """A month before the year is part of the date: "(Ago. de 2022)", ". Dic. de 2017"."""
    for year in _YEAR.finditer(text):
        head = max(0, year.start() - _LONGEST)
        month = _BEFORE.search(text[head : year.start()])
        if month is None:
            continue
        start, end = head + month.start(1), year.end()
        kept = {label: _cut_stretch(text, label, one, start, end) for label, one in found.items()}
        if any(one is not found[label] for label, one in kept.items()):
            found = {label: one for label, one in kept.items() if one is not None}
            found.setdefault("date", Stretch(start, end, RULED, ruled=True))
    return found


def _cut_stretch(text: str, label: str, one: Stretch, start: int, end: int) -> Stretch | None:
    """Return a stretch without the date at [start, end); None if it is no more than the date."""
    if label not in _CUT or one.end <= start or one.start >= end:
        return one
    if one.start >= start - 1:
        return None if one.end <= end + 1 else one
    sentence = text[:start].rstrip()[-1:] not in ",:" or label not in ("title", "container")
    if one.end > end + 1 or not sentence:
        return one  # "Paris, May 1968" may be part of a name
    return replace(one, end=one.start + len(text[one.start : start].rstrip(_EDGE)))
