"""One reference as the log keeps it: all that a replay needs, and the judgement it must give again.

A case holds the user's own words, so it is in the sidecar and the log has its commitment only. What
sources answered is named by hash; the bytes are in the evidence store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import assert_never

import msgspec

from citeproof.answers.serializers import dumps
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import (
    Absent,
    Checked,
    CitationCandidate,
    ClaimStatus,
    Compared,
    Exchange,
    FindingState,
    Found,
    GroundedClaim,
    ListAnswer,
    Lookup,
    ModelExchange,
    ModelSupport,
    ModelTask,
    Place,
    Reference,
    SourceFacts,
    Stop,
    SupportOutcome,
    TriedCandidate,
    Unchecked,
)

_ENCODER = msgspec.json.Encoder()
FOUND, ABSENT, UNCHECKED = "found", "absent", "unchecked"


class LoggedLookup(msgspec.Struct, frozen=True, omit_defaults=True):
    """One lookup. What a live source said is read again from `exchanges`; a snapshot's `records` are
    [hash of the stored record, its `work`, its `read_at`]."""

    source: str
    by: str
    outcome: str  # "found", "absent" or "unchecked"
    reach: str
    value: str = ""
    cause: str = ""
    detail: str = ""
    note: str = ""
    whole: bool = False
    exchanges: tuple[Exchange, ...] = ()
    records: tuple[tuple[str, str, str | None], ...] = ()


class LoggedModels(msgspec.Struct, frozen=True):
    """The model that a run chose, and its answers: a replay uses them and asks no one."""

    model: str
    exchanges: tuple[ModelExchange, ...] = ()
    tasks: tuple[ModelTask, ...] = ()  # those that the run did


class LoggedCase(msgspec.Struct, frozen=True):
    """What was known about one reference, and what was made of it (`judged`: the very bytes)."""

    reference: Reference
    lookups: tuple[LoggedLookup, ...]
    stops: tuple[Stop, ...]
    facts: SourceFacts | None
    day: str
    judged: msgspec.Raw
    listed: tuple[ListAnswer, ...] = ()  # what lists said about the work
    llm: LoggedModels | None = None  # what language models answered, if the run might ask one


class LoggedCandidate(msgspec.Struct, frozen=True):
    """One candidate of a claim, and what came of it."""

    candidate: CitationCandidate
    outcome: str
    passed: bool
    title_similarity: float | None
    retraction: FindingState | None
    case: str = ""  # SHA-256 of its case, which the same run has; older logs have none


class LoggedSupport(msgspec.Struct, frozen=True):
    """What the text of the attached work says about a claim, and a language model's part in it."""

    outcome: SupportOutcome
    llm: ModelSupport | None = None
    sha256: str = ""


class LoggedClaim(msgspec.Struct, frozen=True):
    """What was decided about a claim, with its words and each candidate that was tried."""

    id: str
    text: str
    place: Place
    status: ClaimStatus
    reason: str
    candidates: tuple[LoggedCandidate, ...]
    support: LoggedSupport | None = None
    count: int | None = None  # of all candidates; older logs have none


def encode_case(checked: Checked) -> bytes:
    """Return a checked reference as the bytes that are committed to: those of a `LoggedCase`."""
    retrieved = checked.retrieved
    trace = checked.judgement.provenance.llm if checked.judgement.provenance else None
    return encode_json(
        {
            "reference": checked.reference,
            "lookups": [_describe_lookup(lookup) for lookup in retrieved.lookups],
            "stops": retrieved.stops,
            "facts": retrieved.facts,
            "day": checked.day.isoformat() if checked.day else "",
            "judged": _describe_judgement(checked),
            **({"listed": checked.listed} if checked.listed else {}),
            **({"llm": LoggedModels(trace.model, trace.exchanges, trace.tasks)} if trace else {}),
        }
    )


def describe_candidate(tried: TriedCandidate, digest: str) -> LoggedCandidate:
    """Return what the sidecar keeps of a candidate; `digest` is that of its case."""
    return LoggedCandidate(
        tried.candidate, tried.outcome, tried.passed, tried.title_similarity, tried.retraction, digest
    )


def describe_claim(grounded: GroundedClaim) -> LoggedClaim:
    """Return what the sidecar keeps of a claim."""
    claim, support = grounded.claim, grounded.support
    tried = tuple(
        describe_candidate(each, sha256(encode_case(each.checked)).hexdigest()) for each in grounded.tried
    )
    said = LoggedSupport(support.outcome, support.llm, support.sha256) if support else None
    place, why = claim.place, grounded.reason
    return LoggedClaim(claim.id, claim.text, place, grounded.status, why, tried, said, grounded.candidates)


def decode_case(data: bytes) -> LoggedCase:
    """Return the case that was stored as `data`; `msgspec.ValidationError` if it is not one."""
    return decode_json(data, type=LoggedCase)


def encode_judgement(checked: Checked) -> bytes:
    """Return the judgement, findings and correction as bytes: equal bytes, equal judgement."""
    return encode_json(_describe_judgement(checked))


def _describe_judgement(checked: Checked) -> tuple[object, ...]:
    """Return what is logged of a judgement.

    What was asked and heard (the provenance) is in the case already; candidates that were not taken
    are named only, since what they are is in the evidence.
    """
    judgement, correction = checked.judgement, checked.correction
    names = ("verdict", "label", "score", "confidence", "band", "reasons", "explanation")
    fields = {name: getattr(judgement, name) for name in names} | {
        "matched": _describe_match(judgement.matched),
        "mismatches": judgement.mismatches,
        "candidates": [(c.record.source, c.record.id, c.via, c.weak) for c in judgement.candidates],
        "splices": [(splice.fields, splice.record.source, splice.record.id) for splice in judgement.splices],
    }
    hint = (correction.changes, correction.record.source, correction.record.id) if correction else None
    return fields, checked.findings, hint


def _describe_match(matched: Compared | None) -> Compared | None:
    """Return the match without the works that it cites, which are in the evidence."""
    if matched is None or not matched.record.cites:
        return matched
    return replace(matched, record=replace(matched.record, cites=()))


def encode_json(value: object) -> bytes:
    """Return any of our values as JSON; a lone surrogate, which no JSON text may hold, is replaced."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        return dumps(msgspec.to_builtins(value))


def list_evidence_hashes(lookups: Sequence[Lookup]) -> list[str]:
    """Return the hashes of all evidence behind `lookups`, each once, in order."""
    hashes: list[str] = []
    for lookup in lookups:
        if lookup.heard:
            hashes += [exchange.sha256 for exchange in lookup.heard if exchange.sha256]
        elif isinstance(lookup, Found):
            hashes += [record.content_hash for record in lookup.records]
    return list(dict.fromkeys(hashes))


def _describe_lookup(lookup: Lookup) -> LoggedLookup:
    source, by, reach, value, heard = lookup.source, lookup.by, lookup.reach, lookup.value, lookup.heard
    match lookup:
        case Found(note=note, whole=whole):
            stored = () if heard else tuple((r.content_hash, r.work, r.read_at) for r in lookup.records)
            return LoggedLookup(source, by, FOUND, reach, value, "", "", note, whole, heard, stored)
        case Absent():
            return LoggedLookup(source, by, ABSENT, reach, value, exchanges=heard)
        case Unchecked(cause=cause, detail=detail):
            return LoggedLookup(source, by, UNCHECKED, reach, value, cause, detail, exchanges=heard)
    assert_never(lookup)
