"""Lists about journals and publishers: their rows in a compiled list, and how a venue is recognised in it.

A venue is found by ISSN, by its name or abbreviation, by its publisher, or by the host of a web address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from citeproof.evidence.index.lists.compiled_list import CompiledList, PackedRow, hash_name
from citeproof.text.venue_key import make_publisher_key, make_venue_key
from citeproof.vocabulary import ListQuestion, VenueListing, VenueStanding

MOST_SHOWN = 300  # characters of a title or a reason
MOST_LISTINGS = 8  # of one list about one reference
MOST_KEPT = 4096  # answers about venues, in memory
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


HashedName = tuple[int, str]


# What a reference's venue is looked up by: under "issn", "venue", "publisher" and "host" the hashed names.
VenueKeys = Mapping[str, Sequence[HashedName]]

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(ListedVenue)
_STANDINGS = {standing.value: standing for standing in VenueStanding}
_NO_QUESTION = ListQuestion()
_last: tuple[ListQuestion, VenueKeys] = (_NO_QUESTION, {})


def pack_venues(rows: Iterable[ListedVenue]) -> Iterator[PackedRow]:
    for row in rows:
        names = [f"issn:{issn}" for issn in row.issns]
        names += [f"venue:{venue}" for venue in dict.fromkeys((*row.names, *row.short))]
        names += [f"publisher:{publisher}" for publisher in row.publishers]
        names += [f"host:{host}" for host in row.hosts]
        yield PackedRow(row.standing, _ENCODER.encode(row), tuple(names))


def find_listings(listed: CompiledList, question: ListQuestion) -> tuple[VenueListing, ...]:
    """Return every row about the venue of a work, each once."""
    keys = make_venue_keys(question)
    sieve, mask = listed.filter, listed.mask
    for sort in listed.finds_by:
        if sort in keys:
            for key, _ in keys[sort]:
                if sieve[key & mask]:  # most are not in most lists
                    return _collect_listings(listed, question, keys)
    return ()


def _collect_listings(
    listed: CompiledList, question: ListQuestion, keys: VenueKeys
) -> tuple[VenueListing, ...]:
    """Return the rows about a venue; references of one document share venues, so they are remembered."""
    same = question.venues, question.issns, question.publishers, question.hosts
    known = listed.memory.get(same)
    if known is not None:
        return known
    by_number: dict[int, VenueListing] = {}
    for sort in listed.finds_by:
        for key, value in keys.get(sort, ()):
            for number in listed.find_rows(key):
                row = None if number in by_number else _DECODER.decode(listed.read_row(number))
                if row and (how := _FOUND_BY[sort](row, value)):
                    other = bool(row.issns and question.issns) and set(row.issns).isdisjoint(question.issns)
                    # an abbreviation may stand for several titles
                    exact = how != "abbreviation" and not (how == "title" and (row.shared or other))
                    by_number[number] = VenueListing(
                        _STANDINGS[row.standing], row.title, how, row.day, row.reason, exact
                    )
    if len(listed.memory) >= MOST_KEPT:
        listed.memory.clear()
    listed.memory[same] = listings = tuple(by_number.values())[:MOST_LISTINGS]
    return listings


def make_venue_keys(question: ListQuestion) -> VenueKeys:
    """Return what the venue is looked up by, remembered: all lists are asked the same question."""
    global _last  # noqa: PLW0603 - one pair that is replaced whole; another thread only makes it again
    last = _last
    if last[0] is question:
        return last[1]
    keys: dict[str, Sequence[HashedName]] = {}
    if question.venues:
        keys["venue"] = _keep_named([_hash_venue(venue) for venue in question.venues])
    if question.issns:
        keys["issn"] = [_hash_issn(issn) for issn in question.issns]
    if question.publishers:
        keys["publisher"] = _keep_named([_hash_publisher(publisher) for publisher in question.publishers])
    if question.hosts:
        keys["host"] = [pair for host in question.hosts for pair in _hash_host(host)]
    _last = question, keys
    return keys


def _keep_named(pairs: list[HashedName]) -> Sequence[HashedName]:
    if len(pairs) == 1:
        return pairs if pairs[0][1] else ()
    return tuple(dict.fromkeys([pair for pair in pairs if pair[1]]))


@lru_cache(maxsize=4096)
def _hash_issn(issn: str) -> HashedName:
    return hash_name(f"issn:{issn}"), issn


@lru_cache(maxsize=8192)
def _hash_venue(name: str) -> HashedName:
    key = make_venue_key(name)
    return hash_name(f"venue:{key}"), key


@lru_cache(maxsize=2048)
def _hash_publisher(name: str) -> HashedName:
    key = make_publisher_key(name)
    return hash_name(f"publisher:{key}"), key


@lru_cache(maxsize=4096)
def _hash_host(host: str) -> tuple[HashedName, ...]:
    return tuple((hash_name(f"host:{part}"), part) for part in split_host(host))


def split_host(host: str) -> Iterator[str]:
    """Yield a host and the domains it is in, but for the last: "a.b.org", "b.org"."""
    labels = host.lower().removeprefix("www.").split(".")
    for at in range(max(0, len(labels) - _HOST_LEVELS), len(labels) - 1):
        yield ".".join(labels[at:])


def _match_name(row: ListedVenue, key: str) -> str:
    return "title" if key in row.names else "abbreviation" if key in row.short else ""


_FOUND_BY: dict[str, Callable[[ListedVenue, str], str]] = {
    "issn": lambda row, value: f"ISSN {value}" if value in row.issns else "",
    "venue": _match_name,
    "publisher": lambda row, value: "publisher" if value in row.publishers else "",
    "host": lambda row, value: f"host {value}" if value in row.hosts else "",
}
