"""Policies from TOML: the shipped ones, your own, and every mistake with its place."""

from __future__ import annotations

import pytest

from citeproof.errors import UsageError
from citeproof.settings.policies.policy_reader import (
    FALLBACK,
    SHIPPED,
    list_policies,
    parse_policy,
    read_policy,
)
from citeproof.vocabulary import Gate

RULE = """[[rule]]
id = "wrong"
gate = "fail"
labels = ["MAJOR"]
why = "It is wrong."
"""
UNCHECKED = {"verdicts": frozenset({"unchecked"}), "labels": frozenset({"none"})}


def test_every_shipped_policy_is_read_and_says_why():
    for policy in list_policies():
        assert policy.title.endswith("."), policy.name
        assert policy.rules[-len(FALLBACK) :] == FALLBACK
        assert all(rule.why.endswith(".") for rule in policy.rules), policy.name
        assert len({rule.id for rule in policy.rules}) == len(policy.rules)


def test_digests_name_the_rules():
    assert len({policy.digest for policy in list_policies()}) == len(SHIPPED)
    assert parse_policy(RULE, "a", "a").digest == parse_policy(RULE, "b", "b").digest
    assert parse_policy(RULE, "a", "a").digest != parse_policy(RULE.replace("fail", "warn"), "a", "a").digest


@pytest.mark.parametrize(
    ("name", "gate"),
    [("author", "fail"), ("journal", "fail"), ("strict", "fail"), ("arxiv", "warn"),
     ("conference-neurips-2026", "warn")],
)  # fmt: skip
def test_what_could_not_be_checked(name, gate):
    rule = read_policy(name).decide(UNCHECKED)
    assert rule is not None
    assert rule.gate is Gate(gate)


@pytest.mark.parametrize(
    "state",
    [
        UNCHECKED,
        {"unread": frozenset({"true"})},
        {"labels": frozenset({"MINOR"})},
        {"labels": frozenset({"MAJOR"}), "bands": frozenset({"low"})},
        {"checks": frozenset({"retracted"}), "states": frozenset({"unchecked"})},
        {
            "checks": frozenset({"dead_link"}),
            "states": frozenset({"finding"}),
            "levels": frozenset({"warning"}),
        },
    ],
)
def test_strict_lets_nothing_pass(state):
    rule = read_policy("strict").decide(state)
    assert rule is not None
    assert rule.gate is Gate.FAIL


def test_what_no_rule_names_fails_if_it_is_grave():
    policy = parse_policy(RULE.replace("MAJOR", "MINOR"), "ours", "ours.toml")
    assert policy.decide(UNCHECKED) in FALLBACK
    assert policy.decide({"labels": frozenset({"MAJOR"})}) in FALLBACK
    assert policy.decide({"levels": frozenset({"blocking"})}) in FALLBACK
    assert policy.decide({"levels": frozenset({"note"}), "states": frozenset({"finding"})}) is None


def test_a_rule_about_findings_is_about_what_was_found():
    text = RULE.replace('labels = ["MAJOR"]', 'checks = ["dead_link"]')
    rule = parse_policy(text, "ours", "ours.toml").rules[0]
    assert rule.fits({"checks": frozenset({"dead_link"}), "states": frozenset({"finding"})})
    assert not rule.fits({"checks": frozenset({"dead_link"}), "states": frozenset({"unchecked"})})


def test_own_rules_come_before_those_that_they_extend():
    text = 'extends = "strict"\n' + RULE.replace('["MAJOR"]', '["MINOR"]\nonly_fields = ["pages"]').replace(
        '"fail"', '"allow"'
    )
    policy = parse_policy(text, "ours", "ours.toml")
    minor = {"labels": frozenset({"MINOR"})}
    assert policy.decide({**minor, "fields": frozenset({"pages"})}).gate is Gate.ALLOW
    assert policy.decide({**minor, "fields": frozenset({"pages", "year"})}).gate is Gate.FAIL
    assert policy.decide(minor).gate is Gate.FAIL


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1 to 200 rules"),
        ("rule = 3", "1 to 200 rules"),
        ("rule = [3]", "is not a rule"),
        (RULE + "[other]", "unknown key 'other'"),
        (RULE + "verdict = ['matched']", "did you mean 'verdicts'"),
        (RULE.replace("MAJOR", "MAYOR"), "did you mean 'MAJOR'"),
        (RULE.replace('["MAJOR"]', "[]"), "not a list of words"),
        (RULE.replace('labels = ["MAJOR"]', ""), "is about nothing"),
        (RULE + 'checks = ["retracted"]', "finding and reference at once"),
        (RULE.replace('"fail"', '"maybe"'), "the gate is unknown"),
        (RULE.replace('why = "It is wrong."', ""), "without why"),
        (RULE.replace('wrong"', 'Wrong One"'), "not a slug"),
        (RULE + RULE, "two rules are called wrong"),
        (RULE.replace('labels = ["MAJOR"]', "unread = false"), "can only be true"),
        (RULE.replace('labels = ["MAJOR"]', 'reasons = ["colour:typo"]'), "unknown word"),
        ('name = "strict"\n' + RULE, "name of a shipped policy"),
        ('name = "a b"\n' + RULE, "not a short word"),
        ('extends = "lenient"\n' + RULE, "no shipped policy"),
        ("[[rule", "not valid TOML"),
    ],
)
def test_mistakes_are_told(text, said):
    with pytest.raises(UsageError) as caught:
        parse_policy(text, "ours", "ours.toml")
    assert said in str(caught.value)
    assert caught.value.place.startswith("ours.toml")
    assert caught.value.hint


def test_a_policy_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="did you mean 'strict'"):
        read_policy("strickt")
    with pytest.raises(UsageError, match="no such policy"):
        read_policy(str(tmp_path / "none.toml"))
