"""What was remarked while reading is a note; what was lost or doubtful is a problem."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.answers.reporters.base import get_reporter
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.reporters.terminal import Terminal
from citeproof.answers.reporters.wording import describe_completeness
from citeproof.vocabulary import Place, Problem

UNCITED = Problem(Place(file="refs.bib"), "1 entry of refs.bib is never cited and left out: a", note=True)
BROKEN = Problem(Place(file="refs.bib", line=3), "the entry has no key", "write a key")


@pytest.mark.parametrize(
    ("problems", "told"),
    [
        ((), ""),
        ((UNCITED,), "1 note on the documents"),
        ((UNCITED, UNCITED), "2 notes on the documents"),
        ((BROKEN,), "1 problem while reading"),
        ((BROKEN, BROKEN, UNCITED), "2 problems while reading; 1 note on the documents"),
    ],
)
def test_notes_are_not_counted_as_problems(problems, told, made_run):
    run = replace(made_run, problems=problems, expected=None, extracted=None)
    assert describe_completeness(run) == told


def test_a_note_is_marked_as_one(made_run, made_checked):
    report = ReferenceReport(replace(made_run, problems=(UNCITED, BROKEN)), made_checked.values())
    shown = "".join(Terminal(width=100, verbose=True).report(report))
    assert "note: refs.bib: 1 entry" in shown
    assert "! refs.bib:3: the entry has no key" in shown
    marked = "".join(get_reporter("md").report(report))
    assert "- Note: refs.bib: 1 entry" in marked


def test_an_undefined_key_is_said_once_and_not_counted(made_run):
    key = Problem(Place(file="a.tex"), "the key 'zz' is cited but not defined", finding="undefined_key")
    run = replace(made_run, problems=(key,), expected=9, extracted=8)
    assert describe_completeness(run) == ""
    assert describe_completeness(run, keys=True) == "1 cited key has no entry to check"
    assert "counts up to 9" in describe_completeness(replace(run, expected=10))
