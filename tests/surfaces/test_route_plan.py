"""Routes: the plan names whom the retrieval asks, in its order, and asks nobody."""

from __future__ import annotations

import json

import pytest
from tests.surfaces.test_sources import online, world  # noqa: F401 - fixtures

from citeproof.evidence.retrieve.route_plan import RouteStage
from citeproof.evidence.sources import base

PAPER = """@article{devlin, title={BERT: Pre-training of deep bidirectional transformers},
  author={Devlin, Jacob}, year={2019}, doi={10.18653/v1/N19-1423}}
@misc{blog, title={Notes on running large experiments}, author={Somebody, Ann}, year={2020}}
"""


@pytest.fixture
def routes(online, world, tmp_path):  # noqa: F811 - the fixtures
    (tmp_path / "refs.bib").write_text(PAPER)

    def plan(*flags):
        told = online("sources", "plan", str(tmp_path / "refs.bib"), "--format", "json", *flags)
        assert told.code == 0, told.err
        assert world.log == []
        return {one["key"]: one for one in json.loads(told.out)["routes"]}

    return plan


def list_stages(route):
    return list(dict.fromkeys(step["stage"] for step in route["steps"]))


def list_sources(route, stage):
    return [one["source"] for step in route["steps"] if step["stage"] == stage for one in step["lookups"]]


def test_identifiers_go_to_their_registry_before_any_title(routes):
    route = routes()["devlin"]
    assert list_stages(route) == ["identifiers", "registries"]
    assert list_sources(route, "identifiers")[0] == "crossref"
    assert "openalex" in list_sources(route, "registries")
    assert route["most_requests"] >= 3


def test_web_search_comes_last_and_only_if_named(routes):
    assert RouteStage.WEB not in list_stages(routes()["blog"])
    route = routes("--sources", "default,web")["blog"]
    assert list_stages(route) == ["registries", "web"]
    assert sum(one["most_requests"] for one in route["steps"][-1]["lookups"]) == 6  # a search and five pages


def test_web_first_is_the_other_order(routes):
    route = routes("--sources", "default,web", "--route", "web-first")["devlin"]
    assert list_stages(route) == ["web", "identifiers", "registries"]


def test_offline_nobody_is_asked(routes, online, tmp_path):  # noqa: F811 - the fixture
    told = online("sources", "plan", str(tmp_path / "refs.bib"), "--offline")
    assert "no source can be asked" in told.out
    assert "at most 0 requests" in told.out


def test_a_check_asks_nobody_who_is_not_in_the_plan(routes, online, world, tmp_path):  # noqa: F811 - same
    planned = {
        one["source"] for route in routes().values() for step in route["steps"] for one in step["lookups"]
    }
    online("check", str(tmp_path / "refs.bib"))
    asked = {seen.api for seen in world.log}
    assert asked
    assert asked <= planned | {name for one in planned for name in base.find_source(one).profile.further}


def test_strict_match_is_told_beside_the_label(online, tmp_path):  # noqa: F811 - the fixture
    entry = """@article{deep, title={TITLE}, author={LeCun, Yann and Bengio, Yoshua and Hinton, Geoffrey},
  journal={Nature}, year={2015}, doi={10.1038/nature14539}}"""
    file = tmp_path / "deep.bib"
    found = []
    for title in ("Deep learning", "Deep Learning", "Kites in strong wind"):
        file.write_text(entry.replace("TITLE", title))
        row = json.loads(online("check", str(file), "--format", "jsonl").out)
        found.append((row["label"], row["strict_match"]))
    assert found == [("EXACT", True), ("EXACT", False), ("MAJOR", False)]
