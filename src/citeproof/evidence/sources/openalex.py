"""OpenAlex: a broad index made of Crossref, DataCite, PubMed, repositories and the web.

**Covers** nearly everything that has a DOI or a PubMed number, most preprints and many books, chapters and
theses without one. Weak on machine-learning papers that appeared on arXiv first: some are merged into copies
that third parties registered later.

**Its silence** on a title counts for articles and preprints, together with a second source. Its
silence on an identifier means nothing: merged works are known under one DOI only, and many arXiv DOIs
(`10.48550/…`) are unknown here although the work is there.

**Limits and cost** A budget in US dollars a day: 0.10 without a key, 1.00 with a free one. A search costs
0.001, a list 0.0001, a single work nothing. DOIs and PubMed numbers are asked for in lists of 50. We ask 50
times a second at most; 100 is the published limit. When the budget is spent the source could not be checked;
that is never "not found".

**Key** optional: register at openalex.org, then set `CITEPROOF_OPENALEX_KEY`. It travels in a header.

**Searches** All words of a title must be in the title; when nothing is found, once more with any of them, in
titles and abstracts: one wrong word in a citation must not look like silence. Up to sixteen titles that come
within a moment go in one search (`title.search:a|b`); each that it does not bring is asked for alone.

**Authors** Lists of works break off after 100 authors; a record with so many counts as cut. Names are single
strings. The printed form is read, not the person OpenAlex takes it for.

**Quirks**

- `is_retracted` is true for retraction notices and for healthy papers with a correction: it becomes the mark
  `retraction_hint`, which asks for a look at Crossref and Retraction Watch, and decides nothing.
- Bad merges: a work may have another one's DOI, year or venue. Evidence against a citation from here alone is
  weak.
- Harvested copies are filed under journals in which they never appeared; such locations are not read.
- The month and day of a date may be invented; only the year is read. A missing work may be answered in HTML.

**Licence** CC0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from citeproof.evidence.sources.base import (
    CannotAnswerError,
    KeyNeed,
    LiveSource,
    SourceProfile,
    SourceSession,
    read_records,
)
from citeproof.evidence.upstream_records.json_fields import make_query_words
from citeproof.evidence.upstream_records.openalex import make_record
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url, quote_segment
from citeproof.text.title import STOPWORDS
from citeproof.vocabulary import Cause, Kind, Question, Record

ROWS = 10
SELECT = (
    "id,doi,title,display_name,publication_year,type,authorships,primary_location,locations,biblio,ids,"
    "is_retracted"
)
SEARCH_USD, LIST_USD = 0.001, 0.0001
_MAX_WORDS = 12  # that must all be there; a long title is known by fewer
_NEVER = frozenset((Kind.PERSONAL_COMMUNICATION, Kind.LEGAL))


class OpenAlex(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("doi", "pmid", "pmcid", "title", "raw"))
    batches: ClassVar[dict[str, int]] = {"doi": 50, "pmid": 50, "title": 16}
    batch_is_sure: ClassVar[bool] = False
    batch_cutters: ClassVar[str] = ",|"
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="OpenAlex",
        url="https://api.openalex.org",
        rate=Rate(50, at_once=4),
        probe=("doi", "10.1038/nature14539"),
        turns={"doi": 3, "pmid": 2, "pmcid": 2},
        confirms=frozenset(("doi",)),
        covers=frozenset((Kind.ARTICLE, Kind.PREPRINT)),
        key=KeyNeed.OPTIONAL,
        truncates_authors=True,
        search_order=2,
        typical=0.6,
        budget="USD",
        misses_appearances=True,
        licence="CC0",
    )

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        """Return the work with the identifier, or the works nearest to the title or citation."""
        if question.by in ("title", "raw"):
            return await self._search(question, visit)
        path = f"works/{question.by}:{quote_segment(question.value)}"
        answer = await visit.get(self._request(path, 0.0, {"select": SELECT}))
        return self.one_record(answer) if answer else ()

    async def _search(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        words = _pick_words(question.value)
        if not words:
            raise CannotAnswerError(Cause.NOT_COVERED, "there are no words to search for")
        if question.by == "title":
            works = await self._works(visit, {"filter": f"title.search:{' '.join(words[:_MAX_WORDS])}"})
            if works or len(words) == 1:
                return works
        # operators are in capitals, the words are not: none of them is taken for one
        return await self._works(visit, {"search": " OR ".join(words[: 2 * _MAX_WORDS])})

    async def _works(self, visit: SourceSession, params: dict[str, str | int]) -> Sequence[Record]:
        params |= {"per-page": ROWS, "select": SELECT}
        answer = await visit.get(self._request("works", SEARCH_USD, params))
        assert answer is not None  # no status of a list says "no such thing"
        return self.batch_records("title", answer)

    def _request(self, path: str, cost: float, params: dict[str, str | int]) -> Request:
        return Request(
            self.name,
            build_url(self.wiring.url, path, **params),
            secret_headers=self.make_bearer(),
            absent=frozenset() if path == "works" else frozenset((404, 410)),
            cost=cost,
        )

    def batch(self, by: str, values: Sequence[str]) -> Request:
        cost = LIST_USD
        if by == "title":
            by, cost = "title.search", SEARCH_USD
            values = [" ".join(_pick_words(value)[:_MAX_WORDS]) for value in values]
        wanted = f"{by}:{'|'.join(filter(None, values))}"
        return self._request("works", cost, {"filter": wanted, "per-page": 100, "select": SELECT})

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:  # noqa: ARG002 - same for all
        """Return the records of a list, or the one record of a single answer."""
        body = answer.json()
        listed = body.get("results") if isinstance(body, dict) else None
        if isinstance(listed, list) and isinstance(body.get("meta"), dict):
            unread = f"none of the {len(listed)} works in the answer could be read"
            return read_records(listed, make_record, unread)
        if not isinstance(body, dict) or "results" in body or not isinstance(body.get("id"), str):
            raise UnreadableError("neither a work nor a list of works (`results`)")
        single = make_record(body)
        if single is None:
            raise CannotAnswerError(Cause.NOT_COVERED, "known to OpenAlex, but without a title: no work")
        return (single,)

    def suits(self, question: Question) -> bool:
        """Return False for what no index holds."""
        return question.by not in ("title", "raw") or question.reference.kind not in _NEVER


def _pick_words(text: str) -> list[str]:
    """Return the words to search for, in order: those that say something, if there are any."""
    every = make_query_words(text).split()
    return [word for word in every if word not in STOPWORDS and len(word) > 1] or every
