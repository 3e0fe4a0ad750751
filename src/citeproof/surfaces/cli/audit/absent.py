"""What a command says where there is nothing to work on: an error with its mend, and the code for it."""

from __future__ import annotations

import sys

from citeproof.reporters.words import line
from citeproof.surfaces.exits import Exit


def told(what: str, mend: str, *, place: object = "") -> Exit:
    """Return the code for nothing there, after saying what is not."""
    where = f"{line(str(place))}: " if place else ""
    print(f"error: {where}{line(what)}\n  hint: {line(mend)}", file=sys.stderr)
    return Exit.NOTHING
