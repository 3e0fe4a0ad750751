"""One result of Europe PMC's search (`resultType=core`) to a record.

A record's id is `<source>:<id>`, as Europe PMC writes it: `MED:23193287`, `PPR:PPR123456`, `PMC:PMC77`.
"""

from __future__ import annotations

from citeproof.evidence.upstream_records import json_fields
from citeproof.text import names, pages
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_NOTICES = {
    "retraction in": "retracted",
    "partial retraction in": "partial_retraction",
    "expression of concern in": "expression_of_concern",
    "erratum in": "corrected",
    "corrected and republished in": "corrected",
}
_TYPES = {"retracted publication": "retracted", "withdrawn": "withdrawn"}
_THESES = "ETH"  # EThOS, the British Library's theses


def make_record(item: dict[str, object]) -> Record | None:
    """Return the record of one result; None without a title."""
    titles, marks = json_fields.split_retraction_mark(json_fields.list_titles(item.get("title")))
    source, number = json_fields.read_text(item.get("source")), json_fields.read_text(item.get("id"))
    if not titles or not number:
        return None
    listed = json_fields.read_path(item, "pubTypeList", "pubType")
    types = {text.lower() for text in json_fields.read_texts(listed)}
    kind = _find_kind(item, source, types)
    authors = _read_authors(item)
    publisher = json_fields.read_text(json_fields.read_path(item, "bookOrReportDetails", "publisher"))
    book = json_fields.read_table(item.get("bookOrReportDetails"))
    own = ((scheme, [item.get(scheme)]) for scheme in ("pmid", "pmcid", "doi"))
    return Record(
        source="",
        id=f"{source}:{number}",
        titles=titles,
        authors=authors or _split_author_string(item),
        authors_complete=bool(authors)
        or not json_fields.read_text(item.get("authorString")).endswith("et al"),
        versions=_read_versions(item, kind),
        kind=kind,
        publisher=publisher or None,
        ids=Ids(json_fields.collect_ids(*own, ("isbn", [book.get("isbn13"), book.get("isbn10")]))),
        marks=tuple(dict.fromkeys((*marks, *_read_marks(item, types)))),
    )


def _find_kind(item: dict[str, object], source: str, types: set[str]) -> Kind:
    if source == "PPR" or "preprint" in types:
        return Kind.PREPRINT
    if source == _THESES or "thesis" in types:
        return Kind.THESIS
    if json_fields.read_table(item.get("journalInfo")):
        return Kind.ARTICLE
    book = json_fields.read_table(item.get("bookOrReportDetails"))
    if book:
        return Kind.CHAPTER if json_fields.read_text(book.get("comprisingTitle")) else Kind.BOOK
    return Kind.UNKNOWN


def _read_authors(item: dict[str, object]) -> tuple[Name, ...]:
    authors = []
    for author in json_fields.read_rows(json_fields.read_path(item, "authorList", "author")):
        group, family = _read_name(author.get("collectiveName")), _read_name(author.get("lastName"))
        if family:
            authors.append(
                Name(family, _read_name(author.get("firstName")) or _read_name(author.get("initials")))
            )
        elif group:
            authors.append(Name(group, collective=True))
        elif full := _read_name(author.get("fullName")):
            authors.append(json_fields.parse_family_first(full))
    return tuple(authors)


def _read_name(value: object) -> str:
    return names.tidy_name(value[: names.MAX_NAME]) if isinstance(value, str) else ""


def _split_author_string(item: dict[str, object]) -> tuple[Name, ...]:
    """Return the authors of "Benson DA, Cavanaugh M." where there is no list."""
    whole = json_fields.read_text(item.get("authorString"), 20_000).removesuffix("et al")
    return tuple(json_fields.parse_family_first(name) for name in whole.rstrip(". ").split(", ") if name)


def _read_versions(item: dict[str, object], kind: Kind) -> tuple[Version, ...]:
    info = json_fields.read_table(item.get("journalInfo"))
    journal = json_fields.read_table(info.get("journal"))
    book = json_fields.read_table(item.get("bookOrReportDetails"))
    places = (journal.get("title"), book.get("comprisingTitle"), book.get("publisher"))
    venue = next(filter(None, map(json_fields.read_text, places)), "")
    year = json_fields.read_year(info.get("yearOfPublication")) or json_fields.read_year(item.get("pubYear"))
    first = Version(
        year or json_fields.read_year(book.get("yearOfPublication")),
        venue or None,
        kind,
        json_fields.read_text(info.get("volume")) or None,
        json_fields.read_text(info.get("issue")) or None,
        pages.normalise(json_fields.read_text(item.get("pageInfo"))),
    )
    online = json_fields.read_year(item.get("firstPublicationDate"))
    later = (Version(online, venue or None, kind),) if online and online != first.year else ()
    short = dict.fromkeys(
        json_fields.read_text(journal.get(name)) for name in ("isoabbreviation", "medlineAbbreviation")
    )
    return (first, *later, *(Version(first.year, name, kind) for name in short if name and name != venue))


def _read_marks(item: dict[str, object], types: set[str]) -> tuple[str, ...]:
    listed = json_fields.read_rows(json_fields.read_path(item, "commentCorrectionList", "commentCorrection"))
    links = [json_fields.read_text(link.get("type")).lower() for link in listed]
    marks = [_TYPES[name] for name in types if name in _TYPES]
    return tuple(dict.fromkeys(marks + [_NOTICES[link] for link in links if link in _NOTICES]))
