"""The conference chair with a folder of papers: one page, the worst first, opened in a real browser."""

from __future__ import annotations

import shutil

import pytest

from tests.browser.chrome import CHROMIUM, BrowserPage
from tests.journeys.conftest import ROOT, compare_screen

PAPERS = ("journal", "two_columns", "web", "locked")
_TEXTS = "[...document.querySelectorAll(%r)].filter(one => one.checkVisibility()).map(one => one.innerText)"


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_page_of_four_papers(open_terminal, desk, papers_snapshot, tmp_path):
    (desk / "papers").mkdir()
    for name in PAPERS:
        shutil.copy(ROOT / f"tests/fixtures/pdf/{name}.pdf", desk / "papers" / f"{name}.pdf")
    terminal = open_terminal(CITEPROOF_SNAPSHOT=str(papers_snapshot))
    ended = terminal.run("citeproof check papers/*.pdf --format html -o report.html")
    assert ended.code == 1
    compare_screen("chair", ended.lines)
    with BrowserPage(tmp_path) as page:
        page.open(desk / "report.html")
        text = page.run("document.body.innerText")
        everything = page.run("document.body.textContent")
        rows = page.run(_TEXTS % "table tbody tr")
    assert text.index("the PDF is encrypted") < text.index("journal.pdf")  # what could not be read is on top
    assert [row for row in rows if "journal.pdf" in row]
    assert "1938" in everything  # of the record, behind the fold
