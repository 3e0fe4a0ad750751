"""`venue_unconfirmed`: the work was found, but no source has it in the cited venue.

**What it does:** reports that all sources which have the work know only a preprint of it, while the citation
names a journal or a conference.

**Why it matters:** the paper may have appeared there since, or never. No one is accused: sources miss many
publications. It is a note, never a warning; whether the venue itself exists is said by `nonexistent_venue`.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.venue_evidence import read_cited_venue
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.judgement.checks.nonexistent_venue import is_nonexistent
from citeproof.vocabulary import Finding, FindingLevel, FindingState, Outcome, Reason, Verdict

NAME = "venue_unconfirmed"
_SHOWN = 200  # characters of a name
_OPEN = frozenset((Reason.ONLY_PREPRINT_KNOWN, Reason.PREPRINT_AS_PUBLISHED))


@add_check(WORK_CHECKS, 4)
def find_unconfirmed_venue(evidence: WorkEvidence) -> Finding | None:
    """Return that no source confirms the cited venue; None if one does, or if there is more to say."""
    matched = evidence.judgement.matched
    if matched is None or evidence.judgement.verdict is not Verdict.MATCHED:
        return None
    venue = read_cited_venue(evidence)
    compared = venue.comparison if venue else None
    if venue is None or compared is None or compared.reason not in _OPEN:
        return None
    if compared.outcome is Outcome.DIFFERS or is_nonexistent(evidence):
        return None
    asked = not all(answer.trouble for answer in venue.registries)
    known = "" if venue.known_to or not asked else "; the venue itself is not in the registry either"
    return Finding(
        NAME,
        FindingState.FINDING,
        f'no source confirms that the work appeared in "{venue.name[:_SHOWN]}"{known}',
        matched.record.source,
        level=FindingLevel.NOTE,
        evidence=(f"the record of the work has: {compared.resolved[:_SHOWN]}",),
    )
