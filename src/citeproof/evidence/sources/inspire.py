"""INSPIRE: the catalogue of high-energy physics, some 1.7 million papers, curated by its laboratories.

**Covers** particle, nuclear and astroparticle physics, gravitation, and what those cite; complete for the
core of the field since the 1970s. Its **silence** proves nothing here, because from a citation alone it
is not known whether a work belongs to that core.

**Asked by** DOI, arXiv id and title, and only with a hint of the field: a journal of it (JHEP, Phys. Rev.,
Nucl. Phys. …) or its DOI, an arXiv id of the old form in hep-*, gr-qc, nucl-*, astro-ph, quant-ph, or such
a class in the citation.

**Costs** nothing, needs no key. 15 requests in 5 seconds for one address; calls beyond that are refused and
count as well, so that one has to wait at least 5 seconds. 3 a second are sent, two at once.

**Identifiers of its own:** the record number (`inspire:451647`). DOI, arXiv id, ISBN and ADS bibcode are
carried: it is one of the best bridges between a preprint and its journal version, which are one record.

**Marks:** `withdrawn`, `corrected` (an erratum among the publications). It does not mark retractions.

**Known quirks**

- Journals have INSPIRE's short names without spaces ("Phys.Rev.D"); the volume letter is part of the name.
- A record has several titles: the publisher's, the preprint's, translations.
- A paper of a collaboration lists all its authors, thousands of them, and the collaboration next to them.
- Supervisors are among the authors of a thesis; they are left out.
- Deleted and merged records are answered with `deleted: true`; they count as none.

**Licence:** most fields CC0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from citeproof.evidence.sources import _field_hints
from citeproof.evidence.sources._json_answers import read_list
from citeproof.evidence.sources.base import LiveSource, ProbeQuestion, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import inspire, json_fields
from citeproof.plumbing.net.message import Rate, Request, UnreadableError, build_url, quote_segment
from citeproof.vocabulary import Question, Record

_ROWS = 5
_LARGE = 30_000_000  # bytes; a paper of ATLAS with all its people and their institutes
_OPERATORS = frozenset(("and", "or", "not"))  # of the query language, in lower case too
_FIELDS = (
    "titles,title_translations,authors.full_name,authors.inspire_roles,author_count,corporate_author,"
    "collaborations,publication_info,document_type,dois,arxiv_eprints,isbns,imprints,thesis_info,"
    "preprint_date,external_system_identifiers,control_number,deleted,withdrawn"
)


class Inspire(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("doi", "arxiv", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="INSPIRE",
        url="https://inspirehep.net/api",
        rate=Rate(3, at_once=2),
        probe=ProbeQuestion("arxiv", "hep-th/9711200"),
        turns={"doi": 4, "arxiv": 3},
        search_order=3,
        misses_appearances=True,
        licence="CC0 (most fields)",
    )

    def suits(self, question: Question) -> bool:
        return _field_hints.is_particle_physics(question.reference)

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "title":
            return await self._search(question.value, visit)
        path = f"{question.by}/{quote_segment(question.value)}"
        answer = await visit.get(self._request(path, fields=_FIELDS))
        if answer is None:
            return ()
        paper = inspire.make_record(metadata := _get_metadata(json_fields.read_table(answer.json())))
        if paper is None and metadata.get("deleted") is not True:
            raise UnreadableError("a record without title")
        return (paper,) if paper else ()

    async def _search(self, title: str, visit: SourceSession) -> Sequence[Record]:
        words = [word for word in json_fields.make_query_words(title).split() if word not in _OPERATORS]
        if not words:
            return ()
        request = self._request("literature", q=f"title {' '.join(words)}", size=_ROWS, fields=_FIELDS)
        answer = await visit.get(request)
        whole = answer.json() if answer else None
        listed = read_list(whole, "hits", "hits", missing="no list of hits")
        if not listed and json_fields.read_path(whole, "hits", "total") != 0:
            raise UnreadableError("a search that counts hits and lists none")
        papers = [inspire.make_record(_get_metadata(hit)) for hit in listed[:_ROWS] if isinstance(hit, dict)]
        return [record for record in papers if record]

    def _request(self, path: str, **params: str | int) -> Request:
        absent = frozenset() if path == "literature" else frozenset((404, 410))
        return Request(self.name, build_url(self.wiring.url, path, **params), absent=absent, max_body=_LARGE)


def _get_metadata(hit: dict[str, Any]) -> dict[str, Any]:
    metadata = hit.get("metadata")
    if not isinstance(metadata, dict):
        raise UnreadableError("a hit without metadata")
    return metadata
