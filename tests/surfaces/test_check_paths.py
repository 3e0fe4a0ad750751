"""Where `citeproof check` says a problem stands in a LaTeX project, and what `fix` changes in it."""

from __future__ import annotations

import json

import pytest
from tests.surfaces.test_check_acceptance import BIB

TEX = (
    r"\documentclass{article}\begin{document}\cite{he2016deep}\cite{nobody}\bibliography{refs}\end{document}"
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository with two papers, each with a bibliography of the same name."""
    (tmp_path / ".git").mkdir()
    for name in ("paper", "talk"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.tex").write_text(TEX)
        (tmp_path / name / "refs.bib").write_text("\n" * (name == "talk") + BIB)
    return tmp_path


def _list_places(text):
    found = []
    for one in json.loads(text)["runs"][0]["results"]:
        physical = one["locations"][0]["physicalLocation"]
        assert physical["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        found.append((physical["artifactLocation"]["uri"], physical["region"]["startLine"], one["ruleId"]))
    return found


@pytest.mark.parametrize(
    ("folder", "files"),
    [("", ["paper/main.tex", "talk/main.tex"]), ("paper", ["main.tex", "../talk/main.tex"])],
)
def test_every_report_names_the_file_that_is_there(folder, files, project, cli, snapshot, monkeypatch):
    monkeypatch.chdir(project / folder)
    ended = cli("check", *files, "--snapshot", snapshot, "--output", "sarif=o.sarif", "-o", "github=o.github")
    assert ended.code == 1
    for shown in (file.replace("main.tex", "refs.bib") for file in files):
        assert f"he2016deep  {shown}:" in ended.out  # as an editor opens it from here
    assert _list_places((project / folder / "o.sarif").read_text()) == [
        ("paper/refs.bib", 1, "citation-ambiguous"),
        ("talk/refs.bib", 2, "citation-ambiguous"),
        ("paper/main.tex", 1, "integrity-finding"),
        ("talk/main.tex", 1, "integrity-finding"),
    ]
    annotations = (project / folder / "o.github").read_text()
    assert "file=paper/refs.bib,line=1," in annotations
    assert "file=talk/refs.bib,line=2," in annotations


def test_fix_changes_the_bibliography_of_its_own_paper(project, cli, snapshot):
    ended = cli("fix", "paper/main.tex", "--snapshot", snapshot, "--unsafe", "--write")
    assert "paper/refs.bib" in ended.out + ended.err
    assert "10.1109/CVPR.2016.90" in (project / "paper/refs.bib").read_text()
    assert (project / "talk/refs.bib").read_text() == "\n" + BIB
