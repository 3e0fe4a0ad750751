"""The summary of one PMC article, as NCBI's `esummary` gives it in JSON, to a record.

Names are single strings ("Benson DA"), dates such as "2013 Jan". A record's id is `pmc:<number>`.
"""

from __future__ import annotations

from citeproof.evidence.upstream_records import json_fields
from citeproof.text import dates, names, pages
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_SCHEMES = ("pmid", "doi", "pmcid")


def make_record(item: dict[str, object]) -> Record | None:
    """Return the record of one summary; None without a number and a title."""
    known = json_fields.make_id_pairs("pmcid", [item.get("uid")])
    titles, marks = json_fields.split_retraction_mark(json_fields.list_titles(item.get("title")))
    if not known or not titles:
        return None
    listed = [(row.get("idtype"), row.get("value")) for row in json_fields.read_rows(item.get("articleids"))]
    stated = [(name, [value]) for name, value in listed if name in _SCHEMES and value != "0"]  # 0: no PMID
    return Record(
        source="",
        id=f"pmc:{known[0][1]}",
        titles=titles,
        authors=_read_authors(item),
        versions=_read_versions(item),
        kind=Kind.ARTICLE,
        ids=Ids(tuple(dict.fromkeys((*known, *json_fields.collect_ids(*stated))))),
        marks=marks,
    )


def _read_authors(item: dict[str, object]) -> tuple[Name, ...]:
    authors = []
    for author in json_fields.read_rows(item.get("authors")):
        name = json_fields.read_text(author.get("name"), names.MAX_NAME)
        if author.get("authtype") == "CollectiveName":
            authors.append(Name(name, collective=True))
        elif author.get("authtype") in ("Author", None, ""):
            authors.append(json_fields.parse_family_first(name))
    return tuple(name for name in authors if name.family)


def _read_versions(item: dict[str, object]) -> tuple[Version, ...]:
    """Return the printed appearance, and the earlier one online where its year differs."""
    names = (json_fields.read_text(item.get(name)) for name in ("fulljournalname", "source"))
    venue = next(filter(None, names), None)
    dated = ("printpubdate", "pubdate", "epubdate")
    stated = [dates.find_year(json_fields.read_text(item.get(name))) for name in dated]
    years = list(dict.fromkeys(year for year in stated if year))
    first = Version(
        years[0] if years else None,
        venue,
        volume=json_fields.read_text(item.get("volume")) or None,
        issue=json_fields.read_text(item.get("issue")) or None,
        pages=pages.normalise(json_fields.read_text(item.get("pages"))),
    )
    return (first, *(Version(year, venue) for year in years[1:]))
