"""The text of a work, split into passages and ready for many claims."""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from citeproof.claims.quotes import SourceIndex, index_source
from citeproof.claims.support.passage_words import load_word_table, split_content_words, stem_word
from citeproof.claims.support.text_quantities import find_number_words
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.claim_support import EvidencePassage
from citeproof.vocabulary.source_texts import SourceText

MOST_TEXT = 5_000_000  # characters of a text that are read
_LONGEST = 900  # characters of a passage: a table or a text without full stops is cut
_SHORTEST = 20
_ABBREVIATION = re.compile(r"\(([A-Z][\w-]{1,9})\)")
_BEFORE = re.compile(r"[^\W\d_][\w'’-]{0,40}")
_DIGITS = re.compile(r"\d{1,3}(?:[, \u2009\u202f]\d{3}){1,4}(?!\d)(?:[.·]\d{1,9})?|\d{1,12}(?:[.·]\d{1,9})?")
_GROUPS = re.compile(r"[, \u2009\u202f]")


@cache
def _load_common_stems() -> dict[str, float]:
    """Return how rare the common stems of scholarly titles are: minus the logarithm of their share.

    The table was counted once, on titles of works (`bench/stem_rarity.py`), on no text of a benchmark.
    """
    source = files("citeproof.claims.support").joinpath("common_stems.json").read_text("utf-8")
    return {stem: float(rarity) for rarity, stems in json.loads(source).items() for stem in stems.split()}


@dataclass(frozen=True, eq=False)
class PassageIndex:
    """A text, its passages as spans, and which passages have a stem."""

    source: SourceText
    spans: tuple[tuple[int, int], ...]
    postings: dict[str, list[int]]
    abbreviations: dict[str, frozenset[str]]  # stem of an abbreviation, and the stems that it stands for

    def weigh_stem(self, stem: str) -> float:
        """Return how much a stem tells: it is rare here, and rare in scholarly titles."""
        common = _load_common_stems()
        general = common.get(stem, _RAREST)
        here = math.log((len(self.spans) + 20) / (len(self.postings.get(stem, ())) + 1))
        share = len(self.spans) / (len(self.spans) + 200)  # of a short text the counts say little
        return (1 - share) * general + share * min(here, _RAREST)

    def read_passage(self, number: int) -> str:
        start, end = self.spans[number]
        return self.source.text[start:end]

    def make_passage(self, start: int, end: int, score: float = 0.0) -> EvidencePassage:
        """Return a stretch of the text with its section and page."""
        text = self.source.text[start:end]
        start += len(text) - len(text.lstrip())
        text = text.strip()
        return EvidencePassage(
            start, start + len(text), text, self.find_section(start), self.find_page(start), round(score, 4)
        )

    def find_section(self, at: int) -> str:
        index = bisect_right(self.source.sections, at, key=lambda section: section[0])
        return self.source.sections[index - 1][1] if index else ""

    def find_page(self, at: int) -> int | None:
        return bisect_right(self.source.page_starts, at) or None if self.source.page_starts else None

    @cached_property
    def _numbers(self) -> list[float]:
        """Every number of the text, in order of size."""
        text = self.source.text[:MOST_TEXT]
        found = {float(_GROUPS.sub("", one[0]).replace("·", ".")) for one in _DIGITS.finditer(text)}
        return sorted(found | find_number_words(text))

    def has_number(self, low: float, high: float) -> bool:
        """Return whether the text has a number between two values."""
        at = bisect_left(self._numbers, low - 1e-9)
        return at < len(self._numbers) and self._numbers[at] <= high + 1e-9

    @cached_property
    def quotation_index(self) -> SourceIndex:
        """The text, ready for looking up quotations."""
        source = self.source
        return index_source(source.text[:MOST_TEXT], page_starts=source.page_starts, sections=source.sections)


_RAREST = 8.0  # of a stem that is not among the common ones: in fewer than 1 of 3,000 titles


def index_passages(source: SourceText, spans: Sequence[tuple[int, int]] | None = None) -> PassageIndex:
    """Return the index of a text; its passages are its sentences, unless `spans` gives others."""
    text = source.text[:MOST_TEXT]
    kept = tuple(spans) if spans is not None else tuple(_find_passage_spans(text))
    postings: dict[str, list[int]] = defaultdict(list)
    for number, (start, end) in enumerate(kept):
        for stem in {stem_word(word) for word in split_content_words(text[start:end])}:
            postings[stem].append(number)
    return PassageIndex(source, kept, dict(postings), _find_abbreviations(text))


def _find_passage_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a text; of an endless one its pieces."""
    for begin, end in find_sentence_spans(text):
        start = begin
        while end - start > _LONGEST:
            cut = text.rfind(" ", start + _LONGEST // 2, start + _LONGEST)
            cut = cut if cut > 0 else start + _LONGEST
            yield start, cut
            start = cut
        if end - start >= _SHORTEST:
            yield start, end


def _find_abbreviations(text: str) -> dict[str, frozenset[str]]:
    """Return what abbreviations stand for, as the text defines them: acute decompensation (AD)."""
    found: dict[str, frozenset[str]] = {}
    stop = load_word_table("stop")
    for match in _ABBREVIATION.finditer(text):
        letters = [letter for letter in match[1].lower() if letter.isalpha()]
        words = _BEFORE.findall(text[max(0, match.start() - 120) : match.start()])
        parts = [part for word in words for part in re.split(r"[-']", word) if part]
        for count in range(min(len(parts), 2 * len(letters)), 0, -1):
            tried = [part.lower() for part in parts[-count:]]
            if tried[0][0] == letters[0] and _spells_abbreviation(tried, letters, stop):
                stems = frozenset(stem_word(part) for part in tried if part not in stop)
                found.setdefault(stem_word(match[1]), stems)
                break
    return found


def _spells_abbreviation(words: Sequence[str], letters: Sequence[str], stop: frozenset[str]) -> bool:
    """Return whether the letters are the first ones of the words, with or without the stop words."""
    initials = "".join(word[0] for word in words if word not in stop)
    wanted = "".join(letters).rstrip("s") or "s"
    return initials == wanted or "".join(word[0] for word in words) == wanted
