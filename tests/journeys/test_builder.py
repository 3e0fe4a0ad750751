"""The builder with Python: the interpreter in a terminal, and the notebook of the examples."""

from __future__ import annotations

import json
import shutil
import sys

from tests.journeys.conftest import ROOT, compare_screen

SESSION = (
    "import citeproof",
    'report = citeproof.check("references.bib")',
    "[one.key for one in report.problems]",
    "report",
    'citeproof.verify("Mask R-CNN", author="Edith Marlow", year=2017).judgement.explanation',
    "exit()",
)


def test_interpreter(open_terminal):
    terminal = open_terminal(100)
    terminal.start(f"{sys.executable} -q -i -c 'import sys; sys.ps1 = \"in: \"'")
    for done, line in enumerate(SESSION):  # a line that comes while another runs is shown twice
        terminal.wait_for(lambda lines, done=done: _count_answered(lines) == done and lines[-1] == "in:")
        terminal.write(f"{line}\n")
    ended = terminal.wait_for_prompt()
    assert ended.code == 0
    compare_screen("builder", ended.lines)


def _count_answered(lines: list[str]) -> int:
    return sum(line.startswith("in: ") for line in lines)


def test_cells_of_the_notebook(open_terminal, desk):
    shutil.copytree(ROOT / "examples", desk / "examples")
    cells = json.loads((ROOT / "examples" / "notebook.ipynb").read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code
    (desk / "examples" / "cells.ipy").write_text("\n\n".join(code), encoding="utf-8")
    ended = open_terminal(100).run("cd examples && ipython --no-banner --colors=NoColor cells.ipy")
    assert "Traceback" not in ended.text
    assert ended.code == 0
