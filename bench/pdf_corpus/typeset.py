"""Running the real programs, each in its own folder with a time limit."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

SETTINGS = ("SOURCE_DATE_EPOCH=1700000000", "FORCE_SOURCE_DATE=1", "max_print_line=1000")
LIMIT = 120  # seconds for one program


class ToolError(Exception):
    """Raised when a program is missing, fails, or leaves no result."""


def run(command: list[str], folder: Path) -> str:
    """Return what a program printed; ToolError when it cannot be run or does not end."""
    if not shutil.which(command[0]):
        raise ToolError(f"{command[0]} is not installed")
    try:
        done = subprocess.run(
            ["env", *SETTINGS, *command], cwd=folder, capture_output=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise ToolError(f"{command[0]} took more than {LIMIT} s") from late
    return done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")


def latex(engine: str, name: str, folder: Path, *, draft: bool = False) -> None:
    """Run one pass; ToolError with TeX's own first complaint when it has one."""
    quick = {"pdflatex": "-draftmode", "xelatex": "-no-pdf"}[engine]
    said = run([engine, "-interaction=nonstopmode", *([quick] if draft else []), name], folder)
    lines = said.splitlines()
    wrong = [at for at, line in enumerate(lines) if line.startswith("! ")]
    if wrong:
        raise ToolError(f"{engine} {name}: " + " / ".join(lines[wrong[0] : wrong[0] + 4]))
    if not draft and not (folder / name).with_suffix(".pdf").is_file():
        raise ToolError(f"{engine} {name} made no PDF: " + " / ".join(lines[-5:]))
