"""PubMed: the NLM's catalogue of the biomedical literature, more than 37 million citations.

**Covers** journal articles of medicine and the life sciences (MEDLINE, PMC's journals, some preprints)
and the books of NCBI Bookshelf. It is the authority on its own number: **silence** on a PMID means that
there is no such citation (or that it was withdrawn from the catalogue). Silence on a title counts only
if the reference itself claims a PMID or PMCID; whole fields and many years before 1966 are missing.

**Asked by** PMID (200 in one request) and by title. A title is asked for only with a hint that the work is
biomedical: a claimed PMID or PMCID, the name of the journal, a publisher's DOI. All words of the title must
occur; if nothing has them all, its five longest words with the first author, once.

**Costs** nothing. 3 requests a second, 10 with a key, for all of NCBI's E-utilities together: this source
and `pmc` share them. A key is optional and free: sign in at
`https://account.ncbi.nlm.nih.gov/settings/`, "API Key Management", then set `CITEPROOF_PUBMED_KEY`. It is
sent in a form, never in an address. The contact address goes along as `email`, as NCBI asks.

**Identifiers of its own:** PMID. Records also carry DOI and PMCID.

**Marks:** `retracted` (publication type or a "Retraction in" link), `expression_of_concern`, `corrected`.

**Known quirks**

- Author lists say themselves when they are cut (`CompleteYN="N"`; MEDLINE kept 10 names in 1984–1995 and
  25 in 1996–1999). Such a list can confirm, not convict.
- Titles end in a full stop; brackets around a title mean a translation into English.
- Too many requests are sometimes answered with status 200 and a JSON error that repeats the key. None of
  its text is stored.
- An unknown PMID gives an empty set, not a 404.
- A few old articles have no title ("[Not Available]"): such a number is "could not check", not unknown.

**Licence:** NLM's terms; no restriction on the citations, abstracts may be copyright (they are not read).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from citeproof.evidence.sources import _eutils, _field_hints
from citeproof.evidence.sources.base import KeyNeed, LiveSource, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import medline
from citeproof.evidence.upstream_records.stated_facts import mark_pubmed
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError
from citeproof.vocabulary import Question, Reach, Record

_ROWS = 5


class PubMed(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("pmid", "title"))
    batches: ClassVar[Mapping[str, int]] = {"pmid": 200}
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="PubMed",
        url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
        rate=Rate(3, at_once=2),
        probe=("pmid", "26017442"),
        turns={"pmid": 1},
        keyed_rate=Rate(10, at_once=4),
        group="ncbi",
        key=KeyNeed.OPTIONAL,
        authority=frozenset(("pmid",)),
        search_order=3,
        misses_appearances=True,
        licence="NLM terms",
    )

    def suits(self, question: Question) -> bool:
        return question.by == "pmid" or _field_hints.is_biomedical(question.reference)

    def reach(self, question: Question) -> Reach:
        ids = question.reference.claimed.ids
        if question.by == "title" and (ids.first("pmid") or ids.first("pmcid")):
            return Reach.COVERS
        return super().reach(question)

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "pmid":
            answer = await _eutils.get_answer(visit, self.batch("pmid", [question.value]))
            return self.batch_records("pmid", answer)
        for term in _field_hints.list_title_queries(question, "{}[ti]", "[ti] AND ", " AND {}[au]"):
            if numbers := await self._search(term, visit):
                return await self._fetch_articles(numbers, visit)
        return ()

    def batch(self, by: str, values: Sequence[str]) -> Request:  # noqa: ARG002 - PMIDs only
        numbers = ",".join(values)
        accept = _eutils.XML_OR_ERROR
        return _eutils.build_request(
            self.name, self.wiring, "efetch", accept, db="pubmed", id=numbers, retmode="xml"
        )

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:  # noqa: ARG002 - PMIDs only
        articles = _read_articles(answer)
        records = [record for record in articles if record]
        if len(records) < len(articles):  # it exists, so that leaving it out would deny its number
            raise UnreadableError("an article without usable number or title")
        return records

    async def _search(self, term: str, visit: SourceSession) -> list[str]:
        """Return the numbers of the articles that fit `term`, best first."""
        request = _eutils.build_request(
            self.name, self.wiring, "esearch", db="pubmed", term=term, retmode="json", retmax=_ROWS,
            sort="relevance",
        )  # fmt: skip
        result = _eutils.read_json(await _eutils.get_answer(visit, request)).get("esearchresult")
        numbers = result.get("idlist") if isinstance(result, dict) else None
        if not isinstance(result, dict) or not isinstance(numbers, list) or "ERROR" in result:
            raise UnreadableError("no list of numbers in the answer to a search")
        if not numbers and result.get("count") not in ("0", 0):
            raise UnreadableError("a search that counts articles and lists none")
        usable = [number for number in numbers[:_ROWS] if isinstance(number, str) and number.isdecimal()]
        if numbers and not usable:
            raise UnreadableError("a list of numbers of which none is one")
        return usable

    async def _fetch_articles(self, numbers: Sequence[str], visit: SourceSession) -> Sequence[Record]:
        articles = _read_articles(await _eutils.get_answer(visit, self.batch("pmid", numbers)))
        records = [record for record in articles if record]
        if not records:
            raise UnreadableError("a search found articles that cannot be fetched")
        order = {number: at for at, number in enumerate(numbers)}
        return sorted(records, key=lambda record: order.get(record.ids.first("pmid") or "", len(order)))


def _read_articles(answer: Answer) -> list[Record | None]:
    """Return the articles and books of a set; None represents one that cannot be read."""
    if answer.body.lstrip()[:1] == b"{":
        _eutils.read_json(answer)
    root = answer.xml()
    if root.tag != "PubmedArticleSet":
        raise UnreadableError("no PubmedArticleSet")
    articles = [(article, medline.make_record(article)) for article in root.iterfind("PubmedArticle")]
    records = [
        mark_pubmed(article, medline.mark_corrections(article, record)) if record else None
        for article, record in articles
    ]
    return [*records, *(medline.make_book_record(article) for article in root.iterfind("PubmedBookArticle"))]
