"""Where a report goes: standard output as it comes, or a file that appears only when complete."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from citeproof.errors import UsageError

Write = Callable[[str], None]
PERMISSIONS = 0o666  # less the user's mask, as any new file


@contextmanager
def destination(path: Path | None, *, text: bool) -> Iterator[Write]:
    """Yield the function that writes one chunk; `text` follows the terminal's encoding, the rest UTF-8."""
    if path is None:
        encoding = (sys.stdout.encoding or "utf-8") if text else "utf-8"
        yield _to(sys.stdout.buffer, encoding, flush=True)
    elif path.is_dir():
        raise UsageError(
            "cannot write: it is a folder", place=str(path), mend="name a file, like DIR/report.md"
        )
    elif path.exists() and not path.is_file():  # a device or a pipe: it cannot be replaced
        with _opened(path, os.O_WRONLY, place=path) as file:
            yield _to(file, "utf-8", flush=True)
    else:
        with _replacing(path) as file:
            yield _to(file, "utf-8", flush=False)


def screen() -> tuple[bool, int]:
    """Return whether the terminal shows colours, and how wide a report may be on it."""
    from rich.console import Console  # noqa: PLC0415 - only a terminal pays for it

    console = Console()
    return console.color_system is not None and not console.no_color, min(console.width, 120)


def _to(file: BinaryIO, encoding: str, *, flush: bool) -> Write:
    def write(chunk: str) -> None:
        # A character that the terminal does not have is spelled out instead of ending the run.
        file.write(chunk.encode(encoding, "backslashreplace"))
        if flush:
            file.flush()

    return write


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file beside `path` that takes its place at the end; an error leaves no trace."""
    target = path.resolve()
    beside = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        with _opened(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, place=target.parent) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _opened(path: Path, flags: int, *, place: Path) -> BinaryIO:
    try:
        return os.fdopen(os.open(path, flags, PERMISSIONS), "wb")
    except OSError as error:
        mend = "check that the folder exists and can be written to"
        raise UsageError(f"cannot write: {error.strerror}", place=str(place), mend=mend) from error
