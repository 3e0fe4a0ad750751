"""One document of the NASA ADS search to a record. Its id is the bibcode.

Names are "Family, Given", titles and pages are lists, the identifiers of all versions stand in one list.
"""

from __future__ import annotations

from citeproof.shapes import fields
from citeproof.text import dates, pages
from citeproof.vocabulary import Ids, Kind, Record, Version

FIELDS = (
    "bibcode,title,author,author_count,year,pubdate,pub,volume,issue,page,page_range,doi,identifier,isbn,"
    "doctype,publisher"
)

_KINDS = {
    "article": Kind.ARTICLE,
    "inproceedings": Kind.ARTICLE,
    "abstract": Kind.ARTICLE,
    "editorial": Kind.ARTICLE,
    "erratum": Kind.ARTICLE,
    "circular": Kind.ARTICLE,
    "newsletter": Kind.ARTICLE,
    "bookreview": Kind.ARTICLE,
    "obituary": Kind.ARTICLE,
    "eprint": Kind.PREPRINT,
    "book": Kind.BOOK,
    "proceedings": Kind.BOOK,
    "inbook": Kind.CHAPTER,
    "phdthesis": Kind.THESIS,
    "mastersthesis": Kind.THESIS,
    "techreport": Kind.REPORT,
    "intechreport": Kind.REPORT,
    "catalog": Kind.DATASET,
    "dataset": Kind.DATASET,
    "software": Kind.SOFTWARE,
}


def record(item: dict[str, object]) -> Record | None:
    """Return the record of one document; None without a bibcode and a title."""
    own = fields.pairs("ads", [item.get("bibcode")])
    listed = fields.texts(item.get("title"))
    titles, marks = fields.unmarked(fields.titles(listed[0] if listed else "", "", *listed[1:]))
    if not own or not titles:
        return None
    people = item.get("author")
    found = (
        [name for name in people[: fields.MAX_ROWS] if isinstance(name, str)]
        if isinstance(people, list)
        else []
    )
    counted = item.get("author_count")
    kind = _KINDS.get(fields.text(item.get("doctype")), Kind.UNKNOWN)
    return Record(
        source="",
        id=own[0][1],
        titles=titles,
        authors=fields.people(found),
        authors_complete=not (isinstance(counted, int) and counted > len(found))
        and not any(map(_is_cut, found)),
        versions=_versions(item, kind),
        kind=kind,
        publisher=fields.text(item.get("publisher")) or None,
        ids=Ids(_ids(item, own)),
        marks=marks,
    )


def _is_cut(name: str) -> bool:
    """Return whether what stands in a name's place says that the list goes on: ", . . ."."""
    return not any(map(str.isalnum, name)) and "." in name


def _versions(item: dict[str, object], kind: Kind) -> tuple[Version, ...]:
    """Return the appearance that the document describes, and its preprint where an identifier names one."""
    year = dates.year(fields.text(item.get("year")))
    span = fields.text(item.get("page_range")) or next(iter(fields.texts(item.get("page"))), "")
    first = Version(
        year,
        fields.text(item.get("pub")) or None,
        kind,
        fields.text(item.get("volume")) or None,
        fields.text(item.get("issue")) or None,
        pages.normal(span),
    )
    codes = [
        code for _, code in fields.pairs("ads", fields.texts(item.get("identifier"))) if code[4:9] == "arXiv"
    ]
    preprints = [Version(int(code[:4]), "arXiv", Kind.PREPRINT) for code in codes[:1]]
    return (first, *(version for version in preprints if kind is not Kind.PREPRINT))


def _ids(item: dict[str, object], own: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the bibcode, then whatever else the document is known as."""
    found = dict.fromkeys(own)
    known = fields.texts(item.get("identifier"))[:100]
    found.update(dict.fromkeys(fields.pairs("doi", [*fields.texts(item.get("doi")), *_of("10.", known)])))
    found.update(dict.fromkeys(fields.pairs("arxiv", _of("arXiv:", known))))
    found.update(dict.fromkeys(fields.pairs("ads", known)))
    found.update(dict.fromkeys(fields.pairs("isbn", fields.texts(item.get("isbn")))))
    return tuple(found)


def _of(prefix: str, known: list[str]) -> list[str]:
    return [value for value in known if value.startswith(prefix)]
