"""The decisions about a claim in words, a line each, as a reader of the trace sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from citeproof.claims.grounding import UNRESOLVED
from citeproof.claims.support_trace import list_support
from citeproof.vocabulary import (
    COULD_NOT_CHECK,
    NOT_CHECKED,
    ClaimStatus,
    FindingState,
    GroundedClaim,
    SupportOutcome,
    TriedCandidate,
    Verdict,
)

_ENDINGS = {
    ClaimStatus.VERIFIED: "VERIFIED",
    ClaimStatus.RESOLVED: "RESOLVED: the identifier exists; nothing says that this work is meant",
    ClaimStatus.UNSUPPORTED: "DROPPED: the claim is unsupported",
    ClaimStatus.RETRACTED_SOURCE: "DROPPED: the cited work was retracted",
    ClaimStatus.UNCHECKED: "COULD NOT CHECK: no citation is shown",
}
_RETRACTION = {
    FindingState.CLEAR: "clear",
    FindingState.UNCHECKED: "could not be checked",
    FindingState.FINDING: "RETRACTED",
}


def list_trace(grounded: GroundedClaim) -> list[str]:
    """Return every decision about a claim, in order."""
    count = grounded.candidates
    lines = [f"candidates: {count}" if count else f"candidates: none ({grounded.reason})"]
    for number, one in enumerate(grounded.tried, 1):
        mark = f"#{number} " if count > 1 else ""
        lines += [f"{mark}{line}" for line in _describe_candidate(one)]
    if left := count - len(grounded.tried):
        lines.append(f"{left} more not tried")
    ending = _ENDINGS[grounded.status]
    lines.append(f"{ending} ({name_final_work(grounded)})" if grounded.attached else ending)
    return [*lines, *list_support(grounded.support)] if grounded.attached else lines


def name_final_work(grounded: GroundedClaim) -> str:
    """Return the identifier of the attached work: `doi:10.1000/x`, else that of its record."""
    if grounded.attached is None or (matched := grounded.attached.checked.judgement.matched) is None:
        return ""
    doi = matched.record.ids.first("doi")
    return f"doi:{doi}" if doi else f"{matched.record.source}:{matched.record.id}"


def summarise_hypothesis(
    statuses: Mapping[ClaimStatus, int], contents: Mapping[str, int] | None = None, held: int = 0
) -> str:
    """Return the counts of both facts in words.

    `2 of 3 citations verified, 1 claim unsupported; content: 1 alarm, 1 not compared; 1 claim held back`.
    """
    total = sum(statuses.values())
    told = [f"{statuses.get(ClaimStatus.VERIFIED, 0)} of {total} citations verified"]
    if resolved := statuses.get(ClaimStatus.RESOLVED, 0):
        told.append(f"{resolved} resolved by an identifier alone")
    unsupported = statuses.get(ClaimStatus.UNSUPPORTED, 0) + statuses.get(ClaimStatus.RETRACTED_SOURCE, 0)
    if unsupported:
        told.append(f"{unsupported} claim{'' if unsupported == 1 else 's'} unsupported")
    if retracted := statuses.get(ClaimStatus.RETRACTED_SOURCE, 0):
        told.append(f"{retracted} of them with a retracted source")
    if open_ := statuses.get(ClaimStatus.UNCHECKED, 0):
        told.append(f"{open_} could not be checked")
    parts = [", ".join(told)]
    if contents:
        found = sorted(contents.items(), key=lambda one: list(SupportOutcome).index(SupportOutcome(one[0])))
        parts.append("content: " + ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found))
    if held:
        parts.append(f"{held} claim{'' if held == 1 else 's'} held back")
    return "; ".join(parts)


def _describe_candidate(one: TriedCandidate) -> Iterator[str]:
    candidate, checked = one.candidate, one.checked
    searched = "no identifier: searched by title" if candidate.claimed.title else "no single work is likely"
    named = candidate.identifier or searched
    yield f"{named} (confidence {candidate.confidence:.2f}, {candidate.origin.value})"
    yield _describe_resolution(one)
    if one.outcome == UNRESOLVED:
        yield "rejected: a work with such a title was found, but nobody who was asked knows the identifier"
    elif checked.judgement.matched is not None:
        yield _describe_title(one)
        if checked.verdict is not Verdict.MATCHED:
            yield f"rejected ({one.outcome}): {checked.explanation}"
        elif one.passed and (differing := checked.judgement.differences):
            fields = list(dict.fromkeys(difference.field for difference in differing))
            verb = "differs" if len(fields) == 1 else "differ"
            yield f"accepted; shown as the record has it, since {', '.join(fields)} {verb}"
    if one.retraction is not None:
        allowed = one.passed and one.retraction is FindingState.UNCHECKED
        told = f"{_RETRACTION[one.retraction]}{_describe_retraction(one)}"
        yield f"retraction: {told}{', which this run allows' if allowed else ''}"
    for finding in one.warnings:
        yield f"warning: {finding.name}: {finding.detail}"
    clear = [f.name for f in one.checked.findings if f.state is FindingState.CLEAR and f.name != "retracted"]
    if clear:
        yield "; ".join(f"{name}: no" for name in clear)


def _describe_resolution(one: TriedCandidate) -> str:
    match one.checked.verdict:
        case Verdict.NOT_FOUND:
            return f"not found ({one.outcome})" if one.outcome != Verdict.NOT_FOUND else "not found"
        case Verdict.UNCHECKED:
            cause = one.checked.explanation.removeprefix(COULD_NOT_CHECK.capitalize())
            return f"{NOT_CHECKED}{cause if cause[:1] in (':', ' ') else f': {cause}'}"
        case _:
            matched = one.checked.judgement.matched
            return f"resolved by {matched.record.source}" if matched else "resolved"


def _describe_title(one: TriedCandidate) -> str:
    if one.candidate.claimed.title is None:
        stated = [
            name
            for name, value in (
                ("authors", one.candidate.claimed.authors),
                ("year", one.candidate.claimed.year),
                ("venue", one.candidate.claimed.venue),
            )
            if value
        ]
        compared = f"; {', '.join(stated)} compared" if stated else ""
        return f"no title was claimed{compared}"
    return f"title similarity {one.title_similarity:.2f}" if one.title_similarity is not None else "no title"


def _describe_retraction(one: TriedCandidate) -> str:
    found = next((each for each in one.checked.findings if each.name == "retracted"), None)
    told = [part for part in (found.detail, found.source) if part] if found else []
    return f" ({'; '.join(told)})" if told else ""
