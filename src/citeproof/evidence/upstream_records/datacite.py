"""A DOI as DataCite gives it, in answers (`data`) and in the data file ⇒ a `Record`.

The guesses in `types.bibtex` and `types.citeproc` are not used: they call books articles. `nameType` is
wrong for some groups, `creators` may hold a whole list in one name, or `(:unkn) unknown`.
"""

from __future__ import annotations

from functools import lru_cache

from citeproof.evidence.upstream_records.json_fields import (
    MAX_TEXT,
    list_titles,
    make_id_pairs,
    read_rows,
    read_table,
    read_text,
    split_retraction_mark,
    squeeze_text,
)
from citeproof.text import dates, names, pages
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_TEXTS = (  # what the free words next to "Text" say
    (Kind.THESIS, re.compile(r"thes[ie]s|dissertation|habilitation|hochschulschrift", re.IGNORECASE)),
    (Kind.PREPRINT, re.compile(r"pre-?print|e-?print|working ?paper", re.IGNORECASE)),
    (Kind.CHAPTER, re.compile(r"chapter|book ?part|buchkapitel", re.IGNORECASE)),
    (Kind.WEB_PAGE, re.compile(r"blog|web ?page", re.IGNORECASE)),
    (Kind.REPORT, re.compile(r"report|deliverable|bericht", re.IGNORECASE)),
    (Kind.ARTICLE, re.compile(r"article|(?:conference|proceedings) ?paper|journal", re.IGNORECASE)),
    (Kind.BOOK, re.compile(r"monogra|book|buch", re.IGNORECASE)),
)
_DATES = ("Issued", "Available", "Submitted", "Created")
_SCHEMES = {"arxiv": "arxiv", "isbn": "isbn", "pmid": "pmid", "pmcid": "pmcid"}
_MAX_WORDS = 4  # of a person's name without a comma
_NOBODY = re.compile(r"\(?:(?:unkn|unav|unal|unap|unas|none|null|tba|etal|various)\)?", re.IGNORECASE)
_WHERE_FROM = re.compile(r"\s{0,3}\([^()]{0,200}\)")  # "Enos, Ryan (Harvard University); …"


def make_record(item: object) -> Record | None:
    """Return the record of one DataCite DOI; None if it has no DOI or no usable title."""
    whole = read_table(item)
    attributes = read_table(whole.get("attributes"))
    doi = make_id_pairs("doi", (attributes.get("doi"),)) or make_id_pairs("doi", (whole.get("id"),))
    known, marks = split_retraction_mark(_read_titles(attributes))
    if not doi or not known:
        return None
    kind = _find_kind(attributes, doi[0][1])
    authors, complete = _read_authors(attributes)
    stated = attributes.get("publisher")
    publisher = read_text(read_table(stated).get("name") if isinstance(stated, dict) else stated) or None
    return Record(
        source="datacite",
        id=doi[0][1],
        titles=known,
        authors=authors,
        authors_complete=complete,
        versions=_read_versions(attributes, kind, publisher),
        kind=kind,
        publisher=publisher,
        ids=Ids(tuple(dict.fromkeys((*doi, *_read_more_ids(attributes))))),
        marks=marks,
    )


def _read_titles(attributes: dict[str, object]) -> tuple[str, ...]:
    listed = read_rows(attributes.get("titles"))
    typed = [(read_text(row.get("titleType")), row.get("title")) for row in listed]
    plain = [title for kind, title in typed if not kind]
    others = [title for kind, title in typed if kind and kind != "Subtitle"]
    below = next((title for kind, title in typed if kind == "Subtitle"), "")
    first, *more = plain + others or [""]
    return list_titles(first, below, *more)


def _find_kind(attributes: dict[str, object], doi: str) -> Kind:
    types = read_table(attributes.get("types"))
    general, free = read_text(types.get("resourceTypeGeneral")), read_text(types.get("resourceType"), 100)
    if doi.startswith("10.48550/"):
        return Kind.PREPRINT  # arXiv deposited "Text" or "Article" before there was "Preprint"
    if kind := load_kinds("datacite").get(general):
        return kind
    if general not in ("Text", "Other", ""):
        return Kind.UNKNOWN
    return next((kind for kind, words in _TEXTS if words.search(free)), Kind.UNKNOWN)


def _read_authors(attributes: dict[str, object]) -> tuple[tuple[Name, ...], bool]:
    """Return the people, and whether the list is whole: it may say itself that it is not."""
    creators: list[Name] = []
    complete = True
    for row in read_rows(attributes.get("creators")):
        parts = (row.get("name"), row.get("familyName"), row.get("givenName"), row.get("nameType"))
        name, family, given, kind = (part[:MAX_TEXT] if isinstance(part, str) else "" for part in parts)
        if _NOBODY.match(name.strip()):
            complete = False
            continue
        creators += _read_people(name, family, given, kind)
    return tuple(creators), complete


@lru_cache(maxsize=16384)
def _read_people(name: str, family: str, given: str, kind: str) -> tuple[Name, ...]:
    last, first = (names.tidy_name(squeeze_text(part, names.MAX_NAME)) for part in (family, given))
    if any(map(str.isalpha, last)):
        return (Name(last, first),)
    whole = _WHERE_FROM.sub("", squeeze_text(name))
    if ";" in whole:
        return names.split_names(whole)[0]
    parsed = names.parse(whole[: names.MAX_NAME])
    if "," not in whole and (kind == "Organizational" or len(whole.split()) > _MAX_WORDS):
        parsed = Name(names.tidy_name(whole[: names.MAX_NAME]), collective=True)
    return (parsed,) if any(map(str.isalpha, parsed.family)) else ()


def _read_versions(attributes: dict[str, object], kind: Kind, publisher: str | None) -> tuple[Version, ...]:
    """Return the dated appearances; the repository is the venue of what has no container."""
    held = read_table(attributes.get("container"))
    stated = attributes.get("publicationYear")
    listed = read_rows(attributes.get("dates"))
    dated = [dates.find_year(str(stated)) if isinstance(stated, str | int) else None]
    for name in _DATES:
        dated += [
            dates.find_year(read_text(row.get("date"), 60)) for row in listed if row.get("dateType") == name
        ]
    years: list[int | None] = list(dict.fromkeys(year for year in dated if year))
    ends = [read_text(held.get(end), 50) for end in ("firstPage", "lastPage")]
    venue = read_text(held.get("title")) or publisher
    volume, issue = read_text(held.get("volume"), 100) or None, read_text(held.get("issue"), 100) or None
    page = pages.normalise("-".join(end for end in ends if end))
    return tuple(Version(year, venue, kind, volume, issue, page) for year in years or [None])


def _read_more_ids(attributes: dict[str, object]) -> list[tuple[str, str]]:
    """Return identifiers of other schemes, and the DOIs that are stated to be identical."""
    stated = []
    for field, name in (("identifiers", "identifier"), ("alternateIdentifiers", "alternateIdentifier")):
        stated += [(row.get(f"{name}Type"), row.get(name)) for row in read_rows(attributes.get(field))]
    pairs = [
        pair
        for kind, value in stated
        if (scheme := _SCHEMES.get(read_text(kind, 20).lower()))
        for pair in make_id_pairs(scheme, (value,))
    ]
    for row in read_rows(attributes.get("relatedIdentifiers")):
        if row.get("relationType") == "IsIdenticalTo" and row.get("relatedIdentifierType") == "DOI":
            pairs += make_id_pairs("doi", (row.get("relatedIdentifier"),))
    return pairs
