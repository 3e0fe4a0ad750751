"""A paper as Semantic Scholar's Academic Graph describes it, one JSON object ⇒ a `Record`.

A paper there is a cluster of appearances (preprint, proceedings, journal) under one title and one year;
what can be distinguished again becomes a version of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.evidence.upstream_records.json_fields import (
    check_year,
    collect_ids,
    list_titles,
    parse_people,
    read_rows,
    read_table,
    read_text,
    split_retraction_mark,
)
from citeproof.text import arxiv, dates, names, pages, venue_name
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Record, Version

FIELDS = (
    "paperId,externalIds,title,year,publicationDate,venue,publicationVenue,journal,publicationTypes,authors"
)
# Lists end at 500 names exactly: the recorded answers for the Global Burden of Disease study, "The Llama 3
# Herd of Models" and "Gemini 2.5" have 500 each, of more; no other list among 587 is as long.
LISTED = 500

_SCHEMES = {"DOI": "doi", "ArXiv": "arxiv", "PubMed": "pmid", "ACL": "acl", "DBLP": "dblp"}
_ARXIV = frozenset(("arxiv", "arxiv.org", "corr"))


def make_record(item: object) -> Record | None:
    """Return the record of a paper; None if the object names none."""
    paper = read_table(item)
    titles, marks = split_retraction_mark(list_titles(paper.get("title")))
    own = read_text(paper.get("paperId"), 80)
    if not titles or not own:
        return None
    listed = [read_text(author.get("name"), names.MAX_NAME) for author in read_rows(paper.get("authors"))]
    known = _read_ids(read_table(paper.get("externalIds")))
    versions = tuple(_read_versions(paper, known))
    return Record(
        source="semantic_scholar",
        id=own,
        titles=titles,
        authors=parse_people(listed),
        authors_complete=len(listed) < LISTED,
        versions=versions,
        kind=_find_kind(paper, versions),
        ids=Ids(known),
        marks=marks,
    )


def _read_ids(stated: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return all identifiers; an arXiv number also names the DOI that arXiv registers for it."""
    central = f"PMC{read_text(stated.get('PubMedCentral'), 20).removeprefix('PMC')}"
    listed = ((scheme, (stated.get(name),)) for name, scheme in _SCHEMES.items())
    pairs = collect_ids(*listed, ("pmcid", (central,)))
    registered = (("doi", f"10.48550/arxiv.{value}") for scheme, value in pairs if scheme == "arxiv")
    return tuple(dict.fromkeys((*pairs, *registered)))


def _read_versions(paper: dict[str, object], known: tuple[tuple[str, str], ...]) -> Iterator[Version]:
    """Yield the appearances: in each venue that is named, and at arXiv."""
    year = check_year(paper.get("year"))
    dated = dates.find_year(read_text(paper.get("publicationDate"), 40))
    years = dict.fromkeys((year or dated, dated or year))
    journal = read_table(paper.get("journal"))
    volume, span = _read_volume(journal), pages.normalise(read_text(journal.get("pages"), 60))
    venues = _read_venues(paper, journal)
    number = next((value for scheme, value in known if scheme == "arxiv"), None)
    unnamed: list[str | None] = [] if number else [None]
    for venue in venues or unnamed:
        server = venue is not None and venue_name.parse_venue(venue).preprint
        for when in years:
            yield Version(when, venue, Kind.PREPRINT if server else Kind.UNKNOWN, volume, None, span)
    if number:
        stated = arxiv.read_year_month(number)
        first = (stated[0],) if stated else ()
        for when in dict.fromkeys((*first, *(() if venues else years))):
            yield Version(when, "arXiv", Kind.PREPRINT)


def _read_venues(paper: dict[str, object], journal: dict[str, object]) -> list[str]:
    """Return the names under which the place of publication goes, arXiv left out."""
    stated = (read_table(paper.get("publicationVenue")).get("name"), paper.get("venue"), journal.get("name"))
    by_fold = {name.casefold(): name for name in map(read_text, stated) if name}
    return [name for fold, name in by_fold.items() if fold not in _ARXIV]


def _read_volume(journal: dict[str, object]) -> str | None:
    volume = read_text(journal.get("volume"), 60)
    return volume if volume and not volume.lower().startswith("abs/") else None  # "abs/1706.03762"


def _find_kind(paper: dict[str, object], versions: tuple[Version, ...]) -> Kind:
    if versions and all(version.kind is Kind.PREPRINT for version in versions):
        return Kind.PREPRINT  # they call these journal articles, of the journal "ArXiv"
    types = paper.get("publicationTypes")
    stated = map(read_text, types) if isinstance(types, list) else ()
    return next(filter(None, map(load_kinds("semantic_scholar").get, stated)), Kind.UNKNOWN)
