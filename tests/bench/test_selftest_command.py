"""The self-test as it is called: `python -m bench.selftest`."""

from __future__ import annotations

import json

import pytest
from bench.selftest.__main__ import command
from bench.selftest.mutations import WAYS

from citeproof.answers.serializers.bibliography import build_bibtex_entry
from citeproof.laboratory.testing import Shelf, World
from citeproof.vocabulary import Claimed
from tests.evidence.sources.shelved import RESNET
from tests.surfaces.conftest import EXAMPLES

CITED = Claimed(title=RESNET.title, authors=RESNET.authors, year=2016, venue="CVPR", ids=RESNET.ids)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A snapshot of the examples that claims to be the whole world."""
    from citeproof.evidence.index.build import BuildInput, build
    from citeproof.evidence.index.coverage import parse_claim

    out = tmp_path_factory.mktemp("world") / "snapshot"
    build(
        [BuildInput("bibtex", (EXAMPLES / "records.bib",))], out, covers=(parse_claim("all"),), name="world"
    )
    return out


def test_recall_by_way_and_tier(run, world):
    arguments = (command, EXAMPLES / "records.bib", "--snapshot", world, "--per-type", 3)
    ended = run(*arguments, "--format", "json")
    assert ended.code == 0, ended.err
    assert ended.err == ""  # no progress in a pipe
    made = json.loads(ended.out)
    assert made["verified"] == made["usable"] == made["references"] == 13
    assert list(made["ways"]) == [way.name for way in WAYS]
    assert made["all"]["made"] == sum(way["made"] for way in made["ways"].values())
    assert made["all"]["flagged"] / made["all"]["made"] > 0.9
    assert made["ways"]["swapped_authors"]["made"] == 3
    card = made.pop("card")
    assert card["snapshots"][0]["world"].startswith("closed world")
    again = json.loads(run(*arguments, "--format", "json").out)
    assert again.pop("card")["engine"] == card["engine"]
    assert again == made


@pytest.mark.parametrize(("format_", "mark"), [("text", "Caught by way"), ("md", "**Caught by way**")])
def test_tables_on_screen_and_in_a_file(run, world, tmp_path, format_, mark):
    out = tmp_path / "out"
    arguments = (command, EXAMPLES / "short.txt", "--snapshot", world, "--format", format_)
    ended = run(*arguments, "-o", out)
    assert (ended.code, ended.out) == (0, "")
    told = out.read_text(encoding="utf-8")
    assert mark in told
    assert "1 works verified" in told
    assert "closed world: covers all" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Nobody, N. (2016). A Paper on Nothing that Was Never Written by Anyone. CVPR.",
            "none of 1 references",
        ),
        ("Nothing is cited here.", "no reference was found"),
    ],
)
def test_nothing_that_could_be_spoiled(run, world, tmp_path, text, told):
    file = tmp_path / "a.md"
    file.write_text(f"# Paper\n\n## References\n\n{text}\n" if "CVPR" in text else text, encoding="utf-8")
    ended = run(command, file, "--snapshot", world)
    assert ended.code == 3
    assert told in ended.err
    assert "hint: give a snapshot" in ended.err
    assert ended.out == ""


def test_registries_are_asked_where_there_is_no_snapshot(run, tmp_path, monkeypatch):
    bib = tmp_path / "refs.bib"
    bib.write_text(build_bibtex_entry("he", RESNET.kind, CITED), encoding="utf-8")
    monkeypatch.delenv("CITEPROOF_OFFLINE")
    monkeypatch.setenv("CITEPROOF_LIMITS_DIR", str(tmp_path / "limits"))
    monkeypatch.setenv("CITEPROOF_PACE", "1000")
    with World(Shelf(RESNET)) as registries:
        for name, value in registries.environment().items():
            monkeypatch.setenv(name, value)
        ended = run(command, bib, "--sources", "crossref", "--format", "json")
    assert ended.code == 0, ended.err
    made = json.loads(ended.out)
    assert made["card"]["engine"]["sources"] == ["crossref"]
    assert made["ways"]["partial_author_list"]["flagged"] == 1
    assert made["ways"]["swapped_authors"]["not_possible"] == 1  # there is nobody to swap them with
