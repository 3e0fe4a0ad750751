"""What language models were asked about a reference, as JSON."""

from __future__ import annotations

from hashlib import sha256

from citeproof.plumbing.json_bytes import Json, round_figure
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
        "asked": [build_exchange_json(exchange) for exchange in trace.exchanges],
        "opinions": [_build_opinion_json(opinion) for opinion in trace.opinions],
    }


def build_screen_json(trace: ModelTrace | None) -> Json | None:
    """Return what the screen of short titles said, in the words of `verifyCitation`; None if not due."""
    asked = next((e for e in (trace.exchanges if trace else ()) if e.task is ModelTask.SCREEN), None)
    if trace is None or asked is None:
        return None
    opinion = trace.find_opinion(ModelTask.SCREEN)
    screened: Json = {"applied": opinion is not None, "model": asked.model, "prompt_version": asked.prompt}
    if opinion is not None:
        screened |= {"verdict": opinion.answer, "reasoning": opinion.rationale, "used": opinion.used}
        return screened | {"cost_usd": _convert_cost(asked.cost)}
    screened |= {"reason": SCREEN_GAPS.get(asked.cause, "upstream_error"), "cause": asked.cause}
    return screened | ({"code": FORBIDDEN_CODE} if asked.cause == "forbidden" else {})


def build_exchange_json(asked: ModelExchange) -> Json:
    """Return one question: the hash of its answer, its tokens and cost, or why there is no answer."""
    described: Json = {"task": asked.task.value, "prompt": asked.prompt, "model": asked.model}
    if asked.cause:
        return described | {
            "gap": {"cause": asked.cause, "detail": asked.detail},
            "cost_usd": _convert_cost(asked.cost),
        }
    usage = {"input": asked.input_tokens, "output": asked.output_tokens, "cached": asked.cached_tokens}
    digest = sha256(asked.answer.encode()).hexdigest()
    return described | {"answer_sha256": digest, "tokens": usage, "cost_usd": _convert_cost(asked.cost)}


def _build_opinion_json(opinion: ModelOpinion) -> Json:
    differences = [
        {"field": field, "claimed": claimed, "resolved": resolved}
        for field, claimed, resolved in opinion.differences
    ]
    return {
        "task": opinion.task.value,
        **({"label": opinion.label, "score": round_figure(opinion.score)} if opinion.label else {}),
        **({"confidence": opinion.confidence} if opinion.confidence else {}),
        **({"answer": opinion.answer} if opinion.answer else {}),
        **({"filled": list(opinion.filled)} if opinion.filled else {}),
        **({"differences": differences} if differences else {}),
        "rationale": opinion.rationale,
        "used": opinion.used,
        **({"limit": str(opinion.limit)} if opinion.limit else {}),
    }


def _convert_cost(cost: int | None) -> float | None:
    """Return micro-dollars as dollars."""
    return None if cost is None else cost / 1_000_000
