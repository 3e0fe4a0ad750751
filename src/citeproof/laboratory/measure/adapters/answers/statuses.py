"""Reports of other checkers, as far as their words are known: rows with a key and a `status`.

Keys: `key`, `bibtex_key`, `id` or `citation_key`. What each word says of a citation is in `statuses.toml`:
flagged, real, or could not tell. Every reported discrepancy flags the entry, as HALLMARK counts it.
"""

from __future__ import annotations

from functools import lru_cache

from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_share, get_text
from citeproof.laboratory.measure.benchmark_rows import SystemAnswer
from citeproof.text.package_tables import load_package_table

NAME = "statuses"
KEYS = ("key", "bibtex_key", "citation_key", "id")
STATUSES = ("status", "verdict", "result")


def recognises(loaded: LoadedRows) -> bool:
    return any(loaded.has(name) for name in KEYS) and any(loaded.has(name) for name in STATUSES)


def read_answer(row: RowOf, at: int) -> SystemAnswer | str | None:  # noqa: ARG001 - the shape of all adapters
    key, status = get_text(row, *KEYS), get_text(row, *STATUSES).lower().replace(" ", "_").replace("-", "_")
    if not key:
        return "has no key"
    if status not in load_statuses():
        return f"status is {status[:40]!r}, which is not in the table"
    return SystemAnswer(
        key=key, flagged=load_statuses()[status], verdict=status, confidence=get_share(row, "confidence")
    )


@lru_cache(maxsize=1)
def load_statuses() -> dict[str, bool | None]:
    """Return what each known status says: True flagged, False real, None could not tell."""
    table = load_package_table(__package__, "statuses.toml")
    meant: dict[str, bool | None] = dict.fromkeys(table["flagged"], True)
    return meant | dict.fromkeys(table["real"], False) | dict.fromkeys(table["unsure"], None)
