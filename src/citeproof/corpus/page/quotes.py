"""Words between quotation marks, block quotations, and the pages that a citation names: `pp. 12–15`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from citeproof.corpus.corpus_types import CitationMark, Pages, Pattern, Quote, Sentence, Span
from citeproof.corpus.page.prose import Prose
from citeproof.text import lazy_patterns as re

_PAGES = re.compile(
    r"(?:pp?\.|pages?|s\.|seiten?)\s{0,3}(\d{1,6})(?:\s{0,2}(?:[-–—‒]|to|bis)\s{0,2}(\d{1,6}))?"
    r"(?:\s?ff?\b)?(?![\w%])(?!\.\d)"
)
_NEXT = re.compile(
    r"(?:\s?[,&]|,?\sand|\sund)\s{0,2}(\d{1,5})(?:\s{0,2}[-–—‒]\s{0,2}(\d{1,5}))?(?![\w%:])(?!\.\d)(?!\s[a-z]{3,}s\b)"
)
_MANY = ("pp.", "pages", "seiten")
_LISTED = 9  # further pages of one list
_NEAR = 40  # characters behind a citation in which "S. 12" means a page

_MOST = 2_000  # characters of one quote
_LEAST = 4  # words of one quote

_MARKS = re.compile(
    r"\"(?<!\w.)(?=\S)([^\"\ufdd0]{8,2000})(?<=\S)\"(?!\w)"
    r"|“([^“”\ufdd0]{8,2000})”|„([^„“”\ufdd0]{8,2000})[“”]|«([^«»\ufdd0]{8,2000})»"
    r"|‘(?<!\w.)((?:[^‘’\ufdd0]|’(?=\w)){8,2000})’(?!\w)"
)
_OPENING = re.compile('["“„«‘]')
_GAP = re.compile(r" (?=[.,;:!?](?:\s|\Z))")  # a citation was taken out before it
_WORD = re.compile(r"\w+")
_CITED = "\ufdd1"  # stands where a citation was; no character of any language
# "— Smith, 2020" below it, or "— see REF-001, p. 3"
_SIGNED = re.compile(rf"\s(?:—|–|--)\s?(?:[^\Wa-z_]|[^—–.]{{0,40}}{_CITED}).{{0,200}}\Z", re.DOTALL)


def find_quotes(
    prose: Prose, sentences: Sequence[Sentence], bearing: Callable[[int], Sequence[CitationMark]]
) -> Iterator[Quote]:
    """Yield the quotes of a document in order; `bearing` gives the marks of a sentence."""
    starts = [sentence.span.start for sentence in sentences]
    inline = (
        list(_find_inline_quotes(prose, sentences, starts, bearing)) if _OPENING.search(prose.shape) else []
    )
    blocks = list(_find_block_quotes(prose, sentences, starts, inline, bearing))
    yield from sorted([*inline, *blocks], key=lambda quote: quote.span.start)


def _find_inline_quotes(
    prose: Prose,
    sentences: Sequence[Sentence],
    starts: list[int],
    bearing: Callable[[int], Sequence[CitationMark]],
) -> Iterator[Quote]:
    for match in _MARKS.finditer(prose.shape):
        start, end = match.span(match.lastindex or 0)
        text = prose.read_legible(start, end)
        first, last = (bisect_left(starts, at + 1) - 1 for at in (start, match.end()))
        if _has_enough_words(text) and not _is_citation(prose, Span(start, end), bearing(first)):
            near = _list_neighbours(prose, sentences, first, last, match.span())
            citing = (index for index in (*range(first, last + 1), *near) if _has_citation(bearing(index)))
            yield Quote(Span(start, end), text, next(citing, first))


def _list_neighbours(
    prose: Prose, sentences: Sequence[Sentence], first: int, last: int, quoted: tuple[int, int]
) -> list[int]:
    """Return the sentences that may cite a quote of several sentences which is all there is in them.

    Such a quote is most often from the source that the sentence after it or before it names. A single
    sentence between quotation marks may be anything: a title, a message, a remark.
    """
    whole = Span(sentences[first].span.start, sentences[last].span.end)
    around = prose.shape[whole.start : quoted[0]] + prose.shape[quoted[1] : whole.end]
    if first == last or _WORD.search(around):
        return []
    near = [index for index in (last + 1, first - 1) if 0 <= index < len(sentences)]
    return [index for index in near if sentences[index].block == sentences[first].block]


def _is_citation(prose: Prose, span: Span, marks: Sequence[CitationMark]) -> bool:
    """Return whether what is between quotation marks is little more than a citation."""
    inside = [mark for mark in marks if span.start <= mark.span.start and mark.span.end <= span.end]
    return bool(inside) and not _has_enough_words(_extract_quoted_words(prose, span, inside))


def _find_block_quotes(
    prose: Prose,
    sentences: Sequence[Sentence],
    starts: list[int],
    inline: list[Quote],
    bearing: Callable[[int], Sequence[CitationMark]],
) -> Iterator[Quote]:
    """Yield the block quotations; one that quotes inside itself is a remark, and those quotes count."""
    quoted = [quote.span.start for quote in inline]
    for start, end in prose.blocks.quotes:
        if bisect_left(quoted, start) < bisect_left(quoted, end):
            continue
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        if first == last or end - start > 2 * _MOST:
            continue
        citing = _find_citing_sentence(first, last, bearing, len(sentences))
        span = Span(sentences[first].span.start, sentences[last - 1].span.end)
        text = _extract_quoted_words(
            prose, span, [mark for index in range(first, last) for mark in bearing(index)]
        )
        if _has_enough_words(text) and len(text) <= _MOST:
            yield Quote(span, text, citing)


def _find_citing_sentence(
    first: int, last: int, bearing: Callable[[int], Sequence[CitationMark]], most: int
) -> int:
    """Return the sentence that cites what is quoted: inside, directly before or directly after."""
    near = [index for index in (*range(first, last), first - 1, last) if 0 <= index < most]
    return next((index for index in near if _has_citation(bearing(index))), first)


def _has_citation(marks: Sequence[CitationMark]) -> bool:
    return any(mark.pattern is not Pattern.CODE for mark in marks)


def _extract_quoted_words(prose: Prose, span: Span, marks: Sequence[CitationMark]) -> str:
    """Return the words of a block quotation without its citations and without its signature."""
    pieces: list[str] = []
    at = span.start
    for mark in sorted(marks, key=lambda mark: mark.whole.start):
        spoken = mark.pattern is Pattern.AUTHOR_YEAR and mark.whole == mark.span  # "Smith et al. (2020) say"
        if not spoken and at <= mark.whole.start < span.end:
            pieces += prose.read_legible(at, mark.whole.start), _CITED
            at = mark.whole.end
    pieces.append(prose.read_legible(min(at, span.end), span.end))
    text = _SIGNED.sub("", " ".join(piece for piece in pieces if piece)).replace(f"{_CITED} ", "")
    text = _GAP.sub("", text.replace(_CITED, ""))
    return text.strip(' "“”„«»—–-')


def _has_enough_words(text: str) -> bool:
    return sum(1 for _ in islice(_WORD.finditer(text), _LEAST)) == _LEAST


def find_cited_pages(
    prose: Prose, sentences: Sequence[Sentence], bearing: Callable[[int], Sequence[CitationMark]]
) -> Iterator[Pages]:
    """Yield the pages named in sentences that cite something other than code."""
    starts = [item.span.start for item in sentences]
    cited: dict[int, list[int]] = {}  # where the citations of each sentence end
    for match in _PAGES.finditer(prose.low):
        start, end = match.start(), match.end(2) if match[2] else match.end(1)
        before = prose.low[start - 1 : start]
        if before.isalnum() or before in ("_", ".", "-"):
            continue
        sentence = bisect_right(starts, start) - 1
        if sentence not in cited:
            cited[sentence] = sorted(
                mark.span.end for mark in bearing(sentence) if mark.pattern is not Pattern.CODE
            )
        ends = cited[sentence]
        if ends and (match[0][0] != "s" or match[0].startswith("seite") or _is_near_citation(ends, start)):
            first, last = int(match[1]), _read_last_page(match[1], match[2])
            yield Pages(Span(start, end), prose.text[start:end], first, last, sentence)
            if match[0].startswith(_MANY):
                yield from _find_further_pages(prose, match.end(), sentence)


def _find_further_pages(prose: Prose, at: int, sentence: int) -> Iterator[Pages]:
    """Yield the further pages of a list: "pages 3, 7 and 12"."""
    for _ in range(_LISTED):
        match = _NEXT.match(prose.low, at)
        if match is None:
            return
        at = match.end()
        span = Span(match.start(1), match.end(2) if match[2] else match.end(1))
        raw = prose.text[span.start : span.end]
        yield Pages(span, raw, int(match[1]), _read_last_page(match[1], match[2]), sentence)


def _is_near_citation(ends: Sequence[int], start: int) -> bool:
    index = bisect_right(ends, start) - 1
    return index >= 0 and start - ends[index] <= _NEAR


def _read_last_page(first: str, last: str | None) -> int:
    """Return the last page; `12-5` is short for `12-15`."""
    if last is None:
        return int(first)
    if len(last) < len(first) and int(last) < int(first):
        last = first[: len(first) - len(last)] + last
    return int(last)
