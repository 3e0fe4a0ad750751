"""How a provider's API is spoken: one prompt becomes one request, its body one reply. Pure.

Each provider is one file: `openai.py` (and every server that speaks its chat completions), `anthropic.py`,
`google.py`. Nothing streams: an answer is a few hundred tokens, and is of use only when it is whole.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import msgspec

from citeproof.judgement.models.base import ModelFault, QuestionImage, TokenUsage
from citeproof.plumbing.net.message import Request, Secret
from citeproof.text.typed_decoding import decode_json
from citeproof.text.unicode import show_one_line

SOURCE = "llm"  # whose limits apply in `net`, and the name of the settings CITEPROOF_LLM_URL and _KEY
MAX_REPLY = 1_000_000  # bytes
MAX_DETAIL = 200  # characters of a server's own words
EXPLAINED = frozenset((400, 404, 413, 422))  # statuses whose body says what is wrong with the request
PATIENCE = 65.0  # seconds: providers count tokens by the minute


@dataclass(frozen=True, slots=True)
class ModelPrompt:
    """What goes to a provider, in nobody's format."""

    model: str
    system: str  # the same for all questions of a task: providers cache it
    user: str
    schema_name: str
    schema: Mapping[str, Any] | None  # None: this server takes none, and `system` describes it
    max_tokens: int
    temperature: float | None  # None: this model takes none
    seconds: float = 60.0
    old_limit_name: bool = True  # for servers of chat completions that are not OpenAI's own
    images: tuple[QuestionImage, ...] = ()


@dataclass(frozen=True, slots=True)
class ProviderReply:
    """What a provider's body says; `fault` is set when there is no text to read."""

    text: str = ""
    model: str = ""
    usage: TokenUsage | None = None  # None: it does not say, so that the worst is assumed
    request_id: str = ""
    fault: ModelFault | None = None
    detail: str = ""


class WireFormat(Protocol):
    """One provider's API."""

    provider: ClassVar[str]  # equals the file name
    url: ClassVar[str]  # the base URL of the provider itself

    def build_request(self, prompt: ModelPrompt, url: str, key: Secret | None) -> Request:
        """Return the request for `prompt` to the server at `url`."""
        ...

    def read_reply(self, body: bytes) -> ProviderReply:
        """Return what the body of a good answer says; raise `msgspec.DecodeError` if it is no such body."""
        ...


def encode_image(image: QuestionImage) -> str:
    """Return an image as all APIs take it."""
    return b64encode(image.data).decode()


def count_image_bytes(prompt: ModelPrompt) -> int:
    """Return how much of a request's body is images: they have tokens of their own."""
    return sum(len(encode_image(one)) for one in prompt.images)


def make_post(
    url: str,
    body: Mapping[str, Any],
    seconds: float,
    *,
    headers: tuple[tuple[str, str], ...] = (),
    secret_headers: tuple[tuple[str, str, Secret], ...] = (),
) -> Request:
    """Return a request with a JSON body. It is tried once: each further try needs money of its own."""
    return Request(
        SOURCE,
        url,
        method="POST",
        body=msgspec.json.encode(body),
        content_type="application/json",
        headers=headers,
        secret_headers=secret_headers,
        absent=EXPLAINED,
        follow=False,  # nobody is sent elsewhere with a question
        max_body=MAX_REPLY,
        timeout=seconds,
        retries=0,
        patience=PATIENCE,
    )


class _ErrorDetail(msgspec.Struct):
    message: str = ""


class _ErrorBody(msgspec.Struct):
    error: _ErrorDetail | str | None = None
    message: str = ""


def read_error(body: bytes) -> str:
    """Return the words of an error body, bounded and safe to show; all three providers use one shape."""
    try:
        read = decode_json(body, type=_ErrorBody)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    told = read.error.message if isinstance(read.error, _ErrorDetail) else read.error or read.message
    return show_one_line(told[:1000])[:MAX_DETAIL]
