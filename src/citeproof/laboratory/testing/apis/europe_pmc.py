"""Europe PMC's `search` (JSON, `resultType` core or lite): works with a PMID or PMCID, and preprints.

Understands the queries `DOI:"…"`, `EXT_ID:… AND SRC:MED`, `PMCID:…`, `TITLE:(…)`, `TITLE:"…"`, `AUTH:"…"`,
with AND and, at the top, OR. Named quirks: years are strings, a preprint has no journal but a publisher,
no hits is status 200 with `hitCount` 0, a query that is empty is status 200 with `errCode`.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from zlib import crc32

from citeproof.laboratory.testing.article_texts import ABSTRACT, build_abstract, build_jats
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.text import ids, names
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Kind, Name, Record, Version

_CLAUSE = re.compile(r'(?P<field>[A-Z_]+):(?:"(?P<quoted>[^"]*)"|\((?P<grouped>[^)]*)\)|(?P<bare>[^\s()]+))')
_LINKS: dict[str, str] = load_package_table(__package__, "names.toml")["europe_pmc"]["links"]
_SERVERS = re.compile(r"biorxiv|medrxiv|research square|ssrn|preprint", re.IGNORECASE)


def answer(call: Call, holdings: Holdings) -> Reply:
    if call.parts[1:] == ("fullTextXML",):
        return _answer_full_text(call, holdings)
    if call.parts[-1:] != ("search",):
        return make_json_reply({"timestamp": 0, "status": 404, "error": "Not Found", "path": call.path}, 404)
    query = call.query.get("query", "")
    if not query.strip():
        return make_json_reply({"version": "6.9", "errCode": 400, "errMsg": "The query is empty"})
    if call.query.get("format") != "json":
        return Reply(200, b'<?xml version="1.0"?><responseWrapper/>', "application/xml")
    hits = _find_records(query, holdings)
    size = int(call.query.get("pageSize", "25"))
    kind = call.query.get("resultType", "lite")
    request = {"queryString": query, "resultType": kind, "cursorMark": "*", "pageSize": size, "sort": ""}
    results = [build_europe_pmc_result(record, core=kind == "core") for record in hits[:size]]
    head = {"version": "6.9", "hitCount": len(hits), "request": {**request, "synonym": False}}
    return make_json_reply({**head, "resultList": {"result": results}})


def _answer_full_text(call: Call, holdings: Holdings) -> Reply:
    """Return the JATS of a work that is open access; 404 for any other."""
    number = ids.normalise_id("pmcid", call.parts[0])
    record = next(iter(holdings.by_id("pmcid", number)), None) if number else None
    if record is None or "open_access" not in record.marks:
        return Reply(404, b"", "application/xml")
    return Reply(200, build_jats(record), "application/xml")


def _find_records(query: str, holdings: Holdings) -> list[Record]:
    """Return the works that fit one of the alternatives of a query, each once."""
    records: dict[str, Record] = {}
    for alternative in re.split(r"\s+OR\s+", query):
        clauses = [
            (m["field"], m["quoted"] or m["grouped"] or m["bare"]) for m in _CLAUSE.finditer(alternative)
        ]
        for record in _find_candidates(clauses, holdings):
            if _is_held_by_europe_pmc(record) and all(
                _is_clause_met(field, value, record) for field, value in clauses
            ):
                records.setdefault(f"{record.source}/{record.id}", record)
    return list(records.values())


def _find_candidates(clauses: Sequence[tuple[str, str]], holdings: Holdings) -> Sequence[Record]:
    schemes = {"DOI": "doi", "EXT_ID": "pmid", "PMCID": "pmcid"}
    for field, value in clauses:
        if field in schemes and (known := ids.normalise_id(schemes[field], value)):
            return holdings.by_id(schemes[field], known)
    words = [value.replace(" AND ", " ") for field, value in clauses if field == "TITLE"]
    return holdings.search(" ".join(words)) if words else ()


def _is_held_by_europe_pmc(record: Record) -> bool:
    venues = " ".join(version.venue or "" for version in record.versions)
    preprint = record.kind is Kind.PREPRINT and _SERVERS.search(venues)
    return bool(record.ids.first("pmid") or record.ids.first("pmcid") or preprint)


def _is_clause_met(field: str, value: str, record: Record) -> bool:
    if field == "TITLE":
        has = {word for title in record.titles for word in titles.split_words(title)}
        return set(titles.split_words(value.replace(" AND ", " "))) <= has
    if field == "AUTH":
        return any(titles.split_words(value) == titles.split_words(name.family) for name in record.authors)
    return True  # the identifiers chose the candidates


def build_europe_pmc_result(record: Record, *, core: bool = True) -> dict[str, object]:
    version = record.versions[0] if record.versions else Version()
    pmid, pmcid, doi = (record.ids.first(scheme) for scheme in ("pmid", "pmcid", "doi"))
    preprint = record.kind is Kind.PREPRINT and pmid is None
    source = "MED" if pmid else "PPR" if preprint else "PMC"
    number = pmid or (f"PPR{crc32(record.id.encode()) % 10**6}" if preprint else pmcid)
    authors = [_build_author(name) for name in record.authors]
    whole: dict[str, object] = {
        "id": number,
        "source": source,
        **{name: value for name, value in (("pmid", pmid), ("pmcid", pmcid), ("doi", doi)) if value},
        "title": record.title + ("" if preprint else "."),
        "authorString": ", ".join(str(author["fullName"]) for author in authors) + ".",
        "pubYear": str(version.year or ""),
        "firstPublicationDate": f"{version.year or 1900}-01-01",
    }
    if core and pmcid:
        whole["isOpenAccess"] = "Y" if "open_access" in record.marks else "N"
    if core and ABSTRACT in record.marks:
        whole["abstractText"] = f"<h4>Abstract</h4>{escape(build_abstract(record), quote=False)}"
    if version.pages:
        whole["pageInfo"] = version.pages
    return whole | (_build_core_fields(record, version, authors, preprint=preprint) if core else {})


def _build_core_fields(
    record: Record, version: Version, authors: list[dict[str, str]], *, preprint: bool
) -> dict[str, object]:
    types = ["Preprint"] if preprint else ["Journal Article", "research-article"]
    types += ["Retracted Publication"] if "retracted" in record.marks else []
    links = [
        {"id": "0", "source": "MED", "type": _LINKS[m], "orderIn": 1} for m in record.marks if m in _LINKS
    ]
    journal = {"title": version.venue or "", "medlineAbbreviation": version.venue or ""}
    numbers = (("volume", version.volume), ("issue", version.issue))
    info = {name: value for name, value in numbers if value}
    year = version.year or 0
    where: dict[str, object] = (
        {"bookOrReportDetails": {"publisher": version.venue or "", "yearOfPublication": year}}
        if preprint
        else {"journalInfo": {**info, "yearOfPublication": year, "journal": journal}}
    )
    listed = {"commentCorrectionList": {"commentCorrection": links}} if links else {}
    return {"authorList": {"author": authors}, "pubTypeList": {"pubType": types}, **where, **listed}


def _build_author(name: Name) -> dict[str, str]:
    if name.collective:
        return {"fullName": name.family, "collectiveName": name.family}
    initials = "".join(word[0].upper() for word in names.fold_given_words(name))
    return {
        "fullName": f"{name.family} {initials}".strip(),
        "firstName": name.given,
        "lastName": name.family,
        "initials": initials,
    }
