"""What registries state about a work next to its record: who its people are, comments and replies, odd dates.

Each fact is a mark of the record. Only live answers carry them: a snapshot of millions of works would grow by
half for what few citations need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from lxml import etree

from citeproof.evidence.upstream_records.json_fields import (
    read_path,
    read_rows,
    read_table,
    read_text,
    squeeze_text,
)
from citeproof.text import ids
from citeproof.vocabulary import DATES_CLASH, ORCID, RELATED, Record

_MOST = 40  # facts of a kind that are stored
_NAME = 80  # characters of a name
_CROSSREF = {
    "has-comment": "comment",
    "has-reply": "reply",
    "is-comment-on": "comment_on",
    "is-reply-to": "reply_to",
}
_PUBMED = {"CommentIn": "comment", "CommentOn": "comment_on", "UpdateIn": "update"}
_EUROPE_PMC = {"comment in": "comment", "comment on": "comment_on", "update in": "update"}
_SCHEMES = {"doi": "doi", "pmid": "pmid", "arxiv": "arxiv"}


def mark_crossref(item: object, record: Record | None) -> Record | None:
    """Return the record with what Crossref states: ORCID iDs of its authors, comments and replies."""
    work = read_table(item)
    people = (
        (row.get("ORCID"), row.get("given"), row.get("family")) for row in read_rows(work.get("author"))
    )
    return _add_marks(record, _list_people(people), _list_crossref_relations(work))


def mark_datacite(item: object, record: Record | None) -> Record | None:
    """Return the record with the ORCID iDs that DataCite states."""
    creators = read_rows(read_path(item, "attributes", "creators"))
    people = (
        (
            name_id.get("nameIdentifier"),
            creator.get("givenName"),
            creator.get("familyName") or creator.get("name"),
        )
        for creator in creators
        for name_id in read_rows(creator.get("nameIdentifiers"))
        if read_text(name_id.get("nameIdentifierScheme")).upper() == "ORCID"
    )
    return _add_marks(record, _list_people(people))


def mark_europe_pmc(item: object, record: Record | None) -> Record | None:
    """Return the record with what Europe PMC states: ORCID iDs, comments, updates."""
    people = (
        (read_table(row.get("authorId")).get("value"), row.get("firstName"), row.get("lastName"))
        for row in read_rows(read_path(item, "authorList", "author"))
        if read_table(row.get("authorId")).get("type") == "ORCID"
    )
    listed = read_rows(read_path(item, "commentCorrectionList", "commentCorrection"))
    links = (
        (_EUROPE_PMC.get(read_text(link.get("type")).lower()), "pmid", link.get("id"))
        for link in listed
        if link.get("source") == "MED"
    )
    return _add_marks(record, _list_people(people), _list_related(links))


def mark_pubmed(article: etree._Element, record: Record) -> Record:
    """Return the record with what PubMed states: ORCID iDs, comments, updates, dates that clash."""
    people = (
        (known.text, author.findtext("ForeName"), author.findtext("LastName"))
        for author in article.iterfind("MedlineCitation/Article/AuthorList/Author")
        for known in author.iterfind("Identifier[@Source='ORCID']")
    )
    links = (
        (_PUBMED.get(link.get("RefType") or ""), "pmid", link.findtext("PMID"))
        for link in article.iterfind(".//CommentsCorrections")
    )
    marked = _add_marks(record, _list_people(people), _list_related(links), _list_clashes(article))
    assert marked is not None
    return marked


def _add_marks(record: Record | None, *facts: Iterable[str]) -> Record | None:
    if record is None:
        return None
    marks = [mark for kind in facts for mark in list(dict.fromkeys(kind))[:_MOST]]
    return replace(record, marks=(*record.marks, *marks)) if marks else record


def _list_people(people: Iterable[tuple[object, object, object]]) -> Iterator[str]:
    """Yield the ORCID iDs that are well formed, each with the name it is stated for."""
    for stated, given, family in people:
        if isinstance(stated, str) and (orcid := ids.normalise_id("orcid", stated)):
            name = f"{squeeze_text(given, _NAME)} {squeeze_text(family, _NAME)}".strip()
            if name:
                yield f"{ORCID}{orcid} {name}"


def _list_crossref_relations(work: dict[str, object]) -> Iterator[str]:
    relations = read_table(work.get("relation"))
    return _list_related(
        (kind, read_text(row.get("id-type")).lower(), row.get("id"))
        for name, kind in _CROSSREF.items()
        if name in relations
        for row in read_rows(relations[name])
    )


def _list_related(links: Iterable[tuple[str | None, str, object]]) -> Iterator[str]:
    for kind, scheme, value in links:
        if kind and scheme in _SCHEMES and isinstance(value, str | int):
            normal = ids.normalise_id(scheme, str(value)[:300])
            if normal:
                yield f"{RELATED}{kind} {scheme} {normal}"


def _list_clashes(article: etree._Element) -> Iterator[str]:
    """Yield that a work was accepted before it was received."""
    known = {}
    for stage in article.iterfind("PubmedData/History/PubMedPubDate"):
        parts = [stage.findtext(name) or "" for name in ("Year", "Month", "Day")]
        try:
            known[stage.get("PubStatus")] = date(*(int(part) for part in parts))
        except ValueError:  # "Jun", or no day: nothing can be said
            continue
    received, accepted = known.get("received"), known.get("accepted")
    if received and accepted and accepted < received:
        yield f"{DATES_CLASH}accepted {accepted}, received {received}"
