"""`cites_retracted`: the cited work itself cites works that were retracted.

**What it does:** where an answer about the work has its reference list, the DOIs and PubMed numbers in it are
looked for in the Retraction Watch list. PubMed's articles have one; Crossref's have one with the setting
`reference_lists`, which makes its answers several times as large. Retractions that were taken back, partial
ones and corrections are not counted.

**Why it matters:** a result may rest on what was retracted. Only a reader can tell: the work may be about the
retraction, or older than it. It is a note, with the works and the dates of their notices.

Reference lists are known for some works only, and snapshots have none: silence is not reported as `clear`.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import RETRACTIONS, WorkEvidence, keep_notices_in_force
from citeproof.vocabulary import Finding, FindingLevel, FindingState, Notice, NoticeKind

NAME = "cites_retracted"
SHOWN = 3  # works that the words name; the evidence has more
MOST = 50
_COUNTED = frozenset(RETRACTIONS) - {NoticeKind.PARTIAL, NoticeKind.REPLACED}


@add_check(WORK_CHECKS, 5)
def find_retracted_citations(evidence: WorkEvidence) -> Finding | None:
    """Return which works in the reference list of the cited work were retracted, if any were."""
    answers = [listed for listed in evidence.listed if listed.subject == "cited"]
    works: dict[str, list[Notice]] = {}
    for answer in answers:
        for notice in answer.notices:
            works.setdefault(notice.about, []).append(notice)
    retracted_works = []
    for about, notices in works.items():
        in_force = [each for each in keep_notices_in_force(notices) if each.kind in _COUNTED]
        if in_force:
            last = max(in_force, key=lambda each: (each.day, each.doi))
            retracted_works.append(f"{about} ({last.kind.value}{f' on {last.day}' if last.day else ''})")
    if not retracted_works:
        return None
    more = f" and {len(retracted_works) - SHOWN:,} more" if len(retracted_works) > SHOWN else ""
    word = "a retracted work" if len(retracted_works) == 1 else f"{len(retracted_works):,} retracted works"
    detail = f"the work cites {word}: {', '.join(retracted_works[:SHOWN])}{more}"
    source = ", ".join(dict.fromkeys(listed.name for listed in answers))
    lines = tuple(retracted_works[:MOST])
    return Finding(NAME, FindingState.FINDING, detail, source, level=FindingLevel.NOTE, evidence=lines)
