"""The metadata of one INSPIRE literature record to a record; the same JSON in answers and dumps.

A record's id is `inspire:<recid>`. Journal names are INSPIRE's short forms ("Phys.Rev.D").
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.evidence.upstream_records import json_fields
from citeproof.text import names, pages
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_OWN_IDS = {"doi": "dois", "arxiv": "arxiv_eprints", "isbn": "isbns"}


def make_record(item: dict[str, object]) -> Record | None:
    """Return the record of `metadata`; None without a title, or if the record was deleted or merged."""
    listed = json_fields.read_rows(item.get("titles")) + json_fields.read_rows(item.get("title_translations"))
    titles_listed = (
        t for row in listed for t in json_fields.list_titles(row.get("title"), row.get("subtitle"))
    )
    titles, notices = json_fields.split_retraction_mark(tuple(dict.fromkeys(titles_listed)))
    if not titles or item.get("deleted") is True:
        return None
    kind = _find_kind(item)
    number = item.get("control_number")
    return Record(
        source="",
        id=f"inspire:{number if isinstance(number, int) else ''}",
        titles=titles,
        authors=_read_authors(item),
        authors_complete=_has_all_authors(item),
        versions=tuple(dict.fromkeys(_read_versions(item, kind))),
        kind=kind,
        publisher=_read_publisher(item),
        ids=Ids(_read_ids(item)),
        marks=tuple(dict.fromkeys((*notices, *_read_marks(item)))),
    )


def _find_kind(item: dict[str, object]) -> Kind:
    stated = map(load_kinds("inspire").get, json_fields.read_texts(item.get("document_type")))
    kind = next(filter(None, stated), Kind.UNKNOWN)
    published = any(
        json_fields.read_text(row.get("journal_title"))
        for row in json_fields.read_rows(item.get("publication_info"))
    )
    if kind is Kind.ARTICLE and not published and item.get("arxiv_eprints") and not item.get("dois"):
        return Kind.PREPRINT
    return kind


def _read_authors(item: dict[str, object]) -> tuple[Name, ...]:
    """Return the authors, else the editors; then the collaborations they wrote for."""
    listed = json_fields.read_rows(item.get("authors"))
    plain = [author for author in listed if not _list_roles(author)]
    people = plain or [author for author in listed if "editor" in _list_roles(author)]
    listed_names = (person.get("full_name") for person in people)
    authors = json_fields.parse_people(name for name in listed_names if isinstance(name, str))
    groups = [*json_fields.read_texts(item.get("corporate_author")), *_list_collaborations(item)]
    return (*authors, *(Name(group[: names.MAX_NAME], collective=True) for group in groups))


def _list_roles(author: dict[str, object]) -> set[str]:
    return {role for role in json_fields.read_texts(author.get("inspire_roles")) if role != "author"}


def _list_collaborations(item: dict[str, object]) -> Iterator[str]:
    for row in json_fields.read_rows(item.get("collaborations")):
        if name := json_fields.read_text(row.get("value")):
            yield name if "collaboration" in name.lower() else f"{name} Collaboration"


def _has_all_authors(item: dict[str, object]) -> bool:
    """Return whether all authors are listed; an answer counts them next to the list."""
    counted = item.get("author_count")
    listed = json_fields.read_rows(item.get("authors"))
    return len(listed) < json_fields.MAX_ROWS and not (isinstance(counted, int) and counted > len(listed))


def _read_versions(item: dict[str, object], kind: Kind) -> Iterator[Version]:
    for row in json_fields.read_rows(item.get("publication_info")):
        venue = json_fields.read_text(row.get("journal_title"))
        year = json_fields.read_year(row.get("year"))
        if (venue or year) and json_fields.read_text(row.get("material")) != "erratum":
            yield Version(
                year, venue or None, kind, json_fields.read_text(row.get("journal_volume")) or None,
                json_fields.read_text(row.get("journal_issue")) or None, _read_pages(row),
            )  # fmt: skip
    thesis = json_fields.read_table(item.get("thesis_info"))
    where = [
        json_fields.read_text(row.get("name")) for row in json_fields.read_rows(thesis.get("institutions"))
    ]
    defended = json_fields.read_year(thesis.get("date")) or json_fields.read_year(thesis.get("defense_date"))
    if thesis and (where or defended):
        yield Version(defended, where[0] if where else None, Kind.THESIS)
    for row in json_fields.read_rows(item.get("imprints")):
        if year := json_fields.read_year(row.get("date")):
            yield Version(year, kind=kind)
    if item.get("arxiv_eprints"):
        yield Version(json_fields.read_year(item.get("preprint_date")), "arXiv", Kind.PREPRINT)


def _read_pages(info: dict[str, object]) -> str | None:
    first, last = json_fields.read_text(info.get("page_start")), json_fields.read_text(info.get("page_end"))
    article = json_fields.read_text(info.get("artid"))
    return pages.normalise(f"{first}-{last}" if first and last else first or article)


def _read_publisher(item: dict[str, object]) -> str | None:
    rows = json_fields.read_rows(item.get("imprints"))
    return next(filter(None, (json_fields.read_text(row.get("publisher")) for row in rows)), None)


def _read_ids(item: dict[str, object]) -> tuple[tuple[str, str], ...]:
    def values(name: str) -> list[object]:
        rows = json_fields.read_rows(item.get(name))
        return [row.get("value") for row in rows if row.get("material") != "erratum"]

    others = json_fields.read_rows(item.get("external_system_identifiers"))
    bibcodes = [row.get("value") for row in others if row.get("schema") == "ADS"]
    own = ((scheme, values(name)) for scheme, name in _OWN_IDS.items())
    return json_fields.collect_ids(*own, ("ads", bibcodes))


def _read_marks(item: dict[str, object]) -> Iterator[str]:
    if item.get("withdrawn") is True:
        yield "withdrawn"
    published = json_fields.read_rows(item.get("publication_info")) + json_fields.read_rows(item.get("dois"))
    if any(publication.get("material") == "erratum" for publication in published):
        yield "corrected"
