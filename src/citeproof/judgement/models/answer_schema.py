"""The JSON schema of an answer, in the part of the language that all providers take.

Strict modes want an object at the root, every property required, nothing beside them and no references.
Bounds of numbers and lengths are left out: providers reject them, and the decoder checks them anyway.
"""

from __future__ import annotations

from typing import Any

import msgspec

_KEPT = ("type", "enum", "description", "anyOf", "const")


def make_answer_schema(decoder: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the schema of `decoder`, which may hold strings, numbers, enums, arrays and other Structs."""
    (schema,), definitions = msgspec.json.schema_components((decoder,))
    return _inline_schema(schema, definitions)


def _inline_schema(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    kept: dict[str, Any] = {name: schema[name] for name in _KEPT if name in schema}
    if "enum" in kept and "type" not in kept:
        kept["type"] = "string"
    if "anyOf" in kept:
        kept["anyOf"] = [_inline_schema(one, definitions) for one in kept["anyOf"]]
    if "items" in schema:
        kept["items"] = _inline_schema(schema["items"], definitions)
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        kept["properties"] = {name: _inline_schema(one, definitions) for name, one in properties.items()}
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    return kept
