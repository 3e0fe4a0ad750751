"""Stop Predatory Journals: publishers that it calls predatory. January 2018, disputed, advisory."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_tables import read_named_sites
from citeproof.evidence.index.lists.venue_rows import ListedVenue
from citeproof.text.venue_key import make_publisher_key
from citeproof.vocabulary import VenueStanding

TITLE = "Stop Predatory Journals (publishers)"


def read_predatory_publishers(data: bytes, place: str) -> Iterator[ListedVenue]:
    """Yield the publishers of the file, by name and host."""
    for name, hosts in read_named_sites(data, place, TITLE):
        if key := make_publisher_key(name):
            yield ListedVenue(VenueStanding.PREDATORY_PUBLISHER.value, name, publishers=(key,), hosts=hosts)


LIST = ListHome(
    name="predatory_publishers",
    title=TITLE,
    url="https://raw.githubusercontent.com/stop-predatory-journals/stop-predatory-journals.github.io/master/_data/publishers.csv",
    licence="MIT",
    form=ListForm.VENUES,
    read=read_predatory_publishers,
    recognises=lambda name, start: start.startswith("url,name,abbr") and "publishers" in name.lower(),
    about="publishers that the list calls predatory; disputed, not maintained",
    edition="2018-01-01",
)
