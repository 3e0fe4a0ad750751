"""What a source's answer holds of a work's text: its abstract, and where a free copy of it is.

Each source is asked by an identifier of the work, with a request of its own; an answer about another work
(a bad merge, a reused number) is noticed by its title and holds nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from citeproof.evidence.sources.base import CannotAnswerError, LiveSource, SourceClient, SourceSession
from citeproof.evidence.upstream_records import abstracts, arxiv, medline
from citeproof.evidence.upstream_records.json_fields import (
    list_titles,
    read_path,
    read_rows,
    read_table,
    read_text,
)
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.net.http_transport import MOVED, REDIRECTS
from citeproof.plumbing.net.message import (
    HTML,
    Answer,
    Request,
    UnreadableError,
    build_url,
    quote_path,
    quote_segment,
)
from citeproof.plumbing.net.response_rules import MAX_BYTES as MAX_ROBOTS
from citeproof.plumbing.net.response_rules import RobotsRules, read_robots
from citeproof.vocabulary import Cause

MAX_LINKS = 6
_OPENALEX = "id,doi,title,display_name,best_oa_location,locations,abstract_inverted_index"
_SCHOLAR = {"doi": "DOI", "arxiv": "ARXIV", "pmid": "PMID", "pmcid": "PMCID", "acl": "ACL"}
_GRAPH = "/graph/v1"
_ATOM = "{http://www.w3.org/2005/Atom}"


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """What one answer says of one work."""

    titles: tuple[str, ...]
    abstract: str = ""
    links: tuple[str, ...] = ()  # addresses of free copies, best first
    pmcid: str = ""  # where Europe PMC has its full text


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """How one source is asked: by which identifiers, with what request, and how its answer is read."""

    schemes: tuple[str, ...]
    build: Callable[[LiveSource, str, str], Request]
    read: Callable[[Answer], list[TextAnswer]]


def _build_batch_of_one(source: LiveSource, by: str, value: str) -> Request:
    return source.batch(by, [value])


def _read_europe_pmc(answer: Answer) -> list[TextAnswer]:
    return [
        TextAnswer(
            list_titles(item.get("title")),
            abstracts.read_europe_pmc_abstract(item),
            pmcid=read_text(item.get("pmcid"), 30) if item.get("isOpenAccess") == "Y" else "",
        )
        for item in read_rows(read_path(_read_object(answer), "resultList", "result"))
    ]


def _build_unpaywall(source: LiveSource, _: str, value: str) -> Request:
    if not source.wiring.contact:
        raise CannotAnswerError(
            Cause.NEEDS_KEY, "set CITEPROOF_CONTACT to your e-mail address to ask Unpaywall"
        )
    return Request(source.name, build_url(source.wiring.url, quote_path(value), email=source.wiring.contact))


def _read_unpaywall(answer: Answer) -> list[TextAnswer]:
    item = _read_object(answer)
    places = [read_table(item.get("best_oa_location")), *read_rows(item.get("oa_locations"))]
    wanted = ("url_for_pdf", "url", "url_for_landing_page")
    return [TextAnswer(list_titles(item.get("title")), links=_list_links(places, wanted))]


def _build_openalex(source: LiveSource, by: str, value: str) -> Request:
    url = build_url(source.wiring.url, f"works/{by}:{quote_segment(value)}", select=_OPENALEX)
    return Request(source.name, url, secret_headers=source.make_bearer())


def _read_openalex(answer: Answer) -> list[TextAnswer]:
    item = _read_object(answer)
    others = [
        one for one in read_rows(item.get("locations")) if one.get("is_oa") is True and one.get("pdf_url")
    ]
    places = [read_table(item.get("best_oa_location")), *others]
    titles = list_titles(item.get("title"), "", item.get("display_name"))
    links = _list_links(places, ("pdf_url", "landing_page_url"))
    return [TextAnswer(titles, abstracts.read_openalex_abstract(item), links)]


def _build_crossref(source: LiveSource, _: str, value: str) -> Request:
    mailto = source.wiring.contact or None
    return Request(source.name, build_url(source.wiring.url, f"works/{quote_segment(value)}", mailto=mailto))


def _read_crossref(answer: Answer) -> list[TextAnswer]:
    item = read_table(_read_object(answer).get("message"))
    titles = item.get("title")
    first = titles[0] if isinstance(titles, list) and titles else ""
    subtitles = item.get("subtitle")
    second = subtitles[0] if isinstance(subtitles, list) and subtitles else ""
    return [TextAnswer(list_titles(first, second), abstracts.read_crossref_abstract(item))]


def _build_semantic_scholar(source: LiveSource, by: str, value: str) -> Request:
    base = source.wiring.url.rstrip("/").removesuffix(_GRAPH)
    path = f"{_GRAPH}/paper/{quote(f'{_SCHOLAR[by]}:{value}', safe=':/')}"
    key = source.wiring.key
    headers = (("x-api-key", "", key),) if key else ()
    url = build_url(base, path, fields="title,abstract,openAccessPdf")
    return Request(source.name, url, secret_headers=headers)


def _read_semantic_scholar(answer: Answer) -> list[TextAnswer]:
    item = _read_object(answer)
    links = _list_links([read_table(item.get("openAccessPdf"))], ("url",))
    return [TextAnswer(list_titles(item.get("title")), abstracts.read_semantic_scholar_abstract(item), links)]


def _read_pubmed(answer: Answer) -> list[TextAnswer]:
    articles = answer.xml().iterfind("PubmedArticle")
    found = [(medline.make_record(one), abstracts.read_medline_abstract(one)) for one in articles]
    return [TextAnswer(record.titles, abstract) for record, abstract in found if record]


def _read_arxiv(answer: Answer) -> list[TextAnswer]:
    entries = answer.xml().iterfind(f"{_ATOM}entry")
    found = [(arxiv.make_record(one), abstracts.read_arxiv_summary(one)) for one in entries]
    return [TextAnswer(record.titles, abstract) for record, abstract in found if record]


def _build_datacite(source: LiveSource, _: str, value: str) -> Request:
    return Request(source.name, build_url(source.wiring.url, f"dois/{quote_path(value)}"))


def _read_datacite(answer: Answer) -> list[TextAnswer]:
    item = read_table(_read_object(answer).get("data"))
    titles = [one.get("title") for one in read_rows(read_path(item, "attributes", "titles"))]
    return [TextAnswer(list_titles("", "", *titles), abstracts.read_datacite_abstract(item))]


def _read_object(answer: Answer) -> dict[str, object]:
    found = answer.json()
    if not isinstance(found, dict):
        raise UnreadableError("not a JSON object")
    return found


def _list_links(places: Iterable[Mapping[str, object]], names: Iterable[str]) -> tuple[str, ...]:
    stated = (place.get(name) for place in places for name in names)
    links = (link for link in stated if isinstance(link, str) and link.startswith(("http://", "https://")))
    return tuple(dict.fromkeys(link[:2000] for link in links))[:MAX_LINKS]


# In the order in which they are asked: first those that lead to full texts.
TEXT_QUESTIONS: Mapping[str, TextQuestion] = {
    "europe_pmc": TextQuestion(("pmcid", "pmid", "doi"), _build_batch_of_one, _read_europe_pmc),
    "unpaywall": TextQuestion(("doi",), _build_unpaywall, _read_unpaywall),
    "openalex": TextQuestion(("doi", "pmid", "pmcid"), _build_openalex, _read_openalex),
    "crossref": TextQuestion(("doi",), _build_crossref, _read_crossref),
    "pubmed": TextQuestion(("pmid",), _build_batch_of_one, _read_pubmed),
    "arxiv": TextQuestion(("arxiv",), _build_batch_of_one, _read_arxiv),
    "semantic_scholar": TextQuestion(tuple(_SCHOLAR), _build_semantic_scholar, _read_semantic_scholar),
    "datacite": TextQuestion(("doi",), _build_datacite, _read_datacite),
}


SOURCE = "open_text"  # as `--explain-network` names these requests
AGENT = "citeproof"  # as robots.txt names us
MAX_DOCUMENT = 30_000_000  # bytes
SECONDS = 30.0  # for one document
MAX_DELAY = 30.0  # seconds between two requests that a site may ask for; with more it is left alone
PDF = "application/pdf"
_ACCEPT = (PDF, *HTML, "application/xml", "text/xml", "+xml", "application/octet-stream")
_GONE = frozenset((404, 410))
_NO_RULES = frozenset(code for code in range(400, 500) if code not in (408, 425, 429))  # RFC 9309, 2.3.1.3


class TextRefusedError(Exception):
    """A document that could not be had; the message says why."""


class TextDownloader:
    """Fetches documents, and keeps the rules of the sites that it met."""

    def __init__(self, client: SourceClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._rules: dict[str, asyncio.Task[RobotsRules | str]] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._last: dict[str, float] = {}

    async def fetch(self, address: str, visit: SourceSession, *, source: str = "") -> Answer:
        """Return the document at an address; raise `TextRefusedError` if it may not or cannot be read.

        `source`: the configured source whose own server it is; without it, only public servers are reached.
        """
        for _ in range(REDIRECTS + 1):
            await self._wait_for_turn(address, visit, source)
            request = Request(
                source or SOURCE,
                address,
                accept=_ACCEPT,
                absent=_GONE | frozenset(MOVED),
                free=not source,
                follow=False,
                max_body=MAX_DOCUMENT,
                recorded=False,
                timeout=SECONDS,
            )
            answer = await _fetch_answer(visit, request)
            if not answer.absent:
                self._client.keep(request, answer, found=True, notice=False)
                return answer
            led = answer.headers.get("location", "") if answer.status in MOVED else ""
            if not led:
                raise TextRefusedError(f"{_name_host(address)} answered {answer.status}")
            onward = urljoin(address, led)
            source = source if urlsplit(onward).netloc == urlsplit(address).netloc else ""
            address = onward
        raise TextRefusedError(f"{_name_host(address)}: more than {REDIRECTS} redirects")

    async def _wait_for_turn(self, address: str, visit: SourceSession, source: str) -> None:
        """Wait as long as the site asks for; raise if it does not let programs read the address."""
        parts = urlsplit(address)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._rules:
            self._rules[origin] = asyncio.ensure_future(self._read_rules(origin, visit, source))
        rules = await asyncio.shield(self._rules[origin])
        if isinstance(rules, str):
            raise TextRefusedError(f"{_name_host(address)}: {rules}")
        if not rules.allows(address):
            raise TextRefusedError(f"{_name_host(address)} does not allow programs to read it (robots.txt)")
        if rules.delay > MAX_DELAY:
            asked = f"asks for {rules.delay:g} s between two requests (robots.txt)"
            raise TextRefusedError(f"{_name_host(address)} {asked}")
        if rules.delay:
            await self._pause(origin, rules.delay)

    async def _pause(self, origin: str, delay: float) -> None:
        async with self._turns.setdefault(origin, asyncio.Lock()):
            since = self._clock.elapsed() - self._last.get(origin, -delay)
            await asyncio.sleep(max(0.0, delay - since))
            self._last[origin] = self._clock.elapsed()

    async def _read_rules(self, origin: str, visit: SourceSession, source: str) -> RobotsRules | str:
        """Return the rules of a site, or why they are not known: then nothing there may be read."""
        request = Request(
            source or SOURCE,
            f"{origin}/robots.txt",
            accept=("text/plain", *HTML, "*/*"),
            absent=_NO_RULES,
            free=not source,
            max_body=MAX_ROBOTS,
            recorded=False,
        )
        try:
            answer = await _fetch_answer(visit, request)
        except TextRefusedError as error:
            return f"its robots.txt could not be read ({error})"
        self._client.keep(request, answer, found=False, notice=False)
        return RobotsRules() if answer.absent else read_robots(answer.body, AGENT)


async def _fetch_answer(visit: SourceSession, request: Request) -> Answer:
    """Return the answer whatever its status says; raise `TextRefusedError` when there is none."""
    try:
        answer = await visit.get(request) or visit.last
    except CannotAnswerError as error:
        raise TextRefusedError(f"{_name_host(request.url)}: {error.detail}") from error
    assert answer is not None  # `get` gave one, or its status said "no such thing"
    return answer


def _name_host(address: str) -> str:
    return urlsplit(address).netloc[:100]
