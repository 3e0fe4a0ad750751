"""Policies over a report that was written before: evidence once, as many gates as you like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from citeproof.disk_files import read_plain_file
from citeproof.errors import UsageError
from citeproof.reporters.gate_words import GateTally
from citeproof.serializers import SCHEMA, Json
from citeproof.serializers.judgements import build_gate_json
from citeproof.service.exit_codes import Exit
from citeproof.service.policy_gate import decide_gate, describe_reference, find_unread_gate
from citeproof.vocabulary import FindingState, Gate, GateDecision, Policy
from citeproof.vocabulary.policies import Subject

MAX_REPORT = 2_000_000_000  # bytes
_HINT = "give a report of `citeproof check --format json` or jsonl, or results.jsonl of a batch"


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """What a report says: its references, what was found about them together, what could not be read."""

    references: Sequence[Json]
    findings: Sequence[Json] = ()
    unread: int | None = 0  # places that could not be read; None: the report does not say


@dataclass(frozen=True, slots=True)
class GatedReport:
    """What one policy decides about a report."""

    policy: Policy
    decisions: tuple[tuple[str, GateDecision], ...]  # the key of a reference, or a file, and the decision
    exit_code: Exit

    def format_lines(self) -> Iterator[str]:
        """Yield the policy, then each rule that decided, in words."""
        tally = GateTally(self.policy)
        for key, one in self.decisions:
            tally.note(one, key)
        return tally.format_lines()

    def build_json(self) -> Json:
        """Return the policy, the exit code, and every decision."""
        made = [{"key": key, **build_gate_json(one)} for key, one in self.decisions]
        policy = {"name": self.policy.name, "digest": self.policy.digest}
        return {"policy": policy, "exit_code": int(self.exit_code), "decisions": made}


def read_report_file(path: Path) -> WrittenReport:
    """Return a JSON or JSON Lines report; UsageError for a file that is none."""
    try:
        data = read_plain_file(path.resolve(), MAX_REPORT)
        parts = _decode_report(data)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", place=str(path), hint=_HINT) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError("is not JSON", place=str(path), hint=_HINT) from error
    first: Any = parts[0] if len(parts) == 1 else None
    if (
        isinstance(first, dict)
        and first.get("schema") == SCHEMA
        and isinstance(first.get("references"), list)
    ):
        problems = [one for one in first.get("run", {}).get("problems", ()) if not one.get("note")]
        report = WrittenReport(first["references"], first.get("findings", []), len(problems))
    else:
        report = WrittenReport(parts, unread=None)
    if not all(isinstance(one, dict) and "verdict" in one for one in report.references):
        raise UsageError("is not a report on references", place=str(path), hint=_HINT)
    return report


def gate_report(report: WrittenReport, policy: Policy) -> GatedReport:
    """Return what a policy decides about a report."""
    decided: list[tuple[str, GateDecision]] = []
    for one in report.references:
        decided += _gate_reference(one, policy)
    for found in report.findings:
        if not found.get("accepted"):
            file = str((found.get("location") or {}).get("file") or "")
            decided += [(file, gate) for gate in _gate_finding(found, policy)]
    return GatedReport(policy, tuple(decided), _choose_exit(report, policy, [gate for _, gate in decided]))


def _decode_report(data: bytes) -> list[Any]:
    try:
        whole = msgspec.json.decode(data)
    except msgspec.DecodeError:
        return [msgspec.json.decode(line) for line in data.splitlines() if line.strip()]
    return [whole]


def _gate_reference(one: Json, policy: Policy) -> Iterator[tuple[str, GateDecision]]:
    key = str(one.get("key", ""))
    known = {accepted.get("fingerprint") for accepted in one.get("accepted", ())}
    subject = describe_reference(
        verdict=one["verdict"],
        label=one.get("label") or "",
        band=one.get("band") or "",
        kind=one.get("type") or "",
        reasons=one.get("reasons", ()),
        fields=[mismatch.get("field", "") for mismatch in one.get("mismatches", ())],
    )
    if one.get("fingerprint") not in known:
        yield from ((key, gate) for gate in decide_gate(policy, subject))
    for finding in one.get("findings", ()):
        if finding.get("fingerprint") not in known:
            yield from ((key, gate) for gate in _gate_finding(finding, policy))


def _gate_finding(finding: Json, policy: Policy) -> list[GateDecision]:
    level = finding.get("own_level") or finding.get("level") or ""
    subject: Subject = {
        "checks": frozenset({str(finding.get("name", ""))}),
        "states": frozenset({str(finding.get("state", ""))}),
        "kinds": frozenset({str(finding.get("kind", ""))} - {""}),
        "levels": frozenset({str(level)} if finding.get("state") == FindingState.FINDING else ()),
    }
    return decide_gate(policy, subject, str(finding.get("name", "")))


def _choose_exit(report: WrittenReport, policy: Policy, gates: Sequence[GateDecision]) -> Exit:
    """Return the exit code of a check with this policy.

    Where a report does not say what could not be read, a policy that fails on that has not passed.
    """
    failing = [one for one in gates if one.gate is Gate.FAIL]
    if any(not one.unchecked for one in failing):
        return Exit.PROBLEMS
    unread = find_unread_gate(policy) if report.unread != 0 else None
    blank = bool(report.references) and all(one.get("label") is None for one in report.references)
    if failing or blank or (unread is not None and unread.gate is Gate.FAIL):
        return Exit.UNCHECKED
    return Exit.CLEAN if report.references else Exit.NOTHING
