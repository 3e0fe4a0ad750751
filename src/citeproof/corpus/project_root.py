"""Files below one root and nothing else, by the paths that documents write.

A path is walked name by name. Where it would leave the root, by its own words or by a link on the way,
the walk ends before anything out there is examined: nothing shows whether it exists.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

from citeproof.errors import UsageError
from citeproof.plumbing.disk_files import PLAIN
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import CitationReason

_PIECE = 1 << 20
_LINKS = 40  # as many as Linux follows
_NAMES = 1_000_000  # names that one listing examines
_PATH, _NAME = 4095, 255  # bytes that Linux allows
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ODD = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DRIVE = re.compile(r"[A-Za-z]:")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://|file:", re.IGNORECASE)
_OUT = "leads out of the root"


@dataclass(frozen=True, slots=True)
class Artefact:
    """What is at a path: a file with its hash, a folder, or the reason why there is nothing."""

    path: str  # as asked
    there: bool
    reason: str = ""  # "outside_root", "not_found", "unreadable"
    detail: str = ""  # what a sentence says of the path
    sha256: str = ""  # of the raw bytes
    size: int = 0
    lines: int = 0  # the last one counts without its newline as well
    folder: bool = False

    def digest(self) -> str:
        """Return what a result that rests on it depends on."""
        return self.sha256[:32] or (f"{self.reason}: {self.detail}" if self.reason else "folder")


class _RefusedPathError(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True)
class _RealPath:
    """Where a path leads to: the names below the root, without links, and what is there."""

    below: tuple[str, ...]
    stat: os.stat_result

    @property
    def folder(self) -> bool:
        return stat.S_ISDIR(self.stat.st_mode)


class ProjectRoot:
    """The files of one folder. What it answered once it does not look at again."""

    def __init__(self, folder: Path, max_bytes: int = 64_000_000) -> None:
        try:
            self.folder = folder.resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle, before 3.13
            raise _make_root_error(folder) from error
        if not self.folder.is_dir():
            raise _make_root_error(folder)
        self._given = os.path.abspath(folder)  # noqa: PTH100 - resolve() would follow links
        self._parts = self.folder.parts[1:]
        self._max = max_bytes
        self._folds = _is_same_folder(self.folder, Path(str(self.folder).swapcase()))
        self._artefacts: dict[str, Artefact] = {}
        self._folders: dict[str, tuple[str, ...]] = {}  # parent as written -> real names below the root

    def artefact(self, path: str) -> Artefact:
        """Return what is at a project path."""
        known = self._artefacts.get(path)
        if known is None:
            try:
                known = self._artefact(path)
            except _RefusedPathError as refused:
                known = Artefact(path, there=False, reason=refused.reason, detail=refused.detail)
            self._artefacts[path] = known
        return known

    def data(self, path: str) -> bytes | None:
        """Return the bytes of a regular file inside the root, None where there is none."""
        try:
            real = self._find(path)
            if real.folder:
                return None
            return b"".join(self._read(real.below))
        except _RefusedPathError:
            return None

    def resolve_path(self, path: str) -> str | None:
        """Return the project path that a path leads to through links, None if it leads to nothing."""
        try:
            return "/".join(self._find(path).below)
        except _RefusedPathError:
            return None

    def relative(self, path: Path) -> str | None:
        """Return the project path of a path of the file system, None if that is not inside the root."""
        try:
            return path.resolve().relative_to(self.folder).as_posix()
        except (OSError, RuntimeError, ValueError):
            return None

    def listing(self, path: str, suffixes: Sequence[str], most: int = 100_000) -> tuple[str, ...]:
        """Return the project paths of the files below a folder, sorted; hidden ones are left out.

        Links are followed where they stay inside the root; a folder that is reached twice is listed once.
        """
        endings = tuple(suffix.lower() for suffix in suffixes) or ("",)
        files: list[str] = []
        for name in self._walk_below(path):
            if name.lower().endswith(endings):
                files.append(name)
                if len(files) >= most:
                    break
        return tuple(sorted(files))

    def _walk_below(self, path: str) -> Iterator[str]:
        try:
            start = self._find(path)
        except _RefusedPathError:
            return
        asked = "/".join(part for part in path.split("/") if part not in {"", "."})
        todo: deque[tuple[str, tuple[str, ...]]] = deque([(asked, start.below)] if start.folder else ())
        seen, left = set[tuple[str, ...]](), _NAMES
        while todo and left > 0:
            shown, below = todo.popleft()
            if below in seen:
                continue
            seen.add(below)
            for entry in _scan_folder(self.folder.joinpath(*below)):
                left -= 1
                name = f"{shown}/{entry.name}" if shown else entry.name
                real = self._entry(name, below, entry)
                if real is None:
                    continue
                if real[1]:  # a folder; real ones come before those that links lead to
                    ends = todo.append if entry.is_symlink() else todo.appendleft
                    if start.below[: len(real[0])] != real[0]:  # not a link to a folder that this one is in
                        ends((name, real[0]))
                else:
                    yield name

    def _entry(
        self, name: str, below: tuple[str, ...], entry: os.DirEntry[str]
    ) -> tuple[tuple[str, ...], bool] | None:
        """Return where an entry of a folder is and whether it is a folder; None if it is not to be seen."""
        if entry.name.startswith(".") or _explain_refusal(name):
            return None
        try:
            if entry.is_symlink():
                real = self._find(name)
                return real.below, real.folder
            if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False):
                return (*below, entry.name), entry.is_dir(follow_symlinks=False)
        except (_RefusedPathError, OSError):
            return None
        return None

    def _artefact(self, path: str) -> Artefact:
        real = self._find(path)
        if real.folder:
            return Artefact(path, there=True, folder=True)
        digest, size, lines, last = sha256(), 0, 0, b"\n"
        for piece in self._read(real.below):
            digest.update(piece)
            size, lines, last = size + len(piece), lines + piece.count(b"\n"), piece[-1:]
        lines += last != b"\n"
        return Artefact(path, there=True, sha256=digest.hexdigest(), size=size, lines=lines)

    def _find(self, path: str) -> _RealPath:
        """Return where a path leads to: a folder, or a regular file of bearable size."""
        if why := _explain_refusal(path):
            raise _RefusedPathError(CitationReason.OUTSIDE_ROOT, why)
        names = [name for name in path.split("/") if name not in {"", "."}]
        parent = "/".join(names[:-1])
        try:
            if parent not in self._folders:
                self._folders[parent] = self._walk(names[:-1], ()).below
            real = self._walk(names[-1:], self._folders[parent])
        except OSError as error:
            raise _convert_error(error) from error
        if real.folder:
            return real
        self._check_file(real.stat)
        if path.endswith(("/", "/.")):
            raise _RefusedPathError(CitationReason.NOT_FOUND, "is not a folder")
        return real

    def _walk(self, names: Sequence[str], start: tuple[str, ...]) -> _RealPath:
        """Return where names lead to from a real folder below the root."""
        here, todo, links = [*self._parts, *start], deque(names), 0
        last: os.stat_result | None = None  # of `here`, where it was examined
        while todo:
            name = todo.popleft()
            if name == "..":  # of a link; those of documents were refused
                del here[-1:]
                last = None
                continue
            if len(here) < len(self._parts):  # a link went up: only the way back to the root is open
                if name != self._parts[len(here)]:
                    raise _RefusedPathError(CitationReason.OUTSIDE_ROOT, _OUT)
                here.append(name)
                continue
            place = "/" + "/".join([*here, name])
            state = os.lstat(place)
            if self._folds and not _is_spelled_exactly(place):
                raise _RefusedPathError(CitationReason.NOT_FOUND, "does not exist")
            if stat.S_ISLNK(state.st_mode):
                links, last = links + 1, None
                if links > _LINKS:
                    raise _RefusedPathError(CitationReason.UNREADABLE, "is reached by a loop of links")
                target = self._target(place)
                here = [] if target.startswith("/") else here
                todo.extendleft(reversed([part for part in target.split("/") if part not in {"", "."}]))
                continue
            if todo and not stat.S_ISDIR(state.st_mode):
                raise _RefusedPathError(CitationReason.NOT_FOUND, "does not exist")
            here.append(name)
            last = state
        if len(here) < len(self._parts):
            raise _RefusedPathError(CitationReason.OUTSIDE_ROOT, _OUT)
        return _RealPath(tuple(here[len(self._parts) :]), last or os.lstat("/" + "/".join(here)))

    def _target(self, link: str) -> str:
        """Return where a link points to; the root may be written there as it was given to us."""
        target = os.readlink(link)  # noqa: PTH115 - strings all along
        inside = target == self._given or target.startswith(self._given.rstrip("/") + "/")
        return str(self.folder) + target[len(self._given) :] if inside else target

    def _read(self, below: Sequence[str]) -> Iterator[bytes]:
        """Yield a file piece by piece; it is opened name by name, without links.

        Who puts a link where a folder stood a moment ago gains nothing.
        """
        try:
            handle = self._open(below)
            try:
                self._check_file(os.fstat(handle))
                left = self._max
                while piece := os.read(handle, _PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise _RefusedPathError(CitationReason.OUTSIDE_ROOT, self._large())
                    yield piece
            finally:
                os.close(handle)
        except OSError as error:
            raise _convert_error(error) from error

    def _open(self, below: Sequence[str]) -> int:
        at = os.open(self.folder, _FOLDER)
        try:
            for name in below[:-1]:
                inner = os.open(name, _FOLDER, dir_fd=at)
                os.close(at)
                at = inner
            return os.open(below[-1], PLAIN, dir_fd=at)
        finally:
            os.close(at)

    def _check_file(self, state: os.stat_result) -> None:
        if not stat.S_ISREG(state.st_mode):
            raise _RefusedPathError(CitationReason.OUTSIDE_ROOT, "is not a regular file")
        if state.st_size > self._max:
            raise _RefusedPathError(CitationReason.OUTSIDE_ROOT, self._large())

    def _large(self) -> str:
        return f"is larger than {self._max / 1e6:g} MB"


def _explain_refusal(path: str) -> str:
    """Return why a path must not be followed, by its words alone; empty if they are fine."""
    if _ODD.search(path):
        return "contains a control character or half a character"
    if _ADDRESS.match(path):
        return "is a URL, not a path"
    if _DRIVE.match(path):
        return "begins with a drive letter"
    if path.startswith(("/", "~", "\\")):
        return "is not relative to the root"
    if "\\" in path:
        return "contains a backslash; use / in paths"
    names = path.split("/")
    if ".." in names:
        return _OUT
    if len(path.encode()) > _PATH or any(len(name.encode()) > _NAME for name in names):
        return "is too long for a path"
    return "" if path else "is empty"


def _convert_error(error: OSError) -> _RefusedPathError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return _RefusedPathError(CitationReason.NOT_FOUND, "does not exist")
    return _RefusedPathError(
        CitationReason.UNREADABLE, f"cannot be read: {(error.strerror or 'unknown error').lower()}"
    )


def _scan_folder(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as listing:
            return sorted(islice(listing, _NAMES), key=lambda entry: entry.name)
    except OSError:
        return []


def _is_spelled_exactly(place: str) -> bool:
    """Return whether a name is in its folder letter by letter, where the system does not care."""
    folder, _, name = place.rpartition("/")
    wanted = unicodedata.normalize("NFC", name)
    return any(unicodedata.normalize("NFC", other) == wanted for other in os.listdir(folder or "/"))  # noqa: PTH208 - names only


def _is_same_folder(folder: Path, other: Path) -> bool:
    """Return whether two spellings name one folder: then the system does not tell case."""
    try:
        return folder != other and folder.samefile(other)
    except OSError:
        return False


def _make_root_error(folder: Path) -> UsageError:
    return UsageError("no such folder", place=str(folder), hint="name the folder of the project")
