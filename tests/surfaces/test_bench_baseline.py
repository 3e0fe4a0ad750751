"""`citeproof bench baseline`: a scripted model on loopback, its examples, its figures and its cost."""

from __future__ import annotations

import json
import re

import pytest
from tests.hostile.repository import entries
from tests.model_servers import ModelTurn, make_model_apis

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem, write_items
from citeproof.laboratory.testing import Faults, Shelf, World

LABELS = ("EXACT", "MINOR", "MAJOR")


def make_items(path, per_class, split):
    write_items(
        path,
        [
            BenchmarkItem(
                index=at,
                label=LABELS[at % 3],
                kind="valid" if at % 3 == 0 else "made",
                form="text",
                original="",
                corrupted=f"{LABELS[at % 3].title()} A. (2001). A work of number {at}. Journal.",
                description="",
                collection=str(at % 4),
                split=split(at),
            )
            for at in range(3 * per_class)
        ],
    )


class ScriptedModel:
    """Knows the class by the author's name; calls every third MINOR item EXACT."""

    def __init__(self):
        self.calls = []

    def __call__(self, call):
        self.calls.append(call)
        cited = call.user.split("the citation to classify")[1]
        word = re.search(r"(Exact|Minor|Major) A\.", cited)[1].lower()
        number = int(re.search(r"number (\d+)", cited)[1])
        label = "exact" if word == "minor" and number % 9 == 1 else word
        score = {"exact": 9.5, "minor": 6, "major": 1}[label]
        said = {"label": label, "score": score, "reasoning": "by its name", "found_evidence": False}
        return ModelTurn(json.dumps(said))


@pytest.fixture
def model(cli, monkeypatch, tmp_path):
    scripted = ScriptedModel()
    monkeypatch.delenv("CITEPROOF_OFFLINE")
    with World(Shelf(), apis=make_model_apis(scripted)) as world:
        told = {"LLM_URL": world.urls["openai"], "LLM_KEY": "k", "LLM_PRICE": "1/2",
                "CACHE_DIR": tmp_path / "c", "LIMITS_DIR": tmp_path / "l", "LLM": "openai:m"}  # fmt: skip
        for name, value in told.items():
            monkeypatch.setenv(f"CITEPROOF_{name}", str(value))
        yield scripted


def test_figures_cost_and_answers(cli, model, tmp_path):
    make_items(tmp_path / "items.jsonl", 12, lambda _: "test")
    done = cli("bench", "baseline", "items.jsonl", "--answers", "said.csv", "--format", "json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["baseline"]["failed"] == 0
    assert told["baseline"]["micro_dollars"] > 0
    assert len(model.calls) == 36
    assert "example 1" not in model.calls[0].user
    compared = cli("bench", "compare", "items.jsonl", "--system", "m=said.csv", "--format", "json")
    figures = json.loads(compared.out)["systems"][0]["figures"]
    assert figures["three.accuracy"] == pytest.approx(32 / 36)


def test_examples_are_nine_of_each_class_and_not_measured(cli, model, tmp_path):
    make_items(tmp_path / "items.jsonl", 20, lambda at: "dev" if at < 36 else "test")
    done = cli("bench", "baseline", "items.jsonl", "--shots", "27")
    assert done.code == 0, done.err
    assert "27 examples" in done.out
    assert len(model.calls) == 60 - 27
    shown = re.findall(r"Decision: (\{[^}]*\})", model.calls[0].user.replace('\\"', '"'))
    decisions = [json.loads(text) for text in shown]
    assert sorted(one["label"] for one in decisions) == sorted(["exact", "minor", "major"] * 9)
    assert all(set(one) == {"label", "score", "reasoning", "found_evidence"} for one in decisions)
    assert {(one["label"], one["found_evidence"]) for one in decisions} == {
        ("exact", True), ("minor", True), ("major", False)}  # fmt: skip


def test_too_few_examples_are_an_error(cli, model, tmp_path):
    make_items(tmp_path / "items.jsonl", 5, lambda _: "dev")
    done = cli("bench", "baseline", "items.jsonl", "--shots", "27")
    assert done.code == 2
    assert "9 are needed" in done.err
    assert model.calls == []


def test_the_ceiling_on_money_ends_the_questions(cli, model, tmp_path):
    make_items(tmp_path / "items.jsonl", 12, lambda _: "test")
    done = cli("bench", "baseline", "items.jsonl", "--llm-max-dollars", "0.02", "--format", "json")
    told = json.loads(done.out)
    assert 0 < told["baseline"]["micro_dollars"] <= 20_000
    assert told["baseline"]["failed"] > 0


def test_without_a_model_it_says_so(cli, model, monkeypatch, tmp_path):
    monkeypatch.delenv("CITEPROOF_LLM")
    make_items(tmp_path / "items.jsonl", 12, lambda _: "test")
    done = cli("bench", "baseline", "items.jsonl")
    assert (done.code, "no language model is named" in done.err) == (2, True)


GIVEN_UP = "warning: the language model was not asked any more: 5 questions in a row had no reply"


@pytest.fixture
def refusing(model, monkeypatch, tmp_path):
    """The address of a model that refuses every call."""
    with World(Shelf(), apis=make_model_apis(model), faults={"openai": Faults.status(401)}) as world:
        monkeypatch.setenv("CITEPROOF_LLM_URL", world.urls["openai"])
        yield


def test_that_the_model_was_given_up_is_told(cli, refusing, tmp_path):
    make_items(tmp_path / "items.jsonl", 12, lambda _: "test")
    done = cli("bench", "baseline", "items.jsonl")
    assert done.code == 0, done.err
    assert GIVEN_UP in done.err


def test_that_the_editing_model_was_given_up_is_told(cli, refusing, tmp_path):
    (tmp_path / "many.bib").write_text("".join(entries(500)), encoding="utf-8")
    options = ("--from", "bibtex", "--count", "12", "-o", "made.jsonl")
    done = cli("bench", "make", "citecheck", "many.bib", *options)
    assert done.code == 0, done.err
    assert GIVEN_UP in done.err
    assert (tmp_path / "made.jsonl").stat().st_size


def test_a_model_that_is_not_asked_offline_is_told(cli, model, monkeypatch, tmp_path):
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    monkeypatch.setenv("CITEPROOF_LLM_URL", "http://example.org/v1")
    make_items(tmp_path / "items.jsonl", 4, lambda _: "test")
    done = cli("bench", "baseline", "items.jsonl")
    assert "warning: the language model was not asked: the run is offline" in done.err
    assert model.calls == []
