"""Crossref's REST API: `/works/{doi}`, `/works/{doi}/agency` and `/works?query…&filter…&select…`.

It holds the works with a DOI of its own, not those of arXiv, Zenodo and other repositories. Quirks: an
unknown DOI is 404 with plain text; an unknown `select` or filter is 400 and fails the whole request; filters
of one name are "or", of several names "and"; a retraction is there twice, by the publisher and the watchers;
`query.author` filters, while `query.title` finds whatever is nearest; the pool and its limits are in headers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from urllib.parse import unquote

from citeproof.laboratory.testing.apis.datacite import REPOSITORIES
from citeproof.laboratory.testing.article_texts import ABSTRACT, build_abstract
from citeproof.laboratory.testing.base import (
    AuthorHoldings,
    Call,
    Holdings,
    Reply,
    make_json_reply,
    make_text_reply,
)
from citeproof.text import ids
from citeproof.text.doi import get_prefix
from citeproof.text.package_tables import load_package_table
from citeproof.text.title import split_words
from citeproof.text.venue_match import parse_venue
from citeproof.vocabulary import ORCID, RELATED, Kind, Name, Record, Version

_TABLES = load_package_table(__package__, "names.toml")["crossref"]
SELECTS: list[str] = _TABLES["selects"]
_QUERIES = ("query.bibliographic", "query.title", "query")
_PARAMS: list[str] = _TABLES["params"]
_TYPES: dict[str, str] = _TABLES["types"]
_UPDATES: dict[str, list[str]] = _TABLES["updates"]
_RELATIONS: dict[str, str] = _TABLES["relations"]
_Item = dict[str, object]


def answer(call: Call, holdings: Holdings) -> Reply:
    path = call.path.removeprefix("/v1").removeprefix("/works").rstrip("/")
    name = unquote(path[1:])  # not from `parts`: an empty segment is part of a DOI
    if "/works" not in call.path[:9]:
        reply = make_text_reply("Resource not found.", 404)
    elif not name:
        reply = _answer_works(call, holdings)
    elif name.endswith("/agency"):
        reply = _answer_agency(name.removesuffix("/agency"), holdings)
    else:
        reply = _answer_work(name, call, holdings)
    return replace(reply, headers=_build_pool_headers(call, listed=not name))


def _build_pool_headers(call: Call, *, listed: bool) -> dict[str, str]:
    polite = "mailto" in call.query or "mailto:" in call.headers.get("user-agent", "")
    single, array, at_once = ("10", "3", "3") if polite else ("5", "1", "1")
    return {
        "x-api-pool": f"{'polite' if polite else 'public'}-{'array' if listed else 'single'}",
        "x-rate-limit-limit": array if listed else single,
        "x-rate-limit-interval": "1s",
        "x-concurrency-limit": at_once,
    }


def find_crossref_doi(record: Record) -> str | None:
    """Return the DOI under which Crossref has a work, if it has it."""
    return next((value for value in record.ids.all("doi") if get_prefix(value) not in REPOSITORIES), None)


def _find_work(doi: str, holdings: Holdings) -> Record | None:
    value = ids.normalise_id("doi", doi)
    if value is None or get_prefix(value) in REPOSITORIES:
        return None
    return next(iter(holdings.by_id("doi", value)), None)


def _answer_work(doi: str, call: Call, holdings: Holdings) -> Reply:
    if any(name.startswith("query.") for name in call.query):
        return _make_refusal_reply(
            "parameter-not-allowed", "query.*", "This route does not support field query parameters"
        )
    if "select" in call.query:
        return _make_refusal_reply("parameter-not-allowed", "select", "This route does not support select")
    record = _find_work(doi, holdings)
    if record is None:
        return make_text_reply("Resource not found.", 404)
    return _make_message_reply("work", build_crossref_item(record, ids.normalise_id("doi", doi)))


def _answer_agency(doi: str, holdings: Holdings) -> Reply:
    value = ids.normalise_id("doi", doi)
    if value is None or not holdings.by_id("doi", value):
        return make_text_reply("Resource not found.", 404)
    label = ("datacite", "DataCite") if get_prefix(value) in REPOSITORIES else ("crossref", "Crossref")
    return _make_message_reply("work-agency", {"DOI": value, "agency": {"id": label[0], "label": label[1]}})


def _answer_works(call: Call, holdings: Holdings) -> Reply:
    unknown = next((name for name in call.query if name not in _PARAMS), None)
    if unknown:
        return _make_refusal_reply("parameter-not-allowed", unknown, f"This route does not support {unknown}")
    rows, start = call.query.get("rows", "20"), call.query.get("offset", "0")
    for number, most in ((rows, 1000), (start, 10_000)):
        if not (number.isascii() and number.isdigit() and int(number) <= most):
            problem = (
                f"Integer specified as {number} but must be a positive integer less than or equal to {most}. "
            )
            return _make_refusal_reply("integer-not-valid", number, problem)
    chosen = [name for name in call.query.get("select", "").split(",") if name]
    for name in chosen:
        if name not in SELECTS:
            problem = f"Select '{name}' specified but there is no such select for this route."
            return _make_refusal_reply(
                "select-not-available",
                name,
                f"{problem} Valid selects for this route are: {', '.join(SELECTS)}",
            )
    filters: dict[str, list[str]] = {}
    for pair in filter(None, call.query.get("filter", "").split(",")):
        name, _, value = pair.partition(":")
        if name not in _FILTERS:
            problem = f"Filter '{name}' specified but there is no such filter for this route."
            return _make_refusal_reply(
                "filter-not-available", name, f"{problem} Valid filters for this route are: …"
            )
        filters.setdefault(name, []).append(value)
    items = list(_find_items(call.query, filters, holdings))
    page = items[int(start) : int(start) + int(rows)]
    listed = [{**item, "score": 40.0 - n} for n, item in enumerate(page)]
    message = {
        "facets": {},
        "total-results": len(items),
        "items": [{k: v for k, v in item.items() if k in chosen} if chosen else item for item in listed],
        "items-per-page": int(rows),
        "query": {"start-index": int(start), "search-terms": None},
    }
    return _make_message_reply("work-list", message)


def _find_items(
    query: Mapping[str, str], filters: dict[str, list[str]], holdings: Holdings
) -> Iterator[_Item]:
    asked = next((query[name] for name in _QUERIES if name in query), None)
    people = set(split_words(query.get("query.author", "")))
    years = [filters.get(name, [""])[0][:4] for name in ("from-pub-date", "until-pub-date")]
    if people and all(years) and isinstance(holdings, AuthorHoldings):
        held = _find_by_people(query, people, (int(years[0]), int(years[1])), holdings)
    elif asked is not None:
        held = [(work, find_crossref_doi(work)) for work in holdings.search(asked, 50)]
    elif "updates" in filters:
        yield from (notice for value in filters["updates"] for notice in _list_notice_items(value, holdings))
        return
    elif "doi" in filters:
        held = [
            (work, ids.normalise_id("doi", v)) for v in filters["doi"] if (work := _find_work(v, holdings))
        ]
    else:
        listed = [ids.normalise_id("isbn", value) for value in filters.get("isbn", ())]
        held = [
            (work, find_crossref_doi(work))
            for value in listed
            if value
            for work in holdings.by_id("isbn", value)
        ]
    seen = set()
    for record, doi in held:
        named = {word for name in record.authors for word in split_words(name.display)}
        if doi is None or doi in seen or (people and not people & named):
            continue
        made = build_crossref_item(record, doi)
        if all(any(_FILTERS[name](record, made, value) for value in some) for name, some in filters.items()):
            seen.add(doi)
            yield made


def _list_notice_items(doi: str, holdings: Holdings) -> Iterator[_Item]:
    """Yield the notices about a work; with a mark `noticed:…` its own record says nothing of them."""
    work = _find_work(doi, holdings)
    for number, mark in enumerate(work.marks if work else ()):
        if kind := _UPDATES.get(mark.removeprefix("noticed:")):
            yield {
                "DOI": f"10.5555/notice.{number}",
                "type": "journal-article",
                "title": [f"{kind[1]}: {work.titles[0]}"] if work else [],
                "issued": _build_date_parts(2020),
                "update-to": [{"type": kind[0], "DOI": doi.upper(), "label": kind[1]}],
            }


def _find_by_people(
    query: Mapping[str, str], people: set[str], years: tuple[int, int], holdings: AuthorHoldings
) -> list[tuple[Record, str | None]]:
    """Return works by one of these people; each further field must have one word of its query, too."""
    words = set(split_words(query.get("query.bibliographic", "")))
    venue = set(split_words(query.get("query.container-title", "")))
    works = []
    for record in (work for word in sorted(people) for work in holdings.by_author(word, *years)):
        titles = {word for title in record.titles for word in split_words(title)}
        venues = {word for version in record.versions for word in split_words(version.venue or "")}
        if (not words or words & (titles | venues)) and (not venue or venue & venues):
            works.append((record, find_crossref_doi(record)))
    return works


_FILTERS: dict[str, Callable[[Record, _Item, str], bool]] = {
    "doi": lambda record, _, value: ids.normalise_id("doi", value) in record.ids.all("doi"),
    "isbn": lambda record, _, value: ids.normalise_id("isbn", value) in record.ids.all("isbn"),
    "type": lambda _, made, value: made["type"] == value,
    "updates": lambda _record, _made, _value: True,  # found by it already
    "from-pub-date": lambda record, _, value: any(
        v.year and str(v.year) >= value[:4] for v in record.versions
    ),
    "until-pub-date": lambda record, _, value: any(
        v.year and str(v.year) <= value[:4] for v in record.versions
    ),
}


def build_crossref_item(record: Record, doi: str | None = None) -> _Item:
    """Return a work as Crossref describes it, in answers and in the public data file."""
    own = doi or find_crossref_doi(record) or ""
    record = _keep_published(record)
    first = record.versions[0] if record.versions else Version()
    made: _Item = {
        "indexed": _build_timestamp(2026),
        "reference-count": 0,
        "publisher": record.publisher or "",
        "content-domain": {"domain": [], "crossmark-restriction": False},
        "DOI": own,
        "type": _choose_type(record, first),
        "created": _build_timestamp(first.year or 2002),
        "source": "Crossref",
        "is-referenced-by-count": 0,
        "prefix": get_prefix(own),
        "member": "1",
        "deposited": _build_timestamp(2026),
        "score": 1,
        "resource": {"primary": {"URL": f"https://example.org/{own}"}},
        "references-count": 0,
        "URL": f"https://doi.org/{own}",
        "relation": _build_relations(record),
    }
    if ABSTRACT in record.marks:
        text = escape(build_abstract(record), quote=False)
        made["abstract"] = f"<jats:title>Abstract</jats:title><jats:p>{text}</jats:p>"
    return (
        made
        | _build_titles(record)
        | _build_people(record)
        | _build_dates(record)
        | _build_place(record, first)
        | _build_updates(record)
        | _build_references(record)
    )


def _keep_published(record: Record) -> Record:
    """Return a work as its publisher registers it: of a preprint on another server he says nothing."""
    published = tuple(v for v in record.versions if v.kind is not Kind.PREPRINT)
    if not published:
        return record
    return replace(
        record, versions=published, kind=Kind.ARTICLE if record.kind is Kind.PREPRINT else record.kind
    )


def _choose_type(record: Record, first: Version) -> str:
    event = parse_venue(first.venue).kind == "conference" if first.venue else False
    return _TYPES.get(record.kind, "proceedings-article" if event else "journal-article")


def _build_titles(record: Record) -> _Item:
    """Return the title; where the record also has it without its subtitle, the two apart."""
    main, *more = record.titles or ("",)
    head, _, tail = main.partition(": ")
    if tail and head in more:
        return {"title": [head], "subtitle": [tail], "original-title": [t for t in more if t != head]}
    return {"title": [main], "subtitle": [], "original-title": list(more)}


def _build_people(record: Record) -> _Item:
    marks = [mark.removeprefix(ORCID).split(" ", 1) for mark in record.marks if mark.startswith(ORCID)]
    stated = {shown: {"ORCID": f"https://orcid.org/{orcid}"} for orcid, shown in marks}
    listed = [
        _build_author(name, "additional" if n else "first") | stated.get(f"{name.given} {name.family}", {})
        for n, name in enumerate(record.authors)
    ]
    return {"author": listed} if listed else {}


def _build_relations(record: Record) -> _Item:
    told = [mark.removeprefix(RELATED).split(" ") for mark in record.marks if mark.startswith(RELATED)]
    kinds = {_RELATIONS[kind]: kind for kind, _, _ in told if kind in _RELATIONS}
    return {name: [{"id-type": s, "id": v} for k, s, v in told if k == kind] for name, kind in kinds.items()}


def _build_author(name: Name, sequence: str) -> _Item:
    tail: _Item = {"sequence": sequence, "affiliation": []}
    if name.collective:
        return {"name": name.family, **tail}
    given = {"given": name.given} if name.given else {}
    suffix = {"suffix": name.suffix} if name.suffix else {}
    return {**given, "family": name.family, **suffix, **tail}


def _build_dates(record: Record) -> _Item:
    years = list(dict.fromkeys(v.year for v in record.versions if v.year))
    if not years:
        return {"issued": {"date-parts": [[None]]}}
    dated: _Item = {"issued": _build_date_parts(years[0]), "published": _build_date_parts(years[0])}
    if record.kind is Kind.PREPRINT:
        return {**dated, "posted": _build_date_parts(years[0])}
    dated["published-print"] = _build_date_parts(years[0])
    return {**dated, "published-online": _build_date_parts(years[1])} if len(years) > 1 else dated


def _build_date_parts(year: int) -> _Item:
    return {"date-parts": [[year]]}


def _build_timestamp(year: int) -> _Item:
    moment = datetime(year, 1, 2, tzinfo=UTC)
    return {
        "date-parts": [[year, 1, 2]],
        "date-time": f"{year}-01-02T00:00:00Z",
        "timestamp": int(moment.timestamp()) * 1000,
    }


def _build_place(record: Record, first: Version) -> _Item:
    venues = list(dict.fromkeys(v.venue for v in record.versions if v.venue))
    made: _Item = {"volume": first.volume, "issue": first.issue, "page": first.pages}
    if record.kind is Kind.PREPRINT:
        made |= {"subtype": "preprint", "institution": [{"name": first.venue}] if first.venue else None}
    elif venues:
        made["container-title"] = venues[:1]
    made["ISBN"] = list(record.ids.all("isbn")) or None
    return {name: value for name, value in made.items() if value}


def _build_references(record: Record) -> _Item:
    dois = [name for name in record.cites if not name.startswith("pmid:")]
    cited = [{"key": f"ref{n}", "DOI": doi, "doi-asserted-by": "publisher"} for n, doi in enumerate(dois)]
    return {"reference": cited} if cited else {}


def _build_updates(record: Record) -> _Item:
    updates = [
        {
            "type": kind,
            "DOI": "10.5555/notice",
            "label": label,
            "source": source,
            "updated": _build_timestamp(2020),
        }
        for mark in record.marks
        if mark in _UPDATES
        for kind, label in [_UPDATES[mark]]
        for source in ("publisher", "retraction-watch")
    ]
    return {"updated-by": updates} if updates else {}


def _make_message_reply(kind: str, message: object) -> Reply:
    body = {"status": "ok", "message-type": kind, "message-version": "1.0.0", "message": message}
    return make_json_reply(body)


def _make_refusal_reply(kind: str, value: str, problem: str) -> Reply:
    errors = [{"type": kind, "value": value, "message": problem}]
    return make_json_reply({"status": "failed", "message-type": "validation-failure", "message": errors}, 400)
