"""A whole run with a language model on loopback: the report, the ceiling, the faults, the log, the replay."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from citeproof.assemble import assemble
from citeproof.index.build import BuildInput, build
from citeproof.replay import Replay, ReplayState
from citeproof.reporters.jsonl import Jsonl
from citeproof.reporters.reference_report import ReferenceReport
from citeproof.service.check_session import begin_check
from citeproof.settings import load
from citeproof.testing import ModelTurn, ObedientModel, World, make_model_apis
from citeproof.vocabulary import Document
from tests.sources.inmemory import Shelf

RECORDS = """@inproceedings{r, title={Deep Residual Learning for Image Recognition},
  author={He, Kaiming and Zhang, Xiangyu}, booktitle={CVPR}, year={2016}, doi={10.1109/cvpr.2016.90}}
"""
CITED = """@inproceedings{nick, title={ResNet}, author={He, Kaiming and Zhang, Xiangyu}, booktitle={CVPR},
  year={2016}, doi={10.1109/cvpr.2016.90}}
@article{other, title={Neural Tangent Kernel Theory and Applications of Deep Models}, author={Doe, Jane},
  journal={Nature}, year={2019}, doi={10.1109/cvpr.2016.90}}
@inproceedings{year, title={Deep Residual Learning for Image Recognition},
  author={He, Kaiming and Zhang, Xiangyu}, booktitle={CVPR}, year={2009}, doi={10.1109/cvpr.2016.90}}
"""
SAID = {"score": 95, "confidence": "high", "rationale": "Same work.", "differences": [], "label": "exact",
        "verdict": "informal_abbreviation", "reasoning": "A common name."}  # fmt: skip


def say(call):
    return {name: value for name, value in SAID.items() if name in call.schema["properties"]}


class Lab:
    """A snapshot, a world with a model, and runs of the same three citations."""

    def __init__(self, folder, behind, **faults):
        self.folder = folder
        (folder / "records.bib").write_text(RECORDS)
        build([BuildInput("bibtex", (folder / "records.bib",))], folder / "snapshot", name="lab")
        self.world = World(Shelf(), apis=make_model_apis(behind), faults=faults)
        self.world.start()

    def run(self, **more: str) -> dict[str, dict]:
        variables = {
            "CITEPROOF_SNAPSHOT": str(self.folder / "snapshot"),
            "CITEPROOF_SOURCES": "snapshot",
            "CITEPROOF_CACHE_DIR": str(self.folder / "cache"),
            "CITEPROOF_LIMITS_DIR": str(self.folder / "limits"),
            "CITEPROOF_AUDIT_DIR": str(self.folder / "audit"),
            "CITEPROOF_AUDIT_KEY": str(self.folder / "keys"),
            **more,
        }
        verifier = assemble(load(environment=variables, folder=self.folder))
        checking = begin_check(verifier, [Document("refs.bib", CITED.encode())])
        lines = "".join(Jsonl().report(ReferenceReport(replace(checking.run, overrides=()), checking)))
        return {one["key"]: one for one in map(json.loads, lines.splitlines())}

    def ask(self, **more: str) -> dict[str, dict]:
        url = self.world.urls["openai"]
        named = {"CITEPROOF_LLM": "openai:m-1", "CITEPROOF_LLM_URL": url, "CITEPROOF_LLM_KEY": "sk-CANARY"}
        return self.run(**named, CITEPROOF_LLM_PRICE="3/15", **more)


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setattr("citeproof.models.served_model.PAUSE", 0.01)
    made = []

    def make(behind=None, **faults):
        made.append(Lab(tmp_path, behind or ObedientModel(say), **faults))
        return made[-1]

    yield make
    for one in made:
        one.world.close()


def test_a_model_moves_what_is_open_and_nothing_else(lab):
    one = lab()
    plain, asked = one.run(CITEPROOF_AUDIT_RUN="plain"), one.ask(CITEPROOF_AUDIT_RUN="asked")
    assert {key: found["label"] for key, found in plain.items()} == {
        "nick": "MAJOR", "other": "MAJOR", "year": "MINOR",
    }  # fmt: skip
    assert {key: (found["verdict"], found["label"]) for key, found in asked.items()} == {
        "nick": ("matched", "MINOR"),
        "other": ("mismatch", "MAJOR"),
        "year": ("matched", "MINOR"),
    }
    told = asked["nick"]["provenance"]["llm"]
    assert told["model"] == "openai:m-1"
    assert told["first"]["label"] == "MAJOR"
    assert all(step["cost_usd"] > 0 and step["tokens"]["input"] for step in told["asked"])
    assert "llm" not in plain["nick"]["provenance"]
    assert "CANARY" not in json.dumps(asked)


def test_a_replay_uses_the_recorded_answers(lab):
    one = lab()
    asked = one.ask(CITEPROOF_AUDIT_RUN="asked")
    sent = len(one.world.log)
    with Replay.open(one.folder / "audit", "asked") as again:
        replayed = list(again.references())
    assert [found.state for found in replayed] == [ReplayState.IDENTICAL] * 3
    assert len(one.world.log) == sent
    assert [found.checked.label for found in replayed] == [found["label"] for found in asked.values()]


@pytest.mark.parametrize("cause", ["refusal", "schema", "truncated", "over_budget"])
def test_a_fault_leaves_the_default_judgement_and_the_report_says_so(lab, cause):
    turns = {
        "refusal": lambda _: ModelTurn(refusal="I cannot help with that."),
        "schema": lambda _: ModelTurn('{"score": "a hundred", "label": "EXACT", "verdict": true}'),
        "truncated": lambda _: ModelTurn('{"score": 95, "rationale": "Same', thinking=100_000),
    }
    one = lab(turns.get(cause))
    plain = one.run(CITEPROOF_AUDIT_RUN="plain")
    budget = {"CITEPROOF_LLM_MAX_DOLLARS": "0.000001"} if cause == "over_budget" else {}
    asked = one.ask(CITEPROOF_AUDIT_RUN="asked", **budget)
    for key, found in asked.items():
        gaps = {step["gap"]["cause"] for step in found["provenance"]["llm"]["asked"]}
        assert gaps == {cause}
        for part in ("verdict", "label", "score", "confidence", "band", "reasons", "explanation"):
            assert found[part] == plain[key][part]
    if cause == "over_budget":
        assert not one.world.log


def test_without_a_model_nothing_of_it_is_loaded(tmp_path):
    code = (
        "import sys; from citeproof.assemble import assemble; from citeproof.settings import load;"
        "assemble(load({'offline': True}, environment={}), stage=None);"
        "print([n for n in sys.modules if n.startswith(('citeproof.review', 'citeproof.models'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.strip() == "[]"
