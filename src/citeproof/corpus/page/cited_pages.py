"""Pages that a citation names: `p. 12`, `pp. 12–15`, `pages 12 to 15`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from citeproof.corpus.corpus_types import CitationMark, Pages, Pattern, Sentence, Span
from citeproof.corpus.page.prose import Prose

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


def find_cited_pages(
    prose: Prose, found: Sequence[Sentence], bearing: Callable[[int], Sequence[CitationMark]]
) -> Iterator[Pages]:
    """Yield the pages named in sentences that cite something other than code."""
    starts = [one.span.start for one in found]
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
