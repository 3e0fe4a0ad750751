"""The lists that are known, one file for each publisher: home, licence, limit of age, and how it is read.

This folder is the registry.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from citeproof.errors import UsageError
from citeproof.evidence.index.lists.homes import ltwa, retraction_watch
from citeproof.evidence.index.lists.list_home import ListHome

(RETRACTION_WATCH,), (LTWA,) = retraction_watch.LISTS, ltwa.LISTS


def _load_homes() -> dict[str, ListHome]:
    """Return every list by its name, those that each run asks first."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    loaded: list[ListHome] = [home for module in modules for home in module.LISTS]
    return {home.name: home for home in sorted(loaded, key=lambda home: (home.optional, home.name))}


LISTS = _load_homes()


def get_list(name: str) -> ListHome:
    """Return the list of that name; UsageError if there is none."""
    if name not in LISTS:
        raise UsageError("no list has this name", place=name, hint=f"known lists: {', '.join(LISTS)}")
    return LISTS[name]
