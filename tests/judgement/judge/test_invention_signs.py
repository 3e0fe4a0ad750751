"""Signs of invention, apart from slips of the pen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.answers.reporters.wording import describe_labels
from citeproof.vocabulary import (
    Absent,
    Cause,
    Label,
    Reach,
    Reason,
    Unchecked,
    Verdict,
    count_signs,
    find_signs,
    list_sign_counts,
)
from tests.judgement.judge.conftest import a_record, a_reference, found, judged

DOI, OTHER_DOI = ("doi", "10.1109/cvpr.2016.90"), ("doi", "10.1000/other.7")
OTHER = {"title": "Visualizing Data using Dimension Maps", "authors": "Laurens Maaten and Ann Other"}
OWN, PEOPLE = "Kaiming He and Xiangyu Zhang", "Petra Nowhere and Quentin Nobody"

INVENTED = {"ids": [OTHER_DOI], "title": "A Title That Nobody Ever Wrote"}
TWO = ["wrong_identifier", "invented_author"]


def _judge(citation, *records, by_id=(), nothing=()):
    lookups = [found(*records)] if records else []
    lookups += [found(a_record(name="r2", ids=[OTHER_DOI], **OTHER), by=by) for by in by_id]
    absent = [Absent("doi" if by == "doi" else f"snapshot:{by}", by, Reach.COMPLETE) for by in nothing]
    return judged(a_reference(**citation), *lookups, *absent)


@pytest.mark.parametrize(
    ("citation", "records", "by_id", "nothing", "signs"),
    [
        ({}, [a_record()], (), (), []),
        ({"year": 2011}, [a_record()], (), (), []),  # slips of the pen
        ({"authors": "Kaiming He and Xiangyu Zhagn"}, [a_record()], (), (), []),
        ({"authors": f"{OWN} and {PEOPLE}"}, [a_record()], (), (), ["invented_author"]),
        ({"authors": PEOPLE}, [a_record()], (), (), ["invented_author"]),
        ({"ids": [OTHER_DOI]}, [a_record(ids=[DOI])], ("doi",), (), ["wrong_identifier"]),
        (INVENTED, [], ("doi",), ("title",), ["wrong_identifier"]),
        ({"ids": [OTHER_DOI], "authors": PEOPLE}, [a_record()], ("doi",), (), TWO),
        ({"authors": OTHER["authors"]}, [a_record()], ("authors",), (), ["invented_author", "chimera"]),
        ({"authors": "Kaiming He and Xiangyu Zha"}, [a_record()], (), (), []),  # cut
        ({"authors": "Kaiming He and X. Schroeder"}, [a_record(authors="K. He and X. Schröder")], (), (), []),
        ({}, [], (), ("title",), ["found_nowhere"]),
        ({"ids": [("doi", "10.1109/gone")]}, [a_record(ids=[DOI])], (), ("doi",), ["wrong_identifier"]),
        ({"ids": [("doi", "10.1109/cvpr.2016.91")]}, [a_record(ids=[DOI])], (), ("doi",), []),  # mistyped
        ({"ids": [("doi", "10.1109/gone")]}, [], (), ("doi", "title"), ["wrong_identifier", "found_nowhere"]),
    ],
)  # fmt: skip
def test_signs_are_told_from_slips(citation, records, by_id, nothing, signs):
    assert list(find_signs(_judge(citation, *records, by_id=by_id, nothing=nothing))) == signs


def test_a_mistyped_doi_that_is_another_works_is_a_slip():
    near = ("doi", OTHER_DOI[1].replace("7", "9"))
    judgement = _judge({"ids": [OTHER_DOI]}, a_record(ids=[near]), by_id=("doi",))
    assert judgement.verdict is Verdict.AMBIGUOUS
    assert find_signs(judgement) == ()


def test_the_explanation_says_whose_the_doi_is():
    ambiguous = _judge({"ids": [OTHER_DOI]}, a_record(ids=[DOI]), by_id=("doi",))
    told = "belongs to “Visualizing Data using Dimension Maps”, not to this title"
    assert f"the DOI {OTHER_DOI[1]} {told}" in ambiguous.explanation
    assert "mix several works" not in f"{ambiguous.explanation}{ambiguous.summary}"
    assert "The DOI belongs to Maaten et al. 2016, not to this title." in ambiguous.summary
    mismatch = _judge(INVENTED, by_id=("doi",), nothing=("title",))
    assert mismatch.verdict is Verdict.MISMATCH
    assert f"The DOI {OTHER_DOI[1]} belongs to “Visualizing Data" in mismatch.explanation
    assert "not to this title; no work with the cited title was found." in mismatch.summary


def test_what_is_not_sure_enough_has_no_sign():
    judgement = _judge({}, nothing=("title",))
    assert find_signs(judgement)
    assert find_signs(replace(judgement, reasons=(Reason.NOT_SURE_ENOUGH, *judgement.reasons))) == ()


@pytest.mark.parametrize(
    ("label", "signs", "counts"),
    [
        (Label.MAJOR, ["chimera", "wrong_identifier"], {"any": 1, "chimera": 1, "wrong_identifier": 1}),
        (None, ["wrong_identifier"], {"any": 1, "wrong_identifier": 1}),
        (Label.MINOR, [], {"slips": 1}),
        ("MAJOR", [], {"slips": 1}),
        (Label.NOTED, [], {}),
        (None, [], {}),
    ],
)
def test_a_reference_with_a_sign_is_no_slip(label, signs, counts):
    counted = list_sign_counts(count_signs(label, signs))
    assert {name: count for name, count in counted.items() if count} == counts
    assert list(counted) == [
        "any",
        "wrong_identifier",
        "invented_author",
        "chimera",
        "found_nowhere",
        "slips",
    ]


@pytest.mark.parametrize(
    ("signs", "end"),
    [
        ({}, "could not be checked"),
        ({"slips": 2}, "could not be checked"),  # the labels say it
        ({"any": 1, "chimera": 1}, "; 1 with signs of invention (1 chimera)"),
        (
            {"any": 3, "found_nowhere": 2, "invented_author": 1, "slips": 1},
            "; 3 with signs of invention (1 invented author, 2 found nowhere), 1 with slips only",
        ),
    ],
)
def test_the_sentence_of_a_summary_counts_signs_and_slips(signs, end):
    assert describe_labels({"MAJOR": 4}, signs).endswith(end)


@pytest.mark.parametrize(
    ("searched", "words"),
    [
        (
            found(a_record("Quite Another Work of Nobody"), by="title"),
            "was found in the snapshot; no registry answered.",
        ),
        (
            Unchecked("snapshot:test", "title", Cause.NOT_COVERED),
            "was found in the snapshot; no registry answered.",
        ),
        (Absent("snapshot:test", "title", Reach.COMPLETE), "no work with the cited title was found."),
        (Absent("crossref", "title", Reach.PARTIAL), "no work with the cited title was found."),
        (Unchecked("crossref", "title", Cause.TIMEOUT), "the title could not be searched."),
    ],
)
def test_the_explanation_says_where_the_title_was_searched(searched, words):
    owner = found(a_record(name="r2", ids=[OTHER_DOI], **OTHER), by="doi")
    assert words in judged(a_reference(**INVENTED), owner, searched).summary
