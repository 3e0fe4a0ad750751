"""arXiv's entries: real recorded ones, and hostile ones."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from citeproof.evidence.upstream_records import arxiv
from citeproof.vocabulary import Kind, Name, Version
from tests.recordings import recorded


def entries(pattern: str):
    for _, data in recorded("arxiv", pattern):
        feed = etree.fromstring(json.loads(data)["body"].encode())
        yield from feed.iterfind(f"{arxiv.ATOM}entry")


def test_every_recorded_entry_is_read():
    seen = [arxiv.make_record(entry) for entry in entries("*q_testing*.json")]
    assert len(seen) == 215
    for record in seen:
        assert record is not None
        assert record.authors
        assert record.versions[0].year
        assert record.kind is Kind.PREPRINT


@pytest.mark.parametrize(
    ("pattern", "title", "first", "years"),
    [
        ("*id_1605.08386*", "Heat-bath random walks with Markov bases", Name("Stanley", "Caprice"), [2016]),
        ("*id_astro-ph_0601001*", None, None, [2006, 2006]),
        ("*id_1707.08567_s0*",
         "Proceedings of Workshop AEW10: Concepts in Information Theory and Communications",
         Name("Immink", "Kees A. Schouhamer"), [2017]),
    ],
)  # fmt: skip
def test_a_recorded_paper(pattern, title, first, years):
    (record,) = [arxiv.make_record(entry) for entry in entries(pattern)]
    assert title is None or record.title == title
    assert first is None or record.authors[0] == first
    assert [version.year for version in record.versions] == years


@pytest.mark.parametrize(
    ("note", "year", "venue"),
    [
        ("Phys.Lett.B573:94-100,2003", 2003, "Phys. Lett. B"),
        ("Lect.Notes Phys.562:195-212,2001", 2001, "Lect. Notes Phys."),
        ("Nucl. Phys. B 594 (2001) 341-419", 2001, "Nucl. Phys. B"),
        ("J. Foo 12 (1998) 1999-2010", 1998, "J. Foo"),
        ("Software Testing, Verification and Reliability, 35(2):e1914, 2025", 2025,
         "Software Testing, Verification and Reliability"),
        ("IEEE Transactions on Information Theory ( Volume: 65 , Issue: 4 , April 2019 )", 2019,
         "IEEE Transactions on Information Theory"),
        ("2022 IEEE International Conference on Cloud Engineering (IC2E 2022)", 2022,
         "2022 IEEE International Conference on Cloud Engineering"),
        ("ICML 2019", 2019, "ICML"),
        ("2007", 2007, None),
    ],
)  # fmt: skip
def test_a_journal_reference(note, year, venue):
    line = arxiv.ArxivDumpLine("0704.0001", "A title", journal_ref=note)
    assert arxiv.make_dump_record(line).versions[-1] == Version(year, venue, Kind.ARTICLE)


@pytest.mark.parametrize("note", ["to appear", "", "submitted to J. Foo"])
def test_a_note_without_a_year_is_no_version(note):
    assert (
        len(arxiv.make_dump_record(arxiv.ArxivDumpLine("0704.0001", "A title", journal_ref=note)).versions)
        == 1
    )


@pytest.mark.parametrize(
    ("comment", "marks"),
    [
        ("This paper has been withdrawn by the author due to a crucial error", ("withdrawn",)),
        ("Withdrawn", ("withdrawn",)),
        ("arXiv admin note: withdrawn by arXiv administrators", ("withdrawn",)),
        ("replaces the withdrawn paper 0704.0002", ()),
        ("15 pages, 3 figures", ()),
    ],
)
def test_withdrawn_papers(comment, marks):
    assert (
        arxiv.make_dump_record(arxiv.ArxivDumpLine("0704.0001", "A title", comments=comment)).marks == marks
    )


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (["Balázs", "C.", ""], Name("Balázs", "C.")),
        (["Bal\\'azs", "C.", "Jr."], Name("Balázs", "C.", "Jr.")),
        (["ATLAS Collaboration"], Name("ATLAS Collaboration", collective=True)),
        (["Collaboration", "The BABAR", ""], Name("The BABAR Collaboration", collective=True)),
        (["van den Berg", "Jan", "", "University of Nowhere"], Name("van den Berg", "Jan")),
    ],
)
def test_the_names_of_the_dump(row, name):
    assert arxiv.make_dump_record(
        arxiv.ArxivDumpLine("0704.0001", "A title", authors_parsed=[row])
    ).authors == (name,)


def test_the_dump_without_parsed_names():
    record = arxiv.make_dump_record(
        arxiv.ArxivDumpLine("0704.0001", "A\n  wrapped $\\alpha$ title", authors="C. Balázs and E. L. Berger")
    )
    assert record.title == "A wrapped α title"
    assert [name.family for name in record.authors] == ["Balázs", "Berger"]
    assert record.versions == (Version(None, "arXiv", Kind.PREPRINT),)


@pytest.mark.parametrize(
    ("number", "title"), [("", "A title"), ("abc", "A title"), ("0704.0001", ""), ("0704.0001", "...")]
)
def test_what_names_no_paper(number, title):
    assert arxiv.make_dump_record(arxiv.ArxivDumpLine(number, title)) is None


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read(title, note, doi):
    record = arxiv.make_dump_record(
        arxiv.ArxivDumpLine(
            "0704.0001",
            title,
            comments=note,
            journal_ref=note,
            doi=doi,
            authors_parsed=[[title, note, doi, doi], []],
        )
    )
    assert record is None or record.title


def test_hostile_text_is_plain():
    bad = "\x1b[31m<b>A</b>\u202e\x00 title"
    record = arxiv.make_dump_record(
        arxiv.ArxivDumpLine("0704.0001", bad, journal_ref=f"{bad} 2001", authors_parsed=[[bad, bad]])
    )
    assert "\x1b" not in f"{record.titles}{record.authors}{record.versions}"
    assert "<b>" not in record.title


def test_long_text_is_bounded():
    line = arxiv.ArxivDumpLine("0704.0001", "x" * 100_000, authors_parsed=[["y" * 10_000, "z", ""]] * 5000)
    record = arxiv.make_dump_record(line)
    assert len(record.title) <= 2000
    assert len(record.authors) == arxiv.MAX_AUTHORS
    assert len(record.authors[0].family) <= 200
