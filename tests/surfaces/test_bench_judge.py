"""`citeproof bench tune` and `calibrate`: what they keep is used, told, refused or forgotten."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from tests.surfaces.conftest import EXAMPLES

from citeproof.judgement.judge import model as models
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem, write_items

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/spec/report.schema.json").read_text(encoding="utf-8"))
NAME = models.load_model().name
RIGHT = "He, K., Zhang, X., Ren, S., & Sun, J. (2016). Deep Residual Learning for Image Recognition. CVPR."
WRONG = RIGHT.replace("2016", "2012")
NOBODY = "Nobody, N. (2016). A Paper on Nothing that Was Never Written by Anyone. CVPR."
BIB = "@inproceedings{a, title={Deep Residual Learning for Image Recognition}, year=2012, booktitle={CVPR},"
BIB += " author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}}"


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


def _items(path, *labelled):
    write_items(
        path,
        [
            BenchmarkItem(
                index=at,
                label=label,
                kind="valid" if label == "EXACT" else "made",
                form="text",
                original=text,
                corrupted=text,
                description="",
                collection=f"c{at % 10}",
                split="dev",
            )
            for at, (label, text) in enumerate(labelled)
        ],
    )
    return path


@pytest.fixture
def lenient(tmp_path):
    """A benchmark that takes a year four off for right: the threshold has to move."""
    return _items(tmp_path / "lenient.jsonl", ("EXACT", RIGHT), ("EXACT", WRONG), ("MAJOR", NOBODY))


@pytest.fixture
def many(tmp_path):
    rows = [("EXACT", RIGHT)] * 60 + [("MINOR", WRONG)] * 40 + [("MAJOR", NOBODY)] * 20
    return _items(tmp_path / "many.jsonl", *rows)


@pytest.fixture
def refs(tmp_path):
    path = tmp_path / "refs.bib"
    path.write_text(BIB)
    return path


def _checked(cli, refs, world, *flags):
    ended = cli("check", refs, "--snapshot", world, "--format", "json", *flags)
    made = json.loads(ended.out)
    (one,) = made["references"]
    return made["run"]["judge"], one, ended


def test_thresholds_are_chosen_kept_used_and_forgotten(cli, lenient, refs, world, tmp_path):
    assert _checked(cli, refs, world)[1]["label"] == "MINOR"
    ended = cli("bench", "tune", lenient, "--snapshot", world, "--format", "json")
    assert ended.code == 0, ended.err
    made = json.loads(ended.out)
    chosen = made["chosen"]
    assert chosen["judge"] == NAME
    assert chosen["exact_at"] < made["present"]["exact_at"]
    assert chosen["figures"]["weighted_f1"] == 1.0 > made["present"]["figures"]["weighted_f1"]
    assert len(chosen["data"]["lenient.jsonl"]) == 64

    judge, one, ended = _checked(cli, refs, world)
    assert judge == f"{NAME}+t{chosen['exact_at']:g}/{chosen['minor_at']:g}"
    assert (one["label"], one["provenance"]["judge"]) == ("NOTED", judge)
    assert "warning" not in ended.err

    assert "removed" in cli("bench", "tune", "--forget").out
    assert _checked(cli, refs, world)[0] == NAME
    assert "nothing to forget" in cli("bench", "tune", "--forget").out


def test_a_dry_run_keeps_nothing(cli, lenient, refs, world):
    ended = cli("bench", "tune", lenient, "--snapshot", world, "--dry-run")
    assert ended.code == 0, ended.err
    assert "not saved" in ended.out
    assert _checked(cli, refs, world)[0] == NAME


def test_thresholds_of_another_judge_are_left_aside_with_a_word(
    cli, lenient, refs, world, tmp_path, monkeypatch
):
    path = tmp_path / "mine.json"
    cli("bench", "tune", lenient, "--snapshot", world, "-o", path)
    assert _checked(cli, refs, world)[0] == NAME  # kept elsewhere, and not named yet
    monkeypatch.setenv("CITEPROOF_JUDGE_THRESHOLDS", str(path))
    assert "+t" in _checked(cli, refs, world)[0]
    path.write_text(path.read_text().replace(NAME, "faults-0-another"))
    judge, _, ended = _checked(cli, refs, world)
    assert judge == NAME
    assert "made for the judge faults-0-another" in ended.err
    ended = cli("doctor")
    assert "made for the judge faults-0-another" in ended.out
    assert ended.code == 1


@pytest.mark.parametrize("text", ["", "[]", "{", '{"judge": 1}', "\xff"])
def test_a_broken_file_that_was_asked_for_is_an_error(cli, refs, world, tmp_path, monkeypatch, text):
    path = tmp_path / "broken.json"
    path.write_text(text)
    monkeypatch.setenv("CITEPROOF_JUDGE_THRESHOLDS", str(path))
    ended = cli("check", refs, "--snapshot", world)
    assert ended.code == 2
    assert str(path) in ended.err
    assert "citeproof bench tune" in ended.err


def test_a_broken_file_in_the_default_place_stops_nobody(cli, lenient, refs, world):
    made = json.loads(cli("bench", "tune", lenient, "--snapshot", world, "--format", "json").out)
    with open(made["kept"], "w") as file:  # noqa: PTH123 - the path is text in the answer
        file.write("{")
    judge, _, ended = _checked(cli, refs, world)
    assert judge == NAME
    assert "cannot be read" in ended.err


def test_confidence_and_promise_are_fitted_kept_and_used(cli, many, refs, world):
    ended = cli("bench", "calibrate", many, "--snapshot", world, "--format", "json", "--base-rate", "0.05")
    assert ended.code == 0, ended.err
    made = json.loads(ended.out)
    assert made["calibration"]["judge"] == NAME
    assert made["calibration"]["base_rate"] == pytest.approx(0.5, abs=0.01)
    assert made["calibration"]["stated_rate"] == 0.05
    (population,) = made["calibration"]["promise"]["populations"]
    assert sum(n for _, n in population["strange"]["EXACT"]) == 60
    assert [row["holds"] for row in made["promise"]] == [True] * 4

    judge, one, _ = _checked(cli, refs, world)
    assert judge.startswith(f"{NAME}+c")
    assert one["label"] == "MINOR"
    judge, one, _ = _checked(cli, refs, world, "--max-false-accusations", "0.05")
    assert judge.endswith("+p0.05")
    assert one["label"] == "MINOR"  # no real one of these data looks so
    ended = cli("check", refs, "--snapshot", world, "--max-false-accusations", "0.01")
    assert ended.code == 2
    assert "allow at least 0.0164" in ended.err
    cli("bench", "calibrate", "--forget")
    assert _checked(cli, refs, world)[0] == NAME


def test_a_calibration_belongs_to_its_thresholds(cli, many, lenient, refs, world):
    cli("bench", "calibrate", many, "--snapshot", world)
    cli("bench", "tune", lenient, "--snapshot", world)
    judge, _, ended = _checked(cli, refs, world)
    assert "+t" in judge
    assert "+c" not in judge
    assert "bench calibrate" in ended.err


def test_a_promise_that_is_not_sure_enough_leaves_it_unchecked(cli, refs, world, tmp_path):
    rows = [("EXACT", RIGHT)] * 60 + [("EXACT", WRONG)] * 10 + [("MAJOR", NOBODY)] * 60
    data = _items(tmp_path / "messy.jsonl", *rows)
    cli("bench", "calibrate", data, "--snapshot", world)
    _, one, ended = _checked(cli, refs, world, "--max-false-accusations", "0.05")
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(ended.out))
    assert (ended.code, one["verdict"], one["label"], one["score"]) == (4, "unchecked", None, None)
    assert one["reasons"][0] == "not_sure_enough"
    assert [m["field"] for m in one["mismatches"]] == ["year"]
    assert one["correction"] is None
    told = cli("verify", "--title", "Deep Residual Learning for Image Recognition", "--year", "2012",
               "--author", "He", "--snapshot", world, "--max-false-accusations", "0.05")  # fmt: skip
    assert json.loads(told.out)["citeproof"]["provenance"]["judge"].endswith("+p0.05")


def test_the_text_says_what_was_found(cli, many, world):
    ended = cli("bench", "calibrate", many, "--snapshot", world, "--dry-run", "--method", "platt")
    assert ended.code == 0, ended.err
    for word in (
        "Out of fold",
        "ece",
        "--max-false-accusations",
        "0 of 60",
        "smallest share",
        "not saved",
    ):
        assert word in ended.out


@pytest.mark.parametrize("command", ["tune", "calibrate"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no FILE was given"),
        (("absent.jsonl",), "cannot be read"),
        (("ITEMS", "--split", "test"), "has no item of split test"),
    ],
)
def test_wrong_calls_give_a_hint(cli, lenient, world, command, arguments, said):
    ended = cli("bench", command, *(lenient if a == "ITEMS" else a for a in arguments), "--snapshot", world)
    assert ended.code == 2
    assert said in ended.err
    assert "hint" in ended.err


def test_too_few_items_are_no_calibration(cli, lenient, world):
    ended = cli("bench", "calibrate", lenient, "--snapshot", world)
    assert ended.code == 2
    assert "50 of each are needed" in ended.err


@pytest.mark.parametrize("share", ["0", "1", "1.5", "-0.1", "x", "nan"])
def test_a_share_is_between_zero_and_one(cli, refs, world, share):
    ended = cli("check", refs, "--snapshot", world, "--max-false-accusations", share)
    assert ended.code == 2
    assert "between 0 and 1" in ended.err
