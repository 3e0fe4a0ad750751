"""OpenAlex's API: `/works/{doi:…|pmid:…|pmcid:…}` and `/works?filter=…` or `?search=…`.

It holds nearly everything. Quirks: a missing work is 404 in HTML; names are single strings; lists break
off after 100 authors; an arXiv DOI is unknown when the work has a publisher's; a comma ends a filter; of
`title.search:a|b`, every word of one title must be there; `is_retracted` is set with any notice; cost and
budget are in headers and in `meta`; a work's id is a number that says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from urllib.parse import unquote

from citeproof.laboratory.testing.apis.publisher import find_copy_address
from citeproof.laboratory.testing.article_texts import ABSTRACT, build_abstract
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, make_text_reply
from citeproof.text import ids
from citeproof.text.title import STOPWORDS, split_words
from citeproof.vocabulary import Kind, Name, Record, Version

CUT = 100
_COSTS = {"work": 0.0, "list": 0.0001, "search": 0.001}
_PARAMS = frozenset(
    "api_key filter search per-page per_page page select sort cursor mailto sample seed group_by "  # noqa: SIM905 - words read best as words
    "group-by".split()
)
_FILTERS = frozenset(("doi", "pmid", "pmcid", "title.search", "display_name.search", "publication_year"))
_MISSING = "<!doctype html><html lang=en><title>404 Not Found</title><h1>Not Found</h1></html>"
_TYPES = {Kind.CHAPTER: "book-chapter", Kind.THESIS: "dissertation", Kind.UNKNOWN: "other"}
_PAGES = {"pmid": "https://pubmed.ncbi.nlm.nih.gov/", "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/"}
_Item = dict[str, object]


def answer(call: Call, holdings: Holdings) -> Reply:
    if call.parts == ("works",):
        return _answer_list(call, holdings)
    if call.parts[:1] == ("works",):  # the rest not from `parts`: an empty segment is part of an address
        name = unquote(call.path.removeprefix("/works/"))
        scheme, _, value = name.partition(":")
        if name.startswith(("https://doi.org/", "http://doi.org/")):
            scheme, value = "doi", name
        work = next(_find_by_id(scheme, value, holdings), None)
        if work:
            return _make_paid_reply(call, "work", _select_fields(call, _build_open_work(work, call)))
    return make_text_reply(_MISSING, 404, "text/html; charset=utf-8")


def _build_open_work(record: Record, call: Call) -> _Item:
    """Return a work with where its free copy is, which only whole works are asked for here."""
    made = build_openalex_work(record)
    copy = find_copy_address(record, call.base)
    best = {"is_oa": True, "landing_page_url": copy, "pdf_url": copy if "/pdf/" in copy else None}
    return made | {"best_oa_location": best if copy else None}


def _find_by_id(scheme: str, value: str, holdings: Holdings) -> Iterator[Record]:
    known = ids.normalise_id(scheme, value) if scheme in ("doi", "pmid", "pmcid") else None
    for record in holdings.by_id(scheme, known) if known else ():
        if scheme != "doi" or known == find_openalex_doi(record):
            yield record


def find_openalex_doi(record: Record) -> str | None:
    """Return the one DOI of a merged work: a publisher's before arXiv's."""
    listed = record.ids.all("doi")
    return next((value for value in listed if not value.startswith("10.48550/")), next(iter(listed), None))


def _answer_list(call: Call, holdings: Holdings) -> Reply:
    unknown = next((name for name in call.query if name not in _PARAMS), None)
    if unknown:
        return _make_refusal_reply(
            f"{unknown} is not a valid parameter. Valid parameters are: {', '.join(sorted(_PARAMS))}."
        )
    size = call.query.get("per-page") or call.query.get("per_page") or "25"
    page = call.query.get("page", "1")
    if not (size.isdecimal() and 1 <= int(size) <= 200 and page.isdecimal() and int(page)):
        return _make_refusal_reply("per-page parameter must be a number between 1 and 200")
    filters = [part.partition(":") for part in filter(None, call.query.get("filter", "").split(","))]
    for name, colon, _ in filters:
        if not colon:
            return _make_refusal_reply(f"Invalid query parameter in {name}.")
        if name not in _FILTERS:
            return _make_refusal_reply(f"{name} is not a valid field.")
    wanted = {name: value for name, _, value in filters}
    searched = "search" in call.query or any(name.endswith(".search") for name in wanted)
    works = list(_find_works(call.query.get("search", ""), wanted, holdings))
    start = (int(page) - 1) * int(size)
    cost = _COSTS["search" if searched else "list"]
    meta = {
        "count": len(works), "db_response_time_ms": 20, "page": int(page), "per_page": int(size),
        "groups_count": None, "cost_usd": cost,
    }  # fmt: skip
    results = [
        _select_fields(call, _cut_authors(build_openalex_work(work)))
        for work in works[start : start + int(size)]
    ]
    kind = "search" if searched else "list"
    return _make_paid_reply(call, kind, {"meta": meta, "results": results, "group_by": []})


def _find_works(search: str, filters: dict[str, str], holdings: Holdings) -> Iterator[Record]:
    """Yield the works that fit all filters; of a search the nearest first."""
    title = filters.get("title.search", filters.get("display_name.search", ""))
    scheme = next((name for name in ("doi", "pmid", "pmcid") if name in filters), None)
    if scheme:
        records: Sequence[Record] = [
            r for v in filters[scheme].split("|") for r in _find_by_id(scheme, v, holdings)
        ]
    else:
        wanted = title.split("|") if title else [search.replace(" OR ", " ")]
        records = [record for words in wanted for record in holdings.search(words, 50)]
    years = filters.get("publication_year", "").split("|")
    seen = set()
    for record in records:
        fits = " OR " in search or _has_words(record, search)
        fits = fits and any(_has_words(record, words) for words in title.split("|"))
        dated = years == [""] or any(str(v.year) in years for v in record.versions)
        if fits and dated and record.id not in seen:
            seen.add(record.id)
            yield record


def _has_words(record: Record, asked: str) -> bool:
    known = {word for title in record.titles for word in split_words(title)}
    return set(split_words(asked)) - STOPWORDS <= known


def _select_fields(call: Call, made: _Item) -> _Item:
    names = call.query.get("select", "").split(",")
    return made if names == [""] else {name: value for name, value in made.items() if name in names}


def _cut_authors(made: _Item) -> _Item:
    people = made["authorships"]
    if not isinstance(people, list) or len(people) <= CUT:
        return made
    return {**made, "authorships": people[:CUT], "is_authors_truncated": True}


def build_openalex_work(record: Record) -> _Item:
    """Return a work as OpenAlex describes it, in answers and in the snapshot."""
    name = f"https://openalex.org/W{int(sha256(record.id.encode()).hexdigest()[:8], 16)}"
    doi = find_openalex_doi(record)
    versions = sorted(record.versions, key=lambda version: version.kind is Kind.PREPRINT)
    merged = record.kind is Kind.PREPRINT and bool(versions) and versions[0].kind is not Kind.PREPRINT
    record = replace(record, versions=tuple(versions), kind=Kind.ARTICLE if merged else record.kind)
    first = record.versions[0] if record.versions else Version()
    places = [_build_location(v, record) for v in record.versions] or [_build_location(first, record)]
    start, _, end = (first.pages or "").partition("-")
    known = {"openalex": name, "doi": f"https://doi.org/{doi}" if doi else None}
    for scheme, base in _PAGES.items():
        if value := record.ids.first(scheme):
            known[scheme] = f"{base}{value.removeprefix('PMC')}"
    biblio = {
        "volume": first.volume,
        "issue": first.issue,
        "first_page": start or None,
        "last_page": end or None,
    }
    return {
        "id": name,
        "doi": known["doi"],
        "title": record.title,
        "display_name": record.title,
        "publication_year": first.year,
        "publication_date": f"{first.year}-01-01" if first.year else None,
        "ids": {scheme: value for scheme, value in known.items() if value},
        "type": _TYPES.get(record.kind, record.kind.value),
        "indexed_in": ["crossref"] if doi else [],
        "authorships": [
            _build_authorship(n, author, len(record.authors)) for n, author in enumerate(record.authors)
        ],
        "primary_location": places[0],
        "locations": places,
        "biblio": biblio,
        "is_retracted": bool({"retracted", "retraction_hint"} & {*record.marks}),
        "is_paratext": False,
        "referenced_works": [],
        "cited_by_count": 0,
        "abstract_inverted_index": _invert_abstract(record) if ABSTRACT in record.marks else None,
    }


def _invert_abstract(record: Record) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for at, word in enumerate(build_abstract(record).split()):
        index.setdefault(word, []).append(at)
    return index


def _build_authorship(place: int, name: Name, of: int) -> _Item:
    position = "first" if place == 0 else "last" if place == of - 1 else "middle"
    shown = " ".join(part for part in (name.given, name.family, name.suffix) if part)
    return {
        "author_position": position,
        "author": {"id": f"https://openalex.org/A{place}", "display_name": shown, "orcid": None},
        "institutions": [],
        "countries": [],
        "is_corresponding": place == 0,
        "raw_author_name": shown,
        "raw_affiliation_strings": [],
        "affiliations": [],
    }


def _build_location(version: Version, record: Record) -> _Item:
    number = record.ids.first("arxiv")
    preprint = version.kind is Kind.PREPRINT
    url = f"https://doi.org/{doi}" if (doi := find_openalex_doi(record)) else None
    server = "arXiv (Cornell University)" if number else version.venue
    venue = server if preprint else version.venue
    return {
        "id": f"pmh:oai:arXiv.org:{number}" if preprint and number else f"doi:{doi}" if doi else None,
        "is_oa": preprint,
        "landing_page_url": f"http://arxiv.org/abs/{number}" if preprint and number else url,
        "pdf_url": None,
        "source": _build_source(venue, None if preprint else record.publisher, preprint) if venue else None,
        "license": None,
        "version": "submittedVersion" if preprint else "publishedVersion",
        "is_accepted": not preprint,
        "is_published": not preprint,
        "raw_source_name": version.venue,
        "raw_type": "text" if preprint else "journal-article",
    }


def _build_source(name: str, publisher: str | None, preprint: bool) -> _Item:
    return {
        "id": f"https://openalex.org/S{int(sha256(name.encode()).hexdigest()[:8], 16)}",
        "display_name": name,
        "issn_l": None,
        "issn": None,
        "is_oa": preprint,
        "is_in_doaj": False,
        "is_core": not preprint,
        "host_organization": None,
        "host_organization_name": publisher,
        "host_organization_lineage": [],
        "type": "repository" if preprint else "journal",
    }


def _make_paid_reply(call: Call, kind: str, body: object) -> Reply:
    limit = 1.0 if call.headers.get("authorization") or "api_key" in call.query else 0.1
    cost = _COSTS[kind]
    headers = {
        "X-RateLimit-Limit-USD": f"{limit:g}",
        "X-RateLimit-Remaining-USD": f"{limit - cost:g}",
        "X-RateLimit-Cost-USD": f"{cost:g}",
        "X-RateLimit-Reset": "43200",
    }
    return make_json_reply(body, headers=headers)


def _make_refusal_reply(problem: str) -> Reply:
    return make_json_reply({"error": "Invalid query parameters error.", "message": problem}, 400)
