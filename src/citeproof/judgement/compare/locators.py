"""Year, volume, issue and pages, where the record knows them; every dated version of a work counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import read_digits, strip_marks
from citeproof.vocabulary import Claimed, Comparison, Outcome, Reason, Version

Rule: TypeAlias = Callable[[str, str], tuple[Outcome, Reason]]

_SCALE = 10  # years of difference at which similarity reaches zero
_NUMBER = re.compile(r"[^\W_]+")
_PAGES = re.compile(
    r"([A-Za-z]{0,3}\d{1,7}[A-Za-z]?)\s{0,2}(?:[-–—‐:]{1,3}\s{0,2}([A-Za-z]{0,3}\d{1,7}[A-Za-z]?))?"
)


def compare_year(
    claimed: int | None,
    versions: Sequence[Version],
    *,
    fitting: Sequence[Version] = (),
    preprint_years: Sequence[int] = (),
    this_year: int,
    closed: bool = False,
) -> Comparison:
    """Return how the claimed year agrees with the dated versions of a work.

    `fitting` are the versions that appeared in the cited venue: when there are any, the year must
    be one of theirs. `preprint_years` come from identifiers that carry a date (arXiv). One year off may
    be a version that nobody told us of; where all versions are known (`closed`) it is not.
    """
    known = sorted({v.year for v in versions if v.year})
    shown = ", ".join(map(str, known))
    if claimed is None:
        return Comparison("year", Outcome.ABSENT, Reason.NOT_CITED, "", shown)
    if claimed > this_year and claimed not in known:
        return Comparison("year", Outcome.DIFFERS, Reason.FUTURE, str(claimed), shown, 0.0)
    if not known:
        return Comparison("year", Outcome.UNKNOWN, Reason.RECORD_HAS_NONE, str(claimed))
    there = {v.year for v in fitting if v.year}
    if claimed in (there or known):
        return Comparison("year", Outcome.SAME, Reason.SAME, str(claimed), shown, 1.0)
    gap = min(abs(claimed - year) for year in (there or known))
    alike = max(0.0, 1 - gap / _SCALE)
    if claimed in known:
        return Comparison("year", Outcome.VARIANT, Reason.OTHER_VERSION, str(claimed), shown, alike)
    if claimed in preprint_years and not there:
        return Comparison("year", Outcome.VARIANT, Reason.PREPRINT_YEAR, str(claimed), shown, alike)
    reason = Reason.OFF if gap > 1 else Reason.NO_VERSION if closed else Reason.OFF_BY_ONE
    return Comparison("year", Outcome.DIFFERS, reason, str(claimed), shown, alike)


def compare_locators(claimed: Claimed, versions: Sequence[Version]) -> tuple[Comparison, ...]:
    """Return one comparison for each locator the reference cites; the best over all versions."""
    found = []
    for name, mine, theirs, rule in (
        ("volume", claimed.volume, [v.volume for v in versions], _compare_number),
        ("issue", claimed.issue, [v.issue for v in versions], _compare_number),
        ("pages", claimed.pages, [v.pages for v in versions], _compare_pages),
    ):
        if mine:
            found.append(_compare_locator(name, mine, [t for t in theirs if t], rule))
    return tuple(found)


def _compare_locator(name: str, mine: str, theirs: list[str], rule: Rule) -> Comparison:
    if not theirs:
        return Comparison(name, Outcome.UNKNOWN, Reason.RECORD_HAS_NONE, mine)
    rows = [(*rule(mine, their), their) for their in theirs]
    order = {Outcome.SAME: 0, Outcome.VARIANT: 1, Outcome.UNKNOWN: 2}
    outcome, reason, their = min(rows, key=lambda row: order.get(row[0], 3))
    alike = {Outcome.SAME: 1.0, Outcome.VARIANT: 0.9}.get(outcome, 0.0)
    return Comparison(name, outcome, reason, mine, their, alike)


def _compare_number(mine: str, their: str) -> tuple[Outcome, Reason]:
    a, b = (_NUMBER.findall(strip_marks(s).casefold()) for s in (mine, their))
    if a == b:
        return (Outcome.SAME, Reason.SAME) if mine == their else (Outcome.VARIANT, Reason.FORM)
    digits_a, digits_b = ([w for w in words if w.isdigit()] for words in (a, b))
    if digits_a and digits_a == digits_b:
        return Outcome.VARIANT, Reason.FORM
    if not digits_a or not digits_b:
        return Outcome.UNKNOWN, Reason.NOT_NUMBERS
    return Outcome.DIFFERS, Reason.OTHER_NUMBER


def _compare_pages(mine: str, their: str) -> tuple[Outcome, Reason]:
    a, b = _PAGES.search(read_digits(mine)), _PAGES.search(read_digits(their))
    if not a or not b:
        return Outcome.UNKNOWN, Reason.NOT_NUMBERS
    if a[1].casefold() != b[1].casefold():
        return Outcome.DIFFERS, Reason.OTHER_PAGES
    if not a[2] or not b[2]:
        return (Outcome.SAME, Reason.SAME) if a[2] == b[2] else (Outcome.VARIANT, Reason.FIRST_PAGE)
    if a[2].casefold() == b[2].casefold():
        return (Outcome.SAME, Reason.SAME) if mine == their else (Outcome.VARIANT, Reason.FORM)
    short, long = sorted((a[2], b[2]), key=len)
    return (Outcome.VARIANT, Reason.FORM) if long.endswith(short) else (Outcome.DIFFERS, Reason.LAST_PAGE)
