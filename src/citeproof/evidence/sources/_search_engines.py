"""Search engines for the web: each turns words into one request, and its answer into addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import msgspec

from citeproof.evidence.sources._source_session import CannotAnswerError, SourceSession
from citeproof.evidence.upstream_records.json_fields import read_rows, read_table
from citeproof.judgement.models.search_tool import SearchError, SearchTool, read_search_addresses
from citeproof.plumbing.net.message import Answer, Request, Secret, UnreadableError, build_url
from citeproof.text import url
from citeproof.vocabulary import Cause

LANE = "search"
ROWS = 10  # results asked for; some of them will not be read


class SearchEngine(Protocol):
    """One search engine."""

    def request(self, source: str, words: str) -> Request: ...

    def addresses(self, answer: Answer) -> Sequence[str]:
        """Return the addresses of the results, best first; () when the engine surely found none."""


@runtime_checkable
class PaidSearchEngine(SearchEngine, Protocol):
    """One whose searches cost money: each is reserved before it is sent."""

    async def search(self, wanted: Request, visit: SourceSession, *, kept: bool) -> Answer | None:
        """Return the answer; `kept`: it is stored and costs nothing."""


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
