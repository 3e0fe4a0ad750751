"""Where a report goes: standard output as it comes, or a file that appears only when complete."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TextIO

from citeproof.answers.reporters import base
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.report_model import Selection
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError
from citeproof.plumbing.output_files import explain_write_error, replace_output
from citeproof.text.unicode import show_controls

if TYPE_CHECKING:
    from citeproof.answers.reporters.terminal.screen_text import ScreenText


Write = Callable[[str], None]
NARROWEST = 18  # characters of the last column, however narrow the screen is
GAP = "  "


class ReportTarget(NamedTuple):
    """One report that a run writes: its format, and its file, None for standard output."""

    form: str
    path: Path | None = None


def parse_targets(outputs: Sequence[str], form: str | None) -> list[ReportTarget]:
    """Return the reports to write, the one of --format first: `OUT` is its file, `FORMAT=OUT` one more.

    Without a format, `OUT` has the format of its suffix, else text: of several, one only.
    """
    own: Path | None = None
    more: list[ReportTarget] = []
    for output in outputs:
        word, equals, path = output.partition("=")
        if not equals or not word.isalpha():
            if own is not None:
                if (guessed := base.guess_format(Path(output).suffix.lower().removeprefix("."))) != "text":
                    more.append(ReportTarget(guessed, Path(output)))
                    continue
                hint = "name the format of the others, like --output sarif=out.sarif"
                raise UsageError("only one file without a format", place="--output", hint=hint)
            own = Path(output)
            if not equals and (word in base.list_formats() or own.suffix.lower() in (".pdf", ".docx")):
                hint = f"write FORMAT=FILE, such as html=report.html; text={output} is a file with this name"
                raise UsageError(f"no file name of a report: {output!r}", place="--output", hint=hint)
        elif word not in base.list_formats() or not path:
            hint = f"write FORMAT=FILE with one of {', '.join(base.list_formats())}; ./{output} is a file"
            raise UsageError(f"no such format or no file: {output!r}", place="--output", hint=hint)
        else:
            more.append(ReportTarget(word, Path(path)))
    form = form or base.guess_format(own.suffix.lower().removeprefix(".") if own else "")
    targets = [ReportTarget(form, own), *more]
    files = [target.path for target in targets if target.path]
    if len(set(files)) < len(files):
        raise UsageError("two reports for one file", place="--output", hint="give each a file of its own")
    return targets


@contextmanager
def open_targets(targets: Sequence[ReportTarget]) -> Iterator[list[Write]]:
    """Yield what writes each report; a file that cannot be written is reported before the work begins."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(open_destination(target.path, text=target.form == "text"))
            for target in targets
        ]


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
            write = _make_writer(file, "utf-8", flush=False)

            def write_new(chunk: str) -> None:
                with explain_write_error(path):
                    write(chunk)

            yield write_new


def protect_terminal(text: str) -> str:
    """Return a text of others for standard output: a terminal would obey what a file or a pipe only holds."""
    if not sys.stdout.isatty():
        return text
    return re.sub(r"[^\n\t]+", lambda line: show_controls(line[0]), text)


def name_beside(folder: Path, output: Path | None) -> str:
    """Return the path of a folder as a report refers to it: from the folder of the report's file."""
    if output is None or (output.exists() and not output.is_file()):
        return folder.as_posix()
    try:
        return Path(os.path.relpath(folder.resolve(), output.parent.resolve())).as_posix()
    except ValueError:  # on another drive
        return folder.resolve().as_posix()


def choose_reporter(
    form: str, output: Path | None, shown: Selection = Selection.BRIEF, *, verbose: bool = False
) -> Reporter:
    """Return the reporter of a format; the one for terminals knows the width and colours of ours.

    UsageError where `shown` is not the default, and the format is one that shows everything.
    """
    if form != "text":
        if shown is not Selection.BRIEF:
            hint = f"leave it out, or use --format text instead of {form}"
            raise UsageError("needs --format text", place="--only, --quiet, --summary, --verbose", hint=hint)
        return base.get_reporter(form)
    from citeproof.answers.reporters.terminal import Terminal  # noqa: PLC0415 - only text pays for it

    screen = choose_screen(output)
    return Terminal(screen.colour, screen.width, shown, verbose)


def choose_screen(output: Path | TextIO | None) -> ScreenText:
    """Return the width and colours of our terminal or a stream; of a file or a pipe, the usual width."""
    from citeproof.answers.reporters.terminal.screen_text import ScreenText  # noqa: PLC0415 - same

    stream = output or sys.stdout
    if isinstance(stream, Path) or not stream.isatty():
        return ScreenText()
    from rich.console import Console  # noqa: PLC0415 - same

    console = Console(file=stream)
    colour = console.color_system is not None and not console.no_color
    return ScreenText(colour, min(console.width, 120))


def _make_writer(file: BinaryIO, encoding: str, *, flush: bool) -> Write:
    def write(chunk: str) -> None:
        # A character that the terminal does not have is spelled out instead of ending the run.
        file.write(chunk.encode(encoding, "backslashreplace"))
        if flush:
            file.flush()

    return write


def format_text_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int]
) -> Iterator[str]:
    """Yield the lines of a table; `widths` bounds every column but the last."""
    every = [[show_line(cell) for cell in row] for row in (head, *rows)]
    fitting = [min(most, max(len(row[at]) for row in every)) for at, most in enumerate(widths)]
    last = shutil.get_terminal_size((100, 40)).columns - sum(fitting) - len(GAP) * len(fitting)
    columns = [*fitting, max(NARROWEST, last)]
    for row in every:
        cells = [
            textwrap.wrap(cell, width, break_on_hyphens=False)
            for cell, width in zip(row, columns, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            yield GAP.join(f"{part:<{width}}" for part, width in zip(parts, columns, strict=True)).rstrip()
