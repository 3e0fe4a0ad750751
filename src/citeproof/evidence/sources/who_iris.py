"""WHO IRIS: the repository of the World Health Organization.

**Covers** what WHO and its regional offices publish: guidelines, technical reports, meeting documents,
articles of its journals. It is the authority for its handles (`10665/…`): **silence**
on a handle means that there is no such document. Silence on a title counts only where the reference says
that it is a WHO document, and it is asked for titles only then.

**Asked by** WHO IRIS handle and by title.

**Costs** nothing, needs no key; no limit is published, one request a second is polite.

**Identifiers of its own:** handles, in the form `https://iris.who.int/handle/10665/<n>`; older addresses
under `apps.who.int/iris` are the same handles. Other hosts are never taken for it. The record's id is
the handle.

**Known quirks**

- A handle is found through a redirect to the item; a collection's handle describes no document.
- Fields are lists of values with languages; the same document in six languages is six items.
- The author is often the organisation itself, alone or with one of its offices, and is then often
  missing from citations, or cited as the publisher.
- `dc.date.issued` may be a year, a month or a day.
- A search looks into full texts as well: hits are candidates, not matches.

**Licence:** most documents CC BY-NC-SA 3.0 IGO; the metadata are open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from citeproof.evidence.sources.base import (
    LiveSource,
    SourceProfile,
    SourceSession,
    read_record,
    read_records,
)
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import JSON, Rate, Request, UnreadableError, build_url
from citeproof.text import dates
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Ids, Kind, Name, Question, Reach, Record, Reference, Version

_ROWS = 8
_ACCEPT = (*JSON, "application/hal+json")
_WHO = re.compile(r"\bWHO\b|\bWorld Health Organi[sz]ation\b|\bOrganisation mondiale de la Santé\b")
_KINDS = (
    ("journal", Kind.ARTICLE),
    ("article", Kind.ARTICLE),
    ("book", Kind.BOOK),
    ("dataset", Kind.DATASET),
)


class WhoIris(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("who_iris", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="WHO IRIS",
        url="https://iris.who.int/server/api",
        rate=Rate(1, at_once=1),
        probe=("who_iris", "https://iris.who.int/handle/10665/350161"),
        turns={"who_iris": 1},
        covers=frozenset((Kind.REPORT,)),
        authority=frozenset(("who_iris",)),
        search_order=2,
        licence="metadata open; documents mostly CC BY-NC-SA 3.0 IGO",
    )

    def suits(self, question: Question) -> bool:
        return question.by == "who_iris" or _is_who_document(question.reference)

    def reach(self, question: Question) -> Reach:
        """A title counts only where the reference says that it is WHO's."""
        if question.by != "who_iris" and not _is_who_document(question.reference):
            return Reach.PARTIAL
        return super().reach(question)

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "who_iris":
            return await self._find(question.value.rpartition("/")[2], visit)
        words = json_fields.make_query_words(question.value, 200)
        if not words:
            return ()
        url = build_url(self.wiring.url, "/discover/search/objects", query=words, dsoType="item", size=_ROWS)
        answer = await visit.get(Request(self.name, url, _ACCEPT, absent=frozenset()))
        result = json_fields.read_path(answer.json() if answer else None, "_embedded", "searchResult")
        total = json_fields.read_path(result, "page", "totalElements")
        inner = json_fields.read_table(json_fields.read_path(result, "_embedded"))
        objects = inner.get("objects", [])
        if not isinstance(total, int) or not isinstance(objects, list):
            raise UnreadableError("no search result in the answer")
        items = [json_fields.read_path(hit, "_embedded", "indexableObject") for hit in objects]
        if total and not items:
            raise UnreadableError("hits without any document in the answer")
        return read_records(items, _make_record, "hits without any document in the answer")

    async def _find(self, number: str, visit: SourceSession) -> Sequence[Record]:
        url = build_url(self.wiring.url, "/pid/find", id=f"hdl:10665/{number}")
        answer = await visit.get(Request(self.name, url, _ACCEPT))
        if answer is None:
            return ()
        item = answer.json()
        said = json_fields.read_text(json_fields.read_path(item, "type"), 40) or "no item"
        return read_record(item, _make_record, f"the handle leads to no document: {said}")


def _is_who_document(reference: Reference) -> bool:
    claimed = reference.claimed
    if claimed.ids.first("who_iris"):
        return True
    people = (name.family for name in (*claimed.authors[:20], *claimed.editors[:5]))
    said = (claimed.publisher, claimed.venue, claimed.series, *people)
    return any(_WHO.search(text[:300]) for text in said if text)


def _make_record(item: dict[str, object]) -> Record | None:
    """Return the document that a DSpace item describes; None for other objects."""
    metadata = json_fields.read_table(item.get("metadata"))
    titles = json_fields.list_titles(
        (_read_values(metadata, "dc.title") or [""])[0], "", *_read_values(metadata, "dc.title.alternative")
    )
    if item.get("type") != "item" or not titles:
        return None
    handle = json_fields.read_text(item.get("handle"), 100)
    types = " ".join(_read_values(metadata, "dc.type")).lower()
    kind = next((kind for word, kind in _KINDS if word in types), Kind.REPORT)
    years = [dates.find_year(value) for value in _read_values(metadata, "dc.date.issued")] or [None]
    venue = next(iter(_read_values(metadata, "dc.relation.ispartof")), None)
    return Record(
        source=WhoIris.name,
        id=handle,
        titles=titles,
        authors=tuple(_read_author(value) for value in _read_values(metadata, "dc.contributor.author")),
        versions=tuple(Version(year, venue, kind) for year in years[:3]),
        kind=kind,
        publisher=next(iter(_read_values(metadata, "dc.publisher")), None),
        ids=Ids(
            json_fields.collect_ids(
                ("who_iris", [f"https://iris.who.int/handle/{handle}"]),
                ("doi", _read_values(metadata, "dc.identifier.doi")),
                ("isbn", _read_values(metadata, "dc.identifier.isbn")),
            )
        ),
        marks=("withdrawn",) if item.get("withdrawn") is True else (),
    )


def _read_values(metadata: dict[str, object], name: str) -> list[str]:
    texts = (json_fields.read_text(row.get("value")) for row in json_fields.read_rows(metadata.get(name)))
    return [text for text in texts if text]


def _read_author(value: str) -> Name:
    """Return an author; the organisation's offices come after a full stop or a comma."""
    if value.lower().startswith(("world health org", "organisation mondiale", "who ")):
        return Name(value[:200], collective=True)
    return next(iter(json_fields.parse_people([value])), Name(value[:200], collective=True))
