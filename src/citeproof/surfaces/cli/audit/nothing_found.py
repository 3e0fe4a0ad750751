"""The error, hint and exit code of a command that finds nothing to work on."""

from __future__ import annotations

import sys

from citeproof.reporters.wording import show_line
from citeproof.surfaces.exit_codes import Exit


def print_nothing_found(what: str, hint: str, *, place: object = "") -> Exit:
    """Return the code for nothing there, after saying what is not."""
    where = f"{show_line(str(place))}: " if place else ""
    print(f"error: {where}{show_line(what)}\n  hint: {show_line(hint)}", file=sys.stderr)
    return Exit.NOTHING
