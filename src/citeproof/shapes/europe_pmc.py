"""One result of Europe PMC's search (`resultType=core`) to a record.

A record's id is `<source>:<id>`, as Europe PMC writes it: `MED:23193287`, `PPR:PPR123456`, `PMC:PMC77`.
"""

from __future__ import annotations

from citeproof.shapes import fields
from citeproof.text import dates, names, pages
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_NOTICES = {
    "retraction in": "retracted",
    "expression of concern in": "expression_of_concern",
    "erratum in": "corrected",
    "corrected and republished in": "corrected",
}
_TYPES = {"retracted publication": "retracted", "withdrawn": "withdrawn"}
_THESES = "ETH"  # EThOS, the British Library's theses


def record(item: dict[str, object]) -> Record | None:
    """Return the record of one result; None without a title."""
    titles, marks = fields.unmarked(fields.titles(item.get("title")))
    source, number = fields.text(item.get("source")), fields.text(item.get("id"))
    if not titles or not number:
        return None
    types = {text.lower() for text in fields.texts(fields.table(item.get("pubTypeList")).get("pubType"))}
    kind = _kind(item, source, types)
    authors = _authors(item)
    return Record(
        source="",
        id=f"{source}:{number}",
        titles=titles,
        authors=authors or _from_string(item),
        authors_complete=bool(authors) or not fields.text(item.get("authorString")).endswith("et al"),
        versions=_versions(item, kind),
        kind=kind,
        publisher=fields.text(fields.table(item.get("bookOrReportDetails")).get("publisher")) or None,
        ids=Ids(_ids(item)),
        marks=tuple(dict.fromkeys((*marks, *_marks(item, types)))),
    )


def _kind(item: dict[str, object], source: str, types: set[str]) -> Kind:
    if source == "PPR" or "preprint" in types:
        return Kind.PREPRINT
    if source == _THESES or "thesis" in types:
        return Kind.THESIS
    if fields.table(item.get("journalInfo")):
        return Kind.ARTICLE
    book = fields.table(item.get("bookOrReportDetails"))
    if book:
        return Kind.CHAPTER if fields.text(book.get("comprisingTitle")) else Kind.BOOK
    return Kind.UNKNOWN


def _authors(item: dict[str, object]) -> tuple[Name, ...]:
    found = []
    for author in fields.rows(fields.table(item.get("authorList")).get("author")):
        group, family = _name(author.get("collectiveName")), _name(author.get("lastName"))
        if family:
            found.append(Name(family, _name(author.get("firstName")) or _name(author.get("initials"))))
        elif group:
            found.append(Name(group, collective=True))
        elif full := _name(author.get("fullName")):
            found.append(fields.family_first(full))
    return tuple(found)


def _name(value: object) -> str:
    return names.tidy(value[: names.MAX_NAME]) if isinstance(value, str) else ""


def _from_string(item: dict[str, object]) -> tuple[Name, ...]:
    """Return the authors of "Benson DA, Cavanaugh M." where there is no list."""
    whole = fields.text(item.get("authorString"), 20_000).removesuffix("et al")
    return tuple(fields.family_first(name) for name in whole.rstrip(". ").split(", ") if name)


def _versions(item: dict[str, object], kind: Kind) -> tuple[Version, ...]:
    info, book = fields.table(item.get("journalInfo")), fields.table(item.get("bookOrReportDetails"))
    venue = fields.text(fields.table(info.get("journal")).get("title"))
    venue = venue or fields.text(book.get("comprisingTitle")) or fields.text(book.get("publisher"))
    year = _year(info.get("yearOfPublication")) or _year(item.get("pubYear"))
    first = Version(
        year or _year(book.get("yearOfPublication")),
        venue or None,
        kind,
        fields.text(info.get("volume")) or None,
        fields.text(info.get("issue")) or None,
        pages.normal(fields.text(item.get("pageInfo"))),
    )
    online = _year(item.get("firstPublicationDate"))
    later = (Version(online, venue or None, kind),) if online and online != first.year else ()
    journal = fields.table(info.get("journal"))
    short = dict.fromkeys(
        fields.text(journal.get(name)) for name in ("isoabbreviation", "medlineAbbreviation")
    )
    return (first, *later, *(Version(first.year, name, kind) for name in short if name and name != venue))


def _year(value: object) -> int | None:
    return dates.year(str(value) if isinstance(value, int) else fields.text(value))


def _ids(item: dict[str, object]) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    for scheme in ("pmid", "pmcid", "doi"):
        found.update(dict.fromkeys(fields.pairs(scheme, [item.get(scheme)])))
    book = fields.table(item.get("bookOrReportDetails"))
    found.update(dict.fromkeys(fields.pairs("isbn", [book.get("isbn13"), book.get("isbn10")])))
    return tuple(found)


def _marks(item: dict[str, object], types: set[str]) -> tuple[str, ...]:
    listed = fields.rows(fields.table(item.get("commentCorrectionList")).get("commentCorrection"))
    links = [fields.text(one.get("type")).lower() for one in listed]
    marks = [_TYPES[name] for name in types if name in _TYPES]
    return tuple(dict.fromkeys(marks + [_NOTICES[link] for link in links if link in _NOTICES]))
