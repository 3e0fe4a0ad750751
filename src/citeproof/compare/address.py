"""Addresses: an identifier at a host that does not know it.

A DOI at the root of an address is served by resolvers alone (publishers put it behind a path of their
own), `abs/` and `pdf/` before an arXiv number by arXiv and its mirrors, a bare Anthology number by the
Anthology. The same path at another host leads nowhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from citeproof.vocabulary import Comparison, Ids, Outcome

_PARTS = re.compile(r"https?://(?:www\.)?([^/?#]{3,200})/([^#]{1,1000})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Served:
    """A form of path, the hosts that serve it (a part of their name is enough), where it belongs."""

    path: re.Pattern[str]
    hosts: tuple[str, ...]
    proper: str


_SERVED = (
    _Served(re.compile(r"(10\.\d{4,9}/.+)"), ("doi", "handle.net", "hub", "resolv", "proxy"), "https://doi.org/{}"),
    _Served(
        re.compile(r"(?:abs|pdf)/(\d{4}\.\d{4,5}|[a-z-]{2,9}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?(?:\.pdf)?"),
        ("arxiv", "ar5iv", "lanl.gov", "alphaxiv", "proxy"),
        "https://arxiv.org/abs/{}",
    ),
    _Served(
        re.compile(r"([A-Z]\d\d-\d{4}|\d{4}\.[a-z0-9_]+-[a-z0-9]+\.\d{1,4})(?:\.pdf)?/?"),
        ("aclanthology", "aclweb"),
        "https://aclanthology.org/{}",
    ),
    _Served(re.compile(r"forum\?id=([\w-]{6,20})"), ("openreview",), "https://openreview.net/forum?id={}"),
)  # fmt: skip


# Hosts of everything, and how their addresses of papers begin.
_SHAPED = {
    "researchgate.net": re.compile(r"(?:publication|profile|figure|lab|project|scientific|file)\b"),
    "semanticscholar.org": re.compile(r"(?:paper|author|reader|venue|search|topic|p|arxiv|graph)\b|CorpusID"),
    "scholar.archive.org": re.compile(r"(?:work|search|fatcat)\b"),
}


def compare_address(claimed: Ids) -> tuple[Comparison, ...]:
    """Return a difference for the first cited address whose host does not serve its path."""
    for address in claimed.all("url"):
        if proper := _proper(address):
            return (Comparison("url", Outcome.DIFFERS, "other_host", address, proper, 0.0),)
    return ()


@lru_cache(maxsize=1024)
def _proper(address: str) -> str:
    """Return where an address should have led; empty if nothing is wrong with it."""
    parts = _PARTS.fullmatch(address)
    if parts is None:
        return ""
    host, path = parts[1].lower(), parts[2]
    for served in _SERVED:
        if match := served.path.fullmatch(path):
            return "" if any(known in host for known in served.hosts) else served.proper.format(match[1])
    shape = _SHAPED.get(host)
    return "" if shape is None or shape.match(path) else f"https://{host}/…"
