"""DataCite: the registry of data sets, software, and what repositories hold.

**Covers** data sets (Dryad, PANGAEA, Dataverse, figshare), software and much else on Zenodo, theses, reports,
and every arXiv paper under its DOI `10.48550/arXiv.…`.

**Its silence** on a title means nothing: most data and software are deposited nowhere. Its silence on a DOI
never means that the DOI does not exist: most DOIs are Crossref's, and a withdrawn DOI is hidden here while
its handle still resolves.

**Limits** 1,000 requests in five minutes with a contact address, 500 without. No key. DOIs are asked for in
lists of 20. Limits are counted per address of the network and are not announced in answers.

**Searches** The words of a title are searched in titles, any of them, most alike first: the nearest works
come back, not equal ones. Only page numbers keep that order; with cursors the newest come first.

**Authors** are whole lists, except where a deposit says that they are not (`(:etal)`).

**Quirks**

- Unknown creators are written `(:unkn) unknown`; they are left out and the list counts as cut.
- `nameType` is missing or wrong for many groups, and some deposits put a whole list into one name.
- A title, a publisher's name or a date may be framed in line breaks. A publisher may be an object.
- The year may be that of the last update; the dates of issue, release, submission and creation are stored as
  versions next to it.
- `types.bibtex` and `types.citeproc` are guesses (`misc`, `article` for books) and are not read.
- A missing DOI is answered with 404 and JSON (`errors`).
- There is no sign of retraction.

**Licence** CC0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from citeproof.evidence.sources._field_hints import OTHER_AGENCY, is_datacite_doi
from citeproof.evidence.sources.base import (
    CannotAnswerError,
    LiveSource,
    SourceProfile,
    SourceSession,
    read_records,
)
from citeproof.evidence.upstream_records.datacite import make_record
from citeproof.evidence.upstream_records.json_fields import make_query_words
from citeproof.evidence.upstream_records.stated_facts import mark_datacite
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url, quote_path
from citeproof.text import doi
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Cause, Kind, Question, Record

ROWS = 5
_MAX_WORDS = 30  # of a title; more only make the query slow
_HELD = frozenset((Kind.DATASET, Kind.SOFTWARE))
_SEARCHED = _HELD | {Kind.PREPRINT, Kind.THESIS, Kind.REPORT, Kind.WEB_PAGE, Kind.UNKNOWN}
_HINT = re.compile(
    r"arxiv|corr\b|zenodo|figshare|dryad|pangaea|dataverse|mendeley data|dagstuhl", re.IGNORECASE
)
# Publishers whose DOIs are all Crossref's: asking here for one of theirs is a wasted request.
_ELSEWHERE = frozenset(
    "10.1001 10.1002 10.1006 10.1007 10.1016 10.1017 10.1021 10.1029 10.1037 10.1038 10.1039 10.1049 10.1056 "  # noqa: SIM905 - words read best as words
    "10.1063 10.1073 10.1080 10.1086 10.1088 10.1093 10.1098 10.1101 10.1103 10.1109 10.1111 10.1115 10.1117 "
    "10.1126 10.1136 10.1137 10.1142 10.1145 10.1146 10.1155 10.1162 10.1177 10.1186 10.1191 10.1200 10.1287 "
    "10.1371 10.1515 10.1613 10.18653 10.2307 10.3115 10.3389 10.3390 10.4103 10.5194 10.7554".split()
)


class DataCite(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("doi", "title"))
    batches: ClassVar[dict[str, int]] = {"doi": 20}
    batch_is_sure: ClassVar[bool] = False
    batch_cutters: ClassVar[str] = ","
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="DataCite",
        url="https://api.datacite.org",
        rate=Rate(1000, 300, at_once=4),
        probe=("doi", "10.48550/arXiv.1706.03762"),
        turns={"doi": 1},
        contact=True,
        anonymous=Rate(500, 300, at_once=2),
        search_order=3,
        misses_appearances=True,
        licence="CC0",
    )

    def choose_turn(self, question: Question) -> int:
        """A DOI that Crossref keeps is asked for last."""
        other = question.by == "doi" and not is_datacite_doi(question.value)
        return OTHER_AGENCY if other else super().choose_turn(question)

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        """Return the work with the DOI, or the works nearest to the title."""
        mailto = self.wiring.contact or None
        if question.by == "doi":
            url = build_url(self.wiring.url, f"dois/{quote_path(question.value)}", mailto=mailto)
            answer = await visit.get(Request(self.name, url))
            return self.one_record(answer) if answer else ()
        words = make_query_words(question.value).split()[:_MAX_WORDS]
        if not words:
            raise CannotAnswerError(Cause.NOT_COVERED, "the title has no words to search for")
        params = {"query": f"titles.title:({' OR '.join(words)})", "sort": "relevance"}
        answer = await visit.get(self._list(params, ROWS))
        assert answer is not None  # no status of a list says "no such thing"
        return self.batch_records("title", answer)

    def _list(self, params: dict[str, str], rows: int) -> Request:
        page: dict[str, int] = {"page[number]": 1, "page[size]": rows}
        url = build_url(self.wiring.url, "dois", **params, **page, mailto=self.wiring.contact or None)
        return Request(self.name, url, absent=frozenset())

    def batch(self, by: str, values: Sequence[str]) -> Request:  # noqa: ARG002 - only DOIs
        return self._list({"ids": ",".join(values)}, len(values))

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:  # noqa: ARG002 - same for all
        """Return the records of a list, or the one record of a single answer."""
        body = answer.json()
        data = body.get("data") if isinstance(body, dict) else None
        if isinstance(data, list):
            return read_records(
                data, _make_record, f"none of the {len(data)} DOIs in the answer could be read"
            )
        if not isinstance(data, dict) or not isinstance(data.get("attributes"), dict):
            raise UnreadableError("no DOI (`data.attributes`) in the answer")
        single = _make_record(data)
        if single is None:
            raise CannotAnswerError(Cause.NOT_COVERED, "registered at DataCite, but without a title: no work")
        return (single,)

    def suits(self, question: Question) -> bool:
        """Return False for DOIs of the large journals, and for the titles of articles and books."""
        if question.by == "doi":
            return doi.get_prefix(question.value) not in _ELSEWHERE
        claimed = question.reference.claimed
        place = f"{claimed.venue or ''} {claimed.publisher or ''}"[:400]
        return question.reference.kind in _SEARCHED or _HINT.search(place) is not None


def _make_record(item: object) -> Record | None:
    return mark_datacite(item, make_record(item))
