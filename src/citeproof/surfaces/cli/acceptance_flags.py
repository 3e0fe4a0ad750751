"""The flags that say what a run fails on: --policy, --fail-on, --baseline, --write-baseline and --ignore."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from citeproof.answers.reporters import wording
from citeproof.errors import format_count
from citeproof.plumbing.clock import SystemClock, today
from citeproof.plumbing.output_files import write_file
from citeproof.service.accepted_problems import (
    AcceptedProblems,
    BaselineWriter,
    read_baseline,
    read_ignore_list,
)
from citeproof.service.exit_codes import (
    Exit,
    RunOutcome,
    choose_policy,
    set_finding_level,
    set_reference_levels,
)
from citeproof.settings import Settings
from citeproof.vocabulary import Checked, FailOn, Label, SetFinding


class AcceptanceSession:
    """What is accepted in one run, and the baseline that it writes."""

    def __init__(self, chosen: Settings, writes: Path | None) -> None:
        """Read the files that the settings name; UsageError for one that is wrong."""
        self.fail_on, self.policy = frozenset(chosen.fail_on), choose_policy(chosen)
        self._accepts_all = writes is not None and chosen.baseline is None
        self._writes = writes
        ignored = read_ignore_list(chosen.ignore_file) if chosen.ignore_file else ()
        known = read_baseline(chosen.baseline) if chosen.baseline else None
        self._accepted = AcceptedProblems(ignored, known, today=today(SystemClock()))
        by_rule = (
            words for rule in (self.policy.rules if self.policy else ()) for _, words in rule.conditions
        )
        self._writer = BaselineWriter(
            noted=FailOn.NOTED in self.fail_on or any(Label.NOTED in words for words in by_rule)
        )
        self._lost = 0
        self.outcome = RunOutcome(fail_on=self.fail_on, policy=self.policy)
        self.set_findings: list[SetFinding] = []

    def watch(
        self, checked: Iterable[Checked], lost: int, set_findings: Iterable[SetFinding] = ()
    ) -> Iterator[Checked]:
        """Yield what comes, marked where a problem is accepted, and remember how it went.

        What was found about the references together is there once they have all passed.
        """
        self._lost = lost
        self.outcome.lost = max(0, lost - self._accepted.lost)
        known = self._writer.watch(self._accepted.watch(checked))
        levels = (self.policy, self.fail_on)
        yield from self.outcome.watch(set_reference_levels(each, *levels) for each in known)
        for raw in set_findings:
            set_finding = set_finding_level(self._accepted.accept_set_finding(raw), *levels)
            self.set_findings.append(set_finding)
            self._writer.note_set_finding(set_finding)
            self.outcome.note_set_finding(set_finding)

    def finish(self) -> Exit:
        """Write the baseline, tell what the owner should know, and return the exit code."""
        for notice in self._accepted.list_notices():
            print(wording.show_line(notice, 2000), file=sys.stderr)
        if self._writes is not None:
            write_file(self._writes, self._writer.encode_baseline(self._lost))
            count = format_count(self._writer.count, "problem")
            print(f"baseline: {count} written to {wording.show_line(str(self._writes))}", file=sys.stderr)
        code = self.outcome.code()
        return Exit.CLEAN if self._accepts_all and code in (Exit.PROBLEMS, Exit.UNCHECKED) else code
