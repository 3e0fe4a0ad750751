"""`claims --texts`: what the text of an attached work says, in every format and in the audit log."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import jsonschema
import pytest
from referencing import Registry, Resource

import citeproof
from citeproof.surfaces.cli import main as door

SPEC = Path(__file__).parents[2] / "docs" / "spec"
DOI = "10.18653/v1/N19-1423"
QUOTE = "We introduce a new language representation model called BERT"
PAGE = f"""<html><head><meta name="citation_doi" content="10.18653/v1/N19-1423"></head><body><article>
<h1>BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding</h1><h2>Abstract</h2>
<p>{QUOTE}, which stands for bidirectional encoder representations.</p><h2>Results</h2>
<p>{"The model was trained on sixteen chips for four days. " * 60}</p></article></body></html>"""
HYPOTHESIS = {
    "claims": [
        {"text": f"“{QUOTE}” is said there.", "references": [{"doi": DOI, "authors": ["Devlin"]}]},
        "Nobody says where this is from.",
    ]
}


@pytest.fixture
def world(offline_world):
    (offline_world / "texts").mkdir()
    (offline_world / "texts" / "x.html").write_text(PAGE)
    (offline_world / "h.json").write_text(json.dumps(HYPOTHESIS))
    return offline_world


def _run(capfd, *arguments):
    with pytest.raises(SystemExit) as ended:
        door.main(["claims", *map(str, arguments)])
    return int(ended.value.code or 0), capfd.readouterr().out


def _validate(told):
    whole = Resource.from_contents(json.loads((SPEC / "report.schema.json").read_text()))
    schema = json.loads((SPEC / "claims.schema.json").read_text())
    schema.pop("$id")
    registry = Registry().with_resource("report.schema.json", whole)
    jsonschema.Draft202012Validator(schema, registry=registry).validate(told)


def test_json_says_what_the_text_has(world, capfd):
    code, out = _run(capfd, world / "h.json", "--texts", world / "texts", "--format", "json")
    told = json.loads(out)
    _validate(told)
    first, second = (one["support"] for one in told["claims"])
    assert (first["outcome"], first["extent"]) == ("quote_verified", "full_text")
    assert first["origin"].endswith("x.html")
    assert first["quotations"][0]["passage"]["section"] == "Abstract"
    assert second is None  # no work is attached
    assert code == 1


def test_without_a_text_the_claim_stays_verified(world, capfd):
    (world / "texts" / "x.html").unlink()
    _, out = _run(capfd, world / "h.json", "--texts", world / "texts", "--format", "json")
    told = json.loads(out)
    _validate(told)
    assert told["claims"][0]["status"] == "verified"
    assert told["claims"][0]["support"]["outcome"] == "no_text"


def test_an_altered_quotation_holds_the_claim_and_leaves_the_citation_verified(world, capfd):
    claim = {
        "text": f"“{QUOTE.replace('a new', 'no new')}” is said.",
        "references": HYPOTHESIS["claims"][0]["references"],
    }
    (world / "h.json").write_text(json.dumps({"claims": [claim]}))
    code, out = _run(capfd, world / "h.json", "--texts", world / "texts", "--format", "sarif")
    results = json.loads(out)["runs"][0]["results"]
    told = [one for one in results if one["ruleId"] == "claim-text-differs"]
    assert [one["level"] for one in told] == ["error"]
    assert [one["properties"]["alarm"] for one in told] == ["quotation"]  # "no" is told once
    assert code == 1
    for form in ("text", "md"):  # and a reader is not left with "verified"
        _, out = _run(capfd, world / "h.json", "--texts", world / "texts", "--format", form)
        assert "citation verified, content alarm: quotation differs: held back" in out
        assert "1 of 1 citations verified; content: 1 alarm; 1 claim held back." in out
        assert ".;" not in out


@pytest.mark.parametrize("form", ["text", "md", "csv"])
def test_every_format_says_what_was_available(form, world, capfd):
    _, out = _run(capfd, world / "h.json", "--texts", world / "texts", "--format", form)
    assert "full" in out
    assert "quote" in out


def test_a_wrong_folder_is_refused(world, capfd):
    assert _run(capfd, world / "h.json", "--texts", world / "none")[0] == 2


def test_the_log_has_the_outcome_and_no_text(world, capfd):
    _run(capfd, world / "h.json", "--texts", world / "texts", "--audit", world / "log")
    lines = [line for file in (world / "log").rglob("*.jsonl") for line in file.read_text().splitlines()]
    events = [json.loads(line) for line in lines if '"claim_verified"' in line]
    assert [one["support"] for one in events] == ["quote_verified"]
    assert len(events[0]["text_hash"]) == 64
    assert not any(QUOTE in line for line in lines)


def test_the_log_of_claims_is_whole(world, capfd):
    """What opens a claim is named by its event: verified, exported, and missed once it is gone."""
    log, archive = world / "log", world / "log.tar"
    _run(capfd, world / "h.json", "--audit", log)

    def audit(*arguments):
        with pytest.raises(SystemExit) as ended:
            door.main(["audit", *map(str, arguments)])
        return int(ended.value.code or 0), capfd.readouterr()

    code, told = audit("verify", log)
    assert code == 0
    assert "aborted" not in told.out + told.err
    assert audit("export", log, "-o", archive, "--private")[0] == 0
    with tarfile.open(archive) as opened:
        (name,) = (one for one in opened.getnames() if one.endswith("private.jsonl"))
        rows = opened.extractfile(name).read().splitlines()
    assert [json.loads(row)["kind"] for row in rows].count("claim") == len(HYPOTHESIS["claims"])
    with closing(sqlite3.connect(log / "private.sqlite")) as rows_of, rows_of:
        rows_of.execute("DELETE FROM rows WHERE kind = 'claim'")
    told = audit("verify", log)[1]
    assert "cannot be opened" in told.out + told.err


def test_python(world):
    grounded = citeproof.ground(HYPOTHESIS, texts=[world / "texts"])
    assert grounded.claims[0].support.outcome.value == "quote_verified"
    assert citeproof.ground(HYPOTHESIS).claims[0].support is None
