"""`hijacked_journal`: somebody else uses the name of the cited journal.

**What it does:** looks for the web address and the name of the journal in the lists of hijacked journals
that are installed: sites that took the name of a real journal. The list and its year are named.

**Why it matters:** what the false journal published was never reviewed by the real one. A citation with the
address of the false site is a warning. The name alone says only that there is a false journal of that name:
it is a note, and nothing is said if a record of the work with a DOI was found, since a false journal has
none at the registry.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.venue_evidence import (
    compare_with_record,
    list_standings,
    name_edition,
)
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.vocabulary import Finding, FindingLevel, FindingState, VenueStanding, Verdict

NAME = "hijacked_journal"
_SHOWN = 200  # characters of a title or a reason


@add_check(WORK_CHECKS, 2)
def find_hijacked_journal(evidence: WorkEvidence) -> Finding | None:
    """Return what lists of hijacked journals say about the venue of the work; None if they say nothing."""
    listings = list(list_standings(evidence, VenueStanding.HIJACKED))
    if not listings:
        return None
    by_site = [pair for pair in listings if pair[1].found_by.startswith("host")]
    if not by_site and _has_registered_record(evidence):
        return None
    answer, first = (by_site or listings)[0]
    what = f'"{first.title[:_SHOWN]}" is listed as a hijacked journal in {name_edition(answer)}'
    why = f": it {first.reason[:_SHOWN]}" if first.reason else ""
    advice = "" if by_site or first.exact else "; make sure that the real one is cited"
    return Finding(
        NAME,
        FindingState.FINDING,
        f"{what}{why}{advice}",
        ", ".join(dict.fromkeys(listed.name for listed, _ in listings)),
        level=FindingLevel.WARNING if by_site or first.exact else FindingLevel.NOTE,
        evidence=tuple(
            f"{name_edition(listed)}: found by {listing.found_by}" for listed, listing in listings
        ),
    )


def _has_registered_record(evidence: WorkEvidence) -> bool:
    """Return whether the work was found in the venue with a DOI: then it is the real journal's."""
    record, venue = evidence.judgement.work_record, compare_with_record(evidence)
    if record is None or venue is None or evidence.judgement.verdict is not Verdict.MATCHED:
        return False
    return bool(record.ids.all("doi")) and venue.outcome.agrees
