"""Which files of a folder are its documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from citeproof.corpus.document_selection import IgnoredPaths, find_ignored_paths
from citeproof.errors import InputError, NothingFoundError
from citeproof.extractors.archive.file_choice import FileChoice, choose_documents, is_junk_file
from citeproof.reporters.wording import format_count, show_line

_HEAD = 200_000  # bytes of a file that tell what it is
_OWN = frozenset(("bibtex", "latex"))  # formats that are parts of a LaTeX document below them
_MANY = 500  # files; to look at so many takes a while
_TOLD = 20  # documents; so many take a while


@dataclass(frozen=True, slots=True)
class FolderLimits:
    """How much of a folder is looked at."""

    documents: int = 2_000
    deepest: int = 5  # folders inside each other that are searched
    folders: int = 2_000  # that are searched
    files: int = 20_000  # that are looked at


_USUAL = FolderLimits()


class EmptyFolderError(InputError, NothingFoundError):
    """A folder without a document in a known format."""


def list_folder_documents(
    folder: Path, tell: Callable[[str], None], limits: FolderLimits = _USUAL
) -> list[Path]:
    """Return the documents of a folder and the folders in it, in order; links are not followed.

    If a LaTeX document stands directly in it, the folder is that document. What is hidden, what git ignores,
    and what belongs to a LaTeX document is left out.
    """
    heads = _FileHeads(folder, limits)
    shown = show_line(str(folder), 1000)
    if heads.links:
        count = "1 link is" if heads.links == 1 else f"{heads.links} links are"
        tell(f"{shown}: {count} not followed; name the files themselves")
    if len(heads) >= limits.files:
        tell(f"{shown}: only the first {limits.files:,} files are looked at")
    elif len(heads) >= _MANY:
        tell(f"{shown}: looking for documents among {len(heads):,} files")
    choice = choose_documents(heads)
    names = [name for name in choice.mains if "/" not in name] or _list_all(choice)
    if not names:
        hint = "name the files themselves; docs/formats.md lists what can be read"
        raise EmptyFolderError(
            "is a folder with no document in a known format in it", place=str(folder), hint=hint
        )
    if len(names) > limits.documents:
        hint = "name some of them at a time, like DIR/a*.pdf"
        raise InputError(
            f"the folder has more than {limits.documents:,} documents", place=str(folder), hint=hint
        )
    if len(names) >= _TOLD:
        tell(f"{shown}: reading {format_count(len(names), 'document')}")
    return [folder / name for name in names]


def _list_all(choice: FileChoice) -> list[str]:
    """Return LaTeX documents, then all other documents but their parts, which may stand above them."""
    above = {str(parent) for main in choice.mains for parent in PurePosixPath(main).parents}
    others = [
        name
        for name, kind in choice.documents.items()
        if not (kind.name in _OWN and str(PurePosixPath(name).parent) in above)
        and not (kind.name == "latex" and "/" in name)  # below, a part of a document that is not here
    ]
    return [*sorted(choice.mains), *sorted({*others, *choice.nested, *choice.unreadable} - {*choice.mains})]


class _FileHeads(Mapping[str, bytes]):
    """The beginnings of the ordinary files in a folder and below, read one at a time; junk is left out."""

    def __init__(self, folder: Path, limits: FolderLimits) -> None:
        self._folder, self._limits = folder, limits
        self.links = 0
        try:
            os.scandir(folder).close()
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}", place=str(folder), hint="check its permissions"
            ) from error
        self._names = tuple(islice(self._walk(find_ignored_paths(folder)), limits.files))

    def _walk(self, ignored: IgnoredPaths) -> Iterator[str]:
        for above, folders, files in islice(os.walk(self._folder), self._limits.folders):
            inside = PurePosixPath(Path(above).relative_to(self._folder).as_posix())
            self.links += sum(Path(above, name).is_symlink() for name in folders if not is_junk_file(name))
            folders[:] = sorted(
                name
                for name in folders
                if len(inside.parts) < self._limits.deepest
                and not is_junk_file(f"{name}/x")
                and str(inside / name) not in ignored.folders
            )
            for name in sorted(files):
                path, plain = Path(above, name), str(inside / name)
                if is_junk_file(plain) or plain in ignored.files:
                    continue
                self.links += path.is_symlink()
                if path.is_file() and not path.is_symlink():  # no pipe either
                    yield plain

    def __getitem__(self, name: str) -> bytes:
        try:
            with (self._folder / name).open("rb") as file:
                return file.read(_HEAD)
        except OSError:
            return b""  # told when it is read in earnest

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
