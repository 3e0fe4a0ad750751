"""Unpaywall: where a free, legal copy of an article can be read.

**Covers** nearly every Crossref DOI. It repeats Crossref's metadata, so it is no second opinion on them:
its **silence** means nothing and it is not asked while references are checked, unless it is named in
`--sources`. It is there to find a text in which a quotation can be looked up.

**Asked by** DOI.

**What comes back** is a record with the mark `open_access` when there is a free copy; its best address is
among the record's identifiers (`url`), the file before the landing page.

**Needs a contact e-mail address,** no key: set `CITEPROOF_CONTACT`. Without one it is not asked. An
invented address is answered 422. The limit is 100,000 requests a day.

**Known quirks**

- It is now served from OpenAlex' code; some fields hold the word "deprecated" in the place of a value.
- Authors (`z_authors`) may be missing, or single strings (`raw_author_name`); the list may be cut.
- `year` is that of the publisher's record, often the online-first year.
- Titles can be null for DOIs of whole journals or issues: there is no record then.

**Licence:** CC0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from citeproof.net.message import Rate, Request, UnreadableError, address, plain_path
from citeproof.shapes import fields
from citeproof.sources.base import CouldNotError, Live, Profile, Visit
from citeproof.text import dates
from citeproof.vocabulary import Cause, Ids, Kind, Name, Question, Record, Version

_KINDS = {
    "journal-article": Kind.ARTICLE,
    "proceedings-article": Kind.ARTICLE,
    "book": Kind.BOOK,
    "monograph": Kind.BOOK,
    "book-chapter": Kind.CHAPTER,
    "posted-content": Kind.PREPRINT,
    "dissertation": Kind.THESIS,
    "report": Kind.REPORT,
    "dataset": Kind.DATASET,
}
_DEPRECATED = "deprecated"


class Unpaywall(Live):
    name: ClassVar[str] = "unpaywall"
    answers: ClassVar[frozenset[str]] = frozenset(("doi",))
    profile: ClassVar[Profile] = Profile(
        title="Unpaywall",
        url="https://api.unpaywall.org/v2",
        rate=Rate(5),
        contact=True,
        truncates_authors=True,
        licence="CC0-1.0",
        by_default=False,
    )

    async def ask(self, question: Question, visit: Visit) -> Sequence[Record]:
        if not self.wiring.contact:
            raise CouldNotError(
                Cause.NEEDS_KEY, "set CITEPROOF_CONTACT to your e-mail address to ask Unpaywall"
            )
        url = address(self.wiring.url, plain_path(question.value), email=self.wiring.contact)
        answer = await visit.get(Request(self.name, url))
        if answer is None:
            return ()
        found = answer.json()
        if not isinstance(found, dict) or not isinstance(found.get("is_oa"), bool):
            raise UnreadableError("no open-access state in the answer")
        record = _record(found, question.value)
        return [record] if record else ()


def _record(item: dict[str, object], doi: str) -> Record | None:
    titles, marks = fields.unmarked(fields.titles(_given(item.get("title"))))
    if not titles:
        return None
    kind = _KINDS.get(fields.text(item.get("genre")), Kind.UNKNOWN)
    year = item.get("year")
    best = fields.table(item.get("best_oa_location"))
    places = [best.get(name) for name in ("url_for_pdf", "url", "url_for_landing_page")]
    numbers = fields.text(item.get("journal_issns")).split(",")
    return Record(
        source=Unpaywall.name,
        id=doi,
        titles=titles,
        authors=tuple(name for row in fields.rows(item.get("z_authors")) if (name := _author(row))),
        authors_complete=False,
        versions=(
            Version(
                year=year if type(year) is int and dates.EARLIEST <= year <= dates.LATEST else None,
                venue=_given(item.get("journal_name")) or None,
                kind=kind,
            ),
        ),
        kind=kind,
        publisher=_given(item.get("publisher")) or None,
        ids=Ids((*fields.pairs("doi", [doi]), *fields.pairs("issn", numbers), *fields.pairs("url", places))),
        marks=(*marks, "open_access") if item["is_oa"] else marks,
    )


def _given(value: object) -> str:
    found = fields.text(value)
    return "" if found.lower() == _DEPRECATED else found


def _author(row: dict[str, object]) -> Name | None:
    family, given = fields.text(row.get("family"), 200), fields.text(row.get("given"), 200)
    if family:
        return Name(family, given, fields.text(row.get("suffix"), 20))
    whole = _given(row.get("raw_author_name")) or fields.text(row.get("name"), 200)
    return next(iter(fields.people([whole])), None) if whole else None


SOURCE = Unpaywall
