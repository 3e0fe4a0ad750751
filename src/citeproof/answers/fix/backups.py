"""Files exchanged whole or not at all, with the way back.

A backup is next to its file: `refs.bib.citeproof-backup-<n>-<before>-<after>`, where the last two are
the beginnings of the SHA-256 of the bytes that it holds and of those that took their place. So a backup
that was damaged is recognised, and a file that was edited since is never overwritten unasked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from citeproof.answers.fix.fixed_file import FixedFile
from citeproof.errors import UsageError
from citeproof.plumbing.output_files import check_permission, find_target, replace_file
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_one_line

MARK = ".citeproof-backup-"
_NAME = re.compile(r"(\d{1,6})-([0-9a-f]{16})-([0-9a-f]{16})")
_SHOWN = 20  # files that an error names


@dataclass(frozen=True, slots=True)
class Backup:
    """The bytes a file had before a change."""

    path: Path
    number: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that was written, and the backup of what it held."""

    name: str
    backup: Path
    linked: bool  # it had another name, which keeps the old bytes


def write_fixes(files: Sequence[FixedFile], *, undo: str, copies: bool) -> Iterator[WrittenFile]:
    """Exchange the files that change and yield each at once; each is old or new, never half.

    One that cannot be written is met before any is, where that shows; an error later on names those that
    were written. `undo`: the command that takes them back; `copies`: the command has -o.
    """
    changed = [(file, file.path) for file in files if file.path is not None and file.changed]
    for file, path in changed:
        check_exchangeable(path, file.data, copies=copies)
    for number, (file, path) in enumerate(changed):
        linked = _is_linked(path)
        try:
            backup = exchange_file(path, file.data, file.new, copies=copies)
        except UsageError as error:
            raise _make_partial_error(error, [done.name for done, _ in changed[:number]], undo) from error
        yield WrittenFile(file.name, backup, linked)


def _is_linked(path: Path) -> bool:
    """Return whether the file has another name, which will not be the same file any more."""
    try:
        return path.stat().st_nlink > 1
    except OSError:  # reported by the exchange
        return False


def _make_partial_error(error: UsageError, done: Sequence[str], undo: str) -> UsageError:
    if not done:
        return error
    shown = ", ".join(show_one_line(name) for name in done[:_SHOWN])
    more = f" and {len(done) - _SHOWN} more" if len(done) > _SHOWN else ""
    message = f"{error.message}; written already: {shown}{more}"
    hint = f"{error.hint}; `{undo}` undoes a written file"
    return UsageError(message, place=error.place, hint=hint)


def exchange_file(path: Path, old: bytes, new: bytes, *, copies: bool = True) -> Path:
    """Put `new` in the place of `old`, and return the backup; an error changes nothing.

    A file that is not `old` any more was changed meanwhile, and is left alone. `copies`: the command has -o.
    """
    target = check_exchangeable(path, old, copies=copies)
    backup = _make_backup_name(target, old, new)
    replace_file(backup, old, like=target, copies=copies)
    try:
        replace_file(target, new, like=target, copies=copies)
    except UsageError:
        backup.unlink(missing_ok=True)
        raise
    return backup


def check_exchangeable(path: Path, old: bytes, *, copies: bool = True) -> Path:
    """Return the file itself, if it is still `old` and may be changed; raise a UsageError if not."""
    target = _find_real_file(path)
    if _read_bytes(target) != old:
        raise UsageError(
            "was changed during the check; it was not written", place=str(path), hint="run it again"
        )
    check_permission(target, copies=copies)
    return target


def undo_change(path: Path, *, force: bool = False) -> Path:
    """Put back the bytes that the last change replaced, and return the backup that had them.

    `force` overwrites a file that was edited since; what it held becomes a backup itself.
    """
    target = _find_real_file(path)
    backups = list_backups(target)
    if not backups:
        raise UsageError(
            "has no backup",
            place=str(path),
            hint="name a file that `citeproof fix --write` or `citeproof corpus --fix` changed",
        )
    now = _read_bytes(target) if target.exists() else None
    check_permission(target, copies=False)
    last = backups[-1] if force or now is None else _find_fitting_backup(backups, now, path)
    held = _read_bytes(last.path)
    if _shorten_digest(held) != last.before:
        raise UsageError(
            "the backup is damaged: its content has changed",
            place=str(last.path),
            hint="inspect it, and copy what you need by hand",
        )
    if now is not None and _shorten_digest(now) != last.after and now != held:
        replace_file(_make_backup_name(target, now, held), now, like=target, copies=False)
    replace_file(target, held, like=target if target.exists() else last.path, copies=False)
    last.path.unlink(missing_ok=True)
    return last.path


def undo_changes(paths: Iterable[Path], *, force: bool) -> Iterator[tuple[Path, Path | UsageError]]:
    """Put back what the last change of each file replaced; yield the file with its backup, or why not.

    Files without a backup are passed by, and one that is refused does not keep the others back.
    """
    for path in list_changed_files(paths):
        put: Path | UsageError
        try:
            put = undo_change(path, force=force)
        except UsageError as error:
            put = error
        yield path, put


def list_backups(path: Path) -> list[Backup]:
    """Return the backups of a file, the oldest first."""
    target = _find_real_file(path)
    lead = f"{target.name}{MARK}"
    try:
        names = [
            entry.name
            for entry in target.parent.iterdir()
            if entry.name.startswith(lead) and entry.is_file() and not entry.is_symlink()
        ]
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", place=str(target.parent)) from error
    matched = [(name, _NAME.fullmatch(name, len(lead))) for name in names]
    listed = [Backup(target.parent / name, int(m[1]), m[2], m[3]) for name, m in matched if m]
    return sorted(listed, key=lambda backup: backup.number)


def list_changed_files(paths: Iterable[Path]) -> list[Path]:
    """Return those of many files that have a backup; each folder is listed once."""
    known: dict[Path, set[str]] = {}
    changed: list[Path] = []
    for path in paths:
        try:
            target = _find_real_file(path)
        except UsageError:  # a link that leads out of the project, or nowhere: never written to, so no backup
            continue
        if target.parent not in known:
            with suppress(OSError):  # a folder that is not there has none
                names = [entry.name for entry in target.parent.iterdir() if MARK in entry.name]
                known[target.parent] = {name.partition(MARK)[0] for name in names}
        if target.name in known.get(target.parent, ()) and list_backups(target):
            changed.append(path)
    return changed


def _find_fitting_backup(backups: list[Backup], now: bytes, path: Path) -> Backup:
    """Return the backup of the change that made the file what it is, or that was begun and never made."""
    if _shorten_digest(now) in (backups[-1].after, backups[-1].before):
        return backups[-1]
    raise UsageError(
        "was changed since it was fixed; nothing was written",
        place=str(path),
        hint=f"--force restores {backups[-1].path.name} and keeps the current file as a backup",
    )


def _find_real_file(path: Path) -> Path:
    """Return the file itself: a link inside the project stays, and what it leads to is exchanged."""
    return find_target(path, rewritten=True)


def _make_backup_name(target: Path, before: bytes, after: bytes) -> Path:
    last = max((backup.number for backup in list_backups(target)), default=0)
    return target.with_name(
        f"{target.name}{MARK}{last + 1}-{_shorten_digest(before)}-{_shorten_digest(after)}"
    )


def _shorten_digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"cannot be read: {error.strerror}", place=str(path), hint="check its permissions"
        ) from error
