"""What we think, as JSON: one checked reference with its evidence, and the names of events and problems."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from citeproof.answers.serializers.references import (
    build_claimed_json,
    build_lookup_json,
    build_origins_json,
    build_place_json,
    build_record_json,
    build_reference_json,
    pick_fields,
)
from citeproof.plumbing.json_bytes import Json, round_figure
from citeproof.vocabulary import (
    Absent,
    Acceptance,
    Checked,
    Compared,
    Comparison,
    Correction,
    Finding,
    FindingState,
    Found,
    GateDecision,
    Label,
    Lookup,
    Mismatch,
    ModelExchange,
    ModelOpinion,
    ModelTask,
    ModelTrace,
    Outcome,
    Override,
    Provenance,
    Reach,
    SetFinding,
    Verdict,
    find_signs,
)

GROUNDING = "grounding"  # the stage in which claims are decided
RULE_OF = {
    Verdict.MATCHED: "citation-differs", Verdict.AMBIGUOUS: "citation-ambiguous",
    Verdict.MISMATCH: "citation-mismatch", Verdict.NOT_FOUND: "citation-not-found",
    Verdict.UNCHECKED: "citation-unchecked",
}  # fmt: skip
NOTED_RULE = "citation-noted"  # of a work that was found, and a difference that may be the record's fault
FINDING_RULE = "integrity-finding"
SCREEN_GAPS = {  # in the words of `verifyCitation`; every other cause is an upstream_error
    "over_budget": "daily_budget_exceeded",
    "schema": "malformed_response",
    "truncated": "malformed_response",
    "forbidden": "no_gateway",
    "offline": "no_gateway",
    "prompt_injection": "verdict_not_eligible",
}
FORBIDDEN_CODE = "LLM_SCREEN_FORBIDDEN"


def build_checked_json(checked: Checked, overrides: Sequence[Override] = ()) -> Json:
    """Return one checked reference in exactly the contract's keys and order, then what was added.

    `overrides` are those of its run.
    """
    judgement = checked.judgement
    matched = judgement.matched
    return {
        **build_reference_json(checked.reference),
        "verdict": judgement.verdict.value,
        "label": judgement.label.value if judgement.label else None,
        "score": round_figure(judgement.score),
        "confidence": round_figure(judgement.confidence),
        "band": judgement.band.value if judgement.band else None,
        "matched": build_record_json(matched.record) if matched else None,
        "mismatches": [_build_mismatch_json(m) for m in judgement.mismatches],
        "findings": [_build_finding_json(f, identify_finding(checked, f)) for f in checked.findings],
        "candidates": [build_candidate_json(c) for c in judgement.candidates],
        "provenance": build_provenance_json(judgement.provenance),
        "correction": _build_correction_json(checked.correction) if checked.correction else None,
        "explanation": judgement.explanation,
        "reasons": list(map(str, judgement.reasons)),
        "comparisons": [_build_comparison_json(c) for c in matched.comparisons] if matched else [],
        "splices": [
            {"fields": list(s.fields), "record": build_record_json(s.record)} for s in judgement.splices
        ],
        "origins": build_origins_json(checked.reference.claimed.origins),
        "notes": [_build_mismatch_json(m) for m in judgement.notes],
        "strict_match": checked.strict_match,
        "signs": list(map(str, find_signs(judgement))),
        **({"overrides": [build_override_json(override) for override in overrides]} if overrides else {}),
        "fingerprint": make_fingerprint(identify_judgement(checked)),
        **({"accepted": list(map(_build_acceptance_json, checked.accepted))} if checked.accepted else {}),
        **({"gates": [build_gate_json(gate) for gate in checked.gates]} if checked.gates else {}),
    }


def build_gate_json(gated: GateDecision) -> Json:
    """Return what a rule of the policy decided; `about` is the name of a finding, or empty."""
    return {"rule": gated.rule, "gate": gated.gate.value, "about": gated.about, "unchecked": gated.unchecked}


def _build_acceptance_json(acceptance: Acceptance) -> Json:
    expires = acceptance.expires.isoformat() if acceptance.expires else None
    return {**pick_fields(acceptance, "fingerprint", "by", "reason"), "expires": expires}


def build_override_json(override: Override) -> Json:
    """Return an address, a judge or a threshold that is not the shipped one."""
    return pick_fields(override, "setting", "value", "shipped", "origin")


def build_provenance_json(provenance: Provenance | None) -> Json:
    """Return which checks ran, on what. A judgement made without any is an empty one."""
    p = provenance or Provenance((), None, (), ())
    return {
        "stages_run": list(p.stages_run),
        "resolved_via": p.resolved_via,
        "registries_searched": [build_lookup_json(lookup) for lookup in p.registries_searched],
        "unchecked": [
            {"registry": u.source, "by": u.by, "cause": u.cause.value, "detail": u.detail}
            for u in p.unchecked
        ],
        "llm_screen": build_screen_json(p.llm),
        "snapshot": p.snapshots[0] if p.snapshots else None,
        "snapshots": list(p.snapshots),
        "stops": [{"reason": str(s.reason), "not_asked": list(s.not_asked)} for s in p.stops],
        "judge": p.judge,
        **({"llm": build_models_json(p.llm)} if p.llm else {}),
    }


def _build_correction_json(correction: Correction) -> Json:
    """Return how to correct the citation: the changes, the fields after them, and the record."""
    return {
        "changes": [
            {
                **pick_fields(c, "field", "claimed", "resolved"),
                "level": "safe" if c.safe else "unsafe",
                "record": {"source": held.source, "id": held.id},
            }
            for c in correction.changes
            for held in [correction.get_record(c.field)]
        ],
        "claimed": build_claimed_json(correction.claimed),
        "record": {"source": correction.record.source, "id": correction.record.id},
    }


def _build_mismatch_json(mismatch: Mismatch) -> Json:
    return {
        **pick_fields(mismatch, "field", "claimed", "resolved"),
        "similarity": round_figure(mismatch.similarity),
        "reason": str(mismatch.reason),
        **({"detail": mismatch.detail} if mismatch.detail else {}),
    }


def _build_comparison_json(comparison: Comparison) -> Json:
    return {
        "field": comparison.field,
        "outcome": comparison.outcome.value,
        "reason": str(comparison.reason),
        "claimed": comparison.claimed,
        "resolved": comparison.resolved,
        "similarity": round_figure(comparison.similarity),
        **({"weight": round_figure(comparison.weight)} if comparison.outcome is Outcome.DIFFERS else {}),
    }


def build_set_finding_json(set_finding: SetFinding) -> Json:
    """Return what was found about references together."""
    accepted = {"accepted": _build_acceptance_json(set_finding.accepted)} if set_finding.accepted else {}
    return {
        **_build_finding_json(set_finding.finding, identify_set_finding(set_finding)),
        "location": build_place_json(set_finding.place),
        "keys": list(set_finding.keys),
        **accepted,
        **({"gate": build_gate_json(set_finding.gate)} if set_finding.gate else {}),
    }


def _build_finding_json(finding: Finding, identity: str) -> Json:
    return {
        "name": finding.name,
        "state": finding.state.value,
        "detail": finding.detail,
        "source": finding.source,
        **({"kind": finding.kind} if finding.kind else {}),
        **({"level": name_level(finding)} if finding.state is FindingState.FINDING else {}),
        **({"own_level": finding.own_level.value} if finding.own_level else {}),
        **({"evidence": list(finding.evidence)} if finding.evidence else {}),
        "fingerprint": make_fingerprint(identity),
    }


def name_level(finding: Finding) -> str:
    """Return how loud a finding is: "blocking", "warning" or "note"."""
    return finding.level.value


def build_candidate_json(candidate: Compared) -> Json:
    return {
        "record": build_record_json(candidate.record),
        "registries": list(candidate.registries),
        "score": round_figure(candidate.title_similarity),
        "via": list(candidate.via),
        "weak": candidate.weak,
    }


def find_missing_dois(lookups: Sequence[Lookup]) -> list[str]:
    """Return the DOIs that their authority does not know and no one has a record of."""
    gone = [x.value for x in lookups if isinstance(x, Absent) and x.by == "doi" and x.reach is Reach.COMPLETE]
    known = {x.value for x in lookups if isinstance(x, Found) and x.by == "doi"} if gone else set()
    return [doi for doi in dict.fromkeys(gone) if doi and doi not in known]


def name_event(checked: Checked, missed: Sequence[str], stage: str = "") -> str:
    """Return the event's name for a verdict; `missed` are the DOIs that do not exist.

    A candidate of a claim is one identifier: if it leads to another work than the title, that is a mismatch.
    """
    judgement = checked.judgement
    match judgement.verdict:
        case Verdict.MATCHED:
            return checked.retraction.name if checked.retraction else "verified"
        case Verdict.AMBIGUOUS if stage == GROUNDING and judgement.matched is not None:
            return "title_mismatch"
        case Verdict.MISMATCH:
            titles = (mismatch for mismatch in judgement.mismatches if mismatch.field == "title")
            return "title_mismatch" if any(titles) else "author_mismatch"
        case Verdict.NOT_FOUND:
            return "crossref_miss" if missed else "not_found"
        case _:
            return judgement.verdict.value


def name_rule(checked: Checked) -> str:
    """Return the rule under which reports list the judgement of a reference."""
    return NOTED_RULE if checked.label is Label.NOTED else RULE_OF[checked.verdict]


def identify_judgement(checked: Checked, rule: str = "") -> str:
    """Return what makes the judgement of a reference the same: its rule, the key and the citation."""
    return f"{rule or name_rule(checked)}\0{checked.reference.key}\0{checked.reference.raw}"


def identify_finding(checked: Checked, finding: Finding) -> str:
    """Return what makes a finding about a cited work the same."""
    return identify_judgement(checked, f"{FINDING_RULE}:{finding.name}")


def identify_set_finding(about: SetFinding) -> str:
    """Return what makes a finding about references together the same: the document and the references."""
    return "\0".join((f"{FINDING_RULE}:{about.finding.name}", about.place.file, *sorted(about.keys)))


def make_fingerprint(identity: str) -> str:
    """Return the 32 hexadecimal digits that reports, baselines and ignore lists know a problem by."""
    return sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]


def find_acceptance(checked: Checked, identity: str) -> Acceptance | None:
    """Return how a problem of a reference was accepted, if it was."""
    if not checked.accepted:
        return None
    wanted = make_fingerprint(identity)
    return next((acceptance for acceptance in checked.accepted if acceptance.fingerprint == wanted), None)


def build_models_json(trace: ModelTrace) -> Json:
    """Return what language models were asked, what they said and what was made of it."""
    first = trace.first
    return {
        "model": trace.model,
        "first": {
            "verdict": first.verdict,
            "label": first.label,
            "score": round_figure(first.score),
            "confidence": round_figure(first.confidence),
            "band": first.band,
        },
        "asked": [build_exchange_json(exchange) for exchange in trace.exchanges],
        "opinions": [_build_opinion_json(opinion) for opinion in trace.opinions],
    }


def build_screen_json(trace: ModelTrace | None) -> Json | None:
    """Return what the screen of short titles said, in the words of `verifyCitation`; None if not due."""
    asked = next((e for e in (trace.exchanges if trace else ()) if e.task is ModelTask.SCREEN), None)
    if trace is None or asked is None:
        return None
    opinion = trace.find_opinion(ModelTask.SCREEN)
    screened: Json = {"applied": opinion is not None, "model": asked.model, "prompt_version": asked.prompt}
    if opinion is not None:
        screened |= {"verdict": opinion.answer, "reasoning": opinion.rationale, "used": opinion.used}
        return screened | {"cost_usd": _convert_cost(asked.cost)}
    screened |= {"reason": SCREEN_GAPS.get(asked.cause, "upstream_error"), "cause": asked.cause}
    return screened | ({"code": FORBIDDEN_CODE} if asked.cause == "forbidden" else {})


def build_exchange_json(asked: ModelExchange) -> Json:
    """Return one question: the hash of its answer, its tokens and cost, or why there is no answer."""
    described: Json = {"task": asked.task.value, "prompt": asked.prompt, "model": asked.model}
    if asked.cause:
        return described | {
            "gap": {"cause": asked.cause, "detail": asked.detail},
            "cost_usd": _convert_cost(asked.cost),
        }
    usage = {"input": asked.input_tokens, "output": asked.output_tokens, "cached": asked.cached_tokens}
    digest = sha256(asked.answer.encode()).hexdigest()
    return described | {"answer_sha256": digest, "tokens": usage, "cost_usd": _convert_cost(asked.cost)}


def _build_opinion_json(opinion: ModelOpinion) -> Json:
    differences = [
        {"field": field, "claimed": claimed, "resolved": resolved}
        for field, claimed, resolved in opinion.differences
    ]
    return {
        "task": opinion.task.value,
        **({"label": opinion.label, "score": round_figure(opinion.score)} if opinion.label else {}),
        **({"confidence": opinion.confidence} if opinion.confidence else {}),
        **({"answer": opinion.answer} if opinion.answer else {}),
        **({"filled": list(opinion.filled)} if opinion.filled else {}),
        **({"differences": differences} if differences else {}),
        "rationale": opinion.rationale,
        "used": opinion.used,
        **({"limit": str(opinion.limit)} if opinion.limit else {}),
    }


def _convert_cost(cost: int | None) -> float | None:
    """Return micro-dollars as dollars."""
    return None if cost is None else cost / 1_000_000
