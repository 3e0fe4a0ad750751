"""NASA ADS (the Astrophysics Data System, now also SciX): astronomy and physics, some 20 million records.

**Covers** the journals and proceedings of astronomy completely back to the 19th century, physics and the
geosciences broadly, and all of arXiv. It is the authority on its bibcodes: **silence** on one means that
there is no such document. Silence on the title of an article counts where the venue is one of astronomy.

**Asked by** bibcode (100 in one request), DOI, arXiv id and title; the last three only with a hint that the
work is one of astronomy or physics: a bibcode, the venue, the DOI or the arXiv archive. All words of the
title must occur; if nothing has them all, its five longest words with the first author, once.

**Costs** nothing, but **needs a token**: log in at `https://ui.adsabs.harvard.edu`, "Settings", "API Token",
then set `CITEPROOF_ADS_KEY`. The token has a daily quota, stated in the headers of each answer (usually 5,000
searches, and 100 of the list queries that many bibcodes need); 5 requests a second are sent.

**Identifiers of its own:** bibcodes, nineteen characters, case matters. Records carry DOI, arXiv id, ISBN
and the other bibcodes of the work: a preprint and its journal version are one record with two of them.

**Known quirks**

- A bibcode of a preprint (`2012arXiv1204.4485R`) leads to the record of the published version.
- Bibcodes have changed; old ones stay as identifiers of the record.
- Author lists are whole, whatever their length. Names are "Family, Given", often with initials only.
- Titles hold HTML (`<SUB>`) and LaTeX.
- Retractions are not marked, but for "RETRACTED:" in some titles.

**Licence:** ADS terms of use; not for redistribution of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from citeproof.evidence.sources import _field_hints
from citeproof.evidence.sources.base import (
    KeyNeed,
    LiveSource,
    SourceProfile,
    SourceSession,
    read_list,
    read_records,
)
from citeproof.evidence.upstream_records import json_fields
from citeproof.evidence.upstream_records.json_fields import read_path
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url
from citeproof.text import dates, pages
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Question, Reach, Record, Version

_ROWS = 5
_FEW = 20  # bibcodes that fit a plain query; the list query has a far smaller quota
_QUERIES = {"ads": 'identifier:"{}"', "doi": 'doi:"{}"', "arxiv": 'arxiv:"{}"'}
FIELDS = (
    "bibcode,title,author,author_count,year,pubdate,pub,volume,issue,page,page_range,doi,identifier,isbn,"
    "doctype,publisher"
)


class Ads(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("ads", "doi", "arxiv", "title"))
    batches: ClassVar[Mapping[str, int]] = {"ads": 100}
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="NASA ADS",
        url="https://api.adsabs.harvard.edu/v1",
        rate=Rate(5, at_once=3),
        probe=("ads", "2016PhRvL.116f1102A"),
        turns={"arxiv": 3, "ads": 1},
        key=KeyNeed.REQUIRED,
        authority=frozenset(("ads",)),
        search_order=3,
        misses_appearances=True,
        licence="ADS terms of use",
    )

    def suits(self, question: Question) -> bool:
        return question.by == "ads" or _field_hints.is_physics(question.reference)

    def reach(self, question: Question) -> Reach:
        article = question.reference.kind is Kind.ARTICLE
        if question.by == "title" and article and _field_hints.is_astronomy(question.reference):
            return Reach.COVERS
        return super().reach(question)

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "title":
            queries = _field_hints.list_title_queries(question, "title:({})", " ", ' author:"{}"')
        else:
            queries = [_QUERIES[question.by].format(_strip_quotes(question.value))]
        for query in queries:
            answer = await visit.get(self._request(query, _ROWS))
            if answer and (records := self.batch_records(question.by, answer)):
                return records
        return ()

    def batch(self, by: str, values: Sequence[str]) -> Request:  # noqa: ARG002 - bibcodes only
        if len(values) <= _FEW:
            codes = " OR ".join(f'"{_strip_quotes(value)}"' for value in values)
            return self._request(f"identifier:({codes})", 2 * len(values))
        return Request(
            self.name,
            build_url(self.wiring.url, "search/bigquery", q="*:*", fl=FIELDS, rows=2 * len(values)),
            method="POST",
            body="\n".join(("bibcode", *values)).encode(),
            content_type="big-query/csv",
            secret_headers=self.make_bearer(),
            absent=frozenset(),
        )

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:
        whole = answer.json()
        documents = read_list(whole, "response", "docs", missing="no list of documents")
        if not documents and read_path(whole, "response", "numFound") != 0:
            raise UnreadableError("a search that counts documents and lists none")
        # what has a bibcode exists, so that leaving it out would deny it
        unread = "a document without bibcode or title"
        return read_records(documents, make_record, unread, every=by == "ads")

    def _request(self, query: str, rows: int) -> Request:
        url = build_url(self.wiring.url, "search/query", q=query, fl=FIELDS, rows=rows)
        return Request(self.name, url, secret_headers=self.make_bearer(), absent=frozenset())


def _strip_quotes(value: str) -> str:
    return value.replace("\\", "").replace('"', "")


def make_record(item: dict[str, object]) -> Record | None:
    """Return the record of one document; None without a bibcode and a title."""
    own = json_fields.make_id_pairs("ads", [item.get("bibcode")])
    listed = json_fields.read_texts(item.get("title"))
    titles, marks = json_fields.split_retraction_mark(
        json_fields.list_titles(listed[0] if listed else "", "", *listed[1:])
    )
    if not own or not titles:
        return None
    people = item.get("author")
    listed_people = people[: json_fields.MAX_ROWS] if isinstance(people, list) else []
    found = [name for name in listed_people if isinstance(name, str)]
    counted = item.get("author_count")
    kind = load_kinds("ads").get(json_fields.read_text(item.get("doctype")), Kind.UNKNOWN)
    return Record(
        source="",
        id=own[0][1],
        titles=titles,
        authors=json_fields.parse_people(found),
        authors_complete=not (isinstance(counted, int) and counted > len(found))
        and not any("." in name and not any(map(str.isalnum, name)) for name in found),  # ", . . ."
        versions=_read_versions(item, kind),
        kind=kind,
        publisher=json_fields.read_text(item.get("publisher")) or None,
        ids=Ids(_read_ids(item)),
        marks=marks,
    )


def _read_versions(item: dict[str, object], kind: Kind) -> tuple[Version, ...]:
    """Return the appearance that the document describes, and its preprint where an identifier names one."""
    year = dates.find_year(json_fields.read_text(item.get("year")))
    span = json_fields.read_text(item.get("page_range")) or next(
        iter(json_fields.read_texts(item.get("page"))), ""
    )
    first = Version(
        year,
        json_fields.read_text(item.get("pub")) or None,
        kind,
        json_fields.read_text(item.get("volume")) or None,
        json_fields.read_text(item.get("issue")) or None,
        pages.normalise(span),
    )
    codes = [
        code
        for _, code in json_fields.make_id_pairs("ads", json_fields.read_texts(item.get("identifier")))
        if code[4:9] == "arXiv"
    ]
    preprints = [Version(int(code[:4]), "arXiv", Kind.PREPRINT) for code in codes[:1]]
    return (first, *(version for version in preprints if kind is not Kind.PREPRINT))


def _read_ids(item: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the bibcode, then whatever else the document is known as."""
    known = json_fields.read_texts(item.get("identifier"))[:100]
    return json_fields.collect_ids(
        ("ads", [item.get("bibcode")]),
        (
            "doi",
            [
                *json_fields.read_texts(item.get("doi")),
                *(value for value in known if value.startswith("10.")),
            ],
        ),
        ("arxiv", [value for value in known if value.startswith("arXiv:")]),
        ("ads", known),
        ("isbn", json_fields.read_texts(item.get("isbn"))),
    )
