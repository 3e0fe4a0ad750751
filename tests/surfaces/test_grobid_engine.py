"""`--pdf-engine grobid` from the command line, against the loopback GROBID."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeproof.laboratory.testing import Shelf, World

PDF = b"""%PDF-1.4
[1] Yann LeCun. Deep learning. Nature. 2015
[2] Alan Turing. Computing machinery and intelligence. Mind. 1950
%%EOF"""


@pytest.fixture
def paper(tmp_path):
    path = tmp_path / "paper.pdf"
    path.write_bytes(PDF)
    return path


@pytest.fixture
def served(cli, monkeypatch, tmp_path):
    """A GROBID on loopback that the settings know, on a machine that is online."""
    with World(Shelf(), apis=("grobid",)) as world:
        for name, value in {**world.environment(), "CITEPROOF_OFFLINE": "0"}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("CITEPROOF_LIMITS_DIR", str(tmp_path / "limits"))
        yield world


def test_extract(cli, served, paper):
    ended = cli("extract", str(paper), "--pdf-engine", "grobid", "--format", "json")
    assert ended.code == 0, ended.err
    (document,) = json.loads(ended.out)["documents"]
    assert (document["format"], document["extracted"]) == ("tei", 2)
    assert document["references"][0]["claimed"]["title"] == "Deep learning"


def test_check_tells_what_left_the_machine(cli, served, paper):
    flags = ("--pdf-engine", "grobid", "--sources", "snapshot", "--explain-network", "--format", "json")
    ended = cli("check", str(paper), *flags)
    assert ended.code == 4, ended.err
    assert "processFulltextDocument" in ended.err
    assert "Yann LeCun" not in ended.err  # the address and the form, not the document


def test_other_documents_stay_here(cli, served, tmp_path):
    (tmp_path / "refs.bib").write_text("@article{a, title={Deep learning}}", encoding="utf-8")
    ended = cli("extract", str(tmp_path / "refs.bib"), "--pdf-engine", "grobid", "--format", "jsonl")
    assert ended.code == 0
    assert served.requests_within("grobid", 60.0).requests == 0


def test_offline_refuses(cli, paper):
    ended = cli("extract", str(paper), "--pdf-engine", "grobid")
    assert ended.code == 2
    assert "the run is offline" in ended.err


def test_a_project_may_not_say_where_documents_go(cli, paper, monkeypatch):
    monkeypatch.setenv("CITEPROOF_OFFLINE", "0")
    (Path.cwd() / "citeproof.toml").write_text('[urls]\ngrobid = "http://evil.example"\n', encoding="utf-8")
    ended = cli("extract", str(paper), "--pdf-engine", "grobid")
    assert ended.code == 2
    assert "may not set urls" in ended.err
    cli("trust")
    ended = cli("extract", str(paper), "--pdf-engine", "grobid")
    assert ended.code == 2
    assert "may not say where documents are sent" in ended.err
