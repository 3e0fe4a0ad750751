"""The reviewer with a PDF: the references with page numbers, and a PDF that cannot be opened."""

from __future__ import annotations

import shutil

import pytest

from tests.journeys.conftest import ROOT, compare_screen

PLOS = ROOT.parent / "shared" / "data" / "documents" / "plos_two_columns_hpv.pdf"


def test_paper_with_one_wrong_year(open_terminal, desk, papers_snapshot):
    shutil.copy(ROOT / "tests/fixtures/pdf/journal.pdf", desk / "paper.pdf")
    ended = open_terminal(CITEPROOF_SNAPSHOT=str(papers_snapshot)).run("citeproof check paper.pdf")
    assert ended.code == 1
    compare_screen("reviewer", ended.lines)


def test_locked_paper(open_terminal, desk):
    shutil.copy(ROOT / "tests/fixtures/pdf/locked.pdf", desk / "locked.pdf")
    ended = open_terminal().run("citeproof check locked.pdf")
    assert ended.code == 2
    compare_screen("reviewer_locked", ended.lines)


@pytest.mark.data
@pytest.mark.skipif(not PLOS.exists(), reason="no development data at ../shared/data")
def test_real_paper_fits_on_a_page(open_terminal, desk):
    shutil.copy(PLOS, desk / "paper.pdf")
    ended = open_terminal().run("citeproof check paper.pdf")
    assert len(ended.lines) <= 60
    assert max(map(len, ended.lines)) <= 80
