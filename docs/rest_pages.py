# ruff: noqa: INP001 - next to a script, not in a package
"""The reference of the REST API as Markdown, from the OpenAPI description of the application itself."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citeproof.settings import Settings
from citeproof.surfaces.rest.app import create_app

METHODS = ("get", "post", "put", "patch", "delete")


def format_rest_reference() -> str:
    """Return a table of all routes, then a section on each."""
    with tempfile.TemporaryDirectory() as folder:
        described = create_app(Settings(), folder=Path(folder)).openapi()
    routes = [
        (method.upper(), path, item[method])
        for path, item in described["paths"].items()
        for method in METHODS
        if method in item
    ]
    table = ["| route | what it does |", "| --- | --- |"]
    table += [f"| `{method} {path}` | {route['summary']} |" for method, path, route in routes]
    sections = [line for method, path, route in routes for line in _format_route(method, path, route)]
    return "\n".join([*table, *sections])


def _format_route(method: str, path: str, route: dict[str, Any]) -> Iterator[str]:
    yield from ("", f"### {method} {path}", "")
    for paragraph in route.get("description", "").strip().split("\n\n"):
        yield from (" ".join(paragraph.split()).replace(". ", ".\n"), "")
    if parameters := route.get("parameters"):
        yield from ("| parameter | in | meaning |", "| --- | --- | --- |")
        for one in parameters:
            told = one.get("description") or _describe_schema(one["schema"])
            yield f"| `{one['name']}` | {one['in']} | {told} |"
        yield ""
    body = route.get("requestBody", {}).get("content", {})
    if body:
        yield from (f"Body: {', '.join(f'`{media}`' for media in body)}.", "")
        yield from _format_fields(body["application/json"]["schema"])
    answers = ", ".join(_format_answer(status, one) for status, one in route["responses"].items())
    yield f"Answers: {answers}."


def _format_fields(schema: dict[str, Any]) -> Iterator[str]:
    yield from ("| JSON field | type | meaning |", "| --- | --- | --- |")
    needed = schema.get("required", ())
    for name, one in schema["properties"].items():
        told = one.get("description") or (f"like `{one['example']}`" if "example" in one else "")
        must = "needed; " if name in needed else ""
        most = f"at most {one['maxLength']} characters" if "maxLength" in one else ""
        yield f"| `{name}` | {one.get('type', 'any')} | {must}{'; '.join(p for p in (told, most) if p)} |"
    yield ""


def _describe_schema(schema: dict[str, Any]) -> str:
    options = [schema, *schema.get("anyOf", ())]
    values = next((one["enum"] for one in options if "enum" in one), None)
    if values:
        return "one of " + ", ".join(f"`{value}`" for value in values)
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}; else {schema.get('default', 'none')}"
    return str(schema.get("description", "")) or "text"


def _format_answer(status: str, answer: dict[str, Any]) -> str:
    good = status.startswith("2")
    return f"{status} ({answer['description'].rstrip('.')})" if good else status
