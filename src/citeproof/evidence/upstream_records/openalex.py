"""A work as OpenAlex gives it, in answers and in the snapshot ⇒ a `Record`.

Names are single strings; `raw_author_name` is what the paper printed, `display_name` whom OpenAlex takes it
for, which is now and then another person. Of the locations, publications and preprint servers are versions;
only the first has a year. `is_retracted` is a hint: a third of such works are the notices themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from citeproof.evidence.upstream_records.json_fields import (
    MAX_TEXT,
    check_year,
    collect_ids,
    list_titles,
    make_id_pairs,
    read_rows,
    read_table,
    read_text,
    split_retraction_mark,
    squeeze_text,
)
from citeproof.text import arxiv, names, pages
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

CUT = 100  # authors after which lists of works break off

_PUBLISHED = frozenset(("journal", "conference", "book series"))
_IN_PRINT = frozenset(("journal-article", "proceedings-article", "book-chapter"))
_MANUSCRIPTS = frozenset(("submittedVersion", "acceptedVersion"))
_MAX_VERSIONS = 12
_MAX_LOCATIONS = 200
_ID = re.compile(r"(?:https?://openalex\.org/)?(W\d{1,15})")
_SERVER = re.compile(
    r"((?:bio|med|chem|psy|soc|earth|tech|ed|engr|ag)?a?rxiv|ssrn|research square|preprints\.org|"
    r"osf preprints|authorea)(?:\.org)?\b",
    re.IGNORECASE,
)
_ARXIV = re.compile(
    r"(?:https?://arxiv\.org/(?:abs|pdf)/|pmh:oai:arxiv\.org:|doi:10\.48550/arxiv\.)", re.IGNORECASE
)


def make_record(item: object) -> Record | None:
    """Return the record of one OpenAlex work; None if it has no id or no usable title."""
    work = read_table(item)
    own = _ID.fullmatch(read_text(work.get("id")))
    known, marks = split_retraction_mark(list_titles(work.get("title"), "", work.get("display_name")))
    if not own or not known:
        return None
    first = read_table(work.get("primary_location"))
    people = read_rows(work.get("authorships"))
    numbers = _list_arxiv_numbers(work)
    kind = _find_kind(work, first)
    authors: list[Name] = []
    for person in people:
        stated = (person.get("raw_author_name"), read_table(person.get("author")).get("display_name"))
        printed, shown = (name[:MAX_TEXT] if isinstance(name, str) else "" for name in stated)
        authors += _parse_people(_choose_spelling(printed, shown), len(people) == 1 and "," in shown)
    return Record(
        source="openalex",
        id=own[1],
        titles=known,
        authors=tuple(authors),
        authors_complete=len(people) < CUT and work.get("is_authors_truncated") is not True,
        versions=tuple(_read_versions(work, first, kind, numbers)),
        kind=kind,
        publisher=_read_publisher(first),
        ids=Ids(_read_ids(work, numbers)),
        marks=(*marks, "retraction_hint") if work.get("is_retracted") is True else marks,
    )


def _find_kind(work: dict[str, object], first: dict[str, object]) -> Kind:
    """Return the kind; a "preprint" that is in a journal or proceedings is an article."""
    kind = load_kinds("openalex").get(read_text(work.get("type")), Kind.UNKNOWN)
    if kind is Kind.PREPRINT and _read_word(first, "raw_type") in _IN_PRINT and not _find_server(first):
        return Kind.CHAPTER if first.get("raw_type") == "book-chapter" else Kind.ARTICLE
    return kind


@lru_cache(maxsize=16384)
def _choose_spelling(printed: str, shown: str) -> str:
    """Return the name as printed; as shown where both have the same letters and it tells more."""
    if printed == shown or not any(map(str.isalpha, printed)):
        return shown
    if "," in printed or not shown or names.tidy_name(printed).lower() != names.tidy_name(shown).lower():
        return printed
    return shown  # else "Wei LI" would be a family name and two initials


@lru_cache(maxsize=16384)
def _parse_people(spelt: str, several: bool) -> tuple[Name, ...]:
    """Return who is meant: one person, or all that a careless deposit put into the place of one."""
    spelt = squeeze_text(spelt)
    parts = spelt.split(",")
    if ";" in spelt:
        people = names.split_names(spelt)[0]
    elif several and all(len(part.split()) > 1 for part in parts):
        people = tuple(names.parse(part[: names.MAX_NAME]) for part in parts)
    else:
        people = (names.parse(spelt[: names.MAX_NAME]),)
    return tuple(name for name in people if any(map(str.isalpha, name.family)))


def _read_versions(
    work: dict[str, object], first: dict[str, object], kind: Kind, numbers: list[str]
) -> Iterator[Version]:
    """Yield the appearances: first the one with the year, then the other venues, each once."""
    biblio = read_table(work.get("biblio"))
    ends = [read_text(biblio.get(end), 50) for end in ("first_page", "last_page")]
    venue, manuscript = _read_venue(first)
    yield Version(
        check_year(work.get("publication_year")),
        venue,
        Kind.PREPRINT if manuscript else kind,
        read_text(biblio.get("volume"), 100) or None,
        read_text(biblio.get("issue"), 100) or None,
        pages.normalise("-".join(end for end in ends if end)),
    )
    seen = {(venue or "").lower()}
    for place in read_rows(work.get("locations"))[:_MAX_LOCATIONS]:
        venue, manuscript = _read_venue(place)
        if not venue or venue.lower() in seen or len(seen) > _MAX_VERSIONS:
            continue
        if not manuscript and _read_word(place, "version") in _MANUSCRIPTS:
            continue  # harvests are filed under journals they never were in
        seen.add(venue.lower())
        if not manuscript:
            yield Version(None, venue)
            continue
        posted = arxiv.read_year_month(numbers[0]) if numbers and venue == "arXiv" else None
        yield Version(posted[0] if posted else None, venue, Kind.PREPRINT)


def _read_venue(place: dict[str, object]) -> tuple[str | None, bool]:
    """Return the venue of a location, and whether it is a preprint server. A library's is not one."""
    if server := _find_server(place):
        return server, True
    source = read_table(place.get("source"))
    if _read_word(source, "type") in _PUBLISHED:
        return read_text(source.get("display_name")) or None, False
    if not source and _read_word(place, "raw_type") in _IN_PRINT:
        return read_text(place.get("raw_source_name")) or None, False
    return None, False


def _find_server(place: dict[str, object]) -> str:
    name = read_text(read_table(place.get("source")).get("display_name") or place.get("raw_source_name"))
    match = _SERVER.match(name)
    return ("arXiv" if match[1].lower() == "arxiv" else match[1]) if match else ""


def _read_publisher(first: dict[str, object]) -> str | None:
    source = read_table(first.get("source"))
    if source.get("type") == "repository":
        return None  # the "host" of a repository is its university
    return read_text(source.get("host_organization_name")) or None


def _list_arxiv_numbers(work: dict[str, object]) -> list[str]:
    """Return the arXiv numbers of the locations; OpenAlex has no field for them."""
    pairs = []
    for place in read_rows(work.get("locations"))[:_MAX_LOCATIONS]:
        for key in ("landing_page_url", "id"):
            value = place.get(key)
            start = _ARXIV.match(value) if isinstance(value, str) else None
            if start and (number := arxiv.normalise(str(value)[start.end() :][:100])):
                pairs.append(number)
    return list(dict.fromkeys(pairs))


def _read_ids(work: dict[str, object], numbers: list[str]) -> tuple[tuple[str, str], ...]:
    stated = read_table(work.get("ids"))
    doi = work.get("doi") or stated.get("doi")
    more = collect_ids(("pmid", (stated.get("pmid"),)), ("pmcid", (stated.get("pmcid"),)))
    return tuple(dict.fromkeys((*make_id_pairs("doi", (doi,)), *(("arxiv", n) for n in numbers), *more)))


def _read_word(stated: dict[str, object], key: str) -> str:
    return value if isinstance(value := stated.get(key), str) else ""
