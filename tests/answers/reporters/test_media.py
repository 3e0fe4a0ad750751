"""Hostile text in the formats of other programs stays text, and each file is well formed."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from citeproof.answers.reporters import base
from citeproof.answers.reporters.csv import Csv, defuse_formula
from citeproof.answers.reporters.html.reference_page import format_notebook_view
from citeproof.answers.reporters.reference_report import COLUMNS, ReferenceReport
from citeproof.vocabulary import Checked, Place, Reference

NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]></failure><evil/>",
    '=HYPERLINK("http://evil.example","x")',
    "\t=1+1",
    "\r\nER  - \r\nTY  - EVIL",
    "\x00\x1b[2J\u202e\ud800",
    "@misc{evil, title={x}}",
    "</style><style>*{}</style>",
    "javascript:alert(1)",
)  # fmt: skip


def _said(one: Checked, text: str) -> Checked:
    """Return a checked reference in which every free text is `text`."""
    reference: Reference = one.reference
    claimed = replace(reference.claimed, title=text, venue=text)
    place = replace(reference.place, file=f"{text}.bib")
    judgement = replace(one.judgement, explanation=text)
    said = replace(reference, key=text, raw=text, claimed=claimed, place=place, citing=(text,))
    return replace(one, reference=said, judgement=judgement)


def _report(form: str, run, checked) -> str:
    return "".join(base.get_reporter(form).report(ReferenceReport(run, checked)))


@pytest.fixture(params=NASTY, ids=range(len(NASTY)))
def nasty(request, made_checked) -> list[Checked]:
    return [_said(one, request.param) for one in made_checked.values()]


def test_html_holds_only_our_own_markup(made_run, made_checked, nasty):
    usual = {node.tag for node in LexborHTMLParser(_report("html", made_run, made_checked.values())).css("*")}
    page = LexborHTMLParser(_report("html", made_run, nasty))
    assert {node.tag for node in page.css("*")} <= usual | {"blockquote"}
    assert not page.css("img, iframe, object, embed, form, svg:not(.bar), svg image, svg a")
    assert len(page.css("script")) == 1
    attributes = {name for node in page.css("*") for name in node.attributes}
    assert not [name for name in attributes if name.startswith("on")]
    assert all(link.attributes["href"].startswith(("https://", "#p")) for link in page.css("a"))
    assert len(page.css("style")) == 1


def test_a_notebook_holds_only_our_own_markup(made_run, nasty):
    view = format_notebook_view(made_run, nasty)
    page = LexborHTMLParser(view)
    assert not page.css("script, img, iframe, a, form")
    assert len(page.css("style")) == 1
    assert not [name for node in page.css("*") for name in node.attributes if name.startswith("on")]


def test_a_notebook_shows_counts_and_differences(made_run, made_checked):
    page = LexborHTMLParser(format_notebook_view(made_run, list(made_checked.values())))
    assert len(page.css("tbody tr")) == len(made_checked)
    assert page.css("del")
    assert page.css("ins")
    assert "major" in page.css_first("svg").attributes["aria-label"]


def test_junit_is_well_formed_and_counts(made_run, nasty):
    root = etree.fromstring(_report("junit", made_run, nasty).encode("utf-8", "replace"))
    cases = root.findall(".//testcase")
    assert int(root.get("tests")) == len(cases) == len(nasty) + 1
    assert int(root.get("failures")) == len(root.findall(".//failure")) == 3
    skipped = sum(int(suite.get("skipped")) for suite in root.findall("testsuite"))
    assert skipped == len(root.findall(".//skipped")) == 2
    assert not root.findall(".//evil")


def test_sarif_has_what_readers_of_it_need(made_run, nasty):
    log = json.loads(_report("sarif", made_run, nasty))
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(run["results"]) == 7  # five references that are not EXACT, one finding, one problem
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert not set(uri) & set(' "<>\\^`{|}\n\r\t')
        assert not uri.startswith("javascript:")


def test_csv_keeps_its_shape_and_holds_no_formula(made_run, nasty):
    rows = list(csv.reader(io.StringIO(_report("csv", made_run, nasty), newline=""), strict=True))
    assert rows[0] == list(COLUMNS)
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert len(rows) == len(nasty) + 1
    assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r", "＝")]


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", "＠x", "  =1"])
def test_formulas_are_disarmed(cell):
    assert defuse_formula(cell) == "'" + cell


def test_raw_csv_is_as_the_document_has_it(made_run, made_checked):
    one = _said(made_checked["exact"], "=1")
    rows = list(csv.reader(io.StringIO("".join(Csv(raw=True).report(ReferenceReport(made_run, [one]))))))
    assert rows[1][COLUMNS.index("title")] == "=1"


def test_bibtex_and_ris_have_one_entry_a_reference(made_run, nasty):
    assert sum(line.startswith("@") for line in _report("bibtex", made_run, nasty).splitlines()) == len(nasty)
    ris = _report("ris", made_run, nasty).split("\r\n")
    assert sum(line.startswith("TY  - ") for line in ris) == len(nasty)
    assert sum(line.startswith("ER  - ") for line in ris) == len(nasty)


def test_csl_is_an_array_with_what_was_found(made_run, made_checked):
    items = json.loads(_report("csl", made_run, made_checked.values()))
    assert [item["id"] for item in items] == [one.reference.key for one in made_checked.values()]
    assert items[1]["custom"]["citeproof"][0].startswith("MINOR matched")
    assert json.loads(_report("csl", made_run, [])) == []


def test_a_page_has_no_line_in_sarif(made_run, made_checked):
    one = made_checked["mismatch"]
    one = replace(one, reference=replace(one.reference, place=Place("paper.pdf", page=12)))
    result = json.loads(_report("sarif", made_run, [one]))["runs"][0]["results"][0]
    assert "region" not in result["locations"][0]["physicalLocation"]
    assert result["locations"][0]["logicalLocations"] == [{"name": "page 12"}]
