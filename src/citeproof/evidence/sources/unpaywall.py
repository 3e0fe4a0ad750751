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

from citeproof.evidence.sources.base import CannotAnswerError, LiveSource, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Rate, Request, UnreadableError, build_url, quote_path
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Cause, Ids, Kind, Name, Question, Record, Version

_DEPRECATED = "deprecated"


class Unpaywall(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("doi",))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="Unpaywall",
        url="https://api.unpaywall.org/v2",
        rate=Rate(5),
        probe=("doi", "10.1038/nature14539"),
        turns={"doi": 1},
        contact=True,
        truncates_authors=True,
        licence="CC0-1.0",
        by_default=False,
    )

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if not self.wiring.contact:
            raise CannotAnswerError(
                Cause.NEEDS_KEY, "set CITEPROOF_CONTACT to your e-mail address to ask Unpaywall"
            )
        url = build_url(self.wiring.url, quote_path(question.value), email=self.wiring.contact)
        answer = await visit.get(Request(self.name, url))
        if answer is None:
            return ()
        body = answer.json()
        if not isinstance(body, dict) or not isinstance(body.get("is_oa"), bool):
            raise UnreadableError("no open-access state in the answer")
        record = _make_record(body, question.value)
        return [record] if record else ()


def _make_record(item: dict[str, object], doi: str) -> Record | None:
    known = json_fields.list_titles(_read_given_text(item.get("title")))
    titles, marks = json_fields.split_retraction_mark(known)
    if not titles:
        return None
    kind = load_kinds("unpaywall").get(json_fields.read_text(item.get("genre")), Kind.UNKNOWN)
    venue = _read_given_text(item.get("journal_name"))
    best = json_fields.read_table(item.get("best_oa_location"))
    places = [best.get(name) for name in ("url_for_pdf", "url", "url_for_landing_page")]
    numbers = json_fields.read_text(item.get("journal_issns")).split(",")
    return Record(
        source=Unpaywall.name,
        id=doi,
        titles=titles,
        authors=tuple(
            name for row in json_fields.read_rows(item.get("z_authors")) if (name := _read_author(row))
        ),
        authors_complete=False,
        versions=(Version(json_fields.check_year(item.get("year")), venue or None, kind),),
        kind=kind,
        publisher=_read_given_text(item.get("publisher")) or None,
        ids=Ids(json_fields.collect_ids(("doi", [doi]), ("issn", numbers), ("url", places))),
        marks=(*marks, "open_access") if item["is_oa"] else marks,
    )


def _read_given_text(value: object) -> str:
    text = json_fields.read_text(value)
    return "" if text.lower() == _DEPRECATED else text


def _read_author(row: dict[str, object]) -> Name | None:
    family, given = (json_fields.read_text(row.get(part), 200) for part in ("family", "given"))
    if family:
        return Name(family, given, json_fields.read_text(row.get("suffix"), 20))
    whole = _read_given_text(row.get("raw_author_name")) or json_fields.read_text(row.get("name"), 200)
    return next(iter(json_fields.parse_people([whole])), None) if whole else None
