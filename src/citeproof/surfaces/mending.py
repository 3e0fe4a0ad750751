"""The formats that are written back, each with the module that knows how."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from citeproof.correct import bibtex, csl, ris, running
from citeproof.correct.edits import Made, Wanted, left

# the span of characters that a reference has, its changes
Mender = Callable[[int, int, Sequence[Wanted]], list[Made]]

FORMATS = frozenset(("bibtex", "ris", "csl_json", "markdown", "plain_text"))


def mender(form: str, text: str, newline: str) -> Mender | None:
    """Return what turns changes of `text` into edits; None for a format that is not written back."""
    match form:
        case "bibtex":
            return _bibtex(text, newline)
        case "ris":
            return lambda start, end, wanted: ris.mend(text, start, end, wanted, newline)
        case "csl_json":
            return lambda start, end, wanted: csl.mend(text, start, end, wanted)
        case "markdown" | "plain_text":
            lead = running.habit(text)
            return lambda start, end, wanted: running.mend(text, start, end, wanted, lead=lead)
        case _:
            return None


def _bibtex(text: str, newline: str) -> Mender:
    library = bibtex.Library.read(text, newline)
    entries = {entry.start: entry for entry in library.entries}

    def mend(start: int, end: int, wanted: Sequence[Wanted]) -> list[Made]:
        entry = entries.get(start)
        if entry is None or entry.end != end:
            return [left("the entry was not found again")] * len(wanted)
        return bibtex.mend(library, entry, wanted)

    return mend
