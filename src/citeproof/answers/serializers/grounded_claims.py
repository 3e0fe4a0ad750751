"""Decided claims as JSON (docs/spec/claims.schema.json)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from citeproof.answers.serializers.claim_support import build_support_json
from citeproof.answers.serializers.judgements import build_checked_json, build_set_finding_json
from citeproof.answers.serializers.records import build_record_json
from citeproof.answers.serializers.references import build_place_json
from citeproof.answers.serializers.report import build_run_json, get_version
from citeproof.plumbing.json_bytes import Json, round_figure
from citeproof.vocabulary import ClaimStatus, GroundedClaim, GroundedHypothesis, TriedCandidate

SCHEMA = "citeproof/claims/1"


def build_claims_json(grounded: GroundedHypothesis, trace: Callable[[GroundedClaim], Sequence[str]]) -> Json:
    """Return a hypothesis with all its claims decided; `trace` puts the decisions about one into words."""
    counts = Counter(claim.status for claim in grounded.claims)
    contents = Counter(claim.content.value for claim in grounded.claims if claim.attached)
    hypothesis = grounded.hypothesis
    claims = [build_claim_json(claim, trace(claim)) for claim in grounded.claims]
    references = (each["reference"] for claim in claims for each in claim["tried"])
    return {
        "schema": SCHEMA,
        "citeproof": get_version(),
        "run": build_run_json(grounded.run, references),
        "hypothesis": {"id": hypothesis.id, "title": hypothesis.title, "model": hypothesis.model},
        "summary": {"claims": len(grounded.claims)}
        | {each.value: counts[each] for each in ClaimStatus}
        | {"held": grounded.held, "content": dict(sorted(contents.items()))},
        "claims": claims,
        "findings": [build_set_finding_json(finding) for finding in grounded.findings],
        "log": {"path": grounded.log.path, "root": grounded.log.root, "size": grounded.log.size}
        if grounded.log
        else None,
    }


def build_claim_json(grounded: GroundedClaim, trace: Sequence[str]) -> Json:
    """Return one claim with every decision about it; `citation` is the record that may be shown."""
    matched = grounded.attached.checked.judgement.matched if grounded.attached else None
    return {
        "id": grounded.claim.id,
        "text": grounded.claim.text,
        "location": build_place_json(grounded.claim.place),
        "sentence_location": build_place_json(place) if (place := grounded.claim.sentence).line else None,
        "status": grounded.status.value,
        "content": grounded.content.value,
        "held": grounded.held,
        "caveat": grounded.caveat or None,
        "reason": grounded.reason,
        "citation": build_record_json(matched.record) if matched else None,
        "candidates": grounded.candidates,
        "tried": [_build_tried_json(tried) for tried in grounded.tried],
        "support": build_support_json(grounded.support),
        "trace": list(trace),
    }


def _build_tried_json(tried: TriedCandidate) -> Json:
    return {
        "identifier": tried.candidate.identifier,
        "text": tried.candidate.text,
        "confidence": round_figure(tried.candidate.confidence),
        "origin": tried.candidate.origin.value,
        "outcome": tried.outcome,
        "passed": tried.passed,
        "title_similarity": round_figure(tried.title_similarity),
        "retraction": tried.retraction.value if tried.retraction else None,
        "warnings": [finding.name for finding in tried.warnings],
        "reference": build_checked_json(tried.checked),
    }
