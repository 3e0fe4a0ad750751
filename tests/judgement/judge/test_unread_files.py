"""What bibliographies that nobody had read were wrongly accused of, and what they should be told."""

import pytest

from citeproof.vocabulary import Absent, Kind, Label, Reach, Reason, Unchecked, Verdict
from citeproof.vocabulary.records import Cause
from tests.judgement.judge.conftest import a_record, a_reference, found, judged

DOI, OTHER, ARXIV = ("doi", "10.1109/cvpr.2016.90"), ("doi", "10.1007/b12006"), ("arxiv", "1512.03385")
CREW = [f"{given} {family}" for family in ("Ames", "Bohr", "Cori", "Dirac", "Euler", "Fermi", "Gauss")
        for given in ("Anna", "Bela", "Carla", "Dora", "Egon", "Fritz", "Gerd", "Hugo", "Irma")]  # fmt: skip


def test_a_list_that_was_cut_names_no_other_people():
    cited = " and ".join([f"{name} Smith{n}" for n, name in enumerate(["Zoe"] * 400)])
    record = a_record(authors=" and ".join(CREW[:60]), ids=(ARXIV,))
    cited = " and ".join([*CREW[1:50], cited])
    j = judged(a_reference(authors=cited, ids=(ARXIV,)), found(record, by="arxiv"))
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.NOTED)


def test_a_longer_title_and_list_under_the_doi_are_the_work_s_own():
    title = "Evaluating the Replicability of Social Science Experiments"
    cited = a_reference(
        f"{title} in Nature and Science between 2010 and 2015", " and ".join(CREW[:24]), ids=(DOI,)
    )
    j = judged(cited, found(a_record(title, " and ".join(CREW[:3]), ids=(DOI,)), by="doi"))
    assert (j.verdict, {m.field for m in (*j.notes, *j.mismatches)}) == (
        Verdict.MATCHED,
        {"title", "authors"},
    )


def test_another_venue_and_another_word_are_another_work_of_the_same_people():
    held = a_record("Automatic Question Generation from Sentences", year=2010, venue="TALN")
    cited = a_reference("Automation of Question Generation from Sentences", year=2010, venue="ICCV")
    assert judged(cited, found(held)).verdict is Verdict.UNCHECKED


@pytest.mark.parametrize(
    ("cited", "asked", "verdict"),
    [
        ((OTHER,), (), Verdict.MISMATCH),
        ((OTHER, ARXIV), (), Verdict.UNCHECKED),
        ((OTHER, ARXIV), ("crossref", "openalex"), Verdict.MISMATCH),
    ],
    ids=["it has no other", "another one is open", "registries have no such title"],
)
def test_an_identifier_of_another_work_next_to_one_that_nobody_looked_up(cited, asked, verdict):
    other = found(a_record("Quite Another Matter Altogether", "Ada Lovelace", ids=(OTHER,)), by="doi")
    open_ = [Unchecked("snapshot:test", "arxiv", Cause.NOT_COVERED)] * (len(cited) > 1)
    silent = [Absent(name, "title", Reach.PARTIAL) for name in ("snapshot:test", *asked)]
    assert judged(a_reference(ids=cited), other, *open_, *silent).verdict is verdict


def test_the_doi_of_the_volume_is_not_of_another_work():
    venue = "Computational Learning Theory and Kernel Machines, 16th Annual Conference"
    volume = a_record(venue, "Bernhard Schölkopf", 2003, "Springer", (OTHER,), name="volume")
    paper = a_record(year=2003, venue=venue, ids=(DOI,))
    cited = a_reference(year=2003, venue=venue, ids=(OTHER,))
    j = judged(cited, found(volume, by="doi"), found(paper))
    assert (j.verdict, j.matched and j.matched.record.id) == (Verdict.MATCHED, "r1")


def test_a_mistyped_number_and_the_people_name_the_work():
    held = a_record("Erosion Study of Tungsten Carbide films under Kr+ ion irradiation", ids=(ARXIV,))
    cited = a_reference(
        "Erosion Analysis of Tungsten Carbide films under Kr+ ion bombardment", ids=(("arxiv", "1512.03386"),)
    )
    denied = Absent("snapshot:all", "arxiv", Reach.COMPLETE)
    j = judged(cited, found(held), denied, Absent("snapshot:all", "title", Reach.COMPLETE))
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.MINOR)


@pytest.mark.parametrize(("year", "label"), [(1998, Label.MAJOR), (2005, None)])
def test_a_book_of_the_same_title_and_year_has_other_authors(year, label):
    held = a_record("WordNet: An Electronic Lexical Database", "Christiane Fellbaum", 1998, "MIT Press")
    cited = a_reference("WordNet: An electronic lexical database", "George Miller", year, "MIT Press")
    cited = type(cited)(cited.key, cited.raw, Kind.BOOK, cited.claimed)
    j = judged(cited, found(held), *(Absent(name, "title", Reach.PARTIAL) for name in ("a", "b")))
    assert (j.label, Reason.AUTHORS_OTHER in j.reasons) == (label, label is not None)


def test_people_behind_the_end_of_a_cut_list_are_not_exact():
    record = a_record(authors="Kaiming He")
    record = type(record)(*(getattr(record, name) for name in ("source", "id", "titles", "authors")),
                          versions=record.versions, authors_complete=False)  # fmt: skip
    j = judged(a_reference(), found(record))
    assert (j.label, [m.reason for m in j.notes]) == (Label.NOTED, [Reason.RECORD_TRUNCATED])
