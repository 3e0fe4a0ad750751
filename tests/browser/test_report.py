"""The HTML report in a real browser: it shows, and nothing in it runs or asks for anything."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from citeproof.answers.reporters import base
from citeproof.answers.reporters.html.venue_page import VenuePaper, VenueSummary, format_venue_page
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.vocabulary import Checked, DocumentState, Place, Problem
from tests.browser.chrome import CHROMIUM, BrowserPage

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]
_SETTLE = "new Promise(done => setTimeout(done, 300))"
_SEARCH = """(() => { const box = document.getElementById("search"); box.value = %r;
box.dispatchEvent(new Event("input")); return new Promise(done => setTimeout(done, 500)); })()"""
EVIL = (
    '<img src=x onerror="document.title=1"><script>document.title="owned"</script>'
    '<svg onload="document.title=2"><a href="javascript:alert(1)">x</a>'
)


@pytest.fixture
def page(tmp_path, made_run, made_checked) -> Path:
    """Return the page of three papers and one that cannot be read; the third has no problem."""
    every = [
        replace(one, judgement=replace(one.judgement, explanation=EVIL)) for one in made_checked.values()
    ]
    papers = {"a/one.pdf": every[:1], "a/two.pdf": every, "a/three.pdf": every}
    checked = [_move(one, file) for file, some in papers.items() for one in some]
    problems = (Problem(Place("a/broken.pdf", 1), f"the PDF is broken {EVIL}", "print it anew", whole=True),)
    run = replace(made_run, documents=(*papers, "a/broken.pdf"), problems=problems)
    path = tmp_path / "report.html"
    path.write_text(
        "".join(base.get_reporter("html").report(ReferenceReport(run, checked))), encoding="utf-8"
    )
    return path


def _move(one: Checked, file: str) -> Checked:
    place = replace(one.reference.place, file=file)
    return replace(one, reference=replace(one.reference, place=place))


def _list_texts(browser: BrowserPage, selector: str) -> list[str]:
    """Return the texts of what can be seen."""
    shown = (
        "[...document.querySelectorAll(%r)].filter(one => one.checkVisibility()).map(one => one.innerText)"
    )
    texts: list[str] = browser.run(shown % selector)
    return texts


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_nothing_of_the_documents_runs(tmp_path, page, scripts):
    with BrowserPage(tmp_path, scripts=scripts) as browser:
        browser.open(page)
        assert browser.run("document.title").startswith("Citation report: a/one.pdf")
        browser.run("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert len(_list_texts(browser, "article")) == 13
        assert (
            browser.run("document.querySelectorAll('img, svg:not(.bar), iframe, [onerror], [onload]').length")
            == 0
        )
        assert browser.run("document.querySelectorAll('script').length") == 1
        assert "<script>document.title" in browser.run("document.body.innerText")


def test_the_worst_paper_stands_first_and_what_was_not_read_above_it(tmp_path, page):
    with BrowserPage(tmp_path) as browser:
        browser.open(page)
        (unread,) = _list_texts(browser, ".unread")
        assert unread.startswith("Could not be read\na/broken.pdf:1: the PDF is broken")
        rows = [re.split(r"\s+", row) for row in _list_texts(browser, ".papers tbody tr")]
        assert [row[1] for row in rows] == ["two.pdf", "three.pdf", "one.pdf", "broken.pdf"]
        assert rows[0][2:] == ["2", "1", "2", "0", "6"]
        assert rows[3][2:] == ["0", "0", "0", "0", "unreadable"]
        shared = _list_texts(browser, "header li a")
        assert shared
        assert set(shared) == {"2", "3"}


def test_filters_and_search_show_what_they_name(tmp_path, page):
    with BrowserPage(tmp_path) as browser:
        browser.resize(1000, 5000)
        browser.open(page)
        assert len(_list_texts(browser, "article")) == 6  # the problems; the others are folded
        browser.run("document.getElementById('show-exact').click()")
        browser.run(_SETTLE)
        exact = _list_texts(browser, "article")
        assert len(exact) == 3
        assert all("EXACT" in text for text in exact)
        browser.run("document.getElementById('show-all').click()")
        browser.run(_SEARCH % "TWO.pdf  bert exact")
        assert browser.run("document.getElementById('found').textContent") == "1 found"
        assert [text.split()[0] for text in _list_texts(browser, "section.paper h2")] == ["two.pdf"]
        assert len(_list_texts(browser, "article")) == 1
        browser.run(_SEARCH % "")
        assert len(_list_texts(browser, "section.paper")) == 3


def test_what_is_printed_is_the_summary_and_the_problems(tmp_path, page):
    with BrowserPage(tmp_path) as browser:
        browser.resize(800, 1000, medium="print")
        browser.open(page)
        assert len(_list_texts(browser, ".papers tbody tr")) == 4
        assert len(_list_texts(browser, "article")) == 6
        assert not _list_texts(browser, "fieldset, .search, .rest")


@pytest.fixture
def long_page(tmp_path, made_run, made_checked) -> Path:
    """Return the page of one paper with 420 problems, every one with a text of its own."""
    wrong = next(one for one in made_checked.values() if one.judgement.label == "MAJOR")
    problems = [
        replace(wrong, judgement=replace(wrong.judgement, explanation=f"problem-{number}-{EVIL}"))
        for number in range(420)
    ]
    path = tmp_path / "long.html"
    report = ReferenceReport(replace(made_run, problems=()), problems)
    path.write_text("".join(base.get_reporter("html").report(report)), encoding="utf-8")
    return path


def test_problems_far_below_are_made_when_they_come_near(tmp_path, long_page):
    count = "document.querySelectorAll('article').length"
    with BrowserPage(tmp_path) as browser:
        browser.resize(1000, 900)
        browser.open(long_page)
        assert browser.run(count) == 100
        browser.run(_SEARCH % "problem-411-")
        assert browser.run("document.getElementById('found').textContent") == "1 found"
        assert [text.split("\n")[0][:7] for text in _list_texts(browser, "article")] == ["✗ MAJOR"]
        browser.run(_SEARCH % "")
        browser.run("document.querySelector('main').lastElementChild.lastElementChild.scrollIntoView()")
        browser.run(_SETTLE)
        assert browser.run("document.title").startswith("Citation report")
        browser.run("dispatchEvent(new Event('beforeprint'))")
        assert browser.run(count) == 420
        assert not browser.run("document.querySelectorAll('noscript, [onerror]').length")


def test_problems_far_below_can_be_read_without_scripts(tmp_path, long_page):
    with BrowserPage(tmp_path, scripts=False) as browser:
        browser.open(long_page)
        assert len(_list_texts(browser, "article")) == 420


def test_the_style_is_allowed_by_the_policy(tmp_path, page):
    with BrowserPage(tmp_path) as browser:
        browser.open(page)
        assert browser.run("getComputedStyle(document.querySelector('article')).borderLeftWidth") == "5px"


def test_the_board_of_a_venue_sorts_and_filters_all_papers(tmp_path):
    papers = [VenuePaper(f"p{n}.pdf", minor=n % 7, exact=1, total=1 + n % 7) for n in range(20_000)]
    papers.append(VenuePaper(EVIL, state=DocumentState.NO_LIST))
    labels = {"EXACT": 5, "NOTED": 0, "MINOR": 0, "MAJOR": 0, None: 0}
    venue = VenueSummary("2026-01-01", "a snapshot", "files", "references", labels, papers, [], [])
    path = tmp_path / "venue.html"
    path.write_text("".join(format_venue_page(venue)), encoding="utf-8")
    with BrowserPage(tmp_path) as browser:
        browser.open(path)
        first = "[...document.querySelectorAll('#board tbody tr td:first-child')]"
        names = f"{first}.map((one) => one.firstChild.textContent)"
        at = "document.getElementById('at').textContent"
        assert browser.run(at) == "1 to 200 of 20,001"
        assert browser.run(names)[:2] == ["p1000.pdf", "p10002.pdf"]  # the most MINOR, by name
        browser.run("document.querySelector('th[data-sort] button').click()")
        assert browser.run(names)[1:4] == ["p0.pdf", "p1.pdf", "p2.pdf"]  # by number, not by letter
        browser.run("document.getElementById('after').click()")
        assert browser.run(at) == "201 to 400 of 20,001"
        browser.run(_SEARCH % "p19999")
        assert (browser.run(names), browser.run(at)) == (["p19999.pdf"], "1 to 1 of 1")
        browser.run(_SEARCH % "")
        group = "const group = document.getElementById('group'); group.value = 'no_list'"
        browser.run(f"(() => {{ {group}; group.dispatchEvent(new Event('change')); }})()")
        assert browser.run(names) == [EVIL]
        assert browser.run("document.title") == "Venue report: all papers"
        browser.resize(720, 1000, medium="print")
        assert not _list_texts(browser, ".sorting, #pager")
        assert browser.run("document.documentElement.scrollWidth") == 720
    with BrowserPage(tmp_path / "bare", scripts=False) as browser:
        browser.open(path)
        assert len(_list_texts(browser, "#board tbody tr")) == 200
