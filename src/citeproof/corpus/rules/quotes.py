"""Quotations: the quoted words must stand in a source that their sentence cites, on the cited page.

Where the corpus holds no text of the source (only notes on it), words that the notes do not have prove
nothing: the quotation could not be checked.
"""

from __future__ import annotations

from citeproof.corpus.desk import Desk
from citeproof.corpus.entries import Entry
from citeproof.corpus.nouns import Act, Mark, Pages, Quote, Remedy
from citeproof.corpus.quoting import Found, Prepared, find, nearest


def check(desk: Desk) -> None:
    """Note every quotation that its source does not have."""
    cited = {pages.sentence: pages for pages in reversed(desk.page.pages)}
    for quote in desk.page.quotes:
        entries = desk.entries_of(quote.sentence)
        if not entries:
            continue
        mark = entries[0][0]
        texts = [text for _, entry in entries for text in desk.asking.texts(entry)]
        found = next((hit for _, _, text in texts if (hit := find(quote.text, text))), None)
        if found is None:
            _absent(desk, quote, mark, texts)
        else:
            _present(desk, quote, mark, found, cited.get(quote.sentence))


def _absent(desk: Desk, quote: Quote, mark: Mark, texts: list[tuple[Entry, str, Prepared]]) -> None:
    whole = [(path, text) for entry, path, text in texts if entry.role == "source"]
    if not whole:
        desk.tell(
            "quote-unchecked",
            quote.span,
            quote.sentence,
            source=mark.raw,
            message="the corpus holds no text of this source to compare the quotation with",
            fix="Add the text of the source to the corpus.",
        )
        return
    path, text = whole[0]
    near = nearest(quote.text, text)
    desk.tell(
        "misquote",
        quote.span,
        quote.sentence,
        source=mark.raw,
        message=f"the quoted words do not stand in {path}" + (f"; it says: “{near}”" if near else ""),
        fix="Quote the source word for word, or paraphrase without quotation marks.",
        remedy=Remedy(Act.TODO, quote.span.start, quote.span.end, f"the quoted words do not stand in {path}"),
    )


def _present(desk: Desk, quote: Quote, mark: Mark, found: Found, pages: Pages | None) -> None:
    if pages is None:
        desk.tell(
            "quote-without-page",
            quote.span,
            quote.sentence,
            source=mark.raw,
            message="a quotation without its page",
            fix="Add the page" + (f": p. {found.page}." if found.page else "."),
        )
    elif found.page is not None and not pages.first <= found.page <= pages.last:
        desk.tell(
            "quote-page",
            pages.span,
            quote.sentence,
            source=mark.raw,
            message=f"the quoted words stand on page {found.page} of the file, not on {pages.raw}",
            fix=f"Cite p. {found.page}, if the file's pages are numbered from 1.",
        )
