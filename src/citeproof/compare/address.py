"""Addresses: a bare identifier at a host that resolves none.

Resolvers, publishers, libraries and mirrors serve such paths; hosts of everything (ResearchGate, Academia,
Wikipedia) have paths of their own. Where that is not known of a host, nothing is counted against it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from citeproof.vocabulary import Comparison, Ids, Outcome, Reason

_PARTS = re.compile(r"https?://(?:www\.)?([^/?#]{3,200})/([^#]{1,1000})", re.IGNORECASE)


# Hosts of everything that resolve no identifiers: such a path at one of them was never given out.
_ELSEWHERE = (
    "researchgate.net", "academia.edu", "semanticscholar.org", "scholar.archive.org", "scholar.google.com",
    "mendeley.com", "scribd.com", "medium.com", "github.com", "wikipedia.org", "linkedin.com", "youtube.com",
)  # fmt: skip
_PATHS = (
    (re.compile(r"(10\.\d{4,9}/.+)"), "https://doi.org/{}"),
    (
        re.compile(r"(?:abs|pdf)/(\d{4}\.\d{4,5}|[a-z-]{2,9}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?(?:\.pdf)?"),
        "https://arxiv.org/abs/{}",
    ),
    (
        re.compile(r"([A-Z]\d\d-\d{4}|\d{4}\.[a-z0-9_]+-[a-z0-9]+\.\d{1,4})(?:\.pdf)?/?"),
        "https://aclanthology.org/{}",
    ),
)


def compare_address(claimed: Ids) -> tuple[Comparison, ...]:
    """Return a difference for the first cited address whose host never gave it out."""
    for address in claimed.all("url"):
        if proper := _find_proper_address(address):
            return (Comparison("url", Outcome.DIFFERS, Reason.OTHER_HOST, address, proper, 0.0),)
    return ()


@lru_cache(maxsize=1024)
def _find_proper_address(address: str) -> str:
    """Return where an address should have led; empty if nothing is wrong with it."""
    parts = _PARTS.fullmatch(address)
    if parts is None:
        return ""
    host, path = parts[1].lower(), parts[2]
    if not host.endswith(_ELSEWHERE):
        return ""
    for pattern, proper in _PATHS:
        if match := pattern.fullmatch(path):
            return proper.format(match[1])
    return ""
