"""What language models were asked about a reference, as JSON."""

from __future__ import annotations

from hashlib import sha256

from citeproof.serializers.json_bytes import Json, round_figure
from citeproof.vocabulary import ModelExchange, ModelOpinion, ModelTask, ModelTrace

SCREEN_GAPS = {  # in the words of `verifyCitation`; every other cause is an upstream_error
    "over_budget": "daily_budget_exceeded",
    "schema": "malformed_response",
    "truncated": "malformed_response",
    "forbidden": "no_gateway",
    "offline": "no_gateway",
    "prompt_injection": "verdict_not_eligible",
}
FORBIDDEN_CODE = "LLM_SCREEN_FORBIDDEN"


def build_models_json(trace: ModelTrace) -> Json:
    """Return what language models were asked, what they said and what was made of it."""
    first = trace.first
    return {
        "model": trace.model,
        "first": {
            "verdict": first.verdict,
            "label": first.label,
            "score": round_figure(first.score),
            "confidence": round_figure(first.confidence),
            "band": first.band,
        },
        "asked": [build_exchange_json(one) for one in trace.exchanges],
        "opinions": [_build_opinion_json(one) for one in trace.opinions],
    }


def build_screen_json(trace: ModelTrace | None) -> Json | None:
    """Return what the screen of short titles said, in the words of `verifyCitation`; None if not due."""
    asked = next((one for one in (trace.exchanges if trace else ()) if one.task is ModelTask.SCREEN), None)
    if trace is None or asked is None:
        return None
    opinion = trace.find_opinion(ModelTask.SCREEN)
    told: Json = {"applied": opinion is not None, "model": asked.model, "prompt_version": asked.prompt}
    if opinion is not None:
        told |= {"verdict": opinion.answer, "reasoning": opinion.rationale, "used": opinion.used}
        return told | {"cost_usd": _convert_cost(asked.cost)}
    told |= {"reason": SCREEN_GAPS.get(asked.cause, "upstream_error"), "cause": asked.cause}
    return told | ({"code": FORBIDDEN_CODE} if asked.cause == "forbidden" else {})


def build_exchange_json(one: ModelExchange) -> Json:
    """Return one question: the hash of its answer, its tokens and cost, or why there is no answer."""
    told: Json = {"task": one.task.value, "prompt": one.prompt, "model": one.model}
    if one.cause:
        return told | {"gap": {"cause": one.cause, "detail": one.detail}, "cost_usd": _convert_cost(one.cost)}
    usage = {"input": one.input_tokens, "output": one.output_tokens, "cached": one.cached_tokens}
    digest = sha256(one.answer.encode()).hexdigest()
    return told | {"answer_sha256": digest, "tokens": usage, "cost_usd": _convert_cost(one.cost)}


def _build_opinion_json(one: ModelOpinion) -> Json:
    differences = [
        {"field": field, "claimed": claimed, "resolved": resolved}
        for field, claimed, resolved in one.differences
    ]
    return {
        "task": one.task.value,
        **({"label": one.label, "score": round_figure(one.score)} if one.label else {}),
        **({"confidence": one.confidence} if one.confidence else {}),
        **({"answer": one.answer} if one.answer else {}),
        **({"filled": list(one.filled)} if one.filled else {}),
        **({"differences": differences} if differences else {}),
        "rationale": one.rationale,
        "used": one.used,
        **({"limit": str(one.limit)} if one.limit else {}),
    }


def _convert_cost(cost: int | None) -> float | None:
    """Return micro-dollars as dollars."""
    return None if cost is None else cost / 1_000_000
