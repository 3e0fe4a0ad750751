# ruff: noqa: INP001 - a script, not a package
"""The generated parts of docs/policies.md, made from the files of src/citeproof/settings/policies/."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.settings.policies.policy_reader import FALLBACK, WORDS, list_policies
from citeproof.vocabulary.policies import CONDITIONS, PolicyRule

_LONG = ("reasons",)  # its words have a page of their own


def format_policies() -> str:
    """Return a section for each shipped policy, then the rules that every policy ends with."""
    parts = []
    for policy in list_policies():
        own = [rule for rule in policy.rules if rule not in FALLBACK]
        parts += [f"### `{policy.name}`", "", policy.title, "", *_format_rules(own), ""]
    parts += ["### What no rule names", "", "Every policy, also your own, ends with these:", ""]
    return "\n".join([*parts, *_format_rules(FALLBACK)])


def format_conditions() -> str:
    """Return the table of what a rule can be about."""
    rows = ["| condition | about | words |", "| --- | --- | --- |"]
    for name, about in CONDITIONS.items():
        words = ", ".join(f"`{word}`" for word in WORDS.get(name, ("true",)))
        if name in _LONG:
            words = "a [reason code](spec/reasons.md), alone or as `field:reason`"
        rows.append(f"| `{name}` | {about} | {words} |")
    return "\n".join(rows)


def _format_rules(rules: list[PolicyRule] | tuple[PolicyRule, ...]) -> Iterator[str]:
    yield "| rule | gate | about | why |"
    yield "| --- | --- | --- | --- |"
    for rule in rules:
        about = "; ".join(f"{name}: {', '.join(sorted(words))}" for name, words in rule.conditions)
        yield f"| `{rule.id}` | {rule.gate} | {about} | {rule.why} |"
