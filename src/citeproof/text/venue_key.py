"""Names of journals and publishers to the form under which equal names are equal.

make_venue_key("The Journal of X & Y (Online)")  ⇒ "journalofxy"
make_publisher_key("Academic Publications, Ltd.") ⇒ "academicpublications"
"""

from __future__ import annotations

from functools import cache, lru_cache

from citeproof.text import lazy_patterns as re
from citeproof.text.title import clean, make_title_key
from citeproof.text.unicode import strip_marks
from citeproof.text.venue_parts import load_tables

MAX_VENUE = 500  # characters read of a name
_LITTLE = re.compile(r"^the\s|\s(?:and|und|et|&(?:amp;)?|\\&)(?=\s)", re.IGNORECASE)
_MEDIUM = re.compile(r"\s{0,3}[\[(](?:online|print|internet|en ligne)[\])]\s{0,3}$", re.IGNORECASE)
_FORMS = frozenset(["ltd", "limited", "inc", "llc", "llp", "gmbh", "plc", "co", "corp"])
_LEGAL = re.compile(
    r"[\s,]{1,3}(?:ltd|limited|inc|llc|llp|gmbh|plc|pvt\.? ltd|private limited|co|corp)\.?\s{0,3}$",
    re.IGNORECASE,
)
MAX_NAME = 400  # characters read
MAX_PARTS = 10
_STEM = 5
_MIN_STEMS = 2  # words that a part of a name must have to be a name itself
_MIN_ACRONYM, _MAX_ACRONYM = 4, 10
_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"[,;:()\[\]=|@–—]|\s-{1,3}\s|--|(?<=[a-z]{4})\.\s(?=[A-Z])")
_ANY_EVENT = frozenset(("conference", "conferences", "meeting", "meetings", "joint"))
_SPELLINGS = {
    "w": ("workshop", "workshops", "ws"),
    "s": ("symposium", "symposia", "symp"),
    "j": ("journal", "j"),
    "t": ("transactions", "trans"),
}
_KINDS = {word: kind for kind, words in _SPELLINGS.items() for word in words}


def make_venue_key(name: str) -> str:
    """Return the name of a journal as letters and digits, without "the", "and" and "(Online)"."""
    name = name[:MAX_VENUE]
    if name.endswith((")", "]")):
        name = _MEDIUM.sub("", name)
    low = name.lower()
    if "&" in low or " and " in low or low.startswith("the ") or " und " in low or " et " in low:
        name = _LITTLE.sub("", name)
    return make_title_key(name)


def make_publisher_key(name: str) -> str:
    """Return the name of a publisher as letters and digits, without its legal form."""
    name = name[:MAX_VENUE]
    if name.rstrip(" .").rpartition(" ")[2].lower() in _FORMS:
        name = _LEGAL.sub("", name)
    return make_venue_key(name)


@cache
def _load_silent() -> frozenset[str]:
    """Return the words that say nothing about which venue it is."""
    words = load_tables()
    noise = words.stop | words.ordinal.keys() | words.date | words.sponsor | words.event_noise | _ANY_EVENT
    return noise - {"advances", "findings"}


@lru_cache(maxsize=4096)
def list_name_keys(name: str) -> tuple[str, ...]:
    """Return the keys of a name, that of the whole name first; none for a name without words."""
    text = strip_marks(clean(name[:MAX_NAME]))
    parts = [stems for part in _BREAK.split(text)[:MAX_PARTS] if (stems := _list_stems(part))]
    keys = [" ".join(stem for part in parts for stem in part)] if parts else []
    grown: list[str] = []
    for part in parts:
        grown += part
        telling = (words for words in (grown, part) if sum(len(stem) > 1 for stem in words) >= _MIN_STEMS)
        keys += map(" ".join, telling)
    return tuple(dict.fromkeys((*keys, *_list_acronyms(text))))


def _list_stems(part: str) -> list[str]:
    silent, words = _load_silent(), _WORD.findall(part.casefold())
    return [
        _KINDS.get(word) or word[:_STEM] for word in words if word not in silent and not word[0].isdigit()
    ]


def _list_acronyms(text: str) -> list[str]:
    """Return the acronyms in a name; none in a name in capitals."""
    words = [word.rstrip("0123456789") for word in _WORD.findall(text)]
    if text.isupper() and sum(word.isalpha() for word in words) > 1:
        return []
    return [
        f"^{word.casefold()}" for word in words if is_acronym(word) and word.casefold() not in _load_silent()
    ]


def is_acronym(word: str) -> bool:
    """Return whether a word is written as an acronym: "ICML", "NeurIPS"."""
    return _MIN_ACRONYM <= len(word) <= _MAX_ACRONYM and sum(letter.isupper() for letter in word) > 1
