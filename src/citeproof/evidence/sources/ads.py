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
from citeproof.evidence.sources._json_answers import read_list, read_records
from citeproof.evidence.sources.base import KeyNeed, LiveSource, ProbeQuestion, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import ads
from citeproof.evidence.upstream_records.json_fields import read_path
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url
from citeproof.vocabulary import Kind, Question, Reach, Record

_ROWS = 5
_FEW = 20  # bibcodes that fit a plain query; the list query has a far smaller quota
_QUERIES = {"ads": 'identifier:"{}"', "doi": 'doi:"{}"', "arxiv": 'arxiv:"{}"'}


class Ads(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("ads", "doi", "arxiv", "title"))
    batches: ClassVar[Mapping[str, int]] = {"ads": 100}
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="NASA ADS",
        url="https://api.adsabs.harvard.edu/v1",
        rate=Rate(5, at_once=3),
        probe=ProbeQuestion("ads", "2016PhRvL.116f1102A"),
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
            queries = _field_hints.list_title_queries(question, _write_title_query)
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
            build_url(self.wiring.url, "search/bigquery", q="*:*", fl=ads.FIELDS, rows=2 * len(values)),
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
        return read_records(documents, ads.make_record, unread, every=by == "ads")

    def _request(self, query: str, rows: int) -> Request:
        url = build_url(self.wiring.url, "search/query", q=query, fl=ads.FIELDS, rows=rows)
        return Request(self.name, url, secret_headers=self.make_bearer(), absent=frozenset())


def _strip_quotes(value: str) -> str:
    return value.replace("\\", "").replace('"', "")


def _write_title_query(words: list[str], family: str) -> str:
    return f"title:({' '.join(words)})" + (f' author:"{family}"' if family else "")
