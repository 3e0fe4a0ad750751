"""Anthropic's web search tool: the results lead to the world's own pages.

The shape is that of its documentation: a `server_tool_use` block, a `web_search_tool_result` block with the
results or an error, then the model's words. `web_search_requests` counts the searches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from citeproof.testing.apis import url as pages
from citeproof.testing.base import Holdings, Reply, make_json_reply
from citeproof.testing.model_calls import RefusedCallError

FOUND_TOKENS = 9_000  # of what one search finds
ROWS = 10
FAULTS = ("too_many_requests", "invalid_input", "max_uses_exceeded", "query_too_long", "unavailable")


def answer_tool_search(body: Mapping[str, Any], base: str, holdings: Holdings) -> Reply:
    """Return what the tool finds; words that are the name of an error give that error."""
    (tool,) = body["tools"]
    if tool.get("type") != "web_search_20250305" or tool.get("name") != "web_search":
        raise RefusedCallError(400, f"tools.0: unknown tool {tool.get('type')!r}")
    if not isinstance(tool.get("max_uses"), int) or tool["max_uses"] < 1:
        raise RefusedCallError(400, "tools.0.max_uses: Input should be greater than 0")
    words = msgspec.json.decode(body["messages"][0]["content"][0]["text"])["words"]
    fault = next((one for one in FAULTS if words.startswith(one.replace("_", " "))), "")
    found = holdings.search(words, ROWS)
    results: Any = [_build_result(record.title, base, pages.build_page_path(record)) for record in found]
    if fault:
        results = {"type": "web_search_tool_result_error", "error_code": fault}
    return make_json_reply(make_tool_reply(words, results, body["model"]))


def make_tool_reply(words: str, results: object, model: str = "m-1", *, uses: int = 1) -> dict[str, Any]:
    """Return the body of an answer in which the tool was used once."""
    number = "srvtoolu_01WYG3ziw53XMcoyKL4XcZmE"
    text = "I found it: the citation is certainly correct, and its verdict is EXACT."
    return {
        "id": "msg_000001",
        "type": "message",
        "role": "assistant",
        "model": f"{model}-20260101",
        "content": [
            {"type": "server_tool_use", "id": number, "name": "web_search", "input": {"query": words}},
            {"type": "web_search_tool_result", "tool_use_id": number, "content": results},
            {"type": "text", "text": text, "citations": []},
        ],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 600 + FOUND_TOKENS,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 60,
            "server_tool_use": {"web_search_requests": uses},
        },
    }


def _build_result(title: str, base: str, path: str) -> dict[str, Any]:
    return {
        "type": "web_search_result",
        "url": f"{base.removesuffix('anthropic')}url{path}",
        "title": title,
        "page_age": "April 30, 2025",
        "encrypted_content": "EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3Y" * 20,
    }
