"""What the text of a cited work says about a claim, as JSON (docs/spec/claims.schema.json)."""

from __future__ import annotations

from hashlib import sha256

from citeproof.answers.serializers.model_traces import build_exchange_json
from citeproof.answers.serializers.references import pick_fields
from citeproof.plumbing.json_bytes import Json, round_figure
from citeproof.vocabulary import ClaimSupport, EvidencePassage, ModelSupport, ModelVerdict


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
