"""Commands of this folder: errors in words and the exit codes of `citeproof`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from citeproof.errors import CiteproofError, Exit


def run_command(command: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Return the exit code of a command; an error is printed with its place and its hint."""
    try:
        code = command.main(arguments, standalone_mode=False)
    except CiteproofError as error:
        print("error:", ": ".join(filter(None, (error.place, error.message))), file=sys.stderr)
        print(f"  hint: {error.hint}", file=sys.stderr)
        return Exit.USAGE
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    return code if isinstance(code, int) else Exit.CLEAN
