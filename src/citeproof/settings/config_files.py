"""Config files: which one counts, its text within bounds, which ones are trusted; the folders of a user."""

from __future__ import annotations

import errno
import json
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import platformdirs

from citeproof.errors import UsageError
from citeproof.plumbing.disk_files import open_replacement, read_plain_file
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.quick_dataclass import dataclass

PROJECT_FILES = ("citeproof.toml", "pyproject.toml")
MAX_FILE = 1_000_000  # bytes of a config file; nothing real is longer
TRUSTED = "trusted.json"  # the project files that the user trusts, each bound to its SHA-256
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
            if not path.is_file():
                continue
            with suppress(UsageError):  # a pyproject.toml that is too long counts as having no table of ours
                if name != "pyproject.toml" or cut_own_part(decode_config(read_config_bytes(path))):
                    return path
    return None


def cut_own_part(text: str) -> str:
    """Return the citeproof tables of a pyproject.toml; all other lines are blank."""
    ours, lines = False, []
    for line in text.splitlines():
        if _HEADER.match(line):
            ours = bool(_OURS.match(line))
        lines.append(line if ours else "")
    return "\n".join(lines) if any(lines) else ""


def read_config_bytes(path: Path) -> bytes:
    """Return the bytes of a config file or of what a link there leads to; no pipe is waited for."""
    try:
        return read_plain_file(path.resolve(), MAX_FILE)
    except OSError as error:
        large = error.errno == errno.EFBIG
        message = "config file is larger than 1 MB" if large else f"cannot be read: {error.strerror}"
        hint = "check that it is the right file" if large else "check its name and permissions"
        raise UsageError(message, place=str(path), hint=hint) from error


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


@dataclass(frozen=True, slots=True)
class TrustStore:
    """The user's own list of trusted project files; one that changed since is no longer trusted."""

    path: Path

    def trusts(self, file: Path, data: bytes) -> bool:
        """Return whether the user trusts `file` with exactly this content."""
        return self.read().get(_resolve_file_key(file)) == sha256(data).hexdigest()

    def knows(self, file: Path) -> bool:
        """Return whether the user trusted `file` once, with whatever content."""
        return _resolve_file_key(file) in self.read()

    def read(self) -> Mapping[str, str]:
        try:
            with self.path.open("rb") as stored:
                table = json.loads(stored.read(MAX_FILE + 1))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise self._unusable(str(error)) from error
        if not isinstance(table, dict) or not all(isinstance(digest, str) for digest in table.values()):
            raise self._unusable("it is not a table of paths and hashes")
        return table

    def add(self, file: Path, data: bytes) -> str:
        """Trust `file` with this content; return its SHA-256."""
        digest = sha256(data).hexdigest()
        self._write({**self.read(), _resolve_file_key(file): digest})
        return digest

    def remove(self, file: Path) -> bool:
        """Trust `file` no longer; return whether it was trusted."""
        others = dict(self.read())
        known = others.pop(_resolve_file_key(file), None) is not None
        if known:
            self._write(others)
        return known

    def _write(self, trusted: Mapping[str, str]) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open_replacement(self.path, 0o600) as new:
                new.write(json.dumps(dict(sorted(trusted.items())), indent=1).encode())
        except OSError as error:
            hint = "check that the folder can be written to"
            raise UsageError(f"cannot write: {error.strerror}", place=str(self.path), hint=hint) from error

    def _unusable(self, why: str) -> UsageError:
        hint = "remove the file, then run `citeproof trust FOLDER` again for the projects you trust"
        return UsageError(f"cannot be read: {why}", place=str(self.path), hint=hint)


def _resolve_file_key(file: Path) -> str:
    """Return the path of a file in its real folder; a link in its place is not the file that was trusted."""
    return str(file.parent.resolve() / file.name)


def find_user_file() -> Path:
    """Return where the user's own config file stands, if there is one."""
    return Path(platformdirs.user_config_dir("citeproof")) / "config.toml"


def find_cache_folder() -> Path:
    """Return the folder for what can be recreated."""
    return Path(platformdirs.user_cache_dir("citeproof"))


def find_state_folder(name: str) -> Path:
    """Return a folder for what nothing can recreate; all processes of this user share it."""
    return Path(platformdirs.user_state_dir("citeproof")) / name
