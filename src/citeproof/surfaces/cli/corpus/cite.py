"""`citeproof corpus cite`: a fresh code citation to paste."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click

from citeproof.corpus.code.citation_writer import write_code_citation
from citeproof.corpus.project_root import ProjectRoot
from citeproof.reporters import wording
from citeproof.service.corpus_project import load_project_settings
from citeproof.surfaces.cli import setting_flags

_LINES = re.compile(r"^(.*):L?([0-9]{1,9})(?:-L?([0-9]{1,9}))?$", re.DOTALL)


@click.command(short_help="Print a code citation to paste.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH[:L1-9]…")
@setting_flags.make_setting_flag("corpus_root", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--footer", is_flag=True, help="Print lines for a Sources footer instead.")
def command(paths: Sequence[str], *, corpus_root: Path | None, footer: bool) -> int:
    """Print a citation of the current file, with the hash that `citeproof corpus` checks.

    \b
    citeproof corpus cite src/auth/login.ts:L42-58
    citeproof corpus cite src/auth/login.ts --footer
    """
    folder, chosen = load_project_settings([], {"corpus_root": corpus_root})
    root = ProjectRoot(folder, chosen.corpus_max_bytes)
    for given in paths:
        path, lines = _split_line_range(given)
        made = write_code_citation(root, Path(path).absolute(), lines, footer=footer)
        print(wording.show_line(made, 2000))
    return 0


def _split_line_range(given: str) -> tuple[str, str]:
    """Return path and lines; if a file has the whole text as its name, that file."""
    match = _LINES.match(given)
    if match is None or Path(given).exists():
        return given, ""
    path, first, last = match.groups()
    return path, f"L{first}-{last}" if last else f"L{first}"
