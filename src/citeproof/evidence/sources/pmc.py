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
from citeproof.evidence.sources.base import KeyNeed, LiveSource, ProbeQuestion, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import pmc_summary
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError
from citeproof.vocabulary import Question, Record

_NONE = "cannot get document summary"


class Pmc(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("pmcid",))
    batches: ClassVar[Mapping[str, int]] = {"pmcid": 100}
    batch_is_sure: ClassVar[bool] = False
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="PubMed Central",
        url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
        rate=Rate(3, at_once=2),
        probe=ProbeQuestion("pmcid", "PMC3531190"),
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
        articles = [pmc_summary.make_record(item) for item in known if isinstance(item, dict)]
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
