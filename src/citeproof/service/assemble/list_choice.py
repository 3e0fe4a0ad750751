"""Which lists a run asks, and where they are: installed, or in a pinned set."""

from __future__ import annotations

from pathlib import Path

from citeproof.errors import UsageError
from citeproof.evidence.index.lists.homes import LISTS, RETRACTION_WATCH
from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_store import InstalledList, get_store
from citeproof.evidence.index.lists.pinned_lists import PinnedLists, open_pin
from citeproof.settings import Settings
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Override
from citeproof.vocabulary.quick_dataclass import dataclass

_SUBJECTS = {ListForm.NOTICES: "works", ListForm.VENUES: "venues"}
_DIGEST = re.compile(r"@(?:sha256:)?([0-9a-f]{64})$")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class ChosenLists:
    """The lists of a run, unopened, and the pinned set that they are from."""

    lists: tuple[InstalledList, ...]
    pin: str = ""  # its SHA-256
    overrides: tuple[Override, ...] = ()  # so that every report names the set


def choose_lists(settings: Settings) -> tuple[InstalledList, ...]:
    """Return the lists to ask, unopened: those of works, and of venues what is installed."""
    return choose_list_set(settings).lists


def choose_list_set(settings: Settings) -> ChosenLists:
    """Return the lists to ask; InputError if a pinned set is named that cannot be used."""
    pinned = open_named_pin(settings, settings.lists_pin) if settings.lists_pin else None
    store = pinned or get_store(settings.cache_dir)
    has_list = store.open_list if isinstance(store, PinnedLists) else store.has_list
    lists = tuple(
        InstalledList(
            store, home.name, get_age_limit(settings, home), _SUBJECTS[home.form], pinned=pinned is not None
        )
        for home in LISTS.values()
        if home.form in _SUBJECTS and (not home.optional or has_list(home.name))
    )
    if pinned is None:
        return ChosenLists(lists)
    value = f"{pinned.manifest.day or 'no date'} sha256:{pinned.digest}"
    override = Override("lists_pin", value, "the installed lists", settings.origin("lists_pin"))
    return ChosenLists(lists, pinned.digest, (override,))


def open_named_pin(settings: Settings, named: str) -> PinnedLists:
    path, expected = locate_pin(settings, named)
    return open_pin(path, expected)


def locate_pin(settings: Settings, named: str) -> tuple[Path, str]:
    """Return the file of a pinned set, and the digest it must have ("FILE@sha256:…"); empty: any."""
    digest = _DIGEST.search(named)
    bare, expected = (named[: digest.start()], digest[1]) if digest else (named, "")
    if "/" in bare or "\\" in bare or bare.endswith(".pin"):
        return Path(bare).expanduser(), expected
    if not _NAME.fullmatch(bare):
        hint = "name a file that ends in .pin, or use letters, digits, dots, dashes and underscores"
        raise UsageError(f"{bare[:100]!r} is not a name of a pinned set", place="lists_pin", hint=hint)
    return get_store(settings.cache_dir).pins / f"{bare}.pin", expected


def get_age_limit(settings: Settings, home: ListHome) -> int:
    """Return after how many days the silence of a list says nothing; 0: never."""
    return settings.retraction_list_days if home.name == RETRACTION_WATCH.name else home.days
