"""A citation with a note, through every door: it passes, it is counted, and it is one flag away."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

PEOPLE = r"{He, Kaiming and Gkioxari, Georgia and Doll{\'a}r, Piotr and Girshick, Ross B.}"
NOTED = (
    f"@inproceedings{{noted,\n  title = {{Mask {{R-CNN}}}},\n  author = {PEOPLE},\n  year = {{2018}}\n}}\n"
)
POLICY = """[[rule]]
id = "look-at-notes"
gate = "fail"
labels = ["NOTED"]
fields = ["year"]
why = "Our house style wants the year of the record."
"""


@pytest.fixture
def check(cli, snapshot, tmp_path):
    (tmp_path / "refs.bib").write_text(NOTED)
    (tmp_path / "house.toml").write_text(POLICY)

    def run(*flags):
        return cli("check", "refs.bib", "--snapshot", snapshot, *flags)

    return run


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ((), 0),
        (("--fail-on", "minor,unchecked,findings"), 0),
        (("--fail-on", "noted"), 1),
        (("--policy", "author"), 0),
        (("--policy", "journal"), 0),
        (("--policy", "conference-neurips-2026"), 0),
        (("--policy", "arxiv"), 0),
        (("--policy", "strict"), 4),  # no list of retractions; the note itself passes
        (("--policy", "house.toml"), 1),
    ],
)
def test_a_note_passes_unless_the_run_names_it(flags, code, check):
    assert check("-q", *flags).code == code


@pytest.mark.parametrize(
    ("flags", "shown"), [((), False), (("--notes",), True), (("--fail-on", "noted"), True), (("-v",), True)]
)
def test_a_note_is_folded_unless_it_is_asked_for(flags, shown, check):
    out = check(*flags).out
    assert ("≈ NOTED matched  noted" in out) is shown
    assert ("1 matched with a note: --notes shows it" in out) is not shown
    assert "1 reference: 0 exact, 1 with a note, 0 minor, 0 major, 0 could not be checked" in out


def test_json_has_the_label_the_note_and_the_count(check):
    report = json.loads(check("--format", "json").out)
    [one] = report["references"]
    assert (one["verdict"], one["label"], one["score"]) == ("matched", "NOTED", 9.0)
    assert [(note["field"], note["claimed"], note["resolved"]) for note in one["notes"]] == [
        ("year", "2018", "2017")
    ]
    assert "Title and authors agree" in one["explanation"]
    assert "Please check: the year is 2018; the record has 2017." in one["explanation"]
    assert report["summary"]["labels"] == {"EXACT": 0, "NOTED": 1, "MINOR": 0, "MAJOR": 0, "none": 0}


@pytest.mark.parametrize(("flags", "failures"), [((), "0"), (("--fail-on", "noted"), "1")])
def test_junit_passes_as_the_run_does(flags, failures, check):
    suites = ET.fromstring(check("--format", "junit", *flags).out)
    assert suites.get("failures") == failures
    assert len(list(suites.iter("skipped"))) == 0


@pytest.mark.parametrize(("flags", "level"), [((), "note"), (("--fail-on", "noted"), "warning")])
def test_sarif_tells_a_note(flags, level, check):
    [result] = json.loads(check("--format", "sarif", *flags).out)["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("citation-noted", level)
    assert result["properties"]["notes"] == ["year"]


def test_a_baseline_has_notes_only_where_the_run_fails_on_them(check, tmp_path):
    for flags, problems in (((), 0), (("--fail-on", "noted"), 1)):
        check("--write-baseline", "known.json", *flags)
        assert len(json.loads((tmp_path / "known.json").read_text())["problems"]) == problems
    assert check("--baseline", "known.json", "--fail-on", "noted").code == 0


def test_a_bibliography_keeps_what_is_only_noted(check):
    out = check("--format", "bibtex").out
    assert "% please check year: 2018 → 2017" in out
    assert "year = {2018}" in out


@pytest.mark.parametrize(("flag", "year"), [("--safe", "2018"), ("--unsafe", "2017")])
def test_fix_offers_a_note_and_never_makes_it_by_default(flag, year, cli, snapshot, tmp_path):
    (tmp_path / "refs.bib").write_text(NOTED)
    ended = cli("fix", "refs.bib", "--snapshot", snapshot, flag, "--write")
    assert f"year = {{{year}}}" in (tmp_path / "refs.bib").read_text()
    assert "please check" in ended.out
    assert ended.code == 0


def test_verify_says_matched_and_names_the_note(cli, snapshot):
    given = ("--title", "Mask R-CNN", "--author", "Kaiming He", "--year", "2018", "--snapshot", snapshot)
    answer = json.loads(cli("verify", *given, "--format", "json").out)
    assert (answer["verdict"], [each["field"] for each in answer["mismatches"]]) == ("matched", ["year"])
    assert answer["citeproof"]["label"] == "NOTED"
    assert any("another year, “2017”" in told for told in answer["caveats"])
