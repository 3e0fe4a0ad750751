"""`citeproof bench selftest` and `realism`, as they are called."""

from __future__ import annotations

import json

import pytest
from tests.evidence.sources.shelved import RESNET
from tests.surfaces.conftest import EXAMPLES

from citeproof.answers.serializers.bibliography import build_bibtex_entry
from citeproof.laboratory.measure.makers.mutations import WAYS
from citeproof.laboratory.testing import Shelf, World
from citeproof.vocabulary import Claimed

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


def test_recall_by_way_and_tier(cli, world):
    arguments = ("bench", "selftest", EXAMPLES / "records.bib", "--snapshot", world, "--per-type", 3)
    ended = cli(*arguments, "--format", "json")
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
    again = json.loads(cli(*arguments, "--format", "json").out)
    assert again.pop("card")["engine"] == card["engine"]
    assert again == made


@pytest.mark.parametrize(("format_", "mark"), [("text", "Caught by way"), ("md", "**Caught by way**")])
def test_tables_on_screen_and_in_a_file(cli, world, tmp_path, format_, mark):
    out = tmp_path / "out"
    arguments = ("bench", "selftest", EXAMPLES / "short.txt", "--snapshot", world, "--format", format_)
    ended = cli(*arguments, "-o", out)
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
def test_nothing_that_could_be_spoiled(cli, world, tmp_path, text, told):
    file = tmp_path / "a.md"
    file.write_text(f"# Paper\n\n## References\n\n{text}\n" if "CVPR" in text else text, encoding="utf-8")
    ended = cli("bench", "selftest", file, "--snapshot", world)
    assert ended.code == 3
    assert told in ended.err
    assert "hint: give a snapshot" in ended.err
    assert ended.out == ""


def test_registries_are_asked_where_there_is_no_snapshot(cli, tmp_path, monkeypatch):
    bib = tmp_path / "refs.bib"
    bib.write_text(build_bibtex_entry("he", RESNET.kind, CITED), encoding="utf-8")
    monkeypatch.delenv("CITEPROOF_OFFLINE")
    monkeypatch.setenv("CITEPROOF_LIMITS_DIR", str(tmp_path / "limits"))
    monkeypatch.setenv("CITEPROOF_PACE", "1000")
    with World(Shelf(RESNET)) as registries:
        for name, value in registries.environment().items():
            monkeypatch.setenv(name, value)
        ended = cli("bench", "selftest", bib, "--sources", "crossref", "--format", "json")
    assert ended.code == 0, ended.err
    made = json.loads(ended.out)
    assert made["card"]["engine"]["sources"] == ["crossref"]
    assert made["ways"]["partial_author_list"]["flagged"] == 1
    assert made["ways"]["swapped_authors"]["not_possible"] == 1  # there is nobody to swap them with


COUNTS = "kind,count\n{}"


@pytest.fixture
def counts(tmp_path):
    def write(name, **counts):
        path = tmp_path / name
        path.write_text(COUNTS.format("".join(f"{k},{n}\n" for k, n in counts.items())), encoding="utf-8")
        return path

    return write


def test_realism_tells_what_differs(cli, counts):
    ended = cli(
        "bench", "realism", counts("a.csv", title=90, year=10), "--real", counts("b.csv", title=50, year=50)
    )
    assert ended.code == 0
    for part in ("chi-square 38.10", "p < 0.0001", "Cramér's V 0.44 (medium)", "40% of the errors"):
        assert part in ended.out
    assert "a.csv has too many: title" in ended.out
    assert "not how hard they are to catch" in ended.out


def test_realism_as_json_and_markdown(cli, counts):
    files = (counts("a.csv", title=10, year=10), "--real", counts("b.csv", title=11, year=9))
    made = json.loads(cli("bench", "realism", *files, "--format", "json").out)
    assert made["p"] > 0.5
    assert made["made"]["counts"] == {"title": 10, "year": 10}
    assert any("no difference was shown" in one for one in made["words"])
    assert cli("bench", "realism", *files, "--format", "md").out.startswith("**Errors by field**")


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ({"title": 5}, {"year": 5}, "no field in common (a.csv: title; b.csv: year)"),
        ({"title": 5}, {"title": 5}, "fewer than two kinds"),
        ({"title": -1}, {"title": 5}, "not a kind with a whole number"),
        ({"title": "many"}, {"title": 5}, "not a kind with a whole number"),
    ],
)
def test_realism_refuses_what_cannot_be_compared(cli, counts, first, second, told):
    ended = cli("bench", "realism", counts("a.csv", **first), "--real", counts("b.csv", **second))
    assert ended.code == 2
    assert told in ended.err
    assert "hint: " in ended.err
