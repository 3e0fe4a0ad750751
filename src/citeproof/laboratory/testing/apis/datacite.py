"""DataCite's REST API: `/dois/{doi}` and `/dois?ids=…` or `?query=…`.

It holds what repositories registered: works under their prefixes, and every work with an arXiv number, as
`10.48550/arXiv.…`. Quirks: 404 is JSON; arXiv's DOIs come back in capitals; groups may lack `nameType`;
`types` carries guesses for other formats; a list of `ids` is cut at commas and knows nothing of the missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.text import arxiv, ids
from citeproof.text import lazy_patterns as re
from citeproof.text.doi import get_prefix
from citeproof.text.package_tables import load_package_table
from citeproof.text.title import split_words
from citeproof.vocabulary import Kind, Name, Record, Version

REPOSITORIES = frozenset(
    "10.48550 10.5281 10.6084 10.5061 10.7910 10.1594 10.17182 10.17605 10.4230 10.5441 10.24432 "  # noqa: SIM905 - words read best as words
    "10.21227".split()
)
_MEDIA = "application/json; charset=utf-8"
_TYPES: dict[str, list[str]] = load_package_table(__package__, "names.toml")["datacite"]["types"]
_FIELD = re.compile(r"(titles\.title|doi):(?:\(([^()]*)\)|\"([^\"]*)\"|(\S+))")
_Item = dict[str, object]


def answer(call: Call, holdings: Holdings) -> Reply:
    if call.parts == ("dois",):
        return _answer_list(call, holdings)
    if call.parts[:1] == ("dois",):  # the rest not from `parts`: an empty segment is part of a DOI
        registered = _find_registered(unquote(call.path.removeprefix("/dois/")), holdings)
        if registered:
            return make_json_reply({"data": build_datacite_item(*registered)}, media=_MEDIA)
    missing = {"status": "404", "title": "The resource you are looking for doesn't exist."}
    return make_json_reply({"errors": [missing]}, 404, _MEDIA)


def find_datacite_doi(record: Record) -> str | None:
    """Return the DOI under which DataCite has a work, if it has it."""
    known = next((value for value in record.ids.all("doi") if get_prefix(value) in REPOSITORIES), None)
    number = record.ids.first("arxiv")
    return known or (f"10.48550/arxiv.{number}" if number else None)


def _find_registered(doi: str, holdings: Holdings) -> tuple[Record, str] | None:
    value = ids.normalise_id("doi", doi)
    if value is None or get_prefix(value) not in REPOSITORIES:
        return None
    number = arxiv.normalise(value) if value.startswith("10.48550/") else None
    records = [*holdings.by_id("doi", value), *(holdings.by_id("arxiv", number) if number else ())]
    return (records[0], value) if records else None


def _answer_list(call: Call, holdings: Holdings) -> Reply:
    size, number = call.query.get("page[size]", "25"), call.query.get("page[number]", "1")
    if not (size.isdecimal() and number.isdecimal() and int(number)):
        wrong = {"status": "400", "title": "Invalid page parameter"}
        return make_json_reply({"errors": [wrong]}, 400, _MEDIA)
    registered = list(_find_dois(call, holdings))
    start = (int(number) - 1) * int(size)
    pages = -(-len(registered) // max(1, int(size)))
    body = {
        "data": [build_datacite_item(*pair) for pair in registered[start : start + int(size)]],
        "meta": {"total": len(registered), "totalPages": pages, "page": int(number)},
        "links": {"self": f"{call.base}{call.path}"},
    }
    return make_json_reply(body, media=_MEDIA)


def _find_dois(call: Call, holdings: Holdings) -> Iterator[tuple[Record, str]]:
    if "ids" in call.query:
        yield from filter(None, (_find_registered(doi, holdings) for doi in call.query["ids"].split(",")))
        return
    asked = call.query.get("query", "")
    field = _FIELD.search(asked)
    text = next(filter(None, field.groups()[1:]), "") if field else asked
    if field and field[1] == "doi":
        named = [part.strip('" ') for part in text.split(" OR ")]
        yield from filter(None, (_find_registered(doi, holdings) for doi in named))
        return
    wanted = split_words(re.sub(r"\b(?:AND|OR|NOT)\b", " ", text))
    for record in holdings.search(" ".join(wanted), 50):
        doi = find_datacite_doi(record)
        if doi and (" OR " in text or set(wanted) <= set(split_words(record.title))):
            yield record, doi  # bare words are all wanted


def build_datacite_item(record: Record, doi: str | None = None) -> _Item:
    """Return a DOI as DataCite describes it, in answers and in the data file."""
    own = doi or find_datacite_doi(record) or ""
    preprint = own.startswith("10.48550/")
    shown = own.replace("arxiv", "ARXIV") if preprint else own
    return {
        "id": own,
        "type": "dois",
        "attributes": {"doi": shown, "prefix": get_prefix(own), "suffix": own.partition("/")[2]}
        | _build_names(record)
        | _build_description(record, preprint)
        | {"url": f"https://example.org/{own}", "state": "findable", "isActive": True, "schemaVersion": None},
        "relationships": {"client": {"data": {"id": "example.client", "type": "clients"}}},
    }


def _build_names(record: Record) -> _Item:
    main, *more = record.titles or ("",)
    head, _, tail = main.partition(": ")
    apart = bool(tail) and head in more
    titles: list[_Item] = [{"title": head if apart else main}]
    titles += [{"title": tail, "titleType": "Subtitle"}] if apart else []
    titles += [
        {"title": other, "titleType": "AlternativeTitle"} for other in more if not (apart and other == head)
    ]
    return {
        "identifiers": [{"identifier": n, "identifierType": "arXiv"} for n in record.ids.all("arxiv")],
        "alternateIdentifiers": [],
        "creators": [_build_creator(name) for name in record.authors],
        "titles": titles,
    }


def _build_creator(name: Name) -> _Item:
    tail: _Item = {"affiliation": [], "nameIdentifiers": []}
    if name.collective:
        return {"name": name.family, "nameType": "Organizational", **tail}
    if not name.given:
        return {"name": name.family, **tail}
    whole = f"{name.family}, {name.given}"
    return {
        "name": whole, "nameType": "Personal", "givenName": name.given, "familyName": name.family, **tail,
    }  # fmt: skip


def _build_description(record: Record, preprint: bool) -> _Item:
    kind = Kind.PREPRINT if preprint else record.kind
    general, free = _TYPES.get(kind, ("Text", ""))
    versions = [v for v in record.versions if (v.kind is Kind.PREPRINT) == preprint] or list(record.versions)
    years = list(dict.fromkeys(v.year for v in versions if v.year))
    first = versions[0] if versions else Version()
    publisher = "arXiv" if preprint else record.publisher or first.venue or "(:unav)"
    return {
        "publisher": publisher,
        "container": _build_container(first) if kind in (Kind.ARTICLE, Kind.CHAPTER) else {},
        "publicationYear": years[0] if years else None,
        "dates": [{"date": str(year), "dateType": "Issued"} for year in years],
        "types": {
            "ris": "GEN", "bibtex": "misc", "citeproc": "article", "schemaOrg": "CreativeWork",
            "resourceType": free, "resourceTypeGeneral": general,
        },
        "relatedIdentifiers": [],
        "descriptions": [],
        "version": None,
    }  # fmt: skip


def _build_container(version: Version) -> _Item:
    first, _, last = (version.pages or "").partition("-")
    made = {
        "type": "Series", "title": version.venue, "volume": version.volume, "issue": version.issue,
        "firstPage": first, "lastPage": last,
    }  # fmt: skip
    return {name: value for name, value in made.items() if value}
