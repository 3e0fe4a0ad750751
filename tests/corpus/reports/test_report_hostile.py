"""Hostile text in a corpus report stays text, and each file is well formed."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pyromark
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from rich.cells import cell_len
from selectolax.lexbor import LexborHTMLParser

from citeproof.answers.reporters import base, wording
from citeproof.answers.reporters.csv import Csv
from citeproof.answers.reporters.markdown import format_code_span
from citeproof.answers.reporters.sarif import make_uri
from citeproof.answers.reporters.terminal import Terminal
from citeproof.corpus.corpus_types import CorpusLayout, load_rules
from citeproof.corpus.page import read_page
from citeproof.corpus.reports.report_rows import COLUMNS
from tests.corpus.reports.making import CLEAN, CORPUS, EVERY, HEAD, HOSTILE, NOTICED, alone, hostile, told

OPTIONS = (
    pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES | pyromark.Options.ENABLE_STRIKETHROUGH
)
FORBIDDEN = {"\x00", "\x07", "\x1b", "\r", "\u200b", "\u2028", "\u2029", "\u202e", "\u2066", "\x9b"}


@pytest.fixture(params=HOSTILE, ids=range(len(HOSTILE)))
def nasty(request) -> str:
    return request.param


def _report(form: str, text: str, *, files: int = 3) -> str:
    head = replace(HEAD, files=files, root=text, troubles=(text,), fixed=((text, 2),))
    results = [hostile(text), CLEAN, replace(CLEAN, file=text)][:files]
    return "".join(base.get_reporter(form).report(told(head, iter(results))))


def _shape(markdown: str) -> list[str]:
    """Return the tags of a document in order; what stands between them left out."""
    found = []
    for event in pyromark.events(markdown, options=OPTIONS):
        if isinstance(event, dict):
            (kind, inside), *_ = event.items()
            found.append(
                f"{kind} {inside if kind != 'Start' else json.dumps(inside)}"
                if kind in ("Start", "End")
                else kind
            )
    return found


def _prose(markdown: str) -> str:
    """Return all text of a document that stands in no code span and no fence."""
    found, fenced = [], False
    for event in pyromark.events(markdown, options=OPTIONS):
        if isinstance(event, dict):
            fenced = ("CodeBlock" in json.dumps(event["Start"])) if "Start" in event else fenced
            fenced = False if "End" in event and event["End"] == "CodeBlock" else fenced
            found += (
                [] if fenced else [event[kind] for kind in ("Text", "Html", "InlineHtml") if kind in event]
            )
    return "\n".join(found)


@pytest.mark.parametrize("files", [1, 3])
def test_markdown_has_the_shape_of_our_own_words(nasty, files):
    assert _shape(_report("md", nasty, files=files)) == _shape(_report("md", "plain words", files=files))


@pytest.mark.parametrize("files", [1, 3])
def test_markdown_says_nothing_hostile_outside_of_code(nasty, files):
    prose = _prose(_report("md", nasty, files=files))
    assert "Citation Verification Report" in prose
    assert prose == _prose(_report("md", "plain words", files=files))


@pytest.mark.parametrize("files", [1, 3])
def test_a_report_of_a_report_finds_nothing(nasty, files):
    page = read_page(_report("md", nasty, files=files), CorpusLayout())
    assert (page.marks, page.claims, page.quotes, page.pages) == ((), (), (), ())


def test_what_the_report_is_about_would_be_found():
    page = read_page(
        "\n\n".join(text for text in HOSTILE if "REF-001" in text or "studies" in text), CorpusLayout()
    )
    assert len(page.marks) >= 5
    assert page.claims
    assert page.quotes


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a", "`a`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("a``", "``` a`` ```"),
        ("a\n\n# b", "`a # b`"),
        ("a|b\\", "`a|b\\`"),
        ("", "`  `"),
    ],
)
def test_code_span(text, span):
    assert format_code_span(text) == span


_ODD = st.text(
    st.one_of(st.sampled_from("`\\ \n|<>&[]()*_#\u202e"), st.characters()), min_size=1, max_size=60
)


@given(_ODD)
def test_any_text_is_one_code_span(text):
    events = [
        event for event in pyromark.events(f"- x: {format_code_span(text)}\n") if isinstance(event, dict)
    ]
    (found,) = [event["Code"] for event in events if "Code" in event]
    assert found.strip() == wording.show_line(text)
    assert [event["Text"] for event in events if "Text" in event] == ["x: "]


@given(_ODD)
def test_any_text_leaves_the_shape_of_the_report(text):
    """A name in which nothing can be read stands as it is, any other in a code span."""
    plain = [_shape(_report("md", words, files=1)) for words in ("plain words", "plain")]
    assert _shape(_report("md", text, files=1)) in plain


@given(_ODD)
def test_any_text_gives_well_formed_files(text):
    etree.fromstring(_report("junit", text).encode())
    json.loads(_report("json", text))
    json.loads(_report("sarif", text))
    rows = csv.reader(io.StringIO(_report("csv", text), newline=""), strict=True)
    assert {len(row) for row in rows} == {len(COLUMNS)}


@pytest.mark.parametrize("form", ["md", "text", "html", "junit", "csv", "sarif"])
def test_no_control_reaches_a_person(form, nasty):
    report = _report(form, nasty)
    assert not (FORBIDDEN - ({"\r"} if form == "csv" else set())) & set(report)
    report.encode()  # no half characters


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_no_control_reaches_a_program(form, nasty):
    report = _report(form, nasty)
    assert not {"\x00", "\x07", "\x1b", "\r"} & set(report)
    report.encode()


@pytest.mark.parametrize("width", [40, 72, 100])
@pytest.mark.parametrize("colour", [False, True])
def test_terminal_forges_no_frame(nasty, width, colour):
    head = replace(HEAD, files=1, root=nasty, troubles=(nasty,), fixed=((nasty, 2),))
    report = "".join(Terminal(colour=colour, width=width).report(told(head, iter([hostile(nasty)]))))
    assert report.count("\x1b[2J") == 0
    lines = report.splitlines()
    assert max(cell_len(line) for line in lines) <= width or colour
    starts = ("BLOCKED:", "WARNING:", "NOTE:", "Status:", "Summary:", "RLM Citations:", "STALE")
    plain = "".join(Terminal(width=width).report(told(head, iter([hostile("plain words")])))).splitlines()
    if not colour:
        said = [line for line in lines if line.startswith(starts)]
        assert said == [line for line in plain if line.startswith(starts)]


def test_html_holds_only_our_own_markup(nasty):
    usual = LexborHTMLParser(_report("html", "plain words"))
    page = LexborHTMLParser(_report("html", nasty))
    assert [node.tag for node in page.css("*")] == [node.tag for node in usual.css("*")]
    assert {name for node in page.css("*") for name in node.attributes} <= {
        "lang", "charset", "http-equiv", "content", "name", "class", "aria-label", "type", "id", "checked",
        "open",
    }  # fmt: skip
    assert len(page.css("style")) == 1


def test_junit_is_well_formed_and_counts(nasty):
    root = etree.fromstring(_report("junit", nasty).encode())
    assert int(root.get("tests")) == len(root.findall(".//testcase")) == 7
    assert int(root.get("failures")) == len(root.findall(".//failure")) == 1
    suites = root.findall("testsuite")
    assert sum(int(suite.get("skipped")) for suite in suites) == len(root.findall(".//skipped")) == 4
    assert not root.findall(".//evil")
    for suite in root.findall("testsuite"):
        assert int(suite.get("tests")) == len(suite.findall("testcase"))


def test_sarif_has_what_readers_of_it_need(nasty):
    (run,) = json.loads(_report("sarif", nasty))["runs"]
    table = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert table == [*load_rules(), "document-unreadable"]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note", "warning"]
    prints = [result["partialFingerprints"]["citeproof/corpus/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    for result in run["results"]:
        assert table[result["ruleIndex"]] == result["ruleId"]
        physical = result["locations"][0]["physicalLocation"]
        assert not set(physical["artifactLocation"]["uri"]) & set(' "<>\\^`{|}\n\r\t:')
        region = physical["region"]
        assert 1 <= region["startLine"] <= region["endLine"]
        assert (region["startLine"], region["startColumn"]) < (region["endLine"], region["endColumn"])


@pytest.mark.parametrize(
    ("file", "address"),
    [
        ("docs/a b.md", "docs/a%20b.md"),
        ("/tmp/ä.md", "file:///tmp/%C3%A4.md"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
        ("caf\udce9.md", "caf%E9.md"),  # a name on disk that is no UTF-8 leads to its file
        ("\ud800.md", "%3F.md"),
    ],
)
def test_uri(file, address):
    assert make_uri(file) == address


def test_the_same_issue_twice_has_two_fingerprints():
    twice = replace(CORPUS, issues=(CORPUS.issues[0], replace(CORPUS.issues[0], line=90, end_line=90)))
    (run,) = json.loads("".join(base.get_reporter("sarif").report(told(alone(), iter([twice])))))["runs"]
    one, other = (result["partialFingerprints"] for result in run["results"])
    assert one != other


def test_csv_keeps_its_shape_and_holds_no_formula(nasty):
    rows = list(csv.reader(io.StringIO(_report("csv", nasty), newline=""), strict=True))
    assert rows[0] == list(COLUMNS)
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert (
        len(rows) == 1 + 4 + 1 + 2 + 2
    )  # four citations and an issue of none; two documents of two citations
    formulas = ("=", "+", "-", "@", "\t", "\r", "＝")
    assert not [cell for row in rows for cell in row if cell.lstrip().startswith(formulas)]


def test_raw_csv_is_as_the_document_has_it():
    rows = list(
        csv.reader(io.StringIO("".join(Csv(raw=True).report(told(NOTICED, iter(EVERY)))), newline=""))
    )
    assert rows[1][COLUMNS.index("raw")] == "@.aiwg/research/sources/smith2020.md"
    rows = list(csv.reader(io.StringIO("".join(Csv().report(told(NOTICED, iter(EVERY)))), newline="")))
    assert rows[1][COLUMNS.index("raw")] == "'@.aiwg/research/sources/smith2020.md"
