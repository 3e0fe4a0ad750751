"""Crossref: the registry of most journals, books, chapters and proceedings.

**Covers** journal articles, book chapters and conference papers with a Crossref DOI (IEEE, ACM, ACL,
Springer, Elsevier …), many books, reports and standards, and the preprints of bioRxiv, medRxiv, ChemRxiv
and others.

**Its silence** on a title counts for articles and chapters, together with a second source. It means nothing
for preprints and for venues that have no DOIs: NeurIPS, ICML and the rest of PMLR, ICLR, JMLR, TMLR, CEUR.
Its silence on a DOI never means that the DOI does not exist: DOIs of DataCite, ISTIC, KISTI, JaLC, mEDRA and
OP are unknown here. The handle system is asked for that.

**Limits** 10 requests a second and 3 lists a second with a contact address, three at a time; 5 and 1 without,
one at a time. No key. DOIs are asked for in lists of 20. Give a contact address (`CITEPROOF_CONTACT`): it
goes into the `mailto` parameter and earns the higher rate.

**Searches** A title is searched in titles (`query.title`); a short one together with the first author's
family name, and when nothing with that title comes back, once more without the author, who may be wrong. A
whole citation goes to `query.bibliographic`. A mention (`Smith & Jones 2004, Brain`) is searched by
`query.author` among the works of that year and the years next to it, with the words of the sentence and the
journal, then without them; works by others are dropped. A search always returns something: the nearest
works, not equal ones. For claims, the notices about a DOI are searched too (`filter=updates:DOI`): the record
of a retracted work often has no `updated-by`.

**Authors** are whole lists. A `name` in the place of a family name is a group.

**Quirks**

- Third parties register copies of well-known papers as posted content (`10.65215/…`); they outrank the
  originals in searches and are put last here.
- Reviews on JSTOR are typed as articles, list the reviewed book's author as a co-author, and give the first
  page only.
- The proceedings of NeurIPS (`10.52202/…`) list their people by the alphabet; their order proves nothing.
- `publisher` is the one who holds the prefix today.
- Titles come with tags and MathML, in capitals, or with `RETRACTED:` before them; that becomes the mark
  `retracted`. Marks are also read from `updated-by`, by its type: an erratum is no retraction.
- `created` is the day of registration. It counts as the year only where no other date is given.
- Journals, issues and components have DOIs too. One without a title describes no work and is answered with
  "not covered".

**Licence** The metadata are facts, free to reuse; abstracts may be under copyright and are not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from citeproof.evidence.sources._field_hints import OTHER_AGENCY, is_datacite_doi, pick_sentence_words
from citeproof.evidence.sources.base import (
    CannotAnswerError,
    LiveSource,
    SourceProfile,
    SourceSession,
    read_list,
    read_records,
)
from citeproof.evidence.upstream_records.crossref import add_cited_works, make_record, read_notice_marks
from citeproof.evidence.upstream_records.json_fields import make_query_words, read_text
from citeproof.evidence.upstream_records.stated_facts import mark_crossref
from citeproof.judgement.compare.title import is_known_title
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url, quote_segment
from citeproof.text import doi, venue_match
from citeproof.text.names import make_family_key
from citeproof.vocabulary import Cause, Kind, Name, Question, Reach, Record, Reference

ROWS = 5
NOTICE_ROWS = 20
MENTION_ROWS = 40  # works of one year by people of one name
MOST_PEOPLE = 3
# What /works accepts in `select` and the shape reads; one unknown word there fails the whole request.
SELECT = (
    "DOI,type,title,subtitle,original-title,author,editor,container-title,publisher,published,issued,"
    "published-print,published-online,posted,created,volume,issue,page,article-number,ISBN,group-title,updated-by,"
    "relation"
)
_KINDS = frozenset((Kind.ARTICLE, Kind.CHAPTER))
_NEVER = frozenset((Kind.PERSONAL_COMMUNICATION, Kind.LEGAL))
_NO_DOIS = frozenset(
    "neurips icml iclr aistats uai colt alt acml corl l4dc collas clear log automl mlhc ml4h midl mlsys colm "  # noqa: SIM905 - words read best as words
    "jmlr tmlr pmlr ceur usenixsecurity atc".split()
)
_ELSEWHERE = frozenset(("10.48550", "10.5281", "10.6084", "10.5061", "10.7910", "10.1594", "10.17182"))
_LONG = 6  # words of a title that leads to its work without the author's name
_REPOSTS = frozenset(("10.65215",))


class Crossref(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("doi", "isbn", "title", "raw", "mention"))
    batches: ClassVar[dict[str, int]] = {"doi": 40}
    batch_is_sure: ClassVar[bool] = False
    batch_cutters: ClassVar[str] = ","  # a comma ends a filter, and cannot be escaped
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="Crossref",
        url="https://api.crossref.org",
        rate=Rate(10, at_once=3),
        probe=("doi", "10.1038/nature14539"),
        turns={"doi": 1, "isbn": 3},
        lanes={"list": Rate(3, at_once=3)},
        contact=True,
        anonymous=Rate(5, at_once=1),
        anonymous_lanes={"list": Rate(1, at_once=1)},
        covers=_KINDS,
        required=_KINDS,
        search_order=1,
        typical=2.0,
        misses_appearances=True,
        licence="facts, free to reuse",
    )

    def choose_turn(self, question: Question) -> int:
        """A DOI that DataCite keeps is asked for last."""
        other = question.by == "doi" and is_datacite_doi(question.value)
        return OTHER_AGENCY if other else super().choose_turn(question)

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        """Return the work with the DOI or ISBN, or the works nearest to the title or citation."""
        match question.by:
            case "doi":
                answer = await visit.get(self._single(question.value))
                return self.one_record(answer) if answer else ()
            case "isbn":
                held = await self._works(visit, {"filter": f"isbn:{question.value}"})
                return sorted(held, key=lambda record: record.kind is not Kind.BOOK)  # chapters have it too
            case "updates":
                return await self._find_notices(question.value, visit)
            case "title":
                return await self._search_title(question, visit)
            case "mention":
                return await self._search_mention(question.reference, visit)
        return await self._works(visit, {"query.bibliographic": read_text(question.value, 500)})

    async def _find_notices(self, value: str, visit: SourceSession) -> Sequence[Record]:
        """Return the notices about the work with a DOI, each with the mark that it gives the work."""
        if set(self.batch_cutters).intersection(value):  # the work's own record must do
            answer = await visit.get(self._single(value))
            return self.one_record(answer) if answer else ()
        answer = await visit.get(
            self._list({"filter": f"updates:{value}"}, NOTICE_ROWS, f"{SELECT},update-to")
        )
        assert answer is not None  # as in `_works`
        items = read_list(answer.json(), "message", "items", missing="no list of notices in the answer")
        noticed = ((make_record(item), read_notice_marks(item, value)) for item in items)
        return [replace(record, marks=marks) for record, marks in noticed if record and marks]

    async def _search_title(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        words = make_query_words(question.value)
        if not words:
            raise CannotAnswerError(Cause.NOT_COVERED, "the title has no words to search for")
        first = next((name for name in question.reference.claimed.authors if not name.collective), None)
        family = make_query_words(first.family, 60) if first and len(words.split()) < _LONG else ""
        works = await self._works(visit, {"query.title": words, "query.author": family or None})
        if not family or any(is_known_title(question.value, work.titles) for work in works):
            return works
        more = await self._works(visit, {"query.title": words})
        known = {work.id for work in more}
        return [*more, *(work for work in works if work.id not in known)]

    async def _search_mention(self, reference: Reference, visit: SourceSession) -> Sequence[Record]:
        """Return works of the year by the people named; once more without the sentence if it brings none."""
        claimed = reference.claimed
        people = " ".join(make_query_words(name.family, 60) for name in claimed.authors[:MOST_PEOPLE]).strip()
        if not people or claimed.year is None:
            raise CannotAnswerError(Cause.NOT_COVERED, "a mention without names or year")
        dated = f"from-pub-date:{claimed.year - 1},until-pub-date:{claimed.year + 1}"
        asked = {"query.author": people, "filter": dated}
        venue = make_query_words(claimed.venue, 120) if claimed.venue and "." not in claimed.venue else None
        narrow = {
            "query.container-title": venue,
            "query.bibliographic": pick_sentence_words(reference) or None,
        }
        works = await self._works(visit, {**asked, **narrow}, MENTION_ROWS)
        if any(narrow.values()) and not any(_is_led_by(record, claimed.authors[0]) for record in works):
            works = await self._works(visit, asked, MENTION_ROWS)
        return [record for record in works if _is_led_by(record, claimed.authors[0])]

    async def _works(
        self, visit: SourceSession, params: Mapping[str, str | None], rows: int = ROWS
    ) -> list[Record]:
        answer = await visit.get(self._list(params, rows))
        assert answer is not None  # no status of a list says "no such thing"
        return sorted(_read_records(answer), key=lambda record: doi.get_prefix(record.id) in _REPOSTS)

    def _single(self, value: str) -> Request:
        url = build_url(self.wiring.url, f"works/{quote_segment(value)}", mailto=self.wiring.contact or None)
        return Request(self.name, url)

    def _list(self, params: Mapping[str, str | None], rows: int, select: str = SELECT) -> Request:
        mailto = self.wiring.contact or None
        url = build_url(self.wiring.url, "works", **params, rows=rows, select=select, mailto=mailto)
        return Request(self.name, url, lane="list", absent=frozenset())

    def batch(self, by: str, values: Sequence[str]) -> Request:
        select = f"{SELECT},reference" if self.wiring.reference_lists else SELECT
        return self._list({"filter": ",".join(f"{by}:{value}" for value in values)}, len(values), select)

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:  # noqa: ARG002 - same for all
        """Return the records of a list, or the one record of a single answer."""
        body = answer.json()
        if not isinstance(body, dict) or body.get("message-type") != "work":
            return _read_records(answer)
        record = _make_whole_record(body.get("message"))
        if body.get("status") != "ok" or not isinstance(body.get("message"), dict):
            raise UnreadableError("no work in a work's answer")
        if record is None:
            raise CannotAnswerError(Cause.NOT_COVERED, "registered at Crossref, but without a title: no work")
        return (record,)

    def suits(self, question: Question) -> bool:
        """Return False for what is registered elsewhere or nowhere."""
        if question.by == "doi":
            return doi.get_prefix(question.value) not in _ELSEWHERE
        return question.reference.kind not in _NEVER

    def reach(self, question: Question) -> Reach:
        usual = super().reach(question)
        return Reach.PARTIAL if usual is Reach.COVERS and _is_without_doi(question.reference) else usual

    def is_required(self, question: Question) -> bool:
        return super().is_required(question) and not _is_without_doi(question.reference)


def _is_led_by(record: Record, name: Name) -> bool:
    """Return whether the first author has the family name, alone or as the last part of a double one."""
    key = make_family_key(name)
    return bool(record.authors) and make_family_key(record.authors[0]).endswith(key)


def _is_without_doi(reference: Reference) -> bool:
    """Return whether the work is cited from a place that gives its works no Crossref DOIs."""
    claimed = reference.claimed
    venues = [venue_match.parse_venue(name[:300]) for name in (claimed.venue, claimed.series) if name]
    return any(venue.preprint or venue.series & _NO_DOIS for venue in venues)


def _read_records(answer: Answer) -> list[Record]:
    """Return the works of a list. Works in a form that cannot be read are not absent."""
    body, missing = answer.json(), "no list of works (`message.items`) in the answer"
    items = read_list(body, "message", "items", missing=missing)
    if body.get("status") != "ok":
        raise UnreadableError(missing)
    return read_records(
        items, _make_whole_record, f"none of the {len(items)} works in the answer could be read"
    )


def _make_whole_record(item: object) -> Record | None:
    record = mark_crossref(item, make_record(item))
    return add_cited_works(item, record) if record else None
