"""Citations of sources of the corpus: the file, the id or the DOI that they name.

`@.aiwg/research/sources/smith2020.md` is verified if that file is inside the root (`.md` may be left out).
`REF-001` is verified by what a file states in its front matter, its heading or a label, not by its name.
A DOI must be well formed; whether it exists is asked once for all documents, see `corpus/doi_existence.py`.
"""

from __future__ import annotations

from dataclasses import replace

from citeproof.corpus.corpus_types import CitationMark, Freshness, Pattern, PendingDoi, Status
from citeproof.corpus.document_check import DocumentCheck, propose_removal
from citeproof.corpus.entries import CorpusEntry
from citeproof.corpus.page.doi_marks import shorten_doi
from citeproof.corpus.project_root import Artefact
from citeproof.text import doi
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import CitationReason


def check_mentions(desk: DocumentCheck) -> None:
    """Note what became of every @-mention."""
    for mark in desk.marks(Pattern.MENTION):
        artefact = _find_mentioned_file(desk, mark.target)
        if artefact.there:
            entry = desk.asking.find_entry(artefact.path)
            desk.means[mark] = (entry,) if entry else ()
            desk.cite(mark, Status.VERIFIED, source=artefact.path)
        else:
            _note_missing_file(desk, mark, artefact)


def _find_mentioned_file(desk: DocumentCheck, target: str) -> Artefact:
    """Return the file that a mention names, with or without its suffix."""
    artefact = desk.asking.file(target)
    if artefact.there or artefact.reason != CitationReason.NOT_FOUND:
        return artefact
    whole = desk.asking.file(f"{target}.md")
    return whole if whole.there else artefact


def _note_missing_file(desk: DocumentCheck, mark: CitationMark, artefact: Artefact) -> None:
    detail = artefact.detail or "no such file"
    # something is there, and no one may take the citation out for that
    there = artefact.reason == CitationReason.UNREADABLE
    status = Status.UNREACHABLE if there else Status.HALLUCINATED
    number = desk.cite(mark, status, verdict=Freshness.MISSING, reason=artefact.reason, detail=detail)
    message, remedy = f"MISSING ({artefact.reason}): {detail}", propose_removal(mark)
    fix = "Cite a source of the corpus, add this one to it, or remove the citation."
    todo = f"{mark.raw} could not be read" if there else ""
    desk.tell("missing-source", mark, message=message, fix=fix, todo=todo, remedy=remedy, cited=number)


_SUFFIX = re.compile(r"(?<=\d)-[a-z]{1,20}$")


def check_refs(desk: DocumentCheck) -> None:
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


_FORM = re.compile(r"10\.\d{4,}/\S+")
_LONGEST = 2048


def check_dois(desk: DocumentCheck) -> None:
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
