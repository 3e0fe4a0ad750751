"""A record with clearly another title stands for a citation only where something else speaks for it."""

from dataclasses import replace

import pytest

from citeproof.answers.serializers.verify_answer import list_caveats
from citeproof.vocabulary import Band, Cause, Checked, Label, Reason, Retrieval, Unchecked, Verdict
from tests.judgement.judge.conftest import a_record, a_reference, found, judged

HELD = "Strategic explanations for a diagnostic consultation system"
CITED = "Strategic Explanations in Consultation: Duplicate"
JOURNAL = "International Journal of Man-Machine Studies"


def make_listed_record(title=HELD, authors="D. W. Hasling and W. J. Clancey and G. Rennels", year=1984):
    return replace(a_record(title, authors, year, JOURNAL), marks=("list:jgrey",))


@pytest.mark.parametrize("authors", ["Hasling and others", "Diane W. Hasling and others"])
def test_a_poor_record_with_another_title_is_no_match(authors):
    j = judged(a_reference(CITED, authors, 1983, f"The {JOURNAL}"), found(make_listed_record()))
    assert (j.verdict, j.label, j.reasons) == (Verdict.UNCHECKED, None, (Reason.NEAR_VARIANT,))
    assert j.candidates[0].weak  # it is still shown


def test_words_left_out_are_allowed_where_all_else_agrees():
    title = "Survey article: inter-coder agreement for computational linguistics"
    record = make_listed_record(title, "Ron Artstein and Massimo Poesio", 2008)
    wanted = a_reference(title.partition(": ")[2], "Ron Artstein and Massimo Poesio", 2008, JOURNAL)
    assert judged(wanted, found(record)).label is Label.NOTED


def test_an_identifier_speaks_for_a_poor_record():
    doi = ("doi", "10.1016/s0020-7373(84)80003-6")
    record = replace(make_listed_record(), ids=a_record(ids=(doi,)).ids)
    wanted = a_reference(CITED, "Hasling and others", 1983, f"The {JOURNAL}", ids=(doi,))
    assert judged(wanted, found(record, by="doi")).verdict is Verdict.MATCHED


INVENTED = "Sparse dictionaries of insect wing interference patterns"
PLOTS = ("doi", "10.1109/mcse.2007.55")
NOT_COVERED = Unchecked("snapshot:test", "title", Cause.NOT_COVERED, "")


def judge_invented_title(authors, year, venue=None):
    held = a_record("Matplotlib: a 2D graphics environment", "John D. Hunter", 2007, "Science", (PLOTS,))
    record = replace(held, marks=("list:jgrey",))
    wanted = a_reference(INVENTED, authors, year, venue, ids=(PLOTS,))
    return judged(wanted, found(record, by="doi"), NOT_COVERED)


@pytest.mark.parametrize(("year", "venue"), [(2007, None), (None, "Science")])
def test_a_list_with_the_cited_people_and_place_says_whose_the_identifier_is(year, venue):
    j = judge_invented_title("Hunter and others", year, venue)
    assert (j.verdict, j.band) == (Verdict.MISMATCH, Band.LOW)
    assert Reason.IDENTIFIER_OF_OTHER_WORK in j.reasons


@pytest.mark.parametrize(("authors", "year"), [("Hunter and others", None), ("", 2007), ("Smith", 2007)])
def test_a_list_that_agrees_in_less_may_have_put_the_identifier_next_to_the_wrong_work(authors, year):
    assert judge_invented_title(authors, year).verdict is Verdict.UNCHECKED


def test_a_record_under_the_identifier_is_told_also_where_nothing_was_decided():
    judgement = judge_invented_title("", None)
    reference = a_reference(INVENTED, "", None, None, ids=(PLOTS,))
    told = list_caveats(Checked(reference, Retrieval((), (), None), (), judgement))
    assert "DOI 10.1109/mcse.2007.55 leads to a record with another title, “Matplotlib" in told[0]


def judge_invented_authors(marks):
    doi = ("doi", "10.1038/nature14539")
    record = replace(
        a_record("Deep learning", "Yann LeCun and Yoshua Bengio", 2015, "Nature", (doi,)), marks=marks
    )
    return judged(a_reference("Deep learning", "A. Nobody", 1700, None, ids=(doi,)), found(record, by="doi"))


def test_title_and_identifier_do_not_make_invented_authors_exact():
    poor = judge_invented_authors(("list:bvitamins", "list:jgrey"))
    assert (poor.verdict, poor.label, poor.reasons) == (
        Verdict.UNCHECKED, None, (Reason.AUTHORS_NOT_COMPARED,),
    )  # fmt: skip
    assert judge_invented_authors(()).label is not Label.EXACT  # a registry's record convicts


def test_a_short_title_alone_does_not_prove_an_identifier_wrong_that_nobody_looked_up():
    named = ("doi", "10.1038/nature14539")
    other = a_record(
        "Deep learning", "Ruslan Salakhutdinov", 2014, "KDD", (("doi", "10.1145/2623330.2630809"),)
    )
    unknown = Unchecked("snapshot:test", "doi", Cause.NOT_COVERED, "")
    j = judged(a_reference("Deep learning", "", None, None, ids=(named,)), unknown, found(other))
    assert (j.verdict, j.mismatches) == (Verdict.UNCHECKED, ())
    cited = a_reference("Deep learning", "Ruslan Salakhutdinov", 2014, "KDD", ids=(named,))
    assert judged(cited, unknown, found(other)).verdict is Verdict.MATCHED


def test_a_work_with_its_own_doi_title_people_and_year_is_another_one():
    """A word of the title, half of the people, the year and the DOI differ; the venue is of one publisher."""
    people = "Kenji Maillard and Danel Ahman and Robert Atkey and Guido Martinez and Catalin Hritcu"
    held = a_record("Dijkstra monads for all", people, 2019, JOURNAL, (("doi", "10.1145/3341708"),))
    cited = "Danel Ahman and Catalin Hritcu and Kenji Maillard and Guido Martinez and Gordon Plotkin"
    ids = (("doi", "10.1145/3009837.3009878"),)
    wanted = a_reference("Dijkstra Monads for Free", cited, 2017, JOURNAL, ids=ids)
    assert judged(wanted, found(held), NOT_COVERED).verdict is Verdict.UNCHECKED
    near = a_reference("Dijkstra Monads for Free", people, 2019, JOURNAL)
    assert judged(near, found(held), NOT_COVERED).verdict is Verdict.MATCHED


def test_an_artifact_is_another_work_than_its_paper():
    people = "Carmen Torres Lopez and Robbert Gurdeep Singh and Stefan Marr"
    paper = "Multiverse Debugging: Non-Deterministic Debugging for Non-Deterministic Programs"
    ids = (("doi", "10.4230/lipics.ecoop.2019.27"),)
    held = a_record(f"{paper} (Brave New Idea Paper)", people, 2019, None, ids)
    wanted = a_reference(f"{paper} (Artifact)", people, 2019, None, ids=(("doi", "10.4230/darts.5.2.4"),))
    assert judged(wanted, found(held), NOT_COVERED).verdict is Verdict.UNCHECKED
    assert judged(a_reference(paper, people, 2019), found(held), NOT_COVERED).label is Label.EXACT


def test_the_second_part_is_another_work_though_its_doi_is_near():
    title = "Untersuchungen über das logische Schließen"
    held = a_record(f"{title}. I", "Gerhard Gentzen", 1935, JOURNAL, (("doi", "10.1007/bf01201353"),))
    wanted = a_reference(
        f"{title} II", "Gerhard Gentzen", 1935, JOURNAL, ids=(("doi", "10.1007/bf01201363"),)
    )
    assert judged(wanted, found(held), NOT_COVERED).verdict is Verdict.UNCHECKED
    slip = a_reference(f"{title} I", "Gerhard Gentzen", 1935, JOURNAL, ids=(("doi", "10.1007/bf01201363"),))
    assert judged(slip, found(held), NOT_COVERED).label is Label.MINOR


def test_front_matter_of_another_book_is_no_match():
    held = a_record("Front Matter", "Robert Krauthgamer", 2016, "Symposium on Discrete Algorithms")
    wanted = a_reference("Front Matter", "", 2016, "Reviews in Computational Chemistry")
    assert judged(wanted, found(held), NOT_COVERED).verdict is Verdict.UNCHECKED
    there = a_reference("Front Matter", "", 2016, "Symposium on Discrete Algorithms")
    assert judged(there, found(held), NOT_COVERED).verdict is Verdict.MATCHED


RENAMED = "UniFormerV2: Unlocking the Potential of Image ViTs for Video Understanding"
FIRST = "UniFormerV2: Spatiotemporal Learning by Arming Image ViTs with Video UniFormer"
PEOPLE = "Kunchang Li and Yali Wang and Yinan He and Limin Wang and Yu Qiao"
NUMBER = ("arxiv", "2211.09552")


@pytest.mark.parametrize(
    ("title", "people", "verdict"),
    [
        (RENAMED, PEOPLE, Verdict.MATCHED),
        (RENAMED.replace("UniFormerV2", "VideoMAE"), PEOPLE, Verdict.AMBIGUOUS),
        (RENAMED, "Zhan Tong and Yibing Song and Jue Wang and Min Li and Bo Chen", Verdict.AMBIGUOUS),
    ],
    ids=["renamed", "another name", "other people"],
)
def test_a_preprint_that_was_renamed_is_one_work(title, people, verdict):
    listed = a_record(FIRST, PEOPLE, 2023, None, name="r1")
    numbered = a_record(title, people, 2023, None, (NUMBER,), name="r2")
    wanted = a_reference(FIRST, PEOPLE, 2022, None, ids=(NUMBER,))
    j = judged(wanted, found(listed, by="title"), found(numbered, by="arxiv"))
    assert j.verdict is verdict
