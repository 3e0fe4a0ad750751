"""A Markdown document as a page: its sentences, the citations in it as written, quotes, pages and claims."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain, islice, takewhile
from typing import TypeVar

from citeproof.corpus.corpus_types import (
    CitationMark,
    CorpusLayout,
    DocumentClaim,
    Pages,
    Pattern,
    Quote,
    Sentence,
    Span,
)
from citeproof.corpus.page.author_year_marks import find_author_years
from citeproof.corpus.page.code_marks import find_bare_code_marks, find_code_marks, find_footer_marks
from citeproof.corpus.page.doi_marks import find_doi_marks
from citeproof.corpus.page.hidden_characters import ENTITY, ShrunkText, decode_letter, shrink_text
from citeproof.corpus.page.mention_marks import find_mentions, find_ref_marks, is_spoken
from citeproof.corpus.page.page_claims import find_claims
from citeproof.corpus.page.page_sentences import CITING, NumberedCitations, split_page_sentences
from citeproof.corpus.page.prose import Prose, read_prose, replace_surrogates
from citeproof.corpus.page.quotes import find_cited_pages, find_quotes
from citeproof.text import lazy_patterns as re
from citeproof.text.markdown_reader import PageLeaf

MOST = 20_000  # citations of one document, and quotes, pages and claims
_SHOWN = 300  # characters of a sentence that are shown
_NOTED = 50  # citations of its footnotes that bear on one sentence
_NEWLINE = re.compile(r"\r\n|\n|\r")
_PREFIX = re.compile(r"[\r\n][ \t]{0,99}(?:>[ \t]{0,9}){1,9}")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_RANK = {Pattern.MENTION: 0, Pattern.CODE: 1, Pattern.DOI: 2, Pattern.REF: 3, Pattern.AUTHOR_YEAR: 4}


JOINT, FILL = "\u2061", "\u2060"  # no one sees them; the first represents markup, which must stay

_T = TypeVar("_T")
_Found = TypeVar("_Found", CitationMark, Pages, DocumentClaim)


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    """A Markdown document as it is read for its citations; places are characters of `text`."""

    text: str
    masked: str  # of the same length: what is no running text is blanks
    sentences: tuple[Sentence, ...]
    marks: tuple[CitationMark, ...]
    quotes: tuple[Quote, ...]
    pages: tuple[Pages, ...]
    claims: tuple[DocumentClaim, ...]
    unread: int  # citations, quotes, pages and claims that are too many to be stored
    _bearing: Mapping[int, tuple[CitationMark, ...]] = field(repr=False)
    _glued: tuple[Span, ...] = field(repr=False)  # markup inside words
    _lines: tuple[int, ...] = field(repr=False)
    _claiming: Callable[[AbstractSet[CitationMark]], tuple[tuple[DocumentClaim, ...], int]] = field(
        repr=False, compare=False
    )

    def locate_span(self, start: int, end: int) -> tuple[int, int, int, int]:
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

        Markup inside a word is `JOINT`s, and what a letter's entity has behind its first sign is `FILL`s.
        """
        start, end = self.sentences[sentence].span.start, self.sentences[sentence].span.end
        pieces: list[str] = []
        at = start
        first = bisect_left(self._glued, start, key=lambda span: span.start)
        for span in takewhile(lambda span: span.end <= end, islice(self._glued, first, None)):
            pieces += self.masked[at : span.start], JOINT * (span.end - span.start)
            at = span.end
        text = "".join([*pieces, self.masked[at:end]])
        return start, ENTITY.sub(_spell_entity, text) if "&#" in text else text

    def find_claims(self, failed: AbstractSet[CitationMark]) -> tuple[DocumentClaim, ...]:
        """Return the claims as they are when some marks back nothing."""
        return self._claiming(failed)[0] if failed and self.claims else self.claims

    def marks_of(self, sentence: int) -> tuple[CitationMark, ...]:
        """Return the marks that bear on a sentence: those in it, then those in its footnotes."""
        return self._bearing.get(sentence, ())


def read_page(text: str, layout: CorpusLayout) -> MarkdownPage:
    """Return the page that `text` is. Lone surrogates become U+FFFD; every place stays."""
    short = shrink_text(text)
    if short is None:
        return _build_page(text, layout)
    return _restore_places(_build_page(short.text, layout), short)


def _restore_places(page: MarkdownPage, short: ShrunkText) -> MarkdownPage:
    """Return the page of a text that was read without what no one sees in it."""
    text = replace_surrogates(short.original)

    def moved(item: _Found) -> _Found:
        span = short.span(item.span)
        return replace(item, span=span, raw=text[span.start : span.end])

    marks = {
        mark: replace(
            moved(mark), whole=short.span(mark.whole), kept=short.span(mark.kept) if mark.kept else None
        )
        for mark in page.marks
    }
    back = {new: old for old, new in marks.items()}

    def claiming(failed: AbstractSet[CitationMark]) -> tuple[tuple[DocumentClaim, ...], int]:
        claims, left = page._claiming({back[mark] for mark in failed})  # noqa: SLF001 - of our own
        return tuple(moved(claim) for claim in claims), left

    return replace(
        page,
        text=text,
        masked=short.expand_mask(page.masked),
        sentences=tuple(replace(item, span=short.span(item.span)) for item in page.sentences),
        marks=tuple(marks.values()),
        quotes=tuple(replace(item, span=short.span(item.span)) for item in page.quotes),
        pages=tuple(moved(item) for item in page.pages),
        claims=tuple(moved(item) for item in page.claims),
        _bearing={at: tuple(marks[item] for item in some) for at, some in page._bearing.items()},  # noqa: SLF001
        _glued=tuple(short.span(item) for item in page._glued),  # noqa: SLF001
        _lines=_find_line_starts(text),
        _claiming=claiming,
    )


def _find_line_starts(text: str) -> tuple[int, ...]:
    return 0, *(match.end() for match in _NEWLINE.finditer(text))


def _build_page(text: str, layout: CorpusLayout) -> MarkdownPage:
    source = read_prose(text)
    # 1. what is cited, wherever it is; of too much the beginning
    scans = (
        find_mentions(source, layout),
        find_code_marks(source),
        find_footer_marks(source),
        find_bare_code_marks(source),
        find_doi_marks(source),
        find_ref_marks(source, layout),
        find_author_years(source),
    )
    some, left = zip(*map(_take_most, scans), strict=True)
    drafts = _drop_overlapping_marks(chain.from_iterable(some))
    unread = sum(left) + max(0, len(drafts) - MOST)
    del drafts[MOST:]
    # 2. sentences, which depend on it: a citation behind the full stop belongs to what it follows
    sentences, owners = split_page_sentences(source, drafts)
    starts = [item.span.start for item in sentences]
    marks = tuple(
        replace(mark, sentence=bisect_right(starts, mark.span.start) - 1, spoken=is_spoken(source, mark))
        for mark in drafts
    )
    # 3. what each sentence rests on
    bearing = _collect_bearing_marks(source, marks, owners, starts)

    def of(sentence: int) -> Sequence[CitationMark]:
        return bearing.get(sentence, ())

    def claiming(failed: AbstractSet[CitationMark]) -> tuple[tuple[DocumentClaim, ...], int]:
        left = [mark for mark in marks if mark not in failed]
        return _take_most(
            find_claims(source, sentences, owners, _find_backed_sentences(source, left, owners, starts))
        )

    quoted = _take_most(find_quotes(source, sentences, of))
    paged = _take_most(find_cited_pages(source, sentences, of))
    claimed = claiming(frozenset())
    return MarkdownPage(
        source.text, source.masked, tuple(sentences), marks, quoted[0], paged[0], claimed[0],
        unread + quoted[1] + paged[1] + claimed[1],
        bearing,
        source.glued,
        _find_line_starts(source.text),
        claiming,
    )  # fmt: skip


def _spell_entity(match: re.Match[str]) -> str:
    sign = decode_letter(match)
    return sign + FILL * (len(match[0]) - 1) if sign else match[0]


def _take_most(items: Iterator[_T]) -> tuple[tuple[_T, ...], int]:
    """Return the first ones of many, and how many more there are."""
    return tuple(islice(items, MOST)), sum(1 for _ in items)


def _drop_overlapping_marks(marks: Iterable[CitationMark]) -> list[CitationMark]:
    """Return the marks in order; of two that overlap the plainer one, `REF-001` in a mention is not one."""
    chosen: list[CitationMark] = []
    # DOIs behind `[text][label]`: the text is a citation of its own, `[REF-001][1]`
    through: list[CitationMark] = []
    for mark in sorted(marks, key=lambda mark: (mark.span.start, _rank_mark(mark))):
        if mark.pattern is Pattern.DOI and mark.raw.startswith("["):
            through.append(mark)
        elif not chosen or mark.span.start >= chosen[-1].span.end:
            chosen.append(mark)
        elif _rank_mark(mark) < _rank_mark(chosen[-1]):
            chosen[-1] = mark
    return sorted([*chosen, *through], key=lambda mark: mark.span.start) if through else chosen


def _rank_mark(mark: CitationMark) -> int:
    """Return how plain it is that this is a citation of its kind, the plainest first."""
    return 9 if mark.pattern is Pattern.CODE and not mark.sure else _RANK[mark.pattern]


def _collect_bearing_marks(
    source: Prose, marks: Sequence[CitationMark], owners: Sequence[PageLeaf], starts: list[int]
) -> dict[int, tuple[CitationMark, ...]]:
    own: dict[int, list[CitationMark]] = {}
    noted: dict[str, list[CitationMark]] = {}
    for mark in marks:
        own.setdefault(mark.sentence, []).append(mark)
        if (label := owners[mark.sentence].note) is not None:
            noted.setdefault(label.casefold(), []).append(mark)
    further: dict[int, list[CitationMark]] = {}
    for start, _, label in source.blocks.notes:
        index = bisect_right(starts, start) - 1
        listed = further.setdefault(index, [])
        listed += islice(noted.get(label.casefold(), ()), _NOTED - len(listed))
    return {index: (*own.get(index, ()), *further.get(index, ())) for index in own.keys() | further.keys()}


def _find_backed_sentences(
    source: Prose, marks: Sequence[CitationMark], owners: Sequence[PageLeaf], starts: list[int]
) -> set[int]:
    """Return the sentences with a source in them: a mark, a link, a citation of another kind, a footnote."""
    places = [mark.span.start for mark in marks if mark.pattern is not Pattern.CODE or mark.sure]
    places += [link.start for link in source.blocks.links if link.url[:8].lower().startswith("http")]
    places += [span.start for span in source.addresses]
    if "[" in source.scan:
        listed = NumberedCitations(source)
        places += [match.start() for match in CITING.finditer(source.scan) if listed.cites(match)]
    backed = {bisect_right(starts, place) - 1 for place in places}
    labels = {(owners[index].note or "").casefold() for index in backed if owners[index].note is not None}
    for start, _, label in source.blocks.notes:
        if label.casefold() in labels:
            backed.add(bisect_right(starts, start) - 1)
    return backed
