"""The words around a mention, and how much they speak for a title.

Four things were fitted on the citations of 14 papers (bench/mentions.py): words of the title in the sentences
that cite it, next to the mention itself, in the document at all, and how often the document uses them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention, find_mentions
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.title import STOPWORDS, split_words

MAX_SENTENCE = 2000  # characters of one citing sentence whose words count
MAX_SENTENCES = 5  # of a document that cite the same, of which the words count
MAX_DOCUMENT = 500_000  # characters of the document whose words count
TOPIC_WORDS = 60  # words that tell what a document is about
_TOPICAL = 0.3  # how much such a word tells at least
_BEFORE, _BEHIND = 70, 40  # characters next to a mention
_STEM = 6  # letters that inflected forms of a word share
_OFTEN = 4.0  # logarithm of how often a word is used that is a document's own
_MOST = 4.0  # words that prove as much as words can
_RARITY = {"most": 0.1, "many": 0.35, "some": 0.65}
_SHORTEST = 3  # letters of a word that says something

IN_SENTENCE, NEXT_TO_IT, IN_DOCUMENT, OFTEN_IN_DOCUMENT = 1.9, 1.2, 0.9, 1.65
BY_NAME = 3.5  # what the work's own name next to the mention says: "BERT (Devlin et al., 2019)"; assumed
_NAME_WORDS = 3  # of such a name, before the colon of its title
_NAMING = 0.35  # what a word must tell to be such a name
_ACRONYM = re.compile(r"\b[A-Z][A-Za-z]*[A-Z]\b")


@dataclass(frozen=True, slots=True)
class MentionSurroundings:
    """What stands around one mention. `used`: how often the document has each stem."""

    sentence: str = ""
    words: frozenset[str] = frozenset()  # stems in the sentences that cite it
    near: frozenset[str] = frozenset()  # stems next to it
    used: Mapping[str, int] | None = None
    topic: tuple[str, ...] = ()
    beside: str = ""  # what is printed next to it

    def weigh_title(self, titles: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        """Return how much the words speak for a work, 1.0 if none does, and those of the sentence."""
        return max(map(self._weigh_one, titles[:5]), default=(1.0, ()))

    def _weigh_one(self, title: str) -> tuple[float, tuple[str, ...]]:
        words = {w: weigh_word(w) for w in split_words(title[:500]) if w not in STOPWORDS}
        whole = sum(words.values())
        if not whole:
            return 1.0, ()
        used = self.used or {}
        shared = [word for word in words if stem_word(word) in self.words]
        said = sum(words[word] for word in shared)
        near = sum(telling for word, telling in words.items() if stem_word(word) in self.near)
        known = sum(telling for word, telling in words.items() if used.get(stem_word(word), 0) > 1)
        often = sum(
            telling * min(1.0, math.log1p(used.get(stem_word(word), 0)) / _OFTEN)
            for word, telling in words.items()
        )
        weight = IN_SENTENCE * min(said, _MOST) + NEXT_TO_IT * min(near, _MOST - 1)
        weight += IN_DOCUMENT * known / whole + OFTEN_IN_DOCUMENT * min(often, _MOST)
        weight += BY_NAME * self._names_work(title)
        return math.exp(weight), tuple(shared)

    def _names_work(self, title: str) -> bool:
        """Return whether a work's name stands next to the mention: the head of its title, or its acronym."""
        head, colon, _ = title.partition(":")
        words = split_words(head)
        if colon and 0 < len(words) <= _NAME_WORDS and max(map(weigh_word, words)) >= _NAMING:
            return f" {' '.join(words)} " in f" {' '.join(split_words(self.beside))} "
        initials = "".join(word[0] for word in words if word not in STOPWORDS)
        said = (acronym.casefold() for acronym in _ACRONYM.findall(self.beside))
        return any(len(acronym) >= _SHORTEST and initials.startswith(acronym) for acronym in said)


class CitingDocument:
    """The words of a document and the sentences in which it mentions each work, read once."""

    def __init__(self, text: str = "") -> None:
        text = text[:MAX_DOCUMENT]
        words = split_words(text)
        self._used = Counter(map(stem_word, words))
        told = Counter(word for word in words if weigh_word(word) >= _TOPICAL)
        self._topic = tuple(word for word, times in told.most_common(TOPIC_WORDS) if times > 1)
        self._cited = _find_citing_sentences(text)

    def find_surroundings(self, mention: AuthorYearMention, sentence: str = "") -> MentionSurroundings:
        """Return what stands around a mention here and wherever the document says the same."""
        own = {word for name in mention.names for word in split_words(name.display)}
        places = [
            (sentence[:MAX_SENTENCE], sentence.find(mention.text)),
            *self._cited.get(_make_label(mention), ()),
        ]
        said: set[str] = set()
        beside = " ".join(
            text[max(0, at - _BEFORE) : at + len(mention.text) + _BEHIND] for text, at in places if at >= 0
        )
        near = _stem_all(beside, own)
        for text, _ in places:
            said |= _stem_all(text, own)
        used = self._used or Counter(map(stem_word, split_words(sentence[:MAX_SENTENCE])))
        return MentionSurroundings(
            sentence[:MAX_SENTENCE], frozenset(said), frozenset(near), used, self._topic, beside
        )


def _find_citing_sentences(text: str) -> dict[str, list[tuple[str, int]]]:
    """Return for each work mentioned some sentences that mention it, and where in them."""
    found: dict[str, list[tuple[str, int]]] = {}
    mentions = list(find_mentions(text))
    if not mentions:
        return found
    at = 0
    for start, end in find_sentence_spans(text):
        while at < len(mentions) and mentions[at].start < end:
            one = mentions[at]
            kept = found.setdefault(_make_label(one), [])
            if len(kept) < MAX_SENTENCES and one.start >= start:
                kept.append((text[start:end][:MAX_SENTENCE], one.start - start))
            at += 1
    return found


def _make_label(mention: AuthorYearMention) -> str:
    families = " ".join(name.family for name in mention.names)
    return f"{families} {mention.et_al} {mention.year}{mention.letter}"


def _stem_all(text: str, own: set[str]) -> set[str]:
    return {stem_word(word) for word in split_words(text) if word not in STOPWORDS and word not in own}


def stem_word(word: str) -> str:
    """Return what inflected forms of a word share: "aggregates", "aggregation" ⇒ "aggreg"."""
    return word[:_STEM] if len(word) > _STEM else word.removesuffix("s")


@cache
def load_rarities() -> dict[str, float]:
    """Return what a frequent word of titles tells, from `title_words.toml`; any other word tells 1.0."""
    tables = load_package_table("citeproof.text", "title_words.toml")
    return {word: rarity for name, rarity in _RARITY.items() for word in tables[name].split()}


def weigh_word(word: str) -> float:
    """Return how much a folded word tells about what a work is of, 0..1."""
    if len(word) < _SHORTEST or word in STOPWORDS or word.isdigit():
        return 0.0
    return load_rarities().get(word, 1.0)
