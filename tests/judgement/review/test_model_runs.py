"""A whole run with a language model on loopback: the report, the ceiling, the faults, the log, the replay."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from citeproof.answers.reporters.jsonl import Jsonl
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.evidence.index.build import BuildInput, build
from citeproof.judgement.models.served_model import GIVE_UP_AFTER
from citeproof.laboratory.testing import Faults, World
from citeproof.proof.replay import Replay, ReplayState
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.settings import load
from citeproof.surfaces.cli.main import cli
from citeproof.vocabulary import Document
from tests.evidence.sources.inmemory import Shelf
from tests.model_servers import ModelTurn, ObedientModel, make_model_apis

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/spec/report.schema.json").read_text("utf-8"))
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
SAID = {"score": 9.5, "classification": "exact", "confidence": "high", "rationale": "Same work.",
        "differences": [], "label": "exact",
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

    def check(self, cited: str, *flags: str) -> tuple[list[dict], str]:
        """Return the references and what standard error says, of the command itself."""
        (self.folder / "refs.bib").write_text(cited)
        variables = {
            "CITEPROOF_SNAPSHOT": str(self.folder / "snapshot"),
            "CITEPROOF_SOURCES": "snapshot",
            "CITEPROOF_CACHE_DIR": str(self.folder / "cache"),
            "CITEPROOF_LIMITS_DIR": str(self.folder / "limits"),
            "CITEPROOF_OFFLINE": "false",
            "CITEPROOF_LLM_URL": self.world.urls["openai"],
            "CITEPROOF_LLM_KEY": "sk-CANARY",
        }
        command = ["check", str(self.folder / "refs.bib"), "--format", "jsonl", *flags]
        done = CliRunner().invoke(cli, command, env=variables, standalone_mode=False)
        assert done.exception is None
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setattr("citeproof.judgement.models.served_model.PAUSE", 0.01)
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
    shape = {"$ref": "#/$defs/checked", "$defs": SCHEMA["$defs"]}
    for found in asked.values():
        jsonschema.validate(found, shape)


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


BUSY = {
    "429": (Faults.status(429), "rate_limited"),
    "429-at-once": (Faults.status(429, retry_after=0), "rate_limited"),
    "500": (Faults.status(500), "server_error"),
    "401": (Faults.status(401), "rejected"),
}


@pytest.mark.parametrize("name", BUSY)
def test_a_check_ends_though_the_server_of_the_model_never_answers(lab, monkeypatch, name):
    fault, cause = BUSY[name]
    monkeypatch.setattr("citeproof.judgement.models.served_model.PATIENCE", 2.0)
    one = lab(openai=fault)
    names = [f"{key}{n}" for n in range(6) for key in ("nick", "other", "year")]
    cited = "".join(re.sub(r"{(nick|other|year),", rf"{{\g<1>{n},", CITED) for n in range(6))
    plain, _ = one.check(cited)
    asked, told = one.check(cited, "--llm", "openai:m-1")
    assert [found["key"] for found in asked] == names
    for found, before in zip(asked, plain, strict=True):
        for part in ("verdict", "label", "score", "confidence", "band", "reasons", "explanation"):
            assert found[part] == before[part]
        gaps = [step["gap"]["cause"] for step in found["provenance"]["llm"]["asked"]]
        assert gaps
        assert set(gaps) <= {cause, "timeout"}  # a server that is left alone for now was not heard
    questions = sum(len(found["provenance"]["llm"]["asked"]) for found in asked)
    assert f"did not answer {questions} of {questions} questions" in told
    assert "was not asked any more: 5 questions in a row had no reply" in told
    assert "no registry" not in told
    assert "CANARY" not in told
    assert len(one.world.log) <= 3 * (GIVE_UP_AFTER + 4)  # and those that were under way


def test_a_check_without_gaps_has_no_warning_and_tells_its_requests(lab):
    one = lab()
    _, told = one.check(CITED, "--llm", "openai:m-1")
    assert "warning" not in told
    assert f"language model: {len(one.world.log)} requests, " in told
    assert "price unknown" in told


def test_without_a_model_nothing_of_it_is_loaded(tmp_path):
    code = (
        "import sys; from citeproof.service.assemble import assemble; from citeproof.settings import load;"
        "assemble(load({'offline': True}, environment={}), stage=None);"
        "print([n for n in sys.modules if n.startswith("
        "('citeproof.judgement.review', 'citeproof.judgement.models'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.strip() == "[]"
