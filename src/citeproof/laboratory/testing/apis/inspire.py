"""INSPIRE's REST API: `/doi/{doi}`, `/arxiv/{id}`, `/literature/{recid}` and the search `/literature?q=`.

Knows the works with an arXiv id, a bibcode, or a venue of physics. Named quirks: an unknown identifier is
a 404 in JSON, journal names have no spaces, names are "Family, Given", a collaboration is next to its
people, `fields` trims the metadata, a search without hits is status 200 with `total` 0.
"""

from __future__ import annotations

from zlib import crc32

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.vocabulary import Kind, Record

_PHYSICS = re.compile(r"\b(?:phys|jhep|jcap|nucl|high energy|arxiv|astro|class|quant)", re.IGNORECASE)
_TYPES = {Kind.THESIS: "thesis", Kind.BOOK: "book", Kind.CHAPTER: "book chapter", Kind.REPORT: "report"}
_QUERY = re.compile(
    r"(?:t|title)[ :](?P<title>.*)|doi[ :]\"?(?P<doi>[^\"]*)\"?|(?:eprint|arxiv)[ :](?P<arxiv>.*)"
)
_COLLABORATION = re.compile(r"\s+Collaboration\Z", re.IGNORECASE)


def answer(call: Call, holdings: Holdings) -> Reply:
    where = [part for part in call.parts if part != "api"]
    wanted = {name.partition(".")[0] for name in call.query.get("fields", "").split(",") if name}
    if where == ["literature"]:
        return _answer_search(call, holdings, wanted)
    records: list[Record] = []
    if len(where) == 2 and where[0] in ("doi", "arxiv"):
        value = ids.normalise_id(where[0], where[1])
        records = [r for r in holdings.by_id(where[0], value) if _is_held_by_inspire(r)] if value else []
    if not records:
        return make_json_reply({"status": 404, "message": "PID does not exist."}, 404)
    return make_json_reply(build_inspire_hit(records[0], call.base, wanted))


def _answer_search(call: Call, holdings: Holdings, wanted: set[str]) -> Reply:
    asked = _QUERY.fullmatch(call.query.get("q", "").strip())
    records: list[Record] = []
    if asked and asked["title"] is not None:
        want = set(titles.split_words(asked["title"]))
        known = holdings.search(asked["title"])
        records = [r for r in known if any(want <= set(titles.split_words(title)) for title in r.titles)]
    elif asked:
        scheme = "doi" if asked["doi"] else "arxiv"
        records = list(holdings.by_id(scheme, ids.normalise_id(scheme, asked[scheme] or "") or ""))
    records = [record for record in records if _is_held_by_inspire(record)]
    size = int(call.query.get("size", "10"))
    links = {"self": f"{call.base}/literature?q={call.query.get('q', '')}&size={size}&page=1"}
    hits = [build_inspire_hit(record, call.base, wanted) for record in records[:size]]
    return make_json_reply({"hits": {"hits": hits, "total": len(records)}, "links": links})


def _is_held_by_inspire(record: Record) -> bool:
    venues = " ".join(version.venue or "" for version in record.versions)
    return bool(record.ids.first("arxiv") or record.ids.first("ads") or _PHYSICS.search(venues))


def build_inspire_hit(record: Record, base: str, wanted: set[str]) -> dict[str, object]:
    """Return a record as the API gives it, one hit of a search or the answer to an identifier."""
    number = crc32(record.id.encode()) % 10**7
    whole = {**build_inspire_metadata(record), "control_number": number}
    return {
        "created": "2020-01-01T00:00:00.000000+00:00",
        "updated": "2020-01-01T00:00:00.000000+00:00",
        "id": str(number),
        "links": {"json": f"{base}/literature/{number}?format=json"},
        "metadata": {name: value for name, value in whole.items() if not wanted or name in wanted},
    }


def build_inspire_metadata(record: Record) -> dict[str, object]:
    people = [name for name in record.authors if not name.collective]
    groups = [name.family for name in record.authors if name.collective]
    published = [
        {
            name: value
            for name, value in (
                ("year", version.year),
                ("journal_title", (version.venue or "").replace(". ", ".")),
                ("journal_volume", version.volume),
                ("journal_issue", version.issue),
                ("page_start", (version.pages or "").partition("-")[0]),
                ("page_end", (version.pages or "").partition("-")[2]),
            )
            if value
        }
        for version in record.versions
        if version.kind is not Kind.PREPRINT
    ]
    preprints = [v.year for v in record.versions if v.kind is Kind.PREPRINT and v.year]
    optional = {
        "publication_info": published,
        "dois": [{"value": value} for value in record.ids.all("doi")],
        "arxiv_eprints": [{"value": value, "categories": ["hep-th"]} for value in record.ids.all("arxiv")],
        "isbns": [{"value": value} for value in record.ids.all("isbn")],
        "collaborations": [{"value": _COLLABORATION.sub("", name)} for name in groups],
        "external_system_identifiers": [{"value": v, "schema": "ADS"} for v in record.ids.all("ads")],
        "preprint_date": str(preprints[0]) if preprints else "",
        "withdrawn": "withdrawn" in record.marks,
    }
    return {
        "$schema": "https://inspirehep.net/schemas/records/hep.json",
        "titles": [{"title": title, "source": "arXiv"} for title in record.titles],
        "authors": [{"full_name": ", ".join(filter(None, (n.family, n.suffix, n.given)))} for n in people],
        "author_count": len(people),
        "document_type": [_TYPES.get(record.kind, "article")],
        **{name: value for name, value in optional.items() if value},
    }
