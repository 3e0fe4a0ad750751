"""What a run ends with; the exit codes are part of the contract.

    0 clean · 1 problems found · 2 wrong usage · 3 nothing to check · 4 something could not be checked
    5 the audit log could not be written, and nothing is shown that is not in it

1 wins over 4. The setting `fail_on` chooses what is a problem; what its owner accepts is none. A reference
that an unreadable place of a document cost counts as not checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Self

from citeproof.errors import Exit
from citeproof.serializers.fingerprints import find_acceptance, identify_finding, identify_judgement
from citeproof.vocabulary import (
    DEFAULT_FAIL_ON,
    Checked,
    FailOn,
    Label,
    SetFinding,
    fails_on_finding,
    is_failing,
)

__all__ = ["Exit", "RunOutcome"]


@dataclass(slots=True)
class RunOutcome:
    """How a run went; grows while its references pass by."""

    lost: int = 0  # places of the documents that cost a reference
    labels: Counter[Label | None] = field(default_factory=Counter)
    fail_on: frozenset[str] = DEFAULT_FAIL_ON
    failing: int = 0  # problems that the run fails on
    unchecked: int = 0  # references that could not be checked, and of which nobody accepted that

    @classmethod
    def of(cls, checked: Iterable[Checked], lost: int = 0, set_findings: Iterable[SetFinding] = ()) -> Self:
        """Return how a run went whose references are all known."""
        outcome = cls(lost)
        for one in checked:
            outcome._add(one)
        for found in set_findings:
            outcome.note_set_finding(found)
        return outcome

    def watch(self, checked: Iterable[Checked]) -> Iterator[Checked]:
        """Yield what comes, unchanged, and remember how it went."""
        for one in checked:
            self._add(one)
            yield one

    def note_set_finding(self, found: SetFinding) -> None:
        """Count what was found about references together, if the run fails on it."""
        self.failing += found.accepted is None and fails_on_finding(found.finding, self.fail_on)

    def _add(self, checked: Checked) -> None:
        label = checked.judgement.label
        self.labels[label] += 1
        if not find_acceptance(checked, identify_judgement(checked)):
            self.unchecked += label is None
            self.failing += is_failing(label, self.fail_on)
        failing = (one for one in checked.findings if fails_on_finding(one, self.fail_on))
        self.failing += sum(not find_acceptance(checked, identify_finding(checked, one)) for one in failing)

    def code(self) -> Exit:
        """Return the exit code for what was seen so far."""
        if self.failing:
            return Exit.PROBLEMS
        if FailOn.UNCHECKED in self.fail_on and (self.unchecked or self.lost):
            return Exit.UNCHECKED
        return Exit.CLEAN if self.labels else Exit.NOTHING
