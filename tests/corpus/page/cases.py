"""What the tests of pages share: how a short document is read, and what a mark says in one word."""

from __future__ import annotations

from citeproof.corpus.corpus_types import CitationMark, CorpusLayout, Pattern
from citeproof.corpus.page import MarkdownPage, read_page


def page(text: str, **layout: object) -> MarkdownPage:
    """Return the page of a text, with every place in it proved."""
    made = read_page(text, CorpusLayout(**layout))  # type: ignore[arg-type]
    assert len(made.masked) == len(made.text) == len(text)
    for mark in made.marks:
        assert made.text[mark.span.start : mark.span.end] == mark.raw
        assert mark.whole.start <= mark.span.start < mark.span.end <= mark.whole.end
        span = made.sentences[mark.sentence].span
        assert span.start <= mark.span.start < span.end
    for one in (*made.quotes, *made.pages, *made.claims):
        span = made.sentences[one.sentence].span
        assert 0 <= one.span.start < one.span.end <= len(text)
    starts = [mark.span.start for mark in made.marks]
    assert starts == sorted(starts)
    return made


def marks(text: str, pattern: Pattern, **layout: object) -> list[CitationMark]:
    return [mark for mark in page(text, **layout).marks if mark.pattern is pattern]


def raws(text: str, pattern: Pattern) -> list[str]:
    return [mark.raw for mark in marks(text, pattern)]


def targets(text: str, pattern: Pattern, **layout: object) -> list[str]:
    return [mark.target for mark in marks(text, pattern, **layout)]


def whole(text: str, pattern: Pattern) -> str:
    """Return what goes with the only mark of a text if it is removed."""
    (mark,) = marks(text, pattern)
    return text[mark.whole.start : mark.whole.end]
