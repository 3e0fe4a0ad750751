"""Works that a text tells of in no fixed order: a title and people near each other, with a sign of a work.

"In *A Title of It*, which A. Lee and B. Roe wrote for NeurIPS 2019": no pattern knows the order, but what is
said of a work is there. Where none of the other readers has made one citation of it, this one does.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from citeproof.reading.extractors.prose.described_works import DescribedWork, is_other_thing
from citeproof.reading.extractors.prose.mention_reading import load_words
from citeproof.reading.extractors.prose.prose_mask import WALL
from citeproof.reading.extractors.records.labelled_fields import build_claimed_fields
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

_NEAR = 110  # characters between a title and the people who wrote it
_AROUND = 160  # characters around both in which a sign of a work counts
_TITLE_WORDS = 4
_SHARE = 0.34  # of the words of people that are hardly ever names
_GIVEN_WORDS = 4  # of one person
_LONGEST = 600  # characters of a title

_PARTICLE = (
    r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ter|ten|zu|al|el|bin|ibn|af)\s|[dO]['’]){0,2}+"
)
_WORD = r"[^\Wa-z_\d](?:[^\W_\d]|[’'-](?=[^\W_\d])){1,34}+"
_INITIALS = r"(?:[^\Wa-z_\d]\.[-\s]?){1,4}+"
_MORE = rf"{_PARTICLE}{_WORD}|(?:[^\Wa-z_\d]\.-?){{1,4}}+(?![^\W_])|[A-Z]{{1,3}}(?![\w.])"
_PERSON = rf"{_PARTICLE}(?:{_INITIALS})?{_WORD}(?:\s(?:{_MORE})){{0,3}}+"
_PERSON_LAST_FIRST = rf"{_PARTICLE}{_WORD}(?:\s{_WORD})?,\s{_INITIALS}(?![^\W\d_])"
_ONE = rf"(?:{_PERSON_LAST_FIRST}|{_PERSON})"
_LAST_INITIALS = rf"{_PARTICLE}{_WORD}(?:\s{_WORD})?\s[A-Z]{{1,3}}(?!\w)"
_JOINT = r"(?:,?\s(?:and|und|et|y|e|и)\s|,?\s?&\s|[,;]\s)"
_PEOPLE = re.compile(
    rf"(?<![\w’'-])(?>{_LAST_INITIALS}(?:,\s{_LAST_INITIALS}){{1,30}}+|{_ONE}(?:{_JOINT}{_ONE}){{0,30}}+)"
    r"(?:,?\set\sal\b\.?)?"
)
_PARTS = re.compile(_JOINT)
_INITIALED = re.compile(r"(?<![\w.])[^\Wa-z_\d]\.|(?<=[^\W\d_]{2}\s)[A-Z]{1,3}(?=[,.;\s]|$)|\bet\sal\b")
_SHORT = re.compile(r"[^\Wa-z_\d]{1,3}\b\.?$")
_CREDIT = re.compile(r"(?:\b(?:by|authors?:?|team of|von|par|por|di|from)|[Aa]utor(?:es|en)?:)\s[*_]{0,3}$")

_VENUE = re.compile(
    r"\b(?:Proc\w*|Journal|Transactions|Conference|Symposium|Workshop|Annals|Letters|Review of"
    r"|Association for)\b"
)
_SMALL = (
    r"(?:of|for|and|the|in|on|with|to|a|an|by|from|under|via|as|at|through|over|into|or|vs\.?|is|are|not|be|do|after"
    r"|during|across|among|between|against|without|within|its|their)"
)
_CASED = r"[^\Wa-z_](?:[\w’'/+.-]{0,40}\w)?"
_TITLE = re.compile(rf"(?<![\w’'.-])(?>{_CASED}(?:[:,?]?\s(?:{_SMALL}\s){{0,3}}{_CASED}){{2,30}}+)")
_SET_OFF = re.compile(
    r"“(?P<a>[^“”\ufdd0]{8,250})”|(?<![\w\"])\"(?P<b>[^\"\ufdd0]{8,250})\"(?!\w)|«(?P<c>[^«»\ufdd0]{8,250})»"
    r"|„(?P<d>[^„“”\ufdd0]{8,250})[“”]|‘(?P<e>[A-Z][^‘’\ufdd0]{8,250})’(?!\w)"
    r"|(?<![\w'])'(?P<h>[^\Wa-z_](?:[^'\n\ufdd0]|(?<=\w)'(?=\w)){8,250})'(?!\w)"
    r"|(?<![\w*\\])(?P<sign>\*{1,3})(?![\s*])(?P<f>[^*\ufdd0]{8,250}?)(?<![\s*])(?P=sign)(?![\w*])"
    r"|(?<![\w_\\])(?P<under>_{1,2})(?![\s_])(?P<g>[^_\ufdd0]{8,250}?)(?<![\s_])(?P=under)(?![\w_])"
)
_TIGHT = re.compile(
    r"(?:[^\w\[\]]|_){1,12}+(?:(?:by|from|in|of|titled|entitled|called|the|paper|study|work|article|their|his|her"
    r"|seminal|written|wrote|with|and|on|authors?|title|year|who|when|where|venue|journal|name|cites?"
    r"|(?:1[5-9]|20)\d\d[a-z]?)(?:[^\w\[\]]|_){1,12}+){0,5}"
)
_LOOSE = re.compile(
    r"(?!.*[.!?]\s[^\Wa-z_].*[.!?]\s[^\Wa-z_])[^\[\]{}<>]*", re.DOTALL
)  # at most one sentence end
_YEAR = re.compile(r"(?<![\d/.#-])(?:1[5-9]|20)\d\d(?![\d/]|[.-]\d)")
_BEHIND = re.compile(r"[\s,.:;–—-]{0,3}\(?(?:1[5-9]|20)\d\d[a-z]?\)?")
_WORK = re.compile(
    r"\b(?:(?i:papers?|stud(?:y|ies)|articles?|preprint|thesis|dissertation|monograph|authors?|et al"
    r"|published|journal|proceedings|doi|arxiv|vol|pp)\b|Proc\.|Transactions|Trans\.|Conference|Symposium|Workshop|Lett\."
    r"|Annals|Nature\b|Science\b|Phys\.|Lancet|bioRxiv|medRxiv|University Press)"
)


class NamedSpan(NamedTuple):
    """People or a title in a text."""

    start: int
    end: int
    words: str
    sure: bool  # people with initials; a title that is set off
    weak: bool = False  # one person, or two by their last names


def find_works_nearby(prose: str) -> Iterator[DescribedWork]:
    """Yield the works of which masked prose has a title and people near each other, with a sign of a work."""
    titles = sorted(_find_titles(prose))
    starts = [title.start for title in titles]
    last = -1
    for names in find_people_named(prose, weak=True):
        low = bisect_left(starts, names.start - _NEAR - _LONGEST)
        near = titles[low : bisect_right(starts, names.end + _NEAR)]
        if any(title.start <= names.start and names.end <= title.end for title in near):
            continue
        title = _choose_title(prose, names, near)
        if title is None or min(names.start, title.start) < last:
            continue
        start, end = min(names.start, title.start), max(names.end, title.end)
        around = _read_around(prose, start, end)
        if is_other_thing(around) or not _is_signed(around, names, title):
            continue
        behind = _BEHIND.match(prose, end)
        last = end = behind.end() if behind else end
        raw = prose[start:end]
        year = _YEAR.search(raw) or _YEAR.search(around)
        stated = {"title": title.words, "authors": names.words, "year": year[0] if year else ""}
        yield DescribedWork(start, end, raw, build_claimed_fields(stated, raw), "", sure=True)


def _choose_title(prose: str, people: NamedSpan, titles: Sequence[NamedSpan]) -> NamedSpan | None:
    """Return the title next to people: directly, or a sentence away if it is set off."""
    best: tuple[bool, int, NamedSpan] | None = None
    for title in titles:
        low, high = (title.end, people.start) if title.start < people.start else (people.end, title.start)
        if not 0 < high - low <= _NEAR:
            continue
        between = prose[low:high]
        joined = _TIGHT.fullmatch(between) or (
            title.sure and _LOOSE.fullmatch(between) and WALL not in between
        )
        if joined and (best is None or (not title.sure, high - low) < best[:2]):
            best = not title.sure, high - low, title
    return best[2] if best else None


def _find_titles(prose: str) -> Iterator[NamedSpan]:
    for match in _SET_OFF.finditer(prose):
        name = next(name for name in "abcdefgh" if match[name])
        words = " ".join(match[name].split()).strip(" ,.*_")
        if (
            len(words.split()) >= _TITLE_WORDS - 1
            and (name in "fg" or is_title_case(words))
            and words[-1:] != ":"
        ):
            yield NamedSpan(*match.span(), words, sure=True)
    for match in _TITLE.finditer(prose):
        start, end = _trim_names(match)
        words = prose[start:end].split()
        small = [word for word in words if word.islower()]
        usual = [word for word in words if word.strip(",:?.").lower() in _load_title_words()]
        if (
            len(words) >= _TITLE_WORDS
            and not _VENUE.search(prose, start, end)
            and (small or len(usual) > 1)
            and len(usual) + len(small) > 1
        ):
            yield NamedSpan(start, end, " ".join(words), sure=False)


def _trim_names(match: re.Match[str]) -> tuple[int, int]:
    """Return where a title begins and ends that was read with the names next to it: "A Title, Ann Lee"."""
    start = match.start()
    parts = list(re.finditer(r"[^,]+", match[0]))
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
        text = " ".join(match[0].split())
        parts = split_people(text)
        words = [
            word.strip(".,").lower() for part in parts for word in part.split() if not _SHORT.match(word)
        ]
        others = sum(word in _load_other_words() for word in words)
        signs = len(_INITIALED.findall(text))
        if others > len(words) * (0.5 if signs else _SHARE):
            continue
        full = [part for part in parts if 1 < len(part.split()) <= _GIVEN_WORDS]
        credited = bool(full) and _CREDIT.search(prose, max(0, match.start() - 30), match.start())
        if "et al" in text or len(full) > 1 or (signs and 2 * signs >= len(parts)) or credited:
            yield NamedSpan(*match.span(), text, sure=bool(signs))
        elif weak and not others and (full or len(parts) == 2):
            yield NamedSpan(*match.span(), text, sure=False, weak=True)


def split_people(words: str) -> list[str]:
    """Return the people of a list of names, each as printed."""
    return [part for part in _PARTS.split(words) if part]


def _read_around(prose: str, start: int, end: int) -> str:
    """Return a stretch and what stands around it in the same block."""
    low = max(prose.rfind(WALL, max(0, start - _AROUND), start) + 1, start - _AROUND, 0)
    high = prose.find(WALL, end, end + _AROUND)
    return prose[low : high if high >= 0 else end + _AROUND]


def _is_signed(around: str, people: NamedSpan, title: NamedSpan) -> bool:
    if people.weak:
        return bool(_VENUE.search(around) or _WORK.search(around)) and bool(_YEAR.search(around))
    return bool(_WORK.search(around) or (_YEAR.search(around) and (title.sure or people.sure)))


def is_title_case(words: str) -> bool:
    """Return whether most long words begin with a capital."""
    long = [word for word in words.split() if len(word) > 3]
    return 2 * sum(not word[0].islower() for word in long) > len(long)


@cache
def _load_other_words() -> frozenset[str]:
    """Return the words that are hardly ever names."""
    tables = ("no_people", "not_names", "places")
    return _load_title_words().union(*map(load_words, tables)) - {"al", "et"}


@cache
def _load_title_words() -> frozenset[str]:
    tables = load_package_table("citeproof.text", "title_words.toml")
    return frozenset(word for words in tables.values() for word in words.split())
