"""`all_unresolved`: nearly none of the references could be found as they are cited.

**What it does:** counts the references that were judged, and those of them that no source has (`not_found`)
or that describe no work which exists (`mismatch`). Nine in ten of at least 8 make a finding.

**Why it matters:** each of them is reported anyway. Together they say more: in a real list a few references
are wrong, in a list that a program made up nearly all are. It is a warning.

**States:** references that could not be checked do not count, and more than half must have been judged: a
source that did not answer is not evidence.
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.judgement.checks.base import SET_CHECKS, add_check
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence
from citeproof.vocabulary import Finding, FindingState, Place, SetFinding, Verdict

NAME = "all_unresolved"
MIN_REFERENCES = 8
_SHARE = 0.9
_JUDGED = 0.5


@add_check(SET_CHECKS, 5)
def find_unresolved_list(evidence: SetEvidence) -> Iterator[SetFinding]:
    """Yield one finding if nearly all references that were judged are not found or mismatch."""
    judged = [member for member in evidence.members if member.verdict is not Verdict.UNCHECKED]
    if len(judged) < MIN_REFERENCES or len(judged) <= _JUDGED * len(evidence.members):
        return
    missing = [member.key for member in judged if member.verdict is Verdict.NOT_FOUND]
    wrong = [member.key for member in judged if member.verdict is Verdict.MISMATCH]
    size = len(missing) + len(wrong)
    if size < _SHARE * len(judged):
        return
    detail = (
        f"{size} of {len(judged)} references that were checked ({100 * size / len(judged):.0f} %) were not "
        "found as they are cited"
    )
    counts = (("no source has it", missing), ("another work was found", wrong))
    lines = tuple(f"{said}: {len(keys)} references" for said, keys in counts if keys)
    finding = Finding(NAME, FindingState.FINDING, detail, "references together", evidence=lines)
    yield SetFinding(finding, Place(file=evidence.document), (*missing, *wrong))
