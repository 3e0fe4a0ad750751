"""Policies over a report that was written before: evidence once, as many gates as you like."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from citeproof.answers.reporters.gate_words import GateTally
from citeproof.answers.serializers import SCHEMA, Json
from citeproof.answers.serializers.judgements import build_gate_json
from citeproof.errors import UsageError
from citeproof.plumbing.disk_files import open_plain_file
from citeproof.service.exit_codes import Exit
from citeproof.service.policy_gate import decide_gate, describe_reference, find_unread_gate, gate_finding
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Band, FindingState, Gate, GateDecision, Label, Policy, Verdict

MAX_REPORT = 2_000_000_000  # bytes of JSON
MAX_LINE = 100_000_000  # bytes of one line of JSON Lines
Part = TypeVar("Part")
_HINT = "give a report of `citeproof check --format json` or jsonl, or results.jsonl of a batch"


class _WrittenPart(msgspec.Struct, gc=False):
    """What the parts of a report have in common: only what a rule asks about is read, and typed."""


class WrittenAcceptance(_WrittenPart):
    fingerprint: str


class WrittenPlace(_WrittenPart):
    file: str | None = ""


class WrittenFinding(_WrittenPart):
    name: str
    state: FindingState
    kind: str | None = ""
    level: str | None = ""
    own_level: str | None = ""
    fingerprint: str = ""
    accepted: WrittenAcceptance | None = None
    location: WrittenPlace | None = None

    def gate(self, policy: Policy) -> list[GateDecision]:
        return gate_finding(
            self.name, self.state, self.kind or "", self.own_level or self.level or "", policy
        )


class WrittenMismatch(_WrittenPart):
    field: str


class WrittenReference(_WrittenPart):
    verdict: Verdict
    key: str | None = ""
    label: Label | None = None
    band: Band | None = None
    type: str | None = ""
    reasons: tuple[str, ...] = ()
    mismatches: tuple[WrittenMismatch, ...] = ()
    notes: tuple[WrittenMismatch, ...] = ()
    findings: tuple[WrittenFinding, ...] = ()
    accepted: tuple[WrittenAcceptance, ...] = ()
    fingerprint: str = ""


class _WrittenProblem(_WrittenPart):
    note: bool = False


class _WrittenRun(_WrittenPart):
    problems: tuple[_WrittenProblem, ...] = ()


class _WholeReport(_WrittenPart):
    schema: str
    references: tuple[WrittenReference, ...]
    run: _WrittenRun
    findings: tuple[WrittenFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """What a report says: its references, what was found about them together, what could not be read."""

    references: Sequence[WrittenReference]
    findings: Sequence[WrittenFinding] = ()
    unread: int | None = 0  # places that could not be read; None: the report does not say


@dataclass(frozen=True, slots=True)
class GatedReport:
    policy: Policy
    decisions: tuple[tuple[str, GateDecision], ...]  # the key of a reference, or a file, and the decision
    exit_code: Exit

    def format_lines(self) -> Iterator[str]:
        """Yield the policy, then each rule that decided, in words."""
        tally = GateTally(self.policy)
        for key, decision in self.decisions:
            tally.note(decision, key)
        return tally.format_lines()

    def build_json(self) -> Json:
        made = [{"key": key, **build_gate_json(decision)} for key, decision in self.decisions]
        policy = {"name": self.policy.name, "digest": self.policy.digest}
        return {"policy": policy, "exit_code": int(self.exit_code), "decisions": made}


def read_report_file(path: Path) -> WrittenReport:
    """Return a JSON or JSON Lines report; UsageError for a file that is none."""
    try:
        with os.fdopen(open_plain_file(path.resolve()), "rb") as file:
            return _read_report(file, str(path))
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", place=str(path), hint=_HINT) from error


def _read_report(file: BinaryIO, place: str) -> WrittenReport:
    """Return a report; its first line shows whether it is JSON Lines."""
    lines = partial(iter, partial(file.readline, MAX_LINE), b"")
    first = next((line for line in lines() if line.strip()), b"")
    file.seek(0)
    try:
        by_line = not first or "verdict" in decode_json(first, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        by_line = False
    if by_line:
        numbered = ((number, line) for number, line in enumerate(lines(), 1) if line.strip())
        references = (_decode_part(line, WrittenReference, f"{place}:{number}") for number, line in numbered)
        return WrittenReport(tuple(references), unread=None)
    if os.fstat(file.fileno()).st_size > MAX_REPORT:
        hint = "write it as JSON Lines, which may have any size"
        raise UsageError(f"is larger than {MAX_REPORT:,} bytes", place=place, hint=hint)
    whole = _decode_part(file.read(), _WholeReport, place)
    if whole.schema != SCHEMA:
        raise UsageError(f"has the schema {whole.schema[:80]!r}, not {SCHEMA!r}", place=place, hint=_HINT)
    unread = sum(not problem.note for problem in whole.run.problems)
    return WrittenReport(whole.references, whole.findings, unread)


def _decode_part(data: bytes, wanted: type[Part], place: str) -> Part:
    try:
        return decode_json(data, type=wanted)
    except msgspec.ValidationError as error:
        raise UsageError(f"is not a report on references: {error}", place=place, hint=_HINT) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError("is not JSON, or was cut off", place=place, hint=_HINT) from error


def gate_report(report: WrittenReport, policy: Policy) -> GatedReport:
    decided: list[tuple[str, GateDecision]] = []
    for reference in report.references:
        decided += _gate_reference(reference, policy)
    for found in report.findings:
        if found.accepted is None:
            file = (found.location.file if found.location else "") or ""
            decided += [(file, gate) for gate in found.gate(policy)]
    return GatedReport(policy, tuple(decided), _choose_exit(report, policy, [gate for _, gate in decided]))


def _gate_reference(reference: WrittenReference, policy: Policy) -> Iterator[tuple[str, GateDecision]]:
    key = reference.key or ""
    known = {accepted.fingerprint for accepted in reference.accepted} - {""}
    subject = describe_reference(
        verdict=reference.verdict,
        label=reference.label or "",
        band=reference.band or "",
        kind=reference.type or "",
        reasons=reference.reasons,
        fields=[each.field for each in reference.mismatches]
        + [each.field for each in reference.notes if reference.label is Label.NOTED],
    )
    if reference.fingerprint not in known:
        yield from ((key, gate) for gate in decide_gate(policy, subject))
    for finding in reference.findings:
        if finding.fingerprint not in known:
            yield from ((key, gate) for gate in finding.gate(policy))


def _choose_exit(report: WrittenReport, policy: Policy, gates: Sequence[GateDecision]) -> Exit:
    """Return the exit code of a check with this policy.

    Where a report does not say what could not be read, a policy that fails on that has not passed.
    """
    failing = [decision for decision in gates if decision.gate is Gate.FAIL]
    if any(not decision.unchecked for decision in failing):
        return Exit.PROBLEMS
    unread = find_unread_gate(policy) if report.unread != 0 else None
    blank = bool(report.references) and all(cited.label is None for cited in report.references)
    if failing or blank or (unread is not None and unread.gate is Gate.FAIL):
        return Exit.UNCHECKED
    return Exit.CLEAN if report.references else Exit.NOTHING
