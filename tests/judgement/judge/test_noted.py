"""NOTED: a field differs from every record at hand, and the citation may still be right. EXACT is exact."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.judgement.compare import compare
from citeproof.judgement.judge import judge
from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.features import NAMES
from citeproof.judgement.judge.weighed_ruling import WeighedRuling, choose_label, compute_score
from citeproof.vocabulary import Kind, Label, Reach, Retrieval, Verdict, Version, find_unconfirmed, is_failing
from tests.judgement.judge.conftest import TODAY, a_record, a_reference, found, judged

SHIPPED = models.load_model()
OTHER_TITLE = "Deep Residual Learning for Recognising Images"


@pytest.mark.parametrize(
    ("change", "label", "field"),
    [
        ({}, Label.EXACT, None),
        ({"year": 2017}, Label.NOTED, "year"),
        ({"venue": "arXiv preprint arXiv:1512.03385"}, Label.EXACT, None),  # an acceptable variant
        ({"year": 2012}, Label.MINOR, "year"),
    ],
)
def test_a_difference_that_may_be_the_records_fault_is_noted(change, label, field):
    judgement = judged(a_reference(**change), found(a_record()))
    assert (judgement.verdict, judgement.label) == (Verdict.MATCHED, label)
    assert field in {m.field for m in (*judgement.notes, *judgement.mismatches)} | {None}


@pytest.mark.parametrize(("pages", "label"), [("770-778", Label.EXACT), ("771-778", Label.NOTED)])
def test_pages_that_differ_are_never_exact(pages, label):
    record = replace(a_record(), versions=(Version(2016, "CVPR", pages="770-778"),))
    assert judged(a_reference(pages=pages), found(record)).label is label


@pytest.mark.parametrize(
    ("work", "label", "noted"),
    [("w", Label.EXACT, []), ("another", Label.NOTED, ["year"]), ("", Label.NOTED, ["year"])],
)
def test_what_another_record_of_the_work_has_is_not_noted(work, label, noted):
    wanted = a_reference(year=2017)
    lookups = [found(a_record(work=work and "w")), found(a_record(year=2017, name="r2", work=work))]
    compared = [one for x in lookups for one in compare(wanted, Retrieval((x,), ()), TODAY)]
    judgement = judge(wanted, Retrieval(tuple(lookups), ()), compared)
    assert (judgement.matched.record.id, judgement.label) == ("r1", label)
    assert [note.field for note in judgement.notes] == noted


@pytest.mark.parametrize(
    ("cited", "label"),
    [
        ({"venue": "CVPR"}, Label.NOTED),
        ({"venue": "arXiv preprint arXiv:1512.03385", "year": 2015}, Label.EXACT),
    ],
)
def test_a_publication_cited_with_the_people_of_its_preprint_is_noted(cited, label):
    posted = replace(a_record(work="w"), versions=(Version(2015, "arXiv", Kind.PREPRINT),), source="arxiv")
    led = a_record(authors="Xiangyu Zhang and Kaiming He", name="r2", work="w", source="dblp")
    judgement = judged(a_reference(**cited), found(posted), found(led))
    noted = [note.field for note in judgement.notes]
    assert (judgement.label, noted) == (label, ["authors"] * (label is Label.NOTED))
    assert ("authors" in judgement.explanation.partition("Please check")[0].lower()) is (label is Label.EXACT)


@pytest.mark.parametrize("listed", ["BigScience Workshop", "Team, Kimi", "BigScience"])
def test_nobody_is_added_next_to_a_team_by_records_that_name_only_the_team(listed):
    """Neither by two of different origin, nor by one of a snapshot that claims to hold all works."""
    lookups = [
        found(a_record(authors=listed, work="w", name=source, source=source), reach=Reach.COMPLETE)
        for source in ("crossref", "dblp")
    ]
    people = judged(a_reference(authors="Kaiming He and Jian Sun and Wei Li"), *lookups)
    assert people.label in (None, Label.NOTED)
    both = judged(a_reference(authors=f"{listed} and Kaiming He and Jian Sun and Wei Li"), *lookups)
    assert both.label is Label.NOTED


DOI = (("doi", "10.1109/cvpr.2016.90"),)
NUMBER = (("arxiv", "1512.03385"),)


@pytest.mark.parametrize(
    ("cited", "known", "label", "noted"),
    [
        (DOI, DOI, Label.EXACT, []),
        (DOI, (), Label.NOTED, ["doi"]),
        (
            NUMBER,
            DOI,
            Label.EXACT,
            [],
        ),  # proceedings hardly ever have such numbers
        ((("arxiv", "1810.04805"),), DOI, Label.NOTED, ["arxiv"]),  # long after the work
        ((("pmid", "12345678"),), DOI, Label.NOTED, ["pmid"]),
        ((*DOI, ("pmid", "12345678")), DOI, Label.EXACT, []),
    ],
)
def test_an_identifier_that_no_record_confirms_is_said_and_costs_exact_where_a_record_has_one(
    cited, known, label, noted
):
    judgement = judged(a_reference(ids=cited), found(a_record(ids=known)))
    assert (judgement.label, [note.field for note in judgement.notes]) == (label, noted)
    open_ = bool(find_unconfirmed(judgement.matched, judgement.candidates))
    assert ("confirm" in judgement.explanation) is open_
    assert open_ is (cited != known and noted != ["arxiv"])


def test_an_identifier_that_led_to_the_work_is_confirmed():
    judgement = judged(a_reference(ids=DOI), replace(found(a_record(ids=())), by="doi"))
    assert (judgement.label, "confirm" in judgement.explanation) == (Label.EXACT, False)


MEETING = "Proceedings of the 45th Annual Meeting of the Association for Computational Linguistics"
THEIR_FAULT = [  # what records often have wrong, or name in their own way: cited, known
    ({"title": "Nyström Methods for Kernel Learning"}, {"title": "Nystrm Methods for Kernel Learning"}),
    (
        {"title": "Casimir Force from 0.1 to 0.9 μ m", "ids": DOI},
        {"title": "Casimir Force from 0.1 to 0.9m", "ids": DOI},
    ),
    (
        {"title": "Multi-Instance Mixture Models and Semi-Supervised Learning", "ids": DOI},
        {"title": "Multi-Instance Mixture Models", "ids": DOI},
    ),
    ({"venue": "26th Conference on Computer Vision and Pattern Recognition", "ids": DOI}, {"ids": DOI}),
    (
        {"venue": "Transparent Agents and Explainable Systems", "ids": DOI},
        {"venue": "EXTRAAMAS@AAMAS", "ids": DOI},
    ),
    (
        {"venue": f"ACL 2007, {MEETING}, June 23-30, 2007, Prague, Czech Republic", "year": 2007},
        {
            "venue": f"{MEETING} Companion Volume Proceedings of the Demo and Poster Sessions",
            "year": 2007,
        },
    ),
    (
        {"venue": "Proc. ACL WS Intr. Extr. Eval. Measures Machine Trans. Summarization"},
        {
            "venue": "Proceedings of the ACL Workshop on Intrinsic and Extrinsic Evaluation Measures"
            " for Machine Translation and/or Summarization"
        },
    ),
    ({"authors": "Hendrik Kuck and Nando de Freitas"}, {"authors": "Nando de Freitas and Hendrik Kck"}),
    (
        {"authors": "Stephen Muggleton and Luc de Raedt"},
        {"authors": "Muggleton and Stephen and Luc de Raedt"},
    ),
]


@pytest.mark.parametrize(("cited", "known"), THEIR_FAULT)
def test_what_records_often_have_wrong_is_noted(cited, known):
    judgement = judged(a_reference(**cited), found(a_record(**known)))
    assert (judgement.verdict, judgement.label) == (Verdict.MATCHED, Label.NOTED)


@pytest.mark.parametrize(("source", "label"), [("dblp", Label.MINOR), ("list:bvitamins", Label.NOTED)])
def test_a_preprint_cited_as_of_a_conference_needs_a_list_that_would_have_it(source, label):
    posted = replace(a_record(source=source), versions=(Version(2016, "arXiv", Kind.PREPRINT),))
    assert judged(a_reference(), found(posted)).label is label


def test_an_author_who_is_cited_twice_is_noted():
    judgement = judged(a_reference(authors="Kaiming He and Xiangyu Zhang and Kaiming He"), found(a_record()))
    assert (judgement.label, [note.field for note in judgement.notes]) == (Label.NOTED, ["authors"])


@pytest.mark.parametrize(("year", "label"), [(2016, Label.EXACT), (2015, Label.NOTED)])
def test_the_year_of_a_version_in_another_venue_is_noted(year, label):
    versions = (Version(2016, "CVPR"), Version(2015, "arXiv", Kind.PREPRINT))
    judgement = judged(a_reference(year=year), found(replace(a_record(), versions=versions)))
    assert (judgement.label, [note.field for note in judgement.notes]) == (label, ["year"] * (year == 2015))
    assert ("year and" in judgement.explanation) is (year == 2016)


def test_a_record_that_names_some_people_does_not_speak_against_those_that_name_all():
    """A catalogue gives the first author only; the publisher's record of the book has other people."""
    wanted = a_reference("Principal Component Analysis", "Ann Doe and Max Roe", 2019, None)
    short = replace(a_record("Principal Component Analysis", "Ian Jolliffe", 2002, None, work="w"))
    records = replace(short, authors_complete=False), replace(short, id="r2")
    judgement = judged(wanted, found(*records))
    assert (judgement.verdict, judgement.label) == (Verdict.UNCHECKED, None)


@given(
    st.sampled_from([2012, 2015, 2016, 2017, 2030]),
    st.sampled_from(["CVPR", "ICML", "arXiv", "Nature", None]),
    st.sampled_from(["Kaiming He and Xiangyu Zhang", "Kaiming He", "He, K and others", "Anna Schmidt"]),
    st.sampled_from(["Deep Residual Learning for Image Recognition", OTHER_TITLE, "Deep Residual Learning"]),
    st.sampled_from(list(Reach)),
)
def test_exact_means_that_no_field_differs(year, venue, authors, title, reach):
    judgement = judged(a_reference(title, authors, year, venue), found(a_record(), reach=reach))
    differs = bool(judgement.notes or judgement.mismatches)
    if judgement.label is not None and judgement.label.passes:
        assert (judgement.label is Label.NOTED) == differs
        assert (judgement.score < 10) or not differs
        assert judgement.score >= SHIPPED.exact_at
    agreed, _, told = judgement.explanation.partition("Please check:")
    for note in judgement.notes if judgement.label is Label.NOTED else ():
        assert note.field not in agreed.partition(" with “")[0].lower()
        assert (note.detail or note.claimed) in told


@given(
    st.dictionaries(st.sampled_from(NAMES), st.just(1.0), max_size=3),
    st.tuples(st.floats(0, 10), st.floats(0, 10)),
)
def test_a_difference_never_raises_the_score_and_never_accuses(faults, pair):
    minor_at, exact_at = sorted(pair)
    model = msgspec.structs.replace(SHIPPED, exact_at=exact_at, minor_at=minor_at)
    plain, noted = (WeighedRuling(Verdict.MATCHED, faults, 2, noted=differs) for differs in (False, True))
    scores = [compute_score(model, one) for one in (plain, noted)]
    labels = [choose_label(model, one, score) for one, score in zip((plain, noted), scores, strict=True)]
    assert scores[1] <= scores[0]
    assert labels[1] is (Label.NOTED if labels[0] is Label.EXACT else labels[0])


def test_the_judge_of_an_older_log_says_exact_as_it_did():
    older = msgspec.structs.replace(SHIPPED, notes=False)
    reference, retrieved = a_reference(year=2017), Retrieval((found(a_record()),), ())
    compared = compare(reference, retrieved, TODAY)
    then, now = (judge(reference, retrieved, compared, model) for model in (older, SHIPPED))
    assert (then.label, then.score) == (Label.EXACT, 10.0)
    assert (now.label, now.score) == (Label.NOTED, 9.0)
    assert then.notes == now.notes


@pytest.mark.parametrize(
    ("label", "fail_on", "fails"),
    [
        (Label.EXACT, {"noted", "minor", "major"}, False),
        (Label.NOTED, {"minor", "major", "unchecked", "findings"}, False),
        (Label.NOTED, {"noted"}, True),
        (Label.MINOR, {"noted"}, True),
        (Label.MINOR, {"minor"}, True),
        (Label.MINOR, {"major"}, False),
        (Label.MAJOR, {"noted"}, True),
        (Label.MAJOR, {"minor"}, True),
        (Label.MAJOR, {"major"}, True),
        (None, {"noted", "minor", "major"}, False),
    ],
)
def test_a_note_fails_a_run_only_where_it_is_named(label, fail_on, fails):
    assert is_failing(label, frozenset(fail_on)) is fails


@pytest.mark.parametrize(
    ("label", "passes", "of_three"),
    [
        ("EXACT", True, "EXACT"),
        ("NOTED", True, "MINOR"),
        ("MINOR", False, "MINOR"),
        ("MAJOR", False, "MAJOR"),
    ],
)
def test_a_note_accuses_nobody_and_is_minor_among_three_classes(label, passes, of_three):
    assert (Label(label).passes, Label(label).of_three) == (passes, of_three)
