"""DOIs of corpus documents asked of live sources on loopback: found, fabricated, never false by outage."""

import json

import pytest
from click.testing import CliRunner
from tests.contract.running import cited, environment, fail

from citeproof.laboratory.testing import ALL_FAULTS, Shelf, World
from citeproof.plumbing.net import client as clients
from citeproof.surfaces.cli import main

WORKS = cited()
TRUE = next(work.ids.first("doi") for work in WORKS if work.ids.first("doi"))
FALSE = "10.1000/no.such.work.at.all"


@pytest.fixture(scope="module")
def world():
    with World(Shelf(*WORKS)) as running:
        yield running


@pytest.fixture
def document(world, tmp_path, monkeypatch):
    fail(world, ())
    monkeypatch.setattr(clients, "RETRIES", 1)
    monkeypatch.setattr(clients, "PATIENCE", 0.1)
    for name, value in environment(world, tmp_path, CITEPROOF_TIMEOUT="0.5").items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "doc.md"
    path.write_text(f"So it is (doi:{TRUE}).\n\nAnd so (https://doi.org/{FALSE}).\n", encoding="utf-8")
    yield path
    fail(world, ())


def corpus(*arguments):
    runner = CliRunner()
    with runner.isolation() as (out, _, _):
        code = main._run_command(["corpus", *map(str, arguments), "--format", "json"], debug=True)
        report = json.loads(out.getvalue())
    return code, [(c["target"], c["status"]) for f in report["files"] for c in f["citations"]], report


def test_found_and_fabricated(world, document):
    code, found, report = corpus(document)
    assert (code, found) == (1, [(TRUE, "verified"), (FALSE, "hallucinated")])
    assert [issue["rule"] for file in report["files"] for issue in file["issues"]] == ["fabricated-doi"]


def test_a_second_run_asks_nobody(world, document):
    corpus(document)
    asked = len(world.log)
    assert corpus(document)[1] == [(TRUE, "verified"), (FALSE, "hallucinated")]
    assert len(world.log) == asked


@pytest.mark.parametrize("fault", ["bot_wall", "reset", "status_429", "status_503", "truncated"])
def test_an_outage_is_no_fabrication_and_is_not_kept(world, document, fault, monkeypatch):
    fail(world, ALL_FAULTS[fault])
    code, found, _ = corpus(document)
    assert (code, found) == (4, [(TRUE, "unchecked"), (FALSE, "unchecked")])
    fail(world, ())
    monkeypatch.setenv("CITEPROOF_LIMITS_DIR", str(document.parent / "other"))  # who failed is asked again
    code, found, _ = corpus(document)
    assert (code, found) == (1, [(TRUE, "verified"), (FALSE, "hallucinated")])


def test_offline_asks_nobody(world, document):
    asked = len(world.log)
    code, found, _ = corpus(document, "--offline")
    assert (code, found) == (4, [(TRUE, "unchecked"), (FALSE, "unchecked")])
    assert len(world.log) == asked
