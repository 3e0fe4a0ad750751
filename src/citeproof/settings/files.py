"""Config files: which one counts, its text within bounds, its table."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from citeproof.errors import UsageError

PROJECT_FILES = ("citeproof.toml", "pyproject.toml")
MAX_FILE = 1_000_000  # bytes of a config file; nothing real is longer


def project_file(folder: Path) -> Path | None:
    for parent in (folder, *folder.parents):
        for name in PROJECT_FILES:
            path = parent / name
            if path.is_file() and (name != "pyproject.toml" or b"tool.citeproof" in bytes_of(path)):
                return path
    return None


def bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise UsageError(
            f"cannot be read: {error.strerror}", place=str(path), mend="check its permissions"
        ) from error
    if len(data) > MAX_FILE:
        raise UsageError("config file is larger than 1 MB", place=str(path), mend="is it the right file?")
    return data


def text_of(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")


def table_of(text: str, path: Path) -> Mapping[str, object]:
    try:
        table: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:  # it names the line
        raise UsageError(f"is not valid TOML: {error}", place=str(path), mend="correct that line") from error
    for name in ("tool", "citeproof") if path.name == "pyproject.toml" else ():
        table = table.get(name, {}) if isinstance(table, dict) else {}
    return table if isinstance(table, dict) else {}


def line_of(name: str, text: str) -> int:
    lines = text.splitlines()
    return next((n for n, line in enumerate(lines, 1) if line.lstrip(" \t\"'[").startswith(name)), 1)
