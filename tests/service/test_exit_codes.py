"""What a run ends with, for every mix of outcomes."""

from __future__ import annotations

import pytest

from citeproof.service.batch.batch_output import BatchTotals
from citeproof.service.exit_codes import Exit, RunOutcome


@pytest.mark.parametrize(
    ("seen", "lost", "code"),
    [
        ([], 0, Exit.NOTHING),
        ([], 1, Exit.UNCHECKED),
        (["exact"], 0, Exit.CLEAN),
        (["exact"], 1, Exit.UNCHECKED),
        (["exact", "unchecked"], 0, Exit.UNCHECKED),
        (["exact", "minor"], 0, Exit.PROBLEMS),
        (["not_found"], 0, Exit.PROBLEMS),
        (["unchecked", "mismatch"], 1, Exit.PROBLEMS),
    ],
)
def test_exit_code(seen, lost, code, made_checked):
    outcome = RunOutcome(lost=lost)
    passed = list(outcome.watch(made_checked[name] for name in seen))
    assert passed == [made_checked[name] for name in seen]
    assert outcome.code() is code


@pytest.mark.parametrize(
    ("seen", "fail_on", "code"),
    [
        (["unchecked"], {"minor"}, Exit.UNCHECKED),
        (["unchecked"] * 3, set(), Exit.UNCHECKED),
        (["unchecked", "exact"], {"minor"}, Exit.CLEAN),
        (["unchecked", "not_found"], {"minor"}, Exit.PROBLEMS),
        (["unchecked", "not_found"], set(), Exit.CLEAN),
    ],
)
def test_a_run_that_decided_nothing_never_passes(seen, fail_on, code, made_checked):
    outcome = RunOutcome(fail_on=frozenset(fail_on))
    list(outcome.watch(made_checked[name] for name in seen))
    assert outcome.code() is code
    totals = BatchTotals(references=len(seen), failing=outcome.failing, open=seen.count("unchecked"))
    totals.labels["none"] = seen.count("unchecked")
    assert totals.choose_exit(sorted(fail_on)) is code


def test_codes_are_the_contract():
    assert [int(code) for code in Exit][:5] == [0, 1, 2, 3, 4]
