"""Statistics and appeals to studies, and whether a source stands nearby."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache

from citeproof.corpus.corpus_types import Assertion, DocumentClaim, Sentence, Span
from citeproof.corpus.page.prose import Prose, load_phrases, load_words
from citeproof.text import lazy_patterns as re
from citeproof.text.markdown_reader import PageLeaf

_PERCENT = re.compile(
    r"\d(?:[\d.,]{0,14}\d)?(?:\s?[-–—]\s?\d(?:[\d.,]{0,14}\d)?)?"
    r"(?:\s?%(?!\w)(?!\s?\d)|\s?(?:percent(?:age\spoints?)?|per\scent|prozent)(?!\w))"
)
_AMOUNT = re.compile(
    r"\d(?:[\d.,]{0,14}\d)?(?:\s?[-–—]\s?\d(?:[\d.,]{0,14}\d)?)?\s?"
    r"(?:(?:hundred\s)?thousand|million|billion|trillion|million(?:en|s|es)|milliarden?|mio\.|mrd\.)\s"
    r"(?:of\s)?[^\W\d_]{3,40}"
)
_LARGE = ("thousand", "illi", "mio.", "mrd.")  # one of them is in every such amount
# "95% CI": how, not what
_METHOD = re.compile(r"[\s-]{0,2}(?:ci\b|confidence|credible\sinterval|prediction\sinterval)")
_SPOKEN = 60  # characters around a word in which its phrase stands
_BY = re.compile(r"\s{1,3}by\b")
_QUOTING = frozenset('"“„«‘')
_APART = frozenset("_%#/.,")  # before a number that belongs to something else


def find_claims(
    prose: Prose, sentences: Sequence[Sentence], owners: Sequence[PageLeaf], backed: set[int]
) -> Iterator[DocumentClaim]:
    """Yield the claims of a document in order; `backed` are the sentences that have a source in them."""
    starts = [sentence.span.start for sentence in sentences]
    near = _NearbySources(prose, sentences, owners, backed)
    hits = sorted({*_find_figures(prose.low), *_find_studies(prose.low)})
    ends = dict.fromkeys(Assertion, 0)
    for start, end, kind in hits:
        index = bisect_right(starts, start) - 1
        if start < ends[kind]:
            continue  # "it has been shown" and "has been shown to" are one
        ends[kind] = end
        if not owners[index].heading:
            yield DocumentClaim(kind, Span(start, end), prose.text[start:end], index, near.has_source(index))


def _find_figures(low: str) -> Iterator[tuple[int, int, Assertion]]:
    """Yield percentages, amounts and factors; a pattern is tried only if one of its words is there."""
    figures, spelt = _compile_times_patterns()
    for kind, pattern, words in (
        (Assertion.PERCENT, _PERCENT, ("%", "cent", "prozent")),
        (Assertion.AMOUNT, _AMOUNT, _LARGE),
        (Assertion.TIMES, figures, ("",)),
        (Assertion.TIMES, spelt, (" times ",)),
    ):
        for match in pattern.finditer(low) if any(map(low.__contains__, words)) else ():
            before = low[match.start() - 1 : match.start()]
            method = kind is Assertion.PERCENT and _METHOD.match(low, match.end())
            if not (before.isalnum() or before in _APART or method):
                yield match.start(), match.end(), kind


@cache
def _compile_times_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of "10x faster" and of "ten times faster"."""
    compared = "|".join(sorted(map(re.escape, load_words("times_words"))))
    numbers = "|".join(sorted(load_words("times_numbers")))
    behind = rf"\s{{1,3}}(?:{compared})(?!\w)"
    return (
        re.compile(rf"\d(?:[\d.,]{{0,9}}\d)?(?:\s?[x×]|[\s-]?fold|\stimes){behind}"),
        re.compile(rf"(?:{numbers})\stimes{behind}"),
    )


def _find_studies(low: str) -> Iterator[tuple[int, int, Assertion]]:
    for subject in load_phrases("studies_subjects"):
        for start in _find_whole_words(low, subject):
            verb = _compile_verbs().match(low, start + len(subject))
            if (
                verb
                and not (_BY.match(low, verb.end()) and low[: verb.end()].endswith(("ed", "n", "found")))
                and not _is_own_work(low, start)
                and not _is_only_named(low, start, verb.end())
            ):
                yield start, verb.end(), Assertion.STUDIES
    for word, patterns in _compile_phrases().items():
        for at in _find_whole_words(low, word):
            for pattern in patterns:
                said = pattern.search(low, max(0, at - _SPOKEN), at + _SPOKEN)
                if said and not _is_only_named(low, *said.span()):
                    yield *said.span(), Assertion.STUDIES


@cache
def _compile_phrases() -> dict[str, list[re.Pattern[str]]]:
    """Return the patterns of the phrases by the longest word of each: few texts have that word at all."""
    groups: dict[str, list[re.Pattern[str]]] = {}
    for phrase in load_phrases("studies_phrases"):
        pattern = re.compile(r"\b" + r"\s{1,5}".join(map(re.escape, phrase.split())) + r"\b")
        groups.setdefault(max(phrase.split(), key=len), []).append(pattern)
    return groups


def _find_whole_words(low: str, phrase: str) -> Iterator[int]:
    """Yield where `phrase` stands as whole words."""
    at = low.find(phrase)
    while at >= 0:
        after = low[at + len(phrase) : at + len(phrase) + 1]
        before = low[at - 1 : at]
        if not (before.isalnum() or before in ("-", "_") or after.isalnum() or after in ("-", "_")):
            yield at
        at = low.find(phrase, at + 1)


@cache
def _compile_verbs() -> re.Pattern[str]:
    adverbs = "|".join(sorted(load_words("studies_adverbs")))
    verbs = "|".join(sorted(load_words("studies_verbs")))
    return re.compile(rf"(?:\s{{1,3}}(?:{adverbs})(?!\w)){{0,4}}\s{{1,3}}(?:{verbs})(?!\w)")


def _is_own_work(low: str, start: int) -> bool:
    """Return whether the writer's own work is meant: "our experiments show"."""
    before = low[max(0, start - 24) : start].split()
    return bool(before) and any(word in ("our", "my", "own") for word in before[-2:])


def _is_only_named(low: str, start: int, end: int) -> bool:
    """Return whether the words are only spoken of: 'the phrase "studies show"'."""
    return low[start - 1 : start] in _QUOTING and any(sign in low[end : end + 30] for sign in '"”“’»')


class _NearbySources:
    """Which sentences have a source in them or next to them."""

    def __init__(
        self, prose: Prose, sentences: Sequence[Sentence], owners: Sequence[PageLeaf], backed: set[int]
    ) -> None:
        self.prose, self.sentences, self.owners, self.backed = prose, sentences, owners, backed
        self.rows: set[int] = {owners[index].row for index in backed if owners[index].row >= 0}
        self.tables: dict[int, tuple[int, int]] = {}
        self.lists: dict[int, int] = {}  # first sentence of each list
        for index, leaf in enumerate(owners):
            if leaf.table >= 0:
                self.tables[leaf.table] = (self.tables.get(leaf.table, (index, index))[0], index)
            if leaf.item >= 0:
                self.lists.setdefault(leaf.item, index)

    def has_source(self, index: int) -> bool:
        leaf = self.owners[index]
        if index in self.backed:
            return True
        block = self.sentences[index].block
        if any(self.sentences[near].block == block for near in {index - 1, index + 1} & self.backed):
            return True
        if leaf.table >= 0:
            first, last = self.tables[leaf.table]
            return leaf.row in self.rows or first - 1 in self.backed or last + 1 in self.backed
        if leaf.item < 0 or (lead := self.lists[leaf.item] - 1) not in self.backed:
            return False
        span = self.sentences[lead].span  # the sentence before a list leads to it: it ends with a colon
        return self.prose.masked[span.start : span.end].rstrip(" \t\r\n)]*_").endswith(":")
