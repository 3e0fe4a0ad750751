"""The MCP server: lists of tools, resources and prompts, and calls, over the official library."""

from __future__ import annotations

import asyncio
import logging
import traceback
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import mcp_types as types
from jsonschema import Draft7Validator
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import Prompt, PromptArgument, Resource

from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.answers.serializers import Json
from citeproof.errors import CiteproofError, UsageError
from citeproof.service.citation_input import EXAMPLES
from citeproof.service.engine_pool import EnginePool
from citeproof.settings import Settings
from citeproof.surfaces.mcp.document_tools import (
    check_references,
    ground_claims,
    guard_generated_text,
    render_answer_text,
)
from citeproof.surfaces.mcp.tool_call import AllowedFiles, ToolAnswer, ToolCall, ToolDesk, ToolRefusedError
from citeproof.surfaces.mcp.tool_list import SCHEMAS, list_tools, load_tool_texts
from citeproof.surfaces.mcp.verdict_tools import (
    check_retraction,
    explain_verdict,
    format_explanations,
    resolve_identifier,
    verify_citation,
)
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import NOT_CHECKED

Context: TypeAlias = ServerRequestContext[Any, Any]
MayScreen: TypeAlias = Callable[[Context], bool]

TOOLS: Mapping[str, Callable[[ToolCall], Awaitable[ToolAnswer]]] = {
    "verifyCitation": verify_citation,
    "checkRetraction": check_retraction,
    "resolveIdentifier": resolve_identifier,
    "checkReferences": check_references,
    "groundClaims": ground_claims,
    "renderAnswer": render_answer_text,
    "guardText": guard_generated_text,
    "explainVerdict": explain_verdict,
}
UNTRUSTED = {"citeproof/untrusted": True}  # mark of every result that quotes documents or registries
SECONDS = 1800.0  # that one call on standard input may take; the client may give up sooner
_MAX_MESSAGE = 2000
_LOG = logging.getLogger(__name__)
_VALIDATORS = {name: Draft7Validator(schema) for name, schema in SCHEMAS.items()}
MAX_ARGUMENT = 200_000  # characters
_SLOT = re.compile(r"\{([a-z]{1,20})\}")
_SCHEME = "citeproof://"
MARKDOWN = "text/markdown"
_LINE = "\n"


def make_server(desk: ToolDesk, may_screen: MayScreen) -> Server[Any]:
    """Return the server; `may_screen` says whether the sender of a request may use the language model."""

    async def handle_list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list_tools(strict=desk.strict))

    async def handle_call_tool(context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        async def report(done: float, total: float | None) -> None:
            await context.session.report_progress(done, total)

        given = {name: value for name, value in (asked.arguments or {}).items() if value is not None}
        return await answer_call(asked.name, ToolCall(desk, given, may_screen(context), report))

    return Server(
        "citeproof",
        version=serializers.get_version(),
        title="citeproof",
        description="Verifies citations with evidence.",
        instructions=load_tool_texts()["instructions"].strip(),
        get_tool_input_schema=SCHEMAS.get,
        on_list_tools=handle_list_tools,
        on_call_tool=handle_call_tool,
        on_list_resources=_handle_list_resources,
        on_list_resource_templates=_handle_list_templates,
        on_read_resource=_handle_read_resource,
        on_list_prompts=_handle_list_prompts,
        on_get_prompt=_handle_get_prompt,
    )


def serve_stdio(settings: Settings, roots: Sequence[Path], *, strict: bool, allow_llm: bool) -> None:
    """Serve one client, which started `citeproof mcp` itself, until it closes its end."""
    files = AllowedFiles(roots, settings.max_document_bytes)
    desk = ToolDesk(EnginePool(settings), files, strict=strict, seconds=SECONDS)
    try:
        asyncio.run(_serve_client(make_server(desk, lambda _: allow_llm)))
    finally:
        desk.pool.close()


async def _serve_client(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def answer_call(name: str, call: ToolCall) -> types.CallToolResult:
    """Return the result of a call; what goes wrong is a result too, which the model can read."""
    tool = TOOLS.get(name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, f"unknown tool {name[:60]!r}; there are {', '.join(TOOLS)}")
    request = uuid.uuid4().hex[:16]
    try:
        _check_arguments(name, call.arguments)
        async with asyncio.timeout(call.desk.seconds):
            answer = await tool(call)
    except CiteproofError as error:
        return _build_error_result(error, request)
    except TimeoutError:
        hint = "send less in one call, or use `citeproof check`"
        late = ToolRefusedError("TIMEOUT", f"took longer than {call.desk.seconds:g} seconds", hint=hint)
        return _build_error_result(late, request)
    except OSError as error:
        return _build_error_result(CiteproofError(error.strerror or type(error).__name__), request)
    except Exception as error:  # noqa: BLE001 - the last place where a bug can be put in words
        where = "".join(traceback.format_tb(error.__traceback__))  # a message may hold text of a document
        _LOG.error("tool %s failed (request-id: %s): %s\n%s", name, request, type(error).__name__, where)
        hint = "this is a bug: please report it with the request-id and the server's log"
        return _build_error_result(CiteproofError("the tool failed", hint=hint), request)
    text = serializers.dump_pretty(answer.payload) if answer.text is None else answer.text
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    if not call.desk.strict:  # there item 0 is all that clients expect
        content.append(types.TextContent(type="text", text=load_tool_texts()["notice"]))
    return types.CallToolResult(content=content, structured_content=answer.payload, _meta=UNTRUSTED)


def _check_arguments(name: str, arguments: Mapping[str, Any]) -> None:
    """Raise `ToolRefusedError` for the first argument that the schema does not allow."""
    wrong = _VALIDATORS[name].iter_errors(dict(arguments))
    first = min(wrong, key=lambda error: list(map(str, error.path)), default=None)
    if first is None:
        return
    place = ".".join(map(str, first.path)) or "arguments"
    limit = first.validator in ("maxLength", "minLength", "maxItems")  # their messages repeat the value
    said = f"violates {first.validator} {first.validator_value}" if limit else first.message
    hint = f"see the schema of {name}"
    raise ToolRefusedError("INVALID_ARGUMENTS", f"{place}: {show_line(said, 300)}", hint=hint)


def _build_error_result(error: CiteproofError, request: str) -> types.CallToolResult:
    code = error.code if isinstance(error, ToolRefusedError) else type(error).__name__
    said = ": ".join(show_line(part, _MAX_MESSAGE) for part in (error.place, error.message) if part)
    hint = f" Hint: {show_line(error.hint, _MAX_MESSAGE)}." if error.hint else ""
    text = f"Error: {said}.{hint} (request-id: {request})"
    described: Json = {"code": code, "message": error.message, "place": error.place, "hint": error.hint}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content={"error": described, "requestId": request},
        is_error=True,
        _meta=UNTRUSTED,
    )


async def _handle_list_resources(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=list_resources())


async def _handle_list_templates(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=[])


async def _handle_read_resource(
    _: Context, asked: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(asked.uri)
    text = read_resource(uri)
    if text is None:
        raise MCPError(types.INVALID_PARAMS, f"no resource at {show_line(uri, 100)}")
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)]
    )


async def _handle_list_prompts(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=list_prompts())


async def _handle_get_prompt(_: Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
    try:
        description, text = write_prompt(asked.name, asked.arguments or {})
    except CiteproofError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from error
    content = types.TextContent(type="text", text=text)
    return types.GetPromptResult(
        description=description, messages=[types.PromptMessage(role="user", content=content)]
    )


def _load_prompts() -> dict[str, Any]:
    return load_package_table(__package__, "prompt_texts.toml")


def list_prompts() -> list[Prompt]:
    """Return every prompt with its arguments."""
    return [
        Prompt(
            name=name,
            title=text["title"],
            description=text["description"],
            arguments=[
                PromptArgument(name=argument, description=about, required=True)
                for argument, about in text["arguments"].items()
            ],
        )
        for name, text in _load_prompts().items()
    ]


def write_prompt(name: str, given: Mapping[str, str]) -> tuple[str, str]:
    """Return the description of a prompt and its text with the arguments in it; UsageError without one."""
    text = _load_prompts().get(name)
    if text is None:
        hint = f"one of {', '.join(_load_prompts())}"
        raise UsageError(f"unknown prompt {name[:60]!r}", place="name", hint=hint)
    values = {key: value for key, value in given.items() if value}
    missing = [key for key in text["arguments"] if key not in values]
    if missing:
        raise UsageError("is missing", place=missing[0], hint=text["arguments"][missing[0]])
    long = next((key for key, value in values.items() if len(value) > MAX_ARGUMENT), None)
    if long:
        raise UsageError(f"is longer than {MAX_ARGUMENT:,} characters", place=long, hint="give a part of it")
    # One pass: braces in an argument stay what they are.
    return text["description"], _SLOT.sub(lambda slot: values.get(slot[1], slot[0]), text["text"].strip())


class _ResourceText(NamedTuple):
    title: str
    description: str
    write: Callable[[], str]


def _write_identifiers() -> str:
    names = {"who_iris": "WHO IRIS address", "ads": "NASA ADS bibcode", "arxiv": "arXiv number"}
    rows = [f"- {names.get(scheme, scheme.upper())}: `{example}`" for scheme, example in EXAMPLES.items()]
    return (
        "# Identifiers\n\n"
        "Prefixes (`PMID:`, `arXiv:`), addresses (`https://doi.org/...`) and hyphens are fine.\n"
        f"If a citation has several, they are looked up in this order:\n\n{_LINE.join(rows)}\n"
    )


def _write_styles() -> str:
    from citeproof.laboratory.measure.rendering.cited_text import ALIASES, load_named_styles  # noqa: PLC0415 - few ask

    other = ", ".join(f"`{alias}` (`{name}`)" for alias, name in sorted(ALIASES.items()))
    rows = _LINE.join(f"- `{name}`" for name in sorted(load_named_styles()))
    return f"# Citation styles\n\nFor renderAnswer:\n\n{rows}\n\nAlso understood: {other}.\n"


def _write_verdicts() -> str:
    parts = {"Verdicts": "verdict", "Labels": "label", "States of claims": "status"}
    parts[f"Why something {NOT_CHECKED}"] = "cause"
    lines = ["# Verdicts", ""]
    for heading, kind in parts.items():
        lines += [f"## {heading}", "", *format_explanations(kind), ""]
    return "\n".join(lines)


def _write_reasons() -> str:
    lines = ["# Findings", "", *format_explanations("finding"), "", "# Reason codes", ""]
    return "\n".join([*lines, *format_explanations("reason"), ""])


RESOURCES: Mapping[str, _ResourceText] = {
    "identifiers": _ResourceText("Identifiers", "Which identifiers are understood.", _write_identifiers),
    "styles": _ResourceText("Citation styles", "Which styles there are.", _write_styles),
    "verdicts": _ResourceText("Verdicts", "What verdicts, labels and causes mean.", _write_verdicts),
    "reasons": _ResourceText("Reason codes", "What reason codes and findings mean.", _write_reasons),
}


def list_resources() -> list[Resource]:
    """Return every resource."""
    return [
        Resource(
            uri=f"{_SCHEME}{name}",
            name=name,
            title=resource.title,
            description=resource.description,
            mime_type=MARKDOWN,
        )
        for name, resource in RESOURCES.items()
    ]


def read_resource(uri: str) -> str | None:
    """Return the text of a resource; None if there is none at this address."""
    resource = RESOURCES.get(uri.removeprefix(_SCHEME).rstrip("/")) if uri.startswith(_SCHEME) else None
    return resource.write() if resource else None
