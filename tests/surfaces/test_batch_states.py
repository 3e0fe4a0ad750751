"""Every file that is handed over has a row and a state, and what was not checked comes first on the page."""

from __future__ import annotations

import csv
import html
import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from tests.surfaces.web.web_server import open_web_server

EXAMPLES = Path(__file__).parents[2] / "examples"
LOGIN = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><form><input></form></body></html>"
BINARY = bytes(range(256)) * 4
OPEN = "@article{a, title={A Paper that No Snapshot Holds}, author={Nobody, Ann}, year={2001}, journal={X}}"


def make_pdf(*lines: str) -> bytes:
    """Return a small PDF with a page of text."""
    text = b"".join(b"(%s) Tj 0 -14 Td " % line.encode() for line in lines)
    stream = b"BT /F1 11 Tf 72 720 Td %sET" % text
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body = b"".join(b"%d 0 obj%sendobj\n" % (n, one) for n, one in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R>>\n"


FILES: dict[str, tuple[bytes, str]] = {
    # name: content, state
    "fake.pdf": (b"not a pdf\n", "not_a_document"),
    "login.pdf": (LOGIN, "not_a_document"),
    "page.docx": (LOGIN, "not_a_document"),
    "noise.pdf": (BINARY, "not_a_document"),
    "old.doc": (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "not_a_document"),
    "figure.png": (b"\x89PNG\r\n", "not_a_document"),
    "README.md": (b"What this is.\n", "not_a_document"),
    "notes.xyz": (b"hello\n", "not_a_document"),
    "part/chapter.tex": (b"\\section{One} Text \\cite{k}.\n", "not_a_document"),
    "empty.txt": (b"", "not_a_document"),
    "cut.pdf": (b"%PDF-1.4 nothing", "unreadable"),
    "empty.pdf": (b"", "unreadable"),
    "letter.pdf": (make_pdf("A letter about the weather,", "which cites no work at all."), "no_list"),
    "open.bib": (OPEN.encode(), "undecided"),
    "references.bib": ((EXAMPLES / "references.bib").read_bytes(), "checked"),
}
STATES = {name: state for name, (_, state) in FILES.items()}


@pytest.fixture
def papers(tmp_path) -> Path:
    for name, (data, _) in FILES.items():
        path = tmp_path / "papers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "papers/.DS_Store").write_bytes(BINARY)  # nobody hands it over
    return tmp_path / "papers"


@pytest.fixture
def run(cli, snapshot, tmp_path):
    def check(given: str, *more: str) -> tuple[dict[str, dict], str]:
        ended = cli("batch", given, "--out", "out", "--snapshot", snapshot, *more)
        told = (tmp_path / "out/documents.jsonl").read_text(encoding="utf-8")
        rows = [json.loads(line) for line in told.splitlines()]
        return {re.split(r"^papers(?:\.zip!)?/", row["id"])[-1]: row for row in rows}, ended.out

    return check


def test_every_file_of_a_folder_has_a_row_and_a_state(run, papers, tmp_path):
    rows, printed = run("papers")
    assert {name: row["status"] for name, row in rows.items()} == STATES
    read = {"no_list", "undecided", "checked"}
    assert all((row["error"] is None) == (row["status"] in read) for row in rows.values())
    assert rows["login.pdf"]["error"]["message"] == "not a document: named .pdf, but it is an HTML page"
    told = "1 checked, 1 undecided, 1 without a reference list, 10 not a document, 2 unreadable"
    assert f"15 files: {told}\n" in printed
    counted = json.loads((tmp_path / "out/summary.json").read_bytes())["documents"]
    assert counted["total"] == len(FILES)
    assert all(counted[state] == list(STATES.values()).count(state) for state in STATES.values())


def test_every_member_of_an_archive_has_a_row_and_a_state(run, papers, tmp_path):
    with zipfile.ZipFile(tmp_path / "papers.zip", "w") as archive:
        for name in FILES:
            archive.write(papers / name, name)
    shutil.rmtree(papers)
    rows, _ = run("papers.zip")
    assert rows.keys() == FILES.keys()
    assert {name for name, row in rows.items() if row["status"] == "checked"} == {"references.bib"}
    assert rows["fake.pdf"]["status"] == rows["figure.png"]["status"] == "not_a_document"


def test_the_page_of_the_venue_has_every_paper_and_groups_of_what_was_not_checked(run, papers, tmp_path):
    run("papers", "--format", "html")
    page = (tmp_path / "out/venue.html").read_text(encoding="utf-8")
    groups = re.findall(r'<option value="(\w*)">([^<]*)</option>', page)
    assert groups == [
        ("", f"all papers: {len(FILES)}"),
        ("looked", "to look at: 1"),
        ("unreadable", "Unreadable: 2"),
        ("not_a_document", "Not a document: 10"),
        ("no_list", "No reference list found: 1"),
        ("undecided", "Nothing could be decided: 1"),
    ]
    rows = json.loads(re.search(r'id="rows">(.*?)</script>', page)[1])
    assert {row[0].removeprefix("papers/"): row[1] for row in rows} == STATES
    assert rows[0][0] == "papers/references.bib"  # signs of invention come first
    assert re.search(r'<a href="reports/[^"]*">papers/open.bib</a><br><span class="dim">Nothing could', page)
    table = list(csv.DictReader((tmp_path / "out/venue.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["paper"].removeprefix("papers/"): row["state"] for row in table} == STATES
    told = json.loads((tmp_path / "out/venue.json").read_bytes())["not_checked"]
    assert {one["document"].removeprefix("papers/"): one["status"] for one in told} == {
        name: state for name, state in STATES.items() if state != "checked"
    }


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["figure.png", "README.md"], 3),  # nobody takes them for papers
        (["fake.pdf"], 4),
        (["letter.pdf"], 3),
        (["open.bib"], 4),
    ],
)
def test_what_should_have_been_a_paper_is_in_the_exit_code(cli, snapshot, tmp_path, names, code):
    (tmp_path / "some").mkdir()
    for name in names:
        (tmp_path / "some" / name).write_bytes(FILES[name][0])
    assert cli("batch", "some", "--out", "out", "--snapshot", snapshot).code == code


def test_check_of_a_folder_drops_no_file_silently(cli, snapshot, papers):
    ended = cli("check", "papers", "--snapshot", snapshot, "--format", "json")
    report = json.loads(ended.out)
    named = {one["location"]["file"].removeprefix("papers/") for one in report["run"]["problems"]}
    assert {"fake.pdf", "login.pdf", "page.docx", "noise.pdf", "old.doc", "cut.pdf", "letter.pdf"} <= named
    assert "5 files passed over, not read as documents: papers/README.md, papers/empty.txt" in ended.err
    assert "ref-1" not in {one["key"] for one in report["references"]}  # "not a pdf" is no reference


def test_a_folder_without_a_document_says_so(cli, snapshot, tmp_path):
    (tmp_path / "some").mkdir()
    (tmp_path / "some/figure.png").write_bytes(b"\x89PNG")
    ended = cli("check", "some", "--snapshot", snapshot)
    assert ended.code != 0
    assert "no document in a known format" in ended.err


def test_the_web_page_of_several_documents_begins_with_what_was_not_checked(snapshot, tmp_path):
    names = ("references.bib", "open.bib", "letter.pdf", "fake.pdf", "cut.pdf")
    with open_web_server(tmp_path / "jobs", snapshot) as web:
        address = web.upload(*((name, FILES[name][0]) for name in names))
        page = web.get(address).text
        for run in dict.fromkeys(re.findall(r'href="/runs/([\w-]+)"', page)):
            web.wait(run)
        page = html.unescape(web.get(address).text)
    states = ["unreadable", "not_a_document", "no_list", "undecided", "checked"]
    assert re.findall(r'<tbody id="(\w+)">', page) == states
    for words in ("Unreadable", "Not a document", "No reference list found", "Nothing could be decided"):
        assert re.search(rf'<a href="#\w+">{words}: 1</a>', page)
    assert "checked against snapshot examples" in page
