"""NASA ADS: `/search/query` and `/search/bigquery`, for works of astronomy and physics.

Knows the works with a bibcode or an arXiv id, or in a venue of physics; one without a bibcode gets one that
is made up from its fields. Understands `identifier:`, `bibcode:`, `doi:`, `arxiv:`, `title:`, `author:`.
Named quirks: 401 without a token, quota headers, lists for titles, pages and DOIs, `numFound` 0 for none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Record, Version

_CLAUSE = re.compile(r'(?P<field>[a-z]+):(?:"(?P<quoted>[^"]*)"|\((?P<grouped>[^)]*)\)|(?P<bare>\S+))')
_PHYSICS = re.compile(r"\b(?:phys|astro|apj|mnras|icarus|planet|arxiv|jhep|optic|nucl)", re.IGNORECASE)
_SCHEMES = {"bibcode": "ads", "identifier": "ads", "doi": "doi", "arxiv": "arxiv"}
_TYPES: dict[str, str] = load_package_table(__package__, "names.toml")["ads"]["types"]


def answer(call: Call, holdings: Holdings) -> Reply:
    if not call.headers.get("authorization", "").startswith("Bearer "):
        return make_json_reply({"error": "Unauthorized"}, 401)
    tool = call.parts[-1] if call.parts else ""
    if tool == "bigquery" and call.method == "POST":
        hits = _find_by_bibcodes(call.body.decode("utf-8", "replace"), holdings)
    elif tool == "query":
        hits = _find_records(call.query.get("q", ""), holdings)
    else:
        return make_json_reply({"error": "The requested URL was not found on the server."}, 404)
    rows = int(call.query.get("rows", "10"))
    wanted = call.query.get("fl", "id").split(",")
    docs = [{k: v for k, v in build_ads_document(r).items() if k in wanted and v} for r in hits[:rows]]
    body = {
        "responseHeader": {"status": 0, "QTime": 3, "params": dict(call.query)},
        "response": {"numFound": len(hits), "start": 0, "numFoundExact": True, "docs": docs},
    }
    quota = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "4999", "x-ratelimit-reset": "1800000000"}
    return make_json_reply(body, headers=quota)


def _find_by_bibcodes(body: str, holdings: Holdings) -> list[Record]:
    """Return the works of a list of bibcodes; its first line is the name of the field."""
    codes = [line.strip() for line in body.splitlines()[1:] if line.strip()]
    return [record for code in codes for record in holdings.by_id("ads", code)[:1]]


def _find_records(query: str, holdings: Holdings) -> list[Record]:
    clauses = [(m["field"], m["quoted"] or m["grouped"] or m["bare"]) for m in _CLAUSE.finditer(query)]
    for field, value in clauses:
        if scheme := _SCHEMES.get(field):
            return _find_by_id(field, scheme, value, holdings)
    wanted = [value for field, value in clauses if field == "title"]
    hits = holdings.search(" ".join(wanted)) if wanted else ()
    return [r for r in hits if _is_held_by_ads(r) and all(_FITS[field](value, r) for field, value in clauses)]


def _find_by_id(field: str, scheme: str, value: str, holdings: Holdings) -> list[Record]:
    records: dict[str, Record] = {}
    for name_asked in re.split(r"\s+OR\s+", value):
        for name in (scheme, "doi", "arxiv") if field == "identifier" else (scheme,):
            known = ids.normalise_id(name, name_asked.strip('" '))
            hits: Sequence[Record] = holdings.by_id(name, known) if known else ()
            records.update((record.id, record) for record in hits if _is_held_by_ads(record))
    return list(records.values())


def _has_title(value: str, record: Record) -> bool:
    words = {word for title in record.titles for word in titles.split_words(title)}
    return set(titles.split_words(value)) <= words


def _has_author(value: str, record: Record) -> bool:
    return any(
        titles.split_words(value.partition(",")[0]) == titles.split_words(n.family) for n in record.authors
    )


_FITS: dict[str, Callable[[str, Record], bool]] = {"title": _has_title, "author": _has_author}


def _is_held_by_ads(record: Record) -> bool:
    venues = " ".join(version.venue or "" for version in record.versions)
    return bool(record.ids.first("ads") or record.ids.first("arxiv") or _PHYSICS.search(venues))


def build_ads_document(record: Record) -> dict[str, object]:
    version = record.versions[0] if record.versions else Version()
    code = record.ids.first("ads") or _make_bibcode(record, version)
    others = [f"arXiv:{value}" for value in record.ids.all("arxiv")]
    return {
        "bibcode": code,
        "title": list(record.titles),
        "author": [", ".join(part for part in (n.family, n.suffix, n.given) if part) for n in record.authors],
        "author_count": len(record.authors),
        "year": str(version.year or ""),
        "pubdate": f"{version.year or 1900}-00-00",
        "pub": version.venue or "",
        "volume": version.volume or "",
        "issue": version.issue or "",
        "page": [(version.pages or "").partition("-")[0]] if version.pages else [],
        "page_range": version.pages if "-" in (version.pages or "") else "",
        "doi": list(record.ids.all("doi")),
        "identifier": [*dict.fromkeys((code, *record.ids.all("ads"))), *others, *record.ids.all("doi")],
        "isbn": list(record.ids.all("isbn")),
        "doctype": _TYPES.get(record.kind, "article"),
        "publisher": record.publisher or "",
    }


def _make_bibcode(record: Record, version: Version) -> str:
    """Return a bibcode such as ADS would give: year, journal, volume, page, initial of the first author."""
    journal = "".join(re.findall(r"[A-Za-z]", version.venue or "arXiv"))[:5].ljust(5, ".")
    volume = re.sub(r"\W", "", version.volume or "")[-4:].rjust(4, ".")
    page = re.sub(r"\W", "", (version.pages or "").partition("-")[0])[-4:].rjust(5, ".")
    initial = (titles.fold_title(record.authors[0].family)[:1].upper() or ".") if record.authors else "."
    return f"{version.year or 1900}{journal}{volume}{page}{initial if initial.isascii() else '.'}"
