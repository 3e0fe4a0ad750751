"""Problems that are accepted in an editor: in the ignore list of the user, else until the editor closes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import date
from pathlib import Path

from citeproof.file_locks import hold_lock
from citeproof.output_files import write_file
from citeproof.serializers import dumps
from citeproof.service.accepted_problems import IgnoreEntry, read_ignore_list

_HEAD = "# Problems that you accept; docs/ci.md says what an entry can have.\n"


class EditorIgnores:
    """The entries of the ignore list, and those that hold until the editor closes."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._session: list[IgnoreEntry] = []

    def list_entries(self) -> Sequence[IgnoreEntry]:
        """Return what is accepted now; UsageError if the list is wrong. One that is not there is empty."""
        written = read_ignore_list(self._path) if self._path is not None and self._path.exists() else []
        return (*written, *self._session)

    def warn_of_list(self, root: Path) -> str:
        """Return a warning where the list came with the folder that is edited; it may be a stranger's."""
        if (
            self._path is None
            or not self._path.exists()
            or root.resolve() not in self._path.resolve().parents
        ):
            return ""
        return f"{self._path} is in this folder and accepts some of its problems; is that list yours?"

    def accept(self, fingerprint: str, today: date) -> str:
        """Accept one problem, and return where that is kept."""
        reason = f"Accepted in the editor on {today.isoformat()}."
        if self._path is None:
            self._session.append(IgnoreEntry(fingerprint, reason, "until the editor closes"))
            return "until the editor closes; start the server with --ignore FILE to keep it"
        folder = self._path.parent
        # another editor may add to it as well
        with hold_lock(folder, folder=True) if folder.is_dir() else nullcontext():
            if fingerprint not in {entry.id for entry in self.list_entries()}:
                before = self._path.read_text("utf-8") if self._path.exists() else _HEAD
                entry = f"\n[[ignore]]\nid = {_quote_text(fingerprint)}\nreason = {_quote_text(reason)}\n"
                write_file(self._path, f"{before.rstrip()}\n{entry}".encode())
        return f"in {self._path}; say why there"


def _quote_text(text: str) -> str:
    return dumps(text).decode()  # a JSON string is one of TOML
