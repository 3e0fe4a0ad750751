"""Author–year mentions in running text: "Yamada et al. 2019, Brain", "(Park & Ng, 2024)", "Smith (2004a, b)".

The text is cut into words once. Each year is a place where a mention may end; who is named is read from
there to the left, over a bounded number of words, and a journal and pages are read to the right:

    Smith and Jones (2004)            names, then the year in brackets
    (see Smith, Jones, & Doe, 2004)   names in brackets
    Smith et al. [12] in 2004         with a number between
    Yamada et al., Brain 2019         with the journal between
    Smith (2004a, b; 2006)            further years of the same people

Pure, and linear in the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from citeproof.reading.extractors.prose.mention_reading import NameWalk, TextWord, load_words
from citeproof.text import lazy_patterns as re
from citeproof.text.venue_match import parse_venue
from citeproof.vocabulary import Name

MAX_TEXT = 5_000_000  # characters that are read
MAX_MENTIONS = 20_000  # of one text
_LETTERS = 5  # "2004a, b, c": further letters of one year
_SHORT = 6  # letters of an abbreviation: "Proc", "Natl"; sentences end in longer words, or so one hopes
_VENUE = 12  # words of a journal's name

_WORD = re.compile(
    r"(?P<year>(?<![\w./:#$€£@=–—‐‑-])(?:1[5-9]|20)\d\d[a-z]?"
    r"(?![^\W_]|%|\.\d|[–—‐‑-](?![a-z]\b)\w|/\d{1,2}\b))"
    r"|[^\W\d_]+(?:['’ʼ‘`‐‑-][^\W\d_]+)*+(?:['’](?!\w))?|\d+|[^\w\s]"
)
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_BEFORE, _BEHIND = 500, 200  # characters around a year that may belong to its mention
_MARKUP = frozenset("*_~^`\\{}")
_BRACKETS = str.maketrans("（）［］，；", "()[],;")
_MORE_LETTERS = re.compile(r"\s?([,/&–-]|,?\s?and)\s?([a-z])(?![\w'’.])")
_PAGES = re.compile(
    r"\s?(?:[,:]\s?(?:pp?|pages?|S|Seiten?|págs?|s)\.?\s?|:\s?)(\d{1,5}(?:\s?[–-]\s?\d{1,5})?)(?![\w:(]|\.\d)"
)
_SEPARATORS = frozenset((",", ";", "&", "/", "and", "und", "et", "y", "e", "or"))


@dataclass(frozen=True, slots=True)
class AuthorYearMention:
    """One mention: what is printed from `start` to `end`, and whom, when and where it names.

    `names` have the family name as printed; what stands before it, initials, given names or the first part of
    a double name, is in `given`. `sure`: only a citation has this form; "Berlin 2004" has not.
    """

    text: str
    start: int
    end: int
    names: tuple[Name, ...]
    et_al: bool
    year: int
    letter: str = ""
    venue: str | None = None
    pages: str | None = None
    sure: bool = True

    @property
    def label(self) -> str:
        """The mention in one form: "Smith & Jones 2004a, Brain"."""
        families = [name.family for name in self.names]
        people = ", ".join(families[:-1]) + " & " + families[-1] if len(families) > 1 else families[0]
        venue = f", {self.venue}" if self.venue else ""
        return f"{people}{' et al.' if self.et_al else ''} {self.year}{self.letter}{venue}"


def find_mentions(text: str) -> Iterator[AuthorYearMention]:
    """Yield the author–year mentions of `text` in order, each year of each group of people one."""
    found = 0
    for start, end in _find_windows(text[:MAX_TEXT]):
        for mention in _find_in_window(text, _split_text(text, start, end)):
            yield mention
            found += 1
            if found >= MAX_MENTIONS:
                return


def _find_windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches around years; what is far from any year holds no mention."""
    start = end = -1
    for match in _YEAR.finditer(text):
        low, high = max(0, match.start() - _BEFORE), match.end() + _BEHIND
        if low > end >= 0:
            yield start, end
            start = -1
        start, end = (low if start < 0 else start), high
    if end >= 0:
        yield start, end


def _find_in_window(text: str, words: Sequence[TextWord]) -> Iterator[AuthorYearMention]:
    last: AuthorYearMention | None = None
    last_at = 0
    for at, word in enumerate(words):
        if not word.year:
            continue
        mention = _continue_mention(text, words, at, last, last_at) or _read_mention(text, words, at)
        if mention is None:
            continue
        for last in _spread_letters(text, mention, word):
            yield last
        last_at = at


def _split_text(text: str, start: int, end: int) -> list[TextWord]:
    return [
        TextWord(match[0].translate(_BRACKETS), match.start(), match.end(), bool(match["year"]))
        for match in _WORD.finditer(text, start, min(end, len(text)))
        if match[0] not in _MARKUP
    ]


def _read_mention(text: str, words: Sequence[TextWord], at: int) -> AuthorYearMention | None:
    """Return the mention whose year is at `at`; None if nobody is named before it."""
    year = words[at]
    walk = NameWalk(words, at)
    if not walk.read():
        return None
    end, pages, venue = year.end, None, walk.venue
    if found := _PAGES.match(text, end, end + 40):
        end, pages = found.end(), found[1]
    after = _find_word(words, at, end)
    if (
        venue is None
        and pages is None
        and (named := _read_venue(text, words, after, narrative=walk.narrative))
    ):
        venue, end = named
        after = _find_word(words, at, end)
    if walk.narrative and after < len(words) and words[after].text in ")]":
        end = words[after].end
    sure = walk.is_sure() or venue is not None or pages is not None
    return AuthorYearMention(
        text[walk.start : end], walk.start, end, walk.names, walk.et_al, int(year.text[:4]), year.text[4:],
        venue, pages, sure,
    )  # fmt: skip


def _find_word(words: Sequence[TextWord], at: int, end: int) -> int:
    """Return the first word from `at` that begins at or after the offset `end`."""
    at += 1
    while at < len(words) and words[at].start < end:
        at += 1
    return at


def _continue_mention(
    text: str, words: Sequence[TextWord], at: int, last: AuthorYearMention | None, last_at: int
) -> AuthorYearMention | None:
    """Return a further year of the people before: "Smith (2019, 2020)", "(Doe 2004; 2006a)"."""
    if last is None or at - last_at > 2 * _LETTERS or words[at].start < last.end - 1:
        return None
    between = [word.text for word in words[last_at + 1 : at]]
    if not between or any(w not in _SEPARATORS and not (len(w) == 1 and w.islower()) for w in between):
        return None
    word = words[at]
    return replace(
        last, text=text[word.start : word.end], start=word.start, end=word.end, year=int(word.text[:4]),
        letter=word.text[4:], venue=None, pages=None,
    )  # fmt: skip


def _spread_letters(text: str, mention: AuthorYearMention, year: TextWord) -> Iterator[AuthorYearMention]:
    """Yield the mention, and one for each further letter of its year: "2004a, b", "2004a–c"."""
    yield mention
    at, letter = year.end, mention.letter
    for _ in range(_LETTERS):
        more = _MORE_LETTERS.match(text, at, at + 9) if letter else None
        if more is None or more[2] <= letter:
            return
        upto = ord(more[2])
        first = ord(letter) + 1 if more[1] in "–-" else upto
        for code in range(max(first, upto - _LETTERS), upto + 1):
            yield replace(
                mention, text=text[more.start(2) : more.end()], start=more.start(2), end=more.end(),
                letter=chr(code), pages=None,
            )  # fmt: skip
        at, letter = more.end(), more[2]


def _read_venue(text: str, words: Sequence[TextWord], at: int, *, narrative: bool) -> tuple[str, int] | None:
    """Return the journal named behind the year, and where its name ends: "2001, J. Neurochem"."""
    closed = narrative and at < len(words) and words[at].text in ")]"
    at += closed
    comma = at < len(words) and words[at].text in (",", ";", ":")
    first = at + comma
    end, dotted = first, False
    while end < len(words) and end - first < _VENUE:
        word = words[end].text
        if word == ".":
            glued = words[end].start == words[end - 1].end
            if end == first or not glued or not _goes_on(text, words, end):
                break
            dotted = True
        elif not (word[0].isupper() or (end > first and word in load_words("small"))):
            break
        end += 1
    while end > first and words[end - 1].text in load_words("small"):
        end -= 1
    if end == first or end - first == _VENUE:
        return None
    name = text[words[first].start : words[end - 1].end]
    following = words[end] if end < len(words) else None
    stops = following is None or following.text in ")];.,:" or following.text[0].isdigit()
    if following is not None and (
        following.year or (following.text == "," and end + 1 < len(words) and words[end + 1].year)
    ):
        return None
    known = dotted or is_known_venue(name)
    if not stops and not (known and dotted):
        return None
    if not known and (closed or not comma or (following is not None and following.text == ",")):
        return None
    return name, words[end - 1].end


def _goes_on(text: str, words: Sequence[TextWord], at: int) -> bool:
    """Return whether the stop at `at` is that of an abbreviation: "J. Neurochem", "Nat. Med." in brackets."""
    if at + 1 >= len(words):
        return True
    following = words[at + 1]
    if following.text in ")],;:" or following.text[0].isdigit():
        return True
    short = words[at].start - words[at - 1].start <= _SHORT
    return short and following.text[0].isupper() and "\n" not in text[words[at].end : following.start]


@cache
def is_known_venue(name: str) -> bool:
    return bool(parse_venue(name[:200]).series)
