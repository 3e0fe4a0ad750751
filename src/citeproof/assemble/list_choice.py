"""Which lists a run asks, and where they are."""

from __future__ import annotations

from citeproof.index.lists.list_catalogue import RETRACTION_WATCH
from citeproof.index.lists.list_store import InstalledList, get_store
from citeproof.settings import Settings


def choose_lists(settings: Settings) -> tuple[InstalledList, ...]:
    """Return the lists to ask, unopened."""
    days = settings.retraction_list_days
    return (InstalledList(get_store(settings.cache_dir), RETRACTION_WATCH.name, days),)
