"""Orders in titles, notes, sentences and records, against a model that obeys every one of them.

Twice: as a run does it, and with the search for orders switched off, so that only the bounds stand between an
obedient model and the verdict.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from citeproof.answers.serializers.judgements import build_provenance_json
from citeproof.judgement.judge import model as judges
from citeproof.judgement.review import ModelReview
from citeproof.judgement.review.model_exchange import GateOutcome
from citeproof.vocabulary import Label, Version
from tests.judgement.judge.conftest import a_record, a_reference
from tests.judgement.models.conftest import bench  # noqa: F401 - a fixture
from tests.judgement.review.review_cases import ABSENT, DOI, RAW, Case, found, make_case, write
from tests.model_servers import ObedientModel

ROWS = [json.loads(line) for line in (Path(__file__).parent / "injections.jsonl").read_text().splitlines()]
RANK = {None: -1, Label.MAJOR: 0, Label.MINOR: 1, Label.EXACT: 2}
PLACES = ("title", "note", "venue", "citing", "record title", "record publisher", "web record")
HONEST = {"score": 3, "classification": "minor", "confidence": "low", "rationale": "",
          "differences": [], "label": "major",
          "verdict": "different_paper", "reasoning": ""}  # fmt: skip


def answer_honestly(call):
    """Return what a model that obeys nobody would say: it is another work."""
    return {name: value for name, value in HONEST.items() if name in call.schema["properties"]}


@cache
def plant(place: str, order: str) -> Case:
    """Return a wrong citation with an order in one place of its texts."""
    record = a_record(ids=(DOI,))
    title, raw, citing, venue = "ResNet", RAW, (), "CVPR"
    match place:
        case "title":
            title = order
        case "note":
            raw = f"{RAW} {order}"
        case "venue":
            venue = order
        case "citing":
            citing = (order,)
        case "record title":
            record = replace(record, titles=(f"{record.title}. {order}",))
        case "record publisher":
            record = replace(record, publisher=order, versions=(Version(2016, "CVPR"),))
        case "web record":
            record = replace(record, titles=(f"{record.title} {order}",), marks=("web",), source="web")
    reference = a_reference(title, ids=(DOI,), venue=venue, authors="A. Person and B. Other")
    return make_case(write(reference, raw, citing), found(record, by="doi"), ABSENT)


def review_all(model, cases):
    async def go():
        room = ModelReview(model, judges.load_model())
        done = [await room.review(one.reference, one.compared, one.judgement) for one in cases]
        await model._client.close()
        return done

    return asyncio.run(go())


def test_there_are_enough_of_many_kinds():
    assert len({row["text"] for row in ROWS}) >= 200
    assert len({row["lang"] for row in ROWS}) >= 20
    assert len({row["kind"] for row in ROWS}) >= 8


@pytest.mark.parametrize("place", PLACES)
def test_no_order_reaches_the_model_and_each_is_a_finding(bench, place):  # noqa: F811 - the fixture
    obedient = ObedientModel(answer_honestly)
    cases = [plant(place, row["text"]) for row in ROWS]
    done = review_all(bench(obedient).model("openai"), cases)
    missed = [row["text"] for row, (_, findings) in zip(ROWS, done, strict=True) if not findings]
    assert missed == []
    assert obedient.calls == []
    for case, (judgement, findings) in zip(cases, done, strict=True):
        assert (judgement.verdict, judgement.label) == (case.judgement.verdict, case.judgement.label)
        assert findings[0].name == "prompt_injection"
        told = build_provenance_json(judgement.provenance)["llm"]
        assert {one["gap"]["cause"] for one in told["asked"]} == {"prompt_injection"}
        assert "CANARY" not in json.dumps(told["opinions"])


@pytest.mark.parametrize("place", PLACES)
def test_bounds_alone_stop_an_obedient_model(bench, place, monkeypatch):  # noqa: F811 - the fixture
    monkeypatch.setattr("citeproof.judgement.review.examine_texts", lambda *_: GateOutcome())
    obedient = ObedientModel(answer_honestly)
    cases = [plant(place, row["text"]) for row in ROWS[::4]]
    done = review_all(bench(obedient).model("openai", max_requests=10_000), cases)
    assert len(obedient.calls) >= len(cases)
    if place != "citing":  # the reviewer and the screen do not see them
        assert obedient.obeyed, "the test has no teeth if nothing was obeyed"
    for case, (judgement, _) in zip(cases, done, strict=True):
        assert RANK[judgement.label] <= RANK[case.judgement.label]
        told = json.dumps(build_provenance_json(judgement.provenance)["llm"]["opinions"])
        assert "CANARY" not in told
        assert "You compare one citation" not in told
