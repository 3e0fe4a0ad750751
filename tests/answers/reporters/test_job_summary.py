"""The summary of a CI job: short, whatever the report holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.answers.reporters.base import get_reporter
from citeproof.answers.reporters.job_summary import MOST_ROWS
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.vocabulary import FailOn


def _summarise(run, checked, **more):
    return "".join(get_reporter("summary").report(ReferenceReport(run, checked, **more)))


def test_a_large_report_fits_into_the_summary_of_a_step(made_run, made_checked):
    long = replace(
        made_checked["hostile"], reference=replace(made_checked["hostile"].reference, key="k" * 5_000)
    )
    text = _summarise(made_run, [*[made_checked["not_found"]] * 30_000, *[long] * 30_000])
    assert len(text.encode()) < 1 << 20
    assert "## citeproof: 30,001 problems, 30,000 of which fail the run" in text
    assert f"{30_001 - MOST_ROWS:,} more problems: see the full report." in text


def test_nothing_wrong(made_run, made_checked):
    run = replace(made_run, problems=())
    assert _summarise(run, [made_checked["exact"]]).startswith("## citeproof: no problems\n")
    assert _summarise(run, []) == "## citeproof: no problems\n"


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (["unchecked"], "nothing could be checked"),
        (["unchecked", "unchecked"], "nothing could be checked"),
        (["exact", "unchecked"], "no problems, 1 could not be checked"),
    ],
)
def test_a_run_that_decided_nothing_has_not_shown_that_there_are_no_problems(
    seen, told, made_run, made_checked
):
    def write(name):
        report = ReferenceReport(replace(made_run, problems=()), [made_checked[each] for each in seen])
        return "".join(get_reporter(name).report(report))

    assert write("summary").startswith(f"## citeproof: {told}\n")
    counted = told.replace("no", "0", 1) if "problems" in told else told
    assert f"::{counted}; checked against" in write("github")


def test_what_does_not_fail_is_told_but_not_counted_as_failing(made_run, made_checked):
    run = replace(made_run, problems=())
    text = _summarise(run, [replace(made_checked["minor"], findings=())], fail_on=frozenset({FailOn.MAJOR}))
    assert text.startswith("## citeproof: 1 problem, 0 of which fail the run\n")
