"""Config files: which one counts, its text within bounds, its table."""

from __future__ import annotations

import errno
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from citeproof.disk_files import read_plain_file
from citeproof.errors import UsageError

PROJECT_FILES = ("citeproof.toml", "pyproject.toml")
MAX_FILE = 1_000_000  # bytes of a config file; nothing real is longer
MAX_OWN = 65_536  # bytes of it that are ours
# The reader of TOML takes time and memory that grow with the square of a dotted key, and it recurses.
_MOST_DOTS = 20  # in one line outside quotes
_MOST_LINES = 2_000
_DEEPEST = 20  # brackets opened and not closed
_QUOTED = re.compile(
    r"\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|#[^\n]*", re.DOTALL
)
_HEADER = re.compile(r"[ \t]*\[")
_OURS = re.compile(r"[ \t]*\[\[?[ \t]*[\"']?tool[\"']?[ \t]*\.[ \t]*[\"']?citeproof\b")


def find_project_file(folder: Path) -> Path | None:
    for parent in (folder, *folder.parents):
        for name in PROJECT_FILES:
            path = parent / name
            if path.is_file() and (name != "pyproject.toml" or _names_us(path)):
                return path
    return None


def _names_us(path: Path) -> bool:
    """Return whether a pyproject.toml has a citeproof table; one that is too long counts as having none."""
    try:
        return cut_own_part(decode_config(read_config_bytes(path))) != ""
    except UsageError:
        return False


def cut_own_part(text: str) -> str:
    """Return the citeproof tables of a pyproject.toml; all other lines are blank."""
    ours, lines, found = False, [], False
    for line in text.splitlines():
        if _HEADER.match(line):
            ours = bool(_OURS.match(line))
            found |= ours
        lines.append(line if ours else "")
    return "\n".join(lines) if found else ""


def read_config_bytes(path: Path) -> bytes:
    """Return the bytes of a config file or of what a link there leads to; no pipe is waited for."""
    try:
        return read_plain_file(path.resolve(), MAX_FILE)
    except OSError as error:
        large = error.errno == errno.EFBIG
        told = "config file is larger than 1 MB" if large else f"cannot be read: {error.strerror}"
        hint = "check that it is the right file" if large else "check its name and permissions"
        raise UsageError(told, place=str(path), hint=hint) from error


def decode_config(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")


def parse_config(text: str, path: Path) -> Mapping[str, object]:
    if path.name == "pyproject.toml":
        text = cut_own_part(text)
    _check_size(text, path)
    try:
        table: object = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError names the line
        raise UsageError(f"is not valid TOML: {error}", place=str(path), hint="correct that line") from error
    for name in ("tool", "citeproof") if path.name == "pyproject.toml" else ():
        table = table.get(name, {}) if isinstance(table, dict) else {}
    return table if isinstance(table, dict) else {}


def _check_size(text: str, path: Path) -> None:
    """Raise a UsageError for TOML that no person wrote and that would take long to read."""
    bare = _QUOTED.sub("", text) if len(text) <= MAX_OWN else ""
    lines = bare.splitlines()
    deep = bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")
    nested = max((line.count("[") + line.count("{") for line in lines), default=0)
    dotted = max((line.count(".") for line in lines), default=0)
    if len(text) > MAX_OWN or len(lines) > _MOST_LINES or max(deep, nested) > _DEEPEST or dotted > _MOST_DOTS:
        hint = f"write at most {MAX_OWN:,} characters, {_MOST_LINES:,} lines, {_MOST_DOTS} dots in a line"
        raise UsageError("is too large or too deeply nested for settings", place=str(path), hint=hint)


def find_line(name: str, text: str) -> int:
    lines = text.splitlines()
    return next((n for n, line in enumerate(lines, 1) if line.lstrip(" \t\"'[").startswith(name)), 1)
