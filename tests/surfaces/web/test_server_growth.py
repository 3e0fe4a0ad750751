"""What one caller can take of a server: numbers without end, streams, the disk; bodies that do not fit."""

import asyncio
from contextlib import ExitStack
from types import SimpleNamespace

import pytest
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse

from citeproof.plumbing.clock import SystemClock
from citeproof.service import job_runner
from citeproof.surfaces.rest.access_tokens import Caller
from citeproof.surfaces.rest.door_guard import CALLER, MOST_FOLLOWERS, DoorGuard
from citeproof.surfaces.rest.error_answers import ApiError
from citeproof.surfaces.rest.server_door import ServerMetrics, ServerOptions

BIB = b"@article{he, title={Mask R-CNN}, author={Kaiming He}, year={2017}}\n"


def test_a_number_with_thousands_of_digits_is_not_found(web):
    run = web.check(("refs.bib", BIB))
    for path in ("references/{}", "pages/{}.png"):
        for number in ("9" * 5000, "-1", "x", "%00", "٣"):
            assert web.client.get(f"{run}/{path.format(number)}").status_code == 404


def test_one_caller_follows_a_bounded_number_of_runs():
    def ignore(*_args, **_fields):
        """Take what nobody asks for here."""

    door = SimpleNamespace(options=ServerOptions(), clock=SystemClock(), metrics=ignore, gate=ignore)
    guard = DoorGuard(ignore, door, tokens=None, log=ignore, local=True)
    ann, bob = ({CALLER: Caller(name, frozenset(), "127.0.0.1")} for name in ("token:ann", "token:bob"))
    with ExitStack() as streams:
        for _ in range(MOST_FOLLOWERS):
            streams.enter_context(guard.follow(ann))
        with pytest.raises(ApiError) as refused, guard.follow(ann):
            pass
        assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "10"})
        with guard.follow(bob):
            pass
    with guard.follow(ann):
        pass


def test_no_job_is_taken_when_the_disk_is_almost_full(web, monkeypatch):
    monkeypatch.setattr(job_runner, "LEAST_FREE", 1 << 60)
    answer = web.client.post("/v1/check", files={"file": ("refs.bib", BIB)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "STORE_FULL")
    assert web.client.post("/v1/verify", json={"title": "Mask R-CNN"}).status_code == 200


@pytest.mark.parametrize("path", ["/v1/check", "/v1/fix"])
def test_a_hypothesis_can_only_be_grounded(web, path):
    answer = web.client.post(path, json={"hypothesis": {"claims": ["The sky is blue."]}})
    told = answer.json()["error"]
    assert (answer.status_code, told["place"], told["hint"]) == (400, "hypothesis", "send it to /v1/ground")
    assert web.client.post("/v1/ground", json={"hypothesis": {"claims": ["Blue."]}}).status_code == 200


class SteppedClock(SystemClock):
    """A clock that each part of a body moves on."""

    now = 0.0

    def elapsed(self) -> float:
        return self.now


def read_slowly(parts, seconds):
    """Return the status of a request whose body comes in parts, each after so many seconds; the log, too."""
    clock, sent, log = SteppedClock(), [], []
    waiting = list(parts)

    async def answer(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await PlainTextResponse("read")(scope, receive, send)

    async def receive():
        clock.now += seconds
        body = waiting.pop(0) if waiting else None
        if body is None:
            raise ClientDisconnect
        return {"type": "http.request", "body": body, "more_body": bool(waiting)}

    async def send(message):
        sent.append(message)

    door = SimpleNamespace(options=ServerOptions(), clock=clock, metrics=ServerMetrics(), gate=None)
    guard = DoorGuard(answer, door, tokens=None, log=lambda event, **_: log.append(event), local=True)
    headers = [
        (b"host", b"localhost"),
        (b"content-type", b"multipart/form-data"),
        (b"transfer-encoding", b"chunked"),
    ]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/runs",
        "headers": headers,
        "client": ("127.0.0.1", 1),
    }
    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"], log


def test_a_body_that_comes_byte_by_byte_is_given_up():
    assert read_slowly([b"x"] * 100, 1.5) == (408, ["request"])


def test_a_large_body_has_time_as_long_as_it_comes():
    assert read_slowly([b"x" * 100_000] * 200, 1.5) == (200, ["request"])


def test_a_sender_who_goes_away_is_no_fault_of_the_server():
    assert read_slowly([b"x", None], 1) == (400, ["request"])
