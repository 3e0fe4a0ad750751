"""The lists that are known: where each comes from, under which licence, and how it is cited."""

from __future__ import annotations

from dataclasses import dataclass

MOST_BYTES = 400_000_000  # of a list as its home sends it; Retraction Watch has 63 million


@dataclass(frozen=True, slots=True)
class ListHome:
    """One list and its home."""

    name: str  # also in `[urls]` and CITEPROOF_<NAME>_URL
    title: str
    url: str
    licence: str
    most_bytes: int = MOST_BYTES


RETRACTION_WATCH = ListHome(
    name="retraction_watch",
    title="Retraction Watch",
    url="https://gitlab.com/crossref/retraction-watch-data/-/raw/main/retraction_watch.csv",
    licence="CC BY 4.0; cite The Retraction Watch Database (Crossref)",
)
LISTS = {RETRACTION_WATCH.name: RETRACTION_WATCH}
