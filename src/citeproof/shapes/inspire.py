"""The metadata of one INSPIRE literature record to a record; the same JSON in answers and dumps.

A record's id is `inspire:<recid>`. Journal names are INSPIRE's short forms ("Phys.Rev.D").
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.shapes import fields
from citeproof.text import dates, names, pages
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_KINDS = {
    "article": Kind.ARTICLE,
    "conference paper": Kind.ARTICLE,
    "book chapter": Kind.CHAPTER,
    "book": Kind.BOOK,
    "proceedings": Kind.BOOK,
    "thesis": Kind.THESIS,
    "report": Kind.REPORT,
    "note": Kind.REPORT,
    "activity report": Kind.REPORT,
}


def record(item: dict[str, object]) -> Record | None:
    """Return the record of `metadata`; None without a title, or if the record was deleted or merged."""
    titles, notices = fields.unmarked(_titles(item))
    if not titles or item.get("deleted") is True:
        return None
    kind = _kind(item)
    number = item.get("control_number")
    return Record(
        source="",
        id=f"inspire:{number if isinstance(number, int) else ''}",
        titles=titles,
        authors=_authors(item),
        authors_complete=_complete(item),
        versions=tuple(dict.fromkeys(_versions(item, kind))),
        kind=kind,
        publisher=_publisher(item),
        ids=Ids(_ids(item)),
        marks=tuple(dict.fromkeys((*notices, *_marks(item)))),
    )


def _titles(item: dict[str, object]) -> tuple[str, ...]:
    """Return all titles: INSPIRE keeps the publisher's, the preprint's and translated ones."""
    listed = fields.rows(item.get("titles")) + fields.rows(item.get("title_translations"))
    found = (t for one in listed for t in fields.titles(one.get("title"), one.get("subtitle")))
    return tuple(dict.fromkeys(found))


def _kind(item: dict[str, object]) -> Kind:
    stated = [_KINDS[name] for name in fields.texts(item.get("document_type")) if name in _KINDS]
    kind = stated[0] if stated else Kind.UNKNOWN
    published = any(
        fields.text(one.get("journal_title")) for one in fields.rows(item.get("publication_info"))
    )
    if kind is Kind.ARTICLE and not published and item.get("arxiv_eprints") and not item.get("dois"):
        return Kind.PREPRINT
    return kind


def _authors(item: dict[str, object]) -> tuple[Name, ...]:
    """Return the authors, else the editors; then the collaborations they wrote for."""
    listed = fields.rows(item.get("authors"))
    plain = [one for one in listed if not _roles(one)]
    people = plain or [one for one in listed if "editor" in _roles(one)]
    listed_names = (one.get("full_name") for one in people)
    found = fields.people(name for name in listed_names if isinstance(name, str))
    groups = [*fields.texts(item.get("corporate_author")), *_collaborations(item)]
    return (*found, *(Name(group[: names.MAX_NAME], collective=True) for group in groups))


def _roles(author: dict[str, object]) -> set[str]:
    return {role for role in fields.texts(author.get("inspire_roles")) if role != "author"}


def _collaborations(item: dict[str, object]) -> Iterator[str]:
    for one in fields.rows(item.get("collaborations")):
        if name := fields.text(one.get("value")):
            yield name if "collaboration" in name.lower() else f"{name} Collaboration"


def _complete(item: dict[str, object]) -> bool:
    """Return whether all authors are listed; an answer counts them beside the list."""
    counted = item.get("author_count")
    listed = fields.rows(item.get("authors"))
    return len(listed) < fields.MAX_ROWS and not (isinstance(counted, int) and counted > len(listed))


def _versions(item: dict[str, object], kind: Kind) -> Iterator[Version]:
    for one in fields.rows(item.get("publication_info")):
        venue = fields.text(one.get("journal_title"))
        year = _year(one.get("year"))
        if (venue or year) and fields.text(one.get("material")) != "erratum":
            yield Version(
                year, venue or None, kind, fields.text(one.get("journal_volume")) or None,
                fields.text(one.get("journal_issue")) or None, _pages(one),
            )  # fmt: skip
    thesis = fields.table(item.get("thesis_info"))
    where = [fields.text(one.get("name")) for one in fields.rows(thesis.get("institutions"))]
    defended = _year(thesis.get("date")) or _year(thesis.get("defense_date"))
    if thesis and (where or defended):
        yield Version(defended, where[0] if where else None, Kind.THESIS)
    for one in fields.rows(item.get("imprints")):
        if year := _year(one.get("date")):
            yield Version(year, kind=kind)
    if item.get("arxiv_eprints"):
        yield Version(_year(item.get("preprint_date")), "arXiv", Kind.PREPRINT)


def _pages(info: dict[str, object]) -> str | None:
    first, last = fields.text(info.get("page_start")), fields.text(info.get("page_end"))
    article = fields.text(info.get("artid"))
    return pages.normal(f"{first}-{last}" if first and last else first or article)


def _publisher(item: dict[str, object]) -> str | None:
    found = (fields.text(one.get("publisher")) for one in fields.rows(item.get("imprints")))
    return next((name for name in found if name), None)


def _year(value: object) -> int | None:
    return dates.year(str(value) if isinstance(value, int) else fields.text(value))


def _ids(item: dict[str, object]) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    for scheme, name in (("doi", "dois"), ("arxiv", "arxiv_eprints"), ("isbn", "isbns")):
        values = [one.get("value") for one in fields.rows(item.get(name)) if one.get("material") != "erratum"]
        found.update(dict.fromkeys(fields.pairs(scheme, values)))
    others = fields.rows(item.get("external_system_identifiers"))
    bibcodes = [one.get("value") for one in others if one.get("schema") == "ADS"]
    found.update(dict.fromkeys(fields.pairs("ads", bibcodes)))
    return tuple(found)


def _marks(item: dict[str, object]) -> Iterator[str]:
    if item.get("withdrawn") is True:
        yield "withdrawn"
    published = fields.rows(item.get("publication_info")) + fields.rows(item.get("dois"))
    if any(one.get("material") == "erratum" for one in published):
        yield "corrected"
