"""The pages of a stored run, made from its JSON: what they show, and that no text of a stranger is markup."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest

from citeproof.answers import serializers
from citeproof.plumbing.stores.decision_store import DecisionChoice, RunDecision
from citeproof.service.accepted_problems import AcceptedProblems, read_ignore_list
from citeproof.surfaces.web import page_frame
from citeproof.surfaces.web.document_view import DocumentPage, choose_page, format_pdf_view, format_text_view
from citeproof.surfaces.web.page_frame import format_front_page, format_verdict_page
from citeproof.surfaces.web.run_pages import (
    PER_PAGE,
    ListQuery,
    format_reference_page,
    format_run_page,
    select_references,
)
from citeproof.surfaces.web.run_view import RunView, tally_documents, write_decisions, write_ignore_list
from citeproof.vocabulary import Verdict

EVIL = '"><script>owned()</script><img src=x onerror=owned()>\u202e'
_VOID = {"meta", "link", "input", "br", "image", "rect", "img", "option"}


class _Tags(HTMLParser):
    """Counts tags, and knows whether each that is opened is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in _VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def check_page(page: str) -> _Tags:
    """Return the tags of a page: well nested, no script or style of its own, no handler, unique ids."""
    tags = _Tags(page)
    assert not tags.open
    assert [attrs for tag, attrs in tags.tags if tag == "script"] == [
        {"type": "module", "src": page_frame.locate_asset("web.js")}
    ]
    for tag, attrs in tags.tags:
        assert tag not in ("style", "iframe", "img", "object", "base")
        assert not [name for name in attrs if name.startswith("on") or name == "style"]
        assert not (attrs.get("href") or "").lower().startswith(("javascript:", "data:"))
    ids = [attrs["id"] for _, attrs in tags.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    return tags


@pytest.fixture
def run(made_run, made_checked) -> RunView:
    """A run with one reference of each kind."""
    report = serializers.build_report_json(made_run, made_checked.values())
    report = json.loads(serializers.dumps(report))
    return RunView(
        "abc", "check", "done", "refs.bib", "2026-01-02T03:04:05Z", "/runs/abc",
        done=len(report["references"]), total=len(report["references"]), head=report,
        references=dict(enumerate(report["references"])), findings=report["findings"],
    )  # fmt: skip


def _spoil(value: object) -> object:
    """Return the same JSON with hostile text in every string that a stranger may write."""
    if isinstance(value, dict):
        ours = {"verdict", "label", "state", "outcome", "band", "level", "fingerprint", "kind"}
        return {key: one if key in ours else _spoil(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_spoil(one) for one in value]
    return value + EVIL if isinstance(value, str) else value


def test_a_run_shows_problems_first_with_both_sides(run):
    page = format_run_page(run, ListQuery())
    check_page(page)
    kinds = re.findall(r'<article class="(\w+)"', page)
    order = {"major": 0, "minor": 1, "open": 2, "exact": 3}
    assert sorted(kinds, key=order.get) == kinds
    assert len(kinds) == len(run.references)
    for one in run.references.values():
        for mismatch in one["mismatches"]:
            assert f"<code>{mismatch['reason']}</code>" in page
    assert "Sources asked" in page
    assert "Candidates" in page
    assert 'href="/runs/abc/report.json"' in page


def test_no_text_of_a_stranger_is_markup(run):
    spoilt = replace(
        run,
        name=EVIL,
        head=_spoil(run.head),
        references=_spoil(run.references),
        findings=_spoil(run.findings),
        decisions={0: RunDecision(0, DecisionChoice.NOTE, f"</textarea>{EVIL}", "2026-01-02T03:04:05Z")},
    )
    pages = [
        format_run_page(spoilt, ListQuery(words=EVIL, file="")),
        format_run_page(replace(spoilt, state="running", total=None), ListQuery(file=EVIL)),
        format_run_page(replace(spoilt, state="failed", error=EVIL), ListQuery()),
        *(format_reference_page(spoilt, number) for number in range(len(spoilt.references))),
        format_text_view(spoilt, EVIL, EVIL.encode()),
        format_pdf_view(spoilt, EVIL, DocumentPage(1, 2, 600, 800, "/runs/abc/pages/0/1.png")),
        format_front_page([spoilt], [EVIL]),
        page_frame.format_error_page(EVIL, EVIL, EVIL),
    ]
    for page in pages:
        check_page(page)
        assert "<script>owned" not in page
        assert "\u202e" not in page


@pytest.mark.parametrize("show", ["all", "problems", "major", "minor", "open", "exact", "findings"])
def test_filters_count_what_they_show(run, show):
    shown = select_references(run, ListQuery(show=show))
    assert shown.found == shown.counts[show]
    labels = {"major": {"MAJOR"}, "minor": {"MINOR"}, "open": {None}, "exact": {"EXACT"}}
    if show in labels:
        assert {one["label"] for _, one in shown.rows} == labels[show]


def test_a_query_reads_only_what_it_knows():
    assert ListQuery.read({"show": "x", "sort": "<", "page": "²", "q": "a" * 999}) == ListQuery(
        words="a" * 200
    )
    assert ListQuery.read({"show": "major", "sort": "year", "page": "3"}) == ListQuery(
        "major", "year", page=3
    )


def test_sorting_and_searching(run):
    rows = select_references(run, ListQuery(sort="document")).rows
    assert [number for number, _ in rows] == list(range(len(run.references)))
    years = [one["claimed"]["year"] or 0 for _, one in select_references(run, ListQuery(sort="year")).rows]
    assert years == sorted(years, reverse=True)
    found = select_references(run, ListQuery(words="BERT transformers"))
    assert 0 < found.found < len(run.references)
    assert not select_references(run, ListQuery(words="no such words")).rows


def test_a_long_list_has_pages(run):
    many = replace(run, references=dict(enumerate([*run.references.values()] * 60)))
    first, last = (select_references(many, ListQuery(page=page)) for page in (1, 9999))
    assert len(first.rows) == PER_PAGE
    assert last.page == last.pages == -(-len(many.references) // PER_PAGE)
    assert {n for n, _ in first.rows}.isdisjoint(n for n, _ in last.rows)
    page = format_run_page(many, ListQuery())
    check_page(page)
    assert 'aria-label="Pages"' in page


def test_a_batch_has_totals_per_document(run):
    files = ("a.bib", "b.bib")
    references = [
        {**one, "location": {**one["location"], "file": file}}
        for file in files
        for one in run.references.values()
    ]
    problem = {
        "location": {"file": "c.pdf", "line": 1},
        "message": "broken",
        "mend": "",
        "text": "",
        "note": False,
    }
    head = {"run": {**run.head["run"], "documents": [*files, "c.pdf"], "problems": [problem]}}
    batch = replace(run, head=head, references=dict(enumerate(references)))
    tallies = {one.file: one for one in tally_documents(batch)}
    assert tallies["a.bib"].labels == tallies["b.bib"].labels
    assert tallies["a.bib"].labels.total() == len(run.references)
    assert tallies["c.pdf"].unread
    page = format_run_page(batch, ListQuery(file="b.bib"))
    check_page(page)
    assert "could not be read" in page
    assert len(re.findall("<article", page)) == len(run.references)


def test_a_running_run_asks_again_without_script(run):
    page = format_run_page(replace(run, state="running", done=1, total=6), ListQuery())
    assert '<noscript><meta http-equiv="refresh" content="3">' in page
    assert 'max="6" value="1"' in page
    assert "refresh" not in format_run_page(run, ListQuery())


def test_a_shared_report_has_no_form_and_no_way_to_the_runs(run):
    decisions = {0: RunDecision(0, DecisionChoice.DISPUTE, "seen in print", "2026-01-02T03:04:05Z")}
    shared = replace(run, base="/shared/xyz", read_only=True, decisions=decisions)
    for page in (format_run_page(shared, ListQuery()), format_reference_page(shared, 0)):
        tags = check_page(page)
        assert not [tag for tag, attrs in tags.tags if tag == "form" and attrs.get("method") == "post"]
        assert "/runs/" not in page
        assert "Disputed" in page


def test_the_ignore_list_is_one_that_check_takes(run, made_checked, tmp_path):
    keys = list(made_checked)
    problem = next(n for n, one in run.references.items() if one["label"] == "MAJOR")
    noted = next(n for n, one in run.references.items() if one["label"] == "MINOR")
    hostile = 'it"s \\ fine\n[[ignore]]\nid = "x"\u202e'
    decided = replace(
        run,
        decisions={
            problem: RunDecision(problem, DecisionChoice.ACCEPT, hostile, "2026-01-02T03:04:05Z"),
            noted: RunDecision(noted, DecisionChoice.NOTE, "only a note", "2026-01-02T03:04:05Z"),
        },
    )
    text = write_ignore_list(decided)
    tomllib.loads(text)
    path = Path(tmp_path / "ignore.toml")
    path.write_text(text, encoding="utf-8")
    entries = read_ignore_list(path)
    assert entries
    assert all(one.reason.startswith("Accepted on 2026-01-02: it") for one in entries)
    watched = list(AcceptedProblems(entries, today=date(2026, 1, 3)).watch(made_checked.values()))
    accepted = [keys[n] for n, one in enumerate(watched) if one.accepted]
    assert accepted == [keys[problem]]
    told = {one["key"]: one["decision"] for one in json.loads(write_decisions(decided))["decisions"]}
    assert told == {run.references[problem]["key"]: "accept", run.references[noted]["key"]: "note"}


def test_source_text_is_marked_in_place(run):
    prose = "é Intro \\cite{two}, and [@one]; [1, 2], x[2], [2](u).\n"
    data = f"{prose}@article{{one, title={{Über}}}}\n@article{{two}}\n@misc{{2}}\n<b>end</b>".encode()
    spans = {key: data.index(f"{{{key}".encode(), len(prose)) for key in ("one", "two", "2")}
    references = [
        {
            **run.references[0],
            "key": key,
            "location": {
                **run.references[0]["location"],
                "file": "a.md",
                "start": start,
                "end": data.index(b"\n", start),
            },
        }
        for key, start in spans.items()
    ]
    head = {"run": {**run.head["run"], "documents": ["a.md"]}}
    page = format_text_view(replace(run, head=head, references=dict(enumerate(references))), "a.md", data)
    check_page(page)
    assert "{one, title={Über}}</a></mark>" in page
    assert page.count('class="cite') == 3
    assert ">[1, 2]</a>" in page
    assert "&lt;b&gt;end&lt;/b&gt;" in page


def test_a_pdf_page_has_boxes_and_links_to_pages(run):
    references = [
        {**one, "location": {**one["location"], "file": "a.pdf", "page": 7, "box": [50, 60.5, 300, 80]}}
        for one in run.references.values()
    ]
    head = {"run": {**run.head["run"], "documents": ["a.pdf"]}}
    pdf = replace(run, head=head, references=dict(enumerate(references)))
    assert choose_page(list(enumerate(references)), "") == 7
    assert choose_page(list(enumerate(references)), "2") == 2
    page = format_pdf_view(pdf, "a.pdf", DocumentPage(7, 9, 612, 792, "/runs/abc/pages/0/7.png"))
    check_page(page)
    assert page.count("<rect") == len(references)
    assert 'x="48.0" y="59.5" width="254.0" height="21.5"' in page


def test_the_verdict_page_names_every_verdict():
    page = format_verdict_page()
    check_page(page)
    for verdict in Verdict:
        assert f"<b>{verdict.value.replace('_', ' ')}</b>" in page
