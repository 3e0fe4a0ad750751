"""The files beside a document, as tests hand them over."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from citeproof.vocabulary import Document


@dataclass
class Files:
    """Files in memory; `asked` remembers what was looked for."""

    held: dict[str, bytes]
    asked: list[str] = field(default_factory=list)

    def read(self, path: str) -> bytes | None:
        self.asked.append(path)
        return self.held.get(path)

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self.held))


def project(name: str, **texts: str) -> Document:
    """Return the document `name` of the files given as `refs_bib="…"`; `__` in a name is a slash."""
    files = {key.replace("__", "/").replace("_", "."): text.encode() for key, text in texts.items()}
    return Document(name, files[name], Files(files))


def folder(path: Path, without: tuple[str, ...] = ()) -> Document:
    """Return the document at `path` with the files of its folder, but for those that end in `without`."""
    files = {
        one.relative_to(path.parent).as_posix(): one.read_bytes()
        for one in sorted(path.parent.rglob("*"))
        if one.is_file() and not one.name.endswith(without or ("\0",))
    }
    return Document(path.name, path.read_bytes(), Files(files))
