"""K10plus: the union catalogue of the German library networks GBV and SWB.

**Covers** the holdings of some thousand research libraries, tens of millions of titles in all languages:
scholarly books, theses and reports with careful metadata, and many articles and chapters. **Silence** on
a book title counts together with that of another book source; an unknown ISBN proves nothing.

**Asked by** ISBN and by title, over SRU with MARC 21 XML. An ISBN is asked in both its forms in one
query, because records made before 2007 hold only the ten-digit form. A title is asked by its longest
words, all of which must occur, a short one together with the first author; if nothing fits, once more
with fewer words and the author, or without the author, so that one changed word or name does not look
like absence.

**Costs** nothing, needs no key; no limit is published, two requests a second are polite.

**Identifiers of its own:** the PPN, which is the record's id.

**Known quirks**

- Errors (SRU diagnostics) arrive with status 200: they are never "no hits".
- An ISBN also finds the other formats of the book (MARC 776): records whose own ISBN was asked come first.
- Hits come newest first, whatever fits best. Every edition is a record of its own; years of the original
  and of other formats are further versions.
- Records made before 2010 name at most three authors and say so in 245 $c ("[u.a.]"): such lists are
  marked as incomplete. Edited books have their editors in the place of authors.
- Parallel titles stand after " = " in the subtitle field; titles of other scripts are transliterated.

**Licence:** CC0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from lxml import etree

from citeproof.evidence.sources.base import LiveSource, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import json_fields, marc
from citeproof.plumbing.net.message import XML, Rate, Request, UnreadableError, build_url
from citeproof.text.title import STOPWORDS
from citeproof.vocabulary import Kind, Question, Record

_ROWS = 10
_MOST_WORDS = 6
_RESERVED = frozenset(("and", "or", "not", "prox", "sortby"))  # CQL's own words
_SUITED = frozenset((Kind.BOOK, Kind.CHAPTER, Kind.THESIS, Kind.REPORT))


class K10plus(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("isbn", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="K10plus",
        url="https://sru.k10plus.de/opac-de-627",
        rate=Rate(2, at_once=2),
        probe=("isbn", "9780262035613"),
        turns={"isbn": 2},
        covers=frozenset((Kind.BOOK,)),
        search_order=2,
        licence="CC0-1.0",
    )

    def suits(self, question: Question) -> bool:
        return question.by == "isbn" or question.reference.kind in _SUITED

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "isbn":
            isbn = question.value
            both = (isbn, _make_isbn10(isbn)) if isbn.startswith("978") else (isbn,)
            editions = await self._retrieve(" or ".join(f"pica.isb={value}" for value in both), visit)
            return sorted(editions, key=lambda record: record.ids.first("isbn") != question.value)
        for query in _build_title_queries(question):
            if editions := await self._retrieve(query, visit):
                return editions
        return ()

    async def _retrieve(self, query: str, visit: SourceSession) -> Sequence[Record]:
        url = build_url(
            self.wiring.url,
            version="1.1",
            operation="searchRetrieve",
            query=query,
            maximumRecords=_ROWS,
            recordSchema="marcxml",
        )
        answer = await visit.get(Request(self.name, url, accept=XML, absent=frozenset()))
        if answer is None:
            raise UnreadableError("no answer to a search")
        return _read_records(answer.xml())


def _read_records(root: etree._Element) -> list[Record]:
    """Return the records of an SRU answer; a diagnostic without records next to it is no answer."""
    items = root.findall("{*}records/{*}record/{*}recordData/{*}record")
    if not items and root.find(".//{*}diagnostic") is not None:
        said = root.findtext(".//{*}diagnostic/{*}message") or root.findtext(".//{*}diagnostic/{*}uri") or ""
        raise UnreadableError(f"SRU diagnostic: {json_fields.read_text(said, 150)}")
    count = root.findtext("{*}numberOfRecords")
    if count is None or (not items and count.strip() != "0"):
        raise UnreadableError("no list of records in the answer")
    records = [record for item in items[:_ROWS] if (record := marc.make_record(item))]
    if items and not records:
        raise UnreadableError("records without any title in the answer")
    return records


def _make_isbn10(isbn: str) -> str:
    body = isbn[3:12]
    check = -sum((10 - i) * int(digit) for i, digit in enumerate(body)) % 11
    return body + ("X" if check == 10 else str(check))


def _build_title_queries(question: Question) -> list[str]:
    """Return the queries for a title, to be asked until one finds something.

    Hits come newest first, not best first: a short title needs the author to be found among its likes.
    """
    main = _pick_telling_words(json_fields.strip_subtitle(question.value))
    whole = _pick_telling_words(question.value)
    authors = question.reference.claimed.authors
    family = json_fields.make_query_words(authors[0].family).rpartition(" ")[2] if authors else ""
    if len(main) >= 3:
        again = [_build_words_query(_keep_longest(main, 3), family)] if family else []
        return [_build_words_query(main), *again]
    tries = [(main, family)] if family and main else []
    tries += [(words, "") for words in (whole, main) if words]
    return list(dict.fromkeys(_build_words_query(*each) for each in tries))


def _pick_telling_words(title: str) -> list[str]:
    words = dict.fromkeys(json_fields.make_query_words(title).split())
    return _keep_longest([word for word in words if word not in STOPWORDS | _RESERVED], _MOST_WORDS)


def _keep_longest(words: list[str], count: int) -> list[str]:
    kept = sorted(words, key=len, reverse=True)[:count]
    return [word for word in words if word in kept]


def _build_words_query(words: Sequence[str], family: str = "") -> str:
    person = [f'pica.per="{family}"'] if family else []
    return " and ".join([*(f'pica.tit="{word}"' for word in words), *person])
