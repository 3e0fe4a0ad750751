"""Machines that share a database: what one asked, the other knows, and no password is ever shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.plumbing.stores.postgres_server import run_postgres
from tests.surfaces.mcp_world import RECORDS

from citeproof import settings as all_settings
from citeproof.errors import UsageError
from citeproof.laboratory.testing import Shelf, World
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.store_address import StoreAddress
from citeproof.service.assemble import connect_sources

AWAY = "postgresql://ann:secret@127.0.0.1:9/shared"
CITED = ("--title", "Deep learning", "--doi", "10.1038/nature14539", "--author", "LeCun", "--year", "2015")


@pytest.fixture(scope="module")
def postgres():
    with run_postgres() as url:
        yield url


@pytest.fixture
def machine(cli, monkeypatch, tmp_path):
    """A function that runs the command line as on a machine of that name."""
    for name in [name for name in os.environ if name.startswith("CITEPROOF_")]:
        monkeypatch.delenv(name)

    def run(name, store, world, *arguments):
        given = {"CACHE_DIR": tmp_path / name, "LIMITS_DIR": tmp_path / name / "limits", "PACE": 1000}
        for variable, value in {**given, "SHARED_STORE": store}.items():
            monkeypatch.setenv(f"CITEPROOF_{variable}", str(value))
        for variable, value in world.environment().items():
            monkeypatch.setenv(variable, value)
        return cli(*arguments)

    return run


@pytest.fixture
def world():
    with World(Shelf(*RECORDS)) as running:
        yield running


def test_what_one_machine_asked_the_other_knows(machine, world, postgres, tmp_path):
    asked = ("verify", *CITED, "--sources", "crossref")
    first = machine("one", postgres, world, *asked)
    count = len(world.log)
    assert count
    second = machine("two", postgres, world, *asked)
    assert len(world.log) == count
    answers = [json.loads(one.out) for one in (first, second)]
    assert answers[0]["verdict"] == answers[1]["verdict"]
    assert "warning" not in second.err
    assert not list(tmp_path.glob("*/answers"))

    online = connect_sources(all_settings.load(), SystemClock())
    online.client.servers()["crossref"].went_badly("answered 429", refused=True, retry_after=500, status=429)
    online.client.close_limits()
    told = machine("three", postgres, world, "sources", "--format", "json")
    row = next(one for one in json.loads(told.out)["sources"] if one["name"] == "crossref")
    assert row["blocked_seconds"] > 0
    assert told.err == ""
    examined = machine("three", postgres, world, "doctor", "-v")
    assert "postgresql:///postgres can be used" in examined.out


def test_a_database_that_is_away_is_told_at_the_start_without_its_password(machine, world):
    ended = machine("one", AWAY, world, "verify", *CITED, "--sources", "crossref")
    assert ended.code == 2
    assert ended.err.startswith("error: postgresql://127.0.0.1:9/shared: cannot be read or written")
    assert "hint: is the PostgreSQL server running" in ended.err
    assert "secret" not in ended.err + ended.out
    assert world.log == []
    offline = machine("one", AWAY, world, "verify", *CITED, "--offline")
    assert offline.code != 2


@pytest.mark.parametrize("command", [("doctor",), ("sources",), ("sources", "--format", "json")])
def test_every_command_tells_of_it_and_none_shows_the_password(machine, world, command):
    ended = machine("one", AWAY, world, *command)
    assert "postgresql://127.0.0.1:9/shared" in ended.out + ended.err
    assert "cannot be read or written" in ended.out + ended.err
    assert "secret" not in ended.out + ended.err


def test_a_value_that_is_no_address_is_not_shown(machine, world):
    ended = machine("one", "mysql://ann:secret@h/d", world, "doctor")
    assert ended.code == 2
    assert "shared_store is not the address of a database" in ended.err
    assert "secret" not in ended.err


def test_settings_never_print_it(tmp_path):
    chosen = all_settings.load({}, environment={"CITEPROOF_SHARED_STORE": AWAY}, folder=tmp_path)
    assert chosen.shared_store == StoreAddress(AWAY)
    assert "secret" not in repr(chosen)
    assert "secret" not in str(all_settings.to_plain_value(chosen.shared_store))
    assert "secret" not in str(all_settings.to_plain_value(AWAY))


def test_a_project_cannot_name_one(tmp_path):
    (tmp_path / "citeproof.toml").write_text(f'shared_store = "{AWAY}"\n')
    with pytest.raises(UsageError, match="may not set shared_store") as caught:
        all_settings.load({}, environment={}, folder=tmp_path)
    assert "secret" not in str(caught.value)


def test_processes_that_share_it_keep_the_rate_together(world, postgres, tmp_path):
    """Four processes with folders of their own, each of which alone would be allowed the whole rate."""
    code = """
import asyncio, sys
from pathlib import Path
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net.client import Client
from citeproof.plumbing.net.message import Rate, Request
from citeproof.plumbing.net.message import RequestPolicy
from citeproof.plumbing.store_address import StoreAddress
from citeproof.plumbing.stores.answer_cache import AnswerCache
from citeproof.plumbing.net.cross_machine_limiter import PostgresLimits
store, folder, url = StoreAddress(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
clock = SystemClock()
client = Client({"x": RequestPolicy(Rate(20, 1.0, at_once=2), "x")}, AnswerCache(store, clock), folder,
                clock, agent="citeproof/test", timeout=60, allowed=[url.split("/")[2]],
                limits=PostgresLimits(store, clock))

async def ask():
    await asyncio.gather(*(client.fetch(Request("x", f"{url}/works/{folder.name}-{n}", timeout=60))
                           for n in range(10)))
    print(client.trouble)
    await client.close()

asyncio.run(ask())
"""
    url = world.urls["crossref"]
    commands = [[sys.executable, "-c", code, postgres, str(tmp_path / str(n)), url] for n in range(4)]
    running = [subprocess.Popen(one, stdout=subprocess.PIPE, text=True) for one in commands]
    assert [one.communicate()[0].strip() for one in running] == [""] * 4
    assert world.count("crossref") == 40
    assert world.requests_within("crossref", 1.0).at_once <= 2


def test_the_memory_may_be_in_a_database(machine, world, postgres):
    flags = ("--memory", postgres, "--sources", "crossref")
    first = machine("one", postgres, world, "verify", *CITED, *flags)
    assert json.loads(first.out)["verdict"] == "matched"
    told = machine("two", postgres, world, "memory", "--memory", postgres, "info", "--format", "json")
    assert json.loads(told.out)["works"] == 1
    assert json.loads(told.out)["folder"] == "postgresql:///postgres"
    offline = machine("two", postgres, world, "verify", *CITED, "--offline", "--memory", postgres)
    assert json.loads(offline.out)["verdict"] == "matched"
    cleared = machine("two", postgres, world, "memory", "--memory", postgres, "clear", "--yes")
    assert "1 works forgotten" in cleared.out


def test_a_memory_on_another_machine_is_not_used_offline(machine, world):
    url = "postgresql://ann:secret@db.example.org/memory"
    ended = machine("one", "", world, "verify", *CITED, "--offline", "--memory", url)
    assert ended.code == 2
    assert "postgresql://db.example.org/memory: is not on this machine, but the run is offline" in ended.err
    ended = machine("one", "", world, "verify", *CITED, "--memory", "mysql://ann:secret@h/d")
    assert ended.code == 2
    assert "memory is neither a folder nor the address of a database" in ended.err
    assert "secret" not in ended.err


def test_a_batch_on_another_machine_asks_nothing_again(machine, world, postgres, tmp_path):
    (tmp_path / "papers").mkdir()
    bib = "@article{a%d, title={Deep learning}, author={LeCun, Yann}, doi={10.1038/nature14539}}\n"
    for number in range(3):
        (tmp_path / "papers" / f"{number}.bib").write_text(bib % number)
    flags = ("--sources", "crossref", "--jobs", "2", "--quiet")
    first = machine("one", postgres, world, "batch", "papers", "--out", "out1", *flags)
    count = len(world.log)
    assert count
    second = machine("two", postgres, world, "batch", "papers", "--out", "out2", *flags)
    assert first.code == second.code != 2
    assert len(world.log) == count
    results = [(tmp_path / out / "documents.jsonl").read_bytes() for out in ("out1", "out2")]
    assert results[0] == results[1]
    away = machine("three", AWAY, world, "batch", "papers", "--out", "out3", *flags)
    assert away.code == 2
    assert "127.0.0.1:9/shared" in away.err
    assert "secret" not in away.err
    for file in (tmp_path / "out3").rglob("*"):
        assert not file.is_file() or b"secret" not in file.read_bytes()
