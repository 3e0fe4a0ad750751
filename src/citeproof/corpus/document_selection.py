"""Which documents are meant: named ones, and those of folders and patterns that are not left out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from citeproof.corpus.code.git import run_git
from citeproof.corpus.code.repository import GitError
from citeproof.corpus.globs import WILD, Glob, compile_glob, compile_glob_below
from citeproof.errors import UsageError
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import show_one_line

_IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
_MOST_NAMES = 64_000_000  # bytes of names


def select_documents(
    paths: Sequence[str],
    root: Path,
    *,
    recursive: bool,
    include: Sequence[str],
    exclude: Sequence[str],
    skip: Sequence[str],
) -> list[Path]:
    """Return the documents that are meant, each once, sorted by path; all absolute.

    No `paths` means the current folder, and with `recursive` what is below it. Files that are named are
    taken whatever they are; `include`, `exclude` and `skip` are patterns relative to the root. A folder that
    cannot be listed is among them, so that the run says so.
    """
    choice = _DocumentChoice(
        _make_absolute(os.fspath(root)), *(tuple(map(compile_glob, p)) for p in (include, exclude, skip))
    )
    found: dict[str, Path] = {}  # by the real path
    links: dict[str, Path] = {}
    for path in paths or ["."]:
        for real, document, link in _expand_argument(path, choice, deep=bool(paths) or recursive):
            (links if link else found).setdefault(real, document)
    return sorted((links | found).values(), key=os.fspath)


@dataclass(frozen=True, slots=True)
class _DocumentChoice:
    root: Path
    include: tuple[Glob, ...]
    exclude: tuple[Glob, ...]
    skip: tuple[Glob, ...]

    def is_document(self, parts: Sequence[str], only: Sequence[Glob]) -> bool:
        """Return whether a file is a document by its name: Markdown, or with a pattern's suffix."""
        markdown = os.path.splitext(parts[-1])[1].lower() in _load_name_table()["documents"]  # noqa: PTH122 - 100,000 times
        asked = [some for some in (only, self.include) if some]
        if not asked:
            return markdown
        return all(any((markdown or one.ending) and one.matches(parts) for one in some) for some in asked)


def _expand_argument(path: str, choice: _DocumentChoice, *, deep: bool) -> Iterator[tuple[str, Path, bool]]:
    """Yield (real path, path, whether it is a link) for each document that one argument means."""
    at = _make_absolute(path)
    if at.is_dir():
        yield from _walk_folder(at, choice, (), deep=deep)
    elif os.path.lexists(at):
        yield os.path.realpath(at), at, False
    elif WILD.search(path):
        yield from _expand_pattern(path, choice)
    else:
        raise UsageError(
            "there is no such file or folder",
            place=show_one_line(path),
            hint="check the spelling and the current folder; pass nothing to verify the current folder",
        )


def _expand_pattern(path: str, choice: _DocumentChoice) -> Iterator[tuple[str, Path, bool]]:
    """Yield what a pattern means that the shell did not expand, seen from the current folder."""
    parts = path.split("/")
    fixed = next(at for at, part in enumerate(parts) if WILD.search(part))
    base = _make_absolute("/".join(parts[:fixed]) or ("/" if path.startswith("/") else "."))
    only = compile_glob_below(_split_relative(base, choice.root), "/".join(parts[fixed:]))
    found = list(_walk_folder(base, choice, (only,), deep=True)) if base.is_dir() else []
    if not found:
        raise UsageError(
            "no document matches this pattern",
            place=show_one_line(path),
            hint="quote it, use ** for any depth, and check `--exclude` and the files that git ignores",
        )
    yield from found


def _walk_folder(
    start: Path, choice: _DocumentChoice, only: tuple[Glob, ...], *, deep: bool
) -> Iterator[tuple[str, Path, bool]]:
    """Yield the documents of a folder; with `deep` also those below it."""
    above = _split_relative(start, choice.root)
    if above and any(one.matches(above) for one in choice.exclude):
        return
    # Somebody who names a folder that is skipped wants what is in it.
    skip = tuple(one for one in choice.skip if not (above and one.matches(above)))
    left, real, never = find_ignored_paths(start), os.path.realpath(start), _load_name_table()["never"]
    folders = [""]  # relative to `start`, with a slash at the end
    while folders:
        folder = folders.pop()
        parts = (*above, *folder.split("/")[:-1])
        barring = [(one, at) for one in (*choice.exclude, *skip) if (at := one.match_folder(parts))]
        for entry in _list_folder(start / folder, named=not folder):
            if isinstance(entry, Path):
                yield os.path.realpath(entry), entry, False
                continue
            name = folder + entry.name
            if any(one.match_name(at, entry.name) for one, at in barring):
                continue
            if entry.is_dir(follow_symlinks=False):
                if deep and entry.name not in never and name not in left.folders:
                    folders.append(f"{name}/")
            elif choice.is_document((*parts, entry.name), only) and _is_wanted(
                entry, name, left, choice.root
            ):
                link = entry.is_symlink()
                yield os.path.realpath(entry.path) if link else f"{real}/{name}", Path(entry.path), link


@dataclass(frozen=True, slots=True)
class IgnoredPaths:
    """Names relative to a folder, `/` between parts."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


def find_ignored_paths(folder: Path) -> IgnoredPaths:
    """Return what git ignores below `folder`; nothing outside a repository, or if git cannot say.

    A folder that is ignored itself was named by somebody who wants it: nothing in it is left out.
    """
    if not any((above / ".git").exists() for above in (folder, *folder.parents)):
        return IgnoredPaths()
    try:
        said = run_git(folder, _IGNORED, most=_MOST_NAMES)
    except GitError:
        return IgnoredPaths()
    names = [os.fsdecode(name) for name in said.split(b"\0") if name]
    if "./" in names:
        return IgnoredPaths()
    folders = frozenset(name[:-1] for name in names if name.endswith("/"))
    return IgnoredPaths(frozenset(name for name in names if not name.endswith("/")), folders)


def _list_folder(folder: Path, *, named: bool) -> list[os.DirEntry[str]] | list[Path]:
    """Return what is in a folder; nothing of one that a program made; itself if it cannot be listed."""
    try:
        with os.scandir(folder) as listing:
            entries = list(listing)
    except OSError:
        return [folder]
    if not named and any(entry.name in _load_name_table()["made"] for entry in entries):
        return []
    return entries


def _is_wanted(entry: os.DirEntry[str], inner: str, left: IgnoredPaths, root: Path) -> bool:
    """Return whether a document is to be read: not ignored, and no link to what is outside the root."""
    if inner in left.files:
        return False
    if not entry.is_symlink():
        return True
    real = os.path.realpath(entry.path)
    return os.path.isfile(real) and Path(real).is_relative_to(os.path.realpath(root))  # noqa: PTH113 - a string


def _make_absolute(path: str) -> Path:
    """Return a path from the top; `..` behind a link means the folder above where that leads."""
    if ".." in Path(path).parts:
        return Path(os.path.realpath(os.path.dirname(path) or "."), os.path.basename(path)).absolute()  # noqa: PTH119, PTH120
    return Path(os.path.abspath(path))  # noqa: PTH100 - `.` and doubled slashes go, links stay


def _split_relative(path: Path, root: Path) -> tuple[str, ...]:
    """Return the parts of a path below the root; outside it, all of them."""
    for given, base in ((path, root), (Path(os.path.realpath(path)), Path(os.path.realpath(root)))):
        if given.is_relative_to(base):
            return given.relative_to(base).parts
    return path.parts[1:]


@cache
def _load_name_table() -> dict[str, frozenset[str]]:
    table = load_package_table("citeproof.corpus", "select.toml")
    return {name: frozenset(words) for name, words in table.items()}
