"""Decided claims as JSON (docs/spec/claims.schema.json).

What the text of a cited work says about a claim, as JSON (docs/spec/claims.schema.json).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256

from citeproof.answers.serializers.judgements import (
    build_checked_json,
    build_exchange_json,
    build_set_finding_json,
)
from citeproof.answers.serializers.references import build_place_json, build_record_json, pick_fields
from citeproof.answers.serializers.report import build_run_json, get_version
from citeproof.plumbing.json_bytes import Json, round_figure
from citeproof.vocabulary import (
    ClaimStatus,
    ClaimSupport,
    EvidencePassage,
    GroundedClaim,
    GroundedHypothesis,
    ModelSupport,
    ModelVerdict,
    TriedCandidate,
)


def build_support_json(support: ClaimSupport | None) -> Json | None:
    """Return what the text says; null: not looked at."""
    if support is None:
        return None
    return {
        "outcome": support.outcome.value,
        "extent": support.extent.value,
        "origin": support.origin,
        "sha256": support.sha256,
        "reasons": list(support.reasons),
        "passages": [_build_passage_json(passage) for passage in support.passages],
        "alarms": [
            {
                "kind": alarm.kind.value,
                **pick_fields(alarm, "claimed", "found", "detail"),
                "passage": _build_passage_json(alarm.passage),
            }
            for alarm in support.alarms
        ],
        "quotations": [
            {
                "quoted": quotation.quoted,
                "status": quotation.status,
                "ratio": round_figure(quotation.ratio),
                "differences": list(quotation.differences),
                "grave": quotation.grave,
                "passage": _build_passage_json(quotation.passage),
            }
            for quotation in support.quotations
        ],
        "exhibits": [
            {
                "kind": exhibit.kind.value,
                **pick_fields(exhibit, "number", "exists", "label"),
                "caption": _build_passage_json(exhibit.caption),
                "sentences": [_build_passage_json(each) for each in exhibit.sentences],
                "image_state": exhibit.image_state.value,
                "image_sha256": sha256(exhibit.image).hexdigest() if exhibit.image else None,
                "image_type": exhibit.media_type or None,
                "image_bytes": len(exhibit.image),
                "image_file": exhibit.image_file or None,
            }
            for exhibit in support.exhibits
        ],
        "numbers": list(support.numbers),
        "absent_numbers": list(support.absent_numbers),
        **({"llm": _build_model_json(support.llm)} if support.llm else {}),
    }


def _build_model_json(support: ModelSupport) -> Json:
    return {
        "model": support.model,
        "first": support.first.value,
        "asked": [
            {
                **build_exchange_json(question.exchange),
                "about": question.about,
                "sent": [_build_passage_json(each) for each in question.sent],
                "answer": _build_verdict_json(question.verdict),
            }
            for question in support.asked
        ],
    }


def _build_verdict_json(said: ModelVerdict | None) -> Json | None:
    if said is None:
        return None
    return {
        **pick_fields(said, "verdict", "quote", "confidence"),
        "passage": _build_passage_json(said.passage),
        "used": said.used,
        "limit": str(said.limit) or None,
        "reading": said.reading,
    }


def _build_passage_json(passage: EvidencePassage | None) -> Json | None:
    if passage is None:
        return None
    return {
        **pick_fields(passage, "start", "end", "text", "section", "page"),
        "score": round_figure(passage.score),
    }


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
