"""A policy over what was found: which rule decides about each reference and finding. The evidence stays."""

from __future__ import annotations

from dataclasses import replace

from citeproof.answers.serializers.judgements import find_acceptance, identify_finding, identify_judgement
from citeproof.errors import UsageError
from citeproof.settings import Settings
from citeproof.vocabulary import (
    Checked,
    Finding,
    FindingLevel,
    FindingState,
    Gate,
    GateDecision,
    Policy,
    SetFinding,
    Verdict,
    apply_fail_on,
    set_level,
)
from citeproof.vocabulary.policies import NO_LABEL, Subject

LEVELS = {Gate.FAIL: FindingLevel.BLOCKING, Gate.WARN: FindingLevel.WARNING, Gate.ALLOW: FindingLevel.NOTE}
_UNREAD: Subject = {"unread": frozenset({"true"})}


def gate_reference(checked: Checked, policy: Policy) -> Checked:
    """Return a reference with what the policy decides about it; nothing is decided about what is accepted."""
    decided: list[GateDecision] = []
    judgement, codes = checked.judgement, set(map(str, checked.judgement.reasons))
    subject: Subject = {
        "verdicts": frozenset({str(judgement.verdict)}),
        "labels": frozenset({str(judgement.label or NO_LABEL)}),
        "bands": frozenset({str(judgement.band or NO_LABEL)}),
        "types": frozenset({str(checked.reference.kind)}),
        "reasons": frozenset(codes | {code.rpartition(":")[2] for code in codes}),  # with field, and without
        "fields": frozenset(str(mismatch.field) for mismatch in judgement.decisive),
        "strict_match": frozenset({str(checked.strict_match).lower()}),
    }
    if not find_acceptance(checked, identify_judgement(checked)):
        decided += decide_gate(policy, subject)
    findings = []
    for finding in checked.findings:
        gates = _gate_finding(finding, policy)
        if not find_acceptance(checked, identify_finding(checked, finding)):
            decided += gates
        findings.append(_set_gate_level(finding, gates))
    return replace(checked, findings=tuple(findings), gates=tuple(decided))


def gate_set_finding(found: SetFinding, policy: Policy) -> SetFinding:
    """Return what was found about references together with what the policy decides about it."""
    gates = _gate_finding(found.finding, policy)
    decided = gates[0] if gates and found.accepted is None else None
    return replace(found, finding=_set_gate_level(found.finding, gates), gate=decided)


def set_reference_levels(checked: Checked, policy: Policy | None, fail_on: frozenset[str]) -> Checked:
    """Return a reference with its findings at the levels of the policy, else of what the run fails on."""
    if policy:
        return gate_reference(checked, policy)
    findings = tuple(apply_fail_on(finding, fail_on) for finding in checked.findings)
    return checked if findings == checked.findings else replace(checked, findings=findings)


def set_finding_level(found: SetFinding, policy: Policy | None, fail_on: frozenset[str]) -> SetFinding:
    """Return what was found about references together at the level that applies, as above."""
    if policy:
        return gate_set_finding(found, policy)
    return replace(found, finding=apply_fail_on(found.finding, fail_on))


def find_unread_gate(policy: Policy) -> GateDecision | None:
    """Return what the policy decides about places of documents that cost a reference."""
    return next(iter(decide_gate(policy, _UNREAD)), None)


def decide_gate(policy: Policy, subject: Subject, about: str = "") -> list[GateDecision]:
    """Return the decision of the first rule that fits; empty if none does."""
    rule = policy.decide(subject)
    if rule is None:
        return []
    open_ = (
        Verdict.UNCHECKED.value in subject.get("verdicts", ())
        or FindingState.UNCHECKED.value in subject.get("states", ())
        or "unread" in subject
    )
    return [GateDecision(rule.id, rule.gate, about, unchecked=open_)]


def _gate_finding(finding: Finding, policy: Policy) -> list[GateDecision]:
    """Return what a policy decides about a finding, at the level that its check gave it."""
    level = (finding.own_level or finding.level).value
    subject: Subject = {
        "checks": frozenset({finding.name}),
        "states": frozenset({finding.state.value}),
        "kinds": frozenset({finding.kind} - {""}),
        "levels": frozenset({level} if finding.state is FindingState.FINDING else ()),
    }
    return decide_gate(policy, subject, finding.name)


def _set_gate_level(finding: Finding, gates: list[GateDecision]) -> Finding:
    return set_level(finding, LEVELS[gates[0].gate]) if finding.is_finding and gates else finding


def choose_policy(chosen: Settings) -> Policy | None:
    """Return the policy of a run; None: `fail_on` decides. UsageError if both are given by flag."""
    from citeproof.settings.policies.policy_reader import read_policy  # noqa: PLC0415 - most runs have none

    flags = {"policy": "--policy", "fail_on": "--fail-on"}
    by_flag = [name for name, flag in flags.items() if chosen.origin(name) == flag]
    if len(by_flag) > 1:
        raise UsageError(
            "cannot be given together", place=" and ".join(flags.values()), hint="give one of them"
        )
    return read_policy(chosen.policy) if chosen.policy and by_flag != ["fail_on"] else None
