"""Volume, issue, pages and publisher, where the record knows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import read_digits, strip_marks
from citeproof.vocabulary import Claimed, Comparison, Outcome, Reason, Version

Rule: TypeAlias = Callable[[str, str], tuple[Outcome, Reason]]

_NUMBER = re.compile(r"[^\W_]+")
_PAGES = re.compile(
    r"([A-Za-z]{0,3}\d{1,7}[A-Za-z]?)\s{0,2}(?:[-–—‐:]{1,3}\s{0,2}([A-Za-z]{0,3}\d{1,7}[A-Za-z]?))?"
)


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
