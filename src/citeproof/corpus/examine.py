"""One document examined: its bytes in, citations and issues out.

1 decode · 2 read the page · 3 apply the rules · 4 count. DOIs are left pending: see `existence.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from citeproof.corpus.desk import Desk
from citeproof.corpus.ground import Asking, Ground
from citeproof.corpus.nouns import Citation, Counts, Freshness, Issue, Level, Mode, Pattern, Result, Status
from citeproof.corpus.page import read
from citeproof.corpus.rules import apply

GRADE_RULES = frozenset(["grade-language", "overclaim"])


def examine(data: bytes, file: str, ground: Ground, mode: Mode) -> Result:
    """Return what one document gave."""
    asking = Asking(ground)
    desk = Desk(read(text_of(data), ground.layout), asking, mode)  # 1 and 2
    apply(desk)  # 3
    issues = tuple(sorted(desk.issues, key=lambda issue: (issue.line, issue.column)))
    citations = tuple(desk.citations)
    return Result(file, citations, issues, tuple(desk.pending), asking.asked(), count(citations, issues))


def text_of(data: bytes) -> str:
    """Return the text of a document; a byte that is not UTF-8 becomes a sign of its own."""
    return data.decode("utf-8", "replace")


def count(citations: Sequence[Citation], issues: Sequence[Issue]) -> Counts:
    """Return the figures of one document."""
    status = Counter(citation.status for citation in citations)
    fresh = Counter(citation.verdict for citation in citations if citation.pattern is Pattern.CODE)
    levels = Counter(issue.level for issue in issues)
    return Counts(
        files=1,
        citations=len(citations),
        verified=status[Status.VERIFIED],
        hallucinated=status[Status.HALLUCINATED],
        malformed=status[Status.MALFORMED],
        unreachable=status[Status.UNREACHABLE],
        inconsistent=status[Status.INCONSISTENT],
        unchecked=status[Status.UNCHECKED],
        grade_violations=sum(issue.rule in GRADE_RULES for issue in issues),
        errors=levels[Level.ERROR],
        warnings=levels[Level.WARNING],
        infos=levels[Level.INFO],
        code=fresh.total(),
        fresh=fresh[Freshness.FRESH],
        stale=fresh[Freshness.STALE],
        un_versioned=fresh[Freshness.UN_VERSIONED],
        missing=fresh[Freshness.MISSING],
    )


def strict(result: Result) -> Result:
    """Return a result in which every warning is an error."""
    if not result.counts.warnings:
        return result
    issues = tuple(
        replace(issue, level=Level.ERROR) if issue.level is Level.WARNING else issue
        for issue in result.issues
    )
    counts = replace(result.counts, errors=result.counts.errors + result.counts.warnings, warnings=0)
    return replace(result, issues=issues, counts=counts)
