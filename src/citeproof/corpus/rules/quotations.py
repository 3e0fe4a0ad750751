"""Quotations: the quoted words must be in a source that their sentence cites, on the cited page.

Where the corpus holds no text of the source (only notes on it), words that the notes do not have prove
nothing: the quotation could not be checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from citeproof.corpus.corpus_types import Pages, Quote
from citeproof.corpus.document_check import DocumentCheck, IssuePlace
from citeproof.corpus.entries import CorpusEntry
from citeproof.corpus.quote_search import PreparedText, QuotePlace, find_nearest_passage, find_quote

_Text = tuple[CorpusEntry, str, PreparedText | None]
_FEW = "only notes on this source, or too few words of it,"
_WORDS = 30  # a text of fewer is a note about the source
_TEXTS = 20  # files that one quotation is searched for in


def check(desk: DocumentCheck) -> None:
    """Note every quotation that its source does not have."""
    cited = {pages.sentence: pages for pages in reversed(desk.page.pages)}
    for quote in desk.page.quotes:
        entries = desk.entries_of(quote.sentence)
        if not entries:
            continue
        place = IssuePlace(quote.span, quote.sentence, entries[0][0].raw)
        texts = (text for _, entry in entries for text in desk.asking.texts(entry))
        seen: list[_Text] = []
        found = next(_find_hits(quote, islice(texts, _TEXTS), seen), None)
        if found is not None:
            _note_page(desk, place, found, cited.get(quote.sentence))
        elif len(seen) == _TEXTS and next(texts, None) is not None:
            many = f"it may be from any of more than {_TEXTS} files of the corpus"
            desk.tell("quote-unchecked", place, message=many, fix="Cite the source by its path.")
        else:
            _note_absent(desk, quote, place, seen)


def _find_hits(quote: Quote, texts: Iterator[_Text], seen: list[_Text]) -> Iterator[QuotePlace]:
    """Yield where the quoted words stand; what was examined is noted."""
    for text in texts:
        seen.append(text)
        if text[2] is not None and (hit := find_quote(quote.text, text[2])):
            yield hit


def _note_absent(desk: DocumentCheck, quote: Quote, place: IssuePlace, texts: list[_Text]) -> None:
    sources = ((path, text) for entry, path, text in texts if entry.role == "source" and text is not None)
    nears = (
        (path, find_nearest_passage(quote.text, text), _is_long_enough(text, quote)) for path, text in sources
    )
    first = next(((path, near) for path, near, telling in nears if near or telling), None)
    if first is None:
        held = any(text is not None for _, _, text in texts)
        none = f"the corpus has {_FEW if held else 'no text of this source'} to check the quotation against"
        desk.tell("quote-unchecked", place, message=none, fix="Add the text of the source to the corpus.")
        return
    path, near = first
    said = f"the quoted words are not in {path}"
    desk.tell(
        "misquote",
        place,
        message=said + (f"; it says: “{near}”" if near else ""),
        fix="Quote the source word for word, or paraphrase without quotation marks.",
        todo=said,
    )


def _is_long_enough(text: PreparedText, quote: Quote) -> bool:
    """Return whether a text is long enough that words which it does not have prove anything.

    In a shorter one only words that are nearly those of the quotation do.
    """
    return len(text.plain) > len(quote.text) and len(text.plain.split(maxsplit=_WORDS)) >= _WORDS


def _note_page(desk: DocumentCheck, place: IssuePlace, found: QuotePlace, pages: Pages | None) -> None:
    if pages is None:
        fix = "Add the page" + (f": p. {found.page}." if found.page else ".")
        desk.tell("quote-without-page", place, message="a quotation without its page", fix=fix)
    elif found.page is not None and not pages.first <= found.page <= pages.last:
        desk.tell(
            "quote-page",
            replace(place, span=pages.span),
            message=f"the quoted words are on page {found.page} of the file, not on {pages.raw}",
            fix=f"Cite p. {found.page}, if the file's pages are numbered from 1.",
        )
