"""Personal names in the orders and scripts that bibliographies use.

    parse("van den Berg, J. A.")    ⇒ Name(family="van den Berg", given="J. A.")
    parse("Jan van den Berg")       ⇒ Name(family="van den Berg", given="Jan")
    parse("Smith JA")               ⇒ Name(family="Smith", given="J. A.")
    parse("King, Jr., Martin L.")   ⇒ Name(family="King", given="Martin L.", suffix="Jr.")
    parse("ATLAS Collaboration")    ⇒ Name(family="ATLAS Collaboration", collective=True)
    split("Wu, Fei and others")     ⇒ ((Name(family="Wu", given="Fei"),), True)

Own code: the usual library reads "Smith JA" as given name "Smith" and loses 王伟 altogether.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

from citeproof.text.latex import delatex
from citeproof.text.unicode import unmark
from citeproof.vocabulary import Name

MAX_NAME = 200  # characters of one name that are read
MAX_NAMES = 5000  # names of one list that are read; the largest collaborations have some 5,000

_PARTICLES = frozenset(
    [
        "van",
        "von",
        "der",
        "den",
        "de",
        "del",
        "della",
        "di",
        "da",
        "dos",
        "das",
        "du",
        "la",
        "le",
        "ter",
        "ten",
        "te",
        "zu",
        "zur",
        "vom",
        "af",
        "av",
        "al",
        "el",
        "bin",
        "ibn",
        "ben",
        "op",
        "'t",
        "y",
        "e",
        "do",
        "dello",
        "degli",
        "dal",
        "dalla",
        "lo",
        "los",
        "las",
        "san",
        "mac",
        "st",
    ]
)
_SUFFIX = re.compile(r"(?:jr|sr|i{2,3}|iv|phd|md|esq|filho|junior|neto)\.?", re.IGNORECASE)
_COLLECTIVE = re.compile(
    r"\b(?:collaborations?|consortium|group|team|committee|society|association|organi[sz]ation|institute|"
    r"university|center|centre|council|ministry|department|network|initiative|project|foundation|agency|"
    r"commission|authors?|investigators|openai|deepmind|inc|ltd|llc|gmbh|corporation|laborator(?:y|ies)|"
    r"research|bureau|office|union|academy|federation|program(?:me)?|study|trial|working|community)\b",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]?){1,4}")
_VANCOUVER = re.compile(r"(.{2,120}?) ([A-Z]{1,3})(?: (Jr|Sr|2nd|3rd|II|III))?")
_HOMONYM = re.compile(r"\s*\b0\d{3}\b,?\s*")
_ET_AL = re.compile(
    r"[\s,;]*(?:\band\b\s*|&\s*)?[\[(]?\b(?:et\.?\s?al\b|others\b|u\.\s?a\b|and colleagues\b)[.\])]*[\s,;]*$"
    r"|\s*(?:…|\.\.\.)\s*$",
    re.IGNORECASE,
)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_CJK = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]{2,8}")


@lru_cache(maxsize=65536)
def parse(text: str) -> Name:
    """Return the one name that `text` spells."""
    whole = text.strip()[:MAX_NAME]
    braced = whole.startswith("{") and whole.endswith("}") and whole.count("{") == 1
    plain = tidy(whole)
    if (braced and " " in plain) or (_COLLECTIVE.search(plain) and not _personal(plain)):
        return Name(family=plain, collective=True)
    if "," in plain:
        return _from_commas(plain)
    if _CJK.fullmatch(plain):
        return _from_cjk(plain)
    vancouver = _VANCOUVER.fullmatch(plain)
    if vancouver and not vancouver[1].isupper() and "." not in vancouver[1]:
        return Name(vancouver[1], " ".join(f"{c}." for c in vancouver[2]), vancouver[3] or "")
    return _from_words(plain.split())


def tidy(text: str) -> str:
    """Return a name as plain text: no LaTeX, HTML entities, homonym numbers or doubled spaces."""
    if "&" in text:
        text = html.unescape(text)
    text = delatex(text)
    if any(c.isdigit() for c in text):
        text = _HOMONYM.sub(" ", text)
    return _SPACE.sub(" ", text).strip(" ;")


def split(text: str) -> tuple[tuple[Name, ...], bool]:
    """Return the names of a list joined by "and", and whether the list says that it is cut."""
    text = html.unescape(text) if "&" in text else text
    parts = [part.strip(" \t\n,;") for part in split_top(text)]
    et_al = False
    names: list[Name] = []
    for part in parts[:MAX_NAMES]:
        cut = _ET_AL.sub("", part)
        et_al |= cut != part
        names.extend(parse(piece) for piece in _listed(cut) if piece)
    found = [name for name in names if name.family]
    if len(found) > 1 and len(found[-1].family) == 1 and not found[-1].given:
        # a single letter is what a damaged field leaves of a name; the list was cut there
        return tuple(found[:-1]), True
    return tuple(found), et_al


def split_top(text: str) -> list[str]:
    """Return the parts of `text` between "and"s that stand outside braces."""
    if "{" not in text:
        return _AND.split(text)
    parts, last = [], 0
    for match in _AND.finditer(text):
        head = text[last : match.start()]
        if head.count("{") <= head.count("}"):
            parts.append(head)
            last = match.end()
    return [*parts, text[last:]]


def family_key(name: Name) -> str:
    """Return the folded letters of the family name, particles and marks aside: "van den Bérg" ⇒ "berg"."""
    return "".join(family_words(name))


def family_words(name: Name) -> tuple[str, ...]:
    """Return the folded words of the family name without particles, unless it has only those."""
    words = _fold_words(name.family)
    return tuple(w for w in words if w not in _PARTICLES) or words


@lru_cache(maxsize=65536)
def _fold_words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W\d_]+", unmark(text).casefold().replace("'", "")))


def given_words(name: Name) -> tuple[str, ...]:
    """Return the folded words of the given name; glued initials come apart: "JA" ⇒ ("j", "a")."""
    given = unmark(name.given)
    found: list[str] = []
    for word in re.findall(r"[^\W\d_]+", given.replace("'", "")):
        if len(word) <= 3 and word.isupper() and len(given) <= 4:
            found.extend(word.casefold())
        else:
            found.append(word.casefold())
    return tuple(found)


def _personal(plain: str) -> bool:
    """Two or three capitalised words of which only one sounds collective are a person ("Jan Group")."""
    return "," in plain and not plain.lower().endswith(("collaboration", "consortium", "group", "team"))


def _listed(part: str) -> list[str]:
    """Split "Sophia Wong, Alex Martinez, Junpei Yamamoto": full names joined by commas alone."""
    if ";" in part:
        return [p.strip() for p in part.split(";")]
    pieces = [p.strip() for p in part.split(",")]
    full = [len(p.split()) >= 2 and not _INITIALS.fullmatch(p) and not _SUFFIX.fullmatch(p) for p in pieces]
    if len(pieces) >= 3 and all(full):
        return pieces
    if len(pieces) >= 4 and len(pieces) % 2 == 0 and all(_INITIALS.fullmatch(p) for p in pieces[1::2]):
        return [f"{family}, {given}" for family, given in zip(pieces[::2], pieces[1::2], strict=True)]
    return [part]


def _from_commas(plain: str) -> Name:
    parts = [p.strip() for p in plain.split(",") if p.strip()]
    if len(parts) == 1:
        return _from_words(parts[0].split())
    if _SUFFIX.fullmatch(parts[1]):
        if len(parts) == 2:
            bare = _from_words(parts[0].split())
            return Name(bare.family, bare.given, parts[1])
        return Name(parts[0], " ".join(parts[2:]), parts[1])
    if len(parts) > 2 and _SUFFIX.fullmatch(parts[-1]):
        return Name(parts[0], " ".join(parts[1:-1]), parts[-1])
    return _move_particles(parts[0], " ".join(parts[1:]))


def _move_particles(family: str, given: str) -> Name:
    """ "Berg, Jan van den" ⇒ family "van den Berg"."""
    words = given.split()
    cut = len(words)
    while cut > 1 and words[cut - 1] in _PARTICLES:
        cut -= 1
    if cut < len(words):
        family, given = f"{' '.join(words[cut:])} {family}", " ".join(words[:cut])
    return Name(family, given)


def _from_cjk(plain: str) -> Name:
    cut = 1 if len(plain) <= 3 else 2
    return Name(plain[:cut], plain[cut:])


def _from_words(words: list[str]) -> Name:
    suffix = ""
    if len(words) > 2 and _SUFFIX.fullmatch(words[-1]):
        suffix = words.pop()
    if len(words) <= 1:
        return Name(" ".join(words), suffix=suffix)
    cut = len(words) - 1
    while cut > 1 and words[cut - 1].lower() in _PARTICLES and not words[cut - 1][0].isupper():
        cut -= 1
    # "De Luca": a capitalised particle belongs to the family when a given name is left over
    if (
        cut == len(words) - 1
        and cut > 1
        and words[cut - 1] in {"De", "Van", "Von", "Di", "La", "Le", "Del", "El"}
    ):
        cut -= 1
    return Name(" ".join(words[cut:]), " ".join(words[:cut]), suffix)
