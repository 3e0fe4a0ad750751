"""Writes docs/man/citeproof.1, the manual page, from the commands themselves; the wheel installs it.

python -m release.man_page
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import click

from citeproof.surfaces.cli.main import cli

PAGE = Path(__file__).resolve().parents[1] / "docs" / "man" / "citeproof.1"
_HEAD = '.\\" Written by `make docs`; changes belong in the help texts of the commands.'
_EXIT_CODES = (
    ("0", "No problem found."),
    ("1", "Problems found. Wins over 4."),
    ("2", "Wrong usage, or a document that cannot be read at all."),
    ("3", "Nothing to check."),
    ("4", "Something could not be checked."),
    ("5", "The audit log cannot be written; nothing is shown that is not in it."),
)
_FILES = (
    ("citeproof.toml", "Settings of a project; `citeproof init` writes one with every setting explained."),
    (
        "~/.config/citeproof/config.toml",
        "Settings of the user. `citeproof doctor` shows where each value is from.",
    ),
)
_ENVIRONMENT = (
    ("CITEPROOF_NAME", "The setting NAME in capital letters, for example CITEPROOF_OFFLINE=1."),
    (
        "CITEPROOF_SOURCE_KEY",
        "The key for a source, for example CITEPROOF_OPENALEX_KEY. `citeproof sources` lists them.",
    ),
)


def escape_roff(text: str) -> str:
    """Return one line as roff shows it unchanged."""
    line = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line[:1] in {".", "'"} else line


def render_page(command: click.Command, name: str, version: str) -> str:
    """Return the whole page of `command`, with a section for every command below it."""
    context = click.Context(command, info_name=name, **command.context_settings)
    lines = [
        _HEAD,
        f'.TH {name.upper()} 1 "" "{escape_roff(f"{name} {version}")}" "User Commands"',
        ".SH NAME",
        f"{name} \\- verify citations with evidence",
        ".SH SYNOPSIS",
        f".B {name}",
        escape_roff(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *_render_help(command),
        ".SH OPTIONS",
        *_render_options(command, context),
        ".SH COMMANDS",
    ]
    for place, child in _list_commands(command, context):
        lines += _render_command(place, child)
    for heading, rows in (("EXIT STATUS", _EXIT_CODES), ("FILES", _FILES), ("ENVIRONMENT", _ENVIRONMENT)):
        lines.append(f".SH {heading}")
        for term, about in rows:
            lines += _render_term(term, about)
    return "\n".join(lines) + "\n"


def _list_commands(
    command: click.Command, context: click.Context
) -> Iterator[tuple[click.Context, click.Command]]:
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        if child is None or child.hidden:
            continue
        place = click.Context(child, info_name=name, parent=context)
        yield place, child
        yield from _list_commands(child, place)


def _render_command(place: click.Context, child: click.Command) -> Iterator[str]:
    yield f".SS {escape_roff(place.command_path)}"
    yield f".B {escape_roff(place.command_path)}"
    yield escape_roff(" ".join(child.collect_usage_pieces(place)))
    yield ".PP"
    yield from _render_help(child)
    yield from _render_options(child, place)


def _render_help(command: click.Command) -> Iterator[str]:
    """Yield the help text; what click must not wrap (after a line with a backspace) stays as it is."""
    text = (command.help or command.short_help or "").split("\f")[0]
    for number, paragraph in enumerate(re.split(r"\n\s*\n", inspect.cleandoc(text).strip())):
        kept = "\b" in paragraph
        lines = [line for line in paragraph.replace("\b", "").splitlines() if line.strip()]
        if number:
            yield ".PP"
        if kept:
            yield ".nf"
            lines = textwrap.indent(textwrap.dedent("\n".join(lines)), "    ").splitlines()
        yield from (escape_roff(line if kept else line.strip()) for line in lines)
        if kept:
            yield ".fi"


def _render_options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            yield from _render_term(*record)


def _render_term(term: str, about: str) -> list[str]:
    return [".TP", f".B {escape_roff(term)}", escape_roff(" ".join(about.split()) or "(no help)")]


def main() -> int:
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(render_page(cli, "citeproof", metadata.version("citeproof")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
