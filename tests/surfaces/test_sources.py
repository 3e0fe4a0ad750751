"""`citeproof sources`, `--explain-network` and what the doctor says of the network, on the loopback world."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from citeproof import settings as settings_of
from citeproof.evidence.sources import base
from citeproof.laboratory.testing import ALL_FAULTS, Faults, Shelf, World
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net.message import SentRequest
from citeproof.service import source_status
from citeproof.service.assemble import connect_sources
from citeproof.surfaces.cli import run_notices
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

CANARY = "canary-4d1f9a"
DEEP = Record(
    "made", "deep", ("Deep learning",),
    authors=(Name("LeCun", "Yann"), Name("Bengio", "Yoshua"), Name("Hinton", "Geoffrey")),
    versions=(Version(2015, "Nature", Kind.ARTICLE, "521", "7553", "436-444"),), kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1038/nature14539"), ("pmid", "26017442"))),
)  # fmt: skip
ATTENTION = Record(
    "made", "attention", ("Attention Is All You Need",),
    authors=(Name("Vaswani", "Ashish"), Name("Shazeer", "Noam")),
    versions=(Version(2017, "arXiv", Kind.PREPRINT),), kind=Kind.PREPRINT,
    ids=Ids((("arxiv", "1706.03762"), ("doi", "10.48550/arxiv.1706.03762"))),
)  # fmt: skip
ON_LOOPBACK = [
    name for name in base.list_sources() if name != "url"
]  # whose question is an address on the web
CITED = ("--title", "Deep learning", "--doi", "10.1038/nature14539", "--author", "LeCun", "--year", "2015")


@pytest.fixture
def world():
    with World(Shelf(DEEP, ATTENTION)) as running:
        yield running


@pytest.fixture
def online(cli, monkeypatch, tmp_path, world):
    """The command line, asking the loopback world as fast as it can."""
    for name in [name for name in os.environ if name.startswith("CITEPROOF_")]:
        monkeypatch.delenv(name)
    folders = {"CACHE_DIR": tmp_path / "cache", "LIMITS_DIR": tmp_path / "limits", "PACE": 1000}
    for name, value in folders.items():
        monkeypatch.setenv(f"CITEPROOF_{name}", str(value))
    for name, value in world.environment().items():
        monkeypatch.setenv(name, value)
    return cli


def _servers():
    return connect_sources(settings_of.load(), SystemClock()).client.servers()


def _row(ended, name):
    return next(line for line in ended.out.splitlines() if line.split()[:1] == [name])


# --- the table -----------------------------------------------------------------------------------


def test_table_has_every_source(online):
    ended = online("sources")
    assert (ended.code, ended.err) == (0, "")
    first = [line.split()[0] for line in ended.out.splitlines() if line[:1].strip()]
    assert [name for name in first if name in base.list_sources()] == list(base.list_sources())
    assert first[1] == "snapshot"
    assert "CITEPROOF_CONTACT" in ended.out


@pytest.mark.parametrize(
    ("variables", "name", "told"),
    [
        ({}, "crossref", "5000/s, 1 at once"),  # the rate without a contact, at the pace of the test
        ({"CONTACT": "ada@example.org"}, "crossref", "10000/s, 3 at once"),
        ({}, "ads", "needs a key"),
        ({"ADS_KEY": CANARY}, "ads", "required, set"),
        ({}, "web", "only when named"),
        ({"OFFLINE": "1"}, "crossref", "offline"),
        ({"SOURCES": "arxiv"}, "crossref", "not in the setting"),
        ({"SOURCES": "web"}, "web", "ok"),
        ({"SOURCES": "default,web"}, "web", "ok"),
        ({"SOURCES": "default,web"}, "crossref", "ok"),
        ({"SOURCES": "default,web"}, "unpaywall", "not in the setting"),
    ],
)
def test_table_tells_key_limit_and_whether_it_is_asked(variables, name, told, online, monkeypatch):
    for variable, value in variables.items():
        monkeypatch.setenv(f"CITEPROOF_{variable}", value)
    ended = online("sources")
    assert told in _row(ended, name)
    assert CANARY not in ended.out + ended.err


def test_snapshots_come_first(online, monkeypatch, snapshot):
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(snapshot))
    lines = online("sources").out.splitlines()
    assert lines[1].split()[0] == "snapshot:examples"
    assert "article=2015-2017" in lines[1]
    assert "13 records" in lines[1]


def test_snapshot_that_cannot_be_opened_costs_no_other(online, monkeypatch):
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", "/nowhere")
    ended = online("sources")
    assert ended.code == 0
    assert "damaged" in _row(ended, "snapshot")
    assert "/nowhere" in ended.out


def test_what_servers_told_is_shown(online):
    servers = _servers()
    now = SystemClock().now().timestamp()
    servers["crossref"].went_badly("answered 429", refused=True, retry_after=90)
    servers["arxiv"].went_badly("answered 503", refused=False, status=503)
    servers["openalex"].note_budget(0.42, 1.0, now + 3600)
    ended = online("sources")
    assert "blocked" in _row(ended, "crossref")
    assert "crossref: left alone for" in ended.out
    assert "failing" in _row(ended, "arxiv")
    assert "answered 503" in ended.out
    assert "openalex: 0.42 of 1 USD left until 20" in ended.out
    rows = {row["name"]: row for row in json.loads(online("sources", "--format", "json").out)["sources"]}
    assert (rows["crossref"]["state"], rows["crossref"]["blocked_seconds"] > 80) == ("blocked", True)
    assert rows["arxiv"]["last_error"]["text"] == "answered 503"
    assert rows["openalex"]["budget"]["left"] == 0.42
    servers["openalex"].note_budget(0.42, 1.0, now - 1)
    assert "USD" not in online("sources").out
    assert rows["doi"]["own_identifiers"] == ["doi"]
    assert set(rows) == {"snapshot", *base.list_sources()}


def test_json_has_no_key(online, monkeypatch, world):
    monkeypatch.setenv("CITEPROOF_ADS_KEY", CANARY)
    ended = online("sources", "--format", "json")
    rows = {row["name"]: row for row in json.loads(ended.out)["sources"]}
    assert rows["ads"]["key"] == {"need": "required", "set": True}
    assert rows["ads"]["url"] == world.urls["ads"]
    assert CANARY not in ended.out


def test_hostile_words_of_a_server_stay_words(online):
    _servers()["crossref"].went_badly("\x1b[2J\r\nforged: all well", refused=False)
    ended = online("sources")
    assert "\x1b" not in ended.out
    assert not any(line.startswith("forged") for line in ended.out.splitlines())


@pytest.mark.parametrize("name", base.list_sources())
def test_page_of_a_source(name, online):
    ended = online("sources", name)
    assert ended.code == 0
    assert ended.out.startswith("name ")
    assert "**Licence" in ended.out
    assert "\x1b" not in ended.out


def test_page_as_json(online):
    (row,) = json.loads(online("sources", "crossref", "--format", "json").out)["sources"]
    assert row["page"].startswith("Crossref: ")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("sources", "crosref"), "did you mean 'crossref'?"),
        (("sources", "test", "crosref"), "did you mean 'crossref'?"),
        (("sources", "test", "snapshot"), "unknown source 'snapshot'"),
        (("sources", "odd\x1b[31m"), "odd\\x1b[31m"),
        (("sources", "--offline", "test"), "--offline: offline, no source can be tested"),
        (("sources", "--nope"), "--nope"),
    ],
)
def test_wrong_usage(arguments, told, online):
    ended = online(*arguments)
    assert ended.code == 2
    assert told in ended.err
    assert "Traceback" not in ended.err


def test_nothing_is_asked_for_the_table(online, world):
    online("sources")
    online("sources", "crossref")
    online("doctor")
    assert world.log == []


# --- sources test --------------------------------------------------------------------------------


def test_each_source_is_asked_what_suits_it():
    for name in base.list_sources():
        kind = base.find_source(name)
        question = source_status.make_probe_question(kind.profile)
        assert question.by in kind.answers, name
        assert kind.suits(object.__new__(kind), question), name


def test_all_sources_answer(online, monkeypatch, world):
    for name in ("ADS", "SEMANTIC_SCHOLAR", "PUBMED", "GITHUB"):
        monkeypatch.setenv(f"CITEPROOF_{name}_KEY", CANARY)
    monkeypatch.setenv("CITEPROOF_CONTACT", "ada@example.org")
    ended = online("sources", "test", *ON_LOOPBACK)
    rows = [line.split() for line in ended.out.splitlines()]
    assert [row[0] for row in rows] == ON_LOOPBACK
    assert {row[1] for row in rows} == {"found", "absent"}
    assert {row[0] for row in rows if row[1] == "found"} >= {
        "arxiv",
        "crossref",
        "datacite",
        "doi",
        "europe_pmc",
        "openalex",
        "pubmed",
        "semantic_scholar",
        "unpaywall",
    }
    assert all(row[3] == "ms" for row in rows)
    assert ended.code == 0
    assert CANARY not in ended.out + ended.err
    assert not [seen.path for seen in world.log if CANARY in seen.path]


@pytest.mark.parametrize(
    ("name", "fault", "outcome", "code"),
    [
        ("crossref", Faults.status(403), "bot_wall", 4),
        ("crossref", ALL_FAULTS["bot_wall"], "bot_wall", 4),
        ("crossref", ALL_FAULTS["empty_object"], "malformed", 4),
        ("openalex", ALL_FAULTS["deep_json"], "malformed", 4),
        ("pubmed", ALL_FAULTS["key_echo"], "malformed", 4),
        ("arxiv", ALL_FAULTS["gzip_bomb"], "too_large", 4),
        ("ads", (), "not asked", 0),
        ("unpaywall", (), "not asked", 0),
        ("crossref", (), "found", 0),
    ],
)
def test_what_came_of_it_is_told(name, fault, outcome, code, online, monkeypatch, world):
    monkeypatch.setenv("CITEPROOF_PUBMED_KEY", CANARY)
    world.set(name, faults=fault)
    ended = online("sources", "test", name, "--format", "json")
    (row,) = json.loads(ended.out)["sources"]
    assert (row["name"], row["outcome"]) == (name, outcome)
    assert row["detail"]
    assert ended.code == code
    assert CANARY not in ended.out + ended.err


def test_kept_answers_are_not_used_and_none_is_left(online, world, tmp_path):
    online("verify", *CITED)
    before = world.count("crossref")
    for _ in range(2):
        assert online("sources", "test", "crossref").code == 0
    assert world.count("crossref") == before + 2


def test_a_cited_page_can_be_tested(online, world, monkeypatch):
    url = base.find_source("url")
    probe = ("url", f"{world.origin}/url/nowhere")
    monkeypatch.setattr(url, "profile", replace(url.profile, probe=probe))

    async def probed():
        chosen = settings_of.load()
        return [one async for one in source_status.probe_sources(chosen, SystemClock(), ["url"])]

    (one,) = asyncio.run(probed())
    assert one.outcome in ("found", "absent")
    assert {seen.api for seen in world.log} <= {"url", "wayback"}


# --- what left the machine -----------------------------------------------------------------------


def test_network_is_explained_on_demand(online, world):
    silent = online("verify", *CITED, "--format", "text")
    assert silent.err == ""
    kept = online("verify", *CITED, "--format", "text", "--explain-network")
    assert kept.out == silent.out
    assert "nothing left the machine" in kept.err
    assert "answered from kept answers: 1 lookup (crossref 1)" in kept.err
    assert world.count("crossref") == 1


def test_every_address_is_listed(online, monkeypatch, world):
    for name in ("ADS", "PUBMED", "SEMANTIC_SCHOLAR"):
        monkeypatch.setenv(f"CITEPROOF_{name}_KEY", CANARY)
    monkeypatch.setenv("CITEPROOF_CONTACT", "ada@example.org")
    flags = ("--title", "Shadow pyramids of the glacier", "--pmid", "26017442", "--explain-network")
    ended = online("verify", *flags)
    json.loads(ended.out)
    listed = [line.split()[1] for line in ended.err.splitlines() if line.startswith("    ")]
    assert sorted(listed) == sorted(f"{world.origin}/{seen.api}{seen.path}" for seen in world.log)
    assert f"network: {len(world.log)} requests left the machine" in ended.err
    assert CANARY not in ended.out + ended.err


def test_offline_nothing_leaves(online, world, snapshot):
    ended = online("verify", *CITED, "--offline", "--snapshot", snapshot, "--explain-network")
    assert "network: nothing left the machine (offline)" in ended.err
    assert world.log == []


def test_check_explains_too(online, world, tmp_path, snapshot):
    bib = "@article{a, title={Deep learning}, author={LeCun, Yann and others}, doi={10.1038/nature14539}}\n"
    known = "@inproceedings{b, title={Mask R-CNN}, author={He, Kaiming and others}, year=2017}\n"
    (tmp_path / "refs.bib").write_text(bib + known, encoding="utf-8")
    flags = ("--snapshot", snapshot, "--format", "jsonl", "--contact", "ada@example.org")
    ended = online("check", "refs.bib", *flags, "--explain-network")
    assert [json.loads(line)["verdict"] for line in ended.out.splitlines()] == ["matched", "matched"]
    assert "crossref  127.0.0.1" in ended.err
    assert "mailto=ada%40example.org" in ended.err
    assert "decided by snapshots alone: 1 reference\n" in ended.err
    assert not [seen for seen in world.log if "Mask" in seen.path]


def test_a_run_is_resumed_by_running_it_again(online, world):
    world.set("crossref", faults=Faults.status(403))
    first = online("verify", *CITED, "--sources", "crossref")
    assert json.loads(first.out)["verdict"] == "unchecked"
    world.set("crossref", faults=())
    second = online("verify", *CITED, "--sources", "crossref", "--explain-network")
    assert json.loads(second.out)["verdict"] == "matched"
    assert "1 request left the machine" in second.err


def test_cache_that_cannot_be_written_is_a_warning(online, monkeypatch, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(tmp_path / "file" / "cache"))
    ended = online("verify", *CITED)
    assert json.loads(ended.out)["verdict"] == "matched"
    assert ended.err.startswith("warning: ")
    assert "answers are not cached" in ended.err


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://x.example/\x1b[2J\nforged", "https://x.example/\\x1b[2J forged"),
        ("http://[x", "http://[x"),
        ("https://x.example/" + "a" * 5000, "https://x.example/" + "a" * 5000),
    ],
    ids=["escape", "no host", "long"],
)
def test_an_address_cannot_forge_a_line(url, shown):
    sent = [SentRequest("url", "GET", url, len(url), "200", 0.1)]
    lines = list(run_notices._explain_traffic(sent, run_notices.LookupCounter(), offline=False))
    assert len(lines) == 3
    assert lines[2] == f"    GET {shown}  200"


# --- doctor --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variables", "told", "code"),
    [
        ({}, "contact address       none is set", 0),
        ({"CONTACT": "ada@example.org"}, "contact address       ada@example.org", 0),
        ({"OFFLINE": "1"}, "live sources          none is asked: offline", 0),
        ({}, "see `citeproof sources`", 0),
        ({"ADS_KEY": CANARY}, "ads = ***", 0),
        ({"CROSREF_KEY": CANARY}, "'crosref', which is not a source", 1),
        ({"LIMITS_DIR": "/dev/null/x"}, "limits folder", 1),
    ],
)
def test_doctor_looks_at_the_network(variables, told, code, online, monkeypatch, snapshot):
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(snapshot))
    for variable, value in variables.items():
        monkeypatch.setenv(f"CITEPROOF_{variable}", value)
    ended = online("doctor", "-v")
    assert " ".join(told.split()) in " ".join(ended.out.split())
    assert ended.code == code
    assert CANARY not in ended.out + ended.err


@pytest.mark.parametrize("command", [("verify", "--title", "Mask R-CNN"), ("check", "one.bib")])
def test_offline_run_loads_neither_network_nor_numpy_nor_templates(command, snapshot, tmp_path):
    (tmp_path / "one.bib").write_text("@article{a, title={Mask R-CNN}, author={He, Kaiming}, year=2017}")
    arguments = [*command, "--offline", "--snapshot", str(snapshot)]
    code = (
        "import sys; from citeproof.surfaces.cli.main import cli;"
        f"cli.main({arguments!r}, standalone_mode=False);"
        "sys.exit(' '.join({'aiohttp', 'numpy', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False)
    assert not done.stderr.strip(), done.stderr


def test_a_url_for_no_source_is_told_and_stops_nothing(online, monkeypatch):
    monkeypatch.setenv("CITEPROOF_CROSREF_URL", "http://127.0.0.1:9")
    ended = online("verify", *CITED, "--format", "text")
    assert ended.code == 0
    assert "'crosref', which is not a source; did you mean 'crossref'?" in ended.err


def test_one_variable_leads_both_services_of_dblp(online, world, monkeypatch):
    asked = ("verify", "--title", "Attention Is All You Need", "--sources", "dblp", "--format", "text")
    ended = online(*asked)
    assert world.count("dblp_sparql")
    assert "deprecated" not in ended.err
    before = world.count("dblp_sparql")
    monkeypatch.setenv("CITEPROOF_DBLP_SPARQL_URL", f"{world.origin}/dblp_sparql")
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(os.environ["CITEPROOF_CACHE_DIR"]) + "-other")
    ended = online(*asked)
    assert world.count("dblp_sparql") > before
    assert ended.err.count("CITEPROOF_DBLP_SPARQL_URL sets dblp_sparql, which is deprecated") == 1


def test_a_plan_of_nothing_says_so(cli, tmp_path):
    (tmp_path / "empty.md").write_text("")
    done = cli("sources", "plan", "empty.md")
    assert (done.code, done.out) == (3, "")
    assert "nothing to check: no reference found in empty.md" in done.err
