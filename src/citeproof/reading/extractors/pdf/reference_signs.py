"""Signs that a line begins a reference, or that a text is one; cheap enough for every line."""

from __future__ import annotations

from functools import lru_cache

from citeproof.text import lazy_patterns as re
from citeproof.text.dates import MODERN_YEAR
from citeproof.text.package_tables import load_package_table

_TABLE: dict[str, list[str]] = load_package_table("citeproof.reading.extractors.pdf", "signs.toml")
WORDS = {name: "|".join(patterns) for name, patterns in _TABLE.items()}

_UP = r"[^\W\d_a-zà-öø-ÿ]"  # an upper-case letter, or one of a script without case
_NAME = rf"{_UP}[\w'’‐-]{{1,30}}"
_PARTICLE = rf"(?:(?:{WORDS['particle']})[ -]?){{0,3}}"
_INITIALS = rf"{_UP}{{1,2}}\.(?:[ -]?{_UP}{{1,2}}\.){{0,3}}"
_PERSON = (
    rf"(?:(?:{_UP}\. ?){{1,3}}{_PARTICLE}{_NAME}|{_NAME}(?: {_UP}\.){{0,2}}(?: {_PARTICLE}{_NAME}){{1,2}})"
)
AUTHOR_START = re.compile(
    rf"(?:{_PARTICLE}(?:{_NAME}[ -]){{0,2}}{_NAME}, ?(?:{_INITIALS}|{_NAME})"  # Doe, J. / Doe, Jane
    rf"|{_INITIALS} ?{_PARTICLE}{_NAME}"  # J. Doe
    rf"|{_PARTICLE}{_NAME}(?:[ -]{_NAME})? {_UP}{{1,3}}[,.:;]"  # Doe J,
    rf"|{_NAME}(?: {_UP}\.?)?(?: {_PARTICLE}{_NAME}){{1,2}}(?:,| and | und | et | & |\. {MODERN_YEAR})"
    rf"|{_NAME}(?: {_UP}\.?){{0,2}}(?: {_PARTICLE}{_NAME}){{1,3}}(?:\. {_UP}| et al| u\. ?a\.|[,:.]? [“„\"«])"
    rf"|{_PERSON}(?:/{_PERSON}){{0,5}}(?: u\. ?a\.)?[:/]"  # Max Weber: / Ulrich Beck/Scott Lash:
    rf"|{_PARTICLE}{_NAME}(?:[ -]{_NAME}){{0,2}},? \({MODERN_YEAR}"  # Doe (2001)
    r"|[—–_-]{2,8}[.,:; (]|———|[–—][., (]"  # the author of the entry above
    r"|(?:Ders|Dies)\.[,:;/ ]|(?:Idem|Eadem)[.,:]"
    rf"|{_NAME}(?: {_NAME}){{0,5}} ?[(,.:] ?\(?{MODERN_YEAR}"  # World Bank (2001), Doe 2001
    rf"|{_NAME}(?:/{_NAME}){{1,4}}[ ,:(]"  # Beck/Giddens/Lash
    r"|[\u4e00-\u9fff\uac00-\ud7af]{2,4}[,，、.．])"
)  # fmt: skip
YEAR = re.compile(r"(?<![\d/.-])(?:1[5-9]\d\d|20[0-4]\d)[a-z]?(?![\d/])")
_SIGNS = tuple(map(re.compile, _TABLE["signs"]))
_OPEN = re.compile(rf"(?:^|[\s.,(])(?:{_UP}|{WORDS['open']})\.$")
_NAMED = re.compile(r"[^.:;]{2,80}: [^\W\d_a-z]|" + AUTHOR_START.pattern)  # a body or a person, then a title
_MANY = 25  # words; an undated reference has fewer, an annotation more
_LONG = 700  # characters: what is longer and does not begin with names is a paragraph
_LEADERS = re.compile(r"(?:[.·…] ?){6}")  # of a table of contents
_WORD = re.compile(r"\w+")
# Whole words are looked up in a set: a pattern of a hundred words costs more than all the rest here.
_LANGUAGES = tuple(frozenset(words) for name, words in _TABLE.items() if name.startswith("prose_"))
_PROSE = frozenset().union(*_LANGUAGES)
_VENUE = frozenset(_TABLE["venue"])
_VENUE_MARK = re.compile(rf"\b(?:{WORDS['venue_mark']})(?!\w)")


def is_broken_off(text: str) -> bool:
    """Return whether a line ends in the middle: behind an initial or an abbreviation such as "Proc."."""
    return _OPEN.search(text[-12:]) is not None


def is_reference_start(text: str) -> bool:
    """Return whether a line looks like the beginning of a reference: names come first."""
    return AUTHOR_START.match(text[:200].lstrip("•*◦▪ ")) is not None


@lru_cache(maxsize=5000)
def weigh_reference(text: str) -> float:
    """Return how much a text looks like a reference: 2 is one, below 1 is not one."""
    text = text[:1200]
    if not text:
        return 0.0
    signs = sum([sign.search(text) is not None for sign in _SIGNS])
    small = text.lower()
    words = _WORD.findall(small)
    venue = not _VENUE.isdisjoint(words) or _VENUE_MARK.search(small) is not None
    prose = sum(map(_PROSE.__contains__, words)) / max(len(text.split()), 1)
    return signs + venue + is_reference_start(text) - (2.0 if prose > 0.09 else 1.0 if prose > 0.06 else 0.0)


@lru_cache(maxsize=5000)
def is_reference(text: str) -> bool:
    """Return whether a text by itself can be a reference."""
    head = text[:400]
    letters = sum(map(str.isalpha, head))
    if letters < 8 or letters < 0.45 * len(head.replace(" ", "")) or _LEADERS.search(text):
        return False
    return weigh_reference(text) >= 2.0 and (len(text) < _LONG or is_reference_start(text))


def is_running_text(text: str) -> bool:
    """Return whether a text has as many verbs and pronouns as sentences have, and references never."""
    prose = sum(map(_PROSE.__contains__, _WORD.findall(text.lower())))
    return prose > 0.06 * max(len(text.split()), 1)


def is_prose(text: str, *, marked: bool = False) -> bool:
    """Return whether a text is plainly no reference but a sentence or a paragraph.

    Names before it, or a number (`marked`) in a list of references, say that it is one, unless it is a
    sentence: laws, undated books and interviews have neither year nor pages.
    """
    if YEAR.search(text) or len(text.split()) <= 4 or weigh_reference(text) >= 0.5:
        return False
    words = _WORD.findall(text.lower())
    if not marked and (len(words) > _MANY or not is_reference_start(text)):
        return True
    telling = max(len(language.intersection(words)) for language in _LANGUAGES)
    if _NAMED.match(text):
        return telling > 2 and telling > 0.09 * len(words)
    return telling > 0.12 * len(words) or (telling > 1 and telling > 0.06 * len(words))
