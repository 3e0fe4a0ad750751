"""A Markdown document as a page: its sentences, the citations in it as written, quotes, pages and claims."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from citeproof.corpus.layout import Layout
from citeproof.corpus.nouns import Claim, Mark, Pages, Pattern, Quote, Sentence
from citeproof.corpus.page.author_year import author_years
from citeproof.corpus.page.blocks import Leaf
from citeproof.corpus.page.claims import claims
from citeproof.corpus.page.code import codes
from citeproof.corpus.page.doi import dois
from citeproof.corpus.page.footer import footers
from citeproof.corpus.page.mention import mentions
from citeproof.corpus.page.pages import pages
from citeproof.corpus.page.prose import Prose, prose
from citeproof.corpus.page.quotes import quotes
from citeproof.corpus.page.ref import refs
from citeproof.corpus.page.sentences import CITING, sentences

_SHOWN = 300  # characters of a sentence that are shown
_NOTED = 50  # citations of its footnotes that bear on one sentence
_NEWLINE = re.compile(r"\r\n|\n|\r")
_PREFIX = re.compile(r"[\r\n][ \t]{0,99}(?:>[ \t]{0,9}){1,9}")
_RANK = {Pattern.MENTION: 0, Pattern.CODE: 1, Pattern.DOI: 2, Pattern.REF: 3, Pattern.AUTHOR_YEAR: 4}


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown document as it is read for its citations; places are characters of `text`."""

    text: str
    masked: str  # of the same length: what is no running text is blanks
    sentences: tuple[Sentence, ...]
    marks: tuple[Mark, ...]
    quotes: tuple[Quote, ...]
    pages: tuple[Pages, ...]
    claims: tuple[Claim, ...]
    _bearing: Mapping[int, tuple[Mark, ...]] = field(repr=False)
    _lines: tuple[int, ...] = field(repr=False)

    def place(self, start: int, end: int) -> tuple[int, int, int, int]:
        """Return line and column of `start` and of `end`, from 1; the end column is exclusive."""
        first = bisect_right(self._lines, start)
        last = bisect_right(self._lines, max(start, end - 1))
        return first, start - self._lines[first - 1] + 1, last, end - self._lines[last - 1] + 1

    def words(self, sentence: int) -> str:
        """Return a sentence on one line as it was written, bounded."""
        span = self.sentences[sentence].span
        text = _PREFIX.sub(" ", self.text[span.start : min(span.end, span.start + 2 * _SHOWN)])
        return " ".join(text.split())[:_SHOWN]

    def slice(self, sentence: int) -> tuple[int, str]:
        """Return where a sentence starts, and its running text in its own places."""
        span = self.sentences[sentence].span
        return span.start, self.masked[span.start : span.end]

    def marks_of(self, sentence: int) -> tuple[Mark, ...]:
        """Return the marks that bear on a sentence: those in it, then those in its footnotes."""
        return self._bearing.get(sentence, ())


def read(text: str, layout: Layout) -> Page:
    """Return the page that `text` is. Lone surrogates become U+FFFD; every place stays."""
    source = prose(text)
    # 1. what is cited, wherever it stands
    drafts = _apart(
        chain(
            mentions(source, layout), codes(source), footers(source), dois(source),
            refs(source, layout), author_years(source),
        )
    )  # fmt: skip
    # 2. sentences, which depend on it: a citation behind the full stop belongs to what it follows
    found, owners = sentences(source, drafts)
    starts = [one.span.start for one in found]
    marks = tuple(replace(mark, sentence=bisect_right(starts, mark.span.start) - 1) for mark in drafts)
    # 3. what each sentence rests on
    bearing = _bearing(source, marks, owners, starts)

    def of(sentence: int) -> Sequence[Mark]:
        return bearing.get(sentence, ())

    return Page(
        source.text, source.masked, tuple(found), marks,
        tuple(quotes(source, found, of)),
        tuple(pages(source, found, of)),
        tuple(claims(source, found, owners, _backed(source, marks, owners, starts))),
        bearing,
        (0, *(match.end() for match in _NEWLINE.finditer(source.text))),
    )  # fmt: skip


def _apart(marks: Iterable[Mark]) -> list[Mark]:
    """Return the marks in order; of two that overlap the plainer one, `REF-001` in a mention is none."""
    kept: list[Mark] = []
    through: list[Mark] = []  # DOIs behind `[text][label]`: the text is a citation of its own, `[REF-001][1]`
    for mark in sorted(marks, key=lambda mark: (mark.span.start, _rank(mark))):
        if mark.pattern is Pattern.DOI and mark.raw.startswith("["):
            through.append(mark)
        elif not kept or mark.span.start >= kept[-1].span.end:
            kept.append(mark)
        elif _rank(mark) < _rank(kept[-1]):
            kept[-1] = mark
    return sorted([*kept, *through], key=lambda mark: mark.span.start) if through else kept


def _rank(mark: Mark) -> int:
    """Return how plain it is that this is a citation of its kind, the plainest first."""
    return 9 if mark.pattern is Pattern.CODE and not mark.sure else _RANK[mark.pattern]


def _bearing(
    source: Prose, marks: Sequence[Mark], owners: Sequence[Leaf], starts: list[int]
) -> dict[int, tuple[Mark, ...]]:
    """Return the marks that bear on each sentence."""
    own: dict[int, list[Mark]] = {}
    noted: dict[str, list[Mark]] = {}
    for mark in marks:
        own.setdefault(mark.sentence, []).append(mark)
        if (label := owners[mark.sentence].note) is not None:
            noted.setdefault(label.casefold(), []).append(mark)
    further: dict[int, list[Mark]] = {}
    for start, _, label in source.blocks.notes:
        index = bisect_right(starts, start) - 1
        listed = further.setdefault(index, [])
        listed += islice(noted.get(label.casefold(), ()), _NOTED - len(listed))
    return {index: (*own.get(index, ()), *further.get(index, ())) for index in own.keys() | further.keys()}


def _backed(source: Prose, marks: Sequence[Mark], owners: Sequence[Leaf], starts: list[int]) -> set[int]:
    """Return the sentences with a source in them: a mark, a link, a citation of another kind, a footnote."""
    places = [mark.span.start for mark in marks if mark.pattern is not Pattern.CODE or mark.sure]
    places += [link.start for link in source.blocks.links if link.url[:8].lower().startswith("http")]
    places += [span.start for span in source.addresses]
    if "[" in source.scan:
        places += [match.start() for match in CITING.finditer(source.scan)]
    backed = {bisect_right(starts, place) - 1 for place in places}
    labels = {(owners[index].note or "").casefold() for index in backed if owners[index].note is not None}
    for start, _, label in source.blocks.notes:
        if label.casefold() in labels:
            backed.add(bisect_right(starts, start) - 1)
    return backed
