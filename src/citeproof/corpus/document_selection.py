"""Which documents are meant (named ones, those of folders and patterns), and which folder is their root.

Patterns are as in ignore files: `*` within a part, `**` over parts, one without `/` at any depth. One that
matches a folder matches all that is below it. The cost is bounded by the length of the path times that of the
pattern.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath

from citeproof.corpus.code.git import GitError, run_git
from citeproof.errors import UsageError
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import show_one_line

MARKS = (".aiwg", ".git", "citeproof.toml")
_WILD = "*?["

WILD = re.compile(r"[*?\[]")

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
    documents: dict[str, Path] = {}  # by the real path
    links: dict[str, Path] = {}
    for path in paths or ["."]:
        for real, document, link in _expand_argument(path, choice, deep=bool(paths) or recursive):
            (links if link else documents).setdefault(real, document)
    return sorted((links | documents).values(), key=os.fspath)


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
        return all(any((markdown or glob.ending) and glob.matches(parts) for glob in some) for some in asked)


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
        hint = "check the spelling and the current folder; pass nothing to verify the current folder"
        raise UsageError("there is no such file or folder", place=show_one_line(path), hint=hint)


def _expand_pattern(path: str, choice: _DocumentChoice) -> Iterator[tuple[str, Path, bool]]:
    """Yield what a pattern means that the shell did not expand, seen from the current folder."""
    parts = path.split("/")
    fixed = next(at for at, part in enumerate(parts) if WILD.search(part))
    base = _make_absolute("/".join(parts[:fixed]) or ("/" if path.startswith("/") else "."))
    only = compile_glob_below(_split_relative(base, choice.root), "/".join(parts[fixed:]))
    documents = list(_walk_folder(base, choice, (only,), deep=True)) if base.is_dir() else []
    if not documents:
        hint = "quote it, use ** for any depth, and check `--exclude` and the files that git ignores"
        raise UsageError("no document matches this pattern", place=show_one_line(path), hint=hint)
    yield from documents


def _walk_folder(
    start: Path, choice: _DocumentChoice, only: tuple[Glob, ...], *, deep: bool
) -> Iterator[tuple[str, Path, bool]]:
    """Yield the documents of a folder; with `deep` also those below it."""
    above = _split_relative(start, choice.root)
    if above and any(glob.matches(above) for glob in choice.exclude):
        return
    # Somebody who names a folder that is skipped wants what is in it.
    skip = tuple(glob for glob in choice.skip if not (above and glob.matches(above)))
    left, real, never = find_ignored_paths(start), os.path.realpath(start), _load_name_table()["never"]
    folders = [""]  # relative to `start`, with a slash at the end
    while folders:
        folder = folders.pop()
        parts = (*above, *folder.split("/")[:-1])
        barring = [(glob, at) for glob in (*choice.exclude, *skip) if (at := glob.match_folder(parts))]
        for entry in _list_folder(start / folder, named=not folder):
            if isinstance(entry, Path):
                yield os.path.realpath(entry), entry, False
                continue
            name = folder + entry.name
            if any(glob.match_name(at, entry.name) for glob, at in barring):
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


@dataclass(frozen=True, slots=True)
class Glob:
    """One pattern: `None` is `**`, a string represents itself."""

    parts: tuple[str | re.Pattern[str] | None, ...]
    ending: str  # the suffix that it asks for, if it does

    def matches(self, path: Sequence[str]) -> bool:
        """Return whether a path, given by its parts, or a folder above it matches."""
        return any(
            self.match_name(self.match_folder(path[:length]), path[length]) for length in range(len(path))
        )

    def match_folder(self, folder: Sequence[str]) -> frozenset[int]:
        """Return the places of the pattern that a folder leads to; none: nothing in it can match."""
        at = _skip_wildcards({0}, self.parts)
        for part in folder:
            at = _skip_wildcards({step for now in at for step in self._steps(now, part)}, self.parts)
        return frozenset(at)

    def match_name(self, at: frozenset[int], name: str) -> bool:
        """Return whether a name completes the pattern from the places that its folder led to."""
        end = len(self.parts)
        return any(
            end in _skip_wildcards({step}, self.parts) for now in at for step in self._steps(now, name)
        )

    def _steps(self, now: int, part: str) -> tuple[int, ...]:
        """Return where one part of a path leads from a place in the pattern."""
        if now == len(self.parts):
            return ()
        wanted = self.parts[now]
        if wanted is None:
            return (now,)
        if isinstance(wanted, str):
            return (now + 1,) if wanted == part else ()
        return (now + 1,) if wanted.match(part) else ()


@lru_cache(maxsize=256)
def compile_glob(pattern: str) -> Glob:
    """Return a pattern ready to match; an empty one matches nothing."""
    pattern = pattern.strip().rstrip("/")
    if not pattern.strip("./"):
        return Glob(("",), "")
    return compile_glob_below((), pattern if "/" in pattern else f"**/{pattern}")


def compile_glob_below(folder: Sequence[str], pattern: str) -> Glob:
    """Return a pattern below a folder, whose own name is meant as it is."""
    parts = [part for part in pattern.split("/") if part not in {"", "."}]
    deep = parts[-1:] == ["**"] and len(parts) > 1
    if deep:
        parts.pop()  # `a/**` matches what is below `a`: so does `a`, without examining it
    ending = "" if deep else PurePosixPath(parts[-1]).suffix
    compiled = (re.compile(translate(part)) if WILD.search(part) else part for part in parts)
    wanted = (None if part == "**" else matcher for part, matcher in zip(parts, compiled, strict=True))
    return Glob((*folder, *wanted), "" if WILD.search(ending) else ending)


def _skip_wildcards(at: set[int], parts: Sequence[object]) -> set[int]:
    """Return places in a pattern and those behind the `**` that may represent nothing."""
    for now in sorted(at):
        step = now
        while step < len(parts) and parts[step] is None:
            step += 1
            at.add(step)
    return at


def find_root(paths: Sequence[str], given: Path | None = None) -> Path:
    """Return the root: the one given, or the nearest folder at or above the paths that looks like a project.

    Without any such folder it is the working folder, or that of the path if it lies elsewhere.
    """
    if given is not None:
        if not given.is_dir():
            hint = "name the folder that cited paths start from"
            raise UsageError("is not a folder", place=f"--root {given}", hint=hint)
        return given.resolve()
    roots = dict.fromkeys(_find_root_of_folder(_find_start_folder(path)) for path in paths or ["."])
    if len(roots) > 1:
        named = " and ".join(str(root) for root in list(roots)[:3])
        hint = "check one project at a time, or say which folder is the root with --root"
        raise UsageError(f"the documents belong to different projects: {named}", place="corpus", hint=hint)
    return next(iter(roots))


def _find_start_folder(path: str) -> Path:
    """Return the folder that a path is in; of a pattern, the part before its first wildcard."""
    plain = Path(path)
    if not plain.exists() and any(sign in path for sign in _WILD):
        parts = plain.parts
        wild = next(at for at, part in enumerate(parts) if any(sign in part for sign in _WILD))
        plain = Path(*parts[:wild]) if wild else Path()
    whole = plain.absolute()
    return whole if whole.is_dir() else whole.parent


def _find_root_of_folder(start: Path) -> Path:
    """Return the root for a folder: a link in a project does not lead to another."""
    real = start.resolve()
    known = (None if ".." in start.parts else _find_marked_folder(start)) or _find_marked_folder(real)
    here = Path.cwd().resolve()
    return known.resolve() if known else here if real.is_relative_to(here) else real


def _find_marked_folder(start: Path) -> Path | None:
    for folder in (start, *start.parents):
        if folder == Path.home() != start:  # it holds everything of a user, and is not the project meant
            break
        if any((folder / mark).exists() for mark in MARKS):
            return folder
    return None
