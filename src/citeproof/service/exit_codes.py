"""What a run ends with; the exit codes are part of the contract.

    0 clean · 1 problems found · 2 wrong usage · 3 nothing to check · 4 something could not be checked
    5 the audit log could not be written, and nothing is shown that is not in it

1 wins over 4. The setting `fail_on` or a policy chooses what is a problem; what its owner accepts is none. A
reference that an unreadable place of a document cost counts as not checked. A run that could decide nothing
ends with 4, whatever it is to fail on: no evidence is never a pass.

A policy decides rule by rule about each reference and finding. The evidence stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Self

from citeproof.answers.serializers.judgements import find_acceptance, identify_finding, identify_judgement
from citeproof.errors import Exit, UsageError
from citeproof.settings import Settings
from citeproof.vocabulary import (
    DEFAULT_FAIL_ON,
    Checked,
    FailOn,
    Finding,
    FindingLevel,
    FindingState,
    Gate,
    GateDecision,
    Label,
    Policy,
    SetFinding,
    Verdict,
    apply_fail_on,
    count_signs,
    fails_on_finding,
    find_signs,
    is_failing,
    set_level,
)
from citeproof.vocabulary.policies import NO_LABEL, Subject
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

__all__ = ["Exit", "RunOutcome"]
LEVELS = {Gate.FAIL: FindingLevel.BLOCKING, Gate.WARN: FindingLevel.WARNING, Gate.ALLOW: FindingLevel.NOTE}
_UNREAD: Subject = {"unread": frozenset({"true"})}


@dataclass(slots=True)
class RunOutcome:
    """How a run went; grows while its references pass by."""

    lost: int = 0  # places of the documents that cost a reference
    labels: Counter[Label | None] = field(default_factory=Counter)
    signs: Counter[str] = field(default_factory=Counter)  # of invention, and slips
    blocking: Counter[str] = field(default_factory=Counter)  # findings that fail the run, by name
    fail_on: frozenset[str] = DEFAULT_FAIL_ON
    failing: int = 0  # problems that the run fails on
    unchecked: int = 0  # references that could not be checked, unless that is accepted
    policy: Policy | None = None  # decides instead of `fail_on`
    gated_open: int = 0  # what could not be checked and the policy fails

    @classmethod
    def of(
        cls,
        references: Iterable[Checked],
        lost: int = 0,
        set_findings: Iterable[SetFinding] = (),
        policy: Policy | None = None,
    ) -> Self:
        """Return how a run went whose references are all known."""
        outcome = cls(lost, policy=policy)
        for checked in references:
            outcome.add(checked)
        for set_finding in set_findings:
            outcome.note_set_finding(set_finding)
        return outcome

    def watch(self, references: Iterable[Checked]) -> Iterator[Checked]:
        """Yield what comes, unchanged, and remember how it went."""
        for checked in references:
            self.add(checked)
            yield checked

    def note_set_finding(self, set_finding: SetFinding) -> None:
        """Count what was found about references together, if the run fails on it."""
        if self.policy:
            self._count_gates([set_finding.gate] if set_finding.gate else [])
            return
        fails = fails_on_finding(set_finding.finding, self.fail_on)
        self.failing += set_finding.accepted is None and fails

    def add(self, checked: Checked) -> None:
        label = checked.judgement.label
        self.labels[label] += 1
        self.signs += count_signs(label, find_signs(checked.judgement))
        self.blocking += Counter(finding.name for finding in checked.findings if finding.blocks)
        known = find_acceptance(checked, identify_judgement(checked)) is not None
        self.unchecked += label is None and not known
        if self.policy:
            self._count_gates(checked.gates)
            return
        self.failing += is_failing(label, self.fail_on) and not known
        failing = (finding for finding in checked.findings if fails_on_finding(finding, self.fail_on))
        self.failing += sum(not find_acceptance(checked, identify_finding(checked, f)) for f in failing)

    def _count_gates(self, gates: Iterable[GateDecision]) -> None:
        failing = [decision for decision in gates if decision.gate is Gate.FAIL]
        self.gated_open += sum(decision.unchecked for decision in failing)
        self.failing += sum(not decision.unchecked for decision in failing)

    def count_open(self, policy: Policy) -> int:
        """Return how much could not be checked or read and is failed by the policy."""
        gate = find_unread_gate(policy)
        return self.gated_open + (self.lost if gate is not None and gate.gate is Gate.FAIL else 0)

    def code(self) -> Exit:
        """Return the exit code for what was seen so far."""
        if self.failing:
            return Exit.PROBLEMS
        undecided = self.unchecked > 0 and self.labels.keys() == {None}
        counts = FailOn.UNCHECKED in self.fail_on and (self.unchecked or self.lost)
        if undecided or (self.count_open(self.policy) if self.policy else counts):
            return Exit.UNCHECKED
        return Exit.CLEAN if self.labels else Exit.NOTHING


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
