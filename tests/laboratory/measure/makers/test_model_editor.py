"""Edits by a model: only what is such an error counts; else the citation stays valid."""

from __future__ import annotations

import random

import pytest

from citeproof.judgement.models.base import ModelAnswer, ModelFailure, ModelFault
from citeproof.laboratory.measure.makers.benchmark_items import cite_record
from citeproof.laboratory.measure.makers.edits import EditDraw, TrueCitation
from citeproof.laboratory.measure.makers.model_editor import ModelEditor, ProposedCitation
from citeproof.laboratory.measure.makers.record_pool import gather_records
from citeproof.laboratory.measure.makers.title_words import TitleLexicon
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

HEADS = ("Thermal transport", "Slow motion", "Bright decay", "Dark growth", "Light scattering", "Cold drift")
TITLES = [
    f"{head} of {what} in {where}"
    for head in HEADS
    for what in ("ions", "rings", "shells", "drops")
    for where in ("layered crystals", "glasses", "magnets")
]
FAMILIES = (
    "Alvarado",
    "Bergström",
    "Castellano",
    "Dimitrov",
    "Eriksen",
    "Fontaine",
    "Grigoryan",
    "Hashimoto",
)
RECORDS = [
    Record("made", str(at), (title,),
           authors=(Name(FAMILIES[at % 8], "Ann"), Name(FAMILIES[at % 7 + 1], "Bo")),
           versions=(Version(2011, "Phys. Rev. B", Kind.ARTICLE, "8", "1", "1-9"),), kind=Kind.ARTICLE,
           ids=Ids((("doi", f"10.1103/physrevb.{83 + at}.0{at:02}301"),)))
    for at, title in enumerate(TITLES)
]  # fmt: skip
TRUE = {
    "title": TITLES[0],
    "authors": ["Alvarado, Ann", "Bergström, Bo"],
    "year": 2011,
    "venue": "Phys. Rev. B",
}
OTHER = {"title": "Quantum echoes of rotating rings", "authors": ["Roe, Cy"], "year": 2014, "venue": "EPL"}


@pytest.fixture
def edit():
    pool = gather_records(iter(RECORDS), lambda _: True)
    truth = TrueCitation(cite_record(RECORDS[0]), RECORDS[0])
    draw = EditDraw(truth, pool, random.Random(1))

    def run(kind, *proposals):
        asked, left = [], list(proposals)

        def ask(question):
            asked.append(question)
            said = left.pop(0) if left else None
            if said is None:
                return ModelFailure(ModelFault.SCHEMA, "no answer")
            return ModelAnswer(ProposedCitation(**said), "", "m")

        editor = ModelEditor(ask, pool)
        if kind == "minor":
            return editor.minor(draw, repr), asked
        return editor.major(draw, [TitleLexicon(TITLES), TitleLexicon(TITLES)]), asked

    return run


def test_a_slight_edit_is_recorded(edit):
    made, asked = edit("minor", TRUE | {"year": 2013, "authors": ["Alvarado, Anne", "Bergström, Bo"]})
    assert {one.field for one in made.edits} == {"year", "authors"}
    assert made.cited.year == 2013
    assert asked[0].temperature == 0.7


@pytest.mark.parametrize("wrong", [TRUE, OTHER, None])
def test_what_is_no_slight_edit_is_asked_for_again_then_given_up(edit, wrong):
    made, asked = edit("minor", wrong, wrong, wrong)
    assert made is None
    assert len(asked) == 3


@pytest.mark.parametrize("year", [2011, 2013, 2020, 2002])
def test_an_invented_work_is_three_to_eight_years_off(edit, year):
    assert edit("major", *[OTHER | {"year": year}] * 3)[0] is None


def test_an_invented_work_has_another_title(edit):
    made, asked = edit("major", OTHER)
    assert made.cited.title == OTHER["title"]
    assert made.cited.people == (Name("Roe", "Cy"),)
    assert asked[0].temperature == 0.9


@pytest.mark.parametrize("wrong", [TRUE | {"year": 1999}, OTHER | {"title": TITLES[1]}, None])
def test_a_known_work_is_no_invention(edit, wrong):
    made, asked = edit("major", wrong, wrong, wrong)
    assert made is None
    assert len(asked) == 3
