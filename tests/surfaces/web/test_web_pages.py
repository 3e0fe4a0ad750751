"""The pages over HTTP: upload to report, batches, decisions, sharing, and what a stranger may not do."""

from __future__ import annotations

import asyncio
import csv
import json
import re
from pathlib import Path

import httpx
import pytest
from tests.surfaces.web.test_web_rendering import check_page
from tests.surfaces.web.web_server import OWN, PATIENCE, open_web_server

from citeproof.claims.text_guard import SettledCitation
from citeproof.errors import UsageError
from citeproof.service.guarded_text import GuardedText
from citeproof.surfaces.web.page_frame import give_advice, hide_commands
from citeproof.surfaces.web.run_pages import CHECK_FORMATS, CLAIM_FORMATS, format_guarded_page
from citeproof.surfaces.web.web_answers import explain_errors, is_own_form
from citeproof.vocabulary import ClaimStatus

ROOT = Path(__file__).parents[3]
BIB = (ROOT / "examples/references.bib").read_bytes()
PDF = (ROOT / "tests/fixtures/pdf/author_year.pdf").read_bytes()


def test_an_upload_becomes_a_report_in_every_format(web):
    assert "Recent runs" not in web.get("/").text
    run = web.check(("my/refs.bib", BIB))
    page = web.get(run).text
    check_page(page)
    assert "<h1>refs.bib</h1>" in page
    assert page.count("<article") == 12
    assert page.index("MAJOR") < page.index("EXACT matched")
    assert "refs.bib</a>" in web.get("/").text
    for form in CHECK_FORMATS:
        answer = web.get(f"{run}/report.{form}")
        assert answer.headers["content-disposition"].startswith("attachment; filename=")
        assert answer.text
    assert len(json.loads(web.get(f"{run}/report.json").text)["references"]) == 12
    assert web.client.get(f"{run}/report.exe").status_code == 404


def test_metrics_name_the_pages_by_their_routes(web):
    web.get("/")
    web.client.get("/runs/nobody")
    web.client.get("/runs")
    web.client.get("/nowhere")
    counted = web.client.get("/metrics").text
    asked = [("/", 200), ("/runs/{run}", 404), ("/runs", 405), ("unknown", 404)]
    for route, status in asked:
        assert f'{{method="GET",route="{route}",status="{status}"}} 1' in counted
    assert "nobody" not in counted


def test_filters_work_as_links_and_forms(web):
    run = web.check(("refs.bib", BIB))
    assert web.get(f"{run}?show=major").text.count("<article") == 3
    found = web.get(f"{run}?q=mask+R-CNN&sort=title&show=all").text
    assert 0 < found.count("<article") < 12
    check_page(web.get(f"{run}?show=%3Cscript%3E&q=%22%3E%3Cscript%3E&file=%3Cb%3E&page=-1").text)


def test_a_reference_has_a_page_of_its_own(web):
    run = web.check(("refs.bib", BIB))
    page = web.get(f"{run}/references/4").text
    check_page(page)
    assert "Look for yourself" in page
    for number in ("0", "13", "99999999999"):
        assert web.client.get(f"{run}/references/{number}").status_code == 404


def test_pasted_identifiers_are_references(web):
    run = web.check(text="10.18653/v1/N19-1423\n\nhttps://doi.org/10.1109/CVPR.2016.90\narXiv:1706.03762v2\n")
    page = web.get(run).text
    assert "<h1>3 identifiers</h1>" in page
    assert page.count("<article") == 3


def test_pasted_text_is_a_document_and_never_a_path(web):
    run = web.check(text="He, K. et al. (2016). Deep residual learning for image recognition. CVPR.\n")
    assert web.get(run).text.count("<article") == 1
    for text in (str(ROOT / "examples/references.bib"), "hello world", "please check my references"):
        refused = web.post("/runs", files=[("files", ("", b""))], data={"text": text, "kind": "check"})
        assert (refused.status_code, "not a reference" in refused.text) == (400, True)  # no file is read
        assert "vaswani" not in refused.text
    assert web.get(web.check(text="Attention is all you need")).text.count("<article") == 1


def test_an_example_shows_every_outcome_and_recent_runs_tell_it(web):
    answer = web.post("/runs", files=[("files", ("", b""))], data={"text": "", "example": "1"})
    run = answer.headers["location"]
    web.wait(run.rpartition("/")[2])
    page = web.get(run).text
    check_page(page)
    assert {kind for kind in ("exact", "minor", "major", "open") if f'<article class="{kind}"' in page} >= {
        "exact", "major", "open",
    }  # fmt: skip
    assert '<svg class="bar"' in page
    web.check(text="He, K. et al. (2016). Deep <b>residual</b> learning for image recognition. CVPR.\n")
    front = web.get("/").text
    check_page(front)
    assert ">He, K. et al. (2016). Deep &lt;b&gt;residual" in front
    assert "&lt;text&gt;" not in front
    assert re.search(r"5 references: \d major, .*\s*.*<svg class=.bar.", front), re.findall(
        "5 references.{80}", front
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no snapshot; `citeproof index starter` makes one", "no snapshot"),
        ("no title was found (`citeproof parse` shows how it was read)", "no title was found"),
        ("check the document with `citeproof check` and report what happens", ""),
        ("It differs. Please check with `citeproof fix`.", "It differs."),
        ("split it, or send one part", "split it, or send one part"),
        ("`citeproof" * 50_000, "`citeproof" * 50_000),
    ],
    ids=range(6),
)  # fmt: skip
def test_a_visitor_is_not_told_to_type_commands(text, shown):
    assert hide_commands(text) == shown


def test_what_only_the_owner_can_do_is_said_so():
    assert [give_advice(hint) for hint in ("", "run `citeproof lists update` once", "split it")] == [
        "", "the operator of this server can change it", "split it"
    ]  # fmt: skip


def test_no_flag_is_named_to_a_visitor():
    async def refuse(_):
        raise UsageError("no list is installed", place="--offline", hint="run `citeproof lists update`")

    page = asyncio.run(explain_errors(refuse)(None)).body.decode()
    assert "<p>no list is installed</p>" in page
    assert "the operator of this server can change it" in page


def test_an_unknown_address_is_a_page_for_people_and_json_for_programs(web):
    page = web.client.get("/nothing/here", headers={"Accept": "text/html,*/*"})
    assert (page.status_code, "Start page" in page.text) == (404, True)
    check_page(page.text)
    assert web.client.get("/nothing/here").json()["error"]["code"] == "NOT_FOUND"


def test_several_files_are_a_batch_with_totals(web):
    batch = web.upload(("a.bib", BIB), ("b.bib", BIB), ("c.pdf", b"%PDF-1.7 broken"), ("d.pdf", b""))
    assert batch.startswith("/batches/")
    for job in web.runner.store.list_jobs("local"):
        web.wait(job.id)
    page = web.get(batch).text
    check_page(page)
    assert "refresh" not in page
    rows = re.findall(r"<tr>.*?</tr>", page)
    total = next(row for row in rows if ">all<" in row)
    assert '<td data-name="total">24</td>' in total
    assert "could not be checked" in next(row for row in rows if "c.pdf" in row)
    table = list(csv.DictReader(web.get(f"{batch}/batch.csv").text.splitlines()))
    assert [(row["document"], row["state"], row["total"]) for row in table] == [
        ("a.bib", "checked", "12"), ("b.bib", "checked", "12"), ("c.pdf", "unreadable", "0"),
        ("d.pdf", "not_a_document", "0"),
    ]  # fmt: skip
    heads = re.findall(r'<th colspan="10" scope="rowgroup">(.*?)</th>', page)
    assert heads == ["Unreadable: 1", "Not a document: 1", "Checked: 2"]


def test_a_batch_is_found_again(web):
    batch = web.upload(("a.bib", BIB), ("b.bib", BIB))
    alone = web.check(("c.bib", BIB))
    for job in web.runner.store.list_jobs("local"):
        web.wait(job.id)
    runs = re.findall(r'<td><a href="(/[a-z]+/[^"]*)">(.*?)</a></td><td>([0-9]+) ref', web.get("/").text)
    assert runs == [(alone, "c.bib", "12"), (batch, "2 documents: a.bib, …", "24")]
    document = next(job.id for job in web.runner.store.list_jobs("local") if f"/runs/{job.id}" != alone)
    assert f'<a href="{batch}">← All documents</a>' in web.get(f"/runs/{document}").text
    assert "All documents" not in web.get(alone).text


def test_claims_show_their_trace(web):
    run = web.check(("h.json", (ROOT / "examples/hypothesis.json").read_bytes()), kind="ground")
    page = web.get(run).text
    check_page(page)
    assert re.search(r"\d of 3 citations verified", page)
    assert page.count('<ol class="steps">') == 3
    for form in CLAIM_FORMATS:
        assert web.get(f"{run}/report.{form}").text


ANSWER = "BERT works (10.18653/v1/N19-1423).\n\nSo does <b>magic</b> (Nobody & Noone, 2021).\n"


@pytest.mark.parametrize("way", ["pasted", "file"])
def test_an_answer_is_shown_with_verified_citations_only(way, web):
    sent = {"text": ANSWER} if way == "pasted" else {"files": [("a.md", ANSWER.encode())]}
    files = [("files", one) for one in sent.get("files", [("", b"")])]
    answer = web.post("/runs", data={"kind": "guard", "text": sent.get("text", "")}, files=files)
    page = answer.text
    assert answer.status_code == 200
    check_page(page)
    shown = re.search(r"<textarea[^>]* readonly>\n(.*?)</textarea>", page, re.DOTALL)
    assert shown
    assert "10.18653/v1/N19-1423" in shown[1]
    assert "&lt;b&gt;magic&lt;/b&gt; ([citation not verified])" in shown[1]
    assert "1 of 2 citations held back" in page
    assert '<th scope="row">Nobody &amp; Noone, 2021</th>' in page
    assert "Corrected" not in page


def test_what_a_guarded_answer_says_otherwise_is_named():
    settled = SettledCitation("Ba, <CVPR>", 0, 10, ClaimStatus.VERIFIED, written="Ba, <ICLR>")
    same = SettledCitation("He, CVPR", 11, 19, ClaimStatus.VERIFIED, written="He, CVPR")
    page = format_guarded_page(GuardedText("Ba, <ICLR> He, CVPR", (settled, same)))
    check_page(page)
    rows = re.findall(r'<th scope="row">(.*?)</th><td data-name="shown">(.*?)</td>', page)
    assert rows == [("Ba, &lt;CVPR&gt;", "Ba, &lt;ICLR&gt;")]


def test_an_answer_that_is_none_is_explained(web):
    for text, hint in (("", "paste one answer"), ("word " * 50_000, "split it")):
        answer = web.post("/runs", data={"kind": "guard", "text": text})
        assert answer.status_code == 400
        assert hint in answer.text


def test_the_source_is_shown_with_its_references_marked(web):
    run = web.check(("refs.bib", BIB))
    page = web.get(f"{run}/document").text
    check_page(page)
    assert page.count('<mark class="') == 12 + 5  # and the legend
    assert 'id="r12"' in page


def test_a_pasted_text_is_shown_with_its_references_marked(web):
    page = web.get(f"{web.check(text=BIB.decode())}/document").text
    assert page.count('<mark class="') == 12 + 5
    assert "<h1>&lt;text&gt;" not in page


def test_a_latex_file_and_its_bibliography_are_one_document(web):
    tex = b"\\begin{document}As shown \\cite{he2016deep}.\\bibliography{refs}\\end{document}"
    run = web.check(("main.tex", tex), ("refs.bib", BIB))
    assert web.get(run).text.count("<article") == 1
    page = web.get(f"{run}/document").text
    check_page(page)
    assert "<h1>main.zip!/main.tex</h1>" in page
    assert page.count('class="cite') == 1
    other = re.search(r'Other files: <a href="([^"]+)"', page)[1].replace("&amp;", "&")
    marked = web.get(other).text
    check_page(marked)
    assert 'id="r1"' in marked
    assert web.get(f"{run}/document?file=main.zip!/../../etc/passwd").text == page


def test_the_pages_of_a_pdf_are_pictures_with_boxes(web):
    run = web.check(("paper.pdf", PDF))
    page = web.get(f"{run}/document").text
    check_page(page)
    boxes = page.count("<rect")
    assert boxes > 3
    picture = re.search(r'<image href="([^"]+)"', page)[1]
    answer = web.get(picture)
    assert answer.content.startswith(b"\x89PNG")
    assert answer.headers["content-type"] == "image/png"
    assert "No reference begins on this page" in web.get(f"{run}/document?page=1").text
    assert web.client.get(f"{run}/pages/99.png").status_code == 404
    assert web.get(f"{run}/document?page=99").text.count("<svg") == 1


def test_decisions_go_on_an_ignore_list_that_check_accepts(web, cli, snapshot, tmp_path):
    run = web.check(("refs.bib", BIB))
    references = json.loads(web.get(f"{run}/report.json").text)["references"]
    problems = [n for n, one in enumerate(references, 1) if one["label"] in ("MAJOR", "MINOR")]
    for number in problems:
        answer = web.post(
            f"{run}/references/{number}/decision", data={"choice": "accept", "note": 'it"s <b>'}
        )
        assert answer.headers["location"] == f"{run}/references/{number}"
    page = web.get(f"{run}/references/{problems[0]}").text
    check_page(page)
    assert "Accepted</b> by a person: it&quot;s &lt;b&gt;" in page
    assert f"decided {len(problems)}</a>" in web.get(run).text
    (tmp_path / "refs.bib").write_bytes(BIB)
    (tmp_path / "ignore.toml").write_text(web.get(f"{run}/ignore.toml").text, encoding="utf-8")
    check = ("check", tmp_path / "refs.bib", "--snapshot", snapshot, "--offline")
    assert cli(*check).code == 1
    assert cli(*check, "--ignore", tmp_path / "ignore.toml").code == 4  # two could not be checked
    web.post(f"{run}/references/{problems[0]}/decision", data={"choice": ["accept", "withdraw"]})
    told = json.loads(web.get(f"{run}/decisions.json").text)["decisions"]
    assert [one["number"] for one in told] == problems[1:]
    assert web.post(f"{run}/references/1/decision", data={"choice": "burn"}).status_code == 400


def test_decisions_are_in_the_audit_log_of_the_run(tmp_path, snapshot, cli):
    with open_web_server(tmp_path / "jobs", snapshot, audit_dir=tmp_path / "audit") as web:
        run = web.check(("refs.bib", BIB))
        web.post(f"{run}/references/3/decision", data={"choice": "dispute", "note": "my own words"})
    (log,) = (tmp_path / "audit").glob("job-*.jsonl")
    text = log.read_text(encoding="utf-8")
    (event,) = (one for one in map(json.loads, text.splitlines()) if one["ev"] == "decided")
    assert (event["reference"], event["choice"]) == (3, "dispute")
    assert "my own words" not in text
    verified = cli("audit", "verify", tmp_path / "audit")
    assert verified.code == 0, verified.err


@pytest.fixture
def guarded(tmp_path, snapshot):
    """A server that needs tokens, with a run of Ann."""
    with open_web_server(tmp_path / "guarded", snapshot, people=("ann", "bob")) as web:
        yield web


def test_a_shared_report_is_read_only_and_can_be_withdrawn(guarded):
    run = guarded.check(("refs.bib", BIB))
    guarded.post(f"{run}/references/3/decision", data={"choice": "dispute", "note": "no"})
    assert guarded.post(f"{run}/share").status_code == 303
    address = re.search(r'href="(/shared/[\w-]{32,})"', guarded.get(run).text)[1]
    with httpx.Client(base_url=guarded.address, timeout=PATIENCE) as stranger:
        for path in ("", "/references/3", "/document", "/report.json", "/ignore.toml", "?show=major"):
            answer = stranger.get(address + path)
            assert answer.status_code == 200, path
            assert run.rpartition("/")[2] not in answer.text
            assert '<form method="post"' not in answer.text
        for path in ("/references/3/decision", "/share", "/unshare", "/cancel"):
            answer = stranger.post(address + path, headers=OWN, data={"choice": "accept"})
            assert answer.status_code in (404, 405)
        guarded.post(f"{run}/unshare")
        assert stranger.get(address).status_code == 404


def test_a_run_is_its_owners(guarded):
    run, batch = guarded.check(("refs.bib", BIB)), guarded.upload(("a.bib", BIB), ("b.bib", BIB))
    other = {"Authorization": "Bearer bob"}
    paths = ("", "/references/1", "/document", "/report.json", "/events", "/pages/1.png", "/decisions.json")
    for path in (*(run + path for path in paths), batch):
        assert guarded.client.get(path, headers=other).status_code == 404, path
    for path in ("/references/1/decision", "/share", "/unshare", "/cancel"):
        answer = guarded.client.post(run + path, headers={**OWN, **other}, data={"choice": "accept"})
        assert answer.status_code == 404, path
    assert run not in guarded.client.get("/", headers=other).text
    assert run in guarded.get("/").text


def test_a_browser_signs_in_with_a_token(guarded):
    run = guarded.check(("refs.bib", BIB))
    with httpx.Client(base_url=guarded.address, timeout=PATIENCE) as browser:
        answer = browser.get(run)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/login?next={run}")
        check_page(browser.get(answer.headers["location"]).text)
        sent = {"token": "ann", "next": run}
        assert browser.post("/login", data=sent, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
        assert browser.post("/login", data={"token": 'a"; b'}, headers=OWN).status_code == 400
        answer = browser.post("/login", data=sent, headers=OWN)
        assert answer.headers["location"] == run
        assert {"HttpOnly", "SameSite=lax"} <= set(answer.headers["set-cookie"].split("; "))
        assert browser.get(run).status_code == 200
        assert "Sign out" in browser.get("/").text
        assert browser.get("/v1/runs").status_code == 401  # a cookie opens pages only
        assert browser.post("/logout", headers=OWN).headers["location"] == "/login"
        assert browser.get(run).status_code == 303
        browser.post("/login", data={"token": "wrong"}, headers=OWN)
        again = browser.get("/").headers["location"]
        assert again == "/login?failed=1"
        assert "This server does not know the token." in browser.get(again).text
        assert "does not know" not in browser.get("/login").text
        for after in ("//evil.example/", "https://evil.example/", "/v1/runs"):
            answer = browser.post("/login", data={"token": "ann", "next": after}, headers=OWN)
            assert answer.headers["location"] == "/"


def test_a_refusal_of_the_server_is_a_page_for_people(web):
    answer = web.client.get("/", headers={"Host": "evil.example"})
    assert answer.status_code == 421
    check_page(answer.text)
    assert web.client.get("/v1/runs", headers={"Host": "evil.example"}).json()["error"]["code"]


@pytest.mark.parametrize(
    ("headers", "own"),
    [
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "cross-site", "origin": "http://a", "host": "a"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"origin": "http://a:8000", "host": "a:8000"}, True),
        ({"origin": "https://a", "host": "A"}, True),
        ({"origin": "http://b", "host": "a"}, False),
        ({"origin": "null", "host": "null"}, False),
        ({"host": "a"}, False),
        ({}, False),
    ],
)
def test_only_forms_of_our_own_pages_are_taken(headers, own):
    assert is_own_form(headers) is own


def test_no_other_site_can_post(web):
    run = web.check(("refs.bib", BIB))
    for path in ("/runs", f"{run}/share", f"{run}/cancel", f"{run}/references/1/decision"):
        answer = web.client.post(path, headers={"Sec-Fetch-Site": "cross-site"}, data={"choice": "accept"})
        assert answer.status_code == 403
        check_page(answer.text)
    assert len(web.runner.store.list_jobs("local")) == 1


def test_what_cannot_be_checked_is_told_on_a_page(web, tmp_path, snapshot):
    for sent, status in (
        ({"data": {"text": " "}}, 400),
        ({"data": {"text": "x", "kind": "burn"}}, 400),
        ({"files": [("files", ("empty.bib", b""))]}, 400),
        ({"files": [("files", (f"{n}.bib", b"x")) for n in range(60)]}, 400),
    ):
        answer = web.post("/runs", **sent)
        assert answer.status_code == status
        check_page(answer.text)
    for path in ("/runs/none", "/shared/none", "/batches/none", "/assets/x"):
        answer = web.client.get(path)
        assert answer.status_code == 404
        check_page(answer.text)
    with open_web_server(tmp_path / "small", snapshot, max_document_bytes=1000) as small:
        assert small.post("/runs", files=[("files", ("a.bib", b"x" * 1001))]).status_code == 400
        assert small.post("/runs", files=[("files", ("a.bib", b"x" * 1_100_000))]).status_code == 413


def test_why_there_is_no_reference_is_not_folded_away(web):
    source = b"\\documentclass{article}\\begin{document}Text \\cite{k}.\\bibliography{refs}\\end{document}"
    page = web.get(web.check(("paper.tex", source))).text
    assert "No reference was found" in page
    assert '<details class="reading" open>' in page
    assert (
        '<details class="reading">' in web.get(web.check(("refs.bib", b"@book{, title={The TeXbook}}"))).text
    )


def test_a_failed_run_says_why(web):
    run = web.check(("broken.pdf", b"%PDF-1.7 broken"))
    page = web.get(run).text
    check_page(page)
    assert "This run failed" in page
    assert "broken.pdf" in page
    check_page(web.get(f"{run}/document").text)


def test_progress_is_told_as_events(web):
    run = web.upload(("refs.bib", BIB))
    with web.client.stream("GET", f"{run}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        text = "".join(answer.iter_text())
    told = re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)
    assert {name for name, _ in told[:-1]} <= {"progress"}
    assert told[-1][0] == "end"
    assert json.loads(told[-1][1]) == {"state": "done", "done": 12, "total": 12}


def test_a_waiting_run_can_be_cancelled(tmp_path, snapshot):
    with open_web_server(tmp_path / "jobs", snapshot, workers=0) as web:
        run = web.upload(("refs.bib", BIB))
        page = web.get(run).text
        check_page(page)
        assert "waiting: reading the documents" in page
        assert web.post(f"{run}/cancel").headers["location"] == run
        assert "This run was cancelled" in web.get(run).text


def test_every_answer_carries_the_policy(web):
    run = web.check(("refs.bib", BIB))
    for path in (
        "/",
        "/verdicts",
        run,
        f"{run}/document",
        f"{run}/report.html",
        "/assets/web.css",
        "/runs/none",
    ):
        policy = web.client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
