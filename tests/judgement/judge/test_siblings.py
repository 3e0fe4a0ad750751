"""Another work of the same people with nearly the cited title is neither the cited one nor a fault of it."""

import pytest

from citeproof.vocabulary import Absent, Label, Reach, Reason, Verdict
from tests.judgement.judge.conftest import a_record, a_reference, found, judged

PEOPLE = "Shi-Xiong Zhang and Chaojun Liu and Kaisheng Yao"
CITED = "Deep neural support vector machines for speech recognition"
HELD = "Recurrent support vector machines for speech recognition"
OWN, OTHER = ("doi", "10.1109/icassp.2015.7178777"), ("doi", "10.1109/icassp.2016.7472806")


def judge_beside_sibling(*lookups, title=CITED, year=2015, held=2016, authors=PEOPLE, ids=(), **more):
    record = a_record(HELD, PEOPLE, held, "ICASSP", (OTHER,))
    wanted = a_reference(title, authors, year, "ICASSP", ids, **more)
    return judged(wanted, found(record), *lookups)


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"held": 2015, "authors": "Shi-Xiong Zhang and Chaojun Liu and Kaisheng Yao and Yifan Gong"},
        {"held": 2015, "ids": (OWN,)},
    ],
    ids=["another year", "one more author", "its own DOI"],
)
def test_more_than_words_of_the_title_differ(told):
    j = judge_beside_sibling(**told)
    assert (j.verdict, j.label, j.reasons) == (Verdict.UNCHECKED, None, (Reason.NEAR_VARIANT,))
    assert j.candidates[0].record.title == HELD  # it is still shown


def test_where_the_cited_work_would_have_to_be_the_difference_is_told():
    j = judge_beside_sibling(Absent("crossref", "title", Reach.COMPLETE))
    assert (j.verdict, {m.field for m in j.mismatches} >= {"title"}) == (Verdict.MATCHED, True)


@pytest.mark.parametrize(
    ("sources", "verdict"),
    [
        (("crossref", "openalex"), Verdict.MATCHED),
        (("crossref",), Verdict.UNCHECKED),
        (("snapshot:a", "snapshot:b"), Verdict.UNCHECKED),
    ],
)
def test_two_registries_that_were_searched_would_have_it(sources, verdict):
    assert (
        judge_beside_sibling(*(Absent(name, "title", Reach.PARTIAL) for name in sources)).verdict is verdict
    )


def test_a_changed_word_alone_is_a_fault_of_the_title():
    j = judge_beside_sibling(title=HELD.replace("speech", "speaker"), year=2016)
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.MINOR)


def test_its_own_identifier_speaks_for_the_record():
    assert judge_beside_sibling(ids=(OTHER,)).label is Label.MINOR


@pytest.mark.parametrize(("page", "verdict"), [("353", Verdict.MATCHED), ("705", Verdict.UNCHECKED)])
def test_a_doi_may_name_the_page(page, verdict):
    title = "Monte Carlo Study of the {}Eguchi-Kawai Model on Large Lattices"
    doi = ("doi", "10.1103/physrevlett.49.353")
    record = a_record(title.format(""), "Masanori Okawa", 1982, "Physical Review Letters", (doi,))
    wanted = a_reference(
        title.format("Quenched "), "Masanori Okawa", 1982, "Phys. Rev. Lett.", volume="49", pages=page
    )
    assert judged(wanted, found(record)).verdict is verdict
