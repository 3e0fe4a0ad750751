"""`preprint_published`: the preprint that is cited has been published since.

**What it does:** where a citation names a preprint server (arXiv, bioRxiv, SSRN and others) and no other
venue, looks into the records of the work for its publication: the authors' own note and DOI at arXiv, the
other versions that Crossref, OpenAlex, DBLP, INSPIRE and snapshots link to it.

**Why it matters:** the published version was reviewed, and may say something else. It is a note.

**Not reported:** a citation that names the publication next to the preprint's number; a deposit (Zenodo,
figshare), which is not a publication; works that were not found. Silence is not reported as `clear`:
sources learn late of publications.
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.set_evidence import is_cited_as_preprint, is_publication_doi
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence, list_work_records
from citeproof.judgement.compare.venue import is_published
from citeproof.text.title import make_title_key
from citeproof.text.venue_name import parse_venue
from citeproof.vocabulary import Finding, FindingLevel, FindingState, Kind, Record, Verdict, Version

NAME = "preprint_published"
_PUBLICATIONS = frozenset((Kind.ARTICLE, Kind.CHAPTER, Kind.BOOK, Kind.UNKNOWN))
_SHOWN = 3  # records that are named as evidence


@add_check(WORK_CHECKS, 6)
def find_publication(evidence: WorkEvidence) -> Finding | None:
    """Return where the cited preprint was published; None: it is no preprint, or not known."""
    judgement = evidence.judgement
    if judgement.matched is None or judgement.verdict is not Verdict.MATCHED:
        return None
    if not is_cited_as_preprint(evidence.reference):
        return None
    of_work = list_work_records(judgement, evidence.compared)
    records = {(record.source, record.id): record for record in of_work if "web" not in record.marks}
    rows = [row for _, record in sorted(records.items()) for row in _list_publications(record)]
    raw = make_title_key(evidence.reference.raw)
    if not rows or any(version.venue and make_title_key(version.venue) in raw for version, _, _ in rows):
        return None
    ranked = sorted(rows, key=_rank_publication)
    version, doi, chosen = ranked[0]
    doi = doi or next((other for _, other, _ in rows if other), "")
    series = parse_venue(version.venue or "").series
    lines = dict.fromkeys(
        f"{record.source}: {_describe_publication(other, other_doi)}"
        for other, other_doi, record in ranked
        if record.source != chosen.source or not _is_one_series(series, parse_venue(other.venue or "").series)
    )
    detail = f"it was published {_describe_publication(version, doi)}"
    sources = ", ".join(sorted({record.source for _, _, record in rows}))
    shown = tuple(lines)[:_SHOWN]
    return Finding(NAME, FindingState.FINDING, detail, sources, "", FindingLevel.NOTE, shown)


def _is_one_series(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    return mine == theirs or not mine.isdisjoint(theirs)


def _rank_publication(row: tuple[Version, str, Record]) -> tuple[bool, bool, int, str]:
    """Put first what says most in the fewest words."""
    version, doi, record = row
    return not version.venue, not doi, len(version.venue or ""), f"{version.venue} {record.source}"


def _list_publications(record: Record) -> Iterator[tuple[Version, str, Record]]:
    """Yield the publications that a record knows, each with its DOI if only one can be meant."""
    dois = [doi for doi in record.ids.all("doi") if is_publication_doi(doi)]
    doi = dois[0] if len(set(dois)) == 1 else ""
    printed = [each for each in record.versions if each.kind in _PUBLICATIONS and is_published(each)]
    for version in printed:
        yield version, doi if len(printed) == 1 else "", record
    if not printed and doi and record.kind is Kind.PREPRINT:
        yield Version(), doi, record


def _describe_publication(version: Version, doi: str) -> str:
    """Return a publication in words: where, when, under which DOI."""
    where = f"in {version.venue}" if version.venue else "elsewhere"
    when = f", {version.year}" if version.year and str(version.year) not in where else ""
    return f"{where}{when}" + (f" (doi:{doi})" if doi else "")
