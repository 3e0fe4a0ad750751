"""The report on checked references: what each format asks of a run and its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import ClassVar

from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.gate_words import describe_gate, format_gate
from citeproof.answers.reporters.report_model import (
    CitedWork,
    ReportModel,
    ReportRow,
    ReportRule,
    RowGroup,
    RowLevel,
)
from citeproof.answers.serializers.judgements import (
    FINDING_RULE,
    find_acceptance,
    identify_finding,
    identify_judgement,
    identify_set_finding,
    name_rule,
)
from citeproof.errors import UsageError
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import (
    DEFAULT_FAIL_ON,
    Acceptance,
    Checked,
    Finding,
    FindingLevel,
    Gate,
    GateDecision,
    Label,
    Place,
    Policy,
    Problem,
    Run,
    SetFinding,
    SourceAnswers,
    fails_on_finding,
    find_signs,
    is_failing,
)

_TABLE = load_package_table(__package__, "reference_rules.toml")
RULES = tuple(ReportRule(name, row["words"], row["help"]) for name, row in _TABLE.items())
_LEVELS = {
    Label.MAJOR: RowLevel.ERROR, Label.MINOR: RowLevel.WARNING, Label.NOTED: RowLevel.HINT,
    Label.EXACT: RowLevel.NONE, None: RowLevel.NOTE,
}  # fmt: skip
_GATE_LEVELS = {Gate.FAIL: RowLevel.ERROR, Gate.WARN: RowLevel.WARNING, Gate.ALLOW: RowLevel.NOTE}
_NOTHING: frozenset[str] = frozenset()  # what a run fails on where a policy decides
COLUMNS = (
    "file", "line", "column", "page", "key", "verdict", "label", "score", "confidence", "band", "type",
    "title", "authors", "year", "venue", "doi", "found_title", "found_authors", "found_year", "found_doi",
    "source", "differences", "findings", "correction", "explanation", "raw", "signs",
)  # fmt: skip


class ReferenceReport(ReportModel):
    """A run and its checked references, in document order."""

    kind: ClassVar[str] = "references"
    title: ClassVar[str] = "citeproof"
    fingerprint: ClassVar[str] = "citeproof/v1"
    streamed: ClassVar[bool] = False

    def __init__(
        self,
        run: Run,
        checked: Iterable[Checked],
        *,
        fail_on: frozenset[str] = DEFAULT_FAIL_ON,
        policy: Policy | None = None,
        lost: int = 0,
        locate: Callable[[str], str] = str,
        set_findings: Callable[[], Sequence[SetFinding]] = tuple,
    ) -> None:
        """Take a run, what it fails on, and what makes a path one from the root of the repository.

        With a policy, the references and findings say what it decided; `lost` places cost a reference.

        What was found about the references together is asked for once they have all passed.
        """
        self._answers = SourceAnswers(run.sources)
        self.run, self.checked, self.started = run, self._answers.watch(checked), run.started
        self._fail_on, self._locate, self.list_set_findings = fail_on, locate, set_findings
        self.policy, self.lost = policy, lost
        self.overrides = wording.describe_overrides(run)

    def generate_documents(self) -> Iterator[RowGroup]:
        """Yield the rows of each document, what was found about them, then what could not be read."""
        for file, group in groupby(self.checked, key=lambda checked: checked.reference.place.file):
            yield RowGroup(file or "references", [row for c in group for row in self._make_rows(c)])
        if rows := [row for finding in self.list_set_findings() if (row := self._make_set_row(finding))]:
            yield RowGroup("the references together", rows, about="set")
        # the others are among what was found about the references together
        if problems := [_make_problem_row(problem) for problem in self.run.problems if not problem.finding]:
            yield RowGroup("reading the documents", problems, about="reading")

    def _make_rows(self, checked: Checked) -> Iterator[ReportRow]:
        """Yield the row of a reference and of what was found about the work, as the policy has them."""
        if self.policy is None:
            yield from _make_rows(checked, self._fail_on)
            return
        gates = {gate.about: gate for gate in checked.gates}
        for n, row in enumerate(_make_rows(checked, _NOTHING)):
            yield _apply_gate(row, gates.get(row.reason if n else ""), self.policy)

    def is_failing(self, checked: Checked) -> bool:
        """Return whether the run fails on the judgement of a reference, unless its owner accepts it."""
        if self.policy:
            return any(not gate.about and gate.gate is Gate.FAIL for gate in checked.gates)
        return is_failing(checked.label, self._fail_on)

    def locate_file(self, file: str) -> str:
        return self._locate(file)

    def describe_sources(self) -> str:
        return wording.show_line(self._answers.describe(), 2000) if self._answers.references else ""

    def list_rules(self) -> Sequence[ReportRule]:
        return RULES

    def list_columns(self) -> Sequence[str]:
        return (*COLUMNS, "overrides") if self.overrides else COLUMNS

    def generate_cells(self) -> Iterator[Iterable[object]]:
        replaced = [" ".join(self.overrides)] if self.overrides else []  # a column where there are any
        return ((*serializers.build_flat_row(checked).values(), *replaced) for checked in self.checked)

    def generate_members(self) -> Iterator[tuple[str, object]]:
        made = serializers.build_report_json(self.run, self.checked, self.list_set_findings, self.policy)
        yield from made.items()

    def generate_objects(self) -> Iterator[serializers.Json]:
        return (serializers.build_checked_json(checked, self.run.overrides) for checked in self.checked)

    def generate_works(self) -> Iterator[CitedWork]:
        for checked in self.checked:
            fields = checked.reference.claimed
            if checked.correction:
                fields = (
                    checked.correction.safe if checked.label is Label.NOTED else checked.correction.claimed
                )
            notes = wording.describe_outcome(checked)
            names = (checked.label or checked.verdict, *(f.name for f in wording.list_findings(checked)))
            tags = tuple(f"citeproof:{name}" for name in dict.fromkeys(names))
            yield CitedWork(checked.reference.key, checked.reference.kind, fields, notes, tags)

    def _make_set_row(self, about: SetFinding) -> ReportRow | None:
        """Return the row of what was found about references together; None: nothing was."""
        if not about.finding.is_finding:
            return None
        file, description = wording.show_line(about.place.file), wording.describe_finding(about.finding)
        fails = about.accepted is None and fails_on_finding(about.finding, self._fail_on)
        message = f"{file}: {description}" if file else description
        row = replace(
            _make_finding_row(about.finding, file or "references", message, about.accepted, fails=fails),
            place=about.place,
            text=description,
            identity=identify_set_finding(about),
            properties={"keys": list(about.keys)},
        )
        return _apply_gate(row, about.gate, self.policy) if self.policy else row


def _make_rows(checked: Checked, fail_on: frozenset[str]) -> Iterator[ReportRow]:
    """Yield the row of a reference, then one for each thing found about the work."""
    judgement, key = checked.judgement, checked.reference.key
    evidence = wording.describe_evidence(checked)
    unchecked, signs = judgement.label is None, find_signs(judgement)
    accepted = find_acceptance(checked, identity := identify_judgement(checked))
    fails = accepted is None and is_failing(judgement.label, fail_on)
    yield ReportRow(
        place=checked.reference.place,
        rule=name_rule(checked),
        level=RowLevel.WARNING if fails and judgement.label is Label.NOTED else _LEVELS[judgement.label],
        message=f"{key}: {wording.format_headline(checked)}. {judgement.explanation}"
        + wording.describe_invention(judgement),
        title=f"{key}: {wording.format_title(checked)}",
        reason=judgement.verdict.value,
        severity=judgement.label or "",
        kind=judgement.verdict.value.replace("_", " "),
        text=evidence if unchecked else judgement.explanation,
        evidence=(
            *(
                (m.field, f"claimed {m.claimed!r}, found {m.resolved!r} ({m.reason})")
                for m in judgement.decisive
            ),
            ("evidence", evidence),
            *((("signs of invention", ", ".join(s.words for s in signs)),) if signs else ()),
        ),
        fix="; ".join(map(wording.format_change, checked.correction.changes)) if checked.correction else "",
        fails=fails,
        accepted=accepted,
        identity=identity,
        properties=_make_properties(checked),
    )
    for finding in wording.list_findings(checked):
        accepted = find_acceptance(checked, identity := identify_finding(checked, finding))
        fails = accepted is None and fails_on_finding(finding, fail_on)
        message = f"{key}: {wording.describe_finding(finding)}"
        yield replace(
            _make_finding_row(finding, key, message, accepted, fails=fails),
            place=checked.reference.place,
            identity=identity,
            properties=_make_properties(checked),
        )


def _make_finding_row(
    finding: Finding, about: str, message: str, accepted: Acceptance | None, *, fails: bool
) -> ReportRow:
    """Return the row of a finding about a reference or several; where it is must still be said."""
    quiet = RowLevel.NOTE if finding.level is FindingLevel.NOTE else RowLevel.WARNING
    return ReportRow(
        place=Place(),
        rule=FINDING_RULE,
        level=RowLevel.ERROR if finding.blocks else quiet,
        message=message,
        title=f"{about}: {finding.name.replace('_', ' ')}",
        reason=finding.name,
        text=message,
        evidence=tuple(("evidence", line) for line in finding.evidence),
        fails=fails,
        accepted=accepted,
        aside=not finding.blocks,
    )


def _apply_gate(row: ReportRow, gate: GateDecision | None, policy: Policy) -> ReportRow:
    """Return a row at the level that a policy gives it, with the rule that decided."""
    if gate is None or row.accepted:
        return replace(row, fails=False)
    decision = describe_gate(gate, policy)
    return replace(
        row,
        level=_GATE_LEVELS[gate.gate],
        message=f"[{format_gate(gate, policy)}] {row.message}",
        evidence=(*row.evidence, ("policy", decision)),
        fails=gate.gate is Gate.FAIL,
        properties={
            **row.properties,
            "policy": policy.name,
            "policy_rule": gate.rule,
            "gate": gate.gate.value,
        },
    )


def _make_properties(checked: Checked) -> serializers.Json:
    return {
        "verdict": checked.judgement.verdict.value,
        "score": checked.judgement.score,
        "confidence": checked.judgement.confidence,
        "mismatches": [m.field for m in checked.judgement.mismatches],
        **({"notes": [m.field for m in checked.judgement.notes]} if checked.judgement.notes else {}),
        **({"signs": list(map(str, signs))} if (signs := find_signs(checked.judgement)) else {}),
    }


def _make_problem_row(problem: Problem) -> ReportRow:
    message = f"{problem.message}. {problem.hint}".strip()
    return ReportRow(
        place=problem.place,
        rule="document-problem",
        level=RowLevel.NOTE if problem.note else RowLevel.WARNING,
        message=message,
        title=wording.format_place(problem.place),
        text=message,
        unread=not problem.note,
    )


def require_references(report: ReportModel) -> ReferenceReport:
    """Return a report on references, for formats that show nothing else."""
    if not isinstance(report, ReferenceReport):
        raise UsageError("this format shows references only", place="--format", hint="name another one")
    return report
