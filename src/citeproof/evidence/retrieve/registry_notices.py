"""What live registries say about the retraction of a work, where no list of retractions can say it.

1. Crossref is asked for notices that update the DOI: the record of a retracted work often does not say so.
2. PubMed and arXiv mark the works that they have.
3. OpenAlex is asked where none of these can say. Its mark is a hint: a third of such works are notices, some
   are healthy. It clears nothing and accuses nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import date

from citeproof.evidence.sources.base import LiveSource
from citeproof.judgement.checks.evidence.work_notices import MARKS, REGISTRIES
from citeproof.vocabulary import Absent, Found, ListAnswer, ListQuestion, Lookup, Notice, Question, Reference

UPDATES = "updates"  # the question to Crossref for notices about a DOI
HINT = "retraction_hint"  # OpenAlex's mark
_ARXIV = "10.48550/arxiv."
_MOST = 2  # DOIs that are asked about: the cited one, and that of the record
_NOBODY = "no registry that marks retractions could say; run `citeproof lists update`"
_DOUBT = "OpenAlex marks the work as retracted, and nobody else has a notice of it"


class RegistryNotices:
    """The registries of a run that mark retractions."""

    def __init__(self, sources: Iterable[LiveSource]) -> None:
        self._sources = {one.name: one for one in sources}

    async def look_up(self, reference: Reference, asked: ListQuestion, day: date) -> ListAnswer:
        """Return what the registries say today about the work."""
        numbers = [doi.removeprefix(_ARXIV) for doi in asked.dois if doi.startswith(_ARXIV)]
        dois = [doi for doi in asked.dois if not doi.startswith(_ARXIV)]
        wanted = [("crossref", UPDATES, doi) for doi in dois[:_MOST]]
        wanted += [("pubmed", "pmid", pmid) for pmid in asked.pmids[:1]]
        wanted += [("arxiv", "arxiv", number) for number in numbers[:1]]
        answers = await self._ask(reference, wanted)
        if not any(map(_is_answer, answers)):
            answers += await self._ask(reference, [("openalex", "doi", doi) for doi in asked.dois[:1]])
        found = [record for each in answers if isinstance(each, Found) for record in each.records]
        notices = tuple(dict.fromkeys(notice for each in answers for notice in _list_notices(each)))
        names = list(dict.fromkeys(one.source for one in answers if _is_answer(one)))
        doubtful = not notices and any(HINT in one.marks for one in found)
        trouble = _DOUBT if doubtful else "" if names else _NOBODY
        return ListAnswer(", ".join(names) or REGISTRIES, day.isoformat(), notices=notices, trouble=trouble)

    async def _ask(self, reference: Reference, wanted: Sequence[tuple[str, str, str]]) -> list[Lookup]:
        lookups = [
            self._sources[name].lookup(Question(by, value, reference))
            for name, by, value in wanted
            if name in self._sources
            and self._sources[name].suits(Question("doi" if by == UPDATES else by, value, reference))
        ]
        return list(await asyncio.gather(*lookups))


def _is_answer(lookup: Lookup) -> bool:
    """Return whether the registry knows the work; that Crossref has no notice is an answer too."""
    return isinstance(lookup, Found) or (isinstance(lookup, Absent) and lookup.by == UPDATES)


def _list_notices(lookup: Lookup) -> Iterable[Notice]:
    for record in lookup.records if isinstance(lookup, Found) else ():
        year = next((str(one.year) for one in record.versions if one.year), "")
        for kind in (MARKS[mark] for mark in record.marks if mark in MARKS):
            if lookup.by == UPDATES:
                yield Notice(kind, year, record.id, lookup.value)
            else:
                yield Notice(kind, about=f"{lookup.by} {lookup.value}")
