"""The engineer with a repository: exit codes decide, annotations and SARIF name the right file and line."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from tests.journeys.conftest import ROOT, compare_screen

GIT = shutil.which("git")
NEW = """
@inproceedings{new, title={Glacial Lattices for Supervised Rainbow Counting}, author={Winslade, Tobias},
  booktitle={IEEE Conference on Computer Vision and Pattern Recognition (CVPR)}, year=2016}
"""
CLEAN = ROOT / "examples" / "records.bib"
pytestmark = pytest.mark.skipif(GIT is None, reason="needs git")


@pytest.fixture
def shell(open_terminal, desk):
    """A terminal in a repository with two bibliographies, a clean one and one with problems."""
    terminal = open_terminal(100)
    shutil.move(desk / "references.bib", desk / "paper.bib")
    entry = CLEAN.read_text("utf-8").partition("\n@")[2].partition("\n@")[0]
    (desk / "clean.bib").write_text(f"@{entry}\n", encoding="utf-8")
    who = "-c user.name=a -c user.email=a@example.org"
    ended = terminal.run(f"git init -q . && git add *.bib && git {who} commit -qm bibliographies")
    assert ended.code == 0
    return terminal


def test_exit_codes_in_a_script(shell):
    check = "citeproof check -q $f > $f.log && echo $f passes || echo $f fails $?"
    assert shell.run(f"for f in clean.bib paper.bib; do {check}; done").lines == [
        "clean.bib passes",
        "paper.bib fails 1",
    ]


def test_annotations(shell, desk):
    ended = shell.run("citeproof check paper.bib --format github 2>&1 | tee log")
    log = (desk / "log").read_text("utf-8")
    lines = {
        int(n) for n in re.findall(r"^::(?:error|warning) file=paper\.bib,line=(\d+)", log, re.MULTILINE)
    }
    assert {24, 33, 42} <= lines
    assert "\x1b" not in log
    assert ended.code == 0  # of tee


def test_sarif(shell, desk):
    ended = shell.run("citeproof check paper.bib --format sarif -o out.sarif")
    assert ended.code == 1
    compare_screen("ci_engineer_sarif", ended.lines)
    (run,) = json.loads((desk / "out.sarif").read_text("utf-8"))["runs"]
    places = [one["locations"][0]["physicalLocation"] for one in run["results"]]
    assert {one["artifactLocation"]["uri"] for one in places} == {"paper.bib"}


def test_log_of_a_runner_has_no_progress_and_no_colour(shell, desk):
    shell.run("citeproof check paper.bib > out.log 2> err.log < /dev/null")
    assert (desk / "err.log").read_text("utf-8") == ""
    assert "\x1b" not in (desk / "out.log").read_text("utf-8")


def test_known_problems_no_longer_fail(shell, desk):
    assert shell.run("citeproof check paper.bib --summary --write-baseline known.json").code == 0
    ended = shell.run("citeproof check paper.bib --baseline known.json --fail-on minor")
    assert ended.code == 0
    compare_screen("ci_engineer_baseline", ended.lines)
    with (desk / "paper.bib").open("a", encoding="utf-8") as file:
        file.write(NEW)
    ended = shell.run("citeproof check paper.bib --baseline known.json --fail-on minor --quiet")
    assert ended.code == 1
    assert [line.split("  ")[:2] for line in ended.lines if line.startswith(("✗", "~"))] == [
        ["✗ MAJOR not found", "new"]
    ]


def test_several_reports_of_one_run(shell, desk):
    ended = shell.run("citeproof check paper.bib --summary --output sarif=out.sarif --output html=out.html")
    assert ended.code == 1
    assert ended.lines[0].startswith("12 references: ")
    assert json.loads((desk / "out.sarif").read_text("utf-8"))["runs"]
    assert (desk / "out.html").read_text("utf-8").startswith("<!doctype html>")
