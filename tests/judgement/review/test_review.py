"""The tasks in their order: who is asked about what, what comes of it, and what is kept."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from citeproof.answers.serializers.judgements import build_provenance_json
from citeproof.judgement.models.base import ModelFault
from citeproof.judgement.review.comparator import ComparatorAnswer
from citeproof.vocabulary import FieldOrigin, Label, ModelTask, Origin, Verdict
from tests.judgement.review.review_cases import make_cases
from tests.judgement.review.scripted_models import ScriptedModel, label, score, screened

CASES = make_cases()
ALL = {"comparator": score(70), "reviewer": label("minor"), "screen": screened("uncertain")}


@pytest.mark.parametrize(
    ("name", "tasks"),
    [
        ("exact", []),  # nothing differs: nothing to ask
        ("not_found", []),
        ("unchecked", []),
        ("noted", ["comparator"]),
        ("venue", ["comparator"]),
        ("year", ["comparator"]),
        ("ambiguous", ["comparator"]),
        ("other_authors", ["comparator"]),
        ("mismatch", ["comparator", "reviewer"]),
        ("nickname", ["comparator", "reviewer", "screen"]),
    ],
)
def test_who_is_asked(name, tasks):
    model = ScriptedModel(ALL)
    CASES[name].review(model)
    assert model.tasks == tasks


# A comparator that follows the paper's scale, a reviewer that reads the raw text: what the rules of the paper
# decide (score through τ_M = 1.25 and τ_E = 7.25; a reviewer's label where it was asked), and what we make.
@pytest.mark.parametrize(
    ("name", "points", "second", "proposed", "judged"),
    [
        ("noted", 100, None, "EXACT", "NOTED"),
        ("noted", 85, None, "EXACT", "NOTED"),
        ("noted", 73, None, "EXACT", "NOTED"),
        ("noted", 72, None, "MINOR", "MINOR"),
        ("noted", 65, None, "MINOR", "MINOR"),
        ("noted", 45, None, "MINOR", "MINOR"),
        (
            "noted",
            12,
            None,
            "MAJOR",
            "NOTED",
        ),  # the work was identified: a model alone accuses nobody of more
        ("venue", 90, None, "EXACT", "NOTED"),
        ("venue", 65, None, "MINOR", "MINOR"),
        ("year", 65, None, "MINOR", "MINOR"),
        ("year", 90, None, "EXACT", "MINOR"),  # the year is wrong, whatever the model thinks
        ("authors", 50, None, "MINOR", "MINOR"),
        ("ambiguous", 40, None, "MINOR", "MINOR"),
        ("ambiguous", 5, None, "MAJOR", "MINOR"),  # a real paper with a wrong identifier
        ("other_authors", 10, None, "MAJOR", "MAJOR"),
        ("mismatch", 5, "major", "MAJOR", "MAJOR"),
        (
            "mismatch",
            90,
            "major",
            "MAJOR",
            "MAJOR",
        ),  # the reviewer overrides what trusts an identifier too much
        ("mismatch", 90, "exact", "EXACT", "MAJOR"),
        ("nickname", 30, "minor", "MINOR", "MAJOR"),
    ],
)
def test_the_decision_rules_of_the_paper(name, points, second, proposed, judged):
    differences = [("venue", "Nature", "CVPR")] if name == "noted" else []
    script = {"comparator": score(points, *differences), "screen": screened("uncertain")}
    judgement, _ = CASES[name].review(ScriptedModel(script | ({"reviewer": label(second)} if second else {})))
    trace = judgement.provenance.llm
    last = trace.find_opinion(ModelTask.REVIEWER) or trace.find_opinion(ModelTask.COMPARATOR)
    assert (last.label, judgement.label) == (proposed, judged)
    assert trace.first.label == CASES[name].judgement.label
    assert trace.first.score == CASES[name].judgement.score


def test_the_screen_follows_a_nickname_with_its_identifier_and_people():
    judgement, _ = CASES["nickname"].review(
        ScriptedModel(ALL | {"screen": screened("informal_abbreviation")})
    )
    assert (judgement.verdict, judgement.label, judgement.reasons[0]) == (
        "matched",
        "MINOR",
        "informal_title",
    )
    told = build_provenance_json(judgement.provenance)
    assert told["llm_screen"]["applied"] is True
    assert told["llm_screen"]["verdict"] == "informal_abbreviation"
    assert told["llm"]["first"] == {
        "verdict": "mismatch", "label": "MAJOR", "score": 3.0, "confidence": 0.69, "band": "low",
    }  # fmt: skip
    assert judgement.explanation.startswith(
        "A language model (test:scripted) takes the cited title for a name"
    )


@pytest.mark.parametrize("fault", ModelFault)
@pytest.mark.parametrize("name", ["noted", "venue", "nickname", "mismatch"])
def test_a_fault_leaves_the_default_judgement_and_is_told(fault, name):
    case = CASES[name]
    judgement, findings = case.review(ScriptedModel(dict.fromkeys(ModelTask, fault)))
    first = case.judgement
    for part in ("verdict", "label", "score", "confidence", "band", "reasons", "explanation", "mismatches"):
        assert getattr(judgement, part) == getattr(first, part)
    assert findings == ()
    told = build_provenance_json(judgement.provenance)["llm"]
    assert told["asked"]
    assert all(one["gap"]["cause"] == fault for one in told["asked"])
    assert told["asked"][0]["cost_usd"] == 0.000007
    assert told["opinions"] == []


@pytest.mark.parametrize("points", [0, 12, 60, 90, 100])
@pytest.mark.parametrize("name", ["noted", "year", "authors", "ambiguous", "mismatch", "nickname"])
def test_a_refused_opinion_changes_nothing_but_the_trace(name, points):
    second = label("exact" if name in ("mismatch", "nickname") else "major")
    answers = {"comparator": score(points), "reviewer": second, "screen": screened("uncertain")}
    model = ScriptedModel(answers)
    judgement, _ = CASES[name].review(model)
    opinions = judgement.provenance.llm.opinions
    if not any(one.used for one in opinions):
        kept = replace(judgement, provenance=CASES[name].judgement.provenance)
        assert kept == CASES[name].judgement
    reviewed = [dict(one.evidence)["first judgement"] for one in model.questions if one.task == "reviewer"]
    assert all(("comparator" in told) == opinions[0].used for told in reviewed)


def test_what_is_told_of_an_answer():
    answer = score(
        60, ("venue", "Nature", "CVPR"), ("title", "Nothing of it", "CVPR"), rationale="Other venue."
    )
    judgement, _ = CASES["noted"].review(ScriptedModel({"comparator": answer}))
    told = build_provenance_json(judgement.provenance)["llm"]
    (asked,) = told["asked"]
    assert asked["prompt"] == "comparator-2"
    assert asked["model"] == "scripted-1"
    assert asked["tokens"] == {"input": 100, "output": 20, "cached": 60}
    assert len(asked["answer_sha256"]) == 64
    assert told["opinions"] == [
        {
            "task": "comparator",
            "label": "MINOR",
            "score": 6.0,
            "confidence": "high",
            "differences": [{"field": "venue", "claimed": "Nature", "resolved": "CVPR"}],
            "rationale": "Other venue.",
            "used": True,
        }
    ]
    assert "llm_comparator" in judgement.provenance.stages_run


def test_evidence_is_labelled_bounded_and_nothing_else():
    cases = make_cases(note="x" * 50_000, citing=("As shown before [3]. " * 100,) * 5)
    model = ScriptedModel(ALL)
    cases["mismatch"].review(model)
    for question in model.questions:
        assert all(len(text) <= 3_000 for _, text in question.evidence)
        assert sum(label == "citing sentence" for label, _ in question.evidence) <= 2
        assert "x" * 20 not in question.instructions
    seen = dict(model.questions[1].evidence)
    assert {
        "citation as written",
        "cited title",
        "record title",
        "title similarity",
        "first judgement",
    } <= set(seen)


def test_the_reviewer_needs_the_title_in_the_text_to_follow_an_upgrade():
    """A parser's mistake: the raw text has the record's own title and people, the field another one."""
    case = CASES["mismatch"]
    origins = (FieldOrigin("title", Origin.MODEL, 0.9),)
    reference = replace(case.reference, claimed=replace(case.reference.claimed, origins=origins))
    model = ScriptedModel(ALL | {"reviewer": label("minor")})
    judgement, _ = replace(case, reference=reference).review(model)
    assert (judgement.verdict, judgement.label, judgement.band) == (Verdict.MATCHED, Label.MINOR, "low")
    bare = replace(reference, raw="A. Person. Neural Tangent Kernel Theory. doi:10.1109/cvpr.2016.90")
    judgement, _ = replace(case, reference=bare).review(model)
    assert judgement.verdict is Verdict.MISMATCH


NAMED = (
    ("K. He, X. Zhang", "matched"),
    ("He, K., et al.", "matched"),
    ("Kaiming He and others", "matched"),
    ("J. Doe, X. Zhang", "mismatch"),  # one family name of two is an accident
    ("K. He, J. Doe", "mismatch"),
    ("Zhang, X., et al.", "mismatch"),
    ("J. Doe et al.", "mismatch"),
)


@pytest.mark.parametrize(("people", "verdict"), NAMED)
def test_other_people_in_the_text_stay_other_people_for_the_reviewer(people, verdict):
    case = CASES["mismatch"]
    origins = (FieldOrigin("title", Origin.MODEL, 0.9),)
    reference = replace(
        case.reference,
        raw=f"{people}. Deep Residual Learning for Image Recognition. CVPR 2016. doi:10.1109/cvpr.2016.90",
        claimed=replace(case.reference.claimed, origins=origins),
    )
    judgement, _ = replace(case, reference=reference).review(
        ScriptedModel(ALL | {"reviewer": label("minor")})
    )
    assert judgement.verdict == verdict


@pytest.mark.parametrize(
    "change",
    [
        {"score": 10.1},
        {"classification": "perfect"},
        {"score": -1},
        {"score": "100"},
        {"confidence": "sure"},
        {"extra": 1},
        {"label": "EXACT"},
    ],
)
def test_an_answer_that_breaks_the_schema_is_no_answer(change):
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode(score(90) | change), type=ComparatorAnswer)
