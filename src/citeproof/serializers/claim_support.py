"""What the text of a cited work says about a claim, as JSON (docs/spec/claims.schema.json)."""

from __future__ import annotations

from hashlib import sha256

from citeproof.serializers.json_bytes import Json, round_figure
from citeproof.serializers.model_traces import build_exchange_json
from citeproof.vocabulary import ClaimSupport, EvidencePassage, ModelSupport, ModelVerdict


def build_support_json(support: ClaimSupport | None) -> Json | None:
    """Return what the text says; null: nobody looked."""
    if support is None:
        return None
    return {
        "outcome": support.outcome.value,
        "extent": support.extent.value,
        "origin": support.origin,
        "sha256": support.sha256,
        "reasons": list(support.reasons),
        "passages": [_build_passage_json(one) for one in support.passages],
        "alarms": [
            {
                "kind": one.kind.value,
                "claimed": one.claimed,
                "found": one.found,
                "detail": one.detail,
                "passage": _build_passage_json(one.passage),
            }
            for one in support.alarms
        ],
        "quotations": [
            {
                "quoted": one.quoted,
                "status": one.status,
                "ratio": round_figure(one.ratio),
                "differences": list(one.differences),
                "grave": one.grave,
                "passage": _build_passage_json(one.passage),
            }
            for one in support.quotations
        ],
        "exhibits": [
            {
                "kind": one.kind.value,
                "number": one.number,
                "exists": one.exists,
                "label": one.label,
                "caption": _build_passage_json(one.caption),
                "sentences": [_build_passage_json(each) for each in one.sentences],
                "image_state": one.image_state.value,
                "image_sha256": sha256(one.image).hexdigest() if one.image else None,
                "image_type": one.media_type or None,
                "image_bytes": len(one.image),
                "image_file": one.image_file or None,
            }
            for one in support.exhibits
        ],
        "numbers": list(support.numbers),
        "absent_numbers": list(support.absent_numbers),
        **({"llm": _build_model_json(support.llm)} if support.llm else {}),
    }


def _build_model_json(told: ModelSupport) -> Json:
    return {
        "model": told.model,
        "first": told.first.value,
        "asked": [
            {
                **build_exchange_json(one.exchange),
                "about": one.about,
                "sent": [_build_passage_json(each) for each in one.sent],
                "answer": _build_verdict_json(one.verdict),
            }
            for one in told.asked
        ],
    }


def _build_verdict_json(said: ModelVerdict | None) -> Json | None:
    if said is None:
        return None
    return {
        "verdict": said.verdict,
        "quote": said.quote,
        "confidence": said.confidence,
        "passage": _build_passage_json(said.passage),
        "used": said.used,
        "limit": str(said.limit) or None,
        "reading": said.reading,
    }


def _build_passage_json(passage: EvidencePassage | None) -> Json | None:
    if passage is None:
        return None
    return {
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
        "section": passage.section,
        "page": passage.page,
        "score": round_figure(passage.score),
    }
