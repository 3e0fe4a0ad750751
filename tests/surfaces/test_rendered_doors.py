"""Render mode shows the same text by the command line, Python, REST and MCP."""

from __future__ import annotations

import json

import pytest
from tests.surfaces.mcp_world import call_tool, install_list, read_answer
from tests.surfaces.rest_server import ThreadedServer

import citeproof
from citeproof import settings as all_settings
from citeproof.claims.shown_units import MARK
from citeproof.surfaces.rest.app import create_app
from citeproof.surfaces.rest.server_door import ServerOptions

GLOVE = {
    "key": "glove",
    "title": "GloVe: Global Vectors for Word Representation",
    "doi": "10.3115/v1/D14-1162",
}
LIBRARY = "@inproceedings{he2016, title={Deep Residual Learning for Image Recognition}, author={He, Kaiming and others}, year={2016}, booktitle={CVPR}}\n"  # noqa: E501
ANSWER = {
    "text": "Vectors [[cite:glove]] and depth [[cite:he2016]], not [[cite:nobody]], nor Xu et al. (2021).\n",
    "citations": [GLOVE],
}
SHOWN = f"Vectors [1] and depth [2], not {MARK}, nor {MARK}.\n"


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    install_list(tmp_path)
    return tmp_path


@pytest.fixture
def library(home):
    (home / "library.bib").write_text(LIBRARY)
    return home / "library.bib"


def _ask_python(snapshot, library):
    with citeproof.Verifier(offline=True, snapshots=[snapshot]) as verifier:
        return verifier.render(ANSWER, bibliography=library, style="ieee")


def test_every_door_shows_the_same(cli, home, library, snapshot):
    expected = _ask_python(snapshot, library)
    assert expected.body == SHOWN
    (home / "answer.json").write_text(json.dumps(ANSWER))
    flags = ("--offline", "--snapshot", snapshot, "--bibliography", library, "--style", "ieee")
    ended = cli("guard", "answer.json", "--render", *flags)
    assert (ended.code, ended.out) == (1, expected.text)
    assert "✗ nobody  unsupported: no work has this key" in ended.err
    assert "2 of 3 markers shown as citations; 1 written by hand held back" in ended.err
    printed = json.loads(cli("guard", "answer.json", "--render", *flags, "--format", "json").out)
    asked = {**ANSWER, "bibliography": LIBRARY, "style": "ieee"}
    answered = read_answer(call_tool("renderAnswer", arguments=asked, offline=True, snapshots=[snapshot]))
    settings = all_settings.load({"offline": True, "snapshots": [snapshot]})
    app = create_app(
        settings,
        folder=home / "jobs",
        options=ServerOptions(),
        tokens=None,
        local=True,
        log=lambda *_, **__: None,
    )
    server = ThreadedServer(app)
    try:
        served = server.client.post("/v1/render", json=asked)
        wrong = [
            server.client.post("/v1/render", json=one)
            for one in ({"text": 1, "x": 2}, {"text": "a", "style": "b"})
        ]
    finally:
        server.close()
    assert served.json() == printed == answered
    assert printed["text"] == expected.text
    assert [one["status"] for one in printed["citations"]] == ["verified", "verified", "unsupported"]
    assert [one.status_code for one in wrong] == [400, 400]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("It works [[cite:10.3115/v1/D14-1162]].", 0),
        ("It fails [[cite:nobody]].", 1),
        ("No marker at all.", 3),
        ("Who knows [[cite:10.1234/never.seen]].", 4),
    ],
)
def test_exit_codes(text, code, cli, home, snapshot):
    (home / "answer.md").write_text(text)
    ended = cli("guard", "answer.md", "--render", "--offline", "--snapshot", snapshot, "-o", "shown.md")
    assert ended.code == code, ended.err
    assert "[[cite" not in (home / "shown.md").read_text()


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--style", "apa"), "--style: needs --render"),
        (("--receipts", "r.json", "--offline"), "--offline: needs --render"),
        (("--render", "--receipts", "r.json"), "cannot be used together"),
        (("--render", "--style", "nobody"), "unknown style"),
        (("--render", "--style", "apa", "--csl", "x.csl"), "a style and a CSL file are given"),
    ],
)
def test_flags_that_do_not_fit_are_refused(flags, told, cli, home):
    (home / "answer.md").write_text("x")
    ended = cli("guard", "answer.md", *flags)
    assert ended.code == 2
    assert told in ended.err
