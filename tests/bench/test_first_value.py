"""Journeys of users to something of use: a sample, with the number of commands and pages that is allowed."""

from __future__ import annotations

import pytest

from bench import first_value
from tests.browser.chrome import CHROMIUM
from tests.journeys.conftest import examples_snapshot as examples_snapshot  # noqa: PLC0414 - the same fixture
from tests.journeys.tmux_terminal import TMUX

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(TMUX is None or CHROMIUM is None, reason="needs tmux and Chromium"),
]


@pytest.mark.parametrize(
    "name", ["chair", "engineer", "librarian", "newcomer", "operator", "reader", "scientist"]
)
def test_a_journey_ends_with_something_of_use(name, examples_snapshot):
    visit = first_value.take(name, examples_snapshot)
    target = first_value.JOURNEYS[name][2]
    assert 0 < visit.commands <= (target.commands or 2)
    assert visit.pages <= (target.pages or 1)


def test_a_journey_without_value_fails(examples_snapshot, monkeypatch):
    monkeypatch.setattr(
        first_value, "LATEX", r"\documentclass{article}\begin{document}Nothing.\end{document}"
    )
    with pytest.raises(AssertionError, match="is not in"):
        first_value.take("author", examples_snapshot)
