"""Claims and what their citations rest on: a hypothesis, its candidates, each decision about them."""

from __future__ import annotations

from enum import StrEnum

from citeproof.vocabulary.claim_support import ClaimSupport, SupportOutcome
from citeproof.vocabulary.judgements import Checked, Finding, FindingState, Run, SetFinding
from citeproof.vocabulary.quick_dataclass import dataclass
from citeproof.vocabulary.references import Claimed, Kind, Place

_NOWHERE = Place()


class ClaimStatus(StrEnum):
    """What became of the citation of a claim. What the cited work says is another fact: `content`."""

    VERIFIED = "verified"  # a citation that passed every check is attached
    RESOLVED = "resolved"  # an identifier alone leads to a work; nothing says that it is the one meant
    UNSUPPORTED = "unsupported"  # no candidate passed; no citation is shown
    RETRACTED_SOURCE = "retracted_source"  # the work that it cites was retracted
    UNCHECKED = "unchecked"  # something could not be checked, and nothing was verified


HOLDABLE = ("alarm", "contradicted", "not_located", "not_stated", "not_compared", "evidence_located")
SHOWN_STATUSES = (ClaimStatus.VERIFIED, ClaimStatus.RESOLVED)  # with a citation that exists


@dataclass(frozen=True, slots=True)
class ClaimPolicy:
    """What holds a claim back whose citation is right, and whether retractions may go unchecked."""

    hold: tuple[str, ...] = ("alarm", "contradicted")  # values of `GroundedClaim.content`
    allow_unchecked_retractions: bool = False


class CandidateOrigin(StrEnum):
    """Where a candidate comes from."""

    PROPOSED = "proposed"  # a reference that came with the claim
    TEXT = "text"  # an identifier in the claim itself
    MENTION = "mention"  # found by an author and a year that the claim names


@dataclass(frozen=True, slots=True)
class CitationCandidate:
    """One work that a claim may cite: what is claimed of it, and how sure its proposer is (0..1)."""

    claimed: Claimed
    confidence: float
    origin: CandidateOrigin = CandidateOrigin.PROPOSED
    text: str = ""  # as it is written: "Yamada et al. 2019, Brain"
    kind: Kind = Kind.ARTICLE

    @property
    def identifier(self) -> str:
        """Its first identifier: `doi:10.1000/x`; empty if it has none."""
        return ":".join(self.claimed.ids.pairs[0]) if self.claimed.ids.pairs else ""

    @property
    def bare(self) -> bool:
        """Whether it is an identifier alone, with nothing to compare the work to."""
        claimed = self.claimed
        return bool(claimed.ids.pairs) and not (
            claimed.title or claimed.authors or claimed.year or claimed.venue
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement, and the references that were proposed for it."""

    id: str
    text: str
    place: Place = _NOWHERE
    references: tuple[CitationCandidate, ...] = ()
    own_document: bool = True  # it is a sentence of a document, which may have figures of its own
    sentence: Place = _NOWHERE  # where it stands, if that is known; `place` is that of its reference


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Claims that belong together."""

    id: str
    title: str = ""
    claims: tuple[Claim, ...] = ()
    model: str = ""  # that wrote it, if one did


@dataclass(frozen=True, slots=True)
class TriedCandidate:
    """One candidate, checked: `outcome` is the word of the audit log ("verified", "crossref_miss", ...)."""

    candidate: CitationCandidate
    checked: Checked
    outcome: str
    passed: bool
    title_similarity: float | None  # max of Levenshtein and token set; None: one side has no title
    retraction: FindingState | None  # None: not asked, since it is not the work
    warnings: tuple[Finding, ...] = ()  # of other checks: they do not block


@dataclass(frozen=True, slots=True, repr=False)
class GroundedClaim:
    """One claim with every decision about its candidates, in the order in which they were tried."""

    claim: Claim
    status: ClaimStatus
    tried: tuple[TriedCandidate, ...]
    candidates: int  # how many there were; after the first that passes no more are tried
    attached: TriedCandidate | None = None  # the citation that may be shown
    reason: str = ""  # why it is not verified, in words
    support: ClaimSupport | None = None  # what the work's text says about it; None: not looked for
    held: bool = False  # by the policy of the run, for its content

    @property
    def content(self) -> SupportOutcome:
        """Whether what the claim says was compared with the text of the work, and what came of it."""
        if self.support is None or self.support.outcome is SupportOutcome.NO_TEXT:
            return SupportOutcome.NOT_COMPARED
        return self.support.outcome

    @property
    def caveat(self) -> str:
        """What a citation that is shown was not checked for: `retraction_unchecked`, or nothing."""
        unchecked = self.attached is not None and self.attached.retraction is FindingState.UNCHECKED
        return "retraction_unchecked" if unchecked else ""

    def __repr__(self) -> str:
        return f"<GroundedClaim {self.claim.id!r}: {self.status.value}, content {self.content.value}>"


@dataclass(frozen=True, slots=True)
class SealedLog:
    """Where a run was logged, and the root of the log's Merkle tree after it."""

    path: str
    root: str  # in hexadecimal digits
    size: int  # entries under the root


@dataclass(frozen=True, slots=True, repr=False)
class GroundedHypothesis:
    """A hypothesis with all its claims decided: a sequence of `GroundedClaim`."""

    hypothesis: Hypothesis
    claims: tuple[GroundedClaim, ...]
    run: Run
    findings: tuple[SetFinding, ...] = ()  # about its citations together
    log: SealedLog | None = None  # of the run; None: there is no audit log

    def count(self, status: ClaimStatus) -> int:
        """Return how many claims have this status."""
        return sum(claim.status is status for claim in self.claims)

    @property
    def held(self) -> int:
        """How many claims the policy of the run holds back for their content."""
        return sum(claim.held for claim in self.claims)

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.count(status)} {status.value}" for status in ClaimStatus)
        return f"<GroundedHypothesis {self.hypothesis.id!r}: {counts}>"
