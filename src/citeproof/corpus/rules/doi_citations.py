"""DOIs: well formed, and known to the sources of the engine.

Whether they exist is asked once for all documents, after all were read: see `corpus/doi_existence.py`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from citeproof.corpus.corpus_types import CitationMark, Pattern, PendingDoi, Status
from citeproof.corpus.document_check import DocumentCheck
from citeproof.corpus.page.doi_marks import shorten_doi
from citeproof.text import doi
from citeproof.vocabulary import CitationReason

_FORM = re.compile(r"10\.\d{4,}/\S+")
_LONGEST = 2048


def check(desk: DocumentCheck) -> None:
    """Note every DOI that is malformed; leave the others to be asked about."""
    for mark in desk.marks(Pattern.DOI):
        normal = doi.normalise(mark.target) if len(mark.target) <= _LONGEST else None
        if normal is None or not _FORM.fullmatch(normal):
            _note_malformed_doi(desk, mark)
            continue
        short = shorten_doi(normal)
        desk.means[mark] = desk.asking.doi(normal) or (desk.asking.doi(short) if short else ())
        if desk.asking.layout.dois == "format":
            detail = "well formed; whether it exists was not checked"
            desk.cite(mark, Status.VERIFIED, reason=CitationReason.FORMAT, detail=detail)
            continue
        citation = replace(desk.make_citation(mark, Status.UNCHECKED), target=normal)
        end_column = desk.page.locate_span(mark.span.start, mark.span.end)[3]
        claim = desk.page.words(mark.sentence)
        desk.pending.append(PendingDoi(citation, mark.whole, end_column, claim, mark.kept, mark.spoken))


def _note_malformed_doi(desk: DocumentCheck, mark: CitationMark) -> None:
    detail = "not a DOI: 10., four digits or more, a slash and a suffix"
    number = desk.cite(mark, Status.MALFORMED, reason=CitationReason.INVALID_FORMAT, detail=detail)
    fix = "Write the DOI as its registry does, like 10.1038/nature14539."
    desk.tell("malformed-doi", mark, message=detail, fix=fix, todo=f"{mark.raw} is not a DOI", cited=number)
