"""The metadata of a file: YAML between `---`, or YAML or JSON as a whole; else a first heading."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from citeproof.reading.extractors.records import yaml_text
from citeproof.reading.extractors.records.yaml_text import Value
from citeproof.text import lazy_patterns as re

MAX_FRONT = 256 * 1024  # characters of metadata that are read
MAX_BODY = 64 * 1024  # characters behind it that are examined
_MAX_DEPTH, _MAX_ITEMS = 20, 20_000

_OPENING = re.compile(r"\ufeff?\s{0,20}---[ \t]{0,9}\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]{0,9}\r?$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}```ya?ml[ \t]{0,9}\r?\n", re.MULTILINE)
_FENCE_END = re.compile(r"^ {0,3}```", re.MULTILINE)
_HEADING = re.compile(
    r"^ {0,3}#{1,6}[ \t]{1,9}(\S[^\n]{0,1000})|^(\S[^\n]{0,1000})\r?\n={3,300}[ \t]{0,9}\r?$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """What the head of a file says."""

    table: Mapping[str, Value] = field(default_factory=dict)
    heading: str = ""  # the first heading behind the metadata
    body: str = ""  # the beginning of what comes after it
    trouble: str = ""


def parse_markdown_metadata(data: bytes) -> FileMetadata:
    """Return the front matter and the first heading of a Markdown file."""
    text = data[: 4 * (MAX_FRONT + MAX_BODY)].decode("utf-8", "replace")
    opening = _OPENING.match(text)
    if opening is None:
        return FileMetadata({}, _find_heading(text), text[:MAX_BODY])
    closing = _CLOSING.search(text, opening.end(), opening.end() + MAX_FRONT)
    if closing is None:
        if len(text) > opening.end() + MAX_FRONT:
            return FileMetadata(
                trouble=f"its front matter has more than {MAX_FRONT // 1024} kB; it is not read"
            )
        return FileMetadata({}, _find_heading(text), text[:MAX_BODY])  # a rule, not front matter
    body = text[closing.end() : closing.end() + MAX_BODY]
    table, trouble = _parse_yaml(text[opening.end() : closing.start()], 1)
    return FileMetadata(table, _find_heading(body), body, trouble)


def parse_data_file(path: str, data: bytes) -> FileMetadata:
    """Return what a `.yaml`, `.yml` or `.json` file says."""
    if len(data) > MAX_FRONT:
        return FileMetadata(trouble=f"it has more than {MAX_FRONT // 1024} kB; it is not read")
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    table, trouble = _parse_json(text) if path.lower().endswith(".json") else _parse_yaml(text, 0)
    return FileMetadata(table, trouble=trouble)


def parse_fenced_yaml(body: str) -> Mapping[str, Value]:
    """Return the first block of YAML in a Markdown text; empty if it has none that can be read."""
    opening = _FENCE.search(body)
    closing = _FENCE_END.search(body, opening.end()) if opening else None
    if opening is None or closing is None:
        return {}
    return _parse_yaml(body[opening.end() : closing.start()], 0)[0]


def _find_heading(body: str) -> str:
    match = _HEADING.search(body, 0, MAX_BODY)
    return (match[1] or match[2]).strip().rstrip("#").strip() if match else ""


def _parse_yaml(text: str, above: int) -> tuple[Mapping[str, Value], str]:
    """Return the mapping that `text` writes, and why it cannot be read."""
    try:
        value = yaml_text.parse_yaml(text)
    except yaml_text.YamlError as error:
        return {}, f"line {error.line + above}: {error}; its metadata is not read"
    except (ValueError, RecursionError):
        return {}, "its metadata is not plain YAML; it is not read"
    if value is None or isinstance(value, dict):
        return value or {}, ""
    return {}, "its metadata is not a list of `key: value`; it is not read"


def _parse_json(text: str) -> tuple[Mapping[str, Value], str]:
    try:
        value = _stringify_scalars(json.loads(text), 0)
    except (ValueError, RecursionError) as error:
        return {}, f"it is not JSON: {str(error)[:100]}"
    return (value, "") if isinstance(value, dict) else ({}, "it is JSON, but not an object")


def _stringify_scalars(value: object, depth: int) -> Value:
    """Return a JSON value as YAML is read here: every scalar is a string."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return {
            str(key): _stringify_scalars(part, depth + 1) for key, part in list(value.items())[:_MAX_ITEMS]
        }
    if isinstance(value, list):
        return [_stringify_scalars(part, depth + 1) for part in value[:_MAX_ITEMS]]
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)
