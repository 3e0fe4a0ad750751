"""A Markdown document as a page: its sentences, the citations in it as written, quotes, pages and claims."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain, islice, takewhile
from typing import TypeVar

from citeproof.corpus.layout import Layout
from citeproof.corpus.nouns import Claim, Mark, Pages, Pattern, Quote, Sentence, Span
from citeproof.corpus.page.author_year import author_years
from citeproof.corpus.page.blocks import Leaf
from citeproof.corpus.page.claims import claims
from citeproof.corpus.page.code import bare_codes, codes
from citeproof.corpus.page.doi import dois
from citeproof.corpus.page.footer import footers
from citeproof.corpus.page.mention import mentions
from citeproof.corpus.page.numbered import Numbered
from citeproof.corpus.page.pages import pages
from citeproof.corpus.page.prose import Prose, legal, prose
from citeproof.corpus.page.quotes import quotes
from citeproof.corpus.page.ref import refs
from citeproof.corpus.page.sentences import CITING, sentences
from citeproof.corpus.page.spoken import spoken
from citeproof.corpus.page.unseen import ENTITY, Shrunk, letter, shrunk

MOST = 20_000  # citations of one document, and quotes, pages and claims
_SHOWN = 300  # characters of a sentence that are shown
_NOTED = 50  # citations of its footnotes that bear on one sentence
_NEWLINE = re.compile(r"\r\n|\n|\r")
_PREFIX = re.compile(r"[\r\n][ \t]{0,99}(?:>[ \t]{0,9}){1,9}")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_RANK = {Pattern.MENTION: 0, Pattern.CODE: 1, Pattern.DOI: 2, Pattern.REF: 3, Pattern.AUTHOR_YEAR: 4}


JOINT, FILL = "\u2061", "\u2060"  # nobody sees them; the first stands for markup, which must stay

_T = TypeVar("_T")
_Found = TypeVar("_Found", Mark, Pages, Claim)


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
    unread: int  # citations, quotes, pages and claims that are too many to be kept
    _bearing: Mapping[int, tuple[Mark, ...]] = field(repr=False)
    _glued: tuple[Span, ...] = field(repr=False)  # markup inside of words
    _lines: tuple[int, ...] = field(repr=False)
    _claiming: Callable[[AbstractSet[Mark]], tuple[tuple[Claim, ...], int]] = field(repr=False, compare=False)

    def place(self, start: int, end: int) -> tuple[int, int, int, int]:
        """Return line and column of `start` and of `end`, from 1; the end column is exclusive."""
        first = bisect_right(self._lines, start)
        last = bisect_right(self._lines, max(start, end - 1))
        return first, start - self._lines[first - 1] + 1, last, end - self._lines[last - 1] + 1

    def words(self, sentence: int) -> str:
        """Return a sentence on one line as it was written, without comments, bounded."""
        span = self.sentences[sentence].span
        text = _COMMENT.sub("", self.text[span.start : min(span.end, span.start + 4 * _SHOWN)])
        text = _PREFIX.sub(" ", text)
        return " ".join(text.split())[:_SHOWN]

    def slice(self, sentence: int) -> tuple[int, str]:
        """Return where a sentence starts, and its running text in its own places.

        Markup inside of a word is `JOINT`s, and what a letter's entity has behind its first sign is `FILL`s.
        """
        start, end = self.sentences[sentence].span.start, self.sentences[sentence].span.end
        pieces: list[str] = []
        at = start
        first = bisect_left(self._glued, start, key=lambda one: one.start)
        for one in takewhile(lambda one: one.end <= end, islice(self._glued, first, None)):
            pieces += self.masked[at : one.start], JOINT * (one.end - one.start)
            at = one.end
        text = "".join([*pieces, self.masked[at:end]])
        return start, ENTITY.sub(_spelled, text) if "&#" in text else text

    def claimed(self, failed: AbstractSet[Mark]) -> tuple[Claim, ...]:
        """Return the claims as they are when some marks back nothing."""
        return self._claiming(failed)[0] if failed and self.claims else self.claims

    def marks_of(self, sentence: int) -> tuple[Mark, ...]:
        """Return the marks that bear on a sentence: those in it, then those in its footnotes."""
        return self._bearing.get(sentence, ())


def read(text: str, layout: Layout) -> Page:
    """Return the page that `text` is. Lone surrogates become U+FFFD; every place stays."""
    short = shrunk(text)
    return _read(text, layout) if short is None else _stretched(_read(short.text, layout), short)


def _stretched(page: Page, short: Shrunk) -> Page:
    """Return the page of a text that was read without what nobody sees in it."""
    text = legal(short.original)

    def moved(one: _Found) -> _Found:
        span = short.span(one.span)
        return replace(one, span=span, raw=text[span.start : span.end])

    marks = {
        mark: replace(
            moved(mark), whole=short.span(mark.whole), kept=short.span(mark.kept) if mark.kept else None
        )
        for mark in page.marks
    }
    back = {new: old for old, new in marks.items()}

    def claiming(failed: AbstractSet[Mark]) -> tuple[tuple[Claim, ...], int]:
        kept, left = page._claiming({back[mark] for mark in failed})  # noqa: SLF001 - of our own
        return tuple(moved(claim) for claim in kept), left

    return replace(
        page,
        text=text,
        masked=short.masked(page.masked),
        sentences=tuple(replace(one, span=short.span(one.span)) for one in page.sentences),
        marks=tuple(marks.values()),
        quotes=tuple(replace(one, span=short.span(one.span)) for one in page.quotes),
        pages=tuple(moved(one) for one in page.pages),
        claims=tuple(moved(one) for one in page.claims),
        _bearing={at: tuple(marks[one] for one in some) for at, some in page._bearing.items()},  # noqa: SLF001
        _glued=tuple(short.span(one) for one in page._glued),  # noqa: SLF001
        _lines=_line_starts(text),
        _claiming=claiming,
    )


def _line_starts(text: str) -> tuple[int, ...]:
    return 0, *(match.end() for match in _NEWLINE.finditer(text))


def _read(text: str, layout: Layout) -> Page:
    source = prose(text)
    # 1. what is cited, wherever it stands; of too much the beginning
    scans = (
        mentions(source, layout), codes(source), footers(source), bare_codes(source),
        dois(source), refs(source, layout), author_years(source),
    )  # fmt: skip
    some, left = zip(*map(_most, scans), strict=True)
    drafts = _apart(chain.from_iterable(some))
    unread = sum(left) + max(0, len(drafts) - MOST)
    del drafts[MOST:]
    # 2. sentences, which depend on it: a citation behind the full stop belongs to what it follows
    found, owners = sentences(source, drafts)
    starts = [one.span.start for one in found]
    marks = tuple(
        replace(mark, sentence=bisect_right(starts, mark.span.start) - 1, spoken=spoken(source, mark))
        for mark in drafts
    )
    # 3. what each sentence rests on
    bearing = _bearing(source, marks, owners, starts)

    def of(sentence: int) -> Sequence[Mark]:
        return bearing.get(sentence, ())

    def claiming(failed: AbstractSet[Mark]) -> tuple[tuple[Claim, ...], int]:
        left = [mark for mark in marks if mark not in failed]
        return _most(claims(source, found, owners, _backed(source, left, owners, starts)))

    quoted, paged = _most(quotes(source, found, of)), _most(pages(source, found, of))
    claimed = claiming(frozenset())
    return Page(
        source.text, source.masked, tuple(found), marks, quoted[0], paged[0], claimed[0],
        unread + quoted[1] + paged[1] + claimed[1],
        bearing,
        source.glued,
        _line_starts(source.text),
        claiming,
    )  # fmt: skip


def _spelled(match: re.Match[str]) -> str:
    sign = letter(match)
    return sign + FILL * (len(match[0]) - 1) if sign else match[0]


def _most(found: Iterator[_T]) -> tuple[tuple[_T, ...], int]:
    """Return the first ones of many, and how many more there are."""
    return tuple(islice(found, MOST)), sum(1 for _ in found)


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
        listed = Numbered(source)
        places += [match.start() for match in CITING.finditer(source.scan) if listed.cites(match)]
    backed = {bisect_right(starts, place) - 1 for place in places}
    labels = {(owners[index].note or "").casefold() for index in backed if owners[index].note is not None}
    for start, _, label in source.blocks.notes:
        if label.casefold() in labels:
            backed.add(bisect_right(starts, start) - 1)
    return backed
