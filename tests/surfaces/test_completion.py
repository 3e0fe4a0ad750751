"""The Tab key in each shell, by the line of docs/installation.md."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pexpect
import pytest

SHELLS = ("bash", "zsh", "fish")
START = {
    "bash": (".bashrc", 'eval "$(_CITEPROOF_COMPLETE=bash_source citeproof)"'),
    "zsh": (
        ".zshrc",
        'autoload -Uz compinit && compinit -i; eval "$(_CITEPROOF_COMPLETE=zsh_source citeproof)"',
    ),
    "fish": (".config/fish/config.fish", "_CITEPROOF_COMPLETE=fish_source citeproof | source"),
}


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("citeproof che", ["plain,check"]),
        ("citeproof check --offl", ["plain,--offline"]),
        ("citeproof check pa", ["file,pa"]),
        ("citeproof sources test cross", ["plain,crossref"]),
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
def test_the_tab_key(shell, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    file, line = START[shell]
    home = tmp_path / "home"
    (home / file).parent.mkdir(parents=True)
    (home / file).write_text(f"{line}\n")
    assert line in (Path(__file__).parents[2] / "docs" / "installation.md").read_text(encoding="utf-8")
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
