"""Text that was read in the wrong encoding, or lost letters, is never accused."""

from dataclasses import replace

import pytest

from citeproof.vocabulary import Absent, Label, Reach, Reason, Verdict

from .conftest import a_record, a_reference, found, judged

GONE = (Absent("crossref", "title", Reach.COVERS), Absent("openalex", "title", Reach.COVERS))
TITLE = "Über die Größe der Wahrscheinlichkeit"


def misread(text, wrong="cp1252"):
    return text.encode().decode(wrong)


CASES = [
    (a_reference(misread(TITLE)), GONE),  # not found
    (a_reference(authors="M?ller, Karl and G?del, Kurt"), (found(a_record()),)),  # other authors
    (a_reference(authors="Kaiming He and Xiangyu Zhang and J\ufffdrg Berg"), (found(a_record()),)),
    (a_reference("Deep Residual Learning in Zürich: Ã©tude", year=1999), (*GONE,)),
    (a_reference("Îñíîâû õèìèè", "Ivanov"), GONE),
]


@pytest.mark.parametrize(("reference", "lookups"), CASES)
def test_damaged_text_is_never_accused(reference, lookups):
    judgement = judged(reference, *lookups)
    assert (judgement.verdict, judgement.label) == (Verdict.UNCHECKED, None)
    assert judgement.reasons == (Reason.DAMAGED_TEXT,)
    assert "the text looks damaged; pass --encoding" in judgement.explanation
    assert judgement.mismatches == judgement.notes == ()


def test_letters_of_a_doubtful_encoding_are_never_accused_and_it_is_named():
    reference = replace(a_reference("A Work that Nobody Knows at All"), suspicious=("damaged_cp1250",))
    judgement = judged(reference, *GONE)
    assert judgement.verdict is Verdict.UNCHECKED
    assert "(read as cp1250)" in judgement.explanation
    assert "(read as cp1250)" in judgement.summary


def test_the_same_without_damage_is_accused():
    assert judged(a_reference("A Work that Nobody Knows at All"), *GONE).label is Label.MAJOR


def test_a_match_is_a_match_whatever_the_encoding():
    reference = replace(a_reference(), suspicious=("damaged_cp1250",))
    assert judged(reference, found(a_record())).label is Label.EXACT


FOREIGN = [
    "Основы общей химии",
    "素粒子の相互作用について",
    "图书馆目录",
    "مقدمة في الكيمياء العامة",
    "מבוא לכימיה כללית",
]


@pytest.mark.parametrize("title", FOREIGN)
def test_silence_about_a_title_in_a_script_that_registries_hardly_hold_proves_nothing(title):
    judgement = judged(a_reference(title, "Ivanov"), *GONE)
    assert (judgement.verdict, judgement.reasons) == (Verdict.UNCHECKED, (Reason.LANGUAGE_NOT_COVERED,))
    assert "few works with titles in this script" in judgement.explanation


@pytest.mark.parametrize("title", FOREIGN)
def test_a_source_that_holds_all_such_works_proves_it(title):
    whole = Absent("snapshot:all", "title", Reach.COMPLETE)
    assert judged(a_reference(title, "Ivanov"), whole).verdict is Verdict.NOT_FOUND


def test_a_foreign_word_in_a_latin_title_changes_nothing():
    assert judged(a_reference("The Word Правда in the Soviet Press"), *GONE).verdict is Verdict.NOT_FOUND
