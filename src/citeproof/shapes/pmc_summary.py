"""The summary of one PMC article, as NCBI's `esummary` gives it in JSON, to a record.

Names are single strings ("Benson DA"), dates such as "2013 Jan". A record's id is `pmc:<number>`.
"""

from __future__ import annotations

from citeproof.shapes import fields
from citeproof.text import dates, names, pages
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_SCHEMES = {"pmid": "pmid", "doi": "doi", "pmcid": "pmcid"}


def record(item: dict[str, object]) -> Record | None:
    """Return the record of one summary; None without a number and a title."""
    known = fields.pairs("pmcid", [item.get("uid")])
    titles, marks = fields.unmarked(fields.titles(item.get("title")))
    if not known or not titles:
        return None
    return Record(
        source="",
        id=f"pmc:{known[0][1]}",
        titles=titles,
        authors=_authors(item),
        versions=_versions(item),
        kind=Kind.ARTICLE,
        ids=Ids(_ids(item, known)),
        marks=marks,
    )


def _authors(item: dict[str, object]) -> tuple[Name, ...]:
    found = []
    for author in fields.rows(item.get("authors")):
        name = fields.text(author.get("name"), names.MAX_NAME)
        if author.get("authtype") == "CollectiveName":
            found.append(Name(name, collective=True))
        elif author.get("authtype") in ("Author", None, ""):
            found.append(fields.family_first(name))
    return tuple(name for name in found if name.family)


def _versions(item: dict[str, object]) -> tuple[Version, ...]:
    """Return the printed appearance, and the earlier one online where its year differs."""
    venue = fields.text(item.get("fulljournalname")) or fields.text(item.get("source")) or None
    stated = [dates.year(fields.text(item.get(name))) for name in ("printpubdate", "pubdate", "epubdate")]
    years = list(dict.fromkeys(year for year in stated if year))
    first = Version(
        years[0] if years else None,
        venue,
        volume=fields.text(item.get("volume")) or None,
        issue=fields.text(item.get("issue")) or None,
        pages=pages.normal(fields.text(item.get("pages"))),
    )
    return (first, *(Version(year, venue) for year in years[1:]))


def _ids(item: dict[str, object], known: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    found = dict.fromkeys(known)
    for one in fields.rows(item.get("articleids")):
        scheme = _SCHEMES.get(fields.text(one.get("idtype")))
        if scheme and one.get("value") != "0":  # the summary's way to say that there is no PMID
            found.update(dict.fromkeys(fields.pairs(scheme, [one.get("value")])))
    return tuple(found)
