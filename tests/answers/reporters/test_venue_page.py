"""The page about a venue: every paper is in its table, and no name of one is markup."""

from __future__ import annotations

import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from citeproof.answers.reporters.html.venue_page import VenuePaper, VenueSummary, format_venue_page
from citeproof.vocabulary import DocumentState

EVIL = "</script><script>owned=1</script><img src=x onerror=owned()>&amp;\u2028"


def make_page(papers: list[VenuePaper]) -> LexborHTMLParser:
    labels = {"EXACT": 1, "NOTED": 0, "MINOR": 0, "MAJOR": 2, None: 1}
    venue = VenueSummary("2026-01-01", "a snapshot", "2 files", "4 references", labels, papers, [], [])
    return LexborHTMLParser("".join(format_venue_page(venue)))


def read_rows(page: LexborHTMLParser) -> list[list[object]]:
    return json.loads(page.css_first("#rows").text())


def test_no_name_of_a_paper_is_markup():
    page = make_page([VenuePaper(EVIL, state=DocumentState.UNREADABLE, why=EVIL, report=EVIL)])
    assert len(page.css("script")) == 3
    assert not page.css("img")
    assert read_rows(page)[0][0] == EVIL


def test_signs_of_invention_come_first_and_nothing_is_left_out():
    papers = [
        VenuePaper("clean", exact=3, total=3),
        VenuePaper("minor", minor=1, total=1),
        VenuePaper("major", major=9, total=9),
        VenuePaper("signs", signs=1, major=1, total=1),
    ]
    rows = read_rows(make_page(papers))
    assert [row[0] for row in rows] == ["signs", "major", "minor", "clean"]


@pytest.mark.parametrize("count", [0, 1, 200, 201, 20_000])
def test_every_paper_is_in_the_data_and_the_first_are_rows(count):
    page = make_page([VenuePaper(f"paper {n}", exact=1, total=1) for n in range(count)])
    assert len(read_rows(page)) == count
    assert len(page.css("#board tbody tr")) == min(count, 200)
    assert bool(page.css("#rest")) == (count > 200)
