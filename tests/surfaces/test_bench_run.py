"""`citeproof bench run`, `compare` and `plot` on a small snapshot."""

from __future__ import annotations

import json

import pytest
from tests.evidence.sources.shelved import RESNET as RECORD
from tests.surfaces.conftest import EXAMPLES

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem, write_items
from citeproof.laboratory.testing import Shelf, World

RESNET = "He, K., Zhang, X., Ren, S., & Sun, J. (2016). Deep Residual Learning for Image Recognition. CVPR."
WRONG = RESNET.replace("2016", "2012")
NOBODY = "Nobody, N. (2016). A Paper on Nothing that Was Never Written by Anyone. CVPR."
BIB = (
    "@inproceedings{x, title={Deep Residual Learning for Image Recognition}, year=2016, "
    "author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}}"
)
MADE = [
    ("EXACT", "valid", "text", RESNET, "a", "test"),
    ("EXACT", "valid", "bibtex", BIB, "a", "test"),
    ("MINOR", "year_shift", "text", WRONG, "b", "test"),
    ("MAJOR", "major", "text", NOBODY, "b", "test"),
    ("MAJOR", "major", "bibtex", "@string{nothing = {here}}", "c", "dev"),
]


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


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.jsonl"
    write_items(
        path,
        [
            BenchmarkItem(
                index=at,
                label=label,
                kind=kind,
                form=form,
                original=text,
                corrupted=text,
                description="",
                collection=group,
                split=split,
            )
            for at, (label, kind, form, text, group, split) in enumerate(MADE)
        ],
    )
    return path


def run(cli, world, *arguments):
    ended = cli("bench", "run", *arguments, "--snapshot", world, "--draws", 20)
    assert ended.code == 0, ended.err
    return ended


def test_figures_and_card_as_json(cli, items, world, tmp_path):
    ended = run(cli, world, items, "--format", "json", "--card", tmp_path / "card.json")
    made = json.loads(ended.out)
    (result,) = made["results"]
    assert (result["items"], result["unchecked"]) == (5, 1)
    assert result["confusion"]["EXACT"]["EXACT"] == 2
    assert result["confusion"]["MAJOR"] == {"EXACT": 0, "MINOR": 0, "MAJOR": 1, "unchecked": 1}
    assert made["mean"] == {}
    card = json.loads((tmp_path / "card.json").read_text())
    assert card == made["card"]
    assert card["engine"]["offline"] is True
    assert card["snapshots"][0]["world"].startswith("closed world: covers all")
    assert card["files"][0]["items"] == 5
    assert len(card["files"][0]["sha256"]) == len(card["settings"]) == 64
    assert ended.err == ""  # no progress in a pipe


def test_text_and_markdown(cli, items, world):
    text = run(cli, world, items, "--split", "test").out
    for part in (
        "items.jsonl: 4 items, 0 unchecked",
        "macro-F1",
        "closed world: covers all",
        "τ_E",
        "of split test",
    ):
        assert part in text
    assert "| macro-F1 |" in run(cli, world, items, "--format", "md").out


def test_a_rerun_reuses_the_answers_unless_it_is_to_be_fresh(cli, items, world, tmp_path):
    answers = tmp_path / "answers.jsonl"
    counts = []
    for flags in ((), (), ("--fresh",)):
        made = json.loads(run(cli, world, items, "--answers", answers, "--format", "json", *flags).out)
        counts.append((made["card"]["answers_reused"], made["card"]["fresh"]))
        assert len(answers.read_text().splitlines()) == 6
    assert counts == [(0, False), (5, False), (0, True)]
    keep = answers.read_text().splitlines(keepends=True)
    answers.write_text("".join(keep[:3]) + keep[3][:30])  # as an interrupt leaves it
    made = json.loads(run(cli, world, items, "--answers", answers, "--format", "json").out)
    assert made["card"]["answers_reused"] == 2
    assert made["results"][0]["items"] == 5
    assert len(answers.read_text().splitlines()) == 6


def test_answers_of_another_snapshot_are_refused(cli, items, world, snapshot, tmp_path):
    run(cli, world, items, "--answers", tmp_path / "answers.jsonl")
    ended = cli("bench", "run", items, "--answers", tmp_path / "answers.jsonl", "--snapshot", snapshot)
    assert ended.code == 2
    assert "was answered with snapshots" in ended.err
    assert "--fresh" in ended.err


def test_several_files_give_the_mean(cli, items, world, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"".join(items.read_bytes().splitlines(keepends=True)[:3]))
    ended = run(cli, world, items, other, "--answers", tmp_path / "kept", "--format", "json")
    made = json.loads(ended.out)
    each = [one["figures"]["three.accuracy"] for one in made["results"]]
    assert made["mean"]["three.accuracy"]["mean"] == pytest.approx(sum(each) / 2, abs=1e-5)
    names = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert names == ["items.answers.jsonl", "other.answers.jsonl"]
    assert "Mean of 2 files" in run(cli, world, items, other).out


def test_fresh_asks_the_registries_again(cli, items, tmp_path, monkeypatch):
    monkeypatch.setenv("CITEPROOF_OFFLINE", "0")
    monkeypatch.setenv("CITEPROOF_LIMITS_DIR", str(tmp_path / "limits"))
    monkeypatch.setenv("CITEPROOF_PACE", "1000")
    reused = []
    with World(Shelf(RECORD)) as world:
        for name, value in world.environment().items():
            monkeypatch.setenv(name, value)
        for flags in ((), (), ("--fresh",)):
            ended = cli(
                "bench", "run", items, "--draws", 5, "--format", "json", "--sources", "crossref", *flags
            )
            assert ended.code == 0, ended.err
            reused.append(json.loads(ended.out)["card"]["lookups_reused"])
    assert reused[0] == reused[2] == 0
    assert reused[1] > 0


MISUSED = [
    (("run", "{no}"), "cannot be read"),
    (("run", "{items}", "--snapshot", "{no}"), "no such folder"),
    (("run", "{items}", "{items}", "--answers", "{items}"), "is a file, and several"),
    (("run", "{items}", "--answers", "{items}"), "not an answers file"),
    (("compare", "{items}", "--system", "ours"), "is not NAME=ANSWERS"),
    (("compare", "{items}", "--system", "a={items}"), "is a benchmark"),
    (("compare", "{items}", "--system", "a={csv}", "--system", "a={csv}"), "two systems of one name"),
    (("plot", "{csv}", "--kind", "risk"), "does not contain the true labels"),
    (("plot", "{csv}", "--kind", "risk", "--benchmark", "{items}"), "gives no confidence"),
    (("plot", "{csv}", "--kind", "confusion", "--benchmark", "{items}"), "tells only real from fake"),
]


@pytest.mark.parametrize(("arguments", "word"), MISUSED)
def test_misuse_is_told_with_the_mend(cli, items, tmp_path, arguments, word):
    (tmp_path / "a.csv").write_text("key,label\n0,real\n3,fake\n")
    known = {"items": items, "no": tmp_path / "none", "csv": tmp_path / "a.csv"}
    ended = cli("bench", *(argument.format(**known) for argument in arguments))
    assert ended.code == 2
    assert word in ended.err
    assert "hint:" in ended.err
    assert items.read_bytes().startswith(b'{"index":0')


def test_an_empty_split_is_nothing_to_check(cli, items, world, tmp_path):
    only = tmp_path / "dev.jsonl"
    only.write_bytes(items.read_bytes().splitlines(keepends=True)[-1])
    for arguments in (("run", only), ("compare", only, "--system", "a=b")):
        ended = cli("bench", *arguments, "--split", "test")
        assert ended.code == 3
        assert "no item of split test" in ended.err


@pytest.fixture
def answered(cli, items, world, tmp_path):
    run(cli, world, items, "--answers", tmp_path / "ours.jsonl")
    (tmp_path / "theirs.csv").write_text(
        "key,label,confidence\n0,real,0.9\n1,fake,0.6\n2,fake,0.7\n9,real,0.1\n"
    )
    return tmp_path / "ours.jsonl", tmp_path / "theirs.csv"


@pytest.mark.parametrize("arguments", [("{items}", "--answers", "/dev/zero"), ("/dev/zero",)])
def test_a_device_has_no_end_and_is_refused(cli, items, arguments):
    ended = cli("bench", "run", *(one.format(items=items) for one in arguments))
    assert ended.code == 2
    assert "is a device" in ended.err


def test_answers_to_another_benchmark_are_refused(cli, items, answered, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"".join(items.read_bytes().splitlines(keepends=True)[:-1]))
    ended = cli("bench", "compare", other, "--system", f"a={answered[0]}")
    assert ended.code == 2
    assert "answers another benchmark" in ended.err


def test_compare(cli, items, answered, tmp_path):
    ours, theirs = answered
    systems = ("--system", f"citeproof={ours}", "--system", f"other={theirs}", "--draws", 20)
    ended = cli("bench", "compare", items, *systems, "--svg", tmp_path / "bars.svg")
    assert ended.code == 0, ended.err
    assert "McNemar's exact test on real or fake" in ended.out
    assert "warning: other: 2 of 5 items have no answer" in ended.err
    assert (tmp_path / "bars.svg").read_text().startswith("<svg")
    made = json.loads(cli("bench", "compare", items, *systems, "--format", "json").out)
    assert [one["name"] for one in made["systems"]] == ["citeproof", "other"]
    assert made["benchmark"]["shape"] == "items"
    assert "| Kind | Items |" in cli("bench", "compare", items, *systems, "--format", "md").out


@pytest.mark.parametrize("kind", ["reliability", "risk", "bars", "confusion"])
def test_plot(cli, answered, tmp_path, kind):
    ended = cli("bench", "plot", answered[0], "--kind", kind, "-o", tmp_path / "out.svg", "--title", "Ours")
    assert ended.code == 0, ended.err
    assert "<title>Ours" in (tmp_path / "out.svg").read_text()
    assert (
        cli("bench", "plot", answered[0], "--kind", kind, "--title", "Ours").out
        == (tmp_path / "out.svg").read_text()
    )


@pytest.mark.parametrize("kind", ["reliability", "risk", "bars"])
def test_plot_of_two_systems(cli, items, answered, kind):
    ended = cli("bench", "plot", *answered, "--benchmark", items, "--kind", kind)
    assert ended.code == 0, ended.err
    assert "ours" in ended.out
    assert "theirs" in ended.out
