"""Every reporter against its golden file. `CITEPROOF_GOLDEN=write` in the environment makes them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citeproof.errors import UsageError
from citeproof.reporters import base
from citeproof.reporters.reference_report import ReferenceReport
from citeproof.reporters.terminal import Terminal

GOLDEN = Path(__file__).parent / "golden"


FORMATS = ("bibtex", "csl", "csv", "html", "json", "jsonl", "junit", "md", "ris", "sarif", "text")


def _same_as_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("CITEPROOF_GOLDEN") == "write":
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()  # bytes: some formats end their lines with CR LF


@pytest.mark.parametrize("word", base.list_formats())
def test_report(word, made_run, made_checked):
    text = "".join(base.get_reporter(word).report(ReferenceReport(made_run, made_checked.values())))
    _same_as_golden(f"report.{word}", text)


def test_report_in_colour(made_run, made_checked):
    text = "".join(Terminal(colour=True, width=60).report(ReferenceReport(made_run, made_checked.values())))
    _same_as_golden("report.colour.txt", text)


def test_formats_are_the_files_of_the_room():
    assert base.list_formats() == FORMATS


@pytest.mark.parametrize("word", ["words", "wording", "base", "report_model", "terminal", "", "../json"])
def test_unknown_format_names_the_known_ones(word):
    with pytest.raises(UsageError, match="known formats: " + ", ".join(FORMATS)):
        base.get_reporter(word)
