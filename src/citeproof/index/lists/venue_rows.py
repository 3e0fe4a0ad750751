"""Lists about journals and publishers: their rows in a compiled list, and how a venue is recognised in it.

A venue is found by ISSN, by its name or abbreviation, by its publisher, or by the host of a web address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from citeproof.index.lists.compiled_list import CompiledList, PackedRow, hash_name
from citeproof.text.venue_key import make_publisher_key, make_venue_key
from citeproof.vocabulary import ListQuestion, VenueListing, VenueStanding

MOST_SHOWN = 300  # characters of a title or a reason
MOST_LISTINGS = 8  # of one list about one reference
_HOST_LEVELS = 4  # of "a.b.example.org" that are looked up


class ListedVenue(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One row of the list: what it says, and what the venue or publisher is found by."""

    standing: str
    title: str  # as the list has it
    names: tuple[str, ...] = ()  # its titles, as keys
    short: tuple[str, ...] = ()  # its abbreviations, as keys
    issns: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()  # as keys
    hosts: tuple[str, ...] = ()
    day: str = ""
    reason: str = ""
    shared: bool = False  # another, sound journal has the same name


@dataclass(frozen=True, slots=True)
class VenueKeys:
    """What a reference's venue is looked up by: (hash, value) of each ISSN, name, publisher and host."""

    issn: tuple[tuple[int, str], ...]
    venue: tuple[tuple[int, str], ...]
    publisher: tuple[tuple[int, str], ...]
    host: tuple[tuple[int, str], ...]

    def list_pairs(self, sort: str) -> tuple[tuple[int, str], ...]:
        """Return the pairs of one sort."""
        found: tuple[tuple[int, str], ...] = getattr(self, sort, ())
        return found


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(ListedVenue)
_STANDINGS = {one.value: one for one in VenueStanding}
_NO_QUESTION = ListQuestion()
_last: tuple[ListQuestion, VenueKeys] = (_NO_QUESTION, VenueKeys((), (), (), ()))


def pack_venues(rows: Iterable[ListedVenue]) -> Iterator[PackedRow]:
    """Yield the venues as rows of a compiled list."""
    for row in rows:
        names = [f"issn:{one}" for one in row.issns]
        names += [f"venue:{one}" for one in dict.fromkeys((*row.names, *row.short))]
        names += [f"publisher:{one}" for one in row.publishers]
        names += [f"host:{one}" for one in row.hosts]
        yield PackedRow(row.standing, _ENCODER.encode(row), tuple(names))


def find_listings(listed: CompiledList, question: ListQuestion) -> tuple[VenueListing, ...]:
    """Return every row about the venue of a work, each once."""
    keys = make_venue_keys(question)
    found: dict[ListedVenue, VenueListing] = {}
    for sort in listed.head.finds_by:
        for key, value in keys.list_pairs(sort):
            for data in listed.find_rows(key):
                row = _DECODER.decode(data)
                if row not in found and (how := _FOUND_BY[sort](row, value)):
                    found[row] = _make_listing(row, how, question)
    return tuple(found.values())[:MOST_LISTINGS] if found else ()


def make_venue_keys(question: ListQuestion) -> VenueKeys:
    """Return what the venue is looked up by. All lists are asked the same question: it is kept."""
    global _last  # noqa: PLW0603 - one pair that is replaced whole; another thread only makes it again
    last = _last
    if last[0] is question:
        return last[1]
    keys = VenueKeys(
        _hash_all("issn", question.issns),
        _hash_all("venue", filter(None, map(make_venue_key, question.venues))),
        _hash_all("publisher", filter(None, map(make_publisher_key, question.publishers))),
        _hash_all("host", (part for host in question.hosts for part in split_host(host))),
    )
    _last = question, keys
    return keys


def split_host(host: str) -> Iterator[str]:
    """Yield a host and the domains it is in, but for the last: "a.b.org", "b.org"."""
    labels = host.lower().removeprefix("www.").split(".")
    for at in range(max(0, len(labels) - _HOST_LEVELS), len(labels) - 1):
        yield ".".join(labels[at:])


def _hash_all(sort: str, values: Iterable[str]) -> tuple[tuple[int, str], ...]:
    return tuple([(hash_name(f"{sort}:{value}"), value) for value in dict.fromkeys(values)])


def _match_name(row: ListedVenue, key: str) -> str:
    return "title" if key in row.names else "abbreviation" if key in row.short else ""


_FOUND_BY: dict[str, Callable[[ListedVenue, str], str]] = {
    "issn": lambda row, value: f"ISSN {value}" if value in row.issns else "",
    "venue": _match_name,
    "publisher": lambda row, value: "publisher" if value in row.publishers else "",
    "host": lambda row, value: f"host {value}" if value in row.hosts else "",
}


def _make_listing(row: ListedVenue, how: str, question: ListQuestion) -> VenueListing:
    named = how in {"title", "abbreviation"}
    other = bool(row.issns and question.issns) and set(row.issns).isdisjoint(question.issns)
    exact = not (named and (row.shared or other))
    return VenueListing(_STANDINGS[row.standing], row.title, how, row.day, row.reason, exact)
