"""The sentences of a document that cite its references, by number, by label, or by author and year.

Marks and mentions are those of the one finder; here each is tied to the reference that it means.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from citeproof.reading.extractors.prose.citation_marks import find_marks, spread_numbers
from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention, find_mentions
from citeproof.reading.extractors.prose.prose_mask import mask_prose
from citeproof.reading.extractors.prose.sentence_spans import (
    MAX_SENTENCE,
    find_sentence_spans,
    load_words,
    render_sentence,
)
from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import RawReference

__all__ = ["MAX_BODY", "MAX_SENTENCE", "MAX_SENTENCES", "SentenceIndex", "attach_sentences"]

MAX_BODY = 2_000_000  # characters of running text that are searched
MAX_SENTENCES = 20  # kept per reference
_NEAR = 50  # characters of a long sentence whose marks are shown with the same part of it
_HEAD = 160  # characters of a citation string in which its first author stands
_LISTED = 20  # references of one author and year that one mention may mean

_ROUND = re.compile(r"(?<=[\w)”’\"])\s?\((\d{1,3}(?:\s?[,;\u2010-\u2015-]\s?\d{1,3}){0,20})\)(?=[\s.,;:)])")
_COUNTED = re.compile(
    r"(?:eqs?|equations?|formula|gleichung|steps?|items?|cases?|nos?|vol|issue|figs?|figures?|tables?)\.?\s?$",
    re.IGNORECASE,
)
_STATED = re.compile(r"\((?:[A-Za-z.]{0,12}\s)?((?:1[5-9]|20)\d\d)([a-z])?[,)\s/]")
_POINTED = re.compile(r"[.,;]\s((?:1[5-9]|20)\d\d)([a-z])?\s?(?=[.,:;(]|$)")
_ANY = re.compile(r"(?<![\d./:-])((?:1[5-9]|20)\d\d)([a-z])?(?![\d\w])")
_ADDRESS = re.compile(r"https?://\S{1,300}|10\.\d{4,9}/\S{1,200}")
_WORD = re.compile(r"[^\W\d_][^\W\d_'’ʼ\u2010\u2011-]*+(?:['’ʼ\u2010\u2011-][^\W\d_]++)*+")
_NAME_END = re.compile(r"[,(:;“\"]|\set\sal|\s(?:and|und|&|et)\s|(?<=[^\W\d_]{3})\.")


def attach_sentences(references: Sequence[RawReference], body: str) -> tuple[RawReference, ...]:
    """Return `references`, each with the sentences of `body` that cite it behind those it has already."""
    body = body[:MAX_BODY]
    places: list[set[int]] = [set() for _ in references]
    keys: dict[str, list[int]] = {}
    for index, reference in enumerate(references):
        keys.setdefault(reference.key, []).append(index)
    prose = mask_prose(body).prose if references else ""
    for at, key in _find_marks(prose, keys):
        for index in keys.get(key, ()):
            places[index].add(at)
    for at, index in _match_mentions(prose, [_read_author_year(reference) for reference in references]):
        places[index].add(at)
    if not any(places):
        return tuple(references)
    sentences = SentenceIndex(body)
    attached: list[RawReference] = []
    for reference, cited in zip(references, places, strict=True):
        citing = dict.fromkeys([*reference.citing, *sentences.find_sentences(sorted(cited))])
        attached.append(replace(reference, citing=tuple(citing)[:MAX_SENTENCES]) if cited else reference)
    return tuple(attached)


class SentenceIndex:
    """The sentences of one text, by the places they hold."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._spans = list(find_sentence_spans(body))
        self._starts = [start for start, _ in self._spans]
        self._rendered: dict[tuple[int, int], str] = {}

    def find_sentences(self, places: Sequence[int]) -> tuple[str, ...]:
        """Return the sentences that hold `places`, each once, in order, at most `MAX_SENTENCES`."""
        sentences: dict[str, None] = {}
        for place in places:
            sentences.setdefault(self._find_sentence(place))
            if len(sentences) == MAX_SENTENCES:
                break
        return tuple(sentences)

    def _find_sentence(self, place: int) -> str:
        """Return the sentence that holds `place`; marks that stand close together share one."""
        index = bisect_right(self._starts, place) - 1
        start, end = self._spans[index]
        long = end - start > MAX_SENTENCE  # then only its part around the mark is stored
        place = min(place - place % _NEAR + _NEAR - 1, end - 1) if long else start
        if (index, place) not in self._rendered:
            self._rendered[index, place] = render_sentence(self._body, start, end, place)
        return self._rendered[index, place]


# --- marks -------------------------------------------------------------------------------------------


def _find_marks(prose: str, keys: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield place and key of the marks, as the text marks: in brackets, else raised, else (3)."""
    listed = {key.removeprefix("^"): True for key in keys}
    numbered = any(key.isdecimal() for key in keys)
    raised: list[tuple[int, str]] = []
    bracketed = False
    for mark in find_marks(prose, listed):
        opened = prose[mark.start : mark.start + 2]
        noted = "^" if opened == "[^" else ""
        marks = [(mark.start, noted + label) for label in mark.labels]
        if opened[:1] not in "[【\\@:":
            raised += marks
            continue
        bracketed |= any(key.isdecimal() and key in keys for _, key in marks)
        yield from marks
    if numbered and not bracketed:
        yield from raised or _find_round_marks(prose, keys)


def _find_round_marks(prose: str, keys: Collection[str]) -> list[tuple[int, str]]:
    """Return the marks like (3), if they are plainly how the document cites: most references have one.

    Equations and steps are counted in the same way, so that two or three such numbers prove nothing.
    """
    marks = [
        (match.start(), key)
        for match in _ROUND.finditer(prose)
        if not _COUNTED.search(prose, max(0, match.start() - 12), match.start())
        for key in spread_numbers(match[1])
        if key in keys
    ]
    numbered = sum(key.isdecimal() for key in keys)
    return marks if 2 * len({key for _, key in marks}) > numbered else []


# --- authors and years -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _AuthorYear:
    """Who wrote a reference and when, folded: the words its first author may be called by."""

    words: frozenset[str]
    year: str
    suffix: str
    others: frozenset[str]  # the family names of the co-authors, where the document states them


def _match_mentions(prose: str, listed: Sequence[_AuthorYear | None]) -> Iterator[tuple[int, int]]:
    """Yield place and index in `listed` of each mention of one of them."""
    by_name: dict[tuple[str, str], list[int]] = {}
    for index, work in enumerate(listed):
        for word in work.words if work else ():
            called = by_name.setdefault((work.year if work else "", word), [])
            if len(called) < _LISTED:
                called.append(index)
    for mention in find_mentions(prose) if by_name else ():
        called = _find_called(mention, by_name, listed)
        exact = [index for index in called if (work := listed[index]) and work.suffix == mention.letter != ""]
        yield from ((mention.start, index) for index in exact or called)


def _find_called(
    mention: AuthorYearMention,
    by_name: Mapping[tuple[str, str], Sequence[int]],
    listed: Sequence[_AuthorYear | None],
) -> list[int]:
    """Return the works whose first author a mention names first.

    What stands before them may have been read as a name: "(Long Memory, Hochreiter and Schmidhuber, 1997)".
    """
    for at in range(max(1, len(mention.names) - 1)):
        name, second = (
            mention.names[at],
            [_fold_word(other.family) for other in mention.names[at + 1 : at + 2]],
        )
        words = dict.fromkeys(map(_fold_word, (name.family, name.display, *reversed(name.display.split()))))
        called = [index for word in words for index in by_name.get((str(mention.year), word), ())]
        fitting = [
            index
            for index in dict.fromkeys(called)
            if (work := listed[index]) and (not work.others or work.others.issuperset(second))
        ]
        if fitting:
            return fitting
    return []


def _fold_word(word: str) -> str:
    return "".join(re.findall(r"[^\W\d_]+", strip_marks(word).casefold()))


def _read_author_year(reference: RawReference) -> _AuthorYear | None:
    """Return who wrote `reference` and when; None if one of the two is not known."""
    year, suffix = _read_year(reference)
    words, others = _read_author_words(reference)
    return _AuthorYear(words - {""}, year, suffix, others) if year and words - {""} else None


def _read_author_words(reference: RawReference) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words the first author may be called by, and the co-authors if they are stated."""
    claimed = reference.claimed
    stated = (claimed.authors or claimed.editors) if claimed else ()
    if not stated:
        return frozenset(_find_leading_names(reference.text[:_HEAD])), frozenset()
    first = stated[0]
    words = {_fold_word(first.family), *([names.make_family_key(first)] if not first.collective else [])}
    if first.collective:
        words |= {_fold_word(first.family.split()[0]), _make_acronym(first.family)}
    words |= {_fold_word(word) for word in re.split(r"[\s-]", first.family) if len(word) > 3}
    others = (key for name in stated[1:40] for key in (_fold_word(name.family), names.make_family_key(name)))
    return frozenset(words), frozenset(others)


def _find_leading_names(text: str) -> set[str]:
    """Return the capitalised words at the head of a citation string, up to its first name's end."""
    head = _NAME_END.split(text.lstrip('*_[“" '), maxsplit=1)[0]
    if re.fullmatch(r"\s{0,3}(?:[^\W\d_]\.?[\s-]?){1,3}", head):  # initials alone: "A., Smith"
        head = text[:60]
    leading = [word[0] for word in _WORD.finditer(head) if word[0][0].isupper() or not word[0].isascii()]
    folded = {_fold_word(word) for word in leading[:4] if len(word) > 1} - load_words("stops")
    return folded | ({_make_acronym(head)} if len(leading) > 2 else set())


def _make_acronym(name: str) -> str:
    letters = "".join(word[0][0] for word in _WORD.finditer(name) if word[0][0].isupper())
    return letters.casefold() if len(letters) > 2 else ""


def _read_year(reference: RawReference) -> tuple[str, str]:
    """Return year and letter of a reference: as its text prints them, else as it claims the year."""
    text = _ADDRESS.sub(" ", reference.text[:2000])
    stated = str(reference.claimed.year) if reference.claimed and reference.claimed.year else ""
    if stated:
        letter = re.search(rf"(?<!\d){stated}([a-z])(?![a-z\d])", text)
        return stated, letter[1] if letter else ""
    match = _STATED.search(text) or _POINTED.search(text)
    if match is None:
        *_, match = [None, *_ANY.finditer(text)]
    return (match[1], match[2] or "") if match else ("", "")
