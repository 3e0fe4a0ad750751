"""JabRef: titles of journals and their abbreviations. What it has exists; it lists nothing bad.

Its files have no names of columns: title and abbreviation, with `,` (quoted) or `;` between them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from citeproof.errors import UsageError
from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_tables import decode_text, read_rows, refuse_cut_file
from citeproof.evidence.index.lists.venue_rows import MOST_SHOWN, ListedVenue
from citeproof.text.title import clean
from citeproof.text.venue_key import make_venue_key
from citeproof.vocabulary import VenueStanding

_PROBE = 50  # rows by which the separator is recognised
_MOST = 0.9


def read_journal_abbreviations(data: bytes, place: str) -> Iterator[ListedVenue]:
    """Yield the journals of the file, each title with its abbreviation; UsageError if it has no pairs."""
    text = decode_text(data)
    at, whole = 0, True
    for at, row in read_rows(text, place, find_separator(text, place)):  # noqa: B007 - reported below
        whole = len(row) > 1
        if not whole or row[0].startswith("#"):
            continue
        title = clean(row[0])[:MOST_SHOWN]
        cut = len(row) > 2 and row[2].startswith(" ")  # at a comma, in some of the files
        names, short = make_venue_key(title), make_venue_key(",".join(row[1:3]) if cut else row[1])
        if names and not row[1].startswith("#"):  # "#IEEE_J_X#" is a macro
            known = VenueStanding.KNOWN.value
            yield ListedVenue(known, title, (names,), (short,) if short and short != names else ())
    if not whole:
        refuse_cut_file(f"{place}, row {at}")


def merge_titles(rows: list[ListedVenue]) -> list[ListedVenue]:
    """Return each journal once, with every abbreviation that the files have of it."""
    journals: dict[tuple[str, ...], ListedVenue] = {}
    for row in rows:
        other = journals.setdefault(row.names, row)
        if not set(row.short) <= set(other.short):
            short = tuple(dict.fromkeys((*other.short, *row.short)))
            journals[row.names] = msgspec.structs.replace(other, short=short)
    return list(journals.values())


def find_separator(text: str, place: str) -> str:
    """Return what separates the columns of a file."""
    start = text[:20_000].rpartition("\n")[0] or text
    for separator in ";,":
        probe = [row for _, (_, row) in zip(range(_PROBE), read_rows(start, place, separator), strict=False)]
        if probe and sum(len(row) > 1 for row in probe) >= _MOST * len(probe):
            return separator
    raise UsageError(
        "is not a list of journal abbreviations: its rows are not `title;abbreviation`",
        place=place,
        hint="name a file journal_abbreviations_*.csv of JabRef",
    )


LISTS = (
    ListHome(
        name="journal_abbreviations",
        title="JabRef journal abbreviations",
        url="https://codeload.github.com/JabRef/abbrv.jabref.org/zip/refs/heads/main",
        licence="CC0 1.0",
        form=ListForm.VENUES,
        read=read_journal_abbreviations,
        recognises=lambda name, _start: "journal_abbreviations" in name.lower(),
        merge=merge_titles,
        abbreviates=True,
        about="titles of journals and their abbreviations",
    ),
)
