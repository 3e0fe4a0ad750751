"""Which files of a folder are its documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from citeproof.answers.reporters.wording import show_line
from citeproof.corpus.document_selection import IgnoredPaths, find_ignored_paths
from citeproof.errors import InputError, NotADocumentError, NothingFoundError, format_count
from citeproof.reading.extractors.archive.file_choice import (
    FileChoice,
    choose_documents,
    is_hidden_file,
    is_junk_file,
)
from citeproof.vocabulary import Document

_HEAD = 200_000  # bytes of a file that tell what it is
_OWN = frozenset(("bibtex", "latex"))  # formats that are parts of a LaTeX document below them
_MANY = 500  # files; to look at so many takes a while
_TOLD = 20  # documents; so many take a while
_NAMED = 5  # files that are passed over
LINK = "a link, which is not followed"
NO_DOCUMENT = "neither its name nor its content is that of a document"


@dataclass(frozen=True, slots=True)
class FolderLimits:
    """How much of a folder is looked at."""

    documents: int = 2_000
    deepest: int = 5  # folders inside each other that are searched
    folders: int = 2_000  # that are searched
    files: int = 20_000  # that are looked at


_USUAL = FolderLimits()


@dataclass(frozen=True, slots=True)
class PassedFile:
    """A file that was handed over with others and is not read; `why` says what it is."""

    path: str  # or its name in an archive or bucket
    why: str = NO_DOCUMENT

    def read(self, _limit: int) -> Document:
        raise NotADocumentError(self.why, place=self.path)


class EmptyFolderError(InputError, NothingFoundError):
    """A folder without a document in a known format."""


def list_folder_documents(
    folder: Path, tell: Callable[[str], None], limits: FolderLimits = _USUAL, own: Collection[Path] = ()
) -> list[Path]:
    """Return the documents of a folder and the folders in it, in order; other files are reported.

    `own` has the files that the run itself reads or writes: they are no documents.
    """
    files, known = list_folder_files(folder, tell, limits), {path.resolve() for path in own}
    mine = [path for path in files if isinstance(path, Path) and path.resolve() in known]
    documents = [path for path in files if isinstance(path, Path) and path not in mine]
    passed = [*map(str, mine)]
    passed += [file.path for file in files if isinstance(file, PassedFile) and file.why != LINK]
    if passed and documents:
        named = show_line(", ".join(passed[:_NAMED]), 300)
        more = f" and {len(passed) - _NAMED:,} more" if len(passed) > _NAMED else ""
        tell(f"{format_count(len(passed), 'file')} passed over, not read as documents: {named}{more}")
    if not documents:
        hint = "name the files themselves; docs/formats.md lists what can be read"
        message = "is a folder with no document in a known format in it"
        raise EmptyFolderError(message, place=str(folder), hint=hint)
    return documents


def list_folder_files(
    folder: Path, tell: Callable[[str], None], limits: FolderLimits = _USUAL
) -> list[Path | PassedFile]:
    """Return the documents of a folder and the folders in it, then its other files; links are not followed.

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
    if heads.deeper:
        tell(f"{shown}: folders more than {limits.deepest} levels below it are not searched")
    choice = choose_documents(heads)
    alone = [name for name in choice.mains if "/" not in name]
    names = alone or _list_all(choice)
    if len(names) > limits.documents:
        hint = "name some of them at a time, like DIR/a*.pdf"
        message = f"the folder has more than {limits.documents:,} documents"
        raise InputError(message, place=str(folder), hint=hint)
    if len(names) >= _TOLD:
        tell(f"{shown}: reading {format_count(len(names), 'document')}")
    others = [] if alone else sorted(_list_others(heads, choice, {*names}))
    return [*(folder / name for name in names), *(PassedFile(str(folder / n), why) for n, why in others)]


def _list_others(heads: _FileHeads, choice: FileChoice, names: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the files that are no documents, and why; those that a LaTeX document may use belong to it."""
    homes = {str(PurePosixPath(main).parent) for main in choice.mains}
    above = {str(parent) for home in homes for parent in (PurePosixPath(home), *PurePosixPath(home).parents)}
    for name in (*heads, *heads.passed):
        inside = {str(parent) for parent in PurePosixPath(name).parents}
        own = name in choice.documents and choice.documents[name].name in _OWN
        if name in names or inside & homes or (own and str(PurePosixPath(name).parent) in above):
            continue
        why = "a part of a LaTeX document whose main file is not here" if own else NO_DOCUMENT
        why = "the file is empty" if name in choice.passed and not heads[name] else why
        yield name, heads.passed.get(name, why)


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
        self.deeper = False  # there are folders that are not searched
        self.passed: dict[str, str] = {}  # what is not looked into, and why
        try:
            os.scandir(folder).close()
        except OSError as error:
            message, hint = f"cannot be read: {error.strerror}", "check its permissions"
            raise InputError(message, place=str(folder), hint=hint) from error
        self._names = tuple(islice(self._walk(find_ignored_paths(folder)), limits.files))

    def _walk(self, ignored: IgnoredPaths) -> Iterator[str]:
        for above, folders, files in islice(os.walk(self._folder), self._limits.folders):
            inside = PurePosixPath(Path(above).relative_to(self._folder).as_posix())
            self.links += sum(Path(above, name).is_symlink() for name in folders if not is_junk_file(name))
            wanted = [n for n in folders if not is_hidden_file(n) and str(inside / n) not in ignored.folders]
            bottom = len(inside.parts) >= self._limits.deepest
            self.deeper = self.deeper or (bottom and bool(wanted))
            folders[:] = [] if bottom else sorted(wanted)
            for name in sorted(files):
                path, plain = Path(above, name), str(inside / name)
                if is_hidden_file(plain) or plain in ignored.files:
                    continue
                self.links += path.is_symlink() and not is_junk_file(plain)
                if is_junk_file(plain):
                    self.passed[plain] = NO_DOCUMENT
                elif path.is_symlink() or not path.is_file():  # no pipe either
                    self.passed[plain] = LINK if path.is_symlink() else "not a regular file"
                else:
                    yield plain

    def __getitem__(self, name: str) -> bytes:
        try:
            with (self._folder / name).open("rb") as file:
                return file.read(_HEAD)
        except OSError:
            return b""  # reported when it is read in earnest

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
