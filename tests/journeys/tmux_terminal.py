"""A real terminal (tmux) with a shell in it: keys go in, the screen comes out."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple, Self

from tests.conftest import USER_STATE

TMUX = shutil.which("tmux")
_PROMPT = re.compile(r"^\[(\d+)\] \$$")
_CONFIG = "set -g history-limit 50000\nset -g status off\nset -g default-terminal screen-256color\n"
_PATIENCE = 120.0  # seconds; only a test that fails waits so long
_PAUSE = 0.02
_BIN = Path(sys.executable).parent


class Ended(NamedTuple):
    """What a command left on the screen, without its own line, and its exit code."""

    lines: list[str]
    code: int

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


class TmuxTerminal:
    """One shell whose prompt is `[exit code] $`, in a home and folder of its own."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str] | None = None, *, width: int = 80, height: int = 50
    ) -> None:
        self.folder, self.width, self._command = folder, width, ""
        self._own = Path(mkdtemp(prefix="cp"))  # the path of a socket must be short
        (self._own / "conf").write_text(_CONFIG, encoding="utf-8")
        variables = {
            "HOME": str(folder / "home"),
            "XDG_STATE_HOME": str(USER_STATE),
            "PATH": f"{_BIN}:/usr/local/bin:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            "TERM": "screen-256color",
            "PS1": "[$?] $ ",
            **(environment or {}),
        }
        (folder / "home").mkdir(exist_ok=True)
        shell = shlex.join(["env", "-i", *(f"{k}={v}" for k, v in variables.items()), "bash", "--norc"])
        self._ask("new-session", "-d", "-x", str(width), "-y", str(height), "-c", str(folder), shell)
        self.wait_for(_is_at_prompt)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the shell and what runs in it."""
        self._ask("kill-server")
        shutil.rmtree(self._own, ignore_errors=True)

    def run(self, command: str) -> Ended:
        """Type a command, wait for the prompt, and return what stands between."""
        self.start(command)
        return self.wait_for_prompt()

    def start(self, command: str) -> None:
        """Type a command on an empty screen, without waiting for its end."""
        self._ask("send-keys", "-R")  # an empty screen; then a new prompt
        self._ask("clear-history")
        self.press("Enter")
        self.wait_for(_is_at_prompt)
        self._command = command
        self._ask("send-keys", "-l", "--", command)
        self.wait_for(lambda lines: lines[-1].endswith(command))
        self.press("Enter")

    def wait_for_prompt(self) -> Ended:
        """Return what the command has left when the prompt stands there again."""
        lines = self.wait_for(_is_at_prompt)
        prompt = _PROMPT.match(lines[-1])
        assert prompt
        typed = max(n for n, line in enumerate(lines) if line.endswith(f"] $ {self._command}"))
        return Ended(lines[typed + 1 : -1], int(prompt[1]))

    def press(self, key: str) -> None:
        """Press a key by the name tmux has for it: `C-c`, `Enter`."""
        self._ask("send-keys", key)

    def write(self, text: str) -> None:
        """Type text, as if it were pasted."""
        self._ask("send-keys", "-l", "--", text)

    def read_screen(self, *, history: bool = True, colours: bool = False) -> list[str]:
        """Return the lines, also those scrolled away; one too long for the screen is one line still."""
        text = self._ask(
            "capture-pane", "-p", "-J", *(["-e"] if colours else []), *(["-S", "-"] if history else [])
        )
        lines = [line.rstrip() for line in text.split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def wait_for(self, seen: Callable[[list[str]], object], *, history: bool = True) -> list[str]:
        """Return the screen once it shows what is waited for."""
        end = time.monotonic() + _PATIENCE
        while True:
            lines = self.read_screen(history=history)
            if lines and seen(lines):
                return lines
            if time.monotonic() > end:
                raise AssertionError("this did not come; the screen:\n" + "\n".join(lines))
            time.sleep(_PAUSE)

    def _ask(self, *arguments: str) -> str:
        command = [str(TMUX), "-S", str(self._own / "socket"), "-f", str(self._own / "conf"), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _is_at_prompt(lines: list[str]) -> bool:
    return bool(_PROMPT.match(lines[-1]))
