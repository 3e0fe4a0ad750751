"""Semantic Scholar: the Academic Graph, some 200 million papers of all fields, with their identifiers.

**Covers** articles and preprints of all fields, best in computing and biomedicine. Asked by DOI, arXiv
number, PMID, PMCID, ACL Anthology id, and by title. It is the best cross-walk from one identifier to the
others: one record often names the preprint, the proceedings and the PubMed entry of a paper.

**Silence** in a title search counts (`covers`) for articles and preprints. It
is no authority for any identifier, and nothing waits for it: without a key it often cannot answer.

**Key.** Optional, and needed in practice. Keys are free, asked for by a form at
<https://www.semanticscholar.org/product/api>, and are withdrawn when unused for some two months. With a
key one request a second is allowed over all endpoints. Without one all users of the world share one pool,
which answers 429 to nearly everything. Set `CITEPROOF_SEMANTIC_SCHOLAR_KEY`.

**Truncates author lists**: at 500 names. Names are single strings, given names are often initials only,
and a list harvested from a PDF may lack people: it confirms better than it convicts.

**Quirks.** A title is matched by the server: one best paper, or 404 "Title match not found", which is a
definite no. The year is that of the first appearance and the venue that of the last, so a paper of ICLR
2020 may be given as ICLR with the year 2019. A batch answers `null` for what it does not know. Limits are
reported with 429 and no `Retry-After`. There is no field for retractions.

**Licence.** The API's terms forbid redistribution of its data; the bulk datasets are ODC-BY.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar
from urllib.parse import quote

import msgspec

from citeproof.evidence.sources.base import (
    CannotAnswerError,
    KeyNeed,
    LiveSource,
    SourceProfile,
    SourceSession,
    read_records,
)
from citeproof.evidence.upstream_records.json_fields import (
    check_year,
    collect_ids,
    list_titles,
    parse_people,
    read_rows,
    read_table,
    read_text,
    split_retraction_mark,
)
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url
from citeproof.text import arxiv, dates, names, pages, venue_name
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_kinds
from citeproof.text.title import clean
from citeproof.vocabulary import Cause, Ids, Kind, Question, Record, Version

_PREFIXES = {"doi": "DOI", "arxiv": "ARXIV", "pmid": "PMID", "pmcid": "PMCID", "acl": "ACL"}
_ROOT = "/graph/v1"
_LONGEST = 300  # characters of a title that are sent
_NO_MATCH = re.compile(r"title match not found", re.IGNORECASE)
_NO_PAPER = re.compile(r"paper with id .{1,3000} not found", re.IGNORECASE | re.DOTALL)
FIELDS = (
    "paperId,externalIds,title,year,publicationDate,venue,publicationVenue,journal,publicationTypes,authors"
)
# Lists end at 500 names exactly: the recorded answers for the Global Burden of Disease study, "The Llama 3
# Herd of Models" and "Gemini 2.5" have 500 each, of more; no other list among 587 is as long.
LISTED = 500

_SCHEMES = {"DOI": "doi", "ArXiv": "arxiv", "PubMed": "pmid", "ACL": "acl", "DBLP": "dblp"}
_ARXIV = frozenset(("arxiv", "arxiv.org", "corr"))


class SemanticScholar(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset((*_PREFIXES, "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="Semantic Scholar",
        url="https://api.semanticscholar.org",
        rate=Rate(1, at_once=1),
        probe=("doi", "10.1038/nature14539"),
        turns={"doi": 4, "pmid": 3, "arxiv": 2, "acl": 2},
        confirms=frozenset(("doi", "arxiv")),
        covers=frozenset((Kind.ARTICLE, Kind.PREPRINT)),
        key=KeyNeed.OPTIONAL,
        truncates_authors=True,
        search_order=2,
        typical=0.3,
        misses_appearances=True,
        licence="API terms: no redistribution",
    )
    batches: ClassVar[dict[str, int]] = dict.fromkeys(_PREFIXES, 100)
    batch_is_sure: ClassVar[bool] = False

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        """Return the paper with this identifier, or the one whose title fits best."""
        if question.by == "title":
            return await self._match(question.value, visit)
        by, value = question.by, question.value
        dots = {".", ".."}.intersection(value.split("/"))  # a client would take these for steps in a path
        path = quote(f"{_PREFIXES[by]}:{value}", safe=":" if dots else ":/")  # as in the API's own examples
        answer = await visit.get(self._request(path))
        if answer is None:
            _check_negative(visit.last, _NO_PAPER)
            return ()
        return [  # a paper may have more identifiers than the graph lists
            record
            if value in record.ids.all(by)
            else replace(record, ids=Ids((*record.ids.pairs, (by, value))))
            for record in self.batch_records(by, answer)
        ]

    async def _match(self, title: str, visit: SourceSession) -> Sequence[Record]:
        words = " ".join(clean(title).split())[:_LONGEST]
        if not any(map(str.isalnum, words)):
            raise CannotAnswerError(Cause.NOT_COVERED, "the title has no words to search for")
        answer = await visit.get(self._request("search/match", query=words))
        if answer is None:
            _check_negative(visit.last, _NO_MATCH)
            return ()
        body = answer.json()
        listed = body.get("data") if isinstance(body, dict) else None
        if not isinstance(listed, list):
            raise _explain_odd_body(body)
        return _make_records(listed)

    def batch(self, by: str, values: Sequence[str]) -> Request:
        """Return the one request for many papers; it may name several kinds of identifiers."""
        named = msgspec.json.encode({"ids": [f"{_PREFIXES[by]}:{value}" for value in values]})
        request = self._request("batch")
        return replace(request, method="POST", body=named, content_type="application/json")

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:  # noqa: ARG002 - all are alike
        """Return the papers of a batch, or the one of a single question; `null` is one not known."""
        body = answer.json()
        if isinstance(body, list):
            return _make_records([item for item in body if item is not None])
        if isinstance(body, dict) and "paperId" in body:
            return _make_records([body])
        raise _explain_odd_body(body)

    def suits(self, question: Question) -> bool:
        """Return whether the graph may hold it: papers, not pages, laws or letters."""
        return question.by != "title" or question.reference.kind not in _ELSEWHERE

    def _request(self, path: str, **params: str) -> Request:
        base = self.wiring.url.rstrip("/").removesuffix(_ROOT)  # a setting may name the host or the API
        url = build_url(base, f"{_ROOT}/paper/{path}", fields=FIELDS, **params)
        key = self.wiring.key
        return Request(self.name, url, secret_headers=(("x-api-key", "", key),) if key else ())


_ELSEWHERE = frozenset((Kind.WEB_PAGE, Kind.LEGAL, Kind.PERSONAL_COMMUNICATION, Kind.STANDARD, Kind.SOFTWARE))


def _make_records(listed: Sequence[object]) -> Sequence[Record]:
    return read_records(listed, make_record, "no paper of the answer has a title and an id")


def _check_negative(answer: Answer | None, words: re.Pattern[str]) -> None:
    """Raise unless a 404 is the API's own, which says in its body that there is none."""
    body = answer.json() if answer else None
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, str) or not words.search(error):
        raise UnreadableError("a 404 that does not say that there is no such paper")


def _explain_odd_body(body: object) -> Exception:
    """Return what a body without papers means: limits are sometimes reported with a 200."""
    if isinstance(body, dict) and str(body.get("code")) == "429":
        return CannotAnswerError(Cause.RATE_LIMITED, "Semantic Scholar says: too many requests")
    return UnreadableError("not an answer of the Academic Graph")


def make_record(item: object) -> Record | None:
    """Return the record of a paper; None if the object names none."""
    paper = read_table(item)
    titles, marks = split_retraction_mark(list_titles(paper.get("title")))
    own = read_text(paper.get("paperId"), 80)
    if not titles or not own:
        return None
    listed = [read_text(author.get("name"), names.MAX_NAME) for author in read_rows(paper.get("authors"))]
    known = _read_ids(read_table(paper.get("externalIds")))
    versions = tuple(_read_versions(paper, known))
    return Record(
        source="semantic_scholar",
        id=own,
        titles=titles,
        authors=parse_people(listed),
        authors_complete=len(listed) < LISTED,
        versions=versions,
        kind=_find_kind(paper, versions),
        ids=Ids(known),
        marks=marks,
    )


def _read_ids(stated: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return all identifiers; an arXiv number also names the DOI that arXiv registers for it."""
    central = f"PMC{read_text(stated.get('PubMedCentral'), 20).removeprefix('PMC')}"
    listed = ((scheme, (stated.get(name),)) for name, scheme in _SCHEMES.items())
    pairs = collect_ids(*listed, ("pmcid", (central,)))
    registered = (("doi", f"10.48550/arxiv.{value}") for scheme, value in pairs if scheme == "arxiv")
    return tuple(dict.fromkeys((*pairs, *registered)))


def _read_versions(paper: dict[str, object], known: tuple[tuple[str, str], ...]) -> Iterator[Version]:
    """Yield the appearances: in each venue that is named, and at arXiv."""
    year = check_year(paper.get("year"))
    dated = dates.find_year(read_text(paper.get("publicationDate"), 40))
    years = dict.fromkeys((year or dated, dated or year))
    journal = read_table(paper.get("journal"))
    printed = read_text(journal.get("volume"), 60)
    volume = printed if printed and not printed.lower().startswith("abs/") else None  # "abs/1706.03762"
    span = pages.normalise(read_text(journal.get("pages"), 60))
    stated_venues = (
        read_table(paper.get("publicationVenue")).get("name"),
        paper.get("venue"),
        journal.get("name"),
    )
    by_fold = {name.casefold(): name for name in map(read_text, stated_venues) if name}
    venues = [name for fold, name in by_fold.items() if fold not in _ARXIV]
    number = next((value for scheme, value in known if scheme == "arxiv"), None)
    unnamed: list[str | None] = [] if number else [None]
    for venue in venues or unnamed:
        server = venue is not None and venue_name.parse_venue(venue).preprint
        for when in years:
            yield Version(when, venue, Kind.PREPRINT if server else Kind.UNKNOWN, volume, None, span)
    if number:
        stated = arxiv.read_year_month(number)
        first = (stated[0],) if stated else ()
        for when in dict.fromkeys((*first, *(() if venues else years))):
            yield Version(when, "arXiv", Kind.PREPRINT)


def _find_kind(paper: dict[str, object], versions: tuple[Version, ...]) -> Kind:
    if versions and all(version.kind is Kind.PREPRINT for version in versions):
        return Kind.PREPRINT  # they call these journal articles, of the journal "ArXiv"
    types = paper.get("publicationTypes")
    stated = map(read_text, types) if isinstance(types, list) else ()
    return next(filter(None, map(load_kinds("semantic_scholar").get, stated)), Kind.UNKNOWN)
