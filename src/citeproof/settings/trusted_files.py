"""Project files that the user trusts, each bound to its SHA-256, in a file of the user's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from citeproof.disk_files import open_replacement
from citeproof.errors import UsageError
from citeproof.settings.config_files import MAX_FILE

FILE = "trusted.json"


@dataclass(frozen=True, slots=True)
class TrustStore:
    """The file that lists them; a project file that changed since then is no longer trusted."""

    path: Path

    def trusts(self, file: Path, data: bytes) -> bool:
        """Return whether the user trusts `file` with exactly this content."""
        return self.read().get(_resolve_file_key(file)) == sha256(data).hexdigest()

    def knows(self, file: Path) -> bool:
        """Return whether the user trusted `file` once, with whatever content."""
        return _resolve_file_key(file) in self.read()

    def read(self) -> Mapping[str, str]:
        """Return the SHA-256 of every trusted file, by its path."""
        try:
            with self.path.open("rb") as stored:
                found = json.loads(stored.read(MAX_FILE + 1))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise self._unusable(str(error)) from error
        if not isinstance(found, dict) or not all(isinstance(digest, str) for digest in found.values()):
            raise self._unusable("it is not a table of paths and hashes")
        return found

    def add(self, file: Path, data: bytes) -> str:
        """Trust `file` with this content; return its SHA-256."""
        digest = sha256(data).hexdigest()
        self._write({**self.read(), _resolve_file_key(file): digest})
        return digest

    def remove(self, file: Path) -> bool:
        """Trust `file` no longer; return whether it was trusted."""
        kept = dict(self.read())
        found = kept.pop(_resolve_file_key(file), None) is not None
        if found:
            self._write(kept)
        return found

    def _write(self, trusted: Mapping[str, str]) -> None:
        """Write the file again and put it in place of the old one."""
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
