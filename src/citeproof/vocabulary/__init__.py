"""Every type of the product, frozen. Imports no other module of citeproof.

One word per idea, the words of the contract: document, reference, record, lookup, comparison,
judgement, finding, claim, trace, snapshot. What a room needs from a sibling is typed here by a
Protocol and passed by constructor.
"""

from __future__ import annotations

# fmt: off
# isort: off
from citeproof.vocabulary.claim_support import (
    LOCATED_CONTENTS, NO_SUPPORT_TEXT, AlarmKind, ClaimSupport, EvidencePassage, ExhibitEvidence, ImageState,
    LocatedQuotation, ModelSupport, ModelVerdict, SupportAlarm, SupportLimit, SupportOutcome, SupportQuestion,
)
from citeproof.vocabulary.hypotheses import (
    HOLDABLE, SHOWN_STATUSES, CandidateOrigin, CitationCandidate, Claim, ClaimPolicy, ClaimStatus,
    GroundedClaim, GroundedHypothesis, Hypothesis, SealedLog, TriedCandidate,
)
from citeproof.vocabulary.invention_signs import count_signs, find_signs, list_sign_counts
from citeproof.vocabulary.judgements import (
    CHECK_NAMES, CONVICTS, DEFAULT_FAIL_ON, EXCEPT, THREE_CLASSES, Acceptance, Band, Change, Checked,
    Compared, Comparison, Correction, FailOn, Finding, FindingLevel, FindingState, Judgement, Label, Mismatch,
    Outcome, Override, Provenance, Run, SetFinding, Splice, Verdict, apply_fail_on, fails_on_finding,
    find_unconfirmed, is_failing, set_level,
)
from citeproof.vocabulary.model_stages import (
    FirstJudgement, ModelExchange, ModelLimit, ModelOpinion, ModelTask, ModelTrace,
)
from citeproof.vocabulary.notices import (
    VENUE_REGISTRY, ListAnswer, ListQuestion, Notice, NoticeKind, VenueListing, VenueStanding,
)
from citeproof.vocabulary.policies import Gate, GateDecision, Policy, PolicyRule
from citeproof.vocabulary.protocols import (
    Extractor, Keeper, ModelReviewer, Observer, Secret, Source, Step, WorkList, WorkMemory,
)
from citeproof.vocabulary.reasons import CitationReason, InventionSign, Reason, StopReason
from citeproof.vocabulary.records import (
    CHECKED_AGAINST, COPY, COULD_NOT_CHECK, DATES_CLASH, LISTED, MEMORY, NOT_CHECKED, NOT_READ,
    ORCID, PAUSED, RELATED, Absent, Cause, Exchange, Found, Lookup,
    LookupTiming, Question, Reach, Record, Retrieval, SourceFacts, Stop, Unchecked, Version,
)
from citeproof.vocabulary.references import (
    DAMAGED, ID_NAMES, ID_ORDER, NO_FACTS, NO_IDS, WORK_IDS, AdjacentFiles, Claimed, Document, DocumentFacts,
    DocumentState, Extraction, FieldOrigin, Ids, KeyPlace, Kind, Name, Origin, Place, Problem, RawReference,
    Reference,
)
from citeproof.vocabulary.judgements import Act, Remedy
from citeproof.vocabulary.source_answers import ANSWERED, SourceAnswers
from citeproof.vocabulary.source_texts import (
    Exhibit, ExhibitKind, FindText, FoundText, SourceText, TextExtent,
)
# isort: on
# fmt: on

__all__ = [
    "ANSWERED", "CHECKED_AGAINST", "CHECK_NAMES", "CONVICTS", "COPY", "COULD_NOT_CHECK", "DAMAGED",
    "DATES_CLASH", "DEFAULT_FAIL_ON", "EXCEPT", "HOLDABLE", "ID_NAMES", "ID_ORDER", "LISTED",
    "LOCATED_CONTENTS", "MEMORY", "NOT_CHECKED", "NOT_READ", "NO_FACTS", "NO_IDS", "NO_SUPPORT_TEXT",
    "ORCID", "PAUSED", "RELATED", "SHOWN_STATUSES", "THREE_CLASSES", "VENUE_REGISTRY", "WORK_IDS",
    "Absent", "Acceptance", "Act", "AdjacentFiles", "AlarmKind", "Band", "CandidateOrigin", "Cause",
    "Change", "Checked", "CitationCandidate", "CitationReason", "Claim", "ClaimPolicy", "ClaimStatus",
    "ClaimSupport", "Claimed", "Compared", "Comparison", "Correction", "Document", "DocumentFacts",
    "DocumentState", "EvidencePassage", "Exchange", "Exhibit", "ExhibitEvidence", "ExhibitKind",
    "Extraction", "Extractor", "FailOn", "FieldOrigin", "FindText", "Finding", "FindingLevel",
    "FindingState", "FirstJudgement", "Found", "FoundText", "Gate", "GateDecision", "GroundedClaim",
    "GroundedHypothesis", "Hypothesis", "Ids", "ImageState", "InventionSign", "Judgement", "Keeper",
    "KeyPlace", "Kind", "Label", "ListAnswer", "ListQuestion", "LocatedQuotation", "Lookup",
    "LookupTiming", "Mismatch", "ModelExchange", "ModelLimit", "ModelOpinion", "ModelReviewer",
    "ModelSupport", "ModelTask", "ModelTrace", "ModelVerdict", "Name", "Notice", "NoticeKind", "Observer",
    "Origin", "Outcome", "Override", "Place", "Policy", "PolicyRule", "Problem", "Provenance", "Question",
    "RawReference", "Reach", "Reason", "Record", "Reference", "Remedy", "Retrieval", "Run", "SealedLog",
    "Secret", "SetFinding", "Source", "SourceAnswers", "SourceFacts", "SourceText", "Splice", "Step",
    "Stop", "StopReason", "SupportAlarm", "SupportLimit", "SupportOutcome", "SupportQuestion",
    "TextExtent", "TriedCandidate", "Unchecked", "VenueListing", "VenueStanding", "Verdict", "Version",
    "WorkList", "WorkMemory", "apply_fail_on", "count_signs", "fails_on_finding", "find_signs",
    "find_unconfirmed", "is_failing", "list_sign_counts", "set_level",
]  # fmt: skip
