"""# Web search

The last resort for works that no registry holds: grey literature, blog posts, lecture notes, software pages.
It is never asked unless named in `--sources`, and last, unless `--route web-first` is given.

**Covers** nothing: that a search engine finds a work shows that it exists; that it finds none shows nothing.

**How it works:** the title and the first author's family name go to a search engine as plain words. The
first five results are fetched, and each page becomes a candidate from what it says about itself:
`citation_*` tags, JSON-LD, Dublin Core, Open Graph, then its title and byline. The engine's snippets are
never evidence. Records bear the mark `web`; what a page claims never outranks a registry. A page that
cannot be read costs only itself; if none of them can be, the answer is "could not check".

**Engines:**

- [SearXNG](https://docs.searxng.org), run by yourself: set `CITEPROOF_SEARXNG_URL`. Its `settings.yml` must
  list `json` under `search: formats:`, else it answers 403. When all engines behind it fail it answers 200
  with no results and names them in `unresponsive_engines`: that is "could not check", not "none found".
- [Brave Search](https://api-dashboard.search.brave.com), with a key: set `CITEPROOF_WEB_KEY`. Requests cost
  money beyond a monthly credit. A wrong key is answered with status 422, too many requests with 429.

- The search tool of a language model's provider: `--llm anthropic:MODEL --llm-search`. One search for each
  title; only the addresses that it finds are used. What it may cost at most (its fee of $10 for 1,000
  searches, and the tokens of what it reads) is reserved under `--llm-max-dollars` before it is asked.

With several, the tool that was asked for is used, else SearXNG. **The operator of the engine sees the titles
you check.**

**Limits:** one search a second; one request a second to any one host. Only public addresses are fetched.
Google Scholar has no API and forbids automation, PubPeer does not want to be read by programs: neither is
ever fetched, also not where a search or a redirect leads there.

**Author lists** come from the pages: a byline counts as cut. **Identifiers:** whatever the page states, and
its address. **Licence:** the engines' terms apply to their results; only the pages' own facts are stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import msgspec
from rapidfuzz import fuzz

from citeproof.evidence.sources import _field_hints, _page_metadata
from citeproof.evidence.sources.base import (
    CannotAnswerError,
    KeyNeed,
    LiveSource,
    SourceProfile,
    SourceSession,
)
from citeproof.evidence.upstream_records.json_fields import make_query_words, read_rows, read_table
from citeproof.plumbing.net.message import Answer, Rate, Request, Secret, UnreadableError, build_url
from citeproof.text import url
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Cause, Question, Record
from citeproof.vocabulary.quick_dataclass import dataclass

if TYPE_CHECKING:
    from citeproof.judgement.models.search_tool import SearchTool

PAGES = 5
MAX_QUERY = 300  # characters; Brave takes 400
MAX_WORDS = 40  # Brave takes 50
LANE = "search"
ROWS = 10  # results asked for; some of them will not be read
BRAVE = "https://api.search.brave.com"


@dataclass(frozen=True, slots=True)
class SearXNG:
    """A SearXNG instance whose settings allow the format `json`."""

    base: str

    def request(self, source: str, words: str) -> Request:
        return Request(source, build_url(self.base, "search", q=words, format="json"), lane=LANE)

    def addresses(self, answer: Answer) -> Sequence[str]:
        """Return the results; with none, the engines behind SearXNG must have answered at least."""
        said = read_table(answer.json())
        if not isinstance(said.get("results"), list):
            raise UnreadableError("SearXNG's answer has no results")
        silent = said.get("unresponsive_engines")
        if not said["results"] and silent:
            raise CannotAnswerError(
                Cause.TIMEOUT, f"the engines behind SearXNG did not answer: {silent}"[:200]
            )
        return _read_urls(said["results"])


@dataclass(frozen=True, slots=True)
class Brave:
    """Brave Search with a key."""

    base: str
    key: Secret

    def request(self, source: str, words: str) -> Request:
        asked = build_url(self.base, "res/v1/web/search", q=words, count=ROWS, result_filter="web")
        secret = (("X-Subscription-Token", "", self.key),)
        return Request(source, asked, secret_headers=secret, lane=LANE, absent=frozenset())

    def addresses(self, answer: Answer) -> Sequence[str]:
        """Return the results; where there are none, Brave leaves `web` out."""
        said = read_table(answer.json())
        if said.get("type") != "search" or not isinstance(said.get("query"), dict):
            raise UnreadableError("Brave's answer is no search result")
        return _read_urls(read_table(said.get("web")).get("results"))


def _read_urls(results: object) -> list[str]:
    """Return the well-formed addresses of the results; results without any are no results."""
    given = results if isinstance(results, list) else []
    texts = [address for row in read_rows(given) if isinstance(address := row.get("url"), str)]
    addresses = [normal for text in texts if (normal := url.normalise(text))]
    if given and not addresses:
        raise UnreadableError("none of the results has an address")
    return addresses


@dataclass(frozen=True, slots=True)
class ToolSearch:
    """Anthropic's search tool."""

    tool: SearchTool

    def request(self, source: str, words: str) -> Request:
        return self.tool.build_request(source, LANE, words)

    def addresses(self, answer: Answer) -> Sequence[str]:
        """Return the results; what the model says about them is not read."""
        from citeproof.judgement.models.search_tool import SearchError, read_search_addresses  # noqa: PLC0415 - only with a model

        try:
            addresses = read_search_addresses(answer.body)
        except SearchError as error:
            raise CannotAnswerError(error.cause, str(error)) from error
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise UnreadableError(f"not an answer of the search tool: {error}"[:200]) from error
        return [normal for address in addresses if (normal := url.normalise(address))]

    async def search(self, wanted: Request, visit: SourceSession, *, kept: bool) -> Answer | None:
        """Return the answer, paid for under the ceiling of the run; a stored one costs nothing."""
        if kept or visit.only_kept:
            return await visit.get(wanted)
        reserved = self.tool.reserve_cost(wanted)
        if isinstance(reserved, str):
            raise CannotAnswerError(Cause.OVER_BUDGET, reserved)
        try:
            return await visit.get(wanted)
        finally:
            self.tool.settle_cost(reserved, visit.last_outcome)


class Web(LiveSource):
    """Pages that a web search finds."""

    answers: ClassVar[frozenset[str]] = frozenset(("title",))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="web search",
        url=BRAVE,
        rate=Rate(10, 1.0, at_once=5),
        probe=("title", "Attention is all you need"),
        key=KeyNeed.OPTIONAL,
        lanes={LANE: Rate(1, 1.0, at_once=1)},
        further={"searxng": "", "brave": BRAVE},
        typical=4.0,
        search_order=9,
        pages=PAGES,
        by_default=False,
    )

    def suits(self, question: Question) -> bool:
        """Return whether there is a title to search for; one word finds everything and nothing."""
        return " " in question.value.strip()

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        """Return a candidate for each of the first pages that could be read, most like the title first."""
        provider = self._provider()
        family = _field_hints.get_first_family(question.reference.claimed)
        words = f"{make_query_words(question.value, MAX_QUERY)} {family}".split()
        wanted = provider.request(self.name, " ".join(words[:MAX_WORDS]))
        if isinstance(provider, ToolSearch):
            answer = await provider.search(wanted, visit, kept=self.net.get_cached(wanted) is not None)
        else:
            answer = await visit.get(wanted)
        if answer is None:
            raise UnreadableError("the search engine is not there")
        results = dict.fromkeys(provider.addresses(answer))
        addresses = [address for address in results if not _page_metadata.is_denied(address)][:PAGES]
        outcomes = await asyncio.gather(*(self._page(address, visit) for address in addresses))
        records = [outcome for outcome in outcomes if isinstance(outcome, Record)]
        failures = [outcome for outcome in outcomes if isinstance(outcome, CannotAnswerError)]
        if failures and not records:
            raise failures[0]
        asked = make_title_key(question.value)
        return sorted(
            records, key=lambda r: -max(fuzz.ratio(asked, make_title_key(title)) for title in r.titles)
        )

    def _provider(self) -> SearXNG | Brave | ToolSearch:
        """Return the search engine that was set up."""
        if self.wiring.search_tool is not None:
            return ToolSearch(self.wiring.search_tool)
        if searxng := self.wiring.urls.get("searxng"):
            return SearXNG(searxng)
        if self.wiring.key is not None:
            return Brave(self.wiring.urls.get("brave") or self.wiring.url, self.wiring.key)
        raise CannotAnswerError(
            Cause.NEEDS_KEY, "set CITEPROOF_SEARXNG_URL, or CITEPROOF_WEB_KEY to a key of Brave Search"
        )

    async def _page(self, address: str, visit: SourceSession) -> Record | CannotAnswerError | None:
        """Return what one result's page says, why it could not be read, or None when it is gone."""
        try:
            answer = await visit.get(_page_metadata.build_page_request(self.name, address))
            return _page_metadata.read_page(answer) if answer else None
        except _page_metadata.PageGoneError:
            return None
        except CannotAnswerError as error:
            return error
        except UnreadableError as error:
            return CannotAnswerError(Cause.MALFORMED, str(error))
