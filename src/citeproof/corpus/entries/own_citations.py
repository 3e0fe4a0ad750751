"""The citation strings of files that state no authors or year otherwise, read into fields."""

from __future__ import annotations

from collections.abc import Iterable

from citeproof.corpus.entries.entry_drafts import EntryDraft
from citeproof.corpus.entries.entry_fields import EntryFields
from citeproof.corpus.entries.markup import find_link_address, strip_markup
from citeproof.extractors.bibtex import BibtexExtractor
from citeproof.parse import parse_all
from citeproof.text import doi
from citeproof.vocabulary import Claimed, Document, Place, RawReference

_SURE = 0.7  # below it, a field of the parser is left out
_MAX_CITATION = 2000


def add_citation_fields(drafts: Iterable[EntryDraft]) -> None:
    """Add to each draft what its citation says and nothing else does; all strings are read together."""
    citing = [draft for draft in drafts if draft.citation]
    wanting = [draft for draft in citing if _is_incomplete(draft)]
    for draft, reference in zip(wanting, parse_all(map(_make_raw_reference, wanting)), strict=True):
        _add_sure_fields(draft, reference.claimed)
    for draft in citing:
        plain = draft.citation[:_MAX_CITATION]
        if found := doi.normalise(strip_markup(plain)) or doi.normalise(find_link_address(plain)):
            draft.said.setdefault("doi", found)


def _make_raw_reference(draft: EntryDraft) -> RawReference:
    """Return a citation as the parser takes it: an entry of BibTeX with its fields, else a string."""
    if draft.citation.startswith("@"):
        entries = (
            BibtexExtractor()
            .extract(Document(draft.path, draft.citation.encode("utf-8", "replace")))
            .references
        )
        if entries:
            return entries[0]
    return RawReference(draft.path, draft.citation[:_MAX_CITATION], Place())


def _is_incomplete(draft: EntryDraft) -> bool:
    """Return whether authors or year are still to be found."""
    own, said = draft.fields(), EntryFields(draft.said)
    return not (own.authors() or said.authors()) or not (own.year() or said.year())


def _add_sure_fields(draft: EntryDraft, claimed: Claimed) -> None:
    """Give a draft the sure fields of its citation; a string with only one of them may be no citation."""
    if found := claimed.ids.first("doi"):
        draft.said.setdefault("doi", found)
    given = {"title": claimed.title, "year": claimed.year, "authors": claimed.authors}
    sure = {field for field, value in given.items() if value and claimed.confidence(field) >= _SURE}
    if len(sure) < 2:
        return
    if "authors" in sure:
        draft.authors = claimed.authors
    for field in ("title", "year"):
        if field in sure:
            draft.said.setdefault(field, str(given[field]))
