"""Stop Predatory Journals: journals whose name somebody else took. January 2018, advisory.

The name alone says nothing if the journal that it was taken from has the same: `exact` is false then, and the
host says which one is cited.
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_tables import find_own_host, read_table
from citeproof.evidence.index.lists.venue_rows import MOST_SHOWN, ListedVenue
from citeproof.text.title import clean
from citeproof.text.venue_key import make_venue_key
from citeproof.vocabulary import VenueStanding

TITLE = "Stop Predatory Journals (hijacked journals)"
NEEDED = frozenset({"hijacked", "hijackedurl", "authentic", "authenticurl"})


def read_hijacked_journals(data: bytes, place: str) -> Iterator[ListedVenue]:
    """Yield the hijacked journals of the file, by the name and hosts of the false one."""
    for row in read_table(data, place, TITLE, NEEDED):
        name, real = clean(row["hijacked"])[:MOST_SHOWN], clean(row["authentic"])
        home = find_own_host(row["authenticurl"], whole=False)
        taken = (row.get(column, "") for column in ("hijackedurl", "althijackedurl"))
        hosts = [find_own_host(address, whole=False) for address in taken]
        key = make_venue_key(name)
        if key:
            yield ListedVenue(
                VenueStanding.HIJACKED.value,
                name,
                names=(key,),
                hosts=tuple(dict.fromkeys(host for host in hosts if host and host != home)),
                reason=f"takes the name of {real}{f' ({home})' if home else ''}"[:MOST_SHOWN] if real else "",
                shared=key == make_venue_key(real),
            )


LIST = ListHome(
    name="hijacked_journals",
    title=TITLE,
    url="https://raw.githubusercontent.com/stop-predatory-journals/stop-predatory-journals.github.io/master/_data/hijacked.csv",
    licence="MIT",
    form=ListForm.VENUES,
    read=read_hijacked_journals,
    recognises=lambda _name, start: start.startswith("hijacked,"),
    about="journals whose name somebody else took; not maintained",
    edition="2018-01-01",
    abbreviates=True,
)
