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
        found = judge_code_citation(artefact, mark)
        again = identity in seen
        if found.freshness is Freshness.MISSING:
            desk.failed.add(mark)
        if again and mark.footer and found.freshness is not Freshness.MISSING:
            continue
        drift = _find_drift(desk, mark, artefact, found)
        if not again:
            unread = found.reason == CitationReason.UNREADABLE
            seen[identity] = desk.cite(
                mark,
                Status.UNREACHABLE if unread else _STATUS[found.freshness],
                verdict=found.freshness,
                reason=found.reason,
                detail=found.detail,
                source=artefact.path if artefact.there else "",
                current=found.current,
                drift=drift,
            )
        _note_verdict(desk, mark, artefact, found, drift, seen[identity])


def _find_drift(
    desk: DocumentCheck, mark: CitationMark, artefact: Artefact, found: CodeVerdict
) -> Drift | None:
    """Return what changed since a stale citation was written, or what took the file of a missing one away."""
    gone = found.freshness is Freshness.MISSING and found.reason == CitationReason.NOT_FOUND and mark.hash
    if found.freshness is not Freshness.STALE and not (gone and not artefact.folder):
        return None
    drift = desk.asking.find_drift(mark, artefact)
    return None if gone and drift.change is LineChange.UNKNOWN else drift


def _note_verdict(
    desk: DocumentCheck,
    mark: CitationMark,
    artefact: Artefact,
    found: CodeVerdict,
    drift: Drift | None,
    number: int,
) -> None:
    match found.freshness:
        case Freshness.MISSING:
            _note_missing_code(desk, mark, found, drift, number)
        case Freshness.STALE:
            _note_stale_code(desk, mark, found, drift, number)
        case Freshness.UN_VERSIONED:
            lines = f", {mark.lines}" if mark.lines and not found.range_problem else ""
            again = f"[{mark.target}@{artefact.sha256[:16]}{lines}]"
            desk.tell(
                "un-versioned-code",
                mark,
                message="File exists but no content hash; consider running through aiwg index",
                fix=f"If the claim holds for the file as it is now, cite {again}.",
                cited=number,
            )
        case Freshness.FRESH:
            pass
    if found.range_problem:
        fix = "Cite lines that the file has."
        desk.tell("code-range", mark, message=found.range_problem, fix=fix, cited=number)


def _note_missing_code(
    desk: DocumentCheck, mark: CitationMark, found: CodeVerdict, drift: Drift | None, number: int
) -> None:
    message = f"MISSING ({found.reason}): {found.detail or 'no such file'}"
    if drift is not None:
        message += f"; {drift.detail}"
    todo = f"{mark.raw} cites a file that is not in the project"
    desk.tell(
        "missing-code",
        mark,
        message=message,
        fix="Cite a file of the project by its path from the root.",
        remedy=Remedy(Act.TODO, mark.span.start, mark.span.end, todo),
        cited=number,
    )


def _note_stale_code(
    desk: DocumentCheck, mark: CitationMark, found: CodeVerdict, drift: Drift | None, number: int
) -> None:
    message = f"{found.detail}. Current hash: {found.current}"
    if drift is not None and drift.detail:
        unknown = "unknown what changed: " if drift.change is LineChange.UNKNOWN else ""
        message += f"; {unknown}{drift.detail}"
    remedy = Remedy(Act.ANNOTATE, mark.span.start, mark.span.end, STALE)
    fix = _advise_stale_fix(mark, found, drift)
    desk.tell("stale-code", mark, message=message, fix=fix, remedy=remedy, cited=number)


def _advise_stale_fix(mark: CitationMark, found: CodeVerdict, drift: Drift | None) -> str:
    if drift and drift.change is LineChange.REMOVED:
        return "The cited lines are gone: cite what supports the claim now, or remove the citation."
    lines = (drift.lines if drift else "") or ("" if found.range_problem else mark.lines)
    again = f"[{mark.target}@{found.current}{', ' + lines if lines else ''}]"
    if drift and drift.change in (LineChange.UNCHANGED, LineChange.MOVED):
        return f"The cited lines say the same; cite {again}."
    if drift and drift.change is LineChange.WHITESPACE:
        return f"Only white space changed; if the lines still support the claim, cite {again}."
    return f"Read the file again; if it still supports the claim, cite {again}."
