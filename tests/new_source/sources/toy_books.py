"""Toy Books: the catalogue of a library that does not exist, to show what a new source needs.

**Covers** books with an ISBN, a few thousand of them. It claims nothing: its **silence** on a title or an
ISBN means only that this small library does not have the book.

**Asked by** ISBN and title. It is asked for an ISBN in the second turn, together with the other catalogues,
and for a title among those that may know it.

**What comes back** is one book: title, authors as `Family, Given`, year and publisher. Author lists are
whole. There is one version of each book, and no other identifier than the ISBN that was asked for.

**Costs** nothing and needs no key. The limit is two requests a second, one at a time; it is kept to for all
processes on a machine, as for every source.

**Known quirks:** none, because nobody has ever used it. This file is all that makes it a source: the folder
is the registry, the tables of `citeproof sources` and the page in the documentation are made from it.

**Licence:** none is needed for what does not exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from citeproof.evidence.sources.base import LiveSource, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Rate, Request, UnreadableError, build_url
from citeproof.text import ids
from citeproof.vocabulary import Ids, Kind, Name, Question, Record, Version


class ToyBooks(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("isbn", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="Toy Books",
        url="https://books.example.org",
        rate=Rate(2, at_once=1),
        probe=("isbn", "9780387848570"),
        turns={"isbn": 2},
        search_order=3,
        licence="none needed",
    )

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        url = build_url(self.wiring.url, "/books", **{question.by: question.value})
        answer = await visit.get(Request(self.name, url))
        found = json_fields.read_table(answer.json() if answer else None).get("books")
        if not isinstance(found, list):
            raise UnreadableError("no list of books in the answer")
        return [_make_record(json_fields.read_table(book)) for book in found]


def _make_record(book: dict[str, object]) -> Record:
    title, isbn = json_fields.read_text(book.get("title"), 600), json_fields.read_text(book.get("isbn"), 20)
    number = ids.normalise_id("isbn", isbn or "")
    if not title or not number:
        raise UnreadableError("a book without title or ISBN")
    listed = book.get("authors")
    people = (str(one).partition(", ") for one in (listed if isinstance(listed, list) else ()))
    year = book.get("year")
    return Record(
        source=ToyBooks.name,
        id=number,
        titles=(title,),
        authors=tuple(Name(family, given) for family, _, given in people),
        versions=(Version(year if isinstance(year, int) else None, None, Kind.BOOK),),
        kind=Kind.BOOK,
        ids=Ids((("isbn", number),)),
    )
