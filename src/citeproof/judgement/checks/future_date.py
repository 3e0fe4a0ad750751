"""`future_date`: the cited year lies after the day of the run.

**What it does:** compares the cited year, and the month in an arXiv number, with the day of the run.

**Why it matters:** a work from the future cannot have been read. Most such years are typing errors; generated
references have them too. It is a warning; where the record says the same year it is a note.

**What is not reported:** next year from July on, since issues and books are dated ahead; up to two years
ahead where the citation says "in press", "to appear" or the like, or where the record of the work has that
year (a DOI may be registered for a later issue); standards and laws, which may come into force later. Silence
is not reported as `clear`.
"""

from __future__ import annotations

from datetime import date

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence, list_work_records
from citeproof.judgement.checks.evidence.work_texts import DOCUMENT
from citeproof.text import lazy_patterns as re
from citeproof.text.arxiv import read_year_month
from citeproof.vocabulary import Finding, FindingLevel, FindingState, Kind

NAME = "future_date"
NEXT_YEAR_FROM = 7  # the month from which issues of the next year appear
AHEAD = 2  # years that a work in press may be dated ahead
SURE = 0.9  # a year that was read with less confidence may be a page
_KINDS = frozenset((Kind.STANDARD, Kind.LEGAL))
_PENDING = re.compile(
    r"\b(?:in[\s-]press|to[\s-]appear|to be (?:published|presented)|forthcoming|in print|accepted|submitted"
    r"|under review|in (?:preparation|review|production)|online first|early (?:access|view)|ahead of print"
    r"|im druck|erscheint|im erscheinen|à paraître|sous presse|en prensa|por aparecer"
    r"|in corso di (?:stampa|pubblicazione)|no prelo|w druku|в печати|baskıda)\b"
    r"|印刷中|待刊|即将出版|出版予定|掲載予定|출간 ?예정|게재 ?예정",
    re.IGNORECASE,
)


@add_check(WORK_CHECKS, 9)
def find_future_date(evidence: WorkEvidence) -> Finding | None:
    """Return the date that lies ahead; None if none does or the day is not known."""
    day, claimed = evidence.day, evidence.reference.claimed
    if day is None:
        return None
    if claimed.year is not None and claimed.year > day.year:
        return _judge_year(evidence, claimed.year, day)
    return _judge_arxiv(evidence, day) if claimed.ids.pairs else None


def _judge_year(evidence: WorkEvidence, year: int, day: date) -> Finding | None:
    reference = evidence.reference
    if reference.kind in _KINDS or reference.claimed.confidence("year") < SURE:
        return None
    soon = year == day.year + 1
    if soon and day.month >= NEXT_YEAR_FROM:
        return None
    records = list_work_records(evidence.judgement, evidence.compared)
    known = {v.year: record.source for record in records for v in record.versions if v.year}
    if year <= day.year + AHEAD and (year in known or _PENDING.search(reference.raw)):
        return None
    level = FindingLevel.NOTE if soon or year in known else FindingLevel.WARNING
    lines = [f"cited: {year}", f"day of the run: {day}"]
    lines += [f"record: {known_year} ({source})" for known_year, source in sorted(known.items())[:3]]
    others = ", ".join(str(other) for other in sorted(known)[:3])
    said = f"; the record has {others}" if known else ""
    detail = f"the cited year {year} is after the day of the run, {day}{said}"
    return Finding(NAME, FindingState.FINDING, detail, DOCUMENT, "", level, tuple(lines))


def _judge_arxiv(evidence: WorkEvidence, day: date) -> Finding | None:
    """Return that an arXiv number is of a month to come; numbers of a month begin a day before it."""
    ahead = (day.year + day.month // 12, day.month % 12 + 1)
    for number in evidence.reference.claimed.ids.all("arxiv"):
        stated = read_year_month(number)
        if stated is not None and "/" not in number and stated > ahead:
            lines = (f"cited: arXiv:{number}", f"day of the run: {day}")
            month = f"{stated[0]}-{stated[1]:02}"
            detail = f"arXiv:{number} is a number of {month}, after the day of the run, {day}"
            return Finding(NAME, FindingState.FINDING, detail, DOCUMENT, evidence=lines)
    return None
