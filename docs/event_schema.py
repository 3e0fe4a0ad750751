# ruff: noqa: INP001 - next to a script, not in a package
"""The published JSON Schema of an audit log's events, made from proof/audit/event_schema.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from citeproof.answers import serializers
from citeproof.proof.audit.events import EVENTS, FIELDS, VERSION
from citeproof.proof.audit.run_lock import RUN
from citeproof.vocabulary import Cause, Label, Verdict

FILE = Path(__file__).parent / "spec" / "audit-event.schema.json"
COMMON = ("v", "ts", "seq", "run", "ev")

Schema = dict[str, Any]

_TWO = "[0-9]{2}"
_DAY, _HOUR = ("[0-9]{4}", _TWO, _TWO), (_TWO, _TWO, _TWO)
_COUNT: Schema = {"type": "integer", "minimum": 0}
_HASH: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_TEXT: Schema = {"type": "string"}
_HASHES: Schema = {"type": "array", "items": _HASH}
_SHAPES: dict[str, Schema] = {
    "version": {"const": VERSION},
    "text": _TEXT,
    "maybe_text": {"type": ["string", "null"]},
    "texts": {"type": "array", "items": _TEXT},
    "count": _COUNT,
    "flag": {"type": "boolean"},
    "hash": _HASH,
    "hashes": _HASHES,
    "root": {"type": "string", "pattern": "^[0-9a-f]{64}$|^[0-9a-f]+…[0-9a-f]+$"},  # the second for print
    "time": {"type": "string", "pattern": f"^{'-'.join(_DAY)}T{':'.join(_HOUR)}[.][0-9]{{3}}Z$"},
    "run": {"type": "string", "pattern": f"^{RUN.pattern}$"},
    "verdict": {"enum": [*Verdict]},
    "label": {"enum": [*Label, None]},
    "cause": {"enum": [*Cause]},
}


def format_event_schema() -> str:
    """Return the file: the JSON Schema (2020-12) of one line of a log."""
    fields = {name: {**_expand_shape(shape), "description": said} for name, (shape, said) in FIELDS.items()}
    known = [{"const": name, "description": said} for name, (said, _) in EVENTS.items()]
    other = {"description": "a finding of a check, under its own name", "not": {"enum": [*EVENTS]}}
    fields["ev"] = {**fields["ev"], "anyOf": [*known, other]}
    needs = [_build_condition(name, {"required": [*need]}) for name, (_, need) in EVENTS.items() if need]
    dropped = _build_condition("pruned", {"properties": {"evidence": _COUNT}})
    dropped["else"] = {"properties": {"evidence": _HASHES}}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"citeproof:audit-event:{VERSION}",
        "title": f"citeproof audit event, version {VERSION}",
        "type": "object",
        "properties": fields,
        "required": [*COMMON],
        "allOf": [*needs, dropped],
    }
    return serializers.dump_pretty(schema) + "\n"


def _build_condition(name: str, then: Schema) -> Schema:
    return {"if": {"properties": {"ev": {"const": name}}, "required": ["ev"]}, "then": then}


def _expand_shape(shape: str | Schema) -> Schema:
    """Return the JSON Schema of a shape, which is a name or holds names."""
    if isinstance(shape, str):
        return _SHAPES[shape]
    made = dict(shape)
    if "items" in made:
        made["items"] = _expand_shape(made["items"])
    if "anyOf" in made:
        made["anyOf"] = [_expand_shape(either) for either in made["anyOf"]]
    if "properties" in made:
        made["properties"] = {name: _expand_shape(part) for name, part in made["properties"].items()}
    return made
