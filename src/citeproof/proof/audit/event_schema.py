"""Every event's fields, from `event_schema.toml`: docs/spec/audit-event.schema.json is what it makes.

A test compares them. Fields may be added under the same `v`; a finding may have any name.
"""

from __future__ import annotations

from typing import Any

from citeproof.proof.audit.run_lock import RUN
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import ID_ORDER, Cause, Label, Verdict

VERSION = 1

Schema = dict[str, Any]

_TWO = "[0-9]{2}"
_DAY, _HOUR = ("[0-9]{4}", _TWO, _TWO), (_TWO, _TWO, _TWO)
COUNT: Schema = {"type": "integer", "minimum": 0}
HASH: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_TEXT: Schema = {"type": "string"}
_HASHES: Schema = {"type": "array", "items": HASH}
_SHAPES: dict[str, Schema] = {
    "version": {"const": VERSION},
    "text": _TEXT,
    "maybe_text": {"type": ["string", "null"]},
    "texts": {"type": "array", "items": _TEXT},
    "count": COUNT,
    "flag": {"type": "boolean"},
    "hash": HASH,
    "hashes": _HASHES,
    "root": {"type": "string", "pattern": "^[0-9a-f]{64}$|^[0-9a-f]+…[0-9a-f]+$"},  # the second for print
    "time": {"type": "string", "pattern": f"^{'-'.join(_DAY)}T{':'.join(_HOUR)}[.][0-9]{{3}}Z$"},
    "run": {"type": "string", "pattern": f"^{RUN.pattern}$"},
    "verdict": {"enum": [*Verdict]},
    "label": {"enum": [*Label, None]},
    "cause": {"enum": [*Cause]},
}

COMMON = ("v", "ts", "seq", "run", "ev")


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


_TABLE = load_package_table(__package__, "event_schema.toml")
FIELDS: dict[str, tuple[Schema, str]] = {
    field: (_expand_shape(shape), said)
    for name, (shape, said) in _TABLE["fields"].items()
    for field in (ID_ORDER if name == "identifier" else (name,))
}
# Every name that we write: what it means, and the fields it must have next to the common ones.
EVENTS: dict[str, tuple[str, list[str]]] = _TABLE["events"]


def build_schema() -> Schema:
    """Return the JSON Schema (2020-12) of one line of a log."""
    fields = {name: {**shape, "description": said} for name, (shape, said) in FIELDS.items()}
    known = [{"const": name, "description": said} for name, (said, _) in EVENTS.items()]
    other = {"description": "a finding of a check, under its own name", "not": {"enum": [*EVENTS]}}
    fields["ev"] = {**fields["ev"], "anyOf": [*known, other]}
    needs = [_build_condition(name, {"required": [*need]}) for name, (_, need) in EVENTS.items() if need]
    dropped = _build_condition("pruned", {"properties": {"evidence": COUNT}})
    dropped["else"] = {"properties": {"evidence": _HASHES}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"citeproof:audit-event:{VERSION}",
        "title": f"citeproof audit event, version {VERSION}",
        "type": "object",
        "properties": fields,
        "required": [*COMMON],
        "allOf": [*needs, dropped],
    }


def _build_condition(name: str, then: Schema) -> Schema:
    return {"if": {"properties": {"ev": {"const": name}}, "required": ["ev"]}, "then": then}
