"""The formats that are written back, each with the module that knows how."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from citeproof.fix import bibtex, csl, ris, running_text
from citeproof.fix.text_edits import ChangeResult, WantedChange, leave_change

# the span of characters that a reference has, its changes
Mender = Callable[[int, int, Sequence[WantedChange]], list[ChangeResult]]

FORMATS = frozenset(("bibtex", "ris", "csl_json", "markdown", "plain_text"))


def make_mender(form: str, text: str, newline: str) -> Mender | None:
    """Return what turns changes of `text` into edits; None for a format that is not written back."""
    match form:
        case "bibtex":
            return _make_bibtex_mender(text, newline)
        case "ris":
            return lambda start, end, wanted: ris.edit_record(text, start, end, wanted, newline)
        case "csl_json":
            return lambda start, end, wanted: csl.edit_item(text, start, end, wanted)
        case "markdown" | "plain_text":
            lead = running_text.find_doi_lead(text)
            return lambda start, end, wanted: running_text.edit_running_text(
                text, start, end, wanted, lead=lead
            )
        case _:
            return None


def _make_bibtex_mender(text: str, newline: str) -> Mender:
    library = bibtex.BibtexFile.read(text, newline)
    entries = {entry.start: entry for entry in library.entries}

    def mend(start: int, end: int, wanted: Sequence[WantedChange]) -> list[ChangeResult]:
        entry = entries.get(start)
        if entry is None or entry.end != end:
            return [leave_change("the entry was not found again")] * len(wanted)
        return bibtex.edit_entry(library, entry, wanted)

    return mend
