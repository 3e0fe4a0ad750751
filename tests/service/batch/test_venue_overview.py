"""The page of a venue: what papers share, and hostile text in it."""

from __future__ import annotations

import json

import pytest

from citeproof.errors import CiteproofError
from citeproof.service.batch.batch_output import BatchTotals
from citeproof.service.batch.document_checker import DocumentOutcome, make_failure
from citeproof.service.batch.venue_overview import VenueOverview

HEAD = {"started": "2026-01-02T03:04:05.000Z", "sources": ["snapshot"], "snapshots": ["cps1-x"]}
INVENTED = "Recursive Attention for <script>alert(1)</script> Deep Forests"


def reference(key, title, label="MAJOR", *findings, verdict="not_found", signs=()):
    found = [{"name": name, "state": state} for name, state in findings]
    place = {"file": "x", "page": 3, "line": None}
    return json.dumps(
        {"key": key, "raw": "", "verdict": verdict, "label": label, "explanation": "Not found.",
         "location": place, "claimed": {"title": title}, "matched": None, "findings": found, "signs": signs}
    )  # fmt: skip


@pytest.fixture
def venue(tmp_path):
    papers = {
        "a.pdf": [reference("a1", INVENTED), reference("a2", "A known work of long standing", "EXACT")],
        "b.pdf": [reference("b1", INVENTED.upper().replace(" FOR", "  for")),
                  reference("b2", "Introduction"),
                  reference("b3", "A work that has another DOI", "MINOR", verdict="matched",
                            signs=["wrong_identifier"])],
        "c.pdf": [reference("c1", "Introduction"),
                  reference("c2", "A work that was taken back", "EXACT", ("retracted", "finding"),
                            verdict="matched"),
                  reference("c3", "A work that is sound in all", "EXACT", ("retracted", "clear")),
                  reference("c4", "A work of which no list was asked", "EXACT", ("retracted", "unchecked"))],
        "a copy.pdf": [reference("a1", INVENTED), reference("a9", "Invented by this one paper alone")],
        "bad<b>.pdf": None,
    }  # fmt: skip
    overview, totals = VenueOverview(), BatchTotals()
    for name, lines in papers.items():
        failure = make_failure(CiteproofError("it <i>died"))
        outcome = DocumentOutcome("checked", references=lines) if lines else failure
        labels = {"MAJOR": sum('"label": "MAJOR"' in line for line in lines or ())}
        content = None if lines is None else "same" if name.startswith("a") else name
        row = {"id": name, "sha256": content, "labels": labels, "references": len(lines or ()), "reports": {}}
        overview.add(row, outcome)
        totals.add(row, outcome)
    overview.write(tmp_path, HEAD, totals)
    return tmp_path


def test_the_same_invented_work_in_several_papers_is_told_once(venue):
    data = json.loads((venue / "venue.json").read_bytes())
    counts = {name: count for name, count in data["papers"].items() if count}
    assert counts == {"total": 5, "major": 4, "retracted": 1, "failed": 1, "checked": 4, "signs": 1}
    (shared,) = data["shared_major"]  # neither short titles, nor the copy of a paper, nor what one paper has
    assert [one["document"] for one in shared["cited"]] == ["a.pdf", "b.pdf"]
    (retracted,) = data["retracted_works"]
    assert retracted["cited"] == [{"document": "c.pdf", "key": "c2", "verdict": "matched"}]
    assert [one["document"] for one in data["worst"]] == ["b.pdf", "a copy.pdf", "c.pdf", "a.pdf"]


def test_works_that_no_list_was_asked_about_are_counted(venue):
    assert json.loads((venue / "venue.json").read_bytes())["retraction_not_checked"] == 1


def test_text_of_papers_stays_text_on_the_page(venue):
    page = (venue / "venue.html").read_text(encoding="utf-8")
    assert page.count("<script") == 3  # our own, and its data
    assert "<b>.pdf" not in page
    assert "<i>died" not in page
    assert "Recursive Attention for &lt;script&gt;" in page
    assert "default-src 'none'" in page
    counts = "1 paper with signs of invention, 4 with MAJOR references, 1 that cite a retracted work."
    counts += " For 1 reference it is unknown whether the work was retracted"
    assert f"5 files: 4 checked, 1 failed. {counts}" in page
    assert "<b>MINOR matched (wrong identifier)</b> b3 (page 3): A work that has another DOI" in page
