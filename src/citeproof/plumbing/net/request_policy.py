"""How a source is asked, what was sent to it, and which sources are waited for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from citeproof.plumbing.net.message import Rate


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """How one source is asked. Sources of one `group` share their limits."""

    rate: Rate
    group: str
    lanes: Mapping[str, Rate] = field(default_factory=dict)
    budget: str = ""  # "USD" or "requests", when the source has one
    title: str = ""
    typical: float = 1.0  # seconds it takes to answer, until it is measured
    pace: float = 1.0  # how many times faster than it states a server of the user's own may be asked


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One request that left the machine, as `--explain-network` lists it."""

    source: str
    method: str
    url: str
    sent_bytes: int
    outcome: str  # the status, or why there was none
    seconds: float
    body: str = ""  # what was sent next to the address, without keys; bounded


class WaitingSources:
    """Counts the requests under way by source, for those who watch a run; another thread may read it."""

    def __init__(self) -> None:
        self._requests: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}

    @contextmanager
    def wait_for(self, source: str) -> Iterator[None]:
        """Count a request to `source` as under way inside the block."""
        self._requests[source] += 1
        try:
            yield
        finally:
            self._requests[source] -= 1

    def tell_reason(self, source: str, reason: str) -> None:
        """Note what the newest request to `source` waits for; nothing: its answer."""
        self._reasons[source] = reason

    def list_reasons(self) -> dict[str, str]:
        """Return the sources that are waited for, each with the reason."""
        waited = [source for source, count in tuple(self._requests.items()) if count > 0]
        return {source: self._reasons.get(source, "") for source in waited}
