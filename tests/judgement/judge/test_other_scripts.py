"""What is in another script or language than the record cannot be compared, and accuses nobody."""

import pytest

from citeproof.vocabulary import Absent, InventionSign, Label, Outcome, Reach, Reason
from citeproof.vocabulary.invention_signs import find_signs
from tests.judgement.judge.conftest import a_record, a_reference, found, judged

DOI = ("doi", "10.1109/cvpr.2016.90")
TITLE, PEOPLE = "Deep Residual Learning for Image Recognition", "Kaiming He and Xiangyu Zhang"
RUSSIAN = "Глубокое остаточное обучение для распознавания изображений"
GERMAN = "Tiefes Residuallernen für die Bilderkennung"
COULD_NOT = "could not be compared, for the record has another script"


def judge_against_record(ids=(DOI,), **cited):
    lookups = [found(a_record(ids=(DOI,)), by="doi" if ids else "title", reach=Reach.COMPLETE)]
    return judged(a_reference(ids=ids, **cited), *lookups, Absent("snapshot:test", "title", Reach.COMPLETE))


@pytest.mark.parametrize("ids", [(DOI,), ()], ids=["with its DOI", "by its title"])
@pytest.mark.parametrize(
    "authors",
    [
        "何恺明 and 张祥雨",
        "何, 恺明 and others",
        "Хе, К. and Чжан, С.",
        "Χε, Κ. and others",
        "카이밍 허 and 샹위 장",
        "Kaiming He and 张祥雨",
    ],
)
def test_names_in_another_script_are_noted_and_no_invention(authors, ids):
    j = judge_against_record(authors=authors, ids=ids)
    assert (j.label, find_signs(j), j.mismatches) == (Label.NOTED, (), ())
    assert [(note.field, note.reason) for note in j.notes] == [("authors", Reason.OTHER_SCRIPT)]
    assert f"the authors {COULD_NOT}" in j.explanation
    assert "may be the cause" not in j.explanation


def test_the_other_names_of_such_a_list_are_compared():
    j = judge_against_record(authors="Jane Roe and 张祥雨", ids=())
    assert (j.label, find_signs(j)) == (Label.MAJOR, (InventionSign.INVENTED_AUTHOR,))


def test_how_many_are_cited_is_said():
    assert (
        "3 cited, 2 in the record" in judge_against_record(authors="何恺明 and 张祥雨 and 孙剑").explanation
    )


@pytest.mark.parametrize(
    ("cited", "label"),
    [
        ({"title": RUSSIAN}, Label.NOTED),
        ({"title": GERMAN}, Label.NOTED),
        ({"title": GERMAN, "venue": None}, Label.NOTED),
        ({"title": RUSSIAN, "authors": "Хе, К. and Чжан, С."}, Label.NOTED),
        ({"title": RUSSIAN, "authors": "Хе, К. and Чжан, С.", "venue": None}, None),
        ({"title": RUSSIAN, "authors": "Jane Roe and Max Poe"}, Label.MAJOR),
        ({"title": GERMAN, "authors": "Jane Roe and Max Poe"}, Label.MAJOR),
        ({"title": RUSSIAN, "authors": "Хе, К. and Чжан, С.", "year": 2009, "venue": "Nature"}, Label.MAJOR),
        ({"title": "A study of glaciers with large models", "authors": "Jane Roe and Max Poe"}, Label.MAJOR),
        ({"title": "A study of glaciers with large models"}, Label.MAJOR),
    ],
)
def test_title_in_another_language_is_no_wrong_identifier_where_the_rest_agrees(cited, label):
    j = judge_against_record(**cited)
    assert j.label is label
    assert (InventionSign.WRONG_IDENTIFIER in find_signs(j)) is (label is Label.MAJOR)
    if label is None:
        assert "the record is in another language" in j.explanation


@pytest.mark.parametrize(
    "title",
    [f"{GERMAN} [{TITLE}]", f"{RUSSIAN} = {TITLE}", f"{TITLE} = {GERMAN}", f"{GERMAN} [{TITLE}]."],
)
def test_title_with_its_original_next_to_it_agrees(title):
    j = judge_against_record(title=title)
    assert (j.label, j.matched.of("title").outcome) == (Label.EXACT, Outcome.VARIANT)
    assert j.matched.of("title").reason == Reason.TRANSLATED


def test_common_title_with_names_in_another_script_is_another_work_for_all_we_know():
    record = a_record("Deep Learning", ids=(DOI,))
    j = judged(a_reference("Deep Learning", "周志华", 2016, None), found(record, reach=Reach.PARTIAL))
    assert j.label is None
