"""A venue's name ⇒ the keys under which its spellings meet: beginnings of its telling words, and acronyms.

list_name_keys("Proceedings of the 3rd Int. Workshop on Trust Management, Crete (WTM 2005)")
    ⇒ "w trust manag cret", "w trust manag", …

Numbers, dates, sponsors and little words say nothing about which venue it is. Of a word five letters
count, so that "Preventative" and a slip in an ending still meet "Preventive". What is before a comma or a
bracket has a key of its own: places and dates follow it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from citeproof.text.journal_words import load_tables
from citeproof.text.title import clean
from citeproof.text.unicode import strip_marks

MAX_NAME = 400  # characters read
MAX_PARTS = 10
_STEM = 5
_MIN_STEMS = 2  # words that a part of a name must have to be a name itself
_MIN_ACRONYM, _MAX_ACRONYM = 4, 10
_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"[,;:()\[\]=|@–—]|\s-{1,3}\s|--|(?<=[a-z]{4})\.\s(?=[A-Z])")
_ANY_EVENT = frozenset(("conference", "conferences", "meeting", "meetings", "joint"))
_FORMS = {
    "workshop": "w",
    "workshops": "w",
    "ws": "w",
    "symposium": "s",
    "symposia": "s",
    "symp": "s",
    "journal": "j",
    "j": "j",
    "transactions": "t",
    "trans": "t",
}


@cache
def _load_silent() -> frozenset[str]:
    """Return the words that say nothing about which venue it is."""
    words = load_tables()
    noise = words.stop | words.ordinal | words.date | words.sponsor | words.event_noise | _ANY_EVENT
    return noise - {"advances", "findings"}


@lru_cache(maxsize=4096)
def list_name_keys(name: str) -> tuple[str, ...]:
    """Return the keys of a name, that of the whole name first; none for a name without words."""
    text = strip_marks(clean(name[:MAX_NAME]))
    parts = [stems for part in _BREAK.split(text)[:MAX_PARTS] if (stems := _list_stems(part))]
    found = [" ".join(stem for part in parts for stem in part)] if parts else []
    grown: list[str] = []
    for part in parts:
        grown += part
        found += [" ".join(words) for words in (grown, part) if _is_telling(words)]
    return tuple(dict.fromkeys((*found, *_list_acronyms(text))))


def _list_stems(part: str) -> list[str]:
    silent, words = _load_silent(), _WORD.findall(part.casefold())
    return [
        _FORMS.get(word) or word[:_STEM] for word in words if word not in silent and not word[0].isdigit()
    ]


def _is_telling(stems: list[str]) -> bool:
    return sum(len(stem) > 1 for stem in stems) >= _MIN_STEMS


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
