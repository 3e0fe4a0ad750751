"""What a run ends with; the exit codes are part of the contract.

    0 clean · 1 problems found · 2 wrong usage · 3 nothing to check · 4 something could not be checked
    5 the audit log could not be written, and nothing is shown that is not in it

1 wins over 4. The setting `fail_on` or a policy chooses what is a problem; what its owner accepts is none. A
reference that an unreadable place of a document cost counts as not checked. A run that could decide nothing
ends with 4, whatever it is to fail on: no evidence is never a pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Self

from citeproof.answers.serializers.judgements import find_acceptance, identify_finding, identify_judgement
from citeproof.errors import Exit
from citeproof.service.policy_gate import find_unread_gate
from citeproof.vocabulary import (
    DEFAULT_FAIL_ON,
    Checked,
    FailOn,
    Gate,
    GateDecision,
    Label,
    Policy,
    SetFinding,
    count_signs,
    fails_on_finding,
    find_signs,
    is_failing,
)

__all__ = ["Exit", "RunOutcome"]


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
