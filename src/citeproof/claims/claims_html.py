"""The trace of a hypothesis as HTML: what the page of the web shows, and the report that is one file."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.html.page_parts import write_page
from citeproof.answers.reporters.html.reference_view import describe_place
from citeproof.answers.serializers import Json
from citeproof.answers.serializers.grounded_claims import build_claims_json
from citeproof.claims.claim_text import describe_sources
from citeproof.claims.trace import list_trace, summarise_hypothesis
from citeproof.vocabulary import CHECKED_AGAINST, NOT_CHECKED, ClaimStatus, GroundedHypothesis

_LOOKS = {  # class, sign and words
    ClaimStatus.UNSUPPORTED: ("major", "⚠", "unsupported"),
    ClaimStatus.RETRACTED_SOURCE: ("major", "⚠", "source retracted"),
    ClaimStatus.UNCHECKED: ("open", "?", NOT_CHECKED),
    ClaimStatus.RESOLVED: ("open", "?", "resolved, an identifier alone"),
    ClaimStatus.VERIFIED: ("exact", "✓", "verified"),
}


def format_claims_page(grounded: GroundedHypothesis) -> Iterator[str]:
    """Yield a page with all that is known of the claims; nothing in it comes from outside."""
    facts = [
        (CHECKED_AGAINST, describe_sources(grounded)),
        ("started", wording.format_minute(grounded.run.started)),
    ]
    if log := grounded.log:
        facts.append(("audit log", f"{log.path} (Merkle root: {log.root})"))
    claims = view_claims(build_claims_json(grounded, list_trace)) | {"log": None}
    name = grounded.hypothesis.title or grounded.hypothesis.id
    return write_page("claims.html", name, "Claims report", facts=facts, claims=claims)


def view_claims(report: Json) -> Json:
    """Return what a page shows of claims: the sentence that counts them, then each, problems first."""
    statuses = {status: report["summary"].get(status.value, 0) for status in ClaimStatus}
    told = summarise_hypothesis(statuses, report["summary"].get("content"), report["summary"].get("held", 0))
    claims = [_view_claim(number, claim) for number, claim in enumerate(report["claims"], 1)]
    return {
        "summary": told,
        "title": report["hypothesis"]["title"],
        "claims": sorted(claims, key=lambda claim: claim["rank"]),
        "findings": [finding for finding in report["findings"] if finding["state"] == "finding"],
        "log": report["log"],
    }


def _view_claim(number: int, claim: Json) -> Json:
    """Return a claim with its looks; `rank`: wrong or held, doubted, open, the rest."""
    status = ClaimStatus(claim["status"])
    style, sign, words = _LOOKS[status]
    doubted = bool(claim["held"]) or claim["content"] in ("alarm", "not_located", "not_stated")
    if doubted:
        style, sign = "major" if claim["held"] else "minor", "⚠"
    caveat, held = " (retraction not checked)" * bool(claim["caveat"]), ": held back" * claim["held"]
    wrong = claim["held"] or status in (ClaimStatus.UNSUPPORTED, ClaimStatus.RETRACTED_SOURCE)
    said = claim.get("sentence_location") or claim["location"]
    return claim | {
        "number": number,
        "style": style,
        "sign": sign,
        "facts": f"citation {words}{caveat}, content {claim['content'].replace('_', ' ')}{held}",
        "place": describe_place({"location": said}, with_file=True) if said["line"] else "",
        "claimed": "; ".join(dict.fromkeys(tried["text"] for tried in claim["tried"] if tried["text"])),
        "opened": doubted or status is not ClaimStatus.VERIFIED,
        "rank": 0 if wrong else 1 if doubted else 3 if status is ClaimStatus.VERIFIED else 2,
    }
