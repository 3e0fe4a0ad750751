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

from citeproof.testing.base import Call, Holdings, Reply, json_reply
from citeproof.text import ids
from citeproof.text.title import words
from citeproof.vocabulary import Kind, Record, Version

_SCHEMES = {"DOI": "doi", "ARXIV": "arxiv", "PMID": "pmid", "PMCID": "pmcid", "ACL": "acl", "URL": "url"}
_NAMES = {
    "doi": "DOI",
    "arxiv": "ArXiv",
    "pmid": "PubMed",
    "pmcid": "PubMedCentral",
    "acl": "ACL",
    "dblp": "DBLP",
}
_TYPES = {
    Kind.ARTICLE: "JournalArticle",
    Kind.PREPRINT: "JournalArticle",
    Kind.BOOK: "Book",
    Kind.CHAPTER: "BookSection",
    Kind.DATASET: "Dataset",
}
_LISTED = 500
_LONGEST_BATCH = 500
_ALIKE = 0.7  # of the words of both titles; the real server's measure is not known


def answer(call: Call, holdings: Holdings) -> Reply:
    """Return what the graph would answer."""
    parts = call.parts[2:] if call.parts[:2] == ("graph", "v1") else call.parts
    if parts[:1] != ("paper",) or len(parts) < 2:
        return json_reply({"message": "Missing Authentication Token"}, 403)  # how the gateway says 404
    fields = [name for name in call.query.get("fields", "title").split(",") if name]
    unknown = [name for name in fields if name.split(".")[0] not in _paper(_EMPTY)]
    if unknown:
        return _error(f"Unrecognized or unsupported fields: [{', '.join(unknown)}]", 400)
    if parts == ("paper", "batch"):
        return _batch(call, holdings, fields)
    if parts[1] == "search":
        return _search(call, holdings, fields, match=parts[2:] == ("match",))
    name = "/".join(parts[1:])
    found = _by_name(name, holdings)
    if found is None:
        return _error(f"Paper with id {name} not found", 404)
    return json_reply(_only(_paper(found), fields))


def _batch(call: Call, holdings: Holdings, fields: Sequence[str]) -> Reply:
    try:
        asked = msgspec.json.decode(call.body, type=dict[str, list[str]])["ids"]
    except (msgspec.DecodeError, KeyError):
        return _error("Could not parse the request body", 400)
    if call.method != "POST" or not asked or len(asked) > _LONGEST_BATCH:
        return _error("No valid paper ids given", 400)
    found = (_by_name(name, holdings) for name in asked)
    return json_reply([_only(_paper(record), fields) if record else None for record in found])


def _search(call: Call, holdings: Holdings, fields: Sequence[str], *, match: bool) -> Reply:
    query = call.query.get("query", "")
    if not query.strip():
        return _error("Missing required parameter: 'query'", 400)
    found = list(holdings.search(query, 10))
    if not match:
        rows = [_only(_paper(record), fields) for record in found]
        return json_reply({"total": len(rows), "offset": 0, "data": rows})
    best = max(found, key=lambda record: _likeness(query, record), default=None)
    if best is None or _likeness(query, best) < _ALIKE:
        return _error("Title match not found", 404)
    score = 180.0 * _likeness(query, best)
    return json_reply({"data": [{**_only(_paper(best), fields), "matchScore": round(score, 5)}]})


def _likeness(query: str, record: Record) -> float:
    asked, own = set(words(query)), set(words(record.title))
    return len(asked & own) / (len(asked | own) or 1)


def _by_name(name: str, holdings: Holdings) -> Record | None:
    """Return the paper called `DOI:10.…`, `ARXIV:…`, or by a bare DOI; others are unknown here."""
    prefix, colon, rest = name.partition(":")
    scheme, value = (_SCHEMES.get(prefix.upper(), ""), rest) if colon else ("doi", name)
    if scheme == "pmcid" and value.isdecimal():
        value = f"PMC{value}"
    known = ids.normal(scheme, value)
    found = holdings.by_id(scheme, known) if known else ()
    return found[0] if found else None


def _paper(record: Record) -> dict[str, Any]:
    """Return all fields of a paper: the year of its first appearance, the venue of its last."""
    own = sha1(f"{record.source}/{record.id}".encode(), usedforsecurity=False).hexdigest()
    corpus = int(own[:7], 16)
    years = [version.year for version in record.versions if version.year]
    last = _last(record.versions)
    kind = _TYPES.get(record.kind)
    return {
        "paperId": own,
        "externalIds": {**_external(record), "CorpusId": corpus},
        "corpusId": corpus,
        "url": f"https://www.semanticscholar.org/paper/{own}",
        "title": record.title,
        "abstract": None,
        "venue": _venue(last) or "",
        "publicationVenue": {"id": own[:8], "name": _venue(last), "type": "journal"} if last.venue else None,
        "year": min(years, default=None),
        "publicationDate": None,
        "journal": _journal(last),
        "publicationTypes": [kind] if kind else None,
        "isOpenAccess": False,
        "openAccessPdf": None,
        "authors": [
            {"authorId": str(at), "name": name.display} for at, name in enumerate(record.authors[:_LISTED])
        ],
    }


def _last(versions: Sequence[Version]) -> Version:
    printed = [version for version in versions if version.kind is not Kind.PREPRINT]
    return (printed or list(versions) or [Version()])[-1]


def _venue(version: Version) -> str | None:
    return "arXiv.org" if version.venue == "arXiv" else version.venue


def _journal(version: Version) -> dict[str, str] | None:
    given = {"name": version.venue, "pages": version.pages, "volume": version.volume}
    return {name: text for name, text in given.items() if text} or None


def _external(record: Record) -> dict[str, str]:
    """Return one identifier of each kind, as they write them: a PMCID without its letters."""
    firsts = {name: record.ids.first(scheme) for scheme, name in _NAMES.items()}
    return {name: value.removeprefix("PMC") for name, value in firsts.items() if value}


def _only(paper: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    wanted = {"paperId", *(name.split(".")[0] for name in fields)}
    return {name: value for name, value in paper.items() if name in wanted}


def _error(message: str, status: int) -> Reply:
    return json_reply({"error": message}, status)


_EMPTY = Record("", "", ("",))
