"""The skill and command files for coding agents: what they tell to run exists."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import click
import pytest

from citeproof.surfaces.cli.main import cli
from citeproof.surfaces.mcp.tool_list import SCHEMAS
from citeproof.surfaces.mcp.verdict_tools import list_explanations

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "skills").rglob("*.md"))
COMMAND = re.compile(r"`(citeproof [^`\n]+)`|^(citeproof .+)$", re.MULTILINE)
TOOL = re.compile(r"`([a-z]+[A-Z][A-Za-z]+)`")


def list_commands() -> list[str]:
    found = [a or b for path in FILES for a, b in COMMAND.findall(path.read_text("utf-8"))]
    page = (ROOT / "docs" / "mcp.md").read_text("utf-8")
    documented = re.findall(r"claude mcp add citeproof -- (citeproof .+)", page)
    return sorted({*found, *documented})


def test_the_files_are_there():
    names = [path.relative_to(ROOT).as_posix() for path in FILES]
    assert names == ["skills/commands/verify-citations.md", "skills/verify-citations/SKILL.md"]
    assert len(list_commands()) > 6


@pytest.mark.parametrize("line", list_commands())
def test_every_command_and_flag_is_understood(line):
    words = shlex.split(line.partition("<")[0])[1:]
    if words == ["--help"]:
        return
    with click.Context(cli, info_name="citeproof", **cli.context_settings) as above:
        command = cli.get_command(above, words[0])
        assert command is not None, words[0]
        shown = command.get_help(click.Context(command, parent=above, info_name=words[0]))
        flags = [word for word in words[1:] if word.startswith("-") and word not in ("-", "--")]
        assert all(re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", shown) for flag in flags)
        command.make_context(words[0], words[1:], parent=above)  # arguments and choices are right


def test_names_of_files_are_no_options():
    """An agent puts a name there that a stranger may have chosen."""
    named = [
        line for line in list_commands() if re.search(r"\bFILE\b|\.(bib|pdf|md)\b", line.partition("<")[0])
    ]
    assert len(named) > 5
    assert [line for line in named if " -- " not in line] == []


def test_a_flag_that_is_not_there_is_noticed():
    with (
        click.Context(cli, info_name="citeproof", **cli.context_settings) as above,
        pytest.raises(click.UsageError),
    ):
        cli.get_command(above, "check").make_context("check", ["refs.bib", "--no-such-flag"], parent=above)


def test_flags_in_the_text_are_those_of_check():
    text = (ROOT / "skills" / "verify-citations" / "SKILL.md").read_text("utf-8")
    with click.Context(cli, info_name="citeproof", **cli.context_settings) as above:
        command = cli.get_command(above, "check")
        flags = {flag for option in command.params for flag in option.opts}
    assert set(re.findall(r"(?<=[ `])--[a-z-]+", re.search(r"Add `([^`]+)`", text)[0])) <= flags


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_tools_and_verdicts_exist(path):
    text = path.read_text("utf-8")
    assert text.startswith("---\n")
    assert re.search(r"^description: .{20,1000}$", text, re.MULTILINE)
    assert set(TOOL.findall(text)) <= set(SCHEMAS)
    verdicts = re.findall(r"^\| `(\w+)`", text, re.MULTILINE)
    assert set(verdicts) <= set(list_explanations())


def test_the_set_up_of_every_client_starts_the_command():
    page = (ROOT / "docs" / "mcp.md").read_text("utf-8")
    blocks = [json.loads(one) for one in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    assert len(blocks) == 3
    for block in blocks:
        (servers,) = block.values()
        given = servers["citeproof"]
        assert (given["command"], given["args"][0]) == ("citeproof", "mcp")
        with click.Context(cli, info_name="citeproof", **cli.context_settings) as above:
            cli.get_command(above, "mcp").make_context("mcp", given["args"][1:], parent=above)
