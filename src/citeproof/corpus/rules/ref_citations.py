"""REF ids: a file of the corpus must state the id, in its front matter, its heading or a label.

`REF-001` is verified by what a file states, not by its name: a file that is named after the id and states
another one is reported as such.
"""

from __future__ import annotations

import re

from citeproof.corpus.corpus_types import CitationMark, Pattern, Status
from citeproof.corpus.document_check import DocumentCheck, propose_removal
from citeproof.corpus.entries import CorpusEntry
from citeproof.vocabulary import CitationReason

_SUFFIX = re.compile(r"(?<=\d)-[a-z]{1,20}$")


def check(desk: DocumentCheck) -> None:
    """Note what became of every REF id."""
    form = re.compile(rf"{re.escape(desk.asking.layout.ref)}-[0-9]{{3}}(-[a-z]{{1,20}})?")
    for mark in desk.marks(Pattern.REF):
        if not desk.asking.present():
            detail = "no corpus to look it up in"
            desk.cite(mark, Status.UNCHECKED, reason=CitationReason.NO_CORPUS, detail=detail)
        elif entries := desk.asking.ref(mark.target):
            desk.means[mark] = entries
            desk.cite(mark, Status.VERIFIED)
        elif not form.fullmatch(mark.target):
            _note_malformed_ref(desk, mark)
        elif others := desk.asking.list_misnamed(mark.target):
            _note_ref_mismatch(desk, mark, others[0])
        else:
            _note_unknown_ref(desk, mark)


def _note_malformed_ref(desk: DocumentCheck, mark: CitationMark) -> None:
    detail = f"not of the form {desk.asking.layout.ref}-001"
    number = desk.cite(mark, Status.MALFORMED, reason=CitationReason.INVALID_FORMAT, detail=detail)
    message = f"{mark.raw} is {detail}, and the corpus has no such id"
    fix, todo = "Write the id as its file states it.", f"{mark.raw} is not a REF id of the corpus"
    desk.tell("malformed-ref", mark, message=message, fix=fix, todo=todo, cited=number)


def _note_ref_mismatch(desk: DocumentCheck, mark: CitationMark, entry: CorpusEntry) -> None:
    stated = entry.ref or "no id"
    message = f"{entry.path} is named after {mark.raw}, but it states {stated}"
    reason = CitationReason.METADATA_MISMATCH
    number = desk.cite(mark, Status.INCONSISTENT, reason=reason, detail=message, source=entry.path)
    fix, todo = "Correct the id here, or the front matter there.", f"{mark.raw}: the file states {stated}"
    desk.tell("ref-mismatch", mark, message=message, fix=fix, todo=todo, cited=number)


def _note_unknown_ref(desk: DocumentCheck, mark: CitationMark) -> None:
    detail = "no file of the corpus states this id (in its front matter, heading or a label)"
    number = desk.cite(mark, Status.HALLUCINATED, reason=CitationReason.NOT_FOUND, detail=detail)
    base = _SUFFIX.sub("", mark.target)
    near = f" The corpus has {base}." if base != mark.target and desk.asking.ref(base) else ""
    fix = f"Cite a source of the corpus, add this one to it, or remove the citation.{near}"
    desk.tell("unknown-ref", mark, message=detail, fix=fix, remedy=propose_removal(mark), cited=number)
