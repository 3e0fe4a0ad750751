"""The search tool of a language model's provider as a search engine: each search is paid for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from citeproof.models.search_tool import SearchError, SearchTool, read_search_addresses
from citeproof.net.message import Answer, Request, UnreadableError
from citeproof.sources._search_engines import LANE
from citeproof.sources._source_session import CannotAnswerError, SourceSession
from citeproof.text import url
from citeproof.vocabulary import Cause


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
