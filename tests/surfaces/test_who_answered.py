"""While no registry can be reached: every door says who answered and who did not, in the same words."""

from __future__ import annotations

import html
import json

import pytest
from tests.conftest import USER_STATE
from tests.surfaces.mcp_world import call_tool, read_answer
from tests.surfaces.web.web_server import open_web_server

from citeproof.laboratory.testing import Shelf, World

ENTRY = (
    "@article{a, title={A Paper that Was Not There at All}, author={Nobody, Ann}, year={2001}, journal={X}}"
)
ASKED = "crossref,openalex,doi"
TOLD = "snapshot examples; no answer from crossref, openalex; not asked: 1 source"


@pytest.fixture
def outage(cli, monkeypatch, tmp_path, snapshot):
    """Registries that were there a moment ago; each variable of a run that asks them."""
    with World(Shelf()) as world:
        given = world.environment()
    given |= {"CITEPROOF_OFFLINE": "0", "CITEPROOF_PACE": "1000", "CITEPROOF_SOURCES": f"snapshot,{ASKED}"}
    given |= {"CITEPROOF_SNAPSHOT": str(snapshot), "CITEPROOF_LIMITS_DIR": str(tmp_path / "limits")}
    given |= {"XDG_STATE_HOME": str(USER_STATE)}  # the workers of a batch know whose the snapshot is
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "refs.bib").write_text(ENTRY)
    return cli


def read_words(form: str, text: str) -> str:
    """Return a report without the escapes of its medium, on one line."""
    plain = html.unescape(text) if form in ("html", "junit") else text
    return " ".join(plain.replace("\\_", "_").split())


FORMATS = ("text", "md", "html", "json", "junit", "sarif", "summary", "github", "bibtex")


@pytest.mark.parametrize("form", FORMATS)
def test_every_report_says_who_did_not_answer(outage, form):
    for again in (False, True):  # the second time they are left alone for a while
        ended = outage("check", "refs.bib", "--format", form)
        assert TOLD in read_words(form, ended.out), again
    assert "could be reached" not in ended.out


def test_what_programs_read_names_the_sources(outage):
    run = json.loads(outage("check", "refs.bib", "--format", "json").out)["run"]
    assert run["checked_against"] == TOLD
    assert run["answered"] == ["snapshot:examples"]
    assert run["unanswered"] == ["crossref", "openalex"]


def test_a_batch_says_it_on_the_terminal_in_the_summary_and_on_the_page(outage, tmp_path):
    ended = outage("batch", "refs.bib", "--out", "out", "--jobs", "1")
    assert f"checked against: {TOLD}" in ended.out
    assert json.loads((tmp_path / "out/summary.json").read_bytes())["checked_against"] == TOLD
    page = (tmp_path / "out/venue.html").read_text(encoding="utf-8")
    assert f"<dt>checked against</dt><dd>{TOLD}</dd>" in page


def test_the_web_page_and_the_rest_answer_say_it(outage, snapshot, tmp_path):
    sources = ("snapshot", *ASKED.split(","))
    with open_web_server(tmp_path / "jobs", snapshot, offline=False, sources=sources) as web:
        address = web.check(("refs.bib", ENTRY.encode()))
        page = html.unescape(web.get(address).text)
        report = web.get(f"/v1{address}?format=json").json()
    assert f"checked against {TOLD};" in page
    assert report["run"]["checked_against"] == TOLD


def test_an_assistant_is_told(outage):
    document = read_answer(call_tool("checkReferences", arguments={"text": ENTRY}))
    assert document["run"]["checked_against"] == TOLD
