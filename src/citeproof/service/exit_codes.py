"""What a run ends with; the exit codes are part of the contract.

    0 clean · 1 problems found · 2 wrong usage · 3 nothing to check · 4 something could not be checked
    5 the audit log could not be written, and nothing is shown that is not in it

1 wins over 4. A reference that an unreadable place of a document cost counts as not checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Self

from citeproof.vocabulary import Checked, Label


class Exit(IntEnum):
    """Exit codes of every command."""

    CLEAN = 0
    PROBLEMS = 1
    USAGE = 2
    NOTHING = 3
    UNCHECKED = 4
    AUDIT = 5
    BUG = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


@dataclass(slots=True)
class RunOutcome:
    """How a run went; grows while its references pass by."""

    lost: int = 0  # places of the documents that cost a reference
    labels: Counter[Label | None] = field(default_factory=Counter)
    blocked: int = 0  # references with a finding that fails the run, such as a retraction

    @classmethod
    def of(cls, checked: Iterable[Checked], lost: int = 0) -> Self:
        """Return how a run went whose references are all known."""
        outcome = cls(lost)
        for _ in outcome.watch(checked):
            pass
        return outcome

    def watch(self, checked: Iterable[Checked]) -> Iterator[Checked]:
        """Yield what comes, unchanged, and remember its label."""
        for one in checked:
            self.labels[one.judgement.label] += 1
            self.blocked += any(finding.blocks for finding in one.findings)
            yield one

    def code(self) -> Exit:
        """Return the exit code for what was seen so far."""
        if self.labels[Label.MINOR] or self.labels[Label.MAJOR] or self.blocked:
            return Exit.PROBLEMS
        if self.labels[None] or self.lost:
            return Exit.UNCHECKED
        return Exit.CLEAN if self.labels else Exit.NOTHING
