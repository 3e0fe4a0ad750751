"""What corpus reports say: the schema, the words of the contract, sums, and how little they hold."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from citeproof.answers.reporters import base
from citeproof.answers.reporters.report_model import CorpusReportHead, format_flagged_lists
from citeproof.answers.reporters.terminal.document_text import NOTES
from citeproof.corpus.corpus_types import (
    Counts,
    DocumentResult,
    Drift,
    Freshness,
    LineChange,
    Pattern,
    Status,
    load_rules,
    shorten_result,
)
from citeproof.corpus.reports import figures
from citeproof.corpus.reports.figures import CorpusTally, format_status, has_failed, list_recommendations
from citeproof.corpus.reports.report_rows import COLUMNS, CorpusRunReport
from tests.corpus.reports.making import (
    BARE,
    CLEAN,
    CODE,
    CORPUS,
    EVERY,
    FORMATS,
    HEAD,
    HOSTILE,
    NOTED,
    NOTICED,
    UNREAD,
    alone,
    cited,
    code,
    hostile,
    issue,
    result,
    told,
)

SCHEMA = json.loads(Path("docs/spec/corpus-report.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def _report(form: str, *results: DocumentResult, head: CorpusReportHead = HEAD) -> str:
    return "".join(base.get_reporter(form).report(told(replace(head, files=len(results)), iter(results))))


def _tally(*results: DocumentResult) -> CorpusTally:
    tally = CorpusTally()
    for one in results:
        tally.add(one)
    return tally


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "results", [EVERY, (), (BARE,), (UNREAD,), *((hostile(text),) for text in HOSTILE)], ids=lambda _: ""
)
def test_json_is_valid(results):
    report = json.loads(_report("json", *results, head=NOTICED))
    VALIDATOR.validate(report)
    assert [one["file"] for one in report["files"]] == [
        one.file.encode("utf-8", "replace").decode() for one in results
    ]


def test_schema_refuses_what_is_not_in_it():
    report = json.loads(_report("json", CORPUS))
    report["files"][0]["citations"][0]["status"] = "guessed"
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(report)


def test_sums_of_json():
    report = json.loads(_report("json", *EVERY))
    assert report["status"] == "FAIL"
    for key, value in report["summary"].items():
        if key not in ("files", "unread", "confidence"):
            assert value == sum(one["summary"][key] for one in report["files"]), key
    assert report["summary"]["files"] == len(EVERY)
    assert report["summary"]["confidence"] == round(
        report["summary"]["verified"] / report["summary"]["total"], 4
    )
    assert sum(report["rlm"].values()) == 2 * report["rlm"]["total"]
    assert json.loads(_report("json"))["summary"]["confidence"] == 1.0


def test_jsonl_holds_the_same_as_json():
    whole = json.loads(_report("json", *EVERY, head=NOTICED))
    lines = [json.loads(line) for line in _report("jsonl", *EVERY, head=NOTICED).splitlines()]
    for kind, key in (("citation", "citations"), ("issue", "issues")):
        mine = [
            {k: v for k, v in one.items() if k not in ("record", "file")}
            for one in lines
            if one["record"] == kind
        ]
        assert mine == [one for file in whole["files"] for one in file[key]]
    assert [one["file"] for one in lines if one["record"] == "file"] == [
        one["file"] for one in whole["files"]
    ]
    last = lines[-1]
    assert last.pop("record") == "summary"
    assert last == {key: value for key, value in whole.items() if key != "files"}


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (Counts(), "PASS"),
        (Counts(warnings=4, infos=2), "PASS"),
        (Counts(errors=1), "FAIL (1 issue)"),
        (Counts(errors=2), "FAIL (2 issues)"),
    ],
)
def test_status(counts, words):
    assert format_status(counts) == words


@pytest.mark.parametrize(
    ("counts", "fails"), [(Counts(), False), (Counts(warnings=3), False), (Counts(errors=1), True)]
)
def test_errors_fail(counts, fails):
    assert has_failed(counts) is fails


def test_a_pass_says_what_could_not_be_read():
    assert format_status(Counts(), 2) == "PASS (2 documents could not be read)"
    for form in ("md", "text", "html"):
        assert "PASS (1 document could not be read)" in _report(form, CLEAN, UNREAD)
    assert json.loads(_report("json", UNREAD))["files"][0]["status"] == "UNCHECKED"


def test_the_block_of_code_citations_has_the_words_of_the_contract():
    stale = "a8f9c2d4e5f60718"
    shown = result(
        "a.md",
        (
            code("src/auth/login.ts", 1, Freshness.STALE, Status.INCONSISTENT, hash=stale, lines="L42-58",
                 current="f3b2c1d4e5a60718"),
            code("src/legacy/auth.py", 2, Freshness.UN_VERSIONED, Status.MALFORMED, lines="L88"),
        ),
    )  # fmt: skip
    counts = Counts(code=12, fresh=9, stale=2, un_versioned=1)
    block = [
        *figures.format_totals(counts),
        *format_flagged_lists(figures.list_flagged_citations(shown), places=False),
    ]
    assert "\n".join(block) == (
        "RLM Citations: 12 total\n"
        "✓ Fresh: 9\n"
        "⚠ Stale: 2\n"
        "⚠ Un-versioned: 1\n"
        "✗ Missing: 0\n"
        "STALE citations:\n"
        "- [src/auth/login.ts@a8f9c2d4e5f60718, L42-58]\n"
        "  Current hash: f3b2c1d4e5a60718\n"
        "  File modified since citation emitted\n"
        "UN-VERSIONED citations:\n"
        "- [src/legacy/auth.py, L88]\n"
        "  File exists but no content hash; consider running through aiwg index"
    )
    for form in ("md", "text"):
        assert "\n".join(block[5:]) in _report(form, replace(shown, counts=counts))


def test_the_same_code_citation_is_told_once():
    told = [one.place for one in figures.list_flagged_citations(CODE)]
    assert told == [f"docs/code.md:{line}:5" for line in range(4, 14)]  # not the fresh one, login.ts once


def test_results_without_what_is_right_are_told_alike():
    assert [one.shown for one in figures.list_flagged_citations(shorten_result(CODE))] == [
        one.shown for one in figures.list_flagged_citations(CODE)
    ]
    for form in ("md", "text", "html"):
        assert _report(form, *map(shorten_result, EVERY)) == _report(form, *EVERY)


def test_lines_that_a_stale_file_does_not_have():
    stale = code(
        "a.py", 1, Freshness.STALE, Status.INCONSISTENT, hash="0" * 16, lines="L90", current="1" * 16
    )
    beyond = issue("code-range", 1, stale.raw, "L90 is outside the file, which has 88 lines", cited=0)
    (one,) = figures.list_flagged_citations(result("a.md", (stale,), (beyond,)))
    assert one.section == "STALE"
    assert beyond.message in one.remarks


@pytest.mark.parametrize("change", LineChange)
def test_every_change_is_said(change):
    stale = code("a.py", 1, Freshness.STALE, Status.INCONSISTENT, current="0", drift=Drift(change))
    assert figures.CHANGES[change] in list(figures.format_remarks(stale))


def test_no_block_without_code_citations():
    for form in ("md", "text", "html"):
        assert "RLM" not in _report(form, CORPUS)


def test_recommendations_come_from_what_was_found():
    assert list_recommendations(_tally(CLEAN, BARE)) == ("No action needed.",)
    assert list_recommendations(_tally(NOTED)) == ("No action needed.",)
    (unread, *_) = list_recommendations(_tally(UNREAD, CLEAN))
    assert unread.startswith("Make 1 document readable")
    told = "\n".join(list_recommendations(_tally(CORPUS)))
    assert "Hallucinated Citation (2), GRADE Hedging Violation (1)" in told
    assert "1 citation could not be checked" in told
    assert "--fix to fix 2 issues" in told
    assert "code citation" not in told


def test_advice_is_for_rules_that_are_there():
    table = tomllib.loads(files("citeproof.corpus.reports").joinpath("advice.toml").read_text("utf-8"))
    assert {name for row in table["advice"] for name in row["rules"]} <= set(load_rules())


def test_many_notes_are_counted_only():
    few = replace(NOTED, issues=NOTED.issues * NOTES, counts=Counts(files=1, infos=NOTES))
    many = replace(NOTED, issues=NOTED.issues * (NOTES + 1), counts=Counts(files=1, infos=NOTES + 1))
    assert _report("text", few).count("NOTE:") == NOTES
    shown = _report("text", many)
    assert "NOTE:" not in shown
    assert "No issues." not in shown
    assert re.search(rf"^  Notes +{NOTES + 1}$", shown, re.MULTILINE)


@pytest.mark.parametrize("form", FORMATS)
def test_an_unreadable_document_is_never_silent(form):
    assert "permission denied" in _report(form, CLEAN, UNREAD)


def test_rows_of_csv():
    rows = list(csv.DictReader(io.StringIO(_report("csv", CORPUS, UNREAD), newline="")))
    assert len(rows) == len(CORPUS.citations) + 1 + 1
    assert rows[0]["rule"] == "grade-language"
    assert rows[8]["rule"] == "unassessed-source; stale-source"
    assert (rows[8]["level"], rows[8]["severity"]) == ("warning", "MEDIUM; LOW")
    assert [rows[9][key] for key in ("line", "pattern", "source", "rule")] == [
        "14",
        "",
        "40%",
        "unsourced-statistic",
    ]
    assert [rows[10][key] for key in ("file", "level", "issue")] == [
        "docs/locked.md",
        "warning",
        "permission denied",
    ]
    assert tuple(rows[0]) == COLUMNS


def test_an_issue_whose_citation_was_not_loaded_keeps_its_row():
    bare = replace(CORPUS, citations=())
    rows = list(csv.DictReader(io.StringIO(_report("csv", bare), newline="")))
    assert [row["rule"] for row in rows] == [one.rule for one in CORPUS.issues]


@pytest.mark.parametrize("form", FORMATS)
def test_a_reporter_that_does_not_show_sound_citations_does_not_need_them(form):
    asked = []

    def load(citations: bool) -> tuple[DocumentResult, ...]:
        asked.append(citations)
        return EVERY

    whole = "".join(base.get_reporter(form).report(CorpusRunReport(replace(HEAD, files=len(EVERY)), load)))
    same = _report(form, *map(shorten_result, EVERY)) == whole
    assert asked == [not same]


def _valid(count: int) -> Iterator[DocumentResult]:
    fresh = code("src/a.py", 3, Freshness.FRESH, Status.VERIFIED, hash="0" * 16)
    for n in range(count):
        citations = tuple(replace(fresh, target=f"src/{n}-{m}.py") for m in range(20))
        yield result(f"docs/{n}.md", citations)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_memory_does_not_grow_with_valid_citations(form):
    def peak(count: int) -> int:
        tracemalloc.start()
        for _ in base.get_reporter(form).report(told(replace(HEAD, files=count), _valid(count))):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(5)  # what is loaded once
    each = (peak(120) - peak(20)) / 100
    assert each < 1_000  # bytes a document: at most its name and a line; 20 citations hold 8,000 and more


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "sarif", "text"])
def test_first_results_are_out_before_the_last_are_in(form):
    wrong = replace(CORPUS, file="docs/first.md")
    seen = []

    def results() -> Iterator[DocumentResult]:
        yield wrong
        seen.append("".join(got))
        yield CLEAN

    got: list[str] = []
    for chunk in base.get_reporter(form).report(told(replace(HEAD, files=2), results())):
        got.append(chunk)  # noqa: PERF402 - what came so far is looked at while it comes
    assert "docs/first.md" in seen[0]


def test_patterns_statuses_and_verdicts_are_all_made():
    """The results that the golden files show are of every kind."""
    every = [one for made in EVERY for one in made.citations]
    assert {one.pattern for one in every} == set(Pattern)
    assert {one.status for one in every} == set(Status)
    assert {one.verdict for one in every} - {None} == set(Freshness)
    assert {one.drift.change for one in every if one.drift} == set(LineChange)


def test_strict_report_shows_raised_levels():
    raised = result(
        "a.md",
        (cited(Pattern.REF, "REF-12", Status.MALFORMED, 2),),
        (issue("malformed-ref", 2, "REF-12", "x"),),
    )
    head = replace(alone(), strict=True)
    assert "warnings are errors (--strict)" in "".join(
        base.get_reporter("md").report(told(head, iter([raised])))
    )


@pytest.mark.parametrize(
    ("prefix", "file", "uri"),
    [
        ("", "a.md", "a.md"),
        ("docs/", "a.md", "docs/a.md"),
        ("docs/", "/project/docs/a.md", "docs/a.md"),
        ("", "/elsewhere/a.md", "file:///elsewhere/a.md"),
    ],
)
def test_sarif_names_documents_from_the_root(prefix, file, uri):
    head = replace(HEAD, root="/project", prefix=prefix)
    made = json.loads("".join(base.get_reporter("sarif").report(told(head, [replace(CORPUS, file=file)]))))
    places = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in made["runs"][0]["results"]
    }
    assert places == {uri}
