"""Zenodo: CERN's repository for research data, software and papers.

**Covers** what people deposit there: millions of records, many of them data sets and software releases.
**Silence** means nothing: most data and software are deposited nowhere, and what is elsewhere is not here.

**Asked by** DOI (`10.5281/zenodo.<n>` only), by address (`zenodo.org/records/<n>`), and by title for data
sets and software.

**Costs** nothing, needs no key: 60 requests a minute for guests.

**Identifiers of its own:** the number of a record, which is also the end of its DOI. Every upload has two
DOIs: that of this version, and one for all versions (`conceptdoi`), which leads to the newest.

**Known quirks**

- A number of "all versions" redirects to the newest version: its year and authors may differ from those
  of the version that was cited.
- Releases that came from GitHub have titles such as "owner/repo: v1.2.3"; the name alone is given too.
- Creators are "Family, Given", but user names and organisations are there as well.
- Anyone can deposit anything: copies of published papers have their own DOIs here, and a deposit is no
  proof of publication. Deleted records answer 410.
- Searches join words by "or": hits are candidates, not matches.

**Licence:** metadata CC0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from citeproof.evidence.sources._json_answers import read_list, read_record, read_records
from citeproof.evidence.sources.base import (
    CannotAnswerError,
    LiveSource,
    ProbeQuestion,
    SourceProfile,
    SourceSession,
)
from citeproof.evidence.upstream_records import json_fields, zenodo
from citeproof.plumbing.net.message import Rate, Request, UnreadableError, build_url
from citeproof.vocabulary import Cause, Kind, Question, Record

_ROWS = 8
_DOI = re.compile(r"10\.5281/zenodo\.(\d{1,12})")
_ADDRESS = re.compile(r"https?://(?:www\.)?zenodo\.org/records?/(\d{1,12})(?:[/?#].*)?", re.DOTALL)
_DEPOSITED = frozenset((Kind.DATASET, Kind.SOFTWARE))


class Zenodo(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("doi", "url", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="Zenodo",
        url="https://zenodo.org/api",
        rate=Rate(60, 60, at_once=2),
        probe=ProbeQuestion("doi", "10.5281/zenodo.3509134"),
        turns={"url": 1},
        search_order=3,
        misses_appearances=True,
        licence="CC0-1.0 (metadata)",
    )

    def suits(self, question: Question) -> bool:
        if question.by in ("doi", "url"):
            return _find_record_number(question) is not None
        return question.reference.kind in _DEPOSITED

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "title":
            return await self._search(json_fields.make_query_words(question.value, 250), visit)
        number = _find_record_number(question)
        if number is None:
            raise CannotAnswerError(Cause.NOT_COVERED, "neither a DOI nor an address of a Zenodo record")
        answer = await visit.get(Request(self.name, build_url(self.wiring.url, f"/records/{number}")))
        if answer is None:
            return ()
        body = answer.json()
        described = isinstance(body, dict) and "metadata" in body
        return read_record(body if described else None, zenodo.make_record, "no record in the answer")

    async def _search(self, words: str, visit: SourceSession) -> Sequence[Record]:
        if not words:
            return ()
        url = build_url(self.wiring.url, "/records", q=f"title:({words})", size=_ROWS)
        answer = await visit.get(Request(self.name, url, absent=frozenset()))
        body = answer.json() if answer else None
        hits = read_list(body, "hits", "hits", missing="no list of records in the answer")
        if not hits and json_fields.read_path(body, "hits", "total") != 0:
            raise UnreadableError("hits without any record in the answer")
        return read_records(hits, zenodo.make_record, "hits without any record in the answer")


def _find_record_number(question: Question) -> str | None:
    pattern = _DOI if question.by == "doi" else _ADDRESS
    match = pattern.fullmatch(question.value[:2048])
    return match[1] if match else None
