"""PubMed Central: the NLM's archive of free full texts, some ten million articles.

**Covers** the articles deposited there, whole journals and single manuscripts. It is the authority on its
own number: **silence** on a PMCID means that there is no such article.

**Asked by** PMCID only (100 in one request), through the `esummary` of NCBI's E-utilities, which gives
title, authors, journal and the PMID and DOI in one answer; titles are searched at `pubmed`, which has all
of these articles and more.

**Costs** nothing. 3 requests a second, 10 with a key, for all E-utilities together: this source and `pubmed`
share them. A key is optional and free (see there): `CITEPROOF_PMC_KEY`. It is sent in a form, never in an
address.

**Identifiers of its own:** PMCID. Records also carry PMID and DOI.

**Known quirks**

- Names are given with initials only ("Benson DA").
- A summary says nothing of retractions, but for "RETRACTED:" before a title. The PMID that it gives leads
  to `pubmed`, which does.
- An unknown PMCID has an entry whose `error` says that there is no summary; it is not a 404.
- A PMCID may be followed by a version ("PMC2808187.1"); all versions are one article here.
- Too many requests are sometimes answered with status 200 and a JSON error that repeats the key. None of
  its text is stored.

**Licence:** NLM's terms; no restriction on the citations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from citeproof.evidence.sources import _eutils
from citeproof.evidence.sources.base import KeyNeed, LiveSource, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError
from citeproof.text import dates, names, pages
from citeproof.vocabulary import Ids, Kind, Name, Question, Record, Version

_NONE = "cannot get document summary"
_SCHEMES = ("pmid", "doi", "pmcid")


class Pmc(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("pmcid",))
    batches: ClassVar[Mapping[str, int]] = {"pmcid": 100}
    batch_is_sure: ClassVar[bool] = False
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="PubMed Central",
        url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
        rate=Rate(3, at_once=2),
        probe=("pmcid", "PMC3531190"),
        turns={"pmcid": 1},
        keyed_rate=Rate(10, at_once=4),
        group="ncbi",
        key=KeyNeed.OPTIONAL,
        authority=frozenset(("pmcid",)),
        licence="NLM terms",
    )

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        answer = await _eutils.get_answer(visit, self.batch("pmcid", [question.value]))
        if question.value.removeprefix("PMC") not in _read_summaries(answer):
            raise UnreadableError("no entry for the number that was asked for")
        return self.batch_records("pmcid", answer)

    def batch(self, by: str, values: Sequence[str]) -> Request:  # noqa: ARG002 - PMCIDs only
        numbers = ",".join(value.removeprefix("PMC") for value in values)
        return _eutils.build_request(self.name, self.wiring, "esummary", db="pmc", id=numbers, retmode="json")

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:  # noqa: ARG002 - PMCIDs only
        items = [item for name, item in _read_summaries(answer).items() if name != "uids"]
        known = [item for item in items if not _is_absent(item)]
        articles = [make_record(item) for item in known if isinstance(item, dict)]
        records = [record for record in articles if record]
        if len(records) < len(known):  # it exists, so that leaving it out would deny its number
            raise UnreadableError("an article without title")
        return records


def _read_summaries(answer: Answer) -> dict[str, Any]:
    result = _eutils.read_json(answer).get("result")
    if not isinstance(result, dict) or not isinstance(result.get("uids"), list):
        raise UnreadableError("no summaries in the answer")
    return result


def _is_absent(item: object) -> bool:
    """Return whether an entry says that there is no such article; any other error is no answer."""
    error = item.get("error") if isinstance(item, dict) else None
    if error is not None and _NONE not in str(error):
        raise UnreadableError("an error in the place of a summary")
    return error is not None


def make_record(item: dict[str, object]) -> Record | None:
    """Return the record of one summary; None without a number and a title."""
    known = json_fields.make_id_pairs("pmcid", [item.get("uid")])
    titles, marks = json_fields.split_retraction_mark(json_fields.list_titles(item.get("title")))
    if not known or not titles:
        return None
    listed = [(row.get("idtype"), row.get("value")) for row in json_fields.read_rows(item.get("articleids"))]
    stated = [(name, [value]) for name, value in listed if name in _SCHEMES and value != "0"]  # 0: no PMID
    return Record(
        source="",
        id=f"pmc:{known[0][1]}",
        titles=titles,
        authors=_read_authors(item),
        versions=_read_versions(item),
        kind=Kind.ARTICLE,
        ids=Ids(tuple(dict.fromkeys((*known, *json_fields.collect_ids(*stated))))),
        marks=marks,
    )


def _read_authors(item: dict[str, object]) -> tuple[Name, ...]:
    authors = []
    for author in json_fields.read_rows(item.get("authors")):
        name = json_fields.read_text(author.get("name"), names.MAX_NAME)
        if author.get("authtype") == "CollectiveName":
            authors.append(Name(name, collective=True))
        elif author.get("authtype") in ("Author", None, ""):
            authors.append(json_fields.parse_family_first(name))
    return tuple(name for name in authors if name.family)


def _read_versions(item: dict[str, object]) -> tuple[Version, ...]:
    """Return the printed appearance, and the earlier one online where its year differs."""
    names = (json_fields.read_text(item.get(name)) for name in ("fulljournalname", "source"))
    venue = next(filter(None, names), None)
    dated = ("printpubdate", "pubdate", "epubdate")
    stated = [dates.find_year(json_fields.read_text(item.get(name))) for name in dated]
    years = list(dict.fromkeys(year for year in stated if year))
    first = Version(
        years[0] if years else None,
        venue,
        volume=json_fields.read_text(item.get("volume")) or None,
        issue=json_fields.read_text(item.get("issue")) or None,
        pages=pages.normalise(json_fields.read_text(item.get("pages"))),
    )
    return (first, *(Version(year, venue) for year in years[1:]))
