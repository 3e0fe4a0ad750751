"""The trace of a hypothesis as one self-contained page; nothing in it comes from outside."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.html.page_parts import (
    CLOSING,
    escape_text,
    format_article,
    format_facts,
    format_list,
    open_page,
)
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

_LONGEST = 20_000  # characters of a claim
_LINE = 2_000  # of a line of its trace
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
    yield open_page(escape_text(name), "citeproof claims")
    facts = [
        ("claims", f"{name}: {summarise_claims(grounded)}"),
        ("checked against", describe_sources(grounded)),
        ("date", grounded.run.started),
    ]
    if log := grounded.log:
        facts.append(("audit log", f"{log.path} (Merkle root: {log.root})"))
    yield f"<dl>{format_facts(facts)}</dl></header>\n<main>\n"
    for one in sort_problems_first(grounded):
        yield _format_claim(one)
    told = (one.finding for one in grounded.findings if one.finding.is_finding)
    yield format_list(
        "The citations together", (escape_text(wording.describe_finding(one), _LINE) for one in told)
    )
    yield CLOSING


def _format_claim(one: GroundedClaim) -> str:
    style = _STYLES[one.status]
    if is_doubted(one):
        style = "major" if one.held else "minor"
    head = f"<b>{escape_text(name_status(one))}</b> {escape_text(one.claim.id)}"
    if places := name_places(one):
        head += f' <span class="dim">{escape_text(places)}</span>'
    inside = f"<blockquote>{escape_text(one.claim.text, _LONGEST)}</blockquote>\n"
    if claimed := describe_claimed(one):
        inside += f'<p class="dim">claimed: {escape_text(claimed)}</p>\n'
    inside += f"<ol>{''.join(f'<li>{escape_text(line, _LINE)}</li>' for line in list_trace(one))}</ol>\n"
    return format_article(style, head, inside, shown=style != "exact" or one.support is not None)
