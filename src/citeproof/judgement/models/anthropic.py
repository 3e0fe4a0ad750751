"""`anthropic`: the Messages API, with a JSON schema as the format of the output.

The instructions come first and are marked for the prompt cache; the evidence follows. Shapes after
Anthropic's API reference ("Create a message") and its pages on structured outputs, prompt caching, stop
reasons and errors.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from citeproof.plumbing.net.message import Request, Secret
from citeproof.text.typed_decoding import decode_json
from citeproof.text.unicode import show_one_line

_VERSION = "2026-10-21"  # as Anthropic's own client 2.8 sends it, with the key as a bearer token
_OLD_VERSION = "2023-06-01"  # what other servers of this API know, with `x-api-key`


class MessageUsage(msgspec.Struct):
    """What was counted for one message."""

    input_tokens: int  # without those of the cache
    output_tokens: int
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _ContentBlock(msgspec.Struct):
    type: str
    text: str | None = None


class _StopDetails(msgspec.Struct):
    explanation: str | None = None


class _ReplyMessage(msgspec.Struct):
    content: list[_ContentBlock]
    id: str = ""
    model: str = ""
    stop_reason: str | None = None
    stop_details: _StopDetails | None = None
    usage: MessageUsage | None = None


class MessagesFormat:
    """Messages with `output_config.format`."""

    provider: ClassVar[str] = "anthropic"
    url: ClassVar[str] = "https://api.anthropic.com"

    def build_request(self, prompt: ModelPrompt, url: str, key: Secret | None) -> Request:
        system = {"type": "text", "text": prompt.system, "cache_control": {"type": "ephemeral"}}
        body: dict[str, Any] = {
            "model": prompt.model,
            "max_tokens": prompt.max_tokens,
            "system": [system],
            "messages": [{"role": "user", "content": _build_content(prompt)}],
        }
        if prompt.temperature is not None:
            body["temperature"] = prompt.temperature
        if prompt.schema is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": prompt.schema}}
        return post_message(body, url, key, prompt.seconds)

    def read_reply(self, body: bytes) -> ProviderReply:
        read = decode_json(body, type=_ReplyMessage)
        text = "".join(block.text or "" for block in read.content if block.type == "text")
        fault, detail = _read_stop(read)
        return ProviderReply(text, read.model, read_message_usage(read.usage), read.id, fault, detail)


def post_message(body: Mapping[str, Any], url: str, key: Secret | None, seconds: float) -> Request:
    """Return the request that sends a message to the server at `url`."""
    own = url == MessagesFormat.url
    header = ("Authorization", "Bearer ") if own else ("x-api-key", "")
    secret = ((*header, key),) if key else ()
    version = (("anthropic-version", _VERSION if own else _OLD_VERSION),)
    base = url.rstrip("/").removesuffix("/v1")
    return make_post(f"{base}/v1/messages", body, seconds, headers=version, secret_headers=secret)


def _build_content(prompt: ModelPrompt) -> list[dict[str, Any]]:
    """Return the message: the images, and behind them the text."""
    sources = (
        {"type": "base64", "media_type": one.media_type, "data": encode_image(one)} for one in prompt.images
    )
    images = [{"type": "image", "source": source} for source in sources]
    return [*images, {"type": "text", "text": prompt.user}]


def _read_stop(read: _ReplyMessage) -> tuple[ModelFault | None, str]:
    match read.stop_reason:
        case "refusal":
            told = read.stop_details.explanation if read.stop_details else ""
            return ModelFault.REFUSAL, show_one_line((told or "the model declined")[:MAX_DETAIL])
        case "max_tokens" | "model_context_window_exceeded" | "pause_turn":
            return ModelFault.TRUNCATED, f"the answer is not whole ({read.stop_reason})"
        case _:
            return None, ""


def read_message_usage(usage: MessageUsage | None) -> TokenUsage | None:
    """Return the tokens of a message; None: the server does not say."""
    if usage is None:
        return None
    cached, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return TokenUsage(usage.input_tokens + cached + written, usage.output_tokens, cached, written)


FORMAT = MessagesFormat()
