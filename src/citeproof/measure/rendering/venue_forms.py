"""Venues as styles write them: in full, abbreviated, abbreviated without dots."""

from __future__ import annotations

from functools import lru_cache

from citeproof.text.package_tables import load_package_table


def format_venue(name: str, habit: str) -> str:
    """Return a venue by habit "full", "short" or "nodots"; a name that is not in `venues.toml` as it is."""
    found = _load_venue_names().get(_normalise_venue(name))
    if not found:
        return name
    full, short = found
    return {"full": full, "short": short, "nodots": short.replace(".", "")}.get(habit, name)


@lru_cache(maxsize=1)
def _load_venue_names() -> dict[str, tuple[str, str]]:
    table = load_package_table(__package__, "venues.toml")
    found = {}
    for rows in table.values():
        for full, short in rows.items():
            found[_normalise_venue(full)] = found[_normalise_venue(short)] = (full, short)
    return found


def _normalise_venue(name: str) -> str:
    return " ".join(name.casefold().replace(".", " ").replace("&", "and").split())
