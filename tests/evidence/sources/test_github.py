"""GitHub, asked through its loopback API."""

from __future__ import annotations

import pytest

from citeproof.evidence.sources.github import GitHub
from citeproof.laboratory.testing.apis import github as api
from citeproof.laboratory.testing.base import Reply, make_json_reply
from citeproof.plumbing.net.message import Secret
from citeproof.vocabulary import (
    Absent,
    Cause,
    Found,
    Ids,
    Kind,
    Name,
    Question,
    Reach,
    Record,
    Unchecked,
    Version,
)
from tests.evidence.sources.bending import HOSTILE, WordShelf, bent_replies, called
from tests.evidence.sources.inmemory import InMemory, ask, reference, wired

URL = "https://github.com/scikit-learn/scikit-learn"
LEARN = Record(
    "x",
    "1",
    ("scikit-learn: machine learning in Python",),
    (Name("scikit-learn", collective=True),),
    versions=(Version(2010, kind=Kind.SOFTWARE), Version(2026, kind=Kind.SOFTWARE)),
    kind=Kind.SOFTWARE,
    ids=Ids((("url", URL),)),
)
PAPER = Record("x", "2", ("scikit-learn: machine learning in Python",), kind=Kind.ARTICLE)


def source(api_=api.answer, **wiring):
    net = InMemory({"github": api_}, WordShelf(LEARN, PAPER))
    return wired(GitHub, net, **wiring), net


@pytest.mark.parametrize(
    ("by", "value"),
    [
        ("url", URL),
        ("url", f"{URL}.git"),
        ("url", f"{URL}/tree/main/sklearn?plain=1"),
        ("url", "http://www.github.com/scikit-learn/scikit-learn/"),
        ("title", "scikit-learn: Machine Learning in Python"),
        ("title", "scikit-learn"),
    ],
)
def test_found(by, value):
    found = ask(source()[0], by, value, Kind.SOFTWARE)
    assert isinstance(found, Found)
    assert found.reach is (Reach.COMPLETE if by == "url" else Reach.PARTIAL)
    (record,) = found.records
    assert record.titles == (
        "scikit-learn",
        "scikit-learn/scikit-learn",
        "scikit-learn: machine learning in Python",
        "machine learning in Python",
    )
    assert record.authors == (Name("scikit-learn", collective=True),)
    assert not record.authors_complete
    assert [v.year for v in record.versions] == [2010, 2026]
    assert URL in record.ids.all("url")
    assert by == "title" or value in record.ids.all("url")


@pytest.mark.parametrize(
    ("by", "value", "reach"),
    [
        ("url", "https://github.com/nobody/nothing", Reach.COMPLETE),
        ("title", "quux", Reach.PARTIAL),
    ],
)
def test_absent(by, value, reach):
    assert ask(source()[0], by, value, Kind.SOFTWARE) == Absent("github", by, reach)


@pytest.mark.parametrize(
    ("by", "value", "kind", "suited"),
    [
        ("url", URL, Kind.WEB_PAGE, True),
        ("url", "https://github.com/numpy", Kind.SOFTWARE, False),
        ("url", "https://github.com/topics/python", Kind.SOFTWARE, False),
        ("url", "https://gist.github.com/a/b", Kind.SOFTWARE, False),
        ("url", "https://github.com.evil.example/a/b", Kind.SOFTWARE, False),
        ("url", "https://example.org/github.com/a/b", Kind.SOFTWARE, False),
        ("title", "NumPy", Kind.SOFTWARE, True),
        ("title", "NumPy", Kind.ARTICLE, False),
        ("title", "A long name of a program", Kind.SOFTWARE, False),
    ],
)
def test_suits(by, value, kind, suited):
    question = Question(by, value, reference(kind))
    asked = source()[0]
    assert asked.suits(question) is suited
    assert asked.is_required(question) is (by == "url" and suited)


def test_the_token_is_a_bearer_header():
    asked, net = source(key=Secret("sesame"))
    ask(asked, "title", "scikit-learn", Kind.SOFTWARE)
    request = net.requests[0]
    assert [(name, prefix) for name, prefix, _ in request.secret_headers] == [("Authorization", "Bearer ")]
    assert request.lane == "search"
    assert "sesame" not in repr(request)
    asked, net = source()
    ask(asked, "url", URL)
    assert net.requests[0].secret_headers == ()
    assert net.requests[0].lane == ""


@pytest.mark.parametrize(
    ("by", "body", "cause"),
    [
        ("url", {}, Cause.MALFORMED),
        ("url", [], Cause.MALFORMED),
        ("url", {"message": "Moved"}, Cause.MALFORMED),
        ("title", {}, Cause.MALFORMED),
        ("title", {"items": []}, Cause.MALFORMED),
        ("title", {"items": [], "total_count": 3}, Cause.MALFORMED),
        ("title", {"items": [], "total_count": 0, "incomplete_results": True}, Cause.TIMEOUT),
    ],
)
def test_an_odd_answer_is_no_absence(by, body, cause):
    value = URL if by == "url" else "scikit-learn"
    found = ask(source(make_json_reply(body))[0], by, value, Kind.SOFTWARE)
    assert isinstance(found, Unchecked)
    assert found.cause is cause


def test_an_address_elsewhere_is_not_covered():
    found = ask(source()[0], "url", "https://gitlab.com/a/b")
    assert isinstance(found, Unchecked)
    assert (found.cause, found.reach) == (Cause.NOT_COVERED, Reach.PARTIAL)


def test_wrong_types_and_hostile_text():
    for by, value, path in (
        ("url", URL, "/repos/scikit-learn/scikit-learn"),
        ("title", "scikit-learn", "/search/repositories?q=scikit-learn in:name"),
    ):
        for odd in bent_replies(api.answer(called(f"http://github{path}"), WordShelf(LEARN))):
            found = ask(source(odd)[0], by, value, Kind.SOFTWARE)
            assert not isinstance(found, Unchecked) or found.cause in (Cause.MALFORMED, Cause.TIMEOUT)
    hostile = {"name": HOSTILE, "full_name": HOSTILE, "description": HOSTILE, "owner": {"login": HOSTILE}}
    (record,) = ask(source(make_json_reply(hostile))[0], "url", URL).records
    assert max(map(len, record.titles)) <= 2000


@pytest.mark.parametrize(
    ("url", "status", "limit"),
    [
        ("/repos/scikit-learn/scikit-learn", 200, "60"),
        ("/repos/a/b", 404, "60"),
        ("/search/repositories?q=scikit-learn", 200, "10"),
        ("/search/repositories", 422, "10"),
        ("/nowhere", 404, "60"),
    ],
)
def test_the_api_by_itself(url, status, limit):
    reply = api.answer(called(f"http://github{url}"), WordShelf(LEARN))
    assert isinstance(reply, Reply)
    assert (reply.status, reply.headers["x-ratelimit-limit"]) == (status, limit)
