"""The tools of the server: names, input schemas, annotations. Their texts are in tool_texts.toml."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from mcp_types import Tool, ToolAnnotations, ToolExecution

from citeproof.answers.serializers.verify_answer import FIELDS as SHAPE_FIELDS
from citeproof.service.answer_session import MOST_LIBRARY, MOST_SERVED_TEXT
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import NOT_CHECKED

Schema = dict[str, Any]
_TABLE: Final = load_package_table(__package__, "tool_schemas.toml")
MAX_TEXT: Final[int] = _TABLE["fields"]["text"]["maxLength"]
SHOWN: Final[int] = _TABLE["fields"]["limit"]["default"]
_DIALECT = "http://json-schema.org/draft-07/schema#"
_LIMITS = {"answer": MOST_SERVED_TEXT, "library": MOST_LIBRARY}
_ID = ("doi", "pmid", "pmcid", "isbn", "arxiv", "issn", "ads")


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


def _make_properties(arguments: str) -> dict[str, Schema]:
    """Return the properties of an object by the names of its fields."""
    made: dict[str, Schema] = {}
    words = " ".join(_TABLE["names"].get(word, word) for word in arguments.split())
    for word in words.split():
        name, _, field = word.partition("=")
        field = field or name
        schema = {key: value for key, value in _TABLE["fields"][field].items() if key != "about"}
        about = load_tool_texts()["fields"][_TABLE["fields"][field].get("about", field)]
        made[name] = {"description": about, **schema}
        if field in _LIMITS:
            made[name]["maxLength"] = _LIMITS[field]
    return made


def _make_input(arguments: str, required: Sequence[str] = ()) -> Schema:
    head: Schema = {"type": "object", "properties": _make_properties(arguments)}
    if required:
        head["required"] = list(required)
    return {**head, "$schema": _DIALECT, "additionalProperties": False}


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


SCHEMAS: Final = {name: _make_input(**tool) for name, tool in _TABLE["tools"].items()}
