"""Pages that a citation names: `p. 12`, `pp. 12–15`, `pages 12 to 15`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from citeproof.corpus.nouns import Mark, Pages, Pattern, Sentence, Span
from citeproof.corpus.page.prose import Prose

_PAGES = re.compile(
    r"(?:pp?\.|pages?|s\.|seiten?)\s{0,3}(\d{1,6})(?:\s{0,2}(?:[-–—‒]|to|bis)\s{0,2}(\d{1,6}))?"
    r"(?:\s?ff?\b)?(?![\w%])(?!\.\d)"
)
_NEAR = 40  # characters behind a citation in which "S. 12" means a page


def pages(
    prose: Prose, found: Sequence[Sentence], bearing: Callable[[int], Sequence[Mark]]
) -> Iterator[Pages]:
    """Yield the pages named in sentences that cite something other than code."""
    starts = [one.span.start for one in found]
    for match in _PAGES.finditer(prose.low):
        start, end = match.start(), match.end(2) if match[2] else match.end(1)
        before = prose.low[start - 1 : start]
        if before.isalnum() or before in ("_", ".", "-"):
            continue
        sentence = bisect_right(starts, start) - 1
        marks = [mark for mark in bearing(sentence) if mark.pattern is not Pattern.CODE]
        if marks and (match[0][0] != "s" or match[0].startswith("seite") or _follows(marks, start)):
            first, last = int(match[1]), _last(match[1], match[2])
            yield Pages(Span(start, end), prose.text[start:end], first, last, sentence)


def _follows(marks: Sequence[Mark], start: int) -> bool:
    return any(0 <= start - mark.span.end <= _NEAR for mark in marks)


def _last(first: str, last: str | None) -> int:
    """Return the last page; `12-5` is short for `12-15`."""
    if last is None:
        return int(first)
    if len(last) < len(first) and int(last) < int(first):
        last = first[: len(first) - len(last)] + last
    return int(last)
