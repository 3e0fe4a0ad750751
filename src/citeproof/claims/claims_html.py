"""The trace of a hypothesis as one self-contained page; nothing in it comes from outside."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.html.page_parts import write_page
from citeproof.claims.claim_text import (
    describe_claimed,
    describe_sources,
    is_doubted,
    name_places,
    name_status,
    sort_problems_first,
    summarise_claims,
)
from citeproof.claims.trace import list_trace
from citeproof.vocabulary import ClaimStatus, GroundedClaim, GroundedHypothesis

_STYLES = {
    ClaimStatus.VERIFIED: "exact",
    ClaimStatus.UNSUPPORTED: "major",
    ClaimStatus.RETRACTED_SOURCE: "major",
    ClaimStatus.UNCHECKED: "open",
    ClaimStatus.RESOLVED: "open",
}


def format_claims_page(grounded: GroundedHypothesis) -> Iterator[str]:
    """Yield the page: the counts, then each claim with its trace, those with a problem first."""
    name = grounded.hypothesis.title or grounded.hypothesis.id
    facts = [
        ("claims", f"{name}: {summarise_claims(grounded)}"),
        ("checked against", describe_sources(grounded)),
        ("date", grounded.run.started),
    ]
    if log := grounded.log:
        facts.append(("audit log", f"{log.path} (Merkle root: {log.root})"))
    findings = [
        wording.describe_finding(each.finding) for each in grounded.findings if each.finding.is_finding
    ]
    claims = [_list_claim(each) for each in sort_problems_first(grounded)]
    heading = "citeproof claims"
    return write_page("claims.html", name, heading, facts=facts, claims=claims, findings=findings)


def _list_claim(grounded: GroundedClaim) -> tuple[object, ...]:
    """Return the values that the template names, in its order."""
    style = _STYLES[grounded.status]
    if is_doubted(grounded):
        style = "major" if grounded.held else "minor"
    shown = style != "exact" or grounded.support is not None
    places, claimed = name_places(grounded), describe_claimed(grounded)
    return grounded.claim, style, name_status(grounded), places, claimed, shown, list_trace(grounded)
