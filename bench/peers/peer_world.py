"""The loopback world that all tools ask, and which real address leads where in it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from bench.peers.peer_sparql import SparqlService
from bench.peers.peer_venues import VenueRegister

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.sources import base as sources
from citeproof.laboratory.testing import SnapshotHoldings, World
from citeproof.laboratory.testing.apis import (
    arxiv,
    crossref,
    dblp,
    doi,
    openalex,
    openreview,
    semantic_scholar,
)
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, make_text_reply
from citeproof.laboratory.testing.world import Latency, list_api_names
from citeproof.text.title import make_title_key

# Addresses that other tools use and citeproof does not, or has under another name.
MORE_HOSTS = {
    "https://dx.doi.org": "doi",
    "https://www.doi.org": "doi",
    "https://arxiv.org": "arxiv",
    "https://dblp.uni-trier.de": "dblp",
    "https://sparql.dblp.org": "dblp",
    "https://api.openreview.net": "openreview_v1",
    "https://archive.org": "wayback",
    "https://web.archive.org": "wayback",
    "https://www.aclanthology.org": "acl",
    "https://example.org": "landing",
}
OPENALEX_FILTERS = ("doi:", "pmid:", "pmcid:", "title.search:", "display_name.search:", "publication_year:")
UNKNOWN_FIELDS = re.compile(r"unsupported fields: \[([^\]]*)\]")


def answer_doi(call: Call, holdings: Holdings) -> Reply:
    """Return what doi.org answers; to who accepts CSL-JSON, the work itself as Crossref sends it."""
    if "json" not in call.headers.get("accept", "") or call.path.startswith(("/api/", "/ra/", "/doiRA/")):
        return doi.answer(call, holdings)
    path = f"/works{call.path}"
    asked = Call(call.method, path, ("works", *call.parts), {}, call.headers, b"", call.base)
    reply = crossref.answer(asked, holdings)
    if reply.status != 200:
        return _answer_repository(call, holdings)
    work: dict[str, Any] = json.loads(reply.body)["message"]
    for field in ("title", "container-title"):
        work[field] = (work.get(field) or [""])[0]
    return make_json_reply(work)


def _answer_repository(call: Call, holdings: Holdings) -> Reply:
    """Return the CSL-JSON of a DOI that another agency registered, such as arXiv's."""
    name = unquote(call.path[1:])
    found = holdings.by_id("doi", name.lower())
    if not found:
        return doi.answer(call, holdings)
    years = [version.year for version in found[0].versions if version.year]
    people = [{"family": author.family, "given": author.given} for author in found[0].authors]
    return make_json_reply(
        {"DOI": name, "type": "article", "title": found[0].title, "author": people}
        | ({"issued": {"date-parts": [[min(years)]]}} if years else {})
    )


def answer_openalex(call: Call, holdings: Holdings, venues: VenueRegister) -> Reply:
    """Return what OpenAlex answers, without the filters that only the real one knows."""
    if call.parts == ("sources",):
        return venues.answer_openalex(call)
    known = [part for part in call.query.get("filter", "").split(",") if part.startswith(OPENALEX_FILTERS)]
    query = {name: value for name, value in call.query.items() if name != "filter"}
    return openalex.answer(
        replace(call, query=query | ({"filter": ",".join(known)} if known else {})), holdings
    )


def answer_dblp(call: Call, holdings: Holdings, venues: VenueRegister) -> Reply:
    """Return what dblp answers, also to a search for venues."""
    if call.parts != ("search", "venue", "api"):
        return dblp.answer(call, holdings)
    found = venues.find([call.query.get("q", "")])
    hits = [{"info": {"venue": name, "acronym": "", "type": "Conference or Workshop"}} for name in found]
    return make_json_reply({"result": {"hits": {"@total": str(len(hits)), "hit": hits}}})


class PaperGraph:
    """Semantic Scholar without the fields that only the real one knows; papers it named can be asked for."""

    def __init__(self) -> None:
        self._named: dict[str, dict[str, Any]] = {}

    def answer(self, call: Call, holdings: Holdings) -> Reply:
        """Return what Semantic Scholar answers."""
        if call.parts[-1] in self._named:
            return make_json_reply(self._named[call.parts[-1]])
        reply = semantic_scholar.answer(call, holdings)
        refused = (
            UNKNOWN_FIELDS.search(reply.body.decode("utf-8", "replace")) if reply.status == 400 else None
        )
        if refused is not None:
            left = [name for name in call.query["fields"].split(",") if name not in refused[1].split(", ")]
            known = replace(call, query={**call.query, "fields": ",".join(left)})
            reply = semantic_scholar.answer(known, holdings)
        listed = json.loads(reply.body).get("data") if reply.status == 200 and "search" in call.path else None
        self._named |= {paper["paperId"]: paper for paper in listed or () if "paperId" in paper}
        return reply


def answer_arxiv(call: Call, holdings: Holdings) -> Reply:
    """Return what arXiv answers: its API, the page of an article and its BibTeX entry."""
    if call.parts[:1] not in (("abs",), ("bibtex",)):
        return arxiv.answer(call, holdings)
    found = holdings.by_id("arxiv", "/".join(call.parts[1:]))
    if not found:
        return make_text_reply("not found\n", 404)
    work = found[0]
    people = " and ".join(f"{name.given} {name.family}".strip() for name in work.authors)
    year = min((version.year for version in work.versions if version.year), default="")
    if call.parts[0] == "abs":
        return make_text_reply(f"<!doctype html><title>{escape(work.title)}</title>", media="text/html")
    return make_text_reply(
        f"@misc{{x,\n  title={{{work.title}}},\n  author={{{people}}},\n  year={{{year}}}\n}}\n"
    )


def answer_openreview(call: Call, holdings: Holdings) -> Reply:
    """Return what OpenReview answers, also by `paperhash` (for registered users only at the real one)."""
    if "paperhash" not in call.query:
        return openreview.answer(call, holdings)
    words = call.query["paperhash"].partition("|")[2].replace("_", " ")
    search = replace(call, path="/notes/search", parts=("notes", "search"), query={"term": words})
    notes = json.loads(openreview.answer(search, holdings).body)["notes"]
    same = [note for note in notes if make_title_key(_read_title(note)) == make_title_key(words)]
    return make_json_reply({"notes": same, "count": len(same)})


def _read_title(note: dict[str, Any]) -> str:
    title = note["content"]["title"]
    return str(title["value"] if isinstance(title, dict) else title)


def answer_landing(call: Call, holdings: Holdings) -> Reply:  # noqa: ARG001 - the shape of every API
    """Return the page of a publisher, to which the world's doi.org leads."""
    return make_text_reply("<!doctype html><title>An article</title>", media="text/html")


def answer_elsewhere(call: Call, holdings: Holdings) -> Reply:  # noqa: ARG001 - the shape of every API
    """Return what an address answers that no API of the world stands for."""
    return make_text_reply("not in this world\n", 404)


def make_world(snapshot: Snapshot, latency: float, venues: VenueRegister) -> World:
    """Return a world of the works of a snapshot in which every API takes `latency` seconds."""
    own = {
        "doi": answer_doi, "openalex": partial(answer_openalex, venues=venues), "arxiv": answer_arxiv,
        "semantic_scholar": PaperGraph().answer, "dblp": partial(answer_dblp, venues=venues),
        "openreview": answer_openreview, "openreview_v1": answer_openreview,
        "dblp_sparql": SparqlService(venues).answer, "landing": answer_landing, "elsewhere": answer_elsewhere,
    }  # fmt: skip
    apis = {**dict.fromkeys(list_api_names()), **own}
    slow = dict.fromkeys(apis, Latency(latency))
    return World(SnapshotHoldings(snapshot), apis=apis, latency=slow)  # type: ignore[arg-type]


def write_addresses(world: World, path: Path) -> Path:
    """Write the file that the shim reads; return its path."""
    profiles = {name: sources.find_source(name).profile for name in sources.list_sources()}
    hosts = {profile.url: name for name, profile in profiles.items() if profile.url and name in world.urls}
    path.write_text(json.dumps({"world": world.origin, "hosts": {**hosts, **MORE_HOSTS}}), encoding="utf-8")
    return path
