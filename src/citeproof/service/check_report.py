"""What a check found out: the run, and every checked reference in document order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from citeproof.answers import serializers
from citeproof.service.check_session import CheckSession
from citeproof.service.exit_codes import Exit, RunOutcome
from citeproof.service.policy_gate import gate_reference, gate_set_finding
from citeproof.settings.policies.policy_reader import read_policy
from citeproof.vocabulary import Checked, Label, Policy, Run, SetFinding


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What `check` found out: the run, and every checked reference in document order.

    A sequence: `len(report)`, `report[0]`, `for checked in report`.
    """

    run: Run
    references: tuple[Checked, ...]
    exit_code: Exit  # what the command line would have ended with
    findings: tuple[SetFinding, ...] = ()  # about the references together; those of one work are with it
    lost: int = 0  # places of the documents that cost a reference
    policy: Policy | None = None  # what decided `exit_code`; None: any problem

    def __len__(self) -> int:
        return len(self.references)

    def __iter__(self) -> Iterator[Checked]:
        return iter(self.references)

    @overload
    def __getitem__(self, at: int) -> Checked: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Checked, ...]: ...
    def __getitem__(self, at: int | slice) -> Checked | tuple[Checked, ...]:
        return self.references[at]

    def __bool__(self) -> bool:
        return True  # a report without references is still a report

    @property
    def problems(self) -> tuple[Checked, ...]:
        """The references that are MINOR or MAJOR."""
        return tuple(checked for checked in self.references if checked.label in (Label.MINOR, Label.MAJOR))

    @property
    def unchecked(self) -> tuple[Checked, ...]:
        """The references that could not be checked."""
        return tuple(checked for checked in self.references if checked.label is None)

    def apply_policy(self, policy: str | Path) -> Report:
        """Return the same evidence under a policy: a shipped one by name, or your own TOML file.

        Each reference has `gates`, the rules that decided, and `exit_code` is that of the command line.
        """
        chosen = read_policy(str(policy))
        references = tuple(gate_reference(checked, chosen) for checked in self.references)
        findings = tuple(gate_set_finding(found, chosen) for found in self.findings)
        code = RunOutcome.of(references, self.lost, findings, chosen).code()
        return Report(self.run, references, code, findings, self.lost, chosen)

    def to_dicts(self) -> list[dict[str, serializers.Cell]]:
        """Return one flat dictionary a reference: `pandas.DataFrame(report.to_dicts())`."""
        return list(map(serializers.build_flat_row, self.references))

    def json(self) -> serializers.Json:
        """Return the report as `citeproof check --format json` prints it."""
        return serializers.build_report_json(self.run, self.references, lambda: self.findings, self.policy)

    def __repr__(self) -> str:
        labels = Counter(checked.label for checked in self.references)
        counts = ", ".join(f"{labels[label]} {label.value}" for label in Label)
        many = "" if len(self) == 1 else "s"
        return f"<Report of {len(self)} reference{many}: {counts}, {labels[None]} not checked>"


async def collect_report(checking: CheckSession) -> Report:
    """Return the report on documents that were read; the engine stays open."""
    references = tuple([checked async for checked in checking.verify_references()])
    findings = tuple(checking.set_findings)
    code = RunOutcome.of(references, checking.lost, findings).code()
    return Report(checking.run, references, code, findings, checking.lost)
