"""`bench ablate` and `bench compare --judge`: one part off at a time, a model on loopback as judge."""

from __future__ import annotations

import json

import pytest
from tests.surfaces.test_bench_run import items, world  # noqa: F401 - fixtures

from citeproof.laboratory.testing import ModelTurn, Shelf, World, make_model_apis


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


def answer_always(call):
    """A comparator that finds every citation perfect, and a reviewer that agrees."""
    known = (call.schema or {}).get("properties", {})
    given = {"score": 10, "confidence": "high", "rationale": "fine", "differences": [], "key_differences": [],
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
    flags = ("--snapshot", world, "--sources", "snapshot", "--draws", 20, "--format", "json")
    done = cli("bench", "compare", items, "--judge", "default,openai:m", *flags)
    assert done.code == 0, done.err
    first, second = json.loads(done.out)["systems"]
    assert (first["name"], second["name"]) == ("default", "openai:m")
    assert second["figures"]["three.accuracy"] >= first["figures"]["three.accuracy"] - 0.01
    assert judge
    assert "a reference" in done.err


def test_nothing_to_compare_is_said(cli, items):  # noqa: F811 - same
    done = cli("bench", "compare", items)
    assert (done.code, "nothing to compare" in done.err) == (2, True)
