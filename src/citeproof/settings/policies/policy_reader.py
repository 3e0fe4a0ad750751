"""Policies from TOML: the shipped ones by name, your own from a file. An error names its rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from importlib import resources
from pathlib import Path

from citeproof.errors import UsageError, suggest_word
from citeproof.plumbing.json_bytes import dumps
from citeproof.settings import config_files
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import (
    CHECK_NAMES,
    ID_ORDER,
    Band,
    FindingLevel,
    FindingState,
    Kind,
    Label,
    NoticeKind,
    Reason,
    VenueStanding,
    Verdict,
)
from citeproof.vocabulary.policies import CONDITIONS, FINDING, NO_LABEL, UNREAD, Gate, Policy, PolicyRule

# In the order in which they are listed; each is a file of this folder.
SHIPPED = ("author", "journal", "conference-neurips-2026", "arxiv", "strict", "strict-fields")
YES = frozenset({"true"})
_FIELDS = (
    "title", "authors", "year", "venue", "volume", "issue", "pages", "publisher", "editors", "edition",
    "series", *ID_ORDER, "acl", "openreview",
)  # fmt: skip


def _list_values(*kinds: type[StrEnum]) -> tuple[str, ...]:
    return tuple(member.value for kind in kinds for member in kind)


# The words that a condition takes; `reasons` also takes `field:reason`.
WORDS: Mapping[str, tuple[str, ...]] = {
    "verdicts": _list_values(Verdict),
    "labels": (*_list_values(Label), NO_LABEL),
    "bands": (*_list_values(Band), NO_LABEL),
    "types": _list_values(Kind),
    "reasons": _list_values(Reason),
    "fields": _FIELDS,
    "only_fields": _FIELDS,
    "strict_match": ("true", "false"),
    "checks": CHECK_NAMES,
    "kinds": _list_values(NoticeKind, VenueStanding),
    "states": (FindingState.FINDING.value, FindingState.UNCHECKED.value),
    "levels": _list_values(FindingLevel),
}
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+){0,9}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_LONGEST = 500  # characters of a title or a reason
_MOST = 200  # rules
_RULE_KEYS = ("id", "gate", "why", *CONDITIONS)
_POLICY_KEYS = ("name", "title", "extends", "rule")

# What no rule of a policy is about: the grave things fail under every policy that does not name them.
FALLBACK = (
    PolicyRule(
        "default-not-checked",
        Gate.FAIL,
        "No rule of the policy is about what could not be checked, and that is never a pass.",
        (("verdicts", frozenset({Verdict.UNCHECKED.value})),),
    ),
    PolicyRule(
        "default-unread",
        Gate.FAIL,
        "No rule of the policy is about places that could not be read.",
        (("unread", YES),),
    ),
    PolicyRule(
        "default-major",
        Gate.FAIL,
        "No rule of the policy is about this MAJOR problem.",
        (("labels", frozenset({Label.MAJOR.value})),),
    ),
    PolicyRule(
        "default-blocking",
        Gate.FAIL,
        "No rule of the policy is about this retraction.",
        (("levels", frozenset({FindingLevel.BLOCKING.value})),),
    ),
)


def read_policy(named: str) -> Policy:
    """Return a policy by its name or from a TOML file; UsageError, with its place, for one that is wrong."""
    if named in SHIPPED:
        table = config_files.parse_config(read_policy_text(named), Path(f"{named}.toml"))
        return _build_policy(table, named, named)
    path = Path(named)
    if not path.is_file():
        hint = suggest_word(named, SHIPPED, f"write one of {', '.join(SHIPPED)}, or a TOML file")
        raise UsageError("no such policy", place=named, hint=hint)
    return parse_policy(
        config_files.decode_config(config_files.read_config_bytes(path)), path.stem, str(path)
    )


def list_policies() -> Iterator[Policy]:
    return (read_policy(name) for name in SHIPPED)


def read_policy_text(name: str) -> str:
    """Return the TOML of a shipped policy, to begin your own with."""
    return resources.files("citeproof.settings.policies").joinpath(f"{name}.toml").read_text("utf-8")


def parse_policy(text: str, name: str, place: str) -> Policy:
    """Return the policy that a TOML text describes, called `name` unless it says its own."""
    table = config_files.parse_config(text, Path(place).with_suffix(".toml"))
    _refuse_unknown(table, _POLICY_KEYS, place)
    name = _read_text(table.get("name", name), "name", place)
    if not _NAME.fullmatch(name):
        raise UsageError("the name is not a short word", place=place, hint="write letters, digits and -._")
    if name in SHIPPED:
        hint = "give it another name, so that it is not taken for the shipped one"
        raise UsageError(f"{name} is the name of a shipped policy", place=place, hint=hint)
    return _build_policy(table, name, place)


def _build_policy(table: Mapping[str, object], name: str, place: str) -> Policy:
    title = _read_text(table["title"], "title", place) if "title" in table else ""
    rows = table.get("rule", [])
    if not isinstance(rows, list) or not rows or len(rows) > _MOST:
        hint = "write each rule as [[rule]] with id, gate, why and what it is about; docs/policies.md"
        raise UsageError(f"a policy has 1 to {_MOST} rules", place=place, hint=hint)
    rules = [_read_rule(row, f"{place}, rule {n}") for n, row in enumerate(rows, 1)]
    if (base := table.get("extends")) is not None:
        if base not in SHIPPED:
            hint = f"write one of {', '.join(SHIPPED)}"
            raise UsageError("extends names no shipped policy", place=place, hint=hint)
        rules += [rule for rule in read_policy(str(base)).rules if rule not in FALLBACK]
    twice = next((rule.id for n, rule in enumerate(rules) if rule.id in {r.id for r in rules[:n]}), None)
    if twice is not None:
        hint = "give each rule an id of its own" if base is None else f"{base} has one of that id"
        raise UsageError(f"two rules are called {twice}", place=place, hint=hint)
    return Policy(name, title, (every := (*rules, *FALLBACK)), digest_rules(every))


def _read_rule(row: object, place: str) -> PolicyRule:
    if not isinstance(row, Mapping):
        raise UsageError("is not a rule", place=place, hint="write [[rule]] with id, gate and why")
    _refuse_unknown(row, _RULE_KEYS, place)
    for name in ("id", "gate", "why"):
        if name not in row:
            hint = "id names the rule, gate is fail, warn or allow, why tells the reader the reason"
            raise UsageError(f"a rule without {name}", place=place, hint=hint)
    if not isinstance(row["id"], str) or not _ID.fullmatch(row["id"]):
        raise UsageError("the id is not a slug", place=place, hint="write one like wrong-work")
    place = f"{place} ({row['id']})"
    if row["gate"] not in [gate.value for gate in Gate]:
        raise UsageError("the gate is unknown", place=place, hint="write fail, warn or allow")
    conditions = tuple((name, _read_words(name, row[name], place)) for name in CONDITIONS if name in row)
    abouts = sorted({CONDITIONS[name] for name, _ in conditions})
    if len(abouts) != 1:
        wrong = f"is about {' and '.join(abouts)} at once" if abouts else "is about nothing"
        hint = "give it conditions on the reference, or on findings, or unread = true"
        raise UsageError(f"the rule {wrong}", place=place, hint=hint)
    if abouts == [FINDING] and "states" not in row:  # then it is about what was found
        conditions += (("states", frozenset({FindingState.FINDING.value})),)
    return PolicyRule(row["id"], Gate(row["gate"]), _read_text(row["why"], "why", place), conditions)


def _read_words(name: str, value: object, place: str) -> frozenset[str]:
    if CONDITIONS[name] == UNREAD:
        if value is not True:
            raise UsageError("unread can only be true", place=place, hint="leave it out otherwise")
        return YES
    if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
        raise UsageError(f"{name} is not a list of words", place=place, hint=f'write {name} = ["…"]')
    for word in value:
        field, _, reason = word.rpartition(":") if name == "reasons" else ("", "", word)
        if reason not in WORDS[name] or (field and field not in _FIELDS):
            hint = suggest_word(reason, WORDS[name], f"known words: {', '.join(WORDS[name])}")
            raise UsageError(f"{name} has an unknown word {word[:100]!r}", place=place, hint=hint)
    return frozenset(value)


def _read_text(value: object, name: str, place: str) -> str:
    if not isinstance(value, str) or not 0 < len(value.strip()) <= _LONGEST:
        hint = f"write a text of at most {_LONGEST} characters"
        raise UsageError(f"{name} is not a text", place=place, hint=hint)
    return " ".join(value.split())


def _refuse_unknown(table: Mapping[str, object], known: Sequence[str], place: str) -> None:
    if unknown := sorted(set(table) - set(known)):
        hint = suggest_word(unknown[0], known, f"known keys: {', '.join(known)}")
        raise UsageError(f"unknown key {unknown[0][:100]!r}", place=place, hint=hint)


def digest_rules(rules: Sequence[PolicyRule]) -> str:
    """Return 16 hexadecimal digits that name these rules, in this order."""
    plain = [
        [rule.id, rule.gate, [[name, sorted(words)] for name, words in rule.conditions]] for rule in rules
    ]
    return sha256(dumps(plain)).hexdigest()[:16]
