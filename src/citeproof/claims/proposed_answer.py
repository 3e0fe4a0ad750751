"""What a model is asked for in render mode: the prompt, the JSON Schema, tools, and how an answer is read.

{"text": "Masking helps [[cite:1]].", "citations": [{"key": "1", "title": "BERT: …", "doi": "10.…"}]}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec

from citeproof.claims.cite_markers import tidy_key
from citeproof.claims.hypothesis_json import ProposedReference, ShortText, read_hypothesis
from citeproof.errors import InputError, UsageError
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Claim

TOOL: Final = "answer_with_citations"
MOST_TEXT: Final = 2_000_000
DEEPEST: Final = 12  # levels of a reply at which an answer is looked for
PROMPT: Final = """\
Cite only with markers of the form [[cite:KEY]], placed right after the statement that they support.
- KEY is the key of a work that you were given, or the key of a work in the list `citations` of your answer.
- Without such lists, KEY is the DOI or the arXiv number of the work: [[cite:10.1038/nature14539]].
- Several works for one statement: [[cite:KEY1; KEY2]].
- Write no other citation: no "(Author, year)", no "[1]", no footnote, no link, no DOI in the text.
- Write no reference list. Citations and list are made from the markers by a program.
- Name only works that you are sure of. A marker whose work cannot be verified is not shown as a citation.
"""
ANSWER_HINT = (
    'give a text, or {"text": "…[[cite:KEY]]…", "citations": [{"key": "KEY", "title": "…", "doi": "…"}]}'
)
_ABOUT = (
    "Give the answer to the user, with a marker [[cite:KEY]] for each citation and the list of works cited."
)


class AnsweredCitation(ProposedReference, frozen=True, kw_only=True):
    """One work that the text cites by its key; without a key, by its number in the list, from 1."""

    key: ShortText = ""


class ProposedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with markers, and the works that they name."""

    text: Annotated[str, msgspec.Meta(max_length=MOST_TEXT)]
    citations: Annotated[list[AnsweredCitation], msgspec.Meta(max_length=1000)] = []


def build_answer_schema() -> dict[str, object]:
    """Return the JSON Schema of a structured answer (docs/spec/answer.schema.json)."""
    return msgspec.json.schema(ProposedAnswer)


class _WantedCitation(msgspec.Struct):
    key: Annotated[str, msgspec.Meta(description="what the markers of the text call this work")]
    title: Annotated[str, msgspec.Meta(description="the title of the work, in full")]
    authors: Annotated[list[str], msgspec.Meta(description="the family name of each author")]
    year: int | None
    doi: str | None
    arxiv: str | None


class _WantedAnswer(msgspec.Struct):
    text: Annotated[str, msgspec.Meta(description="the answer, in Markdown, with markers [[cite:KEY]]")]
    citations: list[_WantedCitation]


def build_strict_schema() -> dict[str, Any]:
    """Return the schema for models: all fields required, as strict tools and structured output want it."""
    from citeproof.judgement.models.evidence_message import make_answer_schema  # noqa: PLC0415 - only for a model

    return make_answer_schema(_WantedAnswer)


def build_answer_tool(form: str) -> dict[str, Any]:
    """Return the tool that a model answers with, as a plain dict in the words of an API.

    `form` is "openai", "openai-responses", "anthropic" or "mcp".
    """
    schema, head = build_strict_schema(), {"name": TOOL, "description": _ABOUT}
    match form:
        case "openai":
            return {"type": "function", "function": {**head, "strict": True, "parameters": schema}}
        case "openai-responses":
            return {"type": "function", **head, "strict": True, "parameters": schema}
        case "anthropic":
            return {**head, "input_schema": schema}
        case "mcp":
            return {**head, "inputSchema": schema}
        case _:
            hint = "say one of openai, openai-responses, anthropic, mcp"
            raise UsageError(f"{form!r} is not a tool format", place="form", hint=hint)


def read_answer(given: object) -> ProposedAnswer:
    """Return the answer in what a model or an API gave: text, JSON, a tool call, or a whole reply.

    A tool call is what OpenAI (`tool_calls`), Anthropic (`tool_use`) and MCP (`arguments`) have.
    """
    if isinstance(given, (bytes, bytearray)):
        given = bytes(given).decode("utf-8", "replace")
    if not isinstance(given, str):
        given = _find_arguments(given, DEEPEST)
    if isinstance(given, str) and not (given.lstrip().startswith("{") and '"text"' in given):
        return ProposedAnswer(text=_check_length(given))
    try:
        data = given.encode("utf-8", "replace") if isinstance(given, str) else msgspec.json.encode(given)
        return decode_json(data, type=ProposedAnswer, strict=False)
    except (msgspec.MsgspecError, TypeError, UnicodeError, RecursionError) as error:
        raise InputError(f"is not a structured answer: {error}", place="answer", hint=ANSWER_HINT) from error


def _check_length(text: str) -> str:
    if len(text) > MOST_TEXT:
        raise InputError(f"has more than {MOST_TEXT:,} characters", place="answer", hint="split it")
    return text


def _find_arguments(given: object, depth: int) -> object:
    """Return what a tool call or a reply carries: the first object with `text`, JSON, or a plain text."""
    if isinstance(given, ProposedAnswer):
        return msgspec.to_builtins(given)
    if isinstance(given, str) or depth == 0:
        return given
    if isinstance(given, Sequence) and not isinstance(given, (bytes, bytearray)):
        called = [one for one in given if _is_call(one)]
        texts = [one.get("text") for one in given if isinstance(one, Mapping)]
        if not called and all(isinstance(one, str) for one in texts):
            return "".join(map(str, texts))
        found = (_find_arguments(one, depth - 1) for one in (called or given))
        return next((one for one in found if one), None)
    if not isinstance(given, Mapping):
        return None
    if isinstance(given.get("text"), str) and ("citations" in given or given.keys() <= {"text", "type"}):
        return {name: given[name] for name in ("text", "citations") if name in given}
    inner = (_find_arguments(given[name], depth - 1) for name in _INSIDE if given.get(name))
    return next((one for one in inner if one), None)


_INSIDE = (
    "choices", "message", "output", "tool_calls", "function", "function_call", "arguments", "input", "params",
    "content", "text",
)  # fmt: skip


def _is_call(given: object) -> bool:
    """Return whether a part of a reply is a call of a tool: it counts before the words beside it."""
    return isinstance(given, Mapping) and given.get("type") in ("tool_use", "function_call", "function")


def list_answer_works(answer: ProposedAnswer) -> dict[str, Claim]:
    """Return the works of an answer by the keys that its markers may use."""
    rows = [
        {"text": "", "id": one.key or str(number), "references": [msgspec.to_builtins(one)]}
        for number, one in enumerate(answer.citations, 1)
    ]
    read = read_hypothesis(msgspec.json.encode({"claims": rows}), "citations").claims
    numbered = {str(number): one for number, one in enumerate(read, 1)}
    return numbered | {tidy_key(one.id): one for one in reversed(read)}  # of two with one key the first
