"""INSPIRE: the catalogue of high-energy physics, some 1.7 million papers, curated by its laboratories.

**Covers** particle, nuclear and astroparticle physics, gravitation, and what those cite; complete for the
core of the field since the 1970s. Its **silence** proves nothing here, because from a citation alone it
is not known whether a work belongs to that core.

**Asked by** DOI, arXiv id and title, and only with a hint of the field: a journal of it (JHEP, Phys. Rev.,
Nucl. Phys. …) or its DOI, an arXiv id of the old form in hep-*, gr-qc, nucl-*, astro-ph, quant-ph, or such
a class in the citation.

**Costs** nothing, needs no key. 15 requests in 5 seconds for one address; calls beyond that are refused and
count as well, so that one has to wait at least 5 seconds. 3 a second are sent, two at once.

**Identifiers of its own:** the record number (`inspire:451647`). DOI, arXiv id, ISBN and ADS bibcode are
carried: it is one of the best bridges between a preprint and its journal version, which are one record.

**Marks:** `withdrawn`, `corrected` (an erratum among the publications). It does not mark retractions.

**Known quirks**

- Journals have INSPIRE's short names without spaces ("Phys.Rev.D"); the volume letter is part of the name.
- A record has several titles: the publisher's, the preprint's, translations.
- A paper of a collaboration lists all its authors, thousands of them, and the collaboration next to them.
- Supervisors are among the authors of a thesis; they are left out.
- Deleted and merged records are answered with `deleted: true`; they count as none.

**Licence:** most fields CC0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from citeproof.evidence.sources import _field_hints
from citeproof.evidence.sources.base import LiveSource, SourceProfile, SourceSession, read_list
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Rate, Request, UnreadableError, build_url, quote_segment
from citeproof.text import names, pages
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Name, Question, Record, Version

_ROWS = 5
_LARGE = 30_000_000  # bytes; a paper of ATLAS with all its people and their institutes
_OPERATORS = frozenset(("and", "or", "not"))  # of the query language, in lower case too
_FIELDS = (
    "titles,title_translations,authors.full_name,authors.inspire_roles,author_count,corporate_author,"
    "collaborations,publication_info,document_type,dois,arxiv_eprints,isbns,imprints,thesis_info,"
    "preprint_date,external_system_identifiers,control_number,deleted,withdrawn"
)
_PAGES = ("page_start", "page_end", "artid")
_OWN_IDS = {"doi": "dois", "arxiv": "arxiv_eprints", "isbn": "isbns"}


class Inspire(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("doi", "arxiv", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="INSPIRE",
        url="https://inspirehep.net/api",
        rate=Rate(3, at_once=2),
        probe=("arxiv", "hep-th/9711200"),
        turns={"doi": 4, "arxiv": 3},
        search_order=3,
        misses_appearances=True,
        licence="CC0 (most fields)",
    )

    def suits(self, question: Question) -> bool:
        return _field_hints.is_particle_physics(question.reference)

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "title":
            return await self._search(question.value, visit)
        path = f"{question.by}/{quote_segment(question.value)}"
        answer = await visit.get(self._request(path, fields=_FIELDS))
        if answer is None:
            return ()
        paper = make_record(metadata := _get_metadata(json_fields.read_table(answer.json())))
        if paper is None and metadata.get("deleted") is not True:
            raise UnreadableError("a record without title")
        return (paper,) if paper else ()

    async def _search(self, title: str, visit: SourceSession) -> Sequence[Record]:
        words = [word for word in json_fields.make_query_words(title).split() if word not in _OPERATORS]
        if not words:
            return ()
        request = self._request("literature", q=f"title {' '.join(words)}", size=_ROWS, fields=_FIELDS)
        answer = await visit.get(request)
        whole = answer.json() if answer else None
        listed = read_list(whole, "hits", "hits", missing="no list of hits")
        if not listed and json_fields.read_path(whole, "hits", "total") != 0:
            raise UnreadableError("a search that counts hits and lists none")
        papers = [make_record(_get_metadata(hit)) for hit in listed[:_ROWS] if isinstance(hit, dict)]
        return [record for record in papers if record]

    def _request(self, path: str, **params: str | int) -> Request:
        absent = frozenset() if path == "literature" else frozenset((404, 410))
        return Request(self.name, build_url(self.wiring.url, path, **params), absent=absent, max_body=_LARGE)


def _get_metadata(hit: dict[str, Any]) -> dict[str, Any]:
    metadata = hit.get("metadata")
    if not isinstance(metadata, dict):
        raise UnreadableError("a hit without metadata")
    return metadata


def make_record(item: dict[str, object]) -> Record | None:
    """Return the record of `metadata`; None without a title, or if the record was deleted or merged."""
    listed = json_fields.read_rows(item.get("titles")) + json_fields.read_rows(item.get("title_translations"))
    titles_listed = (
        t for row in listed for t in json_fields.list_titles(row.get("title"), row.get("subtitle"))
    )
    titles, notices = json_fields.split_retraction_mark(tuple(dict.fromkeys(titles_listed)))
    if not titles or item.get("deleted") is True:
        return None
    kind = _find_kind(item)
    number, counted = item.get("control_number"), item.get("author_count")  # next to the list of authors
    listed_people = json_fields.read_rows(item.get("authors"))
    imprints = json_fields.read_rows(item.get("imprints"))
    publishers = (json_fields.read_text(row.get("publisher")) for row in imprints)
    return Record(
        source="",
        id=f"inspire:{number if isinstance(number, int) else ''}",
        titles=titles,
        authors=_read_authors(item),
        authors_complete=len(listed_people) < json_fields.MAX_ROWS
        and not (isinstance(counted, int) and counted > len(listed_people)),
        versions=tuple(dict.fromkeys(_read_versions(item, kind))),
        kind=kind,
        publisher=next(filter(None, publishers), None),
        ids=Ids(_read_ids(item)),
        marks=tuple(dict.fromkeys((*notices, *_read_marks(item)))),
    )


def _find_kind(item: dict[str, object]) -> Kind:
    stated = map(load_kinds("inspire").get, json_fields.read_texts(item.get("document_type")))
    kind = next(filter(None, stated), Kind.UNKNOWN)
    published = any(
        json_fields.read_text(row.get("journal_title"))
        for row in json_fields.read_rows(item.get("publication_info"))
    )
    if kind is Kind.ARTICLE and not published and item.get("arxiv_eprints") and not item.get("dois"):
        return Kind.PREPRINT
    return kind


def _read_authors(item: dict[str, object]) -> tuple[Name, ...]:
    """Return the authors, else the editors; then the collaborations they wrote for."""
    listed = json_fields.read_rows(item.get("authors"))
    plain = [author for author in listed if not _list_roles(author)]
    people = plain or [author for author in listed if "editor" in _list_roles(author)]
    listed_names = (person.get("full_name") for person in people)
    authors = json_fields.parse_people(name for name in listed_names if isinstance(name, str))
    groups = json_fields.read_texts(item.get("corporate_author"))
    for row in json_fields.read_rows(item.get("collaborations")):
        if name := json_fields.read_text(row.get("value")):
            groups.append(name if "collaboration" in name.lower() else f"{name} Collaboration")
    return (*authors, *(Name(group[: names.MAX_NAME], collective=True) for group in groups))


def _list_roles(author: dict[str, object]) -> set[str]:
    return {role for role in json_fields.read_texts(author.get("inspire_roles")) if role != "author"}


def _read_versions(item: dict[str, object], kind: Kind) -> Iterator[Version]:
    for row in json_fields.read_rows(item.get("publication_info")):
        venue = json_fields.read_text(row.get("journal_title"))
        year = json_fields.read_year(row.get("year"))
        first, last, article = (json_fields.read_text(row.get(name)) for name in _PAGES)
        if (venue or year) and json_fields.read_text(row.get("material")) != "erratum":
            yield Version(
                year, venue or None, kind, json_fields.read_text(row.get("journal_volume")) or None,
                json_fields.read_text(row.get("journal_issue")) or None,
                pages.normalise(f"{first}-{last}" if first and last else first or article),
            )  # fmt: skip
    thesis = json_fields.read_table(item.get("thesis_info"))
    where = [
        json_fields.read_text(row.get("name")) for row in json_fields.read_rows(thesis.get("institutions"))
    ]
    defended = json_fields.read_year(thesis.get("date")) or json_fields.read_year(thesis.get("defense_date"))
    if thesis and (where or defended):
        yield Version(defended, where[0] if where else None, Kind.THESIS)
    for row in json_fields.read_rows(item.get("imprints")):
        if year := json_fields.read_year(row.get("date")):
            yield Version(year, kind=kind)
    if item.get("arxiv_eprints"):
        yield Version(json_fields.read_year(item.get("preprint_date")), "arXiv", Kind.PREPRINT)


def _read_ids(item: dict[str, object]) -> tuple[tuple[str, str], ...]:
    def values(name: str) -> list[object]:
        rows = json_fields.read_rows(item.get(name))
        return [row.get("value") for row in rows if row.get("material") != "erratum"]

    others = json_fields.read_rows(item.get("external_system_identifiers"))
    bibcodes = [row.get("value") for row in others if row.get("schema") == "ADS"]
    own = ((scheme, values(name)) for scheme, name in _OWN_IDS.items())
    return json_fields.collect_ids(*own, ("ads", bibcodes))


def _read_marks(item: dict[str, object]) -> Iterator[str]:
    if item.get("withdrawn") is True:
        yield "withdrawn"
    published = json_fields.read_rows(item.get("publication_info")) + json_fields.read_rows(item.get("dois"))
    if any(publication.get("material") == "erratum" for publication in published):
        yield "corrected"
