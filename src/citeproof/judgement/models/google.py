"""`google`: Gemini's `generateContent`, with a JSON schema for the answer.

Shapes after the Gemini API reference ("Generating content": GenerateContentResponse, Candidate,
UsageMetadata, PromptFeedback) and its guide on structured output. Gemini caches prefixes by itself.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from citeproof.judgement.models.base import ModelFault, TokenUsage
from citeproof.judgement.models.wire_format import (
    MAX_DETAIL,
    ModelPrompt,
    ProviderReply,
    encode_image,
    make_post,
)
from citeproof.plumbing.net.message import Request, Secret, quote_segment
from citeproof.text.typed_decoding import decode_json
from citeproof.text.unicode import show_one_line

_DECLINED = frozenset(
    ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "OTHER")
)


class _ContentPart(msgspec.Struct):
    text: str | None = None
    thought: bool = False


class _Content(msgspec.Struct):
    parts: list[_ContentPart] = []


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None


class _Feedback(msgspec.Struct, rename="camel"):
    block_reason: str | None = None


class _UsageMetadata(msgspec.Struct, rename="camel"):
    prompt_token_count: int | None = None  # with those of the cache
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    cached_content_token_count: int | None = None


class _Response(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] = []
    prompt_feedback: _Feedback | None = None
    usage_metadata: _UsageMetadata | None = None
    model_version: str = ""
    response_id: str = ""


class GenerateContentFormat:
    """`generateContent` with `responseJsonSchema`."""

    provider: ClassVar[str] = "google"
    url: ClassVar[str] = "https://generativelanguage.googleapis.com"

    def build_request(self, prompt: ModelPrompt, url: str, key: Secret | None) -> Request:
        config: dict[str, Any] = {"maxOutputTokens": prompt.max_tokens}
        if prompt.temperature is not None:
            config["temperature"] = prompt.temperature
        if prompt.schema is not None:
            config |= {"responseMimeType": "application/json", "responseJsonSchema": prompt.schema}
        body = {
            "systemInstruction": {"parts": [{"text": prompt.system}]},
            "contents": [{"role": "user", "parts": _build_parts(prompt)}],
            "generationConfig": config,
        }
        secret = (("x-goog-api-key", "", key),) if key else ()
        base = url.rstrip("/")
        base += "" if base.endswith(("/v1", "/v1beta")) else "/v1"  # as Google's own client 3.1 has it
        path = f"{base}/models/{quote_segment(prompt.model)}:generateContent"
        return make_post(path, body, prompt.seconds, secret_headers=secret)

    def read_reply(self, body: bytes) -> ProviderReply:
        read = decode_json(body, type=_Response)
        usage, told = _read_usage(read.usage_metadata), (read.model_version, read.response_id)
        if not read.candidates:
            reason = read.prompt_feedback.block_reason if read.prompt_feedback else None
            blocked = f"the prompt was blocked ({_show_reason(reason)})"
            told_why = (ModelFault.REFUSAL, blocked) if reason else (ModelFault.SERVER_ERROR, "no candidates")
            return ProviderReply("", told[0], usage, told[1], *told_why)
        first = read.candidates[0]
        parts = first.content.parts if first.content else []
        text = "".join(part.text or "" for part in parts if not part.thought)
        fault, detail = _read_finish(first.finish_reason)
        return ProviderReply(text, told[0], usage, told[1], fault, detail)


def _build_parts(prompt: ModelPrompt) -> list[dict[str, Any]]:
    """Return the message: the images, and behind them the text."""
    images = [
        {"inlineData": {"mimeType": one.media_type, "data": encode_image(one)}} for one in prompt.images
    ]
    return [*images, {"text": prompt.user}]


def _read_finish(reason: str | None) -> tuple[ModelFault | None, str]:
    if reason in _DECLINED:
        return ModelFault.REFUSAL, f"the provider stopped the answer ({reason})"
    if reason in ("MAX_TOKENS", "CONTINUATION"):
        return ModelFault.TRUNCATED, "the answer reached the limit of output tokens"
    if reason in (None, "STOP", "FINISH_REASON_UNSPECIFIED"):
        return None, ""
    return ModelFault.SERVER_ERROR, f"the answer ended with {_show_reason(reason)}"


def _show_reason(reason: str | None) -> str:
    return show_one_line((reason or "")[: MAX_DETAIL // 4])


def _read_usage(usage: _UsageMetadata | None) -> TokenUsage | None:
    if usage is None or usage.prompt_token_count is None:
        return None
    output = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    return TokenUsage(usage.prompt_token_count, output, usage.cached_content_token_count or 0)


FORMAT = GenerateContentFormat()
