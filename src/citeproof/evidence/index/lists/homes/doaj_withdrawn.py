"""DOAJ: the journals that it took out, each with the date and the reason. Many only stopped publishing.

It is a log: a journal may have come back since, and the list of journals (`doaj`) says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_tables import read_table
from citeproof.evidence.index.lists.venue_rows import MOST_SHOWN, ListedVenue
from citeproof.text.ids import normalise_id
from citeproof.text.title import clean
from citeproof.text.venue_key import make_venue_key
from citeproof.vocabulary import VenueStanding

REMOVED = "dateremoved(dd/mm/yyyy)"
NEEDED = frozenset({"journaltitle", "issn", REMOVED, "reason"})
_FORMS = ("%d-%B-%Y", "%d-%b-%Y", "%d/%m/%Y", "%Y-%m-%d", "%d-%B-%y", "%d-%b-%y")
_SPACE = re.compile(r"[\s.]{1,3}")


def read_doaj_withdrawn(data: bytes, place: str) -> Iterator[ListedVenue]:
    """Yield the journals of the file, by ISSN and title."""
    for row in read_table(data, place, "DOAJ withdrawn-journals", NEEDED):
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


LIST = ListHome(
    name="doaj_withdrawn",
    title="DOAJ withdrawn journals",
    url="https://docs.google.com/spreadsheets/d/1Kv3MbgFSgtSDnEGkA2JacrSjunRu0umHeZCtcMeqO5E/export?format=csv&gid=2104690845",
    licence="CC BY-SA 4.0 (DOAJ)",
    form=ListForm.VENUES,
    read=read_doaj_withdrawn,
    recognises=lambda _name, start: "date removed" in start.lower() and "journal title" in start.lower(),
    about="journals that DOAJ took out, with date and reason",
    days=60,
)
