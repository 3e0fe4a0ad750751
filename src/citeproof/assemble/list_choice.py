"""Which lists a run asks, and where they are."""

from __future__ import annotations

from citeproof.index.lists.list_catalogue import LISTS, RETRACTION_WATCH
from citeproof.index.lists.list_home import ListForm, ListHome
from citeproof.index.lists.list_store import InstalledList, get_store
from citeproof.settings import Settings

_SUBJECTS = {ListForm.NOTICES: "works", ListForm.VENUES: "venues"}


def choose_lists(settings: Settings) -> tuple[InstalledList, ...]:
    """Return the lists to ask, unopened: those of works, and of venues what is installed."""
    store = get_store(settings.cache_dir)
    asked = [home for home in LISTS.values() if home.form in _SUBJECTS]
    return tuple(
        InstalledList(store, home.name, get_age_limit(settings, home), _SUBJECTS[home.form])
        for home in asked
        if not home.optional or store.has_list(home.name)
    )


def get_age_limit(settings: Settings, home: ListHome) -> int:
    """Return after how many days the silence of a list says nothing; 0: never."""
    return settings.retraction_list_days if home.name == RETRACTION_WATCH.name else home.days
