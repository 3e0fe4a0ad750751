"""Where a report goes: standard output as it comes, or a file that appears only when complete."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from citeproof.errors import UsageError
from citeproof.output_files import replace_output
from citeproof.reporters import base
from citeproof.reporters.base import Reporter

Write = Callable[[str], None]


@contextmanager
def open_destination(path: Path | None, *, text: bool) -> Iterator[Write]:
    """Yield the function that writes one chunk; `text` follows the terminal's encoding, the rest UTF-8."""
    if path is None:
        encoding = (sys.stdout.encoding or "utf-8") if text else "utf-8"
        yield _make_writer(sys.stdout.buffer, encoding, flush=True)
    elif path.is_dir():
        raise UsageError(
            "cannot write: it is a folder", place=str(path), hint="name a file, like DIR/report.md"
        )
    elif path.exists() and not path.is_file():  # a device or a pipe: it cannot be replaced
        with replace_output(path) as file:
            yield _make_writer(file, "utf-8", flush=True)
    else:
        with replace_output(path) as file:
            yield _make_writer(file, "utf-8", flush=False)


def choose_reporter(form: str, output: Path | None) -> Reporter:
    """Return the reporter of a format; the one for terminals knows the width and colours of ours."""
    if form != "text" or output is not None or not sys.stdout.isatty():
        return base.get_reporter(form)
    from rich.console import Console  # noqa: PLC0415 - only a terminal pays for it

    from citeproof.reporters.terminal import Terminal  # noqa: PLC0415 - same

    console = Console()
    return Terminal(console.color_system is not None and not console.no_color, min(console.width, 120))


def _make_writer(file: BinaryIO, encoding: str, *, flush: bool) -> Write:
    def write(chunk: str) -> None:
        # A character that the terminal does not have is spelled out instead of ending the run.
        file.write(chunk.encode(encoding, "backslashreplace"))
        if flush:
            file.flush()

    return write
