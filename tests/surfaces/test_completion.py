"""`citeproof completion`: installed once, taken out again, and really completing in each shell."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pexpect
import pytest

from citeproof.settings.user_folders import detect_shell, find_shell_files

SHELLS = ("bash", "zsh", "fish")
START = {"bash": ".bashrc", "zsh": ".zshrc"}


@pytest.fixture
def home(cli, monkeypatch, tmp_path):
    """An empty home folder, whose login shell is bash."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SHELL", "/usr/bin/bash")
    return folder


def _list_files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("shell", SHELLS)
def test_installed_twice_is_installed_once(shell, cli, home):
    mine = b"# mine \xff\nalias ll='ls -l'"
    if shell in START:
        (home / START[shell]).write_bytes(mine)
    first = cli("completion", "install", shell)
    assert (first.code, first.err) == (0, "")
    assert f"{shell}: wrote {home}" in first.out
    after = _list_files(home)
    if shell in START:
        start = after[home / START[shell]]
        assert start.startswith(mine + b"\n# >>> citeproof completion >>>\n")
        assert f"lines to {home / START[shell]}" in first.out
    again = cli("completion", "install", shell)
    assert again.out == f"{shell}: already installed, nothing changed\n"
    assert _list_files(home) == after


def test_an_old_block_is_replaced_and_a_link_stays(cli, home, tmp_path):
    real = tmp_path / "dotfiles.bashrc"
    block = "# >>> citeproof completion >>>\n. /old\n# <<< citeproof completion <<<\n"
    real.write_text(f"a=1\n{block}b=2\n{block}")
    (home / ".bashrc").symlink_to(real)
    assert cli("completion", "install", "bash").code == 0
    text = real.read_text()
    assert (home / ".bashrc").is_symlink()
    assert text.startswith("a=1\nb=2\n# >>>")
    assert (text.count(">>> citeproof"), "/old" in text) == (1, False)


def test_the_login_shell_is_used_when_no_shell_started_it(cli, home, monkeypatch):
    assert detect_shell({"SHELL": "/bin/tcsh"}) in (None, *SHELLS)  # whoever runs the tests
    monkeypatch.setattr(os, "getppid", lambda: 0)
    assert detect_shell({"SHELL": "/usr/local/bin/fish"}) == "fish"
    assert detect_shell({"SHELL": "/bin/tcsh"}) is None
    assert "bash: wrote" in cli("completion", "install").out
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    ended = cli("completion", "install")
    assert ended.code == 2
    assert "name it: bash, zsh, fish" in ended.err


def test_places(monkeypatch, tmp_path):
    environment = {"HOME": "/h", "ZDOTDIR": "/z", "XDG_CONFIG_HOME": "/c"}
    assert find_shell_files("zsh", environment).start == Path("/z/.zshrc")
    assert find_shell_files("bash", environment).start == Path("/h/.bashrc")
    assert find_shell_files("fish", environment).script == Path("/c/fish/completions/citeproof.fish")


def test_a_start_file_that_cannot_be_read_is_told_of(cli, home):
    (home / ".bashrc").mkdir()
    ended = cli("completion", "install", "bash")
    assert (ended.code, "hint: " in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("citeproof che", ["plain,check"]),
        ("citeproof check --offl", ["plain,--offline"]),
        ("citeproof check pa", ["file,pa"]),
        ("citeproof sources test cross", ["plain,crossref"]),
        ("citeproof completion install ", ["plain,bash", "plain,zsh", "plain,fish"]),
    ],
)
def test_what_a_shell_is_given(words, given, cli, monkeypatch):
    monkeypatch.setenv("_CITEPROOF_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    ended = cli()
    assert (ended.code, ended.out.splitlines()) == (0, given)


def test_the_names_of_commands_load_no_command(cli, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("citeproof.surfaces.cli.bench")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv("_CITEPROOF_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "citeproof ")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert "plain,bench" in cli().out
    assert "citeproof.surfaces.cli.bench" not in sys.modules


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_the_tab_key(shell, cli, home, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    cli("completion", "install", shell)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "citeproof"
    program.write_text(  # the real one completes; what it would be called with is only noted
        f'#!/bin/sh\n[ -z "$_CITEPROOF_COMPLETE" ] || exec {sys.executable} -m citeproof "$@"\n'
        f"printf '%s\\n' \"$@\" > {tmp_path}/given\n"
    )
    program.chmod(0o755)
    (tmp_path / "paper.bib").touch()
    environment = {"HOME": str(home), "PATH": f"{program.parent}:{os.defpath}", "TERM": "vt100", "PS1": "$ "}
    words = [shell, "-i"] if shell != "zsh" else ["zsh", "-o", "no_prompt_sp", "-i"]
    child = pexpect.spawn(
        words[0], words[1:], cwd=tmp_path, env={**environment, "LC_ALL": "C.UTF-8"}, encoding="utf-8",
        timeout=120, dimensions=(40, 100),
    )  # fmt: skip
    child.send("echo rea''dy\r")
    child.expect("ready")
    child.send("citeproof che\t--summ\tpap\t\r")
    child.send("exit\r")
    child.expect(pexpect.EOF)
    child.close()
    assert (tmp_path / "given").read_text().split() == ["check", "--summary", "paper.bib"]
