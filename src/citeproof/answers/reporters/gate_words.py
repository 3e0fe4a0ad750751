"""What a policy decided, in words: for each reference, and for the whole run rule by rule."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.answers.reporters.wording import show_line
from citeproof.errors import format_count
from citeproof.vocabulary import NOT_READ, Checked, Gate, GateDecision, Policy, SetFinding
from citeproof.vocabulary.quick_dataclass import dataclass, field

_WORDS = {Gate.FAIL: "fails", Gate.WARN: "warns of", Gate.ALLOW: "allows"}
_MOST_KEYS = 10  # of one rule


def describe_gate(gate: GateDecision, policy: Policy) -> str:
    """Return what a rule decided about a problem, and why: `policy strict fails it (wrong-field): …`."""
    return show_line(
        f"policy {policy.name} {_WORDS[gate.gate]} it ({gate.rule}): {_find_reason(gate, policy)}", 2000
    )


def format_gate(gate: GateDecision, policy: Policy) -> str:
    """Return what a rule decided in a few words: `policy strict: wrong-field fails`."""
    return show_line(f"policy {policy.name}: {gate.rule} {_WORDS[gate.gate].removesuffix(' of')}", 200)


def describe_gates(checked: Checked) -> str:
    """Return what the policy decided about a reference and its findings in a line; empty: nothing."""
    decided = (f"{_WORDS[g.gate]} {g.about.replace('_', ' ') or 'it'} ({g.rule})" for g in checked.gates)
    return show_line(f"policy: {', '.join(decided)}", 2000) if checked.gates else ""


@dataclass(slots=True)
class GateTally:
    """What a policy decided so far; grows while references pass by."""

    policy: Policy | None
    lost: int = 0  # places of the documents that cost a reference
    _keys: dict[GateDecision, list[str]] = field(default_factory=dict)

    def add(self, checked: Checked) -> None:
        """Take a reference."""
        for gate in checked.gates:
            self.note(gate, checked.reference.key)

    def note(self, decision: GateDecision, key: str) -> None:
        """Take one decision, and what it is about."""
        self._keys.setdefault(decision, []).append(key)

    def add_set_finding(self, set_finding: SetFinding) -> None:
        """Take what was found about references together."""
        if set_finding.gate:
            self.note(set_finding.gate, set_finding.place.file)

    def format_lines(self) -> Iterator[str]:
        """Yield the policy, then a line for each rule that decided; nothing without a policy."""
        if self.policy is None:
            return
        rule = self.policy.decide({"unread": frozenset({"true"})}) if self.lost else None
        if rule is not None:
            place_count = f"{format_count(self.lost, 'place')} that {NOT_READ}"
            self.note(GateDecision(rule.id, rule.gate, unchecked=True), place_count)
        counts = {gate: sum(len(self._keys[d]) for d in self._keys if d.gate is gate) for gate in Gate}
        decided = ", ".join(f"{_WORDS[gate]} {count:,}" for gate, count in counts.items())
        yield show_line(f"policy {self.policy.name} ({self.policy.digest}): {decided}", 2000)
        order = list(Gate)
        for decision, keys in sorted(
            self._keys.items(), key=lambda item: (order.index(item[0].gate), item[0].rule)
        ):
            more = f" and {len(keys) - _MOST_KEYS:,} more" if len(keys) > _MOST_KEYS else ""
            about = f" {decision.about.replace('_', ' ')} of" if decision.about else ""
            listed = ", ".join(show_line(key, 80) for key in keys[:_MOST_KEYS])
            why = _find_reason(decision, self.policy)
            yield show_line(f"{decision.rule} {_WORDS[decision.gate]}{about} {listed}{more}: {why}", 2000)


def _find_reason(gate: GateDecision, policy: Policy) -> str:
    return next((rule.why for rule in policy.rules if rule.id == gate.rule), "")
