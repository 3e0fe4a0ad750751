"""Quotations: the quoted words must be in a source that their sentence cites, on the cited page.

Where the corpus holds no text of the source (only notes on it), words that the notes do not have prove
nothing: the quotation could not be checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from citeproof.claims.quotes import (
    PageAgreement,
    QuotationMatch,
    QuotationStatus,
    SourceIndex,
    check_pages,
    locate_quotation,
)
from citeproof.corpus.corpus_types import Level, Pages, Quote
from citeproof.corpus.document_check import DocumentCheck, IssuePlace
from citeproof.corpus.entries import CorpusEntry
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_one_line

_Text = tuple[CorpusEntry, str, SourceIndex | None]
_Hit = tuple[CorpusEntry, SourceIndex, QuotationMatch]
_FEW = "only notes on this source, or too few words of it,"
_WORDS = 30  # a text of fewer is a note about the source
_TEXTS = 20  # files that one quotation is searched for in
_SHOWN = 200  # characters of a passage that are shown
_BROKEN = re.compile(r"(?<=[^\W\d_])- (?=[^\WA-Z\d_])")  # exam- ple


def check(desk: DocumentCheck) -> None:
    """Note every quotation that its source does not have."""
    cited = {pages.sentence: pages for pages in reversed(desk.page.pages)}
    for quote in desk.page.quotes:
        entries = desk.entries_of(quote.sentence)
        if not entries:
            continue
        place = IssuePlace(quote.span, quote.sentence, entries[0][0].raw)
        texts = (text for _, entry in entries for text in desk.asking.texts(entry))
        seen: list[tuple[_Text, QuotationMatch | None]] = []
        hit = next(_find_hits(quote, islice(texts, _TEXTS), seen), None)
        if hit is not None:
            _note_page(desk, place, hit, cited.get(quote.sentence))
        elif len(seen) == _TEXTS and next(texts, None) is not None:
            many = f"it may be from any of more than {_TEXTS} files of the corpus"
            desk.tell("quote-unchecked", place, message=many, fix="Cite the source by its path.")
        else:
            _note_absent(desk, quote, place, seen)


def _find_hits(
    quote: Quote, texts: Iterator[_Text], seen: list[tuple[_Text, QuotationMatch | None]]
) -> Iterator[_Hit]:
    """Yield where the quoted words stand; what was examined is noted."""
    for entry, path, text in texts:
        match = locate_quotation(quote.text, text) if text is not None else None
        seen.append(((entry, path, text), match))
        if text is not None and match is not None and match.status is QuotationStatus.VERBATIM:
            yield entry, text, match


def _note_absent(
    desk: DocumentCheck, quote: Quote, place: IssuePlace, seen: list[tuple[_Text, QuotationMatch | None]]
) -> None:
    first = next(
        (
            (path, near, match.grave)
            for (entry, path, text), match in seen
            if entry.role == "source"
            and text is not None
            and match is not None
            # in a short text only words that are nearly those of the quotation prove anything
            and ((near := _format_passage(text, match)) or len(text.text) > len(quote.text))
            and (near or len(text) >= _WORDS)
        ),
        None,
    )
    if first is None:
        held = any(text is not None for (_, _, text), _ in seen)
        none = f"the corpus has {_FEW if held else 'no text of this source'} to check the quotation against"
        desk.tell("quote-unchecked", place, message=none, fix="Add the text of the source to the corpus.")
        return
    path, near, grave = first
    said = f"the quoted words are not in {path}"
    desk.tell(
        "misquote",
        place,
        message=said + (f"; it says: “{near}”" if near else ""),
        fix="Quote the source word for word, or paraphrase without quotation marks.",
        level=None if near and not grave else Level.ERROR,  # invented, or turned into something else
        todo=said,
    )


def _format_passage(text: SourceIndex, match: QuotationMatch) -> str:
    """Return the passage that was altered, on one line and bounded; empty if the source has none like it."""
    if match.status is not QuotationStatus.ALTERED:
        return ""
    parts = (show_one_line(text.text[span.start : span.end]) for span in match.spans)
    passage = _BROKEN.sub("", " … ".join(parts))
    return passage if len(passage) <= _SHOWN else passage[: _SHOWN - 1].rstrip() + "…"


def _note_page(desk: DocumentCheck, place: IssuePlace, hit: _Hit, pages: Pages | None) -> None:
    entry, text, match = hit
    page = match.span.first_page if match.span else None
    if pages is None:
        fix = "Add the page" + (f": p. {page}." if page else ".")
        desk.tell("quote-without-page", place, message="a quotation without its page", fix=fix)
        return
    begins = entry.pages[0] if entry.pages else None
    checked = check_pages(match, text, pages.first, pages.last, begins)
    if checked.agreement is PageAgreement.DIFFERS:
        counted = f"Cite p. {checked.page}, if the file's pages are numbered from 1."
        fix = f"Cite p. {checked.printed}, as printed." if checked.printed else counted
        message = f"the quoted words are on page {checked.page} of the file, not on {pages.raw}"
        desk.tell("quote-page", replace(place, span=pages.span), message=message, fix=fix)
