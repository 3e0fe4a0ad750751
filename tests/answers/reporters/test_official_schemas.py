"""SARIF and JUnit against their official schemas, on all that the golden files and hostile text hold."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest
from lxml import etree
from tests.answers.reporters.test_golden import GOLDEN
from tests.official_schemas import load_junit_schema, load_sarif_schema

from citeproof.answers.reporters.base import get_reporter
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.serializers.judgements import identify_judgement, make_fingerprint
from citeproof.vocabulary import Acceptance, FailOn, Finding, FindingState

FINDING = Finding("retracted", FindingState.FINDING, "It was \x1b[31mretracted\x00.", "crossref")


@pytest.fixture
def report(made_run, made_checked):
    """Every kind of row: all verdicts, findings, accepted ones, and a document's own problems."""
    some = [replace(one, findings=(FINDING,)) for one in made_checked.values()]
    known = [
        replace(
            one,
            findings=(),
            accepted=(Acceptance(make_fingerprint(identify_judgement(one)), "ignore", "\ud800 <&>"),),
        )
        for one in made_checked.values()
    ]
    return lambda: ReferenceReport(made_run, [*some, *known], fail_on=frozenset(FailOn))


def _validate_sarif(text):
    log = json.loads(text)
    jsonschema.Draft7Validator(load_sarif_schema()).validate(log)
    return log


def _validate_junit(text):
    tree = etree.fromstring(text.encode())
    load_junit_schema().assertValid(tree)
    return tree


@pytest.mark.parametrize("path", sorted(GOLDEN.rglob("*.sarif")), ids=lambda path: path.parent.name)
def test_golden_sarif(path):
    assert _validate_sarif(path.read_text("utf-8"))["runs"][0]["results"]


@pytest.mark.parametrize("path", sorted(GOLDEN.rglob("*.junit")), ids=lambda path: path.parent.name)
def test_golden_junit(path):
    assert _validate_junit(path.read_text("utf-8")).findall(".//testcase")


def test_sarif_of_everything(report):
    results = _validate_sarif("".join(get_reporter("sarif").report(report())))["runs"][0]["results"]
    assert {len(one["suppressions"]) for one in results} == {0, 1}
    assert all(one["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] for one in results)


def test_junit_of_everything(report):
    tree = _validate_junit("".join(get_reporter("junit").report(report())))
    failed = tree.findall(".//failure[@type='retracted']")
    assert len(failed) == 6  # a finding fails where the run is to fail on findings
    assert tree.findall(".//skipped")


def test_the_schemas_refuse_what_is_wrong():
    with pytest.raises(jsonschema.ValidationError):
        _validate_sarif('{"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]}')
    with pytest.raises(etree.DocumentInvalid):
        _validate_junit('<testsuites><testsuite name="a"><testcase/></testsuite></testsuites>')
