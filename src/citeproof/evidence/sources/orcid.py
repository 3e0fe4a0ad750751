"""ORCID: what researchers list as their own works.

**Covers** people, not works; each lists works voluntarily, so a missing work says nothing. It is the
authority for ORCID iDs: **silence** on an iD means that no one has it.

**Asked by** ORCID iD only, and not while references are checked: it confirms that a person wrote a paper
when both are already known. `works` gives the person's works as records with title, year and DOI.

**Costs** nothing; no key is needed for the public API, which is for non-commercial use. 12 requests a
second (bursts of 40; beyond that 503) and a daily quota per address, which has been lowered over the
years: statements range from 100,000 down to 25,000 reads.

**What comes back** has no authors: the list of works names only the person asked for.

**Known quirks**

- One work may be in a group several times, once for each service that added it; one record is made of
  a group, with the titles of all.
- DOIs come with resolver, in capitals, or inside other text; relation `part-of` names the container and
  is left out.
- A person without public works is known all the same: the lookup says so in its note.
- Deactivated accounts answer 409, merged ones redirect.

**Licence:** CC0 for public data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from citeproof.evidence.sources._json_answers import read_list
from citeproof.evidence.sources.base import LiveSource, ProbeQuestion, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Answer, Rate, Request, build_url, quote_segment
from citeproof.text import dates
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Absent, Found, Ids, Kind, Lookup, Question, Record, Version

_MOST_WORKS = 3000
_SCHEMES = {"doi": "doi", "pmid": "pmid", "pmc": "pmcid", "arxiv": "arxiv", "isbn": "isbn"}


class Orcid(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("orcid",))
    most: ClassVar[int] = _MOST_WORKS
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="ORCID",
        url="https://pub.orcid.org/v3.0",
        rate=Rate(12),
        probe=ProbeQuestion("orcid", "0000-0002-1825-0097"),
        authority=frozenset(("orcid",)),
        licence="CC0-1.0",
        by_default=False,
    )

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        return await self.works(question.value, visit)

    async def works(self, orcid: str, visit: SourceSession) -> Sequence[Record]:
        """Return the works that the person with this iD lists, with their DOIs; () if no one has it."""
        url = build_url(self.wiring.url, f"/{quote_segment(orcid)}/works")
        headers = (("Accept", "application/json"),)
        answer = await visit.get(Request(self.name, url, headers=headers))
        if answer is None:
            return ()
        groups = read_list(answer.json(), "group", missing="no list of works in the answer")
        made = (_make_record(group) for group in json_fields.read_rows(groups)[:_MOST_WORKS])
        return [record for record in made if record]

    def make_lookup(self, question: Question, records: Sequence[Record], answer: Answer | None) -> Lookup:
        """A person who lists no works is known; only a 404 is absence."""
        lookup = super().make_lookup(question, records, answer)
        if isinstance(lookup, Absent) and answer is not None and not answer.absent:
            return Found(self.name, question.by, (), lookup.reach, note="registered, lists no public works")
        return lookup


def _make_record(group: dict[str, object]) -> Record | None:
    """Return one record of the summaries of one work."""
    summaries = [
        summary
        for summary in map(_make_summary_record, json_fields.read_rows(group.get("work-summary"))[:20])
        if summary
    ]
    if not summaries:
        return None
    titles = tuple(dict.fromkeys(title for summary in summaries for title in summary.titles))
    versions = tuple(dict.fromkeys(version for summary in summaries for version in summary.versions))
    shared = (*_read_ids(group), *(pair for summary in summaries for pair in summary.ids.pairs))
    return replace(summaries[0], titles=titles, versions=versions, ids=Ids(tuple(dict.fromkeys(shared))))


def _make_summary_record(item: dict[str, object]) -> Record | None:
    given = json_fields.read_table(item.get("title"))
    translated = _read_value(given.get("translated-title"))
    main, below = _read_value(given.get("title")), _read_value(given.get("subtitle"))
    titles, marks = json_fields.split_retraction_mark(json_fields.list_titles(main, below, translated))
    if not titles:
        return None
    kind = load_kinds("orcid").get(json_fields.read_text(item.get("type")), Kind.UNKNOWN)
    year = dates.find_year(_read_value(json_fields.read_path(item, "publication-date", "year")))
    return Record(
        source=Orcid.name,
        id=str(item.get("put-code", ""))[:40],
        titles=titles,
        authors_complete=False,
        versions=(Version(year=year, venue=_read_value(item.get("journal-title")) or None, kind=kind),),
        kind=kind,
        ids=Ids(_read_ids(item)),
        marks=marks,
    )


def _read_value(wrapped: object) -> str:
    """Return the text of ORCID's `{"value": …}`."""
    return json_fields.read_text(json_fields.read_table(wrapped).get("value"))


def _read_ids(item: dict[str, object]) -> tuple[tuple[str, str], ...]:
    stated: list[tuple[str, list[object]]] = []
    for row in json_fields.read_rows(json_fields.read_path(item, "external-ids", "external-id"))[:50]:
        scheme = _SCHEMES.get(json_fields.read_text(row.get("external-id-type")).lower())
        if scheme and row.get("external-id-relationship") in ("self", "version-of", None):
            stated.append((scheme, [row.get("external-id-value")]))
    return json_fields.collect_ids(*stated)
