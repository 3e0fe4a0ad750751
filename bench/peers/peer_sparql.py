"""dblp's SPARQL service for the questions that paper-preflight puts to it, beside those of the world.

Those are: titles that begin with given letters, whole records by their key, records by DOI, and names of
venues that have given words. Any other question about given records (which published version a preprint
has) is answered with no rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from bench.peers.peer_venues import VenueRegister

from citeproof.laboratory.testing.apis import dblp, dblp_sparql
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.text.title import fold_title
from citeproof.vocabulary import Record

_RANGE = re.compile(r'(?:\((\d+) AS \?i\)[^"]*)?\?t >= "((?:[^"\\]|\\.)*)"')
_VALUES = re.compile(r"VALUES \?(\w+) \{([^}]*)\}")
_CONTAINS = re.compile(r'CONTAINS\([^"]*"([^"]*)"\)')
_IRI = re.compile(r"<([^<>\s]+)>")
_REC = "https://dblp.org/rec/"
_MOST = 100


class _OneWork:
    """A single record as holdings."""

    def __init__(self, record: Record) -> None:
        self._record = record

    def by_id(self, scheme: str, value: str) -> Sequence[Record]:  # noqa: ARG002 - the shape of holdings
        return [self._record]

    def search(self, words: str, limit: int = 20) -> Sequence[Record]:  # noqa: ARG002
        return [self._record]

    def find_words(self, words: Collection[str]) -> Sequence[Record]:  # noqa: ARG002
        return [self._record]

    def by_author(self, family: str, since: int, until: int) -> Sequence[Record]:  # noqa: ARG002
        return [self._record]


class SparqlService:
    """The service, which remembers the keys it gave out."""

    def __init__(self, venues: VenueRegister) -> None:
        self._given: dict[str, Record] = {}
        self._venues = venues

    def answer(self, call: Call, holdings: Holdings) -> Reply:
        """Return the rows that the service would give."""
        query = call.query.get("query", "")
        ranges, values = _RANGE.findall(query), _VALUES.search(query)
        if ranges:
            return _make_reply(self._find_titles(ranges, holdings))
        if "dblp:Stream" in query:
            return _make_reply({"t": name} for name in self._venues.find(_CONTAINS.findall(query)))
        if values is None:
            return dblp_sparql.answer(call, holdings)
        iris = _IRI.findall(values[2])
        match values[1]:
            case "doi":
                return _make_reply(self._find_dois(iris, holdings))
            case "pub":
                return _make_reply(self._list_records(iris, call))
            case _:
                return _make_reply([])

    def _find_titles(self, ranges: Sequence[tuple[str, str]], holdings: Holdings) -> Iterator[dict[str, Any]]:
        for number, low in ranges:
            start = _fold(low.replace('\\"', '"'))
            words = low.rpartition(" ")[0] or low  # the last word may be cut off
            for record in holdings.search(words, _MOST):
                if dblp.is_held_by_dblp(record) and _fold(record.title).startswith(start):
                    row = {"pub": self._give(record), "t": f"{record.title}."}
                    yield {**row, "i": number} if number else row

    def _find_dois(self, iris: Iterable[str], holdings: Holdings) -> Iterator[dict[str, Any]]:
        for iri in iris:
            for record in holdings.by_id("doi", iri.removeprefix("https://doi.org/").lower())[:1]:
                if dblp.is_held_by_dblp(record):
                    yield {"doi": iri, "pub": self._give(record)}

    def _list_records(self, iris: Iterable[str], call: Call) -> Iterator[dict[str, Any]]:
        for iri in iris:
            record = self._given.get(iri)
            if record is None:
                continue
            select = call.query["query"].partition("VALUES")[0]
            asked = replace(call, query={"query": f"{select} <{iri}> }}"})
            for row in json.loads(dblp_sparql.answer(asked, _OneWork(record)).body)["results"]["bindings"]:
                yield {name: cell["value"] for name, cell in row.items()} | {"pub": iri}

    def _give(self, record: Record) -> str:
        iri = _REC + dblp.build_hit_info(record)["key"]
        self._given[iri] = record
        return iri


def _fold(title: str) -> str:
    """Return what the service compares: letters and digits, as it ignores the rest."""
    return "".join(filter(str.isalnum, fold_title(title)))


def _make_reply(rows: Iterable[dict[str, Any]]) -> Reply:
    bindings = [{name: {"type": "literal", "value": value} for name, value in row.items()} for row in rows]
    return make_json_reply(
        {"head": {"vars": []}, "results": {"bindings": bindings}}, media="application/sparql-results+json"
    )
