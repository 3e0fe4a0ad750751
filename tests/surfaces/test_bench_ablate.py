"""`bench ablate`, and a model on loopback as judge: run, compared with the default judge, tuned."""

from __future__ import annotations

import json

import pytest
from tests.model_servers import ModelTurn, make_model_apis
from tests.surfaces.test_bench_run import NOBODY, RESNET, items, world  # noqa: F401 - fixtures

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem, write_items
from citeproof.laboratory.testing import Shelf, World


def test_offline_only_the_judge_can_be_replaced(cli, world, items):  # noqa: F811 - the fixtures
    done = cli("bench", "ablate", items, "--snapshot", world, "--offline", "--draws", 20, "--format", "json")
    assert done.code == 0, done.err
    runs = {one["without"]: one for one in json.loads(done.out)["runs"]}
    assert list(runs) == ["nothing", "judge"]
    whole, letters = (runs[name]["figures"]["three.accuracy"] for name in ("nothing", "judge"))
    assert letters < whole
    table = cli("bench", "ablate", items, "--snapshot", world, "--offline", "--draws", 20).out
    assert "without judge" in table
    assert "(-" in table


GIVEN = {"score": 1, "classification": "exact"}


def answer_always(call):
    """A comparator that finds every citation perfect, and a reviewer that agrees."""
    known = (call.schema or {}).get("properties", {})
    given = {**GIVEN, "confidence": "high", "rationale": "fine", "differences": [], "key_differences": [],
             "label": "EXACT", "verdict": "EXACT", "agree": True}  # fmt: skip
    return ModelTurn(json.dumps({name: given[name] for name in known if name in given}))


@pytest.fixture
def judge(cli, monkeypatch, tmp_path):
    calls = []

    def model(call):
        calls.append(call)
        return answer_always(call)

    monkeypatch.delenv("CITEPROOF_OFFLINE")
    with World(Shelf(), apis=make_model_apis(model)) as loopback:
        told = {**loopback.environment(), "CITEPROOF_LLM_URL": loopback.urls["openai"]}
        told |= {"CITEPROOF_LLM_KEY": "k", "CITEPROOF_LLM_PRICE": "1/2", "CITEPROOF_PACE": "1000"}
        told |= {"CITEPROOF_CACHE_DIR": str(tmp_path / "c"), "CITEPROOF_LIMITS_DIR": str(tmp_path / "l")}
        for name, value in told.items():
            monkeypatch.setenv(name, value)
        yield calls


def test_with_a_model_the_reviewer_is_a_part(cli, world, items, judge):  # noqa: F811 - same
    flags = ("--snapshot", world, "--sources", "snapshot,crossref", "--llm", "openai:m", "--draws", 20)
    done = cli("bench", "ablate", items, *flags, "--format", "json")
    assert done.code == 0, done.err
    runs = {one["without"]: one for one in json.loads(done.out)["runs"]}
    assert list(runs) == ["nothing", "reviewer", "registries", "judge"]
    assert runs["nothing"]["micro_dollars"] > 0


def test_judges_are_compared_side_by_side(cli, world, items, judge):  # noqa: F811 - same
    flags = ("--snapshot", world, "--sources", "snapshot", "--draws", 20)
    for name, model in (("default", ()), ("openai:m", ("--llm", "openai:m"))):
        done = cli("bench", "run", items, *flags, *model, "--answers", f"{name}.jsonl")
        assert done.code == 0, done.err
    systems = ("--system", "default=default.jsonl", "--system", "openai:m=openai:m.jsonl")
    done = cli("bench", "compare", items, *systems, "--draws", 20, "--format", "json")
    assert done.code == 0, done.err
    first, second = json.loads(done.out)["systems"]
    assert (first["name"], second["name"]) == ("default", "openai:m")
    assert second["figures"]["three.accuracy"] >= first["figures"]["three.accuracy"] - 0.01
    assert judge


def test_thresholds_of_a_model_are_tuned_on_its_stored_scores(cli, world, judge, tmp_path, monkeypatch):  # noqa: F811 - same
    """A model that scores 7 where the venue differs: EXACT from 7 on is right, and no call is needed."""
    text = RESNET.replace("CVPR", "Journal of Vision Research") + " doi:10.1109/cvpr.2016.90"
    write_items(
        tmp_path / "dev.jsonl",
        [BenchmarkItem(index=at, label=label, kind="made", form="text", original=cited, corrupted=cited,
                       description="", split="dev")
         for at, (label, cited) in enumerate((("EXACT", text), ("MAJOR", NOBODY)))],
    )  # fmt: skip
    monkeypatch.setitem(GIVEN, "score", 7)
    flags = ("--snapshot", world, "--sources", "snapshot", "--llm", "openai:m")
    done = cli("bench", "run", "dev.jsonl", *flags, "--answers", "said.jsonl", "--draws", 20)
    assert done.code == 0, done.err
    asked = len(judge)
    refused = cli("bench", "tune", "--llm", "openai:other", "said.jsonl")
    assert (refused.code, "answered by" in refused.err) == (2, True)
    done = cli("bench", "tune", "--llm", "openai:m", "said.jsonl", "--format", "json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["present"]["figures"]["accuracy"] == 0.5
    assert (told["chosen"]["llm_exact_at"], told["chosen"]["language_model"]) == (7.0, "openai:m")
    assert told["chosen"]["figures"]["accuracy"] == 1.0
    assert len(judge) == asked, "tuning asks no model"
    done = cli("bench", "run", "dev.jsonl", *flags, "--draws", 20, "--format", "json")
    told = json.loads(done.out)
    assert told["card"]["engine"]["judge"].endswith("+m7/1.25")
    assert (told["results"][0]["kinds"]["made"]["passed"], told["results"][0]["unchecked"]) == (1, 0)
    other = cli("bench", "run", "dev.jsonl", *flags[:-1], "openai:other", "--draws", 20, "--format", "json")
    assert "are not used for openai:other" in other.err
    assert "+m" not in json.loads(other.out)["card"]["engine"]["judge"]


def test_nothing_to_compare_is_said(cli, items):  # noqa: F811 - same
    done = cli("bench", "compare", items)
    assert (done.code, "nothing to compare" in done.err) == (2, True)
