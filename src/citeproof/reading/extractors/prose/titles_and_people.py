"""What may be the title of a work in prose, and who may be its people, by how they are written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from citeproof.reading.extractors.prose.mention_reading import JOINTS, load_words
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

_TITLE_WORDS = 4
_SHARE = 0.34  # of the words of people that are hardly ever names
_GIVEN_WORDS = 4  # of one person

_PARTICLE = (
    r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ter|ten|zu|al|el|bin|ibn|af)\s|[dO]['’]){0,2}+"
)
_WORD = r"[^\Wa-z_\d](?:[^\W_\d]|[’'-](?=[^\W_\d])){1,34}+"
_INITIALS = r"(?:[^\Wa-z_\d]\.[-\s]?){1,4}+"
_MORE = rf"{_PARTICLE}{_WORD}|(?:[^\Wa-z_\d]\.-?){{1,4}}+(?![^\W_])|[A-Z]{{1,3}}(?![\w.])"
_PERSON = rf"{_PARTICLE}(?:{_INITIALS})?{_WORD}(?:\s(?:{_MORE})){{0,3}}+"
_LATE_INITIALS = r"(?:[^\Wa-z_\d]\.(?:[-\s]?(?=[^\Wa-z_\d]\.))?){1,4}+"
_PERSON_LAST_FIRST = rf"{_PARTICLE}{_WORD}(?:\s{_WORD})?,\s{_LATE_INITIALS}(?![^\W\d_])"
_ONE = rf"(?:{_PERSON_LAST_FIRST}|{_PERSON})"
_LAST_INITIALS = rf"{_PARTICLE}{_WORD}(?:\s{_WORD})?\s[A-Z]{{1,3}}(?!\w)"
_JOINT = rf"(?:,?\s(?:{JOINTS})\s|,?\s?&\s|[,;]\s)"
_CUT = r"\set\sal\b\.?|\su\.?\s?(?:a\.|Mitarb\b\.?)|\sdkk\.?|\sm\.?\s?fl\b\.?|\sand\s(?:others|colleagues)\b"
_PEOPLE = re.compile(
    rf"(?<![\w’'-])(?>{_LAST_INITIALS}(?:,\s{_LAST_INITIALS}){{1,30}}+|{_ONE}(?:{_JOINT}{_ONE}){{0,30}}+)"
    rf"(?:,?(?:{_CUT}))?"
)
_LATE = re.compile(rf"{_LAST_INITIALS}(?:,\s{_LAST_INITIALS}){{1,30}}+(?=\.)")
_PARTS = re.compile(_JOINT)
_INITIALED = re.compile(r"(?<![\w.])[^\Wa-z_\d]\.|(?<=[^\W\d_]{2}\s)[A-Z]{1,3}(?=[,.;\s]|$)|" + _CUT)
_FIRST_WORD = re.compile(r"([^\W\d_]{2,})\s(?![A-Z]{1,3}[,.]\s)")
_SHORT = re.compile(r"[^\Wa-z_\d]{1,3}\b\.?$")
_ABBREVIATED = re.compile(r"[A-Z][a-z]{2,9}\.\s")  # "Phys. Rev."
_CREDIT = re.compile(r"(?:\b(?:by|authors?:?|team of|von|par|por|di|from)|[Aa]utor(?:es|en)?:)\s[*_]{0,3}$")

_SORT = re.compile(r"\b(?:dissertation|thesis|paper|article|book|monograph|study|essay|chapter),?\s$")
_VENUE = re.compile(
    r"\b(?:Proc\w*|Journal|Transactions|Conference|Symposium|Workshop|Annals|Letters|Review of"
    r"|Association for)\b"
)
_SMALL = (
    r"(?:of|for|and|the|in|on|with|to|a|an|by|from|under|via|as|at|through|over|into|or|vs\.?|is|are|not|be|do|after"
    r"|during|across|among|between|against|without|within|its|their)"
)
_SMALL_WORD = re.compile(_SMALL)
_CASED = r"[^\Wa-z_](?:[\w’'/+.-]{0,40}\w)?"
_TITLE = re.compile(rf"(?<![\w’'.-])(?>{_CASED}(?:[:,?]?\s(?:{_SMALL}\s){{0,3}}{_CASED}){{1,30}}+)")
_QUOTED = re.compile(
    r"“([^“”\ufdd0]{8,250})”|(?<![\w\"])\"([^\"\ufdd0]{8,250})\"(?!\w)|«([^«»\ufdd0]{8,250})»"
    r"|„([^„“”\ufdd0]{8,250})[“”]|‘([A-Z][^‘’\ufdd0]{8,250})’(?!\w)|``([^`\ufdd0]{8,250}?)''"
    r"|《([^《》\ufdd0]{4,250})》|(?<![\w'])'([^\Wa-z_](?:[^'\n\ufdd0]|(?<=\w)'(?=\w)){8,250})'(?!\w)|''([^'\ufdd0]{8,250})''"
)
_EMPHASISED = re.compile(
    r"(?<![\w*\\])(?P<sign>\*{1,3})(?![\s*])([^*\ufdd0]{8,250}?)(?<![\s*])(?P=sign)(?![\w*])"
    r"|(?<![\w_\\])(?P<under>_{1,2})(?![\s_])([^_\ufdd0]{8,250}?)(?<![\s_])(?P=under)(?![\w_])"
)
_SIGN = 3  # characters of the marks around emphasised words
_YEAR = re.compile(r"(?<![\d/.#-])(?:1[5-9]|20)\d\d(?![\d/]|[.-]\d)")
_LED_BY_YEAR = re.compile(rf"(?:\S{{2,12}}\s)?{_YEAR.pattern}[:,.]?\s")
_OWN_TITLE = re.compile(r"['’]s\s(?=(?P<led>(?:The|An?|On|Some|Towards?|From|How|What|Why)\s)?)")
_OWN = re.compile(r"['’]s\b")
BRACKETED_YEAR = re.compile(
    r"[^\W_]\.?,?\s?[(（\[](?P<year>(?:1[5-9]\d|20[0-3])\d)[a-z]?(?:[,–-][^()]{0,40})?[)）\]]"
)


class NamedSpan(NamedTuple):
    """People or a title in a text."""

    start: int
    end: int
    words: str
    sure: bool  # people with initials; a title that is set off
    weak: bool = False  # one person, or two by their last names


def find_set_off(prose: str, *, emphasised: bool = True) -> Iterator[tuple[int, int, str]]:
    """Yield what is quoted or emphasised in masked prose: where, with its signs, and the words inside."""
    for match in (*_QUOTED.finditer(prose), *(_EMPHASISED.finditer(prose) if emphasised else ())):
        yield *match.span(), next(words for words in match.groups() if words and len(words) > _SIGN).strip()


_YEAR_NEXT = re.compile(r",?\s[(\[]?(?:1[5-9]|20)\d\d")


def find_bare_titles(prose: str) -> Iterator[NamedSpan]:
    """Yield what is written as titles are, and that no sign sets off."""
    for match in _TITLE.finditer(prose):
        start, end = _trim_names(match)
        if dated := _LED_BY_YEAR.match(prose, start, end):  # "CVPR 2024: Rethinking the Objectives"
            start = dated.end()
        words = prose[start:end].split()
        small = [word for word in words if word.islower() or _SMALL_WORD.fullmatch(word.lower())]
        usual = [word for word in words if word.strip(",:?.").lower() in load_title_words()]
        fewest = _TITLE_WORDS - bool(_SORT.search(prose, max(0, start - 20), start))
        if (
            len(words) >= fewest
            and not _VENUE.search(prose, start, end)
            and (small or len(usual) > 1 or fewest < _TITLE_WORDS)
            and len(usual) + len(small) > (fewest == _TITLE_WORDS)
        ):
            yield NamedSpan(start, end, " ".join(words), sure=False)


def _trim_names(match: re.Match[str]) -> tuple[int, int]:
    """Return where a title begins and ends that was read with the names next to it: "A Title, Ann Lee"."""
    start = match.start()
    owned = (own for own in _OWN_TITLE.finditer(match[0]) if own["led"] or _is_name(match[0][: own.start()]))
    start += max((own.end() for own in owned), default=0)  # "Ann Lee's A Title of It"
    parts = list(re.finditer(r"[^,]+", match.string[start : match.end()]))
    while len(parts) > 1 and _is_name(parts[-1][0]):
        parts.pop()
    while len(parts) > 1 and _is_name(parts[0][0]):
        parts.pop(0)
    low = start + parts[0].start() + len(parts[0][0]) - len(parts[0][0].lstrip())
    return low, start + parts[-1].end()


def _is_name(words: str) -> bool:
    alone = words.split()
    return (
        1 < len(alone) <= _GIVEN_WORDS
        and not any(word.islower() or word.strip(".").lower() in _load_other_words() for word in alone)
        and ":" not in words
    )


def find_people_named(prose: str, *, weak: bool = False) -> Iterator[NamedSpan]:
    """Yield names that are people's by their form: initials, several in full, one who is credited.

    `weak`: yield one person in full too, and two last names that "and" joins.
    """
    for match in _PEOPLE.finditer(prose):
        start, end = _trim_people(match)
        text = " ".join(prose[start:end].split())
        parts = split_people(text)
        words = [
            word.strip(".,").lower() for part in parts for word in part.split() if not _SHORT.match(word)
        ]
        others = sum(word in _load_other_words() for word in words)
        signs = len(_INITIALED.findall(text))
        if others > len(words) * (0.5 if signs else _SHARE):
            continue
        full = [part for part in parts if 1 < len(part.split()) <= _GIVEN_WORDS]
        credited = bool(full) and _CREDIT.search(prose, max(0, start - 30), start)
        if re.search(_CUT, text) or len(full) > 1 or (signs and 2 * signs >= len(parts)) or credited:
            yield NamedSpan(start, end, text, sure=bool(signs))
        elif (
            weak
            and not others
            and (full or len(parts) == 2 or (_YEAR_NEXT.match(prose, end) and not text.isupper()))
        ):
            yield NamedSpan(start, end, text, sure=False, weak=True)


def _trim_people(match: re.Match[str]) -> tuple[int, int]:
    """Return where the people of a match are, without words around them: "See Lee & Roe, Phys. Rev."."""
    start, end = match.span()
    while (first := _FIRST_WORD.match(match.string, start, end)) and first[1].lower() in _load_other_words():
        start = first.end()
    late = _LATE.match(match.string, start, end)  # "Doe J, Roe K. Pulse versus"
    end = late.end() if late else end
    own = _OWN.search(match.string, start, end)
    end = own.end() if own else end
    joints = list(_PARTS.finditer(match.string, start, end))
    capitals = match.string[start:end].isupper()
    while joints and _is_no_person(match.string[joints[-1].end() : end], capitals=capitals):
        end = joints.pop().start()
    return start, end


def _is_no_person(words: str, *, capitals: bool) -> bool:
    """Return whether words are no person: "PRL" behind "Adler & Roe"; `capitals`: all are written so."""
    journal = not capitals and words.isupper() and words.isalpha() and len(words) >= _SIGN
    return (
        journal
        or _ABBREVIATED.match(words) is not None
        or words.lower() in _load_other_words()
        or words.startswith(("The ", "A ", "An ", "On "))
    )


def split_people(words: str) -> list[str]:
    """Return the people of a list of names, each as printed."""
    return [part for part in _PARTS.split(words) if part]


def is_title_case(words: str) -> bool:
    """Return whether most long words begin with a capital."""
    long = [word for word in words.split() if len(word) > 3]
    return 2 * sum(not word[0].islower() for word in long) > len(long)


@cache
def _load_other_words() -> frozenset[str]:
    """Return the words that are hardly ever names."""
    tables = ("no_people", "not_names", "places")
    return load_title_words().union(*map(load_words, tables)) - {"al", "et"}


@cache
def load_title_words() -> frozenset[str]:
    tables = load_package_table("citeproof.text", "title_words.toml")
    return frozenset(word for words in tables.values() for word in words.split())
