"""Every format against its golden files. `CITEPROOF_GOLDEN=write` in the environment makes them anew."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.corpus.reports.making import (
    CLEAN,
    CODE,
    CORPUS,
    EVERY,
    FORMATS,
    HEAD,
    NOTED,
    NOTICED,
    UNREAD,
    alone,
    told,
)  # fmt: skip

from citeproof.answers.reporters import base
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.reporters.report_model import Selection
from citeproof.answers.reporters.terminal import Terminal
from citeproof.errors import UsageError

GOLDEN = Path(__file__).parent / "golden"


def _same_as_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("CITEPROOF_GOLDEN") == "write":
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()  # bytes: some formats end their lines with CR LF


@pytest.mark.parametrize("word", base.list_formats())
def test_references(word, made_run, made_checked):
    text = "".join(base.get_reporter(word).report(ReferenceReport(made_run, made_checked.values())))
    _same_as_golden(f"report.{word}", text)


def test_references_in_colour(made_run, made_checked):
    report = ReferenceReport(made_run, made_checked.values())
    _same_as_golden("report.colour.txt", "".join(Terminal(colour=True, width=60).report(report)))


@pytest.mark.parametrize("selection", Selection)
def test_references_by_selection(selection, made_run, made_checked):
    report, verbose = ReferenceReport(made_run, made_checked.values()), selection is Selection.ALL
    text = "".join(Terminal(selection=selection, verbose=verbose).report(report))
    _same_as_golden(f"selection/{selection}.txt", text)


@pytest.mark.parametrize("word", base.list_formats())
def test_references_with_a_note(word, made_run, made_noted):
    text = "".join(base.get_reporter(word).report(ReferenceReport(made_run, made_noted)))
    _same_as_golden(f"noted/report.{word}", text)


def test_notes_are_folded_and_one_flag_away(made_run, made_noted):
    made_run = replace(made_run, problems=(), expected=None)
    folded, shown = (
        "".join(Terminal(selection=selection).report(ReferenceReport(made_run, made_noted)))
        for selection in (Selection.BRIEF, Selection.NOTES)
    )
    assert folded.splitlines()[:3] == [
        "≈ 2 matched with a note: --notes shows them",
        "",
        "3 references: 1 exact, 2 with a note, 0 minor, 0 major, 0 could not be checked",
    ]
    assert shown.count("≈ NOTED matched") == 2
    assert "The published version differs: please check" in shown
    assert "Citation and record differ: please check" in shown
    assert "--notes" not in shown
    _same_as_golden("noted/notes.txt", shown)


@pytest.mark.parametrize("word", FORMATS)
def test_documents(word):
    _same_as_golden(
        f"corpus/report.{word}", "".join(base.get_reporter(word).report(told(NOTICED, iter(EVERY))))
    )


def test_documents_in_colour():
    text = "".join(Terminal(colour=True, width=60).report(told(NOTICED, iter(EVERY))))
    _same_as_golden("corpus/report.colour.txt", text)


RUNS = {
    "corpus": (alone(), [CORPUS]),
    "code": (alone(), [CODE]),
    "clean": (alone(), [CLEAN]),
    "unread": (alone(), [UNREAD]),
    "several-clean": (replace(HEAD, files=2), [CLEAN, CLEAN]),
    "empty": (replace(HEAD, files=0), []),
    "strict": (replace(alone(NOTICED), strict=True, mode="rlm"), [NOTED]),
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("word", ["md", "text"])
def test_run_over_documents(word, name):
    head, results = RUNS[name]
    text = "".join(base.get_reporter(word).report(told(head, iter(results))))
    _same_as_golden(f"corpus/{name}.{word}", text)


@pytest.mark.parametrize("word", FORMATS)
def test_empty_run_has_a_report_in_every_format(word):
    assert "".join(base.get_reporter(word).report(told(replace(HEAD, files=0), iter(()))))


@pytest.mark.parametrize("word", base.list_formats())
def test_reporter_is_named_like_its_file(word):
    reporter = base.get_reporter(word)
    assert base.SHORT.get(reporter.name, reporter.name) == word


def test_every_format_has_its_golden_files_and_every_golden_file_its_format():
    for folder, words in ((GOLDEN, base.list_formats()), (GOLDEN / "corpus", FORMATS)):
        assert {path.suffix[1:] for path in folder.glob("report.*")} - {"txt"} == set(words)


@pytest.mark.parametrize("word", ["words", "wording", "base", "report_model", "terminal", "", "../json"])
def test_unknown_format_names_the_known_ones(word):
    with pytest.raises(UsageError, match="known formats: " + ", ".join(base.list_formats())):
        base.get_reporter(word)
