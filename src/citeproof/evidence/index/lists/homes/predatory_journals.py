"""Stop Predatory Journals: journals that it calls predatory. January 2018, disputed, advisory."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_tables import read_named_sites
from citeproof.evidence.index.lists.venue_rows import ListedVenue
from citeproof.text.venue_key import make_venue_key
from citeproof.vocabulary import VenueStanding

TITLE = "Stop Predatory Journals (journals)"


def read_predatory_journals(data: bytes, place: str) -> Iterator[ListedVenue]:
    """Yield the journals of the file, by name and host; its short forms (IJSR) are those of many others."""
    for name, hosts in read_named_sites(data, place, TITLE):
        if key := make_venue_key(name):
            yield ListedVenue(VenueStanding.PREDATORY_JOURNAL.value, name, names=(key,), hosts=hosts)


LIST = ListHome(
    name="predatory_journals",
    title=TITLE,
    url="https://raw.githubusercontent.com/stop-predatory-journals/stop-predatory-journals.github.io/master/_data/journals.csv",
    licence="MIT",
    form=ListForm.VENUES,
    read=read_predatory_journals,
    recognises=lambda name, start: start.startswith("url,name,abbr") and "journals" in name.lower(),
    about="journals that the list calls predatory; disputed, not maintained",
    edition="2018-01-01",
    abbreviates=True,
)
