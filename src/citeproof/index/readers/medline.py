"""MEDLINE/PubMed XML (`.xml`, `.xml.gz`, or the `.xml.gz` members of a wheel): one record an article.

Streams article by article. A DOCTYPE is normal here; it is never loaded, entities are never resolved,
and a file that declares its own entities is refused. `DeleteCitation` lists are ignored: a snapshot
is made from the files it is given. A record's id is `pmid:<number>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, ClassVar

from lxml import etree

from citeproof.index.readers._files import members
from citeproof.index.readers.base import BadRecord
from citeproof.text import dates, ids, pages
from citeproof.text.title import clean
from citeproof.vocabulary import Ids, Kind, Name, Place, Record, Version

_RETRACTED = "D016441"  # publication type "Retracted Publication"
_PREPRINT = "D000076942"
_NOTICES = {"RetractionIn": "retracted", "ExpressionOfConcernIn": "expression_of_concern"}
_TRANSLATED = re.compile(r"\[(.{1,3900})\]\.?")
_LETTER = re.compile(r"[^\W_]")
_ARTICLE = "MedlineCitation/Article"


class Medline:
    name: ClassVar[str] = "medline"

    def read(self, paths: Sequence[Path]) -> Iterator[Record | BadRecord]:
        """Yield one record an article, in the order of the files."""
        for path in paths:
            with members(path, ".xml.gz") as found:
                for name, stream in found:
                    yield from _read(name, stream)


def _read(name: str, stream: IO[bytes]) -> Iterator[Record | BadRecord]:
    walk = etree.iterparse(
        stream,
        events=("end",),
        tag="PubmedArticle",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=False,
    )
    line, any_article = None, False
    try:
        for _, article in walk:
            line = article.sourceline
            if not any_article and _declares_entities(article):
                yield BadRecord(Place(file=name, line=1), "the file declares its own XML entities: refused")
                return
            any_article = True
            yield _record(article, Place(file=name, line=line))
            _forget(article)
    except etree.XMLSyntaxError as error:
        where = Place(file=name, line=error.lineno or line)
        yield BadRecord(where, f"the XML breaks off here: {error.msg}")
        return
    if not any_article:
        yield BadRecord(Place(file=name), "the file holds no PubmedArticle")


def _declares_entities(article: etree._Element) -> bool:
    subset = article.getroottree().docinfo.internalDTD
    return subset is not None and next(subset.iterentities(), None) is not None


def _forget(article: etree._Element) -> None:
    """Free what has been read; without this the whole file stays in memory."""
    article.clear()
    while article.getprevious() is not None:
        del article.getparent()[0]


def _record(article: etree._Element, place: Place) -> Record | BadRecord:
    pmid = ids.normal("pmid", article.findtext("MedlineCitation/PMID") or "")
    titles = _titles(article)
    if pmid is None or not titles:
        what = "usable PMID" if pmid is None else "title"
        return BadRecord(place, f"article {pmid or '?'} has no {what}")
    types = {found.get("UI") for found in article.iterfind(f"{_ARTICLE}/PublicationTypeList/PublicationType")}
    listed = article.find(f"{_ARTICLE}/AuthorList")
    return Record(
        source="",
        id=f"pmid:{pmid}",
        titles=titles,
        authors=_authors(listed),
        authors_complete=listed is None or listed.get("CompleteYN") != "N",
        versions=_versions(article),
        kind=Kind.PREPRINT if _PREPRINT in types else Kind.ARTICLE,
        ids=Ids(_ids(article, pmid)),
        marks=_marks(article, types),
    )


def _titles(article: etree._Element) -> tuple[str, ...]:
    """Return the title without the brackets of a translation, and the original where it is given."""
    found = []
    for name in ("ArticleTitle", "VernacularTitle"):
        element = article.find(f"{_ARTICLE}/{name}")
        text = clean("".join(element.itertext())) if element is not None else ""
        if translated := _TRANSLATED.fullmatch(text):
            text = clean(translated[1])
        if _LETTER.search(text) and not text.lower().startswith("not available"):
            found.append(text)
    return tuple(dict.fromkeys(found))


def _authors(listed: etree._Element | None) -> tuple[Name, ...]:
    names = []
    for author in listed if listed is not None else ():
        family, group = author.findtext("LastName"), author.findtext("CollectiveName")
        if family:
            given = author.findtext("ForeName") or author.findtext("Initials") or ""
            names.append(Name(family.strip(), given.strip(), (author.findtext("Suffix") or "").strip()))
        elif group:
            names.append(Name(clean(group), collective=True))
    return tuple(names)


def _versions(article: etree._Element) -> tuple[Version, ...]:
    journal = article.find(f"{_ARTICLE}/Journal")
    issue = journal.find("JournalIssue") if journal is not None else None
    printed = None
    if issue is not None:
        printed = issue.findtext("PubDate/Year") or issue.findtext("PubDate/MedlineDate")
    venue = clean(journal.findtext("Title") or "") if journal is not None else ""
    first = Version(
        year=dates.year(printed or ""),
        venue=venue or None,
        volume=issue.findtext("Volume") if issue is not None else None,
        issue=issue.findtext("Issue") if issue is not None else None,
        pages=pages.normal(article.findtext(f"{_ARTICLE}/Pagination/MedlinePgn") or ""),
    )
    online = dates.year(article.findtext(f"{_ARTICLE}/ArticleDate/Year") or "")
    return (first, Version(online, venue or None)) if online and online != first.year else (first,)


def _ids(article: etree._Element, pmid: str) -> tuple[tuple[str, str], ...]:
    pairs = [("pmid", pmid)]
    stated = [
        (e.get("EIdType"), e.text)
        for e in article.iterfind(f"{_ARTICLE}/ELocationID")
        if e.get("ValidYN") != "N"
    ]
    stated += [(e.get("IdType"), e.text) for e in article.iterfind("PubmedData/ArticleIdList/ArticleId")]
    for kind, text in stated:
        scheme = {"doi": "doi", "pmc": "pmcid"}.get(kind or "")
        if scheme and text and (value := ids.normal(scheme, text)):
            pairs += ids.of_doi(value) if scheme == "doi" else [(scheme, value)]
    return tuple(dict.fromkeys(pairs))


def _marks(article: etree._Element, types: set[str | None]) -> tuple[str, ...]:
    noted = [found.get("RefType") for found in article.iterfind(".//CommentsCorrections")]
    marks = ["retracted"] if _RETRACTED in types else []
    return tuple(dict.fromkeys(marks + [_NOTICES[kind] for kind in noted if kind in _NOTICES]))


READER = Medline()
