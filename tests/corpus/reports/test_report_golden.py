"""Every corpus report against its golden file. `CITEPROOF_GOLDEN=write` in the environment makes them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from citeproof.corpus.nouns import Counts
from citeproof.corpus.reports.figures import has_failed
from citeproof.errors import UsageError
from citeproof.reporters import base
from citeproof.reporters.base import SHORT
from citeproof.reporters.terminal import Terminal
from citeproof.surfaces.corpora import cited_works
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
)

GOLDEN = Path(__file__).parent / "golden"


def _same_as_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("CITEPROOF_GOLDEN") == "write":
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()  # bytes: some formats end their lines with CR LF


@pytest.mark.parametrize("word", FORMATS)
def test_report(word):
    _same_as_golden(f"report.{word}", "".join(base.get_reporter(word).report(told(NOTICED, iter(EVERY)))))


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
def test_run(word, name):
    head, results = RUNS[name]
    _same_as_golden(f"{name}.{word}", "".join(base.get_reporter(word).report(told(head, iter(results)))))


@pytest.mark.parametrize("word", FORMATS)
def test_empty_run_has_a_report_in_every_format(word):
    assert "".join(base.get_reporter(word).report(told(replace(HEAD, files=0), iter(()))))


def test_report_in_colour():
    text = "".join(Terminal(colour=True, width=60).report(told(NOTICED, iter(EVERY))))
    _same_as_golden("report.colour.txt", text)


def test_formats_are_the_files_of_the_room():
    assert set(base.list_formats()) == {*FORMATS, *cited_works.FORMATS}


@pytest.mark.parametrize("word", cited_works.FORMATS)
def test_formats_of_references_refuse_documents(word):
    with pytest.raises(UsageError, match="references only"):
        list(base.get_reporter(word).report(told(HEAD, ())))


@pytest.mark.parametrize("word", FORMATS)
def test_reporter_is_named_like_its_file(word):
    reporter = base.get_reporter(word)
    assert SHORT.get(reporter.name, reporter.name) == word


@pytest.mark.parametrize(
    ("counts", "fails"), [(Counts(), False), (Counts(warnings=3), False), (Counts(errors=1), True)]
)
def test_errors_fail(counts, fails):
    assert has_failed(counts) is fails
