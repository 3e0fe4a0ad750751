"""The one client: what it gives back for every kind of answer, and what it leaves alone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from citeproof.laboratory.testing import ALL_FAULTS, Faults
from citeproof.plumbing.clock import FixedClock
from citeproof.plumbing.net import client as clients
from citeproof.plumbing.net.message import HTML, Answer, Failure, Rate, Secret, UnreadableError
from citeproof.vocabulary import Cause

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
# What may be an answer even so: these faults leave a whole, well-formed body.
HARMLESS = {"odd_unicode", "empty_object", "huge_headers"}


def test_an_answer_comes_with_its_hash_and_time(bench):
    b = bench()
    [answer] = b.fetch(b.client(clock=FixedClock(NOON)), b.request("?n=1"))
    assert answer.json() == {"hello": "1"}
    assert answer.at == "2026-11-15T12:00:00.000Z"
    assert len(answer.sha256) == 64


def test_a_second_time_nothing_is_sent(bench):
    b = bench()
    first = b.fetch(b.client(), b.request("?n=1"), b.request("status/404"))
    again = b.fetch(b.client(), b.request("?n=1"), b.request("status/404"))
    assert [a.cached for a in first] == [False, False]
    assert [a.cached for a in again] == [True, True]
    assert [a.sha256 for a in again] == [a.sha256 for a in first]
    assert again[1].absent
    assert b.world.count("x") == 2


def test_the_same_request_in_flight_is_shared(bench):
    b = bench(latency={"x": 0.2})
    answers = b.fetch(b.client(), *[b.request("?n=1")] * 5)
    assert {a.body for a in answers} == {b'{"hello":"1"}'}
    assert b.world.count("x") == 1


@pytest.mark.parametrize(
    ("life", "hours", "kept"),
    [("found", 719, True), ("found", 721, False), ("absent", 23, True), ("absent", 25, False),
     ("notice", 23, True), ("notice", 25, False), ("found", -1, False)],
)  # fmt: skip
def test_lifetimes(bench, life, hours, kept):
    b = bench()
    client = b.client(clock=FixedClock(NOON))
    request = b.request("?n=1")

    async def store():
        answer = await client.fetch(request)
        client.keep(request, answer, found=life != "absent", notice=life == "notice")
        await client.close()

    asyncio.run(store())
    later = b.client(clock=FixedClock(NOON + timedelta(hours=hours)))
    assert (later.get_cached(request) is not None) is kept


def test_other_rights_do_not_share_answers(bench):
    b = bench()
    request = b.request("?n=1")
    b.fetch(b.client(), replace(request, secret_headers=(("x-api-key", "", Secret("one-key")),)))
    other = b.client()
    assert (
        other.get_cached(replace(request, secret_headers=(("x-api-key", "", Secret("other-key")),))) is None
    )
    assert other.get_cached(request) is None


@pytest.mark.parametrize(
    ("status", "cause"),
    [(400, Cause.MALFORMED), (401, Cause.NEEDS_KEY), (403, Cause.BOT_WALL), (408, Cause.RATE_LIMITED),
     (425, Cause.RATE_LIMITED), (429, Cause.RATE_LIMITED), (500, Cause.TIMEOUT), (502, Cause.TIMEOUT),
     (504, Cause.TIMEOUT), (418, Cause.MALFORMED)],
)  # fmt: skip
def test_statuses(bench, monkeypatch, status, cause):
    monkeypatch.setattr(clients, "RETRIES", 0)
    b = bench()
    [failure] = b.fetch(b.client(), b.request(f"status/{status}"))
    assert isinstance(failure, Failure)
    assert failure.cause is cause


@pytest.mark.parametrize("name", sorted(ALL_FAULTS))
def test_every_fault_is_a_value_and_nothing_is_kept(bench, monkeypatch, name):
    monkeypatch.setattr(clients, "RETRIES", 0)
    monkeypatch.setattr(clients, "PATIENCE", 0.2)
    b = bench(faults={"x": ALL_FAULTS[name]})
    client = b.client(timeout=0.5)
    [outcome] = b.fetch(client, b.request("?n=1"), keep=False)
    if name not in HARMLESS:
        readable = isinstance(outcome, Answer) and _reads(outcome)
        assert isinstance(outcome, Failure) or not readable, outcome
    assert client.get_cached(b.request("?n=1")) is None


def _reads(answer: Answer) -> bool:
    try:
        return "hello" in (answer.json() or {})
    except UnreadableError:
        return False


def test_a_body_is_bounded_after_unpacking(bench):
    b = bench(faults={"x": ALL_FAULTS["gzip_bomb"]})
    [failure] = b.fetch(b.client(timeout=60), b.request())
    assert failure.cause is Cause.TOO_LARGE


def test_a_short_storm_is_waited_out(bench):
    b = bench(faults={"x": Faults.status(429, retry_after=1).first(1)})
    [answer] = b.fetch(b.client(), b.request("?n=1"))
    assert answer.json() == {"hello": "1"}
    assert b.world.count("x") == 2
    times = [seen.at for seen in b.world.log]
    assert times[1] - times[0] >= 1.0


def test_a_long_pause_is_not_waited_for(bench):
    b = bench(faults={"x": Faults.status(429, retry_after=500)})
    [failure, other] = b.fetch(b.client(), b.request("?n=1")) + b.fetch(b.client(), b.request("?n=2"))
    assert failure.cause is other.cause is Cause.RATE_LIMITED
    assert "left alone" in other.detail
    assert b.world.count("x") == 1


def test_an_absurd_retry_after_is_capped(bench):
    b = bench(faults={"x": Faults.status(429, retry_after=10**9)})
    client = b.client()
    b.fetch(client, b.request("?n=1"))
    assert 500 < client.servers()["x"].get_block()[0] <= 600


def test_a_storm_is_not_answered_with_a_storm(bench, monkeypatch):
    monkeypatch.setattr(clients, "PATIENCE", 1.1)
    b = bench(faults={"x": Faults.status(429).every(3)})
    client = b.client(Rate(200, 1.0, at_once=3))
    b.fetch(client, *(b.request(f"?n={n}") for n in range(30)))
    assert 5 < b.world.count("x") <= 1.3 * 30


def test_the_circuit_opens_and_closes(bench):
    b = bench(faults={"x": Faults.status(500)})
    client = b.client()
    outcomes = b.fetch(client, *(b.request(f"?n={n}") for n in range(20)), keep=False)
    assert all(isinstance(o, Failure) for o in outcomes)
    assert b.world.count("x") < 20
    server = client.servers()["x"]
    assert server.get_block()[0] > 0
    b.world.set("x", faults=())
    with server.change() as state:
        state.until = 0.0
    [answer] = b.fetch(b.client(), b.request("?n=99"))
    assert isinstance(answer, Answer)
    assert server.look().failed == 0


def test_a_server_whose_answers_nobody_can_read_is_left_alone(bench):
    b = bench()
    client = b.client()
    for n in range(6):
        client.note_unreadable(b.request(f"?n={n}"), "no envelope")
    [failure] = b.fetch(client, b.request("?n=7"))
    assert "cannot be read" in failure.detail
    assert b.world.count("x") == 0
    with client.servers()["x"].change() as state:
        state.until = 0.0
    b.fetch(b.client(), b.request("?n=8"))
    assert client.servers()["x"].look().unread == 0


def test_a_rate_is_kept(bench):
    b = bench()
    b.fetch(b.client(Rate(10, 1.0, at_once=4)), *(b.request(f"?n={n}") for n in range(15)))
    pace = b.world.requests_within("x", 1.0)
    assert pace.requests <= 11  # ten, and one at the very edge of the window


def test_no_more_at_once_than_allowed(bench):
    b = bench(latency={"x": 0.3})
    b.fetch(b.client(Rate(1000, 1.0, at_once=2)), *(b.request(f"?n={n}") for n in range(10)))
    assert b.world.requests_within("x", 1.0).at_once == 2


def test_a_stricter_lane(bench):
    b = bench()
    client = b.client(lanes={"list": Rate(5, 1.0)})
    b.fetch(client, *(b.request(f"?n={n}", lane="list") for n in range(8)))
    assert b.world.requests_within("x", 1.0).requests <= 6


def test_a_budget_is_guarded(bench):
    b = bench()
    client = b.client(budget="USD")
    [first] = b.fetch(client, b.request("budget", cost=0.001))
    outcomes = b.fetch(b.client(budget="USD"), *(b.request(f"?n={n}", cost=0.004) for n in range(5)))
    spent = [o for o in outcomes if isinstance(o, Answer)]
    assert isinstance(first, Answer)
    assert len(spent) == 2  # 0.02 is left, a tenth of 0.1 is never touched
    assert {o.cause for o in outcomes if isinstance(o, Failure)} == {Cause.OVER_BUDGET}


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/latest", "http://10.0.0.1/", "http://[::1]:{port}/x/", "http://localhost:{port}/x/",
     "http://127.1:{port}/x/", "http://0x7f.1:{port}/x/", "file:///etc/passwd", "http://[64:ff9b::7f00:1]/"],
)  # fmt: skip
def test_no_redirect_to_private_addresses(bench, target):
    b = bench()
    port = b.world.origin.rsplit(":", 1)[1]
    [failure] = b.fetch(b.client(), b.request("to?u=" + target.format(port=port)))
    assert failure.cause is Cause.MALFORMED
    assert b.world.count("x") == 1


def test_a_redirect_within_the_server_is_followed(bench):
    b = bench()
    [answer] = b.fetch(b.client(), b.request(f"to?u={b.world.urls['x']}/"))
    assert answer.json() == {"hello": ""}
    assert b.world.count("x") == 2


@pytest.mark.parametrize(
    "url",
    ["http://127.1/", "http://0x7f.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://169.254.169.254/",
     "http://[fd00:ec2::254]/", "http://100.64.0.1/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
     "http://localhost/", "http://user:pw@example.org/", "ftp://example.org/", "http://192.88.99.1/",
     "http://１２７.0.0.1/", "http://127。0。0。1/", "http://[::ffff:0:127.0.0.1]/", "http://224.0.0.1/",
     "http://example.org:8080/", "https://scholar.google.com/scholar?q=x", "http://0/"],
)  # fmt: skip
def test_free_addresses_must_be_public(bench, url):
    b = bench()
    request = replace(b.request(), url=url, free=True, accept=HTML)
    [failure] = b.fetch(b.client(), request)
    assert isinstance(failure, Failure)
    assert failure.cause is Cause.NOT_COVERED, failure
    assert b.world.count("x") == 0


def test_a_name_that_turns_private_is_refused(bench, monkeypatch):
    b = bench()
    port = b.world.origin.rsplit(":", 1)[1]

    async def private(*_, **__):
        return [(2, 1, 6, "", ("127.0.0.1", int(port)))]

    loop = asyncio.new_event_loop()
    monkeypatch.setattr(type(loop), "getaddrinfo", private)
    loop.close()
    [failure] = b.fetch(b.client(), replace(b.request(), url="http://rebound.example/", free=True))
    assert failure.cause is Cause.NOT_COVERED
    assert b.world.count("x") == 0


def test_percent_encoding_stays(bench):
    b = bench()
    [answer] = b.fetch(b.client(), b.request("path/10.1000%2Fa%3Fb%23c"))
    assert answer.json()["path"].endswith("/path/10.1000%2Fa%3Fb%23c")


def test_a_key_goes_into_the_header_and_nowhere_else(bench):
    b = bench()
    client = b.client()
    request = b.request("echo", secret_headers=(("Authorization", "Bearer ", Secret("canary-9f3b")),))
    [failure] = b.fetch(client, request)
    assert failure.cause is Cause.MALFORMED  # it repeats the key
    assert any(seen.headers.get("authorization") == "Bearer canary-9f3b" for seen in b.world.log)
    told = repr(client.sent) + repr(request) + repr(failure) + str(Secret("canary-9f3b"))
    files = [path.read_bytes() for path in b.folder.rglob("*") if path.is_file()]
    assert "canary" not in told
    assert not any(b"canary" in data for data in files)


def test_a_form_key_is_only_in_the_body(bench):
    b = bench()
    request = b.request(
        "", method="POST", body=b"db=pubmed", content_type="application/x-www-form-urlencoded",
        secret_form=(("api_key", Secret("canary-9f3b")),),
    )  # fmt: skip
    b.fetch(b.client(), request)
    [seen] = b.world.log
    assert seen.body == b"db=pubmed&api_key=canary-9f3b"
    assert "canary" not in seen.path


def test_an_unreachable_name_is_told(bench):
    b = bench()
    [failure] = b.fetch(b.client(), replace(b.request(), url="http://no-such-host.invalid/"))
    assert failure.cause is Cause.TIMEOUT
    assert "resolved" in failure.detail


def test_what_left_the_machine_is_listed(bench):
    b = bench()
    client = b.client()
    b.fetch(client, b.request("?n=1"), b.request("status/404"))
    assert sorted(sent.outcome for sent in client.sent) == ["200", "404"]
    assert all(sent.url.startswith("http://127.0.0.1") for sent in client.sent)


def test_a_proxy_is_asked_for_registries_and_never_for_links(bench):
    b = bench()
    client = b.client(proxy=b.world.origin)
    request = replace(b.request(), url="http://api.example.org/x/?n=1")
    link = replace(b.request(), url="http://www.example.org/page", free=True, accept=HTML)
    [_, refused] = b.fetch(client, request, link)
    assert refused.cause is Cause.NOT_COVERED
    assert "proxy" in refused.detail
    assert client.sent[0].url == "http://api.example.org/x/?n=1"
    assert client.sent[0].outcome != "timeout"  # something on loopback answered in the registry's place


def test_a_request_that_a_server_does_not_like_does_not_break_it(bench):
    b = bench()
    client = b.client()
    b.fetch(client, *(b.request(f"status/400?n={n}") for n in range(5)))
    [answer] = b.fetch(b.client(), b.request("?n=1"))
    assert isinstance(answer, Answer)


def test_a_key_in_an_address_that_the_server_leads_to_is_not_told(bench):
    b = bench()
    client = b.client()
    request = b.request(
        f"to?u={b.world.urls['x']}/%3Fk=canary-9f3b", secret_headers=(("k", "", Secret("canary-9f3b")),)
    )
    led = replace(request, url=f"{b.world.urls['x']}/to?u={b.world.urls['x']}/canary%252D9f3b")
    for one in (request, led):
        [failure] = b.fetch(b.client(), one)
        assert isinstance(failure, Failure)
    assert "canary" not in repr(client.sent)


def test_a_server_that_only_ever_says_come_back_soon_is_given_up(bench, monkeypatch):
    monkeypatch.setattr(clients, "PATIENCE", 3.0)
    b = bench(faults={"x": Faults.status(429, retry_after=0)})
    b.fetch(b.client(Rate(200, 1.0, at_once=3)), *(b.request(f"?n={n}") for n in range(40)))
    assert b.world.count("x") < 20


def test_closing_breaks_off_what_is_still_in_flight(bench):
    b = bench(latency={"x": 5.0})
    client = b.client(timeout=10.0)

    async def give_up():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.fetch(b.request("?n=1")), 0.2)
        await client.close()
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert asyncio.run(give_up()) == []


OUTCOMES = (
    (Faults.status(500), 500, True),
    (Faults.status(429, retry_after=0), 429, True),
    (Faults.status(402), 402, True),
    (ALL_FAULTS["half_body"], 0, True),
)


@pytest.mark.parametrize(("fault", "status", "sent"), OUTCOMES, ids=[row[0].name for row in OUTCOMES])
def test_a_failure_says_its_status_and_whether_anything_was_sent(bench, fault, status, sent):
    b = bench(faults={"x": fault})
    [failure] = b.fetch(b.client(), b.request(retries=0))
    assert (failure.status, failure.sent) == (status, sent)
    assert b.world.count("x") == 1  # no retries were asked for


def test_without_a_connection_nothing_was_sent(bench):
    b = bench()
    request = replace(b.request(retries=0), url="http://127.0.0.1:9/")
    [failure] = b.fetch(b.client(), request)
    assert not failure.sent


def test_a_request_may_have_less_patience_than_the_client(bench):
    b = bench(faults={"x": Faults.status(429, retry_after=5).first(1)})
    [failure] = b.fetch(b.client(), b.request(retries=1, patience=0.5))
    assert (failure.cause, failure.sent) == (Cause.RATE_LIMITED, False)
    assert b.world.count("x") == 1
