"""Years out of date fields and running text."""

from __future__ import annotations

import re

EARLIEST = 1450  # printing begins
LATEST = 2099

_YEAR = re.compile(r"(?<![\d.])(1[4-9]\d\d|20\d\d)(?=[a-z]?(?!\d)(?![a-z]{2}))")
_ISO = re.compile(r"\s{0,9}(\d{4})(?:-\d\d?(?:-\d\d?)?)?(?:/.{0,20})?\s{0,9}")


def find_year(text: str) -> int | None:
    """Return the year of a date field: "2019-05-03", "May 2001", "2001a", "c. 1999", "{2017}"."""
    text = text[:200].strip("{}\"' ")
    if (iso := _ISO.fullmatch(text)) and EARLIEST <= int(iso[1]) <= LATEST:
        return int(iso[1])
    return next((value for value, _, _ in find_years(text)), None)


def find_years(text: str) -> tuple[tuple[int, int, int], ...]:
    """Return every number in `text` that can be a year, as (year, start, end)."""
    return tuple((int(m[1]), m.start(1), m.end(1)) for m in _YEAR.finditer(text) if int(m[1]) >= EARLIEST)
