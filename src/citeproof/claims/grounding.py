"""THE ALGORITHM: a claim goes in; a citation that passed every check comes out, or the reason why none did.

1. No candidate: the claim is kept, and unsupported.
2. Each candidate, the surest first: resolve it, compare title and authors, check for a retraction.
   A retracted work ends the search: the claim is `retracted_source`. The first that passes is attached. An
   identifier alone, with nothing to compare, only resolves: it is attached if nothing better passes.
3. None passed: no citation is shown. Where a candidate or a retraction could not be checked, the claim is
   `unchecked`, never `verified` and never `unsupported`; else it is `unsupported`.
4. Where texts are at hand, that of the attached work is looked at: the content of the claim, a second fact
   that never changes the first. The policy of the run says which content holds a claim back.
5. After the last claim, the checks of the set run over the citations that were attached.

There is no short cut: an engine that judges, compares and logs every reference does it here too.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from citeproof.answers.serializers.judgements import GROUNDING, find_missing_dois, name_event
from citeproof.judgement.checks.evidence.set_evidence import SetMember
from citeproof.text.ids import find_ids
from citeproof.text.title import fold_title
from citeproof.vocabulary import (
    CandidateOrigin,
    Checked,
    CitationCandidate,
    Claim,
    Claimed,
    ClaimPolicy,
    ClaimStatus,
    ClaimSupport,
    Extraction,
    Finding,
    FindingState,
    GroundedClaim,
    Ids,
    Place,
    RawReference,
    Record,
    SetFinding,
    TriedCandidate,
    Verdict,
)

AHEAD = 16  # claims in flight at a time; their order stays
WRITTEN = 0.8  # how sure an identifier is that stands in the claim itself
MOST = 20  # candidates of one claim
_SCHEMES = frozenset(("doi", "arxiv", "pmid", "pmcid", "isbn", "ads", "acl", "openreview"))
RETRACTED = "retracted"
UNRESOLVED = "unresolved"  # no source that was asked knows the identifier; the title is another matter
_NOT_OF_WORKS = frozenset(("url", "issn", "isbn"))
BARE = "the identifier leads to a work, but the claim says nothing of it that could be compared"
NO_CANDIDATE = "no reference was proposed, and the claim names none"
_DECIDED = frozenset((Verdict.MATCHED, Verdict.MISMATCH, Verdict.AMBIGUOUS, Verdict.NOT_FOUND))

AssessClaim = Callable[[GroundedClaim], Awaitable[ClaimSupport]]
FindMentioned = Callable[[Claim], Awaitable[Sequence[CitationCandidate]]]


class GroundingEngine(Protocol):
    """What grounding needs of the verifier."""

    @property
    def claim_policy(self) -> ClaimPolicy: ...

    def require_retractions(self) -> None: ...

    async def verify_one(self, raw: RawReference, *, retractions: bool = False) -> Checked: ...

    async def keep_claim(self, grounded: GroundedClaim) -> None: ...

    async def examine_set(
        self, document: str, extraction: Extraction, members: Sequence[SetMember]
    ) -> Sequence[SetFinding]: ...


async def find_nothing_mentioned(_: Claim) -> Sequence[CitationCandidate]:
    """Return no candidates: authors and years that a claim names are not looked up."""
    return ()


async def ground_claims(
    engine: GroundingEngine,
    claims: Sequence[Claim],
    find_mentioned: FindMentioned = find_nothing_mentioned,
    assess: AssessClaim | None = None,
) -> AsyncGenerator[GroundedClaim]:
    """Yield every claim, decided, in order."""
    under_way: deque[asyncio.Task[GroundedClaim]] = deque()
    try:
        for claim in claims:
            under_way.append(asyncio.ensure_future(ground_claim(engine, claim, find_mentioned, assess)))
            if len(under_way) >= AHEAD:
                yield await under_way.popleft()
        while under_way:
            yield await under_way.popleft()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def ground_claim(
    engine: GroundingEngine,
    claim: Claim,
    find_mentioned: FindMentioned = find_nothing_mentioned,
    assess: AssessClaim | None = None,
) -> GroundedClaim:
    """Return one claim, decided; what was decided is in the audit log by then, if there is one."""
    policy = engine.claim_policy
    candidates = collect_candidates(claim, await find_mentioned(claim))
    tried: list[TriedCandidate] = []
    for candidate in candidates:
        checked = await engine.verify_one(_make_reference(candidate), retractions=True)
        tried.append(try_candidate(candidate, checked, allow=policy.allow_unchecked_retractions))
        if (tried[-1].passed and not candidate.bare) or tried[-1].outcome == RETRACTED:
            break
    grounded = decide_claim(claim, tried, len(candidates))
    if assess is not None and grounded.attached is not None:
        grounded = replace(grounded, support=await assess(grounded))
    if grounded.attached is not None:
        grounded = replace(grounded, held=grounded.content in policy.hold)
    await engine.keep_claim(grounded)
    return grounded


async def examine_citations(
    engine: GroundingEngine, name: str, grounded: Sequence[GroundedClaim]
) -> Sequence[SetFinding]:
    """Return what the checks say about the attached citations together, each work once."""
    attached = [one.attached.checked for one in grounded if one.attached]
    members = {member.work or member.key: member for member in map(SetMember.of, attached)}
    return await engine.examine_set(name, Extraction((), format="claims"), list(members.values()))


def measure_title_similarity(one: str, other: str) -> float:
    """Return how alike two titles are, 0..1: the larger of Levenshtein and token-set similarity."""
    left, right = fold_title(one), fold_title(other)
    return max(Levenshtein.normalized_similarity(left, right), fuzz.token_set_ratio(left, right) / 100)


def collect_candidates(
    claim: Claim, mentioned: Sequence[CitationCandidate] = ()
) -> tuple[CitationCandidate, ...]:
    """Return the candidates of a claim, the surest first, each work once; `mentioned` by author and year.

    An identifier in the text that a proposed reference has too is that reference: what it claims counts.
    """
    every = [*claim.references, *_find_written_identifiers(claim.text), *mentioned]
    kept: list[CitationCandidate] = []
    for one in every:
        at = next((n for n, other in enumerate(kept) if _is_same_candidate(one, other)), None)
        if at is None:
            kept.append(one)
        else:  # of the two, what claims more
            told = one if kept[at].bare else kept[at]
            kept[at] = replace(told, confidence=max(kept[at].confidence, one.confidence))
    return tuple(sorted(kept, key=lambda one: -one.confidence)[:MOST])


def _find_written_identifiers(text: str) -> Iterable[CitationCandidate]:
    spans: dict[tuple[int, int], list[tuple[str, str]]] = {}  # one address may be a DOI and an ACL number
    for scheme, value, start, end in find_ids(text):
        if scheme in _SCHEMES:
            spans.setdefault((start, end), []).append((scheme, value))
    for (start, end), pairs in spans.items():
        claimed = Claimed(ids=Ids(tuple(pairs)), et_al=True)
        yield CitationCandidate(claimed, WRITTEN, CandidateOrigin.TEXT, text[start:end])


def _is_same_candidate(one: CitationCandidate, other: CitationCandidate) -> bool:
    if one.claimed.ids and other.claimed.ids:
        return not set(one.claimed.ids.pairs).isdisjoint(other.claimed.ids.pairs)
    return one.claimed == other.claimed and one.text == other.text


def _make_reference(candidate: CitationCandidate) -> RawReference:
    return RawReference(
        candidate.identifier or "citation",
        candidate.text or candidate.identifier or candidate.claimed.title or "",
        Place(),
        candidate.kind,
        claimed=candidate.claimed,
    )


def try_candidate(candidate: CitationCandidate, checked: Checked, *, allow: bool = False) -> TriedCandidate:
    """Return what a candidate that was checked comes to; `allow`: also if nobody can say of a retraction."""
    judgement = checked.judgement
    outcome = name_event(checked, find_missing_dois(checked.retrieved.lookups), GROUNDING)
    record = _find_resolved_record(candidate, checked)
    titles = candidate.claimed.title, record.title if record else None
    similarity = measure_title_similarity(titles[0], titles[1]) if titles[0] and titles[1] else None
    if judgement.verdict is not Verdict.MATCHED:
        return TriedCandidate(candidate, checked, outcome, False, similarity, None)
    if not _is_resolved(candidate, checked):
        return TriedCandidate(candidate, checked, UNRESOLVED, False, similarity, None)
    state = _read_retraction_state(checked)
    warnings = tuple(one for one in checked.findings if one.is_finding and not one.blocks)
    passed = state is FindingState.CLEAR or (allow and state is FindingState.UNCHECKED)
    if passed and candidate.bare:
        outcome = ClaimStatus.RESOLVED.value
    return TriedCandidate(candidate, checked, outcome, passed, similarity, state, warnings)


def _is_resolved(candidate: CitationCandidate, checked: Checked) -> bool:
    """Return whether the candidate's identifier is that of the work found; a title alone does not do it."""
    named = {pair for pair in candidate.claimed.ids.pairs if pair[0] not in _NOT_OF_WORKS}
    matched = checked.judgement.matched
    if not named or matched is None:
        return True
    led = not {scheme for scheme, _ in named}.isdisjoint(matched.via)
    return led or not named.isdisjoint(matched.record.ids.pairs)


def _find_resolved_record(candidate: CitationCandidate, checked: Checked) -> Record | None:
    """Return the record that the candidate's identifier leads to; without one, what the search found."""
    schemes = {scheme for scheme, _ in candidate.claimed.ids.pairs}
    led = (one.record for one in checked.compared if not schemes.isdisjoint(one.via))
    matched = checked.judgement.matched
    if matched is not None and (checked.verdict is Verdict.MATCHED or not schemes.isdisjoint(matched.via)):
        return matched.record
    return next(led, None)


def _read_retraction_state(checked: Checked) -> FindingState:
    """Return whether the work was retracted; a retracted part, or one that was replaced, is a warning."""
    found = checked.retraction or _find_retraction(checked)
    if found is None:
        return FindingState.UNCHECKED
    return FindingState.CLEAR if found.is_finding and checked.retraction is None else found.state


def _find_retraction(checked: Checked) -> Finding | None:
    return next((one for one in checked.findings if one.name == RETRACTED), None)


def decide_claim(claim: Claim, tried: Sequence[TriedCandidate], candidates: int) -> GroundedClaim:
    """Return a claim with what its candidates come to; `candidates` counts also those that were not tried."""
    every = tuple(tried)
    if not every:
        return GroundedClaim(claim, ClaimStatus.UNSUPPORTED, (), candidates, reason=NO_CANDIDATE)
    last = every[-1]
    passed = sorted((one for one in every if one.passed), key=lambda one: one.candidate.bare)
    if passed and last.outcome != RETRACTED:
        if not passed[0].candidate.bare:
            return GroundedClaim(claim, ClaimStatus.VERIFIED, every, candidates, passed[0])
        return GroundedClaim(claim, ClaimStatus.RESOLVED, every, candidates, passed[0], reason=BARE)
    if last.outcome == RETRACTED:
        found = _find_retraction(last.checked)
        reason = found.detail if found else "the work was retracted"
        return GroundedClaim(claim, ClaimStatus.RETRACTED_SOURCE, every, candidates, reason=reason)
    if open_ := [one for one in every if one.checked.verdict not in _DECIDED or one.outcome == UNRESOLVED]:
        name = open_[0].candidate.identifier
        unresolved = f"a work with that title was found, but nobody who was asked knows {name}"
        reason = unresolved if open_[0].outcome == UNRESOLVED else open_[0].checked.explanation
        return GroundedClaim(claim, ClaimStatus.UNCHECKED, every, candidates, reason=reason)
    if unknown := [one for one in every if one.retraction is FindingState.UNCHECKED]:
        found = _find_retraction(unknown[0].checked)
        told = found.detail if found else "no list of retractions was asked"
        reason = f"the work was found, but whether it was retracted could not be checked: {told}"
        return GroundedClaim(claim, ClaimStatus.UNCHECKED, every, candidates, reason=reason)
    reason = "; ".join(dict.fromkeys(one.checked.explanation for one in every))
    return GroundedClaim(claim, ClaimStatus.UNSUPPORTED, every, candidates, reason=reason)
