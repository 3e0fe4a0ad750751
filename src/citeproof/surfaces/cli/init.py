"""`citeproof init`: a settings file for a project, every setting explained in it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError
from citeproof.plumbing.output_files import write_file
from citeproof.service.exit_codes import Exit
from citeproof.settings.config_template import build_config_template
from citeproof.surfaces.cli import command_options

NAME = "citeproof.toml"


@click.command(short_help="Write a commented settings file for a project.")
@click.argument(
    "folder", metavar="[FOLDER]", default=".", type=click.Path(path_type=Path, exists=True, file_okay=False)
)
@command_options.add_options("init")
def command(folder: Path, *, force: bool) -> int:
    """Write citeproof.toml to FOLDER (default: the current folder).

    The file has every setting with its default and one line of help, all commented out: it changes nothing
    until you remove the "# " of a line.

    \b
    citeproof init
    citeproof init path/to/project --force
    """
    path = folder / NAME
    if os.path.lexists(path) and not force:
        raise UsageError(
            "is there already", place=str(path), hint="edit it, or replace it with citeproof init --force"
        )
    write_file(path, build_config_template().encode())
    print(f"written: {show_line(str(path))}")
    return Exit.CLEAN
