"""What only a terminal sees: colours, its width, the progress bar."""

from __future__ import annotations

import os
import pty
import re
import sys
from io import StringIO
from pathlib import Path

import pytest

from citeproof.surfaces.cli import status_line

EXAMPLES = Path(__file__).parents[2] / "examples"
COLUMNS, ROWS = 72, 24


class Screen(StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("screen", "quiet", "drawn"),
    [(Screen(), False, True), (Screen(), True, False), (StringIO(), False, False)],
)
def test_bar_is_drawn_only_where_a_person_watches(screen, quiet, drawn, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    assert list(status_line.show_progress(iter("abc"), 3, "checking", quiet=quiet)) == ["a", "b", "c"]
    assert ("checking" in screen.getvalue()) is drawn


def _on_a_terminal(arguments, environment):
    """Return all that the command writes to a terminal of its own."""
    here, there = pty.openpty()
    command = [sys.executable, "-m", "citeproof", *map(str, arguments)]
    child = os.posix_spawn(
        sys.executable,
        command,
        {
            "PATH": os.defpath,
            "HOME": "/nonexistent",
            "LC_ALL": "C.UTF-8",
            "CITEPROOF_OFFLINE": "1",
            **environment,
        },
        file_actions=[(os.POSIX_SPAWN_DUP2, there, fd) for fd in (0, 1, 2)],
    )
    os.close(there)
    written = b""
    while chunk := _read(here):
        written += chunk
    os.waitpid(child, 0)
    os.close(here)
    return written.decode()


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux reports the end of a terminal this way
        return b""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_report_on_a_terminal(more, coloured, snapshot):
    environment = {"TERM": "xterm", "COLUMNS": str(COLUMNS), "LINES": str(ROWS), **more}
    text = _on_a_terminal(["check", EXAMPLES / "short.txt", "--snapshot", snapshot], environment)
    assert bool(re.search("\x1b\\[[0-9;]*m", text)) is coloured
    assert ("\x1b" in text) <= (environment["TERM"] != "dumb")
    assert "could not be checked" in text
    if not coloured:
        lines = [line for line in text.splitlines() if "short.txt" not in line and "\x1b[K" not in line]
        assert max(map(len, lines)) <= COLUMNS
