"""How a source is asked, and what was sent to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from citeproof.net.message import Rate


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """How one source is asked. Sources of one `group` share their limits."""

    rate: Rate
    group: str
    lanes: Mapping[str, Rate] = field(default_factory=dict)
    budget: str = ""  # "USD" or "requests", when the source has one
    title: str = ""
    typical: float = 1.0  # seconds it takes to answer, until experience tells
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
