"""What a check found out: the run, and every checked reference in document order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import overload

from citeproof import serializers
from citeproof.service.check_session import CheckSession
from citeproof.service.exit_codes import Exit, RunOutcome
from citeproof.vocabulary import Checked, Label, Run, SetFinding


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What `check` found out: the run, and every checked reference in document order.

    A sequence: `len(report)`, `report[0]`, `for checked in report`.
    """

    run: Run
    references: tuple[Checked, ...]
    exit_code: Exit  # what the command line would have ended with
    findings: tuple[SetFinding, ...] = ()  # about the references together; those of one work are with it

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
        return tuple(one for one in self.references if one.label in (Label.MINOR, Label.MAJOR))

    @property
    def unchecked(self) -> tuple[Checked, ...]:
        """The references that could not be checked."""
        return tuple(one for one in self.references if one.label is None)

    def to_dicts(self) -> list[dict[str, serializers.Cell]]:
        """Return one flat dictionary a reference: `pandas.DataFrame(report.to_dicts())`."""
        return [serializers.build_flat_row(one) for one in self.references]

    def json(self) -> serializers.Json:
        """Return the report as `citeproof check --format json` prints it."""
        return serializers.build_report_json(self.run, self.references, lambda: self.findings)

    def __repr__(self) -> str:
        labels = Counter(one.label for one in self.references)
        counts = ", ".join(f"{labels[label]} {label.value}" for label in Label)
        return f"<Report of {len(self)} references: {counts}, {labels[None]} not checked>"


async def collect_report(checking: CheckSession) -> Report:
    """Return the report on documents that were read; the engine stays open."""
    references = tuple([checked async for checked in checking.verify_references()])
    findings = tuple(checking.set_findings)
    return Report(
        checking.run, references, RunOutcome.of(references, checking.lost, findings).code(), findings
    )
