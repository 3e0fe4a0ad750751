"""The table of rules: what each is called, how bad it is, and why it matters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from citeproof.corpus.corpus_types import Level, Severity
from citeproof.text.package_tables import load_package_table


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: the words of the report, the type of the audit schema, its severity and level."""

    name: str
    kind: str
    type: str
    severity: Severity
    level: Level
    help: str


@cache
def load_rules() -> dict[str, Rule]:
    """Return every rule by its name, in the order of the table."""
    table = load_package_table("citeproof.corpus", "rules.toml")
    return {
        name: Rule(
            name, row["kind"], row["type"], Severity(row["severity"]), Level(row["level"]), row["help"]
        )
        for name, row in table.items()
    }


def get_rule(name: str) -> Rule:
    return load_rules()[name]
