"""`dead_identifiers`: most identifiers of the list do not exist.

**What it does:** counts the references that cite a DOI, an arXiv or a PubMed number and were judged, and
those whose identifier is not registered. Two in three of at least 5 make a finding.

**Why it matters:** a slip makes one identifier wrong; that most of them were never registered is no slip. It
is a warning.

**States:** a reference whose registry could not be asked does not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.judgement.checks.base import SET_CHECKS, add_check
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence
from citeproof.vocabulary import Finding, FindingState, Place, SetFinding, Verdict

NAME = "dead_identifiers"
MIN_REFERENCES = 5
_SHARE = 2 / 3
_SCHEMES = ("doi", "arxiv", "pmid", "pmcid")
_SHOWN = 5  # identifiers that are named


@add_check(SET_CHECKS, 6)
def find_dead_identifiers(evidence: SetEvidence) -> Iterator[SetFinding]:
    """Yield one finding if most of the cited identifiers are not registered."""
    named = [
        member
        for member in evidence.members
        if member.verdict is not Verdict.UNCHECKED and any(member.cited_ids.first(each) for each in _SCHEMES)
    ]
    dead = [member for member in named if member.unregistered]
    if len(named) < MIN_REFERENCES or len(dead) < _SHARE * len(named):
        return
    detail = f"the identifiers of {len(dead)} of {len(named)} references do not exist"
    lines = tuple(
        f"{member.key}: {next(value for each in _SCHEMES if (value := member.cited_ids.first(each)))}"
        for member in dead[:_SHOWN]
    )
    finding = Finding(NAME, FindingState.FINDING, detail, "references together", evidence=lines)
    yield SetFinding(finding, Place(file=evidence.document), tuple(member.key for member in dead))
