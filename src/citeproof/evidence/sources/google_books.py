"""Google Books: Google's catalogue of scanned and publisher-supplied books.

**Covers** tens of millions of books in all languages. **Silence** on a book title counts together with
that of another book source; an unknown ISBN proves nothing.

**Asked by** ISBN and by title (`intitle:`), with the subtitle first and, if that finds nothing, without.

**Needs a key:** without one the quota is zero and every request is answered 429. Create an API key in
the Google Cloud console, enable the Books API for it, and set `CITEPROOF_GOOGLE_BOOKS_KEY`. The key is
sent in the header `X-Goog-Api-Key`, never in an address. The usual quota is 1,000 requests a day.

**Identifiers of its own:** the volume id (`zyTCAlFPjgYC`), which is the record's id.

**Known quirks**

- An ISBN query may return volumes that only mention the ISBN: those without it are dropped.
- `items` is missing, not empty, when nothing was found; `totalItems` is an estimate and unreliable.
- `publishedDate` is that of the edition available, often a reprint's; subtitles come apart from titles.
- Author lists are usually complete, but editors and illustrators are among authors.
- Answers differ by country of the asking address.

**Licence:** Google's API terms; answers may not be stored for long or passed on as a data set.
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
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Rate, Request, UnreadableError, build_url
from citeproof.vocabulary import Cause, Ids, Kind, Question, Record, Version

_ROWS = 8
_SUITED = frozenset((Kind.BOOK, Kind.CHAPTER))


class GoogleBooks(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("isbn", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="Google Books",
        url="https://www.googleapis.com/books/v1",
        rate=Rate(1, at_once=1),
        probe=("isbn", "9780262035613"),
        turns={"isbn": 2},
        covers=frozenset((Kind.BOOK,)),
        key=KeyNeed.REQUIRED,
        search_order=3,
        licence="Google API terms of service",
    )

    def suits(self, question: Question) -> bool:
        return question.by == "isbn" or question.reference.kind in _SUITED

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "isbn":
            volumes = await self._search(f"isbn:{question.value}", visit)
            return [record for record in volumes if question.value in record.ids.all("isbn")]
        whole = json_fields.make_query_words(question.value, 200)
        volumes = await self._search(f'intitle:"{whole}"', visit) if whole else ()
        short = json_fields.make_query_words(json_fields.strip_subtitle(question.value), 200)
        return volumes or (await self._search(f'intitle:"{short}"', visit) if short != whole else ())

    async def _search(self, query: str, visit: SourceSession) -> Sequence[Record]:
        url = build_url(self.wiring.url, "/volumes", q=query, maxResults=_ROWS, printType="books")
        key = self.wiring.key
        secret = (("X-Goog-Api-Key", "", key),) if key else ()
        answer = await visit.get(Request(self.name, url, secret_headers=secret, absent=frozenset()))
        return _read_records(answer.json() if answer else None)


def _read_records(body: object) -> list[Record]:
    """Return the volumes of an answer; without `items` there are none."""
    if not isinstance(body, dict) or "error" in body:
        error = json_fields.read_table(json_fields.read_path(body, "error"))
        if error.get("status") == "RESOURCE_EXHAUSTED" or error.get("code") == 429:
            raise CannotAnswerError(Cause.RATE_LIMITED, json_fields.read_text(error.get("message"), 200))
        raise UnreadableError("no list of volumes in the answer")
    items = body.get("items", [])
    if not isinstance(body.get("totalItems"), int) or not isinstance(items, list):
        raise UnreadableError("no list of volumes in the answer")
    if body["totalItems"] and not items:
        raise UnreadableError("hits without any volume in the answer")
    return read_records(items, _make_record, "hits without any volume in the answer")


def _make_record(item: dict[str, object]) -> Record | None:
    info = json_fields.read_table(item.get("volumeInfo"))
    titles = json_fields.list_titles(info.get("title"), info.get("subtitle"))
    if not titles:
        return None
    numbers = [each.get("identifier") for each in json_fields.read_rows(info.get("industryIdentifiers"))]
    return Record(
        source=GoogleBooks.name,
        id=json_fields.read_text(item.get("id"), 100),
        titles=titles,
        authors=json_fields.parse_people(json_fields.read_texts(info.get("authors"))),
        versions=(Version(year=json_fields.read_year(info.get("publishedDate")), kind=Kind.BOOK),),
        kind=Kind.BOOK,
        publisher=json_fields.read_text(info.get("publisher")) or None,
        ids=Ids(json_fields.make_id_pairs("isbn", numbers)),
    )
