"""Blocks of running text to sentences; a citation behind a full stop belongs to what it follows.

Citations by number, `[3]` or `[12, 13]`, cite something only where the document lists it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from citeproof.corpus.corpus_types import CitationMark, Sentence, Span
from citeproof.corpus.page.prose import Prose, load_phrases
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans
from citeproof.text import lazy_patterns as re
from citeproof.text.markdown_reader import PageLeaf

_PLACES = 2  # of one number: that of a citation, and another
# "[3] Smith, J. …", "- [3] …", "[3]: https://…"
_BEGINS = re.compile(r"^[ \t>*+-]{0,12}(?:\d{1,4}[.)][ \t]{1,4})?(\[\^?(\d{1,4})\])", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]{0,9}((\d{1,4})[.)])[ \t]", re.MULTILINE)  # "3. Smith, J. …" below "References"
_NUMBER = re.compile(r"\d{1,4}")

# What cites without being one of our marks: [3], [12, 13], [@smith2020], [see @smith2020, p. 4].
CITING = re.compile(
    r"\[(?:\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,20}|(?:[^\[\]@\ufdd0]{0,60}[\s;-])?@[\w:.#$%&+?~/-]{1,100}[^\[\]\ufdd0]{0,200})\]"
)
_SPACE = re.compile(r"\s*+")
_PUNCTUATION = " \t.,;:)"


def split_page_sentences(
    prose: Prose, marks: Sequence[CitationMark]
) -> tuple[list[Sentence], list[PageLeaf]]:
    """Return the sentences of a document in order, and the block of each."""
    sentences: list[Sentence] = []
    owners: list[PageLeaf] = []
    late = _find_late_citations(prose, marks)
    wholes = sorted((mark.whole.start, mark.whole.end) for mark in marks)
    for leaf in prose.blocks.leaves:
        for start, end in _split_block(prose.shape, leaf, late, wholes):
            sentences.append(Sentence(Span(start, end), leaf.block))
            owners.append(leaf)
    return sentences, owners


def _find_late_citations(prose: Prose, marks: Sequence[CitationMark]) -> dict[int, int]:
    """Return start ⇒ end of everything that may be behind the full stop of what it supports."""
    late = {match.start(): match.end() for match in CITING.finditer(prose.scan)} if "[" in prose.scan else {}
    late |= {start: end for start, end, _ in prose.blocks.notes}
    for mark in marks:
        late[mark.whole.start] = max(mark.whole.end, late.get(mark.whole.start, 0))
    return late


def _split_block(
    shape: str, leaf: PageLeaf, late: dict[int, int], wholes: list[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield start and end of the sentences of one block, without the white space around them."""
    begin = leaf.start
    pieces = [
        (begin + first, begin + last) for first, last in find_sentence_spans(shape[leaf.start : leaf.end])
    ]
    start, end = pieces[0] if pieces else (leaf.start, leaf.start)
    for first, last in pieces[1:]:
        moved = _find_sentence_end(shape, first, last, late)
        if moved == last or _is_inside_citation(first, wholes):
            end = last
            continue
        if text := _trim_span(shape, start, moved):
            yield text
        start, end = moved, last
    if text := _trim_span(shape, start, end):
        yield text


def _find_sentence_end(shape: str, first: int, last: int, late: dict[int, int]) -> int:
    """Return where the sentence before `first` ends when the citations that follow it are its own."""
    at = _skip_space(shape, first) if shape[first].isspace() else first
    if at not in late:
        return first
    bracketed = True
    while at < last and at in late:
        bracketed = bracketed and shape[at] in "[("
        at = _skip_space(shape, late[at])
    if not shape[at:last].strip(_PUNCTUATION):
        return last
    following = shape[at]
    goes_on = following.islower() or following in ",;:.)'’" or following.isdecimal()
    return first if goes_on or not bracketed else at


def _skip_space(shape: str, at: int) -> int:
    match = _SPACE.match(shape, at)
    return match.end() if match else at


def _is_inside_citation(at: int, wholes: list[tuple[int, int]]) -> bool:
    """Return whether a citation reaches over `at`."""
    index = bisect_left(wholes, (at, -1)) - 1
    return index >= 0 and wholes[index][1] > at


def _trim_span(shape: str, start: int, end: int) -> tuple[int, int] | None:
    words = shape[start:end]
    stripped = words.strip()
    if not stripped:
        return None
    start += len(words) - len(words.lstrip())
    return start, start + len(stripped)


class NumberedCitations:
    """What a document lists by number."""

    def __init__(self, prose: Prose) -> None:
        self._prose = prose

    def cites(self, match: re.Match[str]) -> bool:
        """Return whether brackets cite something: a key, or a number that is listed elsewhere."""
        inside = match[0][1:-1]
        if not inside[:1].isdecimal():
            return True
        return any(
            place != match.start()
            for number in _NUMBER.findall(inside)
            for place in self._listed.get(int(number), ())
        )

    @cached_property
    def _listed(self) -> dict[int, list[int]]:
        """Where each number begins a line or an item of the list of references."""
        listed: dict[int, list[int]] = defaultdict(list)
        text = self._prose.text
        matches = [*_BEGINS.finditer(text)]
        if (start := self._references()) >= 0:
            matches += _ITEM.finditer(text, start)
        for match in matches:
            places = listed[int(match[2])]
            if len(places) < _PLACES:
                places.append(match.start(1))
        return listed

    def _references(self) -> int:
        """Return where the list of references begins: behind its heading; -1 if there is none."""
        titles = load_phrases("reference_titles")
        for leaf in self._prose.blocks.leaves:
            title = self._prose.masked[leaf.start : min(leaf.end, leaf.start + 60)]
            if leaf.heading and " ".join(title.split()).strip(":*_ ").lower() in titles:
                return leaf.end
        return -1
