"""What the status line says, where it is drawn, and what Ctrl-C leaves behind."""

from __future__ import annotations

import signal
import sys
from collections import Counter
from io import StringIO
from types import SimpleNamespace

import pytest

from citeproof.service.batch.batch_run import BatchProgress
from citeproof.surfaces.cli import batch, status_line
from citeproof.surfaces.cli.check import Interruption
from citeproof.surfaces.cli.status_line import CLEAR, StatusLine, format_seconds
from citeproof.vocabulary import Label

LONG = "checking: 120 of 1,200 · 100 exact · 3 with problems · about 90 s left"
LONG += " · waiting for arxiv, crossref, dblp (its turn) and 1 more"


class Screen(StringIO):
    def isatty(self):
        return True


@pytest.fixture
def interruptible():
    """Let Ctrl-C through, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("labels", "waiting", "said"),
    [
        ({}, {}, "checking: 0 of 1,200"),
        ({}, {"crossref": ""}, "checking: 0 of 1,200 · waiting for crossref"),
        ({None: 2}, {}, "checking: 2 of 1,200 · 0 exact"),
        (
            {Label.EXACT: 100, Label.MINOR: 1, Label.MAJOR: 2, None: 17},
            {"dblp": "its turn", "arxiv": "", "crossref": "", "openalex": ""},
            LONG,
        ),
    ],
)
def test_line(labels, waiting, said):
    line = StatusLine(1200, Counter(labels), lambda: waiting, shown=False)
    assert line.describe(10.0).replace("2 min", "90 s") == said


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (80, "checking: 0 of 9 · waiting for arxiv, crossref (its turn), dblp and 1 more"),
        (70, "checking: 0 of 9 · waiting for arxiv, crossref (its turn) and 2 more"),
        (60, "checking: 0 of 9 · waiting for arxiv and 3 more"),
        (40, "checking: 0 of 9 · waiting for 4 sources"),
        (30, "checking: 0 of 9"),
    ],
)
def test_narrow_line_names_fewer_sources(width, said):
    waiting = {"arxiv": "", "crossref": "its turn", "dblp": "", "openalex": ""}
    assert StatusLine(9, Counter(), lambda: waiting, shown=False).describe(1.0, width) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 s"), (89, "89 s"), (95, "2 min"), (3600, "1 h 0 min"), (7800, "2 h 10 min")],
)
def test_time_as_a_person_says_it(seconds, said):
    assert format_seconds(seconds) == said


@pytest.mark.parametrize(("screen", "shown", "drawn"), [(Screen(), True, True), (Screen(), False, False)])
def test_report_and_line_do_not_mix(screen, shown, drawn, monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen)
    written: list[str] = []
    with StatusLine(3, Counter(), dict, shown=shown) as line:
        write = line.write_around(written.append)
        for _ in range(6000 if drawn else 50):
            if "checking" in screen.getvalue() or line._end.wait(0.01):
                break
        write("a block\n")
        line.print_above("asked crossref")
    assert written == ["a block\n"]
    assert ("checking: 0 of 3" in screen.getvalue()) is drawn
    assert "asked crossref\n" in screen.getvalue()
    assert screen.getvalue().endswith("\r\x1b[K" if drawn else "asked crossref\n")


@pytest.mark.usefixtures("interruptible")
def test_first_ctrl_c_ends_the_iteration_and_the_second_the_program():
    closed: list[bool] = []

    def things():
        try:
            yield from range(10)
        finally:
            closed.append(True)

    with Interruption() as interruption:
        seen = []
        for one in interruption.watch(things()):
            seen.append(one)
            if one == 3:
                signal.raise_signal(signal.SIGINT)  # while the caller works: what it has is not lost
        assert (seen, interruption.asked, closed) == ([0, 1, 2, 3], True, [True])
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_waiting_ends_the_iteration():
    def things():
        yield 0
        signal.raise_signal(signal.SIGINT)
        yield 1

    with Interruption() as interruption:
        assert list(interruption.watch(things())) == [0]
        assert interruption.asked


def test_the_line_of_a_batch_is_no_wider_than_the_terminal(monkeypatch):
    terminal = StringIO()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(batch, "can_clear_lines", lambda: True)
    monkeypatch.setattr(status_line, "measure_terminal", lambda: 60)
    moments = iter((0.0, 1.0))
    line = batch.BatchProgressLine(clock=SimpleNamespace(elapsed=lambda: next(moments)))
    line.tell(BatchProgress(total=7_000, done=5_000, kept=200, references=90_000, problems=900, unchecked=80))
    assert len(terminal.getvalue().removeprefix(CLEAR)) <= 60
    assert terminal.getvalue().startswith(f"{CLEAR}5,000 of 7,000 documents")
