"""The comparison with other tools: requests are redirected, reports are read, figures are drawn."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from bench.peers import peer_answers, peer_chart, peer_figures, peer_items, peer_runs, peer_world
from bench.peers.peer_answers import PeerAnswer
from bench.peers.peer_items import PeerItem
from bench.peers.peer_runs import PeerRun
from bench.peers.peer_venues import VenueRegister

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.snapshot import Snapshot

ROOT = Path(__file__).parents[2]
VENUES = ("International Conference on Computer Vision", "Neural Computation")
ASK = {
    "urllib": "import urllib.request as u\nprint(u.urlopen('https://api.crossref.org/works/10.1109/iccv.2017.322').read().decode())",
    "httpx": "import httpx; print(httpx.get('https://api.crossref.org/works/10.1109/iccv.2017.322').text)",
    "httpx, async": "import asyncio, httpx\nasync def ask():\n    async with httpx.AsyncClient() as c:\n"
    "        print((await c.get('https://api.crossref.org/works/10.1109/iccv.2017.322')).text)\nasyncio.run(ask())",
}  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("peers") / "examples.snapshot"
    build([BuildInput("bibtex", (ROOT / "examples/records.bib",))], folder)
    with Snapshot.open(folder) as opened:
        yield opened


@pytest.fixture
def world(snapshot):
    with peer_world.make_world(snapshot, 0.0, VenueRegister(VENUES)) as made:
        yield made


def _run_python(code, world, tmp_path, **more):
    addresses = peer_world.write_addresses(world, tmp_path / "addresses.json")
    environment = {"PYTHONPATH": str(peer_runs.HERE / "shim"), "PEERS_ADDRESSES": str(addresses), **more}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _make_run(report="", printed=""):
    return PeerRun(report, printed, 0, 1.0, 1.0, Counter(crossref=4), Counter())


@pytest.mark.parametrize("client", ASK)
def test_requests_of_a_tool_reach_the_world(client, world, tmp_path):
    done = _run_python(ASK[client], world, tmp_path)
    assert json.loads(done.stdout)["message"]["title"] == ["Mask R-CNN"], done.stderr
    assert [seen.api for seen in world.log] == ["crossref"]


def test_nothing_else_can_be_reached(world, tmp_path):
    code = "import socket; socket.create_connection(('example.net', 80), timeout=5)"
    assert "only loopback can be reached" in _run_python(code, world, tmp_path).stderr


def test_an_unknown_address_is_answered_and_counted(world, tmp_path):
    code = "import httpx; print(httpx.get('https://scholar.google.com/scholar?q=x').status_code)"
    assert _run_python(code, world, tmp_path).stdout.strip() == "404"
    assert [(seen.api, seen.path) for seen in world.log] == [("elsewhere", "/scholar.google.com/scholar?q=x")]


def test_pauses_pass_faster(world, tmp_path):
    code = "import time; a = time.monotonic(); time.sleep(500); print(time.monotonic() - a >= 500)"
    assert _run_python(code, world, tmp_path, PEERS_PACE="10000").stdout.strip() == "True"


def test_a_doi_is_answered_as_csl(world, tmp_path):
    code = (
        "import httpx; print(httpx.get('https://doi.org/10.1109/iccv.2017.322',"
        " headers={'Accept': 'application/vnd.citationstyles.csl+json'}).json()['title'])"
    )
    assert _run_python(code, world, tmp_path).stdout.strip() == "Mask R-CNN"


def test_dblp_finds_titles_by_their_beginning(world, tmp_path):
    query = 'SELECT ?pub ?t WHERE { ?pub dblp:title ?t . FILTER(?t >= "mask r-cnn" && ?t < "mask r-cno") }'
    code = (
        f"import httpx; q = {query!r}\n"
        "answer = httpx.get('https://sparql.dblp.org/sparql', params={'query': q}).json()\n"
        "print(answer['results']['bindings'])"
    )
    assert "Mask R-CNN." in _run_python(code, world, tmp_path).stdout


def test_venues_are_found_by_their_words(world, tmp_path):
    code = (
        "import httpx\n"
        "for name in ('Computer Vision Conference', 'Conference on Glaciers'):\n"
        "    found = httpx.get('https://api.openalex.org/sources', params={'search': name}).json()\n"
        "    print([one['display_name'] for one in found['results']])"
    )
    assert _run_python(code, world, tmp_path).stdout.split("\n")[:2] == [str([VENUES[0]]), "[]"]


@pytest.mark.parametrize(
    ("reader", "run", "expected"),
    [
        (
            "citeproof",
            _make_run('{"key": "a", "label": "MINOR"}\n{"key": "b", "label": null}'),
            "alarm unsure",
        ),
        ("citecheck", _make_run('{"results": [{"key": "a", "verdict": "NOT_FOUND"}]}'), "accused unsure"),
        ("preflight", _make_run('{"references": [{"key": "a", "verdict": "verified"}]}'), "fine unsure"),
        ("bibguard", _make_run('{"results": [{"key": "a", "overall": "WARN"}]}'), "alarm unsure"),
        (
            "updater",
            _make_run(
                '{"key": "a", "status": "not_found", "abstained": true}\n'
                '{"key": "b", "status": "title_mismatch"}'
            ),
            "alarm accused",
        ),
        (
            "refchecker",
            _make_run(
                '{"records": [{"ref_raw_text": "@article{b, ...}",'
                ' "_original_errors": [{"warning_type": "year"}]}]}'
            ),
            "fine alarm",
        ),
        ("harcx", _make_run(printed="1 entries requiring attention:\n\n[a]\n  Title: x\n"), "accused fine"),
    ],
)
def test_reports_are_read(reader, run, expected):
    found = peer_answers.read_answers(reader, run, ["a", "b"])
    assert " ".join(answer.value for answer in found.values()) == expected


def test_a_changed_entry_is_bad_and_keeps_its_other_fields(snapshot):
    items = peer_items.load_bibliographies([ROOT / "examples/records.bib"], snapshot)
    assert {item.bad for item in items} == {True, False}
    assert all(item.text.startswith("@") and f"{{{item.key}," in item.text for item in items)
    assert all((item.kind == "valid") is not item.bad for item in items)


def test_figures_count_alarms_of_good_and_bad_entries():
    items = [PeerItem(k, "", k < "c", "year" if k < "c" else "valid", k) for k in "abcd"]
    answers = {"a": PeerAnswer.ALARM, "b": PeerAnswer.UNSURE, "c": PeerAnswer.ACCUSED, "d": PeerAnswer.FINE}
    figures = peer_figures.compute_figures(items, answers, _make_run())
    assert (figures["caught"], figures["false_alarms"], figures["unsure_bad"]) == (1, 1, 1)
    assert figures["flagged_good"] == ["c"]
    tools = [{"name": "citeproof", "version": "<1>", "sets": {"x": figures}}]
    assert "| citeproof <1> | 1 of 2 (9–91 %) | 1 of 2 (9–91 %) | 0 / 1 |" in peer_figures.format_table(
        tools, "x"
    )
    quick = tools[0] | {"timed": {"seconds": 2.0}}
    quicker = {"name": "other", "sets": {"x": figures | {"caught": 2}}, "timed": {"seconds": 1.0}}
    better = peer_figures.list_better([quick, quicker], ["x"])
    assert better[:2] == ["- less time: other", "- more errors caught (x): other"]
    assert better[2].endswith(": none")
    assert "caught 1 of 2" in peer_figures.format_summary(tools, ["x"])
    chart = ET.fromstring(peer_chart.draw_chart(tools, {"x": "set"}, "a < b"))
    assert [text for text in chart.itertext() if text in ("50 %", "50.0 %", "a < b")] == [
        "50 %",
        "50.0 %",
        "a < b",
    ]


def test_an_interval_holds_its_share():
    assert peer_figures.compute_interval(0, 20)[0] == 0.0
    low, high = peer_figures.compute_interval(10, 20)
    assert low < 0.5 < high


def test_every_tool_has_a_reader_and_no_tool_is_vendored():
    tools = peer_runs.load_tools()
    assert {tool.reader for tool in tools} < set(peer_answers.READERS)
    assert all(tool.requirement and tool.better and tool.licence for tool in tools)
    assert all(row["reason"] for row in peer_runs.load_table()["not_run"])
