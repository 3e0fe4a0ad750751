"""What can be found in a citation string by rule, before any guess: ids, year, locators.

Anchors are masked in the text, so that the split of authors, title and venue sees only words and
punctuation. The mask is one private character per masked character: offsets stay true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from citeproof.text import ids, pages
from citeproof.vocabulary import Ids

MASK = "\ue000"

_NUMBERED = re.compile(
    r"\s{0,9}(?:\[\s?[\w+.-]{1,12}\s?\][.:]?|\(\d{1,4}\)|\d{1,4}[.)](?=\s)|[•·*-](?=\s)|\d{1,3}(?=\s[A-Z]))\s{0,9}"
)
_ACCESS = re.compile(
    r"[\[(]?\b(?:retrieved|accessed|last accessed|last visited|available(?: online)?|viewed|consulted|"
    r"abgerufen|zugriff|consulté|online)\b(?:\s(?:on|from|at|am|le|online))?:?[^.;\[\]()]{0,60}[\])]?",
    re.IGNORECASE,
)
_MONTH = (
    r"(?:jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|june?\.?|july?\.?|aug(?:ust|\.)?|"
    r"sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?|spring|summer|autumn|fall|winter)"
)
_DAY = rf"(?:{_MONTH}(?:\s\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}})?)?(?:st|nd|rd|th)?|\d{{1,2}}\.?\s{_MONTH})"
_DATE = re.compile(
    rf"[\[(]?\b(?:{_DAY}[,.]?\s)?(?<!\d)(?<!\d\.)(?P<year>1[4-9]\d\d|20\d\d)[a-z]?\b(?:,?\s{_DAY})?[\])]?",
    re.IGNORECASE,
)
_N = r"[A-Z]?\d{1,5}[A-Za-z]?"
_P = r"[A-Za-z]{0,3}\d{1,7}(?:[A-Za-z]\d{0,4})?"
_DASH = r"\s?(?:--?-?|[\u2010-\u2015\u2212])\s?"
_RANGE = rf"{_P}(?:{_DASH}{_P})?\+?"
_ISSUE = r"(?:\(\s?(?P<issue>[\w./ –-]{1,20})\s?\))"
# Tried in this order; the comment shows what each one reads.
_LOCATOR_PATTERNS = {
    "vol. 23, no. 1, pp. 26-34": (
        rf"\b(?:vol(?:ume)?s?|v|bd|band|t|tome)\b\.?\s?(?P<volume>{_N})(?:\s?{_ISSUE})?"
        rf"(?:[,;.\s]{{1,3}}(?:no|nos|nr|n|num|number|issue|iss)\b[.°º]?\s?(?P<issue2>[\w/–-]{{1,12}}))?"
        rf"(?:[,;:.\s]{{1,4}}(?:pp?|pages?)?\b\.?\s?(?P<pages>{_P}{_DASH}{_P}|(?<=[p.] )\d{{1,7}}))?"
    ),
    "40(2):497-500": (
        rf"(?<![\w.-])(?P<volume>{_N})\s?{_ISSUE}\s?[,:;]?\s?(?:pp?\b\.?\s?)?(?P<pages>{_RANGE})?(?!\w)"
    ),
    "84, No. 1, 119-127": (
        rf"(?<![\w.-])(?P<volume>{_N})[,;]?\s(?:no|nr|issue)\b\.?\s?(?P<issue>[\w/–-]{{1,12}})"
        rf"[,;:]?\s(?:pp?\b\.?\s?|pages\s)?(?P<pages>{_P}{_DASH}{_P})?"
    ),
    "12: 1113-1118": (
        rf"(?<![\w.-])(?P<volume>{_N})\s?[,:]\s?(?:pp?\b\.?\s?|pages\s)?"
        rf"(?P<pages>{_P}{_DASH}{_P}|[A-Za-z]?\d{{1,7}})(?![\w.]?\w)"
    ),
    "428 (1998) 221, its year masked": (
        rf"(?<![\w.-])(?P<volume>{_N}),?\s?{MASK}{{4,40}}\s?[,:]?\s?(?:pp?\b\.?\s?)?(?P<pages>{_RANGE})(?!\w)"
    ),
    "7 387-393": (
        rf"(?:(?<=[a-z.]\s)|(?<=[a-z.],\s))(?P<volume>\d{{1,4}})\s(?P<pages>\d{{1,6}}{_DASH}\d{{1,6}})(?!\w)"
    ),
    "93 172502 at the end": (
        r"(?<=[a-z.A-Z]\s)(?P<volume>[A-Z]?\d{1,4})\s(?P<pages>[A-Z]?\d{2,7})(?=\W{0,5}(?:$|\[|\())"
    ),
    "pp. 26-34": rf"[(]?\b(?:pp?|pages?|pgs?|seiten?|s)\b\.?\s?(?P<pages>{_RANGE}(?:,\s?\d{{1,5}})?)\s?[)]?",
    "109-118": rf"(?<![\w.-])(?P<pages>\d{{1,6}}{_DASH}\d{{1,6}})(?![\w-])",
    "Nucl. Phys. 57 before the masked year": (
        rf"(?:(?<=[a-z.]\s)|(?<=[a-z.],\s))(?P<volume>{_N})(?=[,;]?\s?(?:{MASK}|\.?$))"
    ),
}
_APART = re.compile(r"[^\W\d_][.,]\s[–—-]\s$")  # GOST: "Journal. – 2017. – Vol. 3"
_YEARS = re.compile(rf"(?:1[5-9]|20)\d\d{_DASH}(?:1[5-9]|20)?\d\d")
_LOCATORS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _LOCATOR_PATTERNS.values())


@dataclass(frozen=True, slots=True)
class Anchors:
    """What was found by rule, and the text with it masked."""

    masked: str
    ids: Ids
    year: int | None = None
    year_span: tuple[int, int] | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    locator_at: int | None = None  # where the first locator begins: the venue stands before it


def find(text: str) -> Anchors:
    """Return the anchors of one citation string."""
    found = ids.from_text(text)
    masked = text
    if number := _NUMBERED.match(masked):
        masked = _mask(masked, 0, number.end())
    for _, _, start, end in found:
        masked = _mask(masked, start, end)
    for access in _ACCESS.finditer(masked):
        if MASK in masked[access.start() : access.end() + 3] or any(c.isdigit() for c in access[0]):
            masked = _mask(masked, access.start(), access.end())
    pairs = tuple(dict.fromkeys((scheme, value) for scheme, value, _, _ in found))
    return _with_locators(_with_year(Anchors(masked, Ids(pairs))))


def _mask(text: str, start: int, end: int) -> str:
    return text[:start] + MASK * (end - start) + text[end:]


def _with_year(anchors: Anchors) -> Anchors:
    """Choose the year: a bracketed or delimited one before one inside running words."""
    text = anchors.masked
    best: tuple[int, int] | None = None
    chosen: re.Match[str] | None = None
    for order, match in enumerate(_DATE.finditer(text)):
        rank = (_year_rank(text, match), -order)
        if best is None or rank > best:
            best, chosen = rank, match
    if chosen is None or best is None or best[0] < 0:
        return anchors
    span = chosen.span()
    return replace(anchors, masked=_mask(text, *span), year=int(chosen["year"]), year_span=span)


def _year_rank(text: str, match: re.Match[str]) -> int:
    """Return how much the date at `match` looks like the date of publication."""
    start, end = match.span()
    before, after = text[max(0, start - 2) : start].rstrip(), text[end : end + 2]
    rank = 0
    if match[0][0] in "([" and match[0][-1] in ")]":
        rank += 4
    elif (not before or before[-1] in ".,;:") and (not after.strip() or after[0] in ".,;:)"):
        rank += 3
    elif not after.strip() or after[0] in ".;:":
        rank += 2
    if len(match[0].strip("()[]")) > 5:
        rank += 1
    joined = before and before[-1] in "-–—/" and not _APART.search(text[max(0, start - 5) : start])
    if joined or re.match(r"\s?[-–—/]\s?\d", after):
        rank -= 4
    if re.search(r"\b(?:[Vv]ol|[Nn]o|pp?|[Pp]ages|[Vv]olume)\.?\s?$", text[max(0, start - 8) : start]):
        rank -= 4
    return rank


def _with_locators(anchors: Anchors) -> Anchors:
    """Read volume, issue and pages by the first pattern that fits, then what is still missing."""
    for pattern in _LOCATORS:
        match = _last(pattern, anchors)
        if match is None:
            continue
        groups = match.groupdict()
        volume = anchors.volume or groups.get("volume")
        issue = anchors.issue or groups.get("issue") or groups.get("issue2")
        paged = anchors.pages or groups.get("pages")
        if (volume, issue, paged) == (anchors.volume, anchors.issue, anchors.pages):
            continue
        at = match.start() if anchors.locator_at is None else min(anchors.locator_at, match.start())
        masked = _mask(anchors.masked, *match.span())
        anchors = replace(anchors, masked=masked, locator_at=at, volume=volume, issue=issue, pages=paged)
    return replace(anchors, pages=pages.normal(anchors.pages) if anchors.pages else None)


def _last(pattern: re.Pattern[str], anchors: Anchors) -> re.Match[str] | None:
    """Return the last match: locators stand at the end, numbers in titles before them."""
    last = None
    for match in pattern.finditer(anchors.masked):
        if not _YEARS.fullmatch(match[0]):  # "1760-1830" is part of a title
            last = match
    return last
