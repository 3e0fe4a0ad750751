"""Every fault does what its name says, when it says."""

import asyncio
import http.client
import json
import socket
import zlib
from datetime import timedelta
from email.utils import parsedate_to_datetime

import pytest

from citeproof.laboratory.testing import ALL_FAULTS, Faults
from tests.laboratory.testing.test_world import get


def raw(world, seconds=2.0, limit=10**6):
    """Return the first bytes that come over the connection."""
    port = int(world.origin.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as link:
        link.sendall(b"GET /mirror?q=1 HTTP/1.1\r\nHost: x\r\nX-Api-Key: s3cret\r\nConnection: close\r\n\r\n")
        parts = []
        while (part := link.recv(65536)) and sum(map(len, parts)) < limit:
            parts.append(part)
    return b"".join(parts)


WHOLE = [
    ("status_403", lambda s, h, b: s == 403),
    ("status_429", lambda s, h, b: s == 429 and "Retry-After" not in h),
    ("status_429_retry_after", lambda s, h, b: h["Retry-After"] == "1"),
    ("status_429_http_date", lambda s, h, b: parsedate_to_datetime(h["Retry-After"]).year >= 2026),
    ("status_429_absurd", lambda s, h, b: int(h["Retry-After"]) > 10**9),
    ("status_429_nonsense", lambda s, h, b: h["Retry-After"] == "soon; -5"),
    ("status_500", lambda s, h, b: s == 500),
    ("status_503", lambda s, h, b: s == 503),
    ("status_503_html", lambda s, h, b: (s, h["Content-Type"]) == (503, "text/html")),
    (
        "bot_wall",
        lambda s, h, b: s == 200 and b"not a bot" in b and h["Content-Type"].startswith("text/html"),
    ),
    ("bot_wall_as_json", lambda s, h, b: b"not a bot" in b and h["Content-Type"] == "application/json"),
    ("wrong_media", lambda s, h, b: json.loads(b) and h["Content-Type"] == "image/png"),
    ("empty", lambda s, h, b: (s, b, h["Content-Type"]) == (200, b"", "application/json")),
    ("empty_object", lambda s, h, b: json.loads(b) == {}),
    ("null", lambda s, h, b: json.loads(b) is None),
    ("truncated", lambda s, h, b: b.startswith(b'{"path"') and not b.endswith(b"}")),
    ("deep_json", lambda s, h, b: b == b"[" * 100_000 + b"]" * 100_000),
    ("redirect_metadata", lambda s, h, b: s == 302 and "169.254.169.254" in h["Location"]),
    ("redirect_private", lambda s, h, b: h["Location"] == "http://10.0.0.1/"),
    ("redirect_loopback", lambda s, h, b: h["Location"].startswith("http://[::1]:")),
    ("redirect_file", lambda s, h, b: h["Location"].startswith("file:")),
    ("redirect_loop", lambda s, h, b: h["Location"].endswith("/mirror/there")),
    ("key_echo", lambda s, h, b: s == 200 and json.loads(b)["api-key"] == "s3cret"),
    ("odd_unicode", lambda s, h, b: "\u202e" in json.loads(b)["path"]),
    ("invalid_utf8", lambda s, h, b: b"\xff\xfe" in b),
]


@pytest.mark.parametrize(("name", "holds"), WHOLE, ids=[name for name, _ in WHOLE])
def test_whole_answers(world, name, holds):
    world.set("mirror", faults=ALL_FAULTS[name])
    status, headers, body = get(world.urls["mirror"] + "/there", headers={"X-Api-Key": "s3cret"})
    assert holds(status, headers, body)
    assert world.log[-1].status == status
    world.set("mirror", faults=())
    assert get(world.urls["mirror"])[0] == 200


def test_a_half_body_is_shorter_than_it_says(world):
    world.set("mirror", faults=ALL_FAULTS["half_body"])
    with pytest.raises(http.client.IncompleteRead):
        get(world.urls["mirror"])


def test_a_reset_is_a_reset(world):
    world.set("mirror", faults=ALL_FAULTS["reset"])
    with pytest.raises(ConnectionResetError):
        raw(world)


def test_hanging_up_and_not_http(world):
    world.set("mirror", faults=ALL_FAULTS["hang_up"])
    assert raw(world) == b""
    world.set("mirror", faults=ALL_FAULTS["not_http"])
    assert raw(world).startswith(b"220 ")


def test_silence_says_nothing(world):
    world.set("mirror", faults=ALL_FAULTS["silence"])
    with pytest.raises(TimeoutError):
        raw(world, seconds=0.3)


def test_a_slow_drip_comes_byte_by_byte(world):
    world.set("mirror", faults=Faults.drip(0.001))
    status, _, body = get(world.urls["mirror"])
    assert (status, json.loads(body)["path"]) == (200, "/")
    world.set("mirror", faults=ALL_FAULTS["slow_drip"])
    with pytest.raises(TimeoutError):
        raw(world, seconds=0.3)


def test_a_gzip_bomb_is_small_on_the_wire_and_large_unpacked(world):
    world.set("mirror", faults=Faults.gzip_bomb(50))
    _, headers, body = get(world.urls["mirror"])
    assert (headers["Content-Encoding"], headers["Transfer-Encoding"]) == ("gzip", "chunked")
    assert len(body) < 500_000
    assert zlib.decompress(body, 31) == bytes(50_000_000)


def test_huge_headers_are_huge(world):
    world.set("mirror", faults=ALL_FAULTS["huge_headers"])
    assert raw(world, limit=2 * 10**6).count(b"X-Padding") > 10


def test_every_fault_is_tested_here():
    alone = {"half_body", "reset", "hang_up", "not_http", "silence", "slow_drip", "gzip_bomb", "huge_headers"}
    assert set(ALL_FAULTS) == {name for name, _ in WHOLE} | alone
    assert all(fault.name == name for name, fault in ALL_FAULTS.items())


APPLIES = [
    (Faults.status(500), [1, 1, 1, 1, 1, 1]),
    (Faults.status(500).first(2), [1, 1, 0, 0, 0, 0]),
    (Faults.status(500).every(3), [0, 0, 1, 0, 0, 1]),
    (Faults.status(500).every(2).first(4), [0, 1, 0, 1, 0, 0]),
    (Faults.status(500).between(5, 9), [0, 0, 0, 0, 0, 0]),
    (Faults.status(500).between(0, 1), [1, 1, 1, 1, 1, 1]),
]


@pytest.mark.parametrize(("fault", "expected"), APPLIES)
def test_when_a_fault_applies(fault, expected):
    assert [int(fault.applies(number, 0.5)) for number in range(1, 7)] == expected


def test_the_first_fault_that_applies_is_met_and_counting_begins_anew_with_set(world):
    faults = (Faults.status(503).first(1), Faults.status(429, retry_after=timedelta(hours=1)).first(2))
    for _ in range(2):
        world.set("mirror", faults=faults)
        assert [get(world.urls["mirror"])[0] for _ in range(3)] == [503, 429, 200]


def test_a_fault_at_one_api_leaves_the_others_alone(world):
    world.set("mirror", faults=ALL_FAULTS["silence"])

    async def both():
        quiet = asyncio.create_task(asyncio.to_thread(raw, world, 0.3))
        status = (await asyncio.to_thread(get, world.urls["other"]))[0]
        with pytest.raises(TimeoutError):
            await quiet
        return status

    assert asyncio.run(both()) == 200
