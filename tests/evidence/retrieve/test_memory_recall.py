"""With a memory and without: the same judgements, fewer questions, and a report that tells where from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from citeproof.answers.reporters.jsonl import Jsonl
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.laboratory.testing import Shelf, World
from citeproof.proof.replay import ReplayState
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.settings import load
from citeproof.vocabulary import Document, Ids
from tests.contract import running
from tests.proof.replay import made

pytestmark = pytest.mark.slow
TOLD = ("verdict", "label", "score", "confidence", "findings")  # who is asked first depends on who is free


def check(variables: dict[str, str], folder: Path, data: bytes) -> list[dict]:
    verifier = assemble(load(environment=variables, folder=folder))
    checking = begin_check(verifier, [Document("refs.bib", data)])
    report = "".join(Jsonl().report(ReferenceReport(replace(checking.run, overrides=()), checking)))
    return [json.loads(line) for line in report.splitlines()]


def judged(rows: list[dict]) -> list[dict]:
    return [{name: row[name] for name in TOLD} for row in rows]


def is_recalled(row: dict) -> bool:
    return any(one["registry"] == "memory" for one in row["provenance"]["registries_searched"])


@pytest.fixture(scope="module")
def world():
    with World(Shelf(*made.HELD)) as world:
        yield world


def test_live_judgements_are_the_same_and_what_agrees_in_all_costs_no_request(world, tmp_path):
    data = made.bibliography(2 * len(made.WORKS))
    runs = []
    for name, memory in (("off", ""), ("fills", "memory"), ("filled", "memory")):
        more = {"CITEPROOF_MEMORY": str(tmp_path / memory)} if memory else {}
        folder = tmp_path / name  # its own cache: no answer of another run is used
        folder.mkdir()
        runs.append(check(running.environment(world, folder, **more), folder, data))
    off, fills, filled = runs
    assert judged(fills) == judged(off)
    assert judged(filled) == judged(off)
    assert not any(map(is_recalled, off))
    recalled = [row for row in filled if is_recalled(row)]
    assert recalled
    assert all((row["verdict"], row["label"]) == ("matched", "EXACT") for row in recalled)
    asked = [one for row in recalled for one in row["provenance"]["registries_searched"]]
    assert {one["registry"] for one in asked} == {"memory"}


def test_the_report_says_that_it_is_from_memory_and_since_when(world, tmp_path):
    data = running.bibtex([made.WORKS[0]]).encode()
    variables = running.environment(world, tmp_path, CITEPROOF_MEMORY=str(tmp_path / "memory"))
    first, second = (check(variables, tmp_path, data)[0] for _ in range(2))
    lookup = second["provenance"]["registries_searched"][0]
    assert "From memory" in second["explanation"]
    assert lookup["recorded"][:10] in second["explanation"]
    assert "memory" not in first["explanation"]
    assert second["provenance"]["stops"] == [
        {"reason": "recalled", "not_asked": ["snapshots", "the network"]}
    ]
    same = ("source", "id", "read_at", "content_hash")
    assert [second["matched"][name] for name in same] == [first["matched"][name] for name in same]


def test_a_recalled_judgement_is_logged_and_replayed(world, tmp_path):
    data = made.bibliography(len(made.WORKS))
    memory = {"CITEPROOF_MEMORY": str(tmp_path / "memory")}
    check(running.environment(world, tmp_path, **memory), tmp_path, data)
    rows = check(made.environment(world, tmp_path, **memory), tmp_path, data)
    assert any(map(is_recalled, rows))
    assert {one.state for one in made.replayed(tmp_path)} == {ReplayState.IDENTICAL}


@pytest.mark.parametrize(
    "change",
    [
        {"ids": Ids((("doi", "10.1103/nosuch.1"),))},  # an identifier that is not the record's
        {"titles": ("Another title of which nobody has heard before",)},
        {"authors": ()},
    ],
)
def test_what_does_not_agree_in_all_is_asked_as_if_there_were_no_memory(world, tmp_path, change):
    variables = running.environment(world, tmp_path, CITEPROOF_MEMORY=str(tmp_path / "memory"))
    check(variables, tmp_path, running.bibtex([made.WORKS[0]]).encode())
    wrong = running.bibtex([replace(made.WORKS[0], **change)]).encode()
    row = check(variables, tmp_path, wrong)[0]
    assert not is_recalled(row)
    assert row["provenance"]["registries_searched"]
