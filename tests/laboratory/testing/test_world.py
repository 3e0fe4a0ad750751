"""The world serves plain HTTP well: calls, log, pace, latency, rates, and many clients at once."""

import asyncio
import http.client
import json
import socket
import threading
from urllib.parse import urlsplit

import aiohttp
import pytest

from citeproof.evidence.sources import base as sources
from citeproof.laboratory.testing import Faults, Latency, World
from citeproof.laboratory.testing import world as module
from citeproof.plumbing.net.message import Rate
from tests.laboratory.testing.conftest import PLANCK, SHELF, mirror


def get(address, method="GET", body=None, headers=None):
    """Return status, headers and body of one request."""
    parts = urlsplit(address)
    link = http.client.HTTPConnection(parts.netloc, timeout=60)
    try:
        link.request(method, address.partition(parts.netloc)[2], body, headers or {})
        reply = link.getresponse()
        return reply.status, dict(reply.getheaders()), reply.read()
    finally:
        link.close()


CALLS = [
    ("", {"path": "/", "parts": [], "query": {}}),
    ("/works/10.1%2Fa%3Fb", {"path": "/works/10.1%2Fa%3Fb", "parts": ["works", "10.1/a?b"]}),
    ("/x?q=a&q=b&empty=&u=%C3%BC+%26", {"query": {"q": "b", "empty": "", "u": "ü &"}}),
    ("//double//slash/", {"path": "//double//slash/", "parts": ["double", "slash"]}),
    ("/%F0%9F%8E%93/%FF", {"parts": ["🎓", "\ufffd"]}),
]


@pytest.mark.parametrize(("path", "expected"), CALLS)
def test_a_call_is_what_the_documentation_of_call_says(world, path, expected):
    status, headers, body = get(world.urls["mirror"] + path)
    assert (status, headers["Content-Type"]) == (200, "application/json")
    said = json.loads(body)
    assert {name: said[name] for name in expected} == expected
    assert said["base"] == world.urls["mirror"]


def test_bodies_and_head_and_unknown_apis(world):
    status, _, body = get(world.urls["mirror"] + "/batch", "POST", b'{"ids": ["\xc3\xbc"]}')
    assert (status, json.loads(body)["body"]) == (200, '{"ids": ["ü"]}')
    status, headers, body = get(world.urls["mirror"], "HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) > 0
    assert get(world.origin + "/nobody/home")[0] == 404
    assert [seen.method for seen in world.log] == ["POST", "HEAD"]
    assert world.log[0].body == b'{"ids": ["\xc3\xbc"]}'


def test_broken_requests_are_refused(world):
    for first in (
        b"NONSENSE\r\n\r\n",
        b"GET nowhere HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nx: " + b"y" * 10**6,
    ):
        with socket.create_connection(("127.0.0.1", int(world.origin.rpartition(":")[2]))) as link:
            link.sendall(first)
            assert b" 4" in link.recv(100)[:13]
    assert get(world.urls["mirror"], "POST", iter([b"x"]), {"Transfer-Encoding": "chunked"})[0] == 411


def test_a_connection_is_kept_and_large_bodies_are_packed(world):
    link = http.client.HTTPConnection("127.0.0.1", int(world.origin.rpartition(":")[2]), timeout=60)
    for _ in range(3):
        link.request("GET", "/mirror/" + "x" * 3000, headers={"Accept-Encoding": "gzip"})
        reply = link.getresponse()
        assert reply.headers["Content-Encoding"] == "gzip"
        assert len(reply.read()) < 500
    link.close()


def test_the_urls_and_the_environment_name_every_api():
    world = World(SHELF, apis=("crossref", "semantic_scholar"), port=8001)
    assert world.environment() == {
        "CITEPROOF_CROSSREF_URL": "http://127.0.0.1:8001/crossref",
        "CITEPROOF_SEMANTIC_SCHOLAR_URL": "http://127.0.0.1:8001/semantic_scholar",
        "CITEPROOF_PRIVATE_HOSTS": "127.0.0.1:8001",
    }
    assert set(World(SHELF).urls) == set(module.list_api_names())
    with pytest.raises(KeyError):
        World(SHELF, apis=("crossref",), faults={"crosref": Faults.status(500)})


def test_the_log_and_the_pace(world):
    for number in range(4):
        get(world.urls["mirror"] + f"/{number}?n={number}", headers={"X-Key": "secret"})
    get(world.urls["other"])
    assert [seen.path for seen in world.log if seen.api == "mirror"] == [f"/{n}?n={n}" for n in range(4)]
    assert world.log[0].headers["x-key"] == "secret"
    assert (world.count("mirror"), world.count("other"), world.count("nobody")) == (4, 1, 0)
    assert world.requests_within("mirror", 60) == (4, 1)
    assert world.requests_within("mirror", 1e-9) == (1, 1)
    assert world.requests_within("nobody", 1) == (0, 0)
    assert {seen.status for seen in world.log} == {200}


async def _many(addresses):
    async with aiohttp.ClientSession() as session:

        async def one(address):
            async with session.get(address) as reply:
                await reply.read()
                return reply.status

        return await asyncio.gather(*map(one, addresses))


def test_many_clients_at_once_are_counted(world):
    world.set("mirror", latency=2.0)
    statuses = asyncio.run(_many([world.urls["mirror"] + f"/{n}" for n in range(50)]))
    assert set(statuses) == {200}
    assert world.requests_within("mirror", 60) == (50, 50)


def test_latency_is_the_same_in_every_run_and_has_the_stated_median():
    times = sorted(Latency(1.0, 3.0).of(n) for n in range(1, 1001))
    assert times == sorted(Latency(1.0, 3.0).of(n) for n in range(1, 1001))
    assert times[500] == pytest.approx(1.0, rel=0.02)
    assert times[950] == pytest.approx(3.0, rel=0.05)
    assert Latency(0.5).of(7) == 0.5


def test_rates_answer_429_beyond_them():
    with World(SHELF, apis={"mirror": mirror}, rates={"mirror": (3, 60.0)}) as world:
        replies = [get(world.urls["mirror"]) for _ in range(5)]
        assert [status for status, _, _ in replies] == [200, 200, 200, 429, 429]
        assert 1 <= int(replies[-1][1]["Retry-After"]) <= 60


def test_rates_may_bound_what_is_open_at_once():
    with World(
        SHELF, apis={"mirror": mirror}, rates={"mirror": Rate(100, 1.0, 2)}, latency={"mirror": 0.3}
    ) as world:
        statuses = asyncio.run(_many([world.urls["mirror"]] * 4))
        assert sorted(statuses) == [200, 200, 429, 429]


def test_a_bug_of_an_api_is_raised_when_the_world_ends():
    def broken(call, holdings):
        raise KeyError("title")

    with pytest.raises(RuntimeError, match="bug"), World(SHELF, apis={"broken": broken}) as world:
        assert get(world.urls["broken"])[0] == 500


def test_an_api_file_that_does_not_exist_is_a_bug():
    with pytest.raises(RuntimeError, match="bug"), World(SHELF, apis=("nobody",)) as world:
        assert get(world.urls["nobody"])[0] == 500


def test_a_world_leaves_no_thread_behind(world):
    before = sum(thread.name == "world" for thread in threading.enumerate())
    with World(SHELF, apis={"mirror": mirror}, faults={"mirror": Faults.silence()}) as other:
        link = http.client.HTTPConnection("127.0.0.1", int(other.origin.rpartition(":")[2]), timeout=60)
        link.request("GET", "/mirror")
        while not other.count("mirror"):
            pass
        assert other.log[0].status == 0
    link.close()
    assert sum(thread.name == "world" for thread in threading.enumerate()) == before


def test_holdings_are_asked(world):
    _, _, body = get(world.urls["mirror"] + "/?q=energieverteilung+im+normalspectrum+uber+das+gesetz+der")
    assert json.loads(body)["titles"] == [PLANCK.title]


def test_every_api_stands_for_an_address_that_some_source_uses():
    kinds = [sources.find_source(name) for name in sources.list_sources()]
    used = {kind.name for kind in kinds} | {name for kind in kinds for name in kind.profile.further}
    assert set(module.list_api_names()) <= used | {"publisher", "robots"}  # no sources
