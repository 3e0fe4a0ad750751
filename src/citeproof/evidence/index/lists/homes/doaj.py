"""DOAJ: the journals of the Directory of Open Access Journals, and those that it took out.

Being in it is a weak sign of good practice; not being in it says nothing about a journal. What it took out is
a log: many journals only stopped publishing, and one may have come back since, which the first list says.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_tables import read_day, read_table
from citeproof.evidence.index.lists.venue_rows import MOST_SHOWN, ListedVenue
from citeproof.text import lazy_patterns as re
from citeproof.text.ids import normalise_id
from citeproof.text.title import clean
from citeproof.text.venue_key import make_venue_key
from citeproof.vocabulary import VenueStanding

PRINTED, ONLINE = "journalissn(printversion)", "journaleissn(onlineversion)"
NEEDED = frozenset({"journaltitle", PRINTED, ONLINE})
REMOVED = "dateremoved(dd/mm/yyyy)"
NEEDED_WITHDRAWN = frozenset({"journaltitle", "issn", REMOVED, "reason"})
_FORMS = ("%d-%B-%Y", "%d-%b-%Y", "%d/%m/%Y", "%Y-%m-%d", "%d-%B-%y", "%d-%b-%y")
_SPACE = re.compile(r"[\s.]{1,3}")


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


def read_doaj_withdrawn(data: bytes, place: str) -> Iterator[ListedVenue]:
    """Yield the journals of the file, by ISSN and title."""
    for row in read_table(data, place, "DOAJ withdrawn-journals", NEEDED_WITHDRAWN):
        title, number = clean(row["journaltitle"].strip())[:MOST_SHOWN], normalise_id("issn", row["issn"])
        key = make_venue_key(title)
        if key or number:
            yield ListedVenue(
                VenueStanding.WITHDRAWN.value,
                title,
                names=(key,) if key else (),
                issns=(number,) if number else (),
                day=read_removal_day(row[REMOVED]),
                reason=row["reason"].strip()[:MOST_SHOWN],
            )


def read_removal_day(text: str) -> str:
    """Return "5-May-2025" or "05/05/2025" as ISO 8601; empty if it is neither."""
    text = _SPACE.sub("-", text.strip()[:40])
    for form in _FORMS:
        try:
            return datetime.strptime(text, form).date().isoformat()  # noqa: DTZ007 - a date has no zone
        except ValueError:
            continue
    return ""


LISTS = (
    ListHome(
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
    ),
    ListHome(
        name="doaj_withdrawn",
        title="DOAJ withdrawn journals",
        url="https://docs.google.com/spreadsheets/d/1Kv3MbgFSgtSDnEGkA2JacrSjunRu0umHeZCtcMeqO5E/export?format=csv&gid=2104690845",
        licence="CC BY-SA 4.0 (DOAJ)",
        form=ListForm.VENUES,
        read=read_doaj_withdrawn,
        recognises=lambda _name, start: "date removed" in start.lower() and "journal title" in start.lower(),
        about="journals that DOAJ took out, with date and reason",
        days=60,
    ),
)
