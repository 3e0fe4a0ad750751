"""The sentences of a document that cite its references, by number, by label, or by author and year."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from citeproof.extractors.prose.author_year_mentions import find_mentions, read_author_year
from citeproof.extractors.prose.sentence_spans import MAX_SENTENCE, find_sentence_spans, render_sentence
from citeproof.vocabulary import RawReference

__all__ = [
    "MAX_BODY",
    "MAX_SENTENCE",
    "MAX_SENTENCES",
    "SentenceIndex",
    "attach_sentences",
    "find_citing_sentences",
]

MAX_BODY = 2_000_000  # characters of running text that are searched
MAX_SENTENCES = 20  # kept per reference
_NEAR = 50  # characters of a long sentence whose marks are shown with the same part of it
_WIDEST = 100  # references in one range such as [3-8]

Mark = tuple[int, str]  # where it is, the number or label it names

# In brackets: numbers, labels, a footnote. A link's text is not one, nor is the line of the footnote itself.
_BRACKET = re.compile(r"\[(\^[^\]\s]{1,60}|[^\[\]\n]{1,200}(?:\n[^\[\]\n]{1,80})?)\](?!\()")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\[\]\n]{1,60}\]:", re.MULTILINE)
_NUMBERS = re.compile(r"(\d{1,4})(?:\s?(?:[\u2010-\u2015\u2212-]|to)\s?(\d{1,4}))?")
_CUT = re.compile(r"\s{0,3}(?:[,;/]|\band\b|&)\s{0,3}")
_LEAD = re.compile(r"(?:see(?: also)?|e\.g\.,?|cf\.|vgl\.|refs?\.?|reviewed in)\s", re.IGNORECASE)
_SPREAD = re.compile(r"\[(\d{1,4})\]\s?[\u2010-\u2015\u2212-]\s?\[(\d{1,4})\]")  # [3]–[6]
_ROUND = re.compile(r"(?<=[\w)”’\"])\s?\((\d{1,3}(?:\s?[,;\u2010-\u2015-]\s?\d{1,3}){0,20})\)(?=[\s.,;:)])")
_COUNTED = re.compile(
    r"(?:eqs?|equations?|formula|gleichung|steps?|items?|cases?|nos?|vol|issue|figs?|figures?|tables?)\.?\s?$",
    re.IGNORECASE,
)
_RAISED = re.compile(r"(?:(?<=[^\W\d_]{3})|(?<=[.,;:)”’\"]))[⁰¹²³⁴-⁹](?:[⁻,–-]?[⁰¹²³⁴-⁹]){0,9}")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def find_citing_sentences(body: str) -> dict[str, tuple[str, ...]]:
    """Return for each mark (`12`, `^note`, `Knu97`) the sentences of `body` that hold it."""
    body = body[:MAX_BODY]
    found: dict[str, list[int]] = {}
    for at, key in _find_bracket_marks(body):
        found.setdefault(key, []).append(at)
    sentences = SentenceIndex(body) if found else None
    return {key: sentences.find_sentences(places) for key, places in found.items()} if sentences else {}


def attach_sentences(references: Sequence[RawReference], body: str) -> tuple[RawReference, ...]:
    """Return `references`, each with the sentences of `body` that cite it behind those it has already."""
    body = body[:MAX_BODY]
    places: list[list[int]] = [[] for _ in references]
    keys: dict[str, list[int]] = {}
    for index, reference in enumerate(references):
        keys.setdefault(reference.key, []).append(index)
    for at, key in _find_marks(body, keys):
        for index in keys.get(key, ()):
            places[index].append(at)
    for at, index in find_mentions(body, [read_author_year(reference) for reference in references]):
        places[index].append(at)
    if not any(places):
        return tuple(references)
    sentences = SentenceIndex(body)
    kept: list[RawReference] = []
    for one, found in zip(references, places, strict=True):
        citing = dict.fromkeys([*one.citing, *sentences.find_sentences(sorted(found))]) if found else {}
        kept.append(replace(one, citing=tuple(citing)[:MAX_SENTENCES]) if found else one)
    return tuple(kept)


class SentenceIndex:
    """The sentences of one text, by the places they hold."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._spans = list(find_sentence_spans(body))
        self._starts = [start for start, _ in self._spans]
        self._told: dict[tuple[int, int], str] = {}

    def find_sentences(self, places: Sequence[int]) -> tuple[str, ...]:
        """Return the sentences that hold `places`, each once, in order, no more than are kept."""
        told: dict[str, None] = {}
        for place in places:
            told.setdefault(self._find_sentence(place))
            if len(told) == MAX_SENTENCES:
                break
        return tuple(told)

    def _find_sentence(self, place: int) -> str:
        """Return the sentence that holds `place`; marks that stand close together share one."""
        index = bisect_right(self._starts, place) - 1
        start, end = self._spans[index]
        long = end - start > MAX_SENTENCE  # then only its part around the mark is kept
        place = min(place - place % _NEAR + _NEAR - 1, end - 1) if long else start
        told = self._told.get((index, place))
        if told is None:
            told = self._told[index, place] = render_sentence(self._body, start, end, place)
        return told


def _find_marks(body: str, keys: Collection[str]) -> Iterator[Mark]:
    """Yield the marks of `body` in the ways it marks: brackets, else raised figures, else (3)."""
    bracketed = False
    for at, key in _find_bracket_marks(body):
        bracketed |= key.isdecimal() and key in keys
        yield at, key
    if bracketed or not any(key.isdecimal() for key in keys):
        return
    raised = [(m.start(), k) for m in _RAISED.finditer(body) for k in _split_mark(m[0].translate(_LOWERED))]
    yield from raised or _find_round_marks(body, keys)


def _find_bracket_marks(body: str) -> Iterator[Mark]:
    """Yield what is in square brackets, ranges spelled out."""
    if "[" not in body:
        return
    defined = {match.end() for match in _DEFINITION.finditer(body)}
    for match in _BRACKET.finditer(body):
        if match.end() + 1 not in defined:  # no footnote of its own
            yield from ((match.start(), key) for key in _split_mark(match[1]))
    for match in _SPREAD.finditer(body):
        inner = range(int(match[1]) + 1, min(int(match[2]), int(match[1]) + _WIDEST))
        yield from ((match.start(), str(number)) for number in inner)


def _find_round_marks(body: str, keys: Collection[str]) -> list[Mark]:
    """Return the marks like (3), if they are plainly how the document cites: most references have one.

    Equations and steps are counted in the same way, so that two or three such numbers prove nothing.
    """
    found = [
        (match.start(), key)
        for match in _ROUND.finditer(body)
        if not _COUNTED.search(body, max(0, match.start() - 12), match.start())
        for key in _split_mark(match[1])
        if key in keys
    ]
    numbered = sum(key.isdecimal() for key in keys)
    return found if 2 * len({key for _, key in found}) > numbered else []


def _split_mark(mark: str) -> list[str]:
    """Return the references one mark names: "1, 3-5" ⇒ 1, 3, 4, 5; "see Knu97, p. 3" ⇒ Knu97, p. 3."""
    mark = _LEAD.sub("", " ".join(mark.split()), count=1)
    if mark.startswith("^"):
        return [mark]
    keys: list[str] = []
    for part in _CUT.split(mark):
        if not (numbers := _NUMBERS.fullmatch(part)):
            keys.append(part)
            continue
        low = int(numbers[1])
        high = min(int(numbers[2] or low), low + _WIDEST)
        keys += [str(number) for number in range(low, high + 1)]
    return [key for key in dict.fromkeys(keys) if key]
