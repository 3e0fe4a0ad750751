"""The tools of the server: names, input schemas, annotations. Their texts are in tool_texts.toml."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from mcp_types import Tool, ToolAnnotations, ToolExecution

from citeproof.answers.serializers.verify_answer import FIELDS as SHAPE_FIELDS
from citeproof.service.answer_session import MOST_LIBRARY, MOST_SERVED_TEXT
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import NOT_CHECKED

Schema = dict[str, Any]

MAX_BIBLIOGRAPHY: Final = 128 * 1024
MAX_CLAIMS: Final = 25
MAX_TEXT: Final = 2 * 1024 * 1024
MAX_GUARDED: Final = 1_000_000
MAX_SHOWN: Final = 500
SHOWN: Final = 50
STYLE: Final = "vancouver"
OUTPUTS: Final = ("text", "html", "json")
EXPORTS: Final = ("bib", "ris", "csv", "csl", "txt")
_DIALECT = "http://json-schema.org/draft-07/schema#"
_ID = {"doi": 200, "pmid": 50, "pmcid": 50, "isbn": 50, "arxiv": 50, "issn": 50, "ads": 50}


@lru_cache(maxsize=1)
def load_tool_texts() -> dict[str, Any]:
    """Return the fixed texts: of tools, of their arguments, and the server's own."""
    return load_package_table(__package__, "tool_texts.toml")


def list_tools(*, strict: bool = False) -> list[Tool]:
    """Return every tool; `strict`: with the output schema of the compatible answer."""
    texts = load_tool_texts()
    schemas = {"verifyCitation": _make_output_schema(strict=strict)}
    return [
        Tool(
            name=name,
            title=text["title"],
            description=f"{text['description'].strip()} {texts['untrusted']}",
            input_schema=SCHEMAS[name],
            output_schema=schemas.get(name),
            annotations=ToolAnnotations(
                title=text["title"],
                read_only_hint=True,
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=True,
            ),
            execution=ToolExecution(task_support="forbidden"),
        )
        for name, text in texts["tools"].items()
    ]


def _make_field(field: str, **schema: Any) -> Schema:  # noqa: ANN401 - JSON schema's own keywords
    return {"description": load_tool_texts()["fields"][field], **schema}


def _make_text_field(field: str, most: int, least: int = 0) -> Schema:
    return _make_field(field, type="string", **({"minLength": least} if least else {}), maxLength=most)


def _make_citation_fields() -> dict[str, Schema]:
    """Return the fields of one citation, in the order of the compatible schema."""
    return {
        "title": _make_text_field("title", 2000, 1),
        **{name: _make_text_field(name, most) for name, most in _ID.items()},
        "whoIrisUrl": _make_text_field("whoIrisUrl", 2000),
        "author": _make_text_field("author", 200),
        "year": _make_field("year", type="integer", minimum=0, maximum=9999),
        "container": _make_text_field("container", 500),
    }


def _make_choice(field: str, *words: str, **more: str) -> Schema:
    return _make_field(field, type="string", enum=list(words), **more)


def _make_input(*required: str, **properties: Schema) -> Schema:
    head: Schema = {"type": "object", "properties": properties}
    if required:
        head["required"] = list(required)
    return {**head, "$schema": _DIALECT, "additionalProperties": False}


def _make_schemas() -> dict[str, Schema]:
    cited, screen = _make_citation_fields(), _make_field("screenWithLlm", type="boolean")
    claim = {"type": "object", "properties": cited, "required": ["title"]}
    checks = {"type": "string", "enum": ["retraction"]}
    works, work = _make_text_field("identifiers", 20_000, 1), _make_text_field("id", 500, 1)
    style, lang = _make_text_field("style", 200), _make_text_field("lang", 50)
    document = {
        "text": _make_text_field("text", MAX_TEXT),
        "path": _make_text_field("path", 1000, 1),
        "detail": _make_choice("detail", "brief", "full", default="brief"),
        "offset": _make_field("offset", type="integer", minimum=0, default=0),
        "limit": _make_field("limit", type="integer", minimum=1, maximum=MAX_SHOWN, default=SHOWN),
    }
    only = _make_choice("only", "problems", "noted", "unchecked", "all", default="problems")
    return {
        "verifyCitation": _make_input("title", **cited, screenWithLlm=screen),
        "auditBibliography": _make_input(
            bibliography=_make_text_field("bibliography", MAX_BIBLIOGRAPHY),
            format=_make_choice("format", "bibtex", "ris", "csl-json"),
            claims=_make_field("claims", type="array", maxItems=MAX_CLAIMS, items=claim),
            checks=_make_field("checks", type="array", items=checks),
            screenWithLlm=screen,
        ),
        "checkRetraction": _make_input("id", id=work),
        "checkOpenAccess": _make_input("id", id=work),
        "resolveIdentifier": _make_input("text", text=works),
        "formatCitation": _make_input(
            "text",
            text=works,
            style=style,
            lang=lang,
            footnote=_make_field("footnote", type="boolean"),
            output=_make_choice("output", *OUTPUTS),
        ),
        "exportCitation": _make_input(
            "text", "format", text=works, format=_make_choice("export", *EXPORTS), style=style, lang=lang
        ),
        "checkReferences": _make_input(**document, only=only, screenWithLlm=screen),
        "groundClaims": _make_input(**document, hypothesis=_make_field("hypothesis", type="object")),
        "renderAnswer": _make_input(
            "text",
            text=_make_text_field("answer", MOST_SERVED_TEXT),
            citations=_make_field("cited", type="array", maxItems=1000, items={"type": "object"}),
            bibliography=_make_text_field("library", MOST_LIBRARY),
            style=style,
        ),
        "guardText": _make_input(
            "text",
            text=_make_text_field("text", MAX_GUARDED, 1),
            removal=_make_choice("removal", "bracket", "remove", "keep"),
        ),
        "explainVerdict": _make_input(code=_make_text_field("code", 100), **cited),
    }


def _make_output_schema(*, strict: bool) -> Schema:
    """Return the shape of a `verifyCitation` answer; ours has more keys than the compatible one."""
    verdicts: list[str | None] = ["matched", "mismatch", "not_found", "ambiguous"]
    differing = [*SHAPE_FIELDS.values(), *_ID, "whoIrisUrl"]
    mismatch = {
        "type": "object",
        "properties": {"field": {"enum": differing}, "similarity": {"type": "number"}},
        "required": ["field", "claimed", "resolved", "similarity"],
    }
    provenance = {"$ref": "#/$defs/provenance"}
    properties: Schema = {
        "verdict": {"enum": [*verdicts, None if strict else "unchecked"]},
        "status": {"const": "incomplete", "description": f"Only where the citation {NOT_CHECKED}."},
        "confidence": {"enum": ["high", "medium", "low", None]},
        "matched": {"type": ["object", "null"]},
        "mismatches": {"type": "array", "items": mismatch},
        "candidates": {
            "type": "array",
            "items": {"type": "object", "required": ["item", "registries", "score"]},
        },
        "_provenance": provenance,
        "provenance": provenance,
    }
    if not strict:
        properties |= {
            "caveats": {"type": "array", "items": {"type": "string"}},
            "citeproof": {"type": "object"},
        }
    return {
        "type": "object",
        "properties": properties,
        "required": ["verdict", "confidence", "matched", "mismatches", "_provenance"],
        "$defs": {"provenance": {"type": "object", "required": ["stages_run", "resolved_via"]}},
    }


SCHEMAS: Final = _make_schemas()
