"""The names under which a verdict stands in the audit log and in a trace of claims."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.vocabulary import Absent, Checked, Found, Lookup, Reach, Verdict

GROUNDING = "grounding"  # the stage in which claims are decided


def find_missing_dois(lookups: Sequence[Lookup]) -> list[str]:
    """Return the DOIs that their authority does not know and no one has a record of."""
    gone = [x.value for x in lookups if isinstance(x, Absent) and x.by == "doi" and x.reach is Reach.COMPLETE]
    known = {x.value for x in lookups if isinstance(x, Found) and x.by == "doi"} if gone else set()
    return [doi for doi in dict.fromkeys(gone) if doi and doi not in known]


def name_event(checked: Checked, missed: Sequence[str], stage: str = "") -> str:
    """Return the event's name for a verdict; `missed` are the DOIs that do not exist.

    A candidate of a claim is one identifier: if it leads to another work than the title, that is a mismatch.
    """
    judgement = checked.judgement
    match judgement.verdict:
        case Verdict.MATCHED:
            return checked.retraction.name if checked.retraction else "verified"
        case Verdict.AMBIGUOUS if stage == GROUNDING and judgement.matched is not None:
            return "title_mismatch"
        case Verdict.MISMATCH:
            titles = (mismatch for mismatch in judgement.mismatches if mismatch.field == "title")
            return "title_mismatch" if any(titles) else "author_mismatch"
        case Verdict.NOT_FOUND:
            return "crossref_miss" if missed else "not_found"
        case _:
            return judgement.verdict.value
