"""The commands of `bench/`, run in this process."""

from __future__ import annotations

import pytest
from bench.command_run import run_command

from tests.surfaces.conftest import Ended, cli, snapshot

__all__ = ["cli", "run", "snapshot"]


@pytest.fixture
def run(monkeypatch, capfdbinary, tmp_path):
    """Run a command with its own empty home; returns exit code, output and errors."""
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in ("SNAPSHOT", "CACHE_DIR", "SOURCES"):
        monkeypatch.delenv(f"CITEPROOF_{name}", raising=False)
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)

    def run_in_process(command, *arguments) -> Ended:
        code = run_command(command, [str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Ended(code, out.decode(), err.decode())

    return run_in_process
