"""A whole run that searches with the tool of a model's provider: found as by any engine, and replayed."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from citeproof.answers.reporters.jsonl import Jsonl
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.evidence.index.build import BuildInput, build
from citeproof.laboratory.testing import Faults, World
from citeproof.laboratory.testing.apis import searxng, url
from citeproof.proof.replay import Replay, ReplayState
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.settings import load
from citeproof.vocabulary import Document
from tests.evidence.sources.inmemory import Shelf
from tests.laboratory.testing.conftest import PLANCK, RESNET
from tests.model_servers import ObedientModel, make_model_apis

RECORDS = "@misc{x, title={A work that nobody cites here}, author={Doe, Jane}, year={1999}}"
CITED = """@misc{known, title={Deep Residual Learning for Image Recognition},
  author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, year={2016}}
@misc{none, title={A treatise on the migration of paper clips in offices}, author={Roe, Rita}, year={2011}}
"""


class SearchLab:
    """A snapshot that lacks the cited works, and a world in which the web has one of them."""

    def __init__(self, folder, **faults):
        self.folder = folder
        (folder / "records.bib").write_text(RECORDS)
        build([BuildInput("bibtex", (folder / "records.bib",))], folder / "snapshot", name="lab")
        apis = make_model_apis(ObedientModel()) | {"url": url.answer, "searxng": searxng.answer}
        self.world = World(Shelf(RESNET, PLANCK), apis=apis, faults=faults)
        self.world.start()

    def run(self, run, **more):
        variables = {
            "CITEPROOF_SNAPSHOT": str(self.folder / "snapshot"),
            "CITEPROOF_SOURCES": "snapshot,web",
            "CITEPROOF_CACHE_DIR": str(self.folder / f"cache-{run}"),
            "CITEPROOF_LIMITS_DIR": str(self.folder / "limits"),
            "CITEPROOF_AUDIT_DIR": str(self.folder / "audit"),
            "CITEPROOF_AUDIT_KEY": str(self.folder / "keys"),
            "CITEPROOF_AUDIT_RUN": run,
            "CITEPROOF_PRIVATE_HOSTS": urlsplit(self.world.urls["url"]).netloc,
            "CITEPROOF_PACE": "1000",
            **more,
        }
        verifier = assemble(load(environment=variables, folder=self.folder))
        checking = begin_check(verifier, [Document("refs.bib", CITED.encode())])
        lines = "".join(Jsonl().report(ReferenceReport(replace(checking.run, overrides=()), checking)))
        return {one["key"]: one for one in map(json.loads, lines.splitlines())}

    def search(self, run="tool", **more):
        named = {"CITEPROOF_LLM": "anthropic:m-1", "CITEPROOF_LLM_SEARCH": "true"}
        named |= {"CITEPROOF_LLM_URL": self.world.urls["anthropic"], "CITEPROOF_LLM_KEY": "sk-CANARY"}
        return self.run(run, **named, CITEPROOF_LLM_PRICE="1/5", **more)

    def count_searches(self):
        return sum(b'"tools"' in call.body for call in self.world.log)


@pytest.fixture
def lab(tmp_path):
    made = []

    def make(**faults):
        made.append(SearchLab(tmp_path, **faults))
        return made[-1]

    yield make
    for one in made:
        one.world.close()


COMPARED = ("verdict", "label", "score")


def test_the_tool_gives_what_another_engine_gives(lab):
    one = lab()
    plain = one.run("engine", CITEPROOF_SEARXNG_URL=one.world.urls["searxng"])
    tool = one.search()
    assert one.count_searches() == 2
    assert plain["known"]["matched"]["source"] == "web"
    for key in plain:
        assert {part: tool[key][part] for part in COMPARED} == {part: plain[key][part] for part in COMPARED}
    assert tool["none"]["verdict"] == "unchecked"  # that the web has nothing shows nothing
    assert "CANARY" not in json.dumps(tool)


def test_a_replay_reads_the_recorded_search_and_spends_nothing(lab):
    one = lab()
    one.search()
    sent = len(one.world.log)
    with Replay.open(one.folder / "audit", "tool") as again:
        assert [found.state for found in again.references()] == [ReplayState.IDENTICAL] * 2
    assert len(one.world.log) == sent


def test_a_ceiling_that_one_search_may_pass_stops_it(lab):
    one = lab()
    found = one.search(CITEPROOF_LLM_MAX_DOLLARS="0.2")
    assert one.count_searches() == 0
    causes = {
        each["cause"] for each in found["known"]["provenance"]["unchecked"] if each["registry"] == "web"
    }
    assert causes == {"over_budget"}


def test_a_fault_of_the_server_is_could_not_check(lab):
    one = lab(anthropic=Faults.status(500))
    found = one.search()
    assert found["known"]["verdict"] == "unchecked"
    assert any(each["registry"] == "web" for each in found["known"]["provenance"]["unchecked"])
