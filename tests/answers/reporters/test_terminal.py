"""Lines of a terminal: never wider than it, in any script."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.reporters.report_model import Selection
from citeproof.answers.reporters.terminal import Terminal
from citeproof.answers.reporters.terminal.screen_text import wrap_text
from citeproof.vocabulary import Finding, FindingLevel, FindingState, Mismatch, Reason


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("a b c", 3, ["a b", "c"]),
        ("abcdef", 3, ["abc", "def"]),
        ("well-known fact", 12, ["well-known", "fact"]),
        ("注意力机制", 6, ["注意力", "机制"]),
        ("注意 力 x", 6, ["注意", "力 x"]),
    ],
)
def test_wrapped(text, width, lines):
    assert wrap_text(text, width) == lines


@given(st.text(st.characters(categories=("L", "N", "P", "Zs")), max_size=200), st.integers(4, 40))
def test_wrapped_loses_nothing_and_fits(text, width):
    lines = wrap_text(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_block_says_each_thing_once(made_run, made_checked):
    every = Terminal(width=200, selection=Selection.ALL, verbose=True)
    report = "".join(every.report(ReferenceReport(made_run, made_checked.values())))
    for name in ("minor", "mismatch", "not_found", "unchecked"):
        one = made_checked[name]
        block = report.partition(f"  {one.reference.key}  ")[2].partition("\n\n")[0]
        facts = [wording.format_title(one)] if name != "minor" else []  # its title begins the record's
        facts += [value for m in one.mismatches for value in (m.claimed, m.resolved) if m.field != "year"]
        facts += [one.record.id, one.record.title] if one.record else []
        assert {fact: block.count(fact) for fact in facts} == dict.fromkeys(facts, 1)


@pytest.mark.parametrize("width", [72, 100, 120])
def test_no_line_is_wider_than_the_terminal(width, made_run, made_checked):
    report = "".join(Terminal(width=width).report(ReferenceReport(made_run, made_checked.values())))
    assert max(cell_len(line) for line in report.splitlines()) <= width


def test_notes_about_references_in_order_are_one_line(made_run, made_checked):
    note = Finding("preprint_published", FindingState.FINDING, "in ACL", "made", level=FindingLevel.NOTE)
    some = [replace(made_checked["exact"], findings=(note,)) for _ in range(3)]
    told = "".join(Terminal().report(ReferenceReport(made_run, some)))
    assert "preprint published: 3 references" in told
    assert "in ACL" not in told
    every = "".join(Terminal(selection=Selection.ALL).report(ReferenceReport(made_run, some)))
    assert every.count("in ACL") == 3


@pytest.mark.parametrize("name", ["exact", "minor"])
def test_all_details_show_what_is_only_noted(name, made_run, made_checked):
    noted = Mismatch("year", "1999", "2014", 0.0, Reason.OFF)
    one = made_checked[name]
    one = replace(one, judgement=replace(one.judgement, notes=(noted,)))
    for verbose in (True, False):
        shown = Terminal(width=200, selection=Selection.ALL, verbose=verbose)
        told = "".join(shown.report(ReferenceReport(made_run, [one])))
        assert ("note: year: cited 1999; the record has 2014 (off; " in told) is verbose
