"""The flag `--fix` of `citeproof check`: after the report, files are corrected as by `fix --write`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from citeproof.errors import UsageError
from citeproof.service.check_session import CheckSession
from citeproof.service.exit_codes import Exit
from citeproof.vocabulary import Document

if TYPE_CHECKING:
    from citeproof.service.fix_session import FixSession

LEVELS = ("safe", "unsafe")


class FixFlagCommand(click.Command):
    """A command whose `--fix` needs no value: click would take the next file as its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        last = args.index("--") if "--" in args else len(args)
        told = ["--fix=safe" if word == "--fix" else word for word in args[:last]]
        return super().parse_args(ctx, [*told, *args[last:]])


def add_fix_flag(command: Any) -> Any:  # noqa: ANN401 - any function that click decorates
    """Return `command` with the flag."""
    about = "Correct the files afterwards and keep a backup. =unsafe makes all changes (see citeproof fix)."
    return click.option("--fix", type=click.Choice(LEVELS), metavar="[=unsafe]", help=about)(command)


def begin_fix(documents: Sequence[Document], checking: CheckSession) -> FixSession:
    """Return what keeps the checked references until the report is done."""
    from citeproof.service.fix_session import FixSession  # noqa: PLC0415 - a check that fixes nothing need not load it

    if any(document.name == "<stdin>" for document in documents):
        raise UsageError("standard input cannot be changed", place="--fix", hint="name a file")
    return FixSession(documents, checking)


def write_fix(session: FixSession, level: str) -> Exit:
    """Correct the files and return the exit code."""
    from citeproof.fix.corrected_files import FixOptions  # noqa: PLC0415 - same
    from citeproof.surfaces.cli.fix import finish_fix  # noqa: PLC0415 - same

    return finish_fix(session, FixOptions(unsafe=level == "unsafe"), write=True, aside=True)
