"""How much processor time each target has had: tests/fuzz/ledger.json, which adds up over runs.

The time counts since the last finding and for one version of citeproof: a fix or a release begins again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from citeproof.plumbing.disk_files import replace_durably

FILE = Path(__file__).parent / "ledger.json"


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What one target has had since its last finding."""

    version: str
    seconds: int = 0
    runs: int = 0
    documents: int = 0
    lines: int = 0
    peak_megabytes: int = 0
    findings: int = 0  # of all runs of this version: each has its document in corpus/

    def add_run(
        self, seconds: float, documents: int, lines: int, peak_megabytes: int, findings: int
    ) -> LedgerRow:
        """Return the row after one more run; what was before a finding does not count."""
        if findings:
            return LedgerRow(self.version, lines=self.lines, findings=self.findings + findings)
        return replace(
            self,
            seconds=self.seconds + int(seconds),
            runs=self.runs + 1,
            documents=self.documents + documents,
            lines=max(self.lines, lines),
            peak_megabytes=max(self.peak_megabytes, peak_megabytes),
        )


class FuzzLedger:
    """The rows of one version, by target, in a file that is written after each run."""

    def __init__(self, version: str, path: Path = FILE) -> None:
        self._version, self._path = version, path
        read = json.loads(path.read_bytes()) if path.exists() else {}
        self._all = {name: LedgerRow(**row) for name, row in read.items()}
        self._rows = {name: row for name, row in self._all.items() if row.version == version}

    def list_targets(self) -> set[str]:
        """Return the targets that have a row, of any version."""
        return set(self._all)

    def find_row(self, target: str) -> LedgerRow:
        """Return what a target has had."""
        return self._rows.get(target, LedgerRow(self._version))

    def write_row(self, target: str, row: LedgerRow) -> None:
        """Book a row, for good."""
        self._rows[target] = row
        text = json.dumps({name: asdict(one) for name, one in sorted(self._rows.items())}, indent=1)
        replace_durably(self._path, text.encode() + b"\n", 0o644)

    def format_table(self, targets: list[str]) -> str:
        """Return a line for each target, and the sum."""
        lines = [
            (
                f"{'target':<28} {'CPU s':>6} {'runs':>4} {'documents':>9} {'lines':>6} "
                f"{'peak MB':>7} {'found':>5}"
            )
        ]
        for name in targets:
            row = self.find_row(name)
            lines.append(
                f"{name:<28} {row.seconds:>6} {row.runs:>4} {row.documents:>9} {row.lines:>6} "
                f"{row.peak_megabytes:>7} {row.findings:>5}"
            )
        total = sum(self.find_row(name).seconds for name in targets)
        return "\n".join(
            [*lines, f"{len(targets)} targets, {total / 60:.0f} CPU-minutes since their last finding"]
        )
