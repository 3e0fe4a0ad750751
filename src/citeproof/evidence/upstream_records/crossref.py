"""A work as Crossref gives it, in answers (`message`, `items[]`) and in the public data file ⇒ a `Record`.

Every date under which the work appeared (print, online, posted) is a version. The year of a work is that
of `published`, else of `issued`; `created` is the day of registration and only the last resort.
`updated-by` counts by its type: a healthy paper may have an erratum.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from citeproof.evidence.upstream_records.json_fields import (
    MAX_CITED,
    check_year,
    list_titles,
    make_id_pairs,
    read_rows,
    read_table,
    read_text,
    read_texts,
    split_retraction_mark,
    squeeze_text,
)
from citeproof.text import dates, names, pages
from citeproof.text.doi import normalise
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_MARKS = {
    "retraction": "retracted",
    "removal": "removed",
    "withdrawal": "withdrawn",
    "partial_retraction": "partial_retraction",
    "expression_of_concern": "expression_of_concern",
    "correction": "corrected",
    "corrigendum": "corrected",
    "erratum": "corrected",
    "addendum": "corrected",
}
_DATES = ("published", "issued", "published-print", "published-online", "published-other", "posted")
_SORTED = ("10.52202/",)  # NeurIPS proceedings: people by the alphabet, whatever the paper prints
_CUT = frozenset(("others", "et al", "et al."))


def make_record(item: object) -> Record | None:
    """Return the record of one Crossref work; None if it has no DOI or no usable title."""
    work = read_table(item)
    doi = make_id_pairs("doi", (work.get("DOI"),))
    main, *more = read_texts(work.get("title")) or [""]
    subtitles = read_texts(work.get("subtitle"))
    known = list_titles(
        main, subtitles[0] if subtitles else "", *more, *read_texts(work.get("original-title"))
    )
    known, marks = split_retraction_mark(known)
    if not doi or not known:
        return None
    kind = load_kinds("crossref").get(read_text(work.get("type")), Kind.UNKNOWN)
    authors, complete = _read_authors(work, kind)
    isbns = work.get("ISBN")
    sorted_mark = ("authors_sorted",) if doi[0][1].startswith(_SORTED) else ()
    return Record(
        source="crossref",
        id=doi[0][1],
        titles=known,
        authors=authors,
        authors_complete=complete,
        versions=_read_versions(work, kind),
        kind=kind,
        publisher=read_text(work.get("publisher")) or None,
        ids=Ids(doi + make_id_pairs("isbn", isbns[:50]) if isinstance(isbns, list) else doi),
        marks=tuple(dict.fromkeys((*_read_updates(work), *marks, *sorted_mark))),
    )


def add_cited_works(item: object, record: Record) -> Record:
    """Return `found` with the DOIs of its reference list, which whole works have and lists of works lack."""
    rows = read_rows(read_table(item).get("reference"))
    stated = (row.get("DOI") for row in rows[:MAX_CITED])
    cited = [doi for value in stated if isinstance(value, str) and (doi := normalise(value[:300]))]
    return replace(record, cites=tuple(dict.fromkeys(cited))) if cited else record


def _read_authors(work: dict[str, object], kind: Kind) -> tuple[tuple[Name, ...], bool]:
    """Return the people, and whether the list is whole; a book without authors is its editors'."""
    found = [_read_author(row) for row in read_rows(work.get("author"))]
    if not found and kind is Kind.BOOK:
        found = [_read_author(row) for row in read_rows(work.get("editor"))]
    people = [name for name in found if name and name.family.lower() not in _CUT]
    cut = any(name and name.family.lower() in _CUT for name in found)
    return tuple(people), not cut


def _read_author(person: dict[str, object]) -> Name | None:
    stated = (person.get("family"), person.get("given"), person.get("suffix"), person.get("name"))
    family, given, suffix, literal = (v[: names.MAX_NAME] if isinstance(v, str) else "" for v in stated)
    return _make_name(family, given, suffix, literal)


@lru_cache(maxsize=65536)
def _make_name(family: str, given: str, suffix: str, literal: str) -> Name | None:
    """Return one name; a `name` in the place of `family` is a group's."""
    last, first, tail, group = (
        names.tidy_name(squeeze_text(part)) for part in (family, given, suffix, literal)
    )
    if any(map(str.isalpha, last)):
        return Name(last, first, tail)
    if any(map(str.isalpha, group)):
        return Name(group, collective=True)
    return Name(first) if any(map(str.isalpha, first)) else None


def _read_versions(work: dict[str, object], kind: Kind) -> tuple[Version, ...]:
    """Return the dated appearances; the first has the year of the work and its narrowest venue."""
    issue = read_table(work.get("journal-issue"))
    dated = [_read_year(work.get(name)) for name in _DATES]
    dated += [_read_year(issue.get("published-print")), _read_year(issue.get("published-online"))]
    years: list[int | None] = list(dict.fromkeys(year for year in dated if year))
    years = years or [_read_year(work.get("created"))]
    venues: list[str | None] = [*_read_venues(work, kind)] or [None]
    volume = read_text(work.get("volume"), 100) or None
    number = read_text(work.get("issue"), 100) or read_text(issue.get("issue"), 100) or None
    page = pages.normalise(read_text(work.get("page"), 200) or read_text(work.get("article-number"), 200))
    appeared = [(years[0], venue) for venue in venues] + [(year, venues[0]) for year in years[1:]]
    if not any((*appeared[0], volume, number, page)):
        return ()
    return tuple(Version(year, venue, kind, volume, number, page) for year, venue in appeared)


def _read_venues(work: dict[str, object], kind: Kind) -> list[str]:
    """Return where it appeared: of a series and its volume, the volume first."""
    held = read_texts(work.get("container-title"))[:4]
    if kind is Kind.CHAPTER or work.get("type") == "proceedings-article":
        held.reverse()
    if held or kind is not Kind.PREPRINT:
        return list(dict.fromkeys(held))
    servers = [read_text(row.get("name")) for row in read_rows(work.get("institution"))]
    named = [server for server in servers if server] or read_texts(work.get("group-title"))
    return named[:1]


def _read_year(value: object) -> int | None:
    """Return the year of `{"date-parts": [[2017, 6]]}`; it may be `[[null]]`."""
    parts = read_table(value).get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    year = first[0] if isinstance(first, list) and first else None
    if isinstance(year, str):
        return dates.find_year(year)
    return check_year(year)


def read_notice_marks(item: object, doi: str) -> tuple[str, ...]:
    """Return the marks that a notice gives the work with that DOI."""
    stated = [(row, row.get("DOI")) for row in read_rows(read_table(item).get("update-to"))]
    rows = [row for row, named in stated if isinstance(named, str) and normalise(named[:300]) == doi]
    return tuple(_read_updates({"updated-by": rows}))


def _read_updates(work: dict[str, object]) -> list[str]:
    """Return what was done to the work later. A publisher and a watcher may both have reported it."""
    kinds = [
        read_text(update.get("type")).lower().replace("-", "_")
        for update in read_rows(work.get("updated-by"))
    ]
    return list(dict.fromkeys(_MARKS[kind] for kind in kinds if kind in _MARKS))
