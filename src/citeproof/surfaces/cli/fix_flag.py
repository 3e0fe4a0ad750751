"""The flag `--fix` of `citeproof check`: after the report, files are corrected as by `fix --write`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from citeproof.errors import UsageError
from citeproof.surfaces.check_session import CheckSession
from citeproof.surfaces.exit_codes import Exit, RunOutcome
from citeproof.vocabulary import Checked, Document

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


class DeferredFix:
    """Lets checked references pass by and keeps them until the report is done."""

    def __init__(self, documents: Sequence[Document], checking: CheckSession) -> None:
        from citeproof.fix import corrected_files  # noqa: PLC0415 - a check that fixes nothing need not load it

        if any(document.name == "<stdin>" for document in documents):
            raise UsageError("standard input cannot be changed", place="--fix", hint="name a file")
        corrected_files.refuse_unwritable(documents, checking.extractions)
        self._documents, self._checking = documents, checking
        self._kept: list[Checked] = []

    def watch(self, checked: Iterable[Checked]) -> Iterator[Checked]:
        """Yield what comes, unchanged, and keep it."""
        for one in checked:
            self._kept.append(one)
            yield one

    def fix(self, outcome: RunOutcome, level: str) -> Exit:
        """Correct the files and return the exit code."""
        from citeproof.fix.corrected_files import FixOptions  # noqa: PLC0415 - same
        from citeproof.surfaces.cli.fix import finish_fix  # noqa: PLC0415 - same

        wanted = FixOptions(unsafe=level == "unsafe")
        return finish_fix(
            self._documents, self._checking, self._kept, wanted, outcome, write=True, output=None, aside=True
        )
