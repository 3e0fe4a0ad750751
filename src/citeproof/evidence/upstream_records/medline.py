"""MEDLINE/PubMed XML: a `PubmedArticle` or `PubmedBookArticle` to a record.

A record's id is `pmid:<number>`. Brackets around a title mean a translation and go; the original title
follows where it is given.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from lxml import etree

from citeproof.evidence.upstream_records import json_fields
from citeproof.text import dates, ids, names, pages
from citeproof.text import lazy_patterns as re
from citeproof.text.title import clean
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_RETRACTED = "D016441"  # publication type "Retracted Publication"
_PREPRINT = "D000076942"
_NOTICES = {
    "RetractionIn": "retracted",
    "PartialRetractionIn": "partial_retraction",
    "ExpressionOfConcernIn": "expression_of_concern",
}
_CORRECTIONS = frozenset(("ErratumIn", "CorrectedandRepublishedIn"))
_TRANSLATED = re.compile(r"\[(.{1,3900})\]\.?")
_LETTER = re.compile(r"[^\W_]")
_ARTICLE = "MedlineCitation/Article"
_SCHEMES = {"doi": "doi", "pmc": "pmcid"}
_BOOK_DATES = ("Book/PubDate", "ContributionDate", "DateRevised")  # book, chapter, its last revision


def read_pmid(article: etree._Element) -> str | None:
    """Return the PubMed number of an article, None if it has no usable one."""
    return ids.normalise_id("pmid", article.findtext("MedlineCitation/PMID") or "")


def make_record(article: etree._Element) -> Record | None:
    """Return the record of a `PubmedArticle`; None without a usable number and title."""
    pmid, titles = read_pmid(article), _read_titles(article)
    if pmid is None or not titles:
        return None
    types = {kind.get("UI") for kind in article.iterfind(f"{_ARTICLE}/PublicationTypeList/PublicationType")}
    listed = article.find(f"{_ARTICLE}/AuthorList")
    return Record(
        source="",
        id=f"pmid:{pmid}",
        titles=titles,
        authors=_read_authors(listed),
        authors_complete=listed is None or listed.get("CompleteYN") != "N",
        versions=_read_versions(article),
        kind=Kind.PREPRINT if _PREPRINT in types else Kind.ARTICLE,
        ids=Ids(_read_ids(article, pmid)),
        marks=_read_marks(article, types),
    )


def list_cited_works(article: etree._Element) -> tuple[str, ...]:
    """Return the DOIs of an article's reference list, the PubMed number where a work has no DOI there."""
    cited: dict[str, None] = {}
    for reference in islice(article.iterfind("PubmedData/ReferenceList/Reference"), json_fields.MAX_CITED):
        stated = {e.get("IdType"): e.text or "" for e in reference.iterfind("ArticleIdList/ArticleId")}
        doi = ids.normalise_id("doi", stated.get("doi", "")[:300])
        pmid = ids.normalise_id("pmid", stated.get("pubmed", "")[:20])
        if name := doi or (f"pmid:{pmid}" if pmid else ""):
            cited[name] = None
    return tuple(cited)


def mark_corrections(article: etree._Element, record: Record) -> Record:
    """Return `found`, bounded, with its corrections marked, "RETRACTED:" off its title, and what it cites."""
    titles, marks = json_fields.split_retraction_mark(record.titles)
    refs = {e.get("RefType") for e in article.iterfind(".//CommentsCorrections")}
    corrected = ("corrected",) if refs & _CORRECTIONS else ()
    whole = tuple(dict.fromkeys((*record.marks, *marks, *corrected)))
    return replace(
        record,
        titles=tuple(title[: json_fields.MAX_TEXT] for title in titles or record.titles),
        authors=tuple(
            replace(
                name,
                family=name.family[: names.MAX_NAME],
                given=name.given[: names.MAX_NAME],
                suffix=name.suffix[: names.MAX_NAME],
            )
            for name in record.authors[: json_fields.MAX_ROWS]
        ),
        authors_complete=record.authors_complete and len(record.authors) <= json_fields.MAX_ROWS,
        marks=whole,
        cites=list_cited_works(article),
    )


def make_book_record(article: etree._Element) -> Record | None:
    """Return the record of a `PubmedBookArticle`: a book of NCBI Bookshelf, or a chapter of one."""
    document = article.find("BookDocument")
    if document is None:
        return None
    pmid = ids.normalise_id("pmid", document.findtext("PMID") or "")
    whole, part = (_read_element_text(document.find(path)) for path in ("Book/BookTitle", "ArticleTitle"))
    title = part or whole
    if pmid is None or not _LETTER.search(title):
        return None
    listed = document.find("AuthorList[@Type='authors']")
    if listed is None:
        listed = document.find("Book/AuthorList")
    sort = Kind.CHAPTER if part else Kind.BOOK
    stated_years = (dates.find_year(document.findtext(f"{path}/Year") or "") for path in _BOOK_DATES)
    years: list[int | None] = [year for year in dict.fromkeys(stated_years) if year]
    stated = {"isbn": [e.text for e in document.iterfind("Book/Isbn")]}
    for scheme, kind in (("doi", "doi"), ("pmcid", "pmc")):
        stated[scheme] = [e.text for e in document.iterfind(f"ArticleIdList/ArticleId[@IdType='{kind}']")]
    return Record(
        source="",
        id=f"pmid:{pmid}",
        titles=(title,),
        authors=_read_authors(listed),
        versions=tuple(Version(year, whole if part else None, sort) for year in years or [None]),
        kind=sort,
        publisher=_read_element_text(document.find("Book/Publisher/PublisherName")) or None,
        ids=Ids((("pmid", pmid), *json_fields.collect_ids(*stated.items()))),
    )


def _read_element_text(element: etree._Element | None) -> str:
    return clean("".join(element.itertext())) if element is not None else ""


def _read_titles(article: etree._Element) -> tuple[str, ...]:
    """Return the title without the brackets of a translation, and the original where it is given."""
    authors = []
    for name in ("ArticleTitle", "VernacularTitle"):
        text = _read_element_text(article.find(f"{_ARTICLE}/{name}"))
        if translated := _TRANSLATED.fullmatch(text):
            text = clean(translated[1])
        if _LETTER.search(text) and not text.lower().startswith("not available"):
            authors.append(text)
    return tuple(dict.fromkeys(authors))


def _read_authors(listed: etree._Element | None) -> tuple[Name, ...]:
    names_read = []
    for author in listed if listed is not None else ():
        family, group = author.findtext("LastName"), author.findtext("CollectiveName")
        if family:
            given = author.findtext("ForeName") or author.findtext("Initials") or ""
            names_read.append(Name(family.strip(), given.strip(), (author.findtext("Suffix") or "").strip()))
        elif group:
            names_read.append(Name(clean(group), collective=True))
    return tuple(names_read)


def _read_versions(article: etree._Element) -> tuple[Version, ...]:
    journal = article.find(f"{_ARTICLE}/Journal")
    issue = journal.find("JournalIssue") if journal is not None else None
    printed = None
    if issue is not None:
        printed = issue.findtext("PubDate/Year") or issue.findtext("PubDate/MedlineDate")
    venue = clean(journal.findtext("Title") or "") if journal is not None else ""
    first = Version(
        year=dates.find_year(printed or ""),
        venue=venue or None,
        volume=issue.findtext("Volume") if issue is not None else None,
        issue=issue.findtext("Issue") if issue is not None else None,
        pages=pages.normalise(article.findtext(f"{_ARTICLE}/Pagination/MedlinePgn") or ""),
    )
    online = dates.find_year(article.findtext(f"{_ARTICLE}/ArticleDate/Year") or "")
    later = (Version(online, venue or None),) if online and online != first.year else ()
    return (first, *later, *(Version(first.year, short) for short in _list_abbreviations(article, venue)))


def _list_abbreviations(article: etree._Element, venue: str) -> list[str]:
    """Return the journal's abbreviations, as ISO 4 and as MEDLINE have it."""
    stated = (f"{_ARTICLE}/Journal/ISOAbbreviation", "MedlineCitation/MedlineJournalInfo/MedlineTA")
    titles_stated = dict.fromkeys(clean(article.findtext(path) or "") for path in stated)
    return [short for short in titles_stated if short and short != venue]


def _read_ids(article: etree._Element, pmid: str) -> tuple[tuple[str, str], ...]:
    pairs = [("pmid", pmid)]
    stated = [
        (e.get("EIdType"), e.text)
        for e in article.iterfind(f"{_ARTICLE}/ELocationID")
        if e.get("ValidYN") != "N"
    ]
    stated += [(e.get("IdType"), e.text) for e in article.iterfind("PubmedData/ArticleIdList/ArticleId")]
    for kind, text in stated:
        scheme = _SCHEMES.get(kind or "")
        if scheme and text and (value := ids.normalise_id(scheme, text)):
            pairs += ids.expand_doi(value) if scheme == "doi" else [(scheme, value)]
    return tuple(dict.fromkeys(pairs))


def _read_marks(article: etree._Element, types: set[str | None]) -> tuple[str, ...]:
    noticed = [notice.get("RefType") for notice in article.iterfind(".//CommentsCorrections")]
    marks = ["retracted"] if _RETRACTED in types else []
    return tuple(dict.fromkeys(marks + [_NOTICES[kind] for kind in noticed if kind in _NOTICES]))
