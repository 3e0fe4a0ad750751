"""Europe PMC: the life sciences' literature, more than 45 million abstracts and ten million full texts.

**Covers** everything in PubMed and PubMed Central, and beyond them preprints (bioRxiv, medRxiv, Research
Square and some thirty other servers), Agricola, theses of the British Library, patents. Its **silence** on
a title counts for articles and preprints of medicine (since 1975, by the name of the journal, or where a
PMID or PMCID is claimed); on an identifier it means little, because other registries own those.

**Asked by** DOI (20 in one request, an OR query), PMID, PMCID and title; by DOI and title only with a hint
that the work is biomedical (journal, PMID or PMCID, a DOI of its publishers or preprint servers). All words
of the title must occur; if nothing has them all, its five longest words with the first author, once.

**Costs** nothing, needs no key. No limit is published; 5 requests a second are sent.

**Identifiers of its own:** `MED:…`, `PMC:…`, `PPR:…` and so on (the record's id). PMID, PMCID and DOI are
carried, a preprint has only its DOI.

**Marks:** `retracted`, `expression_of_concern`, `corrected`, from publication types and correction links.
"Retraction of Publication" is the notice, not the retracted work, and is not a mark.

**Known quirks**

- A preprint has no journal; the server stands as publisher of a report.
- Each version of a preprint may be a record of its own.
- An error may come with status 200 as `errCode`/`errMsg`; that is no answer.
- Author lists are whole; where only the author string is given it may end in "et al.".

**Licence:** mixed, per record; the bibliographic facts that are read here are free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from citeproof.evidence.sources import _field_hints
from citeproof.evidence.sources.base import LiveSource, SourceProfile, SourceSession, read_list, read_records
from citeproof.evidence.upstream_records import json_fields
from citeproof.evidence.upstream_records.stated_facts import mark_europe_pmc
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url
from citeproof.text import names, pages
from citeproof.vocabulary import Ids, Kind, Name, Question, Reach, Record, Version

_ROWS = 5
_BATCH_ROWS = 100  # a DOI may have several records: an article, its preprints
_QUERIES = {"doi": 'DOI:"{}"', "pmid": "(EXT_ID:{} AND SRC:MED)", "pmcid": "PMCID:{}"}
_NOTICES = {
    "retraction in": "retracted",
    "partial retraction in": "partial_retraction",
    "expression of concern in": "expression_of_concern",
    "erratum in": "corrected",
    "corrected and republished in": "corrected",
}
_TYPES = {"retracted publication": "retracted", "withdrawn": "withdrawn"}
_THESES = "ETH"  # EThOS, the British Library's theses


class EuropePmc(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("doi", "pmid", "pmcid", "title"))
    batches: ClassVar[Mapping[str, int]] = {"doi": 20}
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="Europe PMC",
        url="https://www.ebi.ac.uk/europepmc/webservices/rest",
        rate=Rate(5, at_once=3),
        probe=("pmid", "26017442"),
        turns={"doi": 4, "pmid": 2, "pmcid": 2},
        confirms=frozenset(("pmid",)),
        search_order=3,
        misses_appearances=True,
        licence="mixed",
    )

    def suits(self, question: Question) -> bool:
        return question.by in ("pmid", "pmcid") or _field_hints.is_biomedical(question.reference)

    def reach(self, question: Question) -> Reach:
        covered = question.reference.kind in (Kind.ARTICLE, Kind.PREPRINT)
        if question.by == "title" and covered and _field_hints.is_medical(question.reference):
            return Reach.COVERS
        return Reach.PARTIAL

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by != "title":
            return await self._search(self.batch(question.by, [question.value]), visit)
        for query in _field_hints.list_title_queries(question, "TITLE:({})", " AND ", ' AND AUTH:"{}"'):
            if records := await self._search(self._request(query, _ROWS), visit):
                return records
        return ()

    def batch(self, by: str, values: Sequence[str]) -> Request:
        clauses = [_QUERIES[by].format(value.replace("\\", "").replace('"', "")) for value in values]
        return self._request(" OR ".join(clauses), _BATCH_ROWS if len(values) > 1 else _ROWS)

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:  # noqa: ARG002 - one shape for all
        whole = answer.json()
        results = read_list(whole, "resultList", "result", missing="no list of results")
        if not results and whole.get("hitCount") != 0:
            raise UnreadableError("a search that counts results and lists none")
        return read_records(
            results, lambda item: mark_europe_pmc(item, make_record(item)), "results without titles"
        )

    def _request(self, query: str, rows: int) -> Request:
        url = build_url(
            self.wiring.url,
            "search",
            query=query,
            resultType="core",
            format="json",
            pageSize=rows,
            email=self.wiring.contact or None,
        )
        return Request(self.name, url, absent=frozenset())

    async def _search(self, request: Request, visit: SourceSession) -> Sequence[Record]:
        answer = await visit.get(request)
        return self.batch_records("", answer) if answer else ()


def make_record(item: dict[str, object]) -> Record | None:
    """Return the record of one result; None without a title."""
    titles, marks = json_fields.split_retraction_mark(json_fields.list_titles(item.get("title")))
    source, number = json_fields.read_text(item.get("source")), json_fields.read_text(item.get("id"))
    if not titles or not number:
        return None
    stated = json_fields.read_texts(json_fields.read_path(item, "pubTypeList", "pubType"))
    types = {text.lower() for text in stated}
    kind = _find_kind(item, source, types)
    authors = _read_authors(item)
    spelt = json_fields.read_text(item.get("authorString"), 20_000)  # "Benson DA, Cavanaugh M.", et al
    single = spelt.removesuffix("et al").rstrip(". ").split(", ")
    book = json_fields.read_table(item.get("bookOrReportDetails"))
    listed = json_fields.read_rows(json_fields.read_path(item, "commentCorrectionList", "commentCorrection"))
    links = [json_fields.read_text(link.get("type")).lower() for link in listed]
    noticed = [_TYPES[name] for name in types if name in _TYPES]
    noticed += [_NOTICES[link] for link in links if link in _NOTICES]
    own = ((scheme, [item.get(scheme)]) for scheme in ("pmid", "pmcid", "doi"))
    return Record(
        source="",
        id=f"{source}:{number}",
        titles=titles,
        authors=authors or tuple(json_fields.parse_family_first(name) for name in single if name),
        authors_complete=bool(authors) or not spelt.endswith("et al"),
        versions=_read_versions(item, kind),
        kind=kind,
        publisher=json_fields.read_text(book.get("publisher")) or None,
        ids=Ids(json_fields.collect_ids(*own, ("isbn", [book.get("isbn13"), book.get("isbn10")]))),
        marks=tuple(dict.fromkeys((*marks, *noticed))),
    )


def _find_kind(item: dict[str, object], source: str, types: set[str]) -> Kind:
    if source == "PPR" or "preprint" in types:
        return Kind.PREPRINT
    if source == _THESES or "thesis" in types:
        return Kind.THESIS
    if json_fields.read_table(item.get("journalInfo")):
        return Kind.ARTICLE
    book = json_fields.read_table(item.get("bookOrReportDetails"))
    if book:
        return Kind.CHAPTER if json_fields.read_text(book.get("comprisingTitle")) else Kind.BOOK
    return Kind.UNKNOWN


def _read_authors(item: dict[str, object]) -> tuple[Name, ...]:
    authors = []
    for author in json_fields.read_rows(json_fields.read_path(item, "authorList", "author")):
        group, family = _read_name(author.get("collectiveName")), _read_name(author.get("lastName"))
        if family:
            authors.append(
                Name(family, _read_name(author.get("firstName")) or _read_name(author.get("initials")))
            )
        elif group:
            authors.append(Name(group, collective=True))
        elif full := _read_name(author.get("fullName")):
            authors.append(json_fields.parse_family_first(full))
    return tuple(authors)


def _read_name(value: object) -> str:
    return names.tidy_name(value[: names.MAX_NAME]) if isinstance(value, str) else ""


def _read_versions(item: dict[str, object], kind: Kind) -> tuple[Version, ...]:
    info = json_fields.read_table(item.get("journalInfo"))
    journal = json_fields.read_table(info.get("journal"))
    book = json_fields.read_table(item.get("bookOrReportDetails"))
    places = (journal.get("title"), book.get("comprisingTitle"), book.get("publisher"))
    venue = next(filter(None, map(json_fields.read_text, places)), "")
    year = json_fields.read_year(info.get("yearOfPublication")) or json_fields.read_year(item.get("pubYear"))
    first = Version(
        year or json_fields.read_year(book.get("yearOfPublication")),
        venue or None,
        kind,
        json_fields.read_text(info.get("volume")) or None,
        json_fields.read_text(info.get("issue")) or None,
        pages.normalise(json_fields.read_text(item.get("pageInfo"))),
    )
    online = json_fields.read_year(item.get("firstPublicationDate"))
    later = (Version(online, venue or None, kind),) if online and online != first.year else ()
    short = dict.fromkeys(
        json_fields.read_text(journal.get(name)) for name in ("isoabbreviation", "medlineAbbreviation")
    )
    return (first, *later, *(Version(first.year, name, kind) for name in short if name and name != venue))
