"""DOAJ: the journals of the Directory of Open Access Journals. Being in it is a weak sign of good practice.

Not being in it says nothing about a journal.
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_tables import read_day, read_table
from citeproof.evidence.index.lists.venue_rows import MOST_SHOWN, ListedVenue
from citeproof.text.ids import normalise_id
from citeproof.text.title import clean
from citeproof.text.venue_key import make_venue_key
from citeproof.vocabulary import VenueStanding

PRINTED, ONLINE = "journalissn(printversion)", "journaleissn(onlineversion)"
NEEDED = frozenset({"journaltitle", PRINTED, ONLINE})


def read_doaj(data: bytes, place: str) -> Iterator[ListedVenue]:
    """Yield the journals of the file, by ISSN and title."""
    for row in read_table(data, place, "DOAJ journal", NEEDED):
        title = clean(row["journaltitle"])[:MOST_SHOWN]
        issns = [number for column in (PRINTED, ONLINE) if (number := normalise_id("issn", row[column]))]
        names = [make_venue_key(name) for name in (title, row.get("alternativetitle", ""))]
        if title:
            yield ListedVenue(
                VenueStanding.INDEXED.value,
                title,
                names=tuple(dict.fromkeys(name for name in names if name)),
                issns=tuple(dict.fromkeys(issns)),
                day=read_day(row.get("lastupdateddate", "") or row.get("addedondate", "")),
            )


LIST = ListHome(
    name="doaj",
    title="DOAJ journals",
    url="https://doaj.org/csv",
    licence="CC BY-SA 4.0 (DOAJ)",
    form=ListForm.VENUES,
    read=read_doaj,
    recognises=lambda _name, start: "journal title" in start.lower() and "eissn" in start.lower(),
    about="journals in the Directory of Open Access Journals",
    days=60,  # the free copy is about a month old when it is new
    dated_rows=True,
    abbreviates=True,
)
