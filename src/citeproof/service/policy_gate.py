"""A policy over what was found: which rule decides about each reference and finding. The evidence stays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from citeproof.serializers.fingerprints import find_acceptance, identify_finding, identify_judgement
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
    set_level,
)
from citeproof.vocabulary.policies import NO_LABEL, Subject

LEVELS = {Gate.FAIL: FindingLevel.BLOCKING, Gate.WARN: FindingLevel.WARNING, Gate.ALLOW: FindingLevel.NOTE}
_UNREAD: Subject = {"unread": frozenset({"true"})}


def gate_reference(checked: Checked, policy: Policy) -> Checked:
    """Return a reference with what the policy decides about it; nothing is decided about what is accepted."""
    decided: list[GateDecision] = []
    subject = describe_reference(
        verdict=checked.judgement.verdict,
        label=checked.judgement.label or "",
        band=checked.judgement.band or "",
        kind=checked.reference.kind,
        reasons=checked.judgement.reasons,
        fields=[one.field for one in checked.judgement.decisive],
    )
    if not find_acceptance(checked, identify_judgement(checked)):
        decided += decide_gate(policy, subject)
    findings = []
    for one in checked.findings:
        gates = decide_gate(policy, describe_finding(one), one.name)
        if not find_acceptance(checked, identify_finding(checked, one)):
            decided += gates
        findings.append(_set_gate_level(one, gates))
    return replace(checked, findings=tuple(findings), gates=tuple(decided))


def gate_set_finding(found: SetFinding, policy: Policy) -> SetFinding:
    """Return what was found about references together with what the policy decides about it."""
    gates = decide_gate(policy, describe_finding(found.finding), found.finding.name)
    decided = gates[0] if gates and found.accepted is None else None
    return replace(found, finding=_set_gate_level(found.finding, gates), gate=decided)


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


def describe_reference(
    *, verdict: str, label: str, band: str, kind: str, reasons: Iterable[str], fields: Iterable[str]
) -> Subject:
    """Return what rules look at in a reference; a reason counts with its field and without."""
    codes = {str(one) for one in reasons}
    return {
        "verdicts": frozenset({str(verdict)}),
        "labels": frozenset({str(label) or NO_LABEL}),
        "bands": frozenset({str(band) or NO_LABEL}),
        "types": frozenset({str(kind)}),
        "reasons": frozenset(codes | {one.rpartition(":")[2] for one in codes}),
        "fields": frozenset(map(str, fields)),
    }


def describe_finding(finding: Finding) -> Subject:
    """Return what rules look at in a finding, at the level that its check gave it."""
    return {
        "checks": frozenset({finding.name}),
        "states": frozenset({finding.state.value}),
        "kinds": frozenset({finding.kind} - {""}),
        "levels": frozenset({(finding.own_level or finding.level).value} if finding.is_finding else ()),
    }


def _set_gate_level(finding: Finding, gates: list[GateDecision]) -> Finding:
    return set_level(finding, LEVELS[gates[0].gate]) if finding.is_finding and gates else finding
