"""The inputs of a command: INPUT… and --clipboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click

from citeproof.service.input_kinds import CLIPBOARD


def add_inputs(function: Callable[..., int]) -> Callable[..., int]:
    """Give a command INPUT… and --clipboard; it gets all of them as `files`."""

    @click.argument("files", nargs=-1, metavar="INPUT…", type=click.Path())
    @click.option(
        "--clipboard", is_flag=True, help="Read the text on the clipboard, such as a chat's answer."
    )
    @wraps(function)
    def with_inputs(files: Sequence[str], *, clipboard: bool, **flags: Any) -> int:  # noqa: ANN401 - the command's
        if not files and not clipboard:
            raise click.UsageError("Missing argument 'INPUT…'.", click.get_current_context())
        return function((*files, CLIPBOARD) if clipboard else files, **flags)

    return with_inputs
