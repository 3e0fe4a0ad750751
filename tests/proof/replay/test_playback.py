"""The network that only remembers: what was heard, each exchange once, and nothing that was not."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from hashlib import sha256

import pytest

from citeproof.plumbing.net.message import Answer, Failure, Request, Secret, describe_request, make_exchange
from citeproof.proof.replay.recorded_lookups import UNASKED, Playback, make_answer, shorten_request
from citeproof.vocabulary import Cause, Exchange

pytestmark = pytest.mark.slow

BODIES = {sha256(body).hexdigest(): body for body in (b'{"a":1}', b'{"a":2}', b"")}
FIRST, SECOND, EMPTY = BODIES
URL = "https://api.example.org/works?query=a%20b&rows=5"
FORM = "application/x-www-form-urlencoded"


def played(*exchanges: Exchange) -> Playback:
    return Playback(exchanges, lambda one: make_answer(one, BODIES[one.sha256], one.sha256))


def heard(request: Request, digest: str, **more: object) -> Exchange:
    answer = Answer(200, BODIES[digest], "application/json", digest, request.url, "2026-11-15T10:00:00Z",
                    headers={"content-type": "application/json", "server": "x"})  # fmt: skip
    return replace(make_exchange(request, answer), **more)


def get(playback: Playback, request: Request) -> Answer | Failure:
    return asyncio.run(playback.fetch(request))


def test_equal_requests_are_answered_in_their_order_and_each_once():
    request = Request("s", URL)
    playback = played(heard(request, FIRST), heard(request, SECOND))
    bodies = [get(playback, request) for _ in range(3)]
    assert [one.body for one in bodies[:2]] == [b'{"a":1}', b'{"a":2}']
    assert bodies[2] == Failure(Cause.MALFORMED, UNASKED)
    assert playback.unasked == [f"GET {URL}"]
    assert playback.left == ()


def test_an_answer_has_all_that_a_source_reads_of_one():
    request = Request("s", URL)
    found = get(played(heard(request, EMPTY, status=404, absent=True, media="text/html")), request)
    assert isinstance(found, Answer)
    assert (found.status, found.absent, found.media, found.body) == (404, True, "text/html", b"")
    assert (found.at, found.url, found.sha256) == ("2026-11-15T10:00:00Z", URL, EMPTY)
    assert dict(found.headers) == {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("cause", "detail"), [("timeout", "no answer in 2 s"), ("rate_limited", "429"), ("bot_wall", "<html>")]
)
def test_a_failure_fails_again_in_its_own_words(cause, detail):
    request = Request("s", URL)
    playback = played(Exchange(describe_request(request), cause=cause, detail=detail))
    assert get(playback, request) == Failure(Cause(cause), detail)


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (Request("s", f"{URL}&mailto=a%40b.org"), Request("s", f"{URL}&mailto=replay%40example.org")),
        (
            Request("s", URL, method="POST", body=b"id=1&email=a%40b.org", content_type=FORM,
                    secret_form=(("api_key", Secret("real")),)),
            Request("s", URL, method="POST", body=b"id=1&email=replay%40example.org", content_type=FORM,
                    secret_form=(("api_key", Secret("replay")),)),
        ),
    ],
    ids=["address", "form"],
)  # fmt: skip
def test_who_asked_does_not_matter(then, now):
    found = get(played(heard(then, FIRST)), now)
    assert isinstance(found, Answer)


@pytest.mark.parametrize(
    "other",
    [
        Request("s", URL + "&x=1"),
        Request("s", URL, method="POST", body=b"{}"),
        Request("s", "http://[broken"),
    ],
)
def test_what_was_not_asked_is_not_answered(other):
    playback = played(heard(Request("s", URL), FIRST))
    assert isinstance(get(playback, other), Failure)
    assert playback.left == (f"GET {URL}",)


def test_a_batch_is_remembered_once():
    request = Request("s", URL)
    playback = played(heard(request, FIRST, batch=True))
    answer = playback.recall_batch("scope", "doi", "10.1/x")
    assert answer is not None
    assert answer.body == b'{"a":1}'
    assert playback.recall_batch("scope", "doi", "10.1/x") is None


@pytest.mark.parametrize(
    ("request_", "told"),
    [("GET https://a.org/works?q=long", "GET https://a.org/works"), ("GET http://[x", "GET http://[x")],
)
def test_requests_are_shown_without_their_query(request_, told):
    assert shorten_request(request_) == told
