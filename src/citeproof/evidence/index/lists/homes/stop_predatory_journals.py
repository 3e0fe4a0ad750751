"""Stop Predatory Journals: what it calls predatory, and journals whose name somebody else took.

January 2018, disputed, advisory. The name of a hijacked journal alone says nothing if the journal that it was
taken from has the same: `exact` is false then, and the host says which one is cited.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_tables import find_own_host, read_table
from citeproof.evidence.index.lists.venue_rows import MOST_SHOWN, ListedVenue
from citeproof.text.title import clean
from citeproof.text.venue_key import make_publisher_key, make_venue_key
from citeproof.vocabulary import VenueStanding

TITLE = "Stop Predatory Journals"
_FOLDER = (
    "https://raw.githubusercontent.com/stop-predatory-journals/stop-predatory-journals.github.io/master/_data"
)
_NAMED = frozenset({"url", "name", "abbr"})
_TAKEN = frozenset({"hijacked", "hijackedurl", "authentic", "authenticurl"})


def _read_journals(data: bytes, place: str) -> Iterator[ListedVenue]:
    """Yield the journals of the file, by name and host; its short forms (IJSR) are those of many others."""
    for name, hosts in _read_named_sites(data, place, "journals"):
        if key := make_venue_key(name):
            yield ListedVenue(VenueStanding.PREDATORY_JOURNAL.value, name, names=(key,), hosts=hosts)


def _read_publishers(data: bytes, place: str) -> Iterator[ListedVenue]:
    """Yield the publishers of the file, by name and host."""
    for name, hosts in _read_named_sites(data, place, "publishers"):
        if key := make_publisher_key(name):
            yield ListedVenue(VenueStanding.PREDATORY_PUBLISHER.value, name, publishers=(key,), hosts=hosts)


def _read_named_sites(data: bytes, place: str, what: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each name of a table with `url`, `name` and `abbr`, and the host that is its own, if one is."""
    for row in read_table(data, place, f"{TITLE} ({what})", _NAMED):
        host = find_own_host(row["url"])
        yield clean(row["name"])[:MOST_SHOWN], (host,) if host else ()


def _read_hijacked(data: bytes, place: str) -> Iterator[ListedVenue]:
    """Yield the hijacked journals of the file, by the name and hosts of the false one."""
    for row in read_table(data, place, f"{TITLE} (hijacked journals)", _TAKEN):
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


_make_home = partial(ListHome, licence="MIT", form=ListForm.VENUES, edition="2018-01-01")
LISTS = (
    _make_home(
        name="hijacked_journals",
        title=f"{TITLE} (hijacked journals)",
        url=f"{_FOLDER}/hijacked.csv",
        read=_read_hijacked,
        recognises=lambda _name, start: start.startswith("hijacked,"),
        about="journals whose name somebody else took; not maintained",
        abbreviates=True,
    ),
    _make_home(
        name="predatory_journals",
        title=f"{TITLE} (journals)",
        url=f"{_FOLDER}/journals.csv",
        read=_read_journals,
        recognises=lambda name, start: start.startswith("url,name,abbr") and "journals" in name.lower(),
        about="journals that the list calls predatory; disputed, not maintained",
        abbreviates=True,
    ),
    _make_home(
        name="predatory_publishers",
        title=f"{TITLE} (publishers)",
        url=f"{_FOLDER}/publishers.csv",
        read=_read_publishers,
        recognises=lambda name, start: start.startswith("url,name,abbr") and "publishers" in name.lower(),
        about="publishers that the list calls predatory; disputed, not maintained",
    ),
)
