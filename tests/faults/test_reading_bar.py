"""A bar while a long document is read, where a person watches; Ctrl-C ends all of it at once."""

import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from citeproof.reading.extractors.base import report_progress
from citeproof.surfaces.cli import status_line
from tests.faults.bombs import pdf
from tests.faults.processes import children, until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def long_document(tmp_path_factory):
    """A document that keeps its reader busy for some seconds."""
    path = tmp_path_factory.mktemp("long") / "long.pdf"
    path.write_bytes(pdf.pdf_million_pages())
    return path


def extract(path):
    return [sys.executable, "-m", "citeproof", "extract", str(path)]


def test_a_long_document_has_a_bar_on_a_terminal(long_document):
    here, there = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    seen = bytearray()
    with subprocess.Popen(extract(long_document), stdout=there, stderr=there, env=environment):
        os.close(there)
        while part := _read(here):
            seen += part
    os.close(here)
    assert b"reading" in seen
    assert b"\x1b[2K" in seen  # wiped when it was done


def test_a_pipe_has_none(long_document):
    done = subprocess.run(extract(long_document), capture_output=True, check=False)
    assert b"reading" not in done.stderr
    assert b"\x1b" not in done.stdout + done.stderr


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes as Linux shows them")
def test_ctrl_c_ends_the_reading_and_its_child(long_document):
    with subprocess.Popen(extract(long_document), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        helper = until(lambda: children(process.pid))[0]
        until(lambda: children(helper))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert (process.returncode, said.strip()) == (130, b"interrupted")
    until(lambda: not Path(f"/proc/{helper}").exists())


class _Screen:
    """Standard error that may be a terminal."""

    def __init__(self, *, watched):
        self._watched = watched

    def isatty(self):
        return self._watched


@pytest.mark.parametrize(
    ("watched", "patience", "told", "drawn"),
    [
        (True, 0.0, [(1, 9), (2, 9)], True),
        (True, 99.0, [(1, 9), (9, 9)], False),
        (True, 0.0, [(1, 1)], False),
        (True, 0.0, [], False),
        (False, 0.0, [(1, 9)], False),
    ],
    ids=["long", "short", "one page", "nothing told", "nobody watches"],
)
def test_the_bar_begins_only_when_somebody_would_wonder(watched, patience, told, drawn, monkeypatch):
    begun = []

    def start(self):
        begun.append(self)

    monkeypatch.setattr("rich.progress.Progress.start", start)
    monkeypatch.setattr("rich.progress.Progress.stop", lambda self: None)
    monkeypatch.setattr(status_line, "_PATIENCE", patience - 0.001)
    monkeypatch.setattr(sys, "stderr", _Screen(watched=watched))
    with status_line.show_reading_progress():
        for done, total in told:
            report_progress(done, total)
    assert bool(begun) is drawn


def test_the_bar_is_put_away_when_the_reading_fails(monkeypatch):
    stopped = threading.Event()
    monkeypatch.setattr("rich.progress.Progress.start", lambda self: None)
    monkeypatch.setattr("rich.progress.Progress.stop", lambda self: stopped.set())
    monkeypatch.setattr(status_line, "_PATIENCE", -1.0)
    monkeypatch.setattr(sys, "stderr", _Screen(watched=True))
    with pytest.raises(KeyboardInterrupt):
        _broken_off()
    assert stopped.is_set()


def _broken_off():
    with status_line.show_reading_progress():
        report_progress(1, 9)
        raise KeyboardInterrupt


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side is closed
        return b""
