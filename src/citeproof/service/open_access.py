"""Where a free, legal copy of a work can be read: what Unpaywall and OpenAlex say, and the repositories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeproof.answers.serializers import Json
from citeproof.evidence.sources.base import CannotAnswerError, LiveSource, SourceSession
from citeproof.evidence.upstream_records.json_fields import read_rows, read_table, read_text
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.net.message import (
    Answer,
    Request,
    UnreadableError,
    build_url,
    quote_path,
    quote_segment,
)
from citeproof.service.assemble.source_choice import DEFAULT, connect_sources
from citeproof.settings import Settings
from citeproof.vocabulary import Record

SOURCES = ("unpaywall", "openalex")  # the first that answers is believed
STATES = frozenset({"gold", "green", "hybrid", "bronze", "closed"})
MAX_LOCATIONS = 10
_MAX_WORD = 100
_MAX_URL = 2048
_OPENALEX = "id,doi,title,open_access,best_oa_location,locations"
_OPENALEX_STATES = {"diamond": "gold"}
_REPOSITORIES = {  # scheme: (address, whose copy it is)
    "pmcid": ("https://pmc.ncbi.nlm.nih.gov/articles/{}/", "publishedVersion"),
    "arxiv": ("https://arxiv.org/abs/{}", "submittedVersion"),
}


@dataclass(frozen=True, slots=True)
class OpenAccess:
    """Whether a work can be read for free; `state` is one of STATES. Empty: no source could say."""

    source: str = ""
    state: str = ""
    locations: tuple[Json, ...] = ()
    reasons: tuple[str, ...] = ()  # why a source could not answer


async def find_open_access(
    settings: Settings, doi: str | None, record: Record | None, clock: Clock | None = None
) -> OpenAccess:
    """Return where a work can be read for free; a repository's copy counts where no source can be asked."""
    reasons: list[str] = []
    if doi and not settings.offline:
        usual = not settings.sources or DEFAULT in settings.sources
        names = tuple(name for name in SOURCES if usual or name in settings.sources)
        online = connect_sources(settings, clock or SystemClock(), names)
        try:
            for source in sorted(online.sources, key=lambda source: SOURCES.index(source.name)):
                if access := await _ask_source(source, SourceSession(online.client), doi, reasons):
                    return access
        finally:
            await online.client.close()
    elif settings.offline:
        reasons.append("Unpaywall and OpenAlex were not asked: the server runs offline")
    copies: tuple[Json, ...] = tuple(
        {"url": address.format(number), "hostType": "repository", "version": version, "repository": scheme}
        for scheme, (address, version) in _REPOSITORIES.items()
        for number in (record.ids.all(scheme)[:1] if record else ())
    )
    if copies:
        return OpenAccess(str(copies[0]["repository"]), "green", copies, tuple(reasons))
    return OpenAccess(reasons=tuple(reasons) or ("no source that was asked knows this work",))


def build_open_access_json(access: OpenAccess, title: str | None) -> Json | None:
    """Return the result as programs ask for it; None where no source could say."""
    if not access.state:
        return None
    locations = [
        {name: value for name, value in place.items() if value and name != "repository"}
        for place in access.locations
    ]
    return {
        "isOa": access.state != "closed",
        "oaStatus": access.state,
        "title": title,
        "bestLocation": locations[0] if locations else None,
        "locations": locations,
        "source": access.source,
    }


async def _ask_source(
    source: LiveSource, visit: SourceSession, doi: str, reasons: list[str]
) -> OpenAccess | None:
    """Return what one source says; None if it does not know the work or cannot answer."""
    title = source.profile.title
    if source.name == "unpaywall" and not source.wiring.contact:
        reasons.append("Unpaywall: set CITEPROOF_CONTACT to your e-mail address to ask it")
        return None
    try:
        base, contact = source.wiring.url, source.wiring.contact
        request = Request(source.name, build_url(base, quote_path(doi), email=contact))
        if source.name == "openalex":
            url = build_url(base, f"works/doi:{quote_segment(doi)}", select=_OPENALEX)
            request = Request(source.name, url, secret_headers=source.make_bearer())
        answer = await visit.get(request)
        if answer is None:
            reasons.append(f"{title} does not know the DOI {doi}")
            return None
        return _read_unpaywall(answer) if source.name == "unpaywall" else _read_openalex(answer)
    except CannotAnswerError as error:
        reasons.append(f"{title}: {error.detail}")
    except UnreadableError as error:
        reasons.append(f"{title}: its answer could not be read ({error})")
    return None


def _read_unpaywall(answer: Answer) -> OpenAccess:
    item = _read_object(answer)
    if not isinstance(item.get("is_oa"), bool):
        raise UnreadableError("no open-access state in the answer")
    places = [read_table(item.get("best_oa_location")), *read_rows(item.get("oa_locations"))]
    addresses = ("url_for_pdf", "url", "url_for_landing_page")
    state = read_text(item.get("oa_status"), _MAX_WORD).lower()
    return _make_result("unpaywall", item["is_oa"] is True, state, _list_locations(places, addresses))


def _read_openalex(answer: Answer) -> OpenAccess:
    item = _read_object(answer)
    stated = read_table(item.get("open_access"))
    if not isinstance(stated.get("is_oa"), bool):
        raise UnreadableError("no open-access state in the answer")
    free = [place for place in read_rows(item.get("locations")) if place.get("is_oa") is True]
    places = [read_table(item.get("best_oa_location")), *free]
    state = read_text(stated.get("oa_status"), _MAX_WORD).lower()
    locations = _list_locations(places, ("pdf_url", "landing_page_url"))
    return _make_result("openalex", stated["is_oa"] is True, _OPENALEX_STATES.get(state, state), locations)


def _make_result(source: str, is_open: bool, state: str, locations: tuple[Json, ...]) -> OpenAccess:
    if not is_open:
        return OpenAccess(source, "closed")
    hosts = {place["hostType"] for place in locations}
    guess = "green" if hosts == {"repository"} else "bronze"
    return OpenAccess(source, state if state in STATES - {"closed"} else guess, locations)


def _list_locations(places: Sequence[dict[str, object]], addresses: Sequence[str]) -> tuple[Json, ...]:
    """Return the free copies, each address once, with whose they are."""
    copies: dict[str, Json] = {}
    for place in places:
        urls = (read_text(place.get(name), _MAX_URL) for name in addresses)
        url = next((url for url in urls if url.startswith(("https://", "http://"))), "")
        if url and len(copies) < MAX_LOCATIONS:
            kind = read_text(read_table(place.get("source")).get("type"), _MAX_WORD)
            guess = "repository" if kind == "repository" else "publisher" if kind else ""
            host = read_text(place.get("host_type"), _MAX_WORD) or guess
            more = {name: read_text(place.get(name), _MAX_WORD) for name in ("license", "version")}
            copies.setdefault(url, {"url": url, "hostType": host, **more})
    return tuple(copies.values())


def _read_object(answer: Answer) -> dict[str, object]:
    value = answer.json()
    if not isinstance(value, dict):
        raise UnreadableError("not an object")
    return value
