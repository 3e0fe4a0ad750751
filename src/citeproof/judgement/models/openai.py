"""`openai`: chat completions, of OpenAI itself and of every server that speaks them.

Ollama, vLLM, llama.cpp and LM Studio do: set CITEPROOF_LLM_URL, for example to http://127.0.0.1:11434/v1.
Shapes after OpenAI's API reference ("Create chat completion", "The chat completion object") and its guides
on structured outputs and prompt caching.
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
    read_error,
)
from citeproof.plumbing.net.message import Request, Secret
from citeproof.text.typed_decoding import decode_json
from citeproof.text.unicode import show_one_line


class _PromptDetails(msgspec.Struct):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _CompletionUsage(msgspec.Struct):
    prompt_tokens: int
    completion_tokens: int | None = None  # with the tokens of reasoning
    prompt_tokens_details: _PromptDetails | None = None


class _MessagePart(msgspec.Struct):
    type: str
    text: str | None = None  # of a part with thoughts none


class _CompletionMessage(msgspec.Struct):
    content: str | list[_MessagePart] | None = None
    refusal: str | None = None


class _CompletionChoice(msgspec.Struct):
    message: _CompletionMessage
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_CompletionChoice] = []
    id: str = ""
    model: str = ""
    usage: _CompletionUsage | None = None


class ChatCompletionsFormat:
    """Chat completions with a JSON schema as `response_format`."""

    provider: ClassVar[str] = "openai"
    url: ClassVar[str] = "https://api.openai.com/v1"

    def build_request(self, prompt: ModelPrompt, url: str, key: Secret | None) -> Request:
        own = url == self.url
        body: dict[str, Any] = {
            "model": prompt.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": _build_content(prompt)},
            ],
        }
        # OpenAI's newer models take only the longer name, most other servers know only the shorter
        limit = "max_tokens" if prompt.old_limit_name and not own else "max_completion_tokens"
        body[limit] = prompt.max_tokens
        if own:
            body["prompt_cache_key"] = f"citeproof-{prompt.schema_name}"
        if prompt.temperature is not None:
            body["temperature"] = prompt.temperature
        if prompt.schema is not None:
            named = {"name": prompt.schema_name, "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        secret = (("Authorization", "Bearer ", key),) if key else ()
        return make_post(f"{url.rstrip('/')}/chat/completions", body, prompt.seconds, secret_headers=secret)

    def read_reply(self, body: bytes) -> ProviderReply:
        read = decode_json(body, type=_Completion)
        if not read.choices:  # gateways answer 200 with an error inside
            detail = read_error(body) or "an answer without choices"
            return ProviderReply(model=read.model, fault=ModelFault.SERVER_ERROR, detail=detail)
        first = read.choices[0]
        fault, detail = None, ""
        if first.message.refusal:
            fault, detail = ModelFault.REFUSAL, show_one_line(first.message.refusal[:MAX_DETAIL])
        elif first.finish_reason == "content_filter":
            fault, detail = ModelFault.REFUSAL, "the provider's content filter stopped the answer"
        elif first.finish_reason == "length":
            fault, detail = ModelFault.TRUNCATED, "the answer reached the limit of output tokens"
        text = first.message.content or ""
        if not isinstance(text, str):
            text = "".join(part.text or "" for part in text if part.type in ("text", "output_text"))
        return ProviderReply(text, read.model, _read_usage(read.usage), read.id, fault, detail)


def _build_content(prompt: ModelPrompt) -> str | list[dict[str, Any]]:
    """Return the message: a text, and behind it the images."""
    if not prompt.images:
        return prompt.user
    urls = (f"data:{one.media_type};base64,{encode_image(one)}" for one in prompt.images)
    images = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"type": "text", "text": prompt.user}, *images]


def _read_usage(usage: _CompletionUsage | None) -> TokenUsage | None:
    if usage is None or usage.completion_tokens is None:
        return None
    details = usage.prompt_tokens_details or _PromptDetails()
    return TokenUsage(
        usage.prompt_tokens,
        usage.completion_tokens,
        details.cached_tokens or 0,
        details.cache_write_tokens or 0,
    )


FORMAT = ChatCompletionsFormat()
