"""What a run fails on, as rules: a policy decides about what was found and never changes it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from citeproof.vocabulary.quick_dataclass import dataclass

REFERENCE, FINDING, UNREAD = "reference", "finding", "unread"  # what a rule can be about
NO_LABEL = "none"  # for a reference that could not be checked

# What a rule is about, by the conditions that it has. `only_fields`: every difference is in one of these.
CONDITIONS: Mapping[str, str] = {
    "verdicts": REFERENCE,
    "labels": REFERENCE,
    "bands": REFERENCE,
    "types": REFERENCE,
    "reasons": REFERENCE,
    "fields": REFERENCE,
    "only_fields": REFERENCE,
    "strict_match": REFERENCE,
    "checks": FINDING,
    "kinds": FINDING,
    "states": FINDING,
    "levels": FINDING,
    "unread": UNREAD,
}
Subject = Mapping[str, frozenset[str]]  # the values that something has, by condition


class Gate(StrEnum):
    """What a rule makes of what it is about."""

    FAIL = "fail"  # the run fails: exit code 1, or 4 for what could not be checked
    WARN = "warn"  # it is shown as a warning
    ALLOW = "allow"  # it is shown as a note


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Which rule of the policy decided about a reference or a finding, and how."""

    rule: str
    gate: Gate
    about: str = ""  # the name of the finding; empty: the reference itself
    unchecked: bool = False  # it is about something that could not be checked: exit code 4, never 1


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """One rule: all its conditions hold, each if one of its words does."""

    id: str
    gate: Gate
    why: str
    conditions: tuple[tuple[str, frozenset[str]], ...]

    @property
    def about(self) -> str:
        """What it is about: a reference, a finding, or a place that could not be read."""
        return CONDITIONS[self.conditions[0][0]]

    def fits(self, subject: Subject) -> bool:
        """Return whether the rule is about this."""
        return all(_holds_condition(name, words, subject) for name, words in self.conditions)


@dataclass(frozen=True, slots=True)
class Policy:
    """Rules in order; the first that fits decides."""

    name: str
    title: str
    rules: tuple[PolicyRule, ...]
    digest: str = ""  # of the rules, so that a name alone promises nothing

    def decide(self, subject: Subject) -> PolicyRule | None:
        """Return the rule that decides; None: no rule is about it."""
        return next((rule for rule in self.rules if rule.fits(subject)), None)


def _holds_condition(name: str, words: frozenset[str], subject: Subject) -> bool:
    if name == "only_fields":
        differing = subject.get("fields", frozenset())
        return bool(differing) and differing <= words
    return not words.isdisjoint(subject.get(name, frozenset()))
