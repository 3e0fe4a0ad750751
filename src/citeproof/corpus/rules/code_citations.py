"""Code citations: `[path@hash, L1-9]` and `[path, L9]` against the file as it is now.

FRESH passes; STALE and UN-VERSIONED are warnings; MISSING is an error. The same (path, hash, lines) counts
once in a document. --fix never removes or rewrites one: a stale one is annotated, a missing one gets a TODO.
"""

from __future__ import annotations

from citeproof.corpus.code import CodeVerdict, judge_code_citation
from citeproof.corpus.corpus_types import CitationMark, Drift, Freshness, LineChange, Pattern, Status
from citeproof.corpus.document_check import DocumentCheck
from citeproof.corpus.project_root import Artefact
from citeproof.vocabulary import Act, CitationReason, Remedy

STALE = "[STALE: hash mismatch]"
_STATUS = {
    Freshness.FRESH: Status.VERIFIED,
    Freshness.STALE: Status.INCONSISTENT,
    Freshness.UN_VERSIONED: Status.VERIFIED,  # the file is there; the warning says what is missing
    Freshness.MISSING: Status.HALLUCINATED,
}


def check(desk: DocumentCheck) -> None:
    """Note what became of every code citation."""
    seen: dict[tuple[str, str, str], int] = {}
    for mark in desk.marks(Pattern.CODE):
        artefact = desk.asking.file(mark.target)
        if not mark.sure and not artefact.there and artefact.reason != CitationReason.OUTSIDE_ROOT:
            continue  # "[Node.js]", "[and/or]"
        if not mark.sure and (artefact.folder or not artefact.there):
            continue
        identity = (mark.target, mark.hash, mark.lines)
        verdict = judge_code_citation(artefact, mark)
        again = identity in seen
        if verdict.freshness is Freshness.MISSING:
            desk.failed.add(mark)
        if again and mark.footer and verdict.freshness is not Freshness.MISSING:
            continue
        stale = verdict.freshness is Freshness.STALE
        drift = desk.asking.find_drift(mark, artefact) if stale else None
        if not again:
            unread = verdict.reason == CitationReason.UNREADABLE
            seen[identity] = desk.cite(
                mark,
                Status.UNREACHABLE if unread else _STATUS[verdict.freshness],
                verdict=verdict.freshness,
                reason=verdict.reason,
                detail=verdict.detail,
                source=artefact.path if artefact.there else "",
                current=verdict.current,
                drift=drift,
            )
        _note_verdict(desk, mark, artefact, verdict, drift, seen[identity])


def _note_verdict(
    desk: DocumentCheck,
    mark: CitationMark,
    artefact: Artefact,
    verdict: CodeVerdict,
    drift: Drift | None,
    number: int,
) -> None:
    match verdict.freshness:
        case Freshness.MISSING:
            _note_missing_code(desk, mark, verdict, number)
        case Freshness.STALE:
            _note_stale_code(desk, mark, verdict, drift, number)
        case Freshness.UN_VERSIONED:
            lines = f", {mark.lines}" if mark.lines and not verdict.range_problem else ""
            again = f"[{mark.target}@{artefact.sha256[:16]}{lines}]"
            message = "File exists but no content hash; consider running through aiwg index"
            fix = f"If the claim holds for the file as it is now, cite {again}."
            desk.tell("un-versioned-code", mark, message=message, fix=fix, cited=number)
        case Freshness.FRESH:
            pass
    if verdict.range_problem:
        fix = "Cite lines that the file has."
        desk.tell("code-range", mark, message=verdict.range_problem, fix=fix, cited=number)


def _note_missing_code(desk: DocumentCheck, mark: CitationMark, verdict: CodeVerdict, number: int) -> None:
    message = f"MISSING ({verdict.reason}): {verdict.detail or 'no such file'}"
    todo = f"{mark.raw} cites a file that is not in the project"
    remedy = Remedy(Act.TODO, mark.span.start, mark.span.end, todo)
    fix = "Cite a file of the project by its path from the root."
    desk.tell("missing-code", mark, message=message, fix=fix, remedy=remedy, cited=number)


def _note_stale_code(
    desk: DocumentCheck, mark: CitationMark, verdict: CodeVerdict, drift: Drift | None, number: int
) -> None:
    message = f"{verdict.detail}. Current hash: {verdict.current}"
    if drift is not None and drift.detail:
        unknown = "unknown what changed: " if drift.change is LineChange.UNKNOWN else ""
        message += f"; {unknown}{drift.detail}"
    remedy = Remedy(Act.ANNOTATE, mark.span.start, mark.span.end, STALE)
    fix = _advise_stale_fix(mark, verdict, drift)
    desk.tell("stale-code", mark, message=message, fix=fix, remedy=remedy, cited=number)


def _advise_stale_fix(mark: CitationMark, verdict: CodeVerdict, drift: Drift | None) -> str:
    if drift and drift.change is LineChange.REMOVED:
        return "The cited lines are gone: cite what supports the claim now, or remove the citation."
    lines = (drift.lines if drift else "") or ("" if verdict.range_problem else mark.lines)
    again = f"[{mark.target}@{verdict.current}{', ' + lines if lines else ''}]"
    if drift and drift.change in (LineChange.UNCHANGED, LineChange.MOVED):
        return f"The cited lines say the same; cite {again}."
    if drift and drift.change is LineChange.WHITESPACE:
        return f"Only white space changed; if the lines still support the claim, cite {again}."
    return f"Read the file again; if it still supports the claim, cite {again}."
