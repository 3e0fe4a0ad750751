"""Open Library: the Internet Archive's open catalogue of books.

**Covers** books with and without ISBN, tens of millions of editions, mostly English, made by importing
library and bookseller records and by volunteers. **Silence** on a book title counts together with that
of another book source; silence on an ISBN proves little, because many editions were never added.

**Asked by** ISBN (twenty in one request) and by title. A title is asked whole first; if that finds
nothing and the title has a subtitle, once more without it, because many entries lack the subtitle.

**Costs** nothing, needs no key. The catalogue asks for 1 request a second, 3 with a contact address in
the User-Agent, and not to be used as a backend for heavy traffic: its monthly dumps are for that.

**Identifiers of its own:** `OL…M` (edition) and `OL…W` (work); the record's id is one of these.

**Known quirks**

- Diacritics are often missing, and titles may be a bookseller's ("Deep Learning (Adaptive Computation
  and Machine Learning series)"): compare loosely.
- Co-authors are often missing, editors are among authors. Its author lists can confirm, not convict:
  records are marked as incomplete.
- A search hit is a work with the years and ISBNs of *all* its editions; a hit by ISBN is one edition.
- `{}` with status 200 is how it says that it knows none of the ISBNs.
- `/api/books?format=json` has answered 404 where `/api/books.json` answers.

**Licence:** Open Library asserts no rights in its data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from citeproof.evidence.sources.base import LiveSource, SourceProfile, SourceSession, read_list, read_records
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url
from citeproof.text import dates, ids
from citeproof.vocabulary import Ids, Kind, Question, Record, Version

_FIELDS = "key,title,subtitle,author_name,first_publish_year,publish_year,publisher,isbn"
_MOST_EDITIONS = 40  # years and ISBNs stored of a work with hundreds of editions
_PREFIX = "ISBN:"


class OpenLibrary(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("isbn", "title"))
    batches: ClassVar[Mapping[str, int]] = {"isbn": 20}
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="Open Library",
        url="https://openlibrary.org",
        rate=Rate(3, at_once=2),
        probe=("isbn", "9780262035613"),
        turns={"isbn": 1},
        anonymous=Rate(1, at_once=1),
        contact=True,
        covers=frozenset((Kind.BOOK,)),
        required=frozenset((Kind.BOOK,)),
        truncates_authors=True,
        search_order=1,
        licence="no rights asserted",
    )

    def suits(self, question: Question) -> bool:
        """Books and parts of books; other kinds only when an ISBN says that it is one."""
        reference = question.reference
        return (
            question.by == "isbn"
            or reference.kind in (Kind.BOOK, Kind.CHAPTER)
            or reference.claimed.ids.first("isbn") is not None
        )

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "isbn":
            answer = await visit.get(self.batch("isbn", [question.value]))
            return self.batch_records("isbn", answer) if answer else ()
        whole = json_fields.make_query_words(question.value)
        works = await self._search(whole, visit)
        short = json_fields.make_query_words(json_fields.strip_subtitle(question.value))
        return works or (await self._search(short, visit) if short != whole else ())

    def batch(self, by: str, values: Sequence[str]) -> Request:  # noqa: ARG002 - ISBNs only
        keys = ",".join(_PREFIX + value for value in values)
        return Request(
            self.name,
            build_url(self.wiring.url, "/api/books.json", bibkeys=keys, jscmd="data"),
            absent=frozenset(),
        )

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:  # noqa: ARG002 - ISBNs only
        body = answer.json()
        if not isinstance(body, dict) or not all(key.startswith(_PREFIX) for key in body):
            raise UnreadableError("no table of ISBNs in the answer")
        records = [_make_edition_record(json_fields.read_table(item), key) for key, item in body.items()]
        if body and not any(records):
            raise UnreadableError("editions without any title in the answer")
        return [record for record in records if record]

    async def _search(self, title: str, visit: SourceSession) -> Sequence[Record]:
        if not title:
            return ()
        url = build_url(self.wiring.url, "/search.json", title=title, fields=_FIELDS, limit=8)
        answer = await visit.get(Request(self.name, url, absent=frozenset()))
        body = answer.json() if answer else None
        docs = read_list(body, "docs", missing="no list of works in the answer")
        if not docs and json_fields.read_path(body, "numFound") != 0:
            raise UnreadableError("hits without any work in the answer")
        return read_records(docs, _make_work_record, "hits without any work in the answer")


def _make_edition_record(item: dict[str, object], asked: str) -> Record | None:
    """Return one edition of a `jscmd=data` answer; it carries the ISBN it was asked by."""
    titles = json_fields.list_titles(item.get("title"), item.get("subtitle"))
    if not titles:
        return None
    given = json_fields.read_table(item.get("identifiers"))
    own = [
        ids.normalise_id("isbn", asked.removeprefix(_PREFIX)),
        *_list_isbns(given.get("isbn_13"), given.get("isbn_10")),
    ]
    publishers, authors = (
        [json_fields.read_text(each.get("name")) for each in json_fields.read_rows(item.get(group))]
        for group in ("publishers", "authors")
    )
    return Record(
        source=OpenLibrary.name,
        id=json_fields.read_text(item.get("key")).rpartition("/")[2],
        titles=titles,
        authors=json_fields.parse_people(authors),
        authors_complete=False,
        versions=(Version(year=json_fields.read_year(item.get("publish_date")), kind=Kind.BOOK),),
        kind=Kind.BOOK,
        publisher=next(iter(publishers), "") or None,
        ids=Ids(json_fields.make_id_pairs("isbn", own)),
    )


def _make_work_record(doc: dict[str, object]) -> Record | None:
    """Return one work of a search answer, with the years and ISBNs of its editions."""
    titles = json_fields.list_titles(doc.get("title"), doc.get("subtitle"))
    if not titles:
        return None
    printed = doc.get("publish_year")
    years = [doc.get("first_publish_year"), *(sorted(_list_years(printed), reverse=True)[:_MOST_EDITIONS])]
    return Record(
        source=OpenLibrary.name,
        id=json_fields.read_text(doc.get("key")).rpartition("/")[2],
        titles=titles,
        authors=json_fields.parse_people(json_fields.read_texts(doc.get("author_name"))),
        authors_complete=False,
        versions=tuple(Version(year=year, kind=Kind.BOOK) for year in dict.fromkeys(_list_years(years))),
        kind=Kind.BOOK,
        publisher=next(iter(json_fields.read_texts(doc.get("publisher"))), None),
        ids=Ids(json_fields.make_id_pairs("isbn", _list_isbns(doc.get("isbn")))[:_MOST_EDITIONS]),
    )


def _list_isbns(*lists: object) -> list[str]:
    return [value for each in lists for value in json_fields.read_texts(each)]


def _list_years(values: object) -> list[int]:
    many = values[: json_fields.MAX_ROWS] if isinstance(values, list) else []
    return [n for n in many if type(n) is int and dates.EARLIEST <= n <= dates.LATEST]
