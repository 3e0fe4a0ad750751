"""`citeproof index`: the forms that scripts rely on, exit codes, words on standard error."""

from __future__ import annotations

import json
import re
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from citeproof.evidence.index.readers.base import list_readers
from tests.command_here import call_citeproof
from tests.evidence.index.conftest import WORKS, write_works
from tests.evidence.index.test_readers import ENTRY

pytestmark = pytest.mark.slow


def run(*arguments: object, given: str = "", code: int = 0) -> CompletedProcess[str]:
    done = call_citeproof("index", *arguments, given=given)
    assert done.returncode == code, done.stderr
    return done


def test_build_info_search_verify(tmp_path):
    source, out = write_works(tmp_path / "works.jsonl"), tmp_path / "out"
    (tmp_path / "b.bib").write_text(ENTRY)
    covers = ["--covers", "venue:AAAI=2010-2010", "prefix:10.1103", "--covers", "book"]
    built = run(
        "build", "--from", "works", source, "--from", "bibtex", tmp_path / "b.bib", "--out", out, *covers
    )
    assert built.stdout == ""
    assert "14 records" in built.stderr
    told = json.loads(run("info", out, "--format", "json").stdout)
    assert told["records"] == 14
    assert told["covers"] == ["book", "prefix:10.1103", "venue:AAAI=2010-2010"]
    assert [source["reader"] for source in told["sources"]] == ["works", "bibtex"]
    assert told["sources"][1]["covers"].startswith("the entries of the files given")
    shown = run("info", out).stdout
    assert told["id"] in shown
    assert "source   bibtex: 1 records; no licence noted; covers the entries of the files given" in shown
    queries = "Atention is all you need\n\nDeep residual learning for image recognition. He K, 2016\n"
    lines = run("search", out, "--format", "jsonl", given=queries).stdout.splitlines()
    answers = [json.loads(line) for line in lines]
    assert [answer["query"] for answer in answers] == queries.splitlines()
    assert answers[0]["candidates"][0]["record"]["title"] == "Attention is All you Need"
    assert 0.8 < answers[0]["candidates"][0]["score"] <= 1
    assert answers[1]["candidates"] == []
    assert answers[2]["candidates"][0]["record"]["ids"]["doi"] == "10.1109/cvpr.2016.90"
    assert "Attention is All you Need" in run("search", out, given=queries).stdout
    assert "as they were built" in run("verify", out).stdout


def test_a_build_that_was_stopped(tmp_path):
    """A leftover without a checkpoint: `--fresh` or not, it is told and nothing of it remains."""
    source, out = write_works(tmp_path / "works.jsonl"), tmp_path / "out"
    (tmp_path / "out.building").mkdir()
    (tmp_path / "out.building" / "spool").touch()
    built = run("build", "--from", "works", source, "--out", out, "--fresh")
    assert "removed out.building, left by a build that was stopped: as --fresh asks" in built.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "works.jsonl"]


def test_help_names_every_reader():
    help_text = run("build", "--help").stdout
    named = re.findall(r"^  ([a-z]+) {2,}\S", help_text, re.MULTILINE)
    assert sorted({*named}) == sorted(list_readers())


def test_verify_finds_damage(tmp_path):
    run("build", "--from", "works", write_works(tmp_path / "w.jsonl"), "--out", tmp_path / "out")
    path = tmp_path / "out" / "records.zst"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    (tmp_path / "out" / "strange").touch()
    done = run("verify", tmp_path / "out", code=1)
    assert "records.zst: has other content" in done.stdout
    assert "strange: does not belong" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "--out", "o"], "nothing to build from"),
        (["build", "w.jsonl", "--out", "o"], "comes before any --from"),
        (["build", "--from", "works", "w.jsonl"], "--out"),
        (["build", "--from", "nothing", "w.jsonl", "--out", "o"], "use one of: arxiv"),
        (["build", "--from", "works", "nowhere.jsonl", "--out", "o"], "nowhere.jsonl"),
        (
            ["build", "--from", "works", "w.jsonl", "--out", "o", "--covers", "everything"],
            "--covers everything",
        ),
        (["build", "--from", "works", "w.jsonl", "--out", "w.jsonl"], "never overwritten"),
        (["build", "--from"], "needs the name of a reader"),
        (["info", "nowhere"], "no such folder"),
        (["search", "w.jsonl"], "is a file"),
        (["verify", "."], "no manifest.json"),
        (["starter", "--wheels", "w.jsonl/x", "--out", "o"], "hint"),
    ],
)
def test_wrong_usage(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(tmp_path / "cache"))
    write_works(Path("w.jsonl"))
    assert message in run(*arguments, code=2).stderr
    assert not Path("o").exists()


def test_bad_records_are_told(tmp_path):
    source = write_works(tmp_path / "w.jsonl", [WORKS[0], {"t": "?"}])
    done = run("build", "--from", "works", source, "--out", tmp_path / "out")
    assert f"skipped {source}:2: not a work: the title has no letters" in done.stderr


def test_help_teaches():
    for name in ("build", "info", "search", "verify", "starter"):
        assert "citeproof index" in run(name, "--help").stdout
