"""Levels as written, and levels computed from factors."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.corpus.corpus_types import Grade
from citeproof.corpus.grade.grade_computation import GradeFactors, compute_grade, parse_grade, read_factors

HIGH, MODERATE, LOW, VERY_LOW = Grade.HIGH, Grade.MODERATE, Grade.LOW, Grade.VERY_LOW


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("HIGH", HIGH),
        ("high", HIGH),
        ("Moderate", MODERATE),
        ("medium", MODERATE),
        ("low", LOW),
        ("very_low", VERY_LOW),
        ("VERY-LOW", VERY_LOW),
        ("very low", VERY_LOW),
        ("VeryLow", VERY_LOW),
        ("**Low** – small sample", LOW),
        ("High (⊕⊕⊕⊕)", HIGH),
        ("⊕⊕○○", LOW),
        ("moderate to low", LOW),
        ("low/moderate", LOW),
        ("high-quality evidence", HIGH),
        ("lower", None),
        ("highly relevant", None),
        ("B", None),
        ("87", None),
        ("[High | Moderate | Low]", None),
        ("", None),
    ],
)
def test_levels_are_read_as_written(text, grade):
    assert parse_grade(text) is grade


@pytest.mark.parametrize(
    ("kind", "grade"),
    [
        ("peer_reviewed_journal", HIGH),
        ("Peer-reviewed journal", HIGH),
        ("systematic review", HIGH),
        ("conference", MODERATE),
        ("peer_reviewed_conference", MODERATE),
        ("preprint", MODERATE),
        ("thesis", MODERATE),
        ("book", MODERATE),
        ("blog", LOW),
        ("technical_report", LOW),
        ("opinion", VERY_LOW),
    ],
)
def test_the_type_gives_the_baseline(kind, grade):
    facts = read_factors({"source_type": kind})
    assert facts is not None
    assert compute_grade(facts) is grade
    assert not facts.judged


COMPUTED = [
    ({"source_type": "conference", "evidence_type": "meta-analysis"}, HIGH),
    ({"source_type": "journal", "evidence_type": "review"}, HIGH),
    ({"source_type": "journal", "evidence_type": "empirical"}, HIGH),
    ({"source_type": "journal", "evidence_type": "case_study"}, MODERATE),
    ({"source_type": "journal", "evidence_type": "opinion"}, LOW),
    ({"source_type": "blog", "evidence_type": "opinion"}, VERY_LOW),
    ({"source_type": "journal", "risk_of_bias": "serious"}, MODERATE),
    ({"source_type": "journal", "risk_of_bias": "very_serious"}, LOW),
    ({"source_type": "journal", "risk_of_bias": "serious", "imprecision": "serious"}, LOW),
    ({"source_type": "journal", "downgrades": {"risk_of_bias": "-1", "inconsistency": "-2"}}, VERY_LOW),
    ({"source_type": "journal", "downgrade_factors": ["risk_of_bias", "very serious imprecision"]}, VERY_LOW),
    ({"source_type": "journal", "downgrade_factors": [{"indirectness": "serious"}]}, MODERATE),
    ({"source_type": "journal", "risk_of_bias": {"severity": "none", "impact": "0"}}, HIGH),
    ({"source_type": "journal", "retracted": "true"}, LOW),
    # reasons to raise: observational evidence that starts LOW, and nothing else
    ({"source_type": "report", "evidence_type": "cohort", "upgrades": {"large_effect": "true"}}, MODERATE),
    (
        {"source_type": "report", "design": "case-control", "upgrades": ["large_effect", "dose_response"]},
        HIGH,
    ),
    ({"source_type": "report", "evidence_type": "cohort", "plausible_confounding": "yes"}, MODERATE),
    ({"source_type": "report", "evidence_type": "empirical", "upgrades": {"large_effect": "true"}}, LOW),
    ({"source_type": "preprint", "evidence_type": "cohort", "upgrades": {"large_effect": "true"}}, MODERATE),
    ({"source_type": "report", "evidence_type": "cohort", "upgrades": {"large_effect": "false"}}, LOW),
    # the baseline that an assessment states stands before that of the type
    ({"source_classification": {"type": "peer_reviewed_conference", "baseline_quality": "HIGH"}}, HIGH),
    ({"quality_assessment": {"grade_baseline": "moderate", "downgrade_factors": ["imprecision"]}}, LOW),
]


@pytest.mark.parametrize(("table", "grade"), COMPUTED)
def test_factors_give_the_level(table, grade):
    facts = read_factors(table)
    assert facts is not None
    assert compute_grade(facts) is grade


@pytest.mark.parametrize(
    "table", [{}, {"title": "x"}, {"source_type": "nonsense"}, {"risk_of_bias": "serious"}]
)
def test_without_a_start_there_is_nothing_to_compute(table):
    assert read_factors(table) is None


def test_what_is_not_understood_is_said():
    facts = read_factors(
        {"source_type": "preprint", "downgrade_factors": ["not_peer_reviewed"], "imprecision": "huh"}
    )
    assert facts is not None
    assert facts.unread == ("not_peer_reviewed: serious", "imprecision: huh")


STEPS = st.integers(0, 2)
FACTS = st.builds(
    GradeFactors,
    baseline=st.sampled_from(list(Grade)),
    modifier=st.integers(-2, 1),
    observational=st.booleans(),
    risk_of_bias=STEPS,
    inconsistency=STEPS,
    indirectness=STEPS,
    imprecision=STEPS,
    publication_bias=STEPS,
    large_effect=st.integers(0, 1),
    dose_response=st.integers(0, 1),
    plausible_confounding=st.integers(0, 1),
    retracted=st.booleans(),
)
SCALE = [VERY_LOW, LOW, MODERATE, HIGH]


@given(FACTS)
def test_the_sum_is_the_level(facts):
    start = SCALE.index(facts.baseline) + facts.modifier
    up = facts.large_effect + facts.dose_response + facts.plausible_confounding
    raised = facts.observational and max(0, min(3, start)) == 1
    bias = 2 if facts.retracted else facts.risk_of_bias
    down = bias + facts.inconsistency + facts.indirectness + facts.imprecision + facts.publication_bias
    assert compute_grade(facts) is SCALE[max(0, min(3, start - down + (up if raised else 0)))]


VALUES = st.recursive(
    st.one_of(st.none(), st.text(max_size=20), st.booleans(), st.integers(-3, 3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=15), inner, max_size=4)
    ),
    max_leaves=10,
)
KEYS = st.sampled_from(
    [
        "source_type",
        "downgrade_factors",
        "downgrades",
        "upgrades",
        "risk_of_bias",
        "grade",
        "baseline",
        "evidence",
    ]
)


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_any_table_is_read(table):
    facts = read_factors(table)
    assert facts is None or compute_grade(facts) in Grade


def test_lists_of_names_are_disjoint_by_level():
    from citeproof.corpus.grade import grade_computation

    named = [grade_computation._get_names("baseline", grade) for grade in Grade]
    assert not [a & b for a, b in itertools.combinations(named, 2) if a & b]
