# ruff: noqa: INP001, S603, T201 - a script, not a package; it runs the commands of our own pages
"""Writes the generated parts of the documentation: real output of real commands, and the tables.

    python docs/generate.py

A part stands between two comments and is replaced whole:

    <!-- run: citeproof check examples/short.txt -->     what the command prints, with its exit code
    <!-- help: check -->                                 the help text of a command
    <!-- settings -->                                    the table of settings
    <!-- end -->

Commands run in an empty folder that holds a copy of examples/ and the small snapshot made of
examples/records.bib, so that they print the same on every machine.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from citeproof.settings import TABLE, Settings

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/spec").glob("*.md")),
)
PART = re.compile(r"(<!-- (run|help|settings)(?:: ([^\n]+?))? -->\n).*?(<!-- end -->)", re.DOTALL)
SNAPSHOT = "examples.snapshot"
BUILD = (
    "citeproof index build --from bibtex examples/records.bib --name examples"
    f" --covers venue:CVPR=2016-2016 --out {SNAPSHOT}"
)
LONGEST = 120  # lines of a command's output that a page shows


def workplace(folder: Path) -> Callable[[str], tuple[str, int]]:
    """Return a function that runs a command in `folder`, made ready with examples and snapshot."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    run = partial(_run, folder)
    output, code = run(BUILD)
    if code:
        raise SystemExit(f"the example snapshot could not be built:\n{output}")
    return run


def current(page: str, run: Callable[[str], tuple[str, int]]) -> str:
    """Return the text of a page with every generated part made anew."""
    return PART.sub(partial(_part, run=run), page)


def _part(found: re.Match[str], run: Callable[[str], tuple[str, int]]) -> str:
    begin, kind, argument, end = found.groups()
    match kind:
        case "run":
            output, code = run(argument)
            body = _fenced(f"$ {argument}\n{output}\n(exit code {code})")
        case "help":
            body = _fenced(run(f"citeproof {argument} --help")[0])
        case _:
            body = _settings()
    return f"{begin}{body}\n{end}"


def _run(folder: Path, command: str) -> tuple[str, int]:
    binaries = Path(sys.executable).parent
    environment = {
        "PATH": f"{binaries}:/usr/bin:/bin",
        "HOME": str(folder),
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "CITEPROOF_SNAPSHOT": SNAPSHOT,
    }
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return (done.stdout + done.stderr).strip("\n"), done.returncode


def _fenced(text: str) -> str:
    lines = text.splitlines()
    shown = lines if len(lines) <= LONGEST else [*lines[:LONGEST], "…"]
    return "\n".join(["```text", *shown, "```"])


def _settings() -> str:
    plain = Settings()
    rows = ["| name | variable | flag | default | meaning |", "| --- | --- | --- | --- | --- |"]
    for row in TABLE:
        value = getattr(plain, row.name)
        default = "the user's cache folder" if row.name == "cache_dir" else _shown(value)
        flag = f"`{row.flag}`" if row.flag else ""
        rows.append(f"| `{row.name}` | `{row.env}` | {flag} | {default} | {row.help} |")
    return "\n".join(rows)


def _shown(value: object) -> str:
    return "none" if value == () else f"`{str(value).lower()}`"


def main() -> None:
    """Rewrite every page whose generated parts have changed."""
    with tempfile.TemporaryDirectory() as folder:
        run = workplace(Path(folder))
        for path in PAGES:
            old = path.read_text(encoding="utf-8")
            new = current(old, run)
            if new != old:
                path.write_text(new, encoding="utf-8")
                print(f"written: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
