"""Whether DOIs exist, asked once for all documents through the sources of the engine.

A source that has the DOI, or whose authority it is (doi.org), decides. Absent is only what a source that
would know it does not have; everything else is "could not check", with its cause.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from citeproof.corpus.catalogue import rule_of
from citeproof.corpus.examine import count, ordered
from citeproof.corpus.nouns import STAND, Act, Citation, Issue, Pattern, Pending, Remedy, Result, Status
from citeproof.corpus.page.doi import shorter
from citeproof.verifier import Verifier
from citeproof.vocabulary import (
    Absent,
    Cause,
    Checked,
    Claimed,
    Extraction,
    Found,
    Ids,
    Kind,
    Place,
    RawReference,
    Reach,
    Unchecked,
)

_TOGETHER = 2  # sources that cover such works and must both have nothing


@dataclass(frozen=True, slots=True)
class Existence:
    """What the sources say of one DOI: "found", "absent", or "unchecked" with the cause."""

    answer: str
    cause: str = ""
    by: str = ""  # the sources that decided


async def ask(verifier: Verifier, dois: Sequence[str]) -> AsyncIterator[tuple[str, Existence]]:
    """Yield what the sources say of each DOI: of one that is absent, of its shorter form as well."""
    doubted: dict[str, tuple[str, Existence]] = {}
    async for doi, existence in _asked(verifier, dois):
        if existence.answer == "absent" and (short := shorter(doi)):
            doubted[doi] = short, existence
        else:
            yield doi, existence
    if not doubted:
        return
    shorts = list(dict.fromkeys(short for short, _ in doubted.values()))
    known = {doi: existence async for doi, existence in _asked(verifier, shorts)}
    for doi, (short, existence) in doubted.items():
        other = known[short]
        if other.answer == "found":
            yield doi, replace(other, by=f"{other.by} as {short}")
        else:  # only what nobody knows in any form does not exist
            yield doi, existence if other.answer == "absent" else other


async def _asked(verifier: Verifier, dois: Sequence[str]) -> AsyncIterator[tuple[str, Existence]]:
    references = tuple(
        RawReference(doi, doi, Place(), Kind.ARTICLE, claimed=Claimed(ids=Ids((("doi", doi),))))
        for doi in dois
    )
    async for checked in verifier.verify(Extraction(references)):
        yield checked.reference.key, decided(checked)


def decided(checked: Checked) -> Existence:
    """Return what the answers about a DOI come to."""
    lookups = [lookup for lookup in checked.retrieved.lookups if lookup.by == "doi"]
    found = [lookup.source for lookup in lookups if isinstance(lookup, Found)]
    if found:
        return Existence("found", by=", ".join(found))
    absent = [lookup for lookup in lookups if isinstance(lookup, Absent)]
    sure = any(lookup.reach is Reach.COMPLETE for lookup in absent)
    covering = [lookup for lookup in absent if lookup.reach is Reach.COVERS]
    if sure or len(covering) >= _TOGETHER:
        return Existence("absent", by=", ".join(lookup.source for lookup in absent))
    causes = [lookup.cause for lookup in lookups if isinstance(lookup, Unchecked)]
    telling = next((cause for cause in causes if cause is not Cause.NOT_COVERED), None)
    return Existence("unchecked", cause=(telling or Cause.NOT_COVERED).value)


def settle(result: Result, known: Mapping[str, Existence]) -> Result:
    """Return a result whose pending DOIs are citations like the others, in document order."""
    if not result.pending:
        return result
    made = [_citation(pending, known[pending.doi]) for pending in result.pending]
    citations = [*result.citations, *made]
    first = len(result.citations)
    wrong = [
        replace(_issue(pending, known[pending.doi]), cited=first + at)
        for at, pending in enumerate(result.pending)
        if known[pending.doi].answer == "absent"
    ]
    settled, told = ordered(citations, [*result.issues, *wrong])
    counts = result.counts + replace(count(made, wrong), files=0)
    return replace(result, citations=settled, issues=told, pending=(), counts=counts)


def _citation(pending: Pending, known: Existence) -> Citation:
    status, reason, detail = _status(pending, known)
    return Citation(
        Pattern.DOI,
        pending.raw,
        pending.doi,
        pending.span.start,
        pending.span.end,
        pending.line,
        pending.column,
        pending.end_line,
        status,
        reason=reason,
        detail=detail,
        source=pending.source,
        grade=pending.grade,
    )


def _status(pending: Pending, known: Existence) -> tuple[Status, str, str]:
    match known.answer:
        case "found":
            return Status.VERIFIED, "found", f"known to {known.by}"
        case "absent":
            return Status.HALLUCINATED, "not_found", f"not known to {known.by}"
        case _ if pending.source:
            return Status.VERIFIED, "corpus", f"stated by {pending.source}; whether it exists was not checked"
        case _:
            return Status.UNCHECKED, known.cause, "no source that would know it could be asked"


def _issue(pending: Pending, known: Existence) -> Issue:
    rule = rule_of("fabricated-doi")
    stated = f"; {pending.source} states it too" if pending.source else ""
    named = "" if pending.doi in pending.raw.lower() else f" as {pending.doi}"
    return Issue(
        rule.name,
        rule.kind,
        rule.type,
        rule.severity,
        rule.level,
        pending.line,
        pending.column,
        pending.end_line,
        pending.end_column,
        pending.claim,
        pending.raw,
        f"no such DOI{named}: {known.by} would know it and does not{stated}",
        "Correct the DOI, or remove the citation.",
        _remedy(pending),
    )


def _remedy(pending: Pending) -> Remedy:
    start, end = pending.whole.start, pending.whole.end
    said = f"removed citation to a DOI that does not exist: {pending.doi}"
    kept = (pending.kept.start, pending.kept.end) if pending.kept else None
    return Remedy(Act.REMOVE, start, end, said, kept, STAND if pending.spoken else "")
