"""Semantic Scholar's Academic Graph: `/paper/{id}`, `/paper/batch`, `/paper/search/match`, `/paper/search`.

Holds every work that has a title. Names are single strings, and a list ends after 500 of them. Fields
that were not asked for are left out, unknown ones are a 400; `matchScore` may not be named. A title is
matched when its words nearly agree; else the answer is 404 "Title match not found".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha1
from typing import Any

import msgspec

from citeproof.laboratory.testing.article_texts import ABSTRACT, build_abstract
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.text import ids
from citeproof.text.package_tables import load_package_table
from citeproof.text.title import split_words
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Kind, Record, Version

_SCHEMES = {"DOI": "doi", "ARXIV": "arxiv", "PMID": "pmid", "PMCID": "pmcid", "ACL": "acl", "URL": "url"}
_TABLES = load_package_table(__package__, "names.toml")["semantic_scholar"]
_NAMES: dict[str, str] = _TABLES["names"]
_TYPES: dict[str, str] = _TABLES["types"]
_LISTED = 500
_LONGEST_BATCH = 500
_ALIKE = 0.7  # of the words of both titles; the real server's measure is not known


def answer(call: Call, holdings: Holdings) -> Reply:
    parts = call.parts[2:] if call.parts[:2] == ("graph", "v1") else call.parts
    if parts[:1] != ("paper",) or len(parts) < 2:
        return make_json_reply({"message": "Missing Authentication Token"}, 403)  # how the gateway says 404
    fields = [name for name in call.query.get("fields", "title").split(",") if name]
    unknown = [name for name in fields if name.split(".")[0] not in _build_paper(_EMPTY)]
    if unknown:
        return _make_error_reply(f"Unrecognized or unsupported fields: [{', '.join(unknown)}]", 400)
    if parts == ("paper", "batch"):
        return _answer_batch(call, holdings, fields)
    if parts[1] == "search":
        return _answer_search(call, holdings, fields, match=parts[2:] == ("match",))
    name = "/".join(parts[1:])
    paper = _find_paper(name, holdings)
    if paper is None:
        return _make_error_reply(f"Paper with id {name} not found", 404)
    return make_json_reply(_select_fields(_build_paper(paper), fields))


def _answer_batch(call: Call, holdings: Holdings, fields: Sequence[str]) -> Reply:
    try:
        asked = decode_json(call.body, type=dict[str, list[str]])["ids"]
    except (msgspec.DecodeError, KeyError):
        return _make_error_reply("Could not parse the request body", 400)
    if call.method != "POST" or not asked or len(asked) > _LONGEST_BATCH:
        return _make_error_reply("No valid paper ids given", 400)
    papers = (_find_paper(name, holdings) for name in asked)
    return make_json_reply(
        [_select_fields(_build_paper(record), fields) if record else None for record in papers]
    )


def _answer_search(call: Call, holdings: Holdings, fields: Sequence[str], *, match: bool) -> Reply:
    query = call.query.get("query", "")
    if not query.strip():
        return _make_error_reply("Missing required parameter: 'query'", 400)
    papers = list(holdings.search(query, 10))
    if not match:
        rows = [_select_fields(_build_paper(record), fields) for record in papers]
        return make_json_reply({"total": len(rows), "offset": 0, "data": rows})
    best = max(papers, key=lambda record: _compute_likeness(query, record), default=None)
    if best is None or _compute_likeness(query, best) < _ALIKE:
        return _make_error_reply("Title match not found", 404)
    score = 180.0 * _compute_likeness(query, best)
    return make_json_reply(
        {"data": [{**_select_fields(_build_paper(best), fields), "matchScore": round(score, 5)}]}
    )


def _compute_likeness(query: str, record: Record) -> float:
    asked, own = set(split_words(query)), set(split_words(record.title))
    return len(asked & own) / (len(asked | own) or 1)


def _find_paper(name: str, holdings: Holdings) -> Record | None:
    """Return the paper called `DOI:10.…`, `ARXIV:…`, or by a bare DOI; others are unknown here."""
    prefix, colon, rest = name.partition(":")
    scheme, value = (_SCHEMES.get(prefix.upper(), ""), rest) if colon else ("doi", name)
    if scheme == "pmcid" and value.isdecimal():
        value = f"PMC{value}"
    known = ids.normalise_id(scheme, value)
    papers = holdings.by_id(scheme, known) if known else ()
    return papers[0] if papers else None


def _build_paper(record: Record) -> dict[str, Any]:
    """Return all fields of a paper: the year of its first appearance, the venue of its last."""
    own = sha1(f"{record.source}/{record.id}".encode(), usedforsecurity=False).hexdigest()
    corpus = int(own[:7], 16)
    years = [version.year for version in record.versions if version.year]
    last = _choose_last_version(record.versions)
    kind = _TYPES.get(record.kind)
    return {
        "paperId": own,
        "externalIds": {**_build_external_ids(record), "CorpusId": corpus},
        "corpusId": corpus,
        "url": f"https://www.semanticscholar.org/paper/{own}",
        "title": record.title,
        "abstract": build_abstract(record) if ABSTRACT in record.marks else None,
        "venue": _name_venue(last) or "",
        "publicationVenue": {"id": own[:8], "name": _name_venue(last), "type": "journal"}
        if last.venue
        else None,
        "year": min(years, default=None),
        "publicationDate": None,
        "journal": _build_journal(last),
        "publicationTypes": [kind] if kind else None,
        "isOpenAccess": False,
        "openAccessPdf": None,
        "authors": [
            {"authorId": str(at), "name": name.display} for at, name in enumerate(record.authors[:_LISTED])
        ],
    }


def _choose_last_version(versions: Sequence[Version]) -> Version:
    printed = [version for version in versions if version.kind is not Kind.PREPRINT]
    return (printed or list(versions) or [Version()])[-1]


def _name_venue(version: Version) -> str | None:
    return "arXiv.org" if version.venue == "arXiv" else version.venue


def _build_journal(version: Version) -> dict[str, str] | None:
    fields = {"name": version.venue, "pages": version.pages, "volume": version.volume}
    return {name: text for name, text in fields.items() if text} or None


def _build_external_ids(record: Record) -> dict[str, str]:
    """Return one identifier of each kind, as they write them: a PMCID without its letters."""
    firsts = {name: record.ids.first(scheme) for scheme, name in _NAMES.items()}
    return {name: value.removeprefix("PMC") for name, value in firsts.items() if value}


def _select_fields(paper: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    wanted = {"paperId", *(name.split(".")[0] for name in fields)}
    return {name: value for name, value in paper.items() if name in wanted}


def _make_error_reply(message: str, status: int) -> Reply:
    return make_json_reply({"error": message}, status)


_EMPTY = Record("", "", ("",))
