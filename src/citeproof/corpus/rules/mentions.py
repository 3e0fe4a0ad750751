"""@-mentions: the file must exist, inside the root.

`@.aiwg/research/sources/smith2020.md` is verified if that file is there (the suffix `.md` may be left out).
One that is not there, or that leads out of the root, is a citation to nothing.
"""

from __future__ import annotations

from citeproof.corpus.corpus_types import CitationMark, Freshness, Pattern, Status
from citeproof.corpus.document_check import DocumentCheck, propose_removal
from citeproof.corpus.project_root import Artefact
from citeproof.vocabulary import CitationReason


def check(desk: DocumentCheck) -> None:
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
