"""Years and days out of date fields and running text."""

from __future__ import annotations

from datetime import date

from citeproof.text import lazy_patterns as re

EARLIEST = 1450  # printing begins
LATEST = 2099
_YEAR = re.compile(r"(?<![\d.])(1[4-9]\d\d|20\d\d)(?=[a-z]?(?!\d)(?![a-z]{2}))")
_ISO = re.compile(r"\s{0,9}(\d{4})(?:-\d\d?(?:-\d\d?)?)?(?:/.{0,20})?\s{0,9}")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_DAYS = tuple(  # how a whole field may write a day: year, month and day by name
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?P<y>\d{4})(?:[-/](?P<m>\d\d?)(?:[-/](?P<d>\d\d?)/?)?)?(?:[T ]\d\d:.{0,40})?",
        r"D:(?P<y>\d{4})(?P<m>\d\d)?(?P<d>\d\d)?.{0,40}",  # PDF
        rf"(?P<d>\d\d?)(?:st|nd|rd|th)?\.?\s{{1,3}}(?P<m>{_MONTH}),?\s{{1,3}}(?P<y>\d{{4}})",
        rf"(?P<m>{_MONTH})\s{{1,3}}(?:(?P<d>\d\d?)(?:st|nd|rd|th)?,?\s{{1,3}})?(?P<y>\d{{4}})",
    )
)
EARLY_YEAR = r"(?:1[4-9]|20)\d\d"  # since the first printed books: every number that may be a year is weighed
YEAR = r"(?:1[5-9]|20)\d\d"  # where punctuation or words around it say that it is a year
LIKELY_YEAR = r"(?:1[6-9]|20)\d\d"  # among volumes and pages, which go up to some 1500
MODERN_YEAR = r"(?:1[89]|20)\d\d"  # in running text, and where a wrong year would begin a reference


def find_day(text: str) -> str:
    """Return a field that is a date as 2021, 2021-05 or 2021-05-03; nothing for any other text."""
    text = " ".join(text[:100].split()).strip("{}\"' .,")
    day_match = next((match for form in _DAYS if (match := form.fullmatch(text))), None)
    if day_match is None:
        return ""
    month = day_match["m"] or ""
    number = int(month) if month.isdecimal() else _MONTHS.index(month[:3].lower()) + 1 if month else 0
    try:
        day = date(int(day_match["y"]), number or 1, int(day_match["d"] or 1))
    except ValueError:
        return ""
    whole = day.isoformat() if EARLIEST <= day.year <= LATEST else ""
    return whole if day_match["d"] and number else whole[:7] if number else whole[:4]


def find_year(text: str) -> int | None:
    """Return the year of a date field: "2019-05-03", "May 2001", "2001a", "c. 1999", "{2017}"."""
    text = text[:200].strip("{}\"' ")
    if (iso := _ISO.fullmatch(text)) and EARLIEST <= int(iso[1]) <= LATEST:
        return int(iso[1])
    return next((value for value, _, _ in find_years(text)), None)


def find_years(text: str) -> tuple[tuple[int, int, int], ...]:
    """Return every number in `text` that can be a year, as (year, start, end)."""
    return tuple((int(m[1]), m.start(1), m.end(1)) for m in _YEAR.finditer(text) if int(m[1]) >= EARLIEST)
