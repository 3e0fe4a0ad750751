"""OpenReview, asked through its loopback API."""

from __future__ import annotations

import pytest

from citeproof.evidence.sources.openreview import OpenReview
from citeproof.laboratory.testing.apis import openreview as api
from citeproof.laboratory.testing.apis import openreview_v1
from citeproof.laboratory.testing.base import Reply
from citeproof.plumbing.net.message import Failure
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
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, reference, wired

MIN_K = Record(
    "x",
    "1",
    ("Min-K%++: Improved Baseline for Pre-Training Data Detection from Large Language Models",),
    (Name("Zhang", "Jingyang"), Name("Sun", "Jingwei")),
    versions=(Version(2025, "ICLR 2025", Kind.ARTICLE),),
    kind=Kind.ARTICLE,
    ids=Ids((("openreview", "ZGkfoufDaU"),)),
)
ADAM = Record(
    "x",
    "2",
    ("OntoProtein: Protein Pretraining With Gene Ontology Embedding",),
    (Name("Zhang", "Ningyu"),),
    versions=(Version(2022, "ICLR 2022", Kind.ARTICLE),),
    kind=Kind.ARTICLE,
    ids=Ids((("openreview", "yfe1VMYAXa4"),)),
)
WITHDRAWN = Record(
    "x",
    "3",
    ("A submission that was taken back",),
    versions=(Version(2024, "ICLR 2024 Conference", Kind.PREPRINT),),
    kind=Kind.PREPRINT,
    ids=Ids((("openreview", "AAAAAAAAAA"),)),
    marks=("withdrawn",),
)
URLS = {"openreview_v1": "http://openreview_v1"}


def source(new=api.answer, old=openreview_v1.answer):
    net = InMemory({"openreview": new, "openreview_v1": old}, Shelf(MIN_K, ADAM, WITHDRAWN))
    return wired(OpenReview, net, urls=URLS), net


@pytest.mark.parametrize(
    ("by", "value", "expected", "requests"),
    [
        ("openreview", "ZGkfoufDaU", MIN_K, 1),
        ("openreview", "yfe1VMYAXa4", ADAM, 2),
        ("openreview", "AAAAAAAAAA", WITHDRAWN, 1),
        ("openreview", "zgkfoufdau", None, 2),
        ("title", "Min-K%++: improved baseline for pre-training data detection from LLMs", MIN_K, 1),
        ("title", "OntoProtein: Protein pretraining with gene ontology embedding.", ADAM, 1),
        ("title", "Zzzz", None, 1),
        ("title", "++", None, 0),
    ],
)
def test_found_and_absent(by, value, expected, requests):
    asked, net = source()
    found = ask(asked, by, value, venue="ICLR")
    assert len(net.requests) == requests
    if expected is None:
        assert found == Absent("openreview", by, Reach.COMPLETE if by == "openreview" else Reach.PARTIAL)
        return
    assert isinstance(found, Found)
    record = found.records[0]
    assert record.titles == expected.titles
    assert record.authors == expected.authors
    assert record.versions[0].year == expected.versions[0].year
    assert record.kind is expected.kind
    assert record.marks == expected.marks
    assert record.ids == expected.ids


RATE = b'{"name":"RateLimitError","message":"Too many requests: You have made 102 requests","status":429}'
CHALLENGE = b'{"name":"ChallengeRequiredError","message":"Challenge verification required","status":403}'


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (Reply(200, RATE), Cause.RATE_LIMITED),
        (Reply(200, CHALLENGE), Cause.BOT_WALL),
        (Reply(403, CHALLENGE), Cause.TIMEOUT),
        (Reply(200, b'{"name":"Error"}'), Cause.MALFORMED),
        (Reply(200, b'{"notes":{}}'), Cause.MALFORMED),
        (Reply(200, b"[]"), Cause.MALFORMED),
        (Reply(200, b""), Cause.MALFORMED),
        (Reply(200, b"<html>Just a moment", "text/html"), Cause.BOT_WALL),
        (Failure(Cause.BOT_WALL, "challenge"), Cause.BOT_WALL),
    ],
)
def test_what_is_no_answer_is_unchecked(reply, cause):
    for by, value in (("openreview", "ZGkfoufDaU"), ("title", "Anything")):
        found = ask(source(reply)[0], by, value)
        assert isinstance(found, Unchecked)
        assert found.cause is cause


def test_an_id_is_unknown_only_when_both_apis_say_so():
    found = ask(source(old=Failure(Cause.TIMEOUT, "late"))[0], "openreview", "zgkfoufdau")
    assert found == Unchecked("openreview", "openreview", Cause.TIMEOUT, "late", Reach.COMPLETE)
    none = Reply(200, b'{"notes":[],"count":0}')
    assert isinstance(ask(source(none, none)[0], "openreview", "zgkfoufdau"), Absent)


@pytest.mark.parametrize(
    "note",
    [
        b'{"id":"ZGkfoufDaU","forum":"AAAAAAAAAA","content":{"title":{"value":"Official Review"}}}',
        b'{"id":"ZGkfoufDaU","forum":"ZGkfoufDaU","content":{}}',
        b'{"id":"ZGkfoufDaU","forum":"ZGkfoufDaU","content":{"title":{"value":7}}}',
    ],
)
def test_a_note_that_describes_no_paper_is_not_silence(note):
    found = ask(source(Reply(200, b'{"notes":[' + note + b"]}"))[0], "openreview", "ZGkfoufDaU")
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.MALFORMED


@pytest.mark.parametrize(
    ("by", "claimed", "ids", "suits", "reach"),
    [
        ("openreview", {}, (), True, Reach.COMPLETE),
        ("title", {}, (("openreview", "ZGkfoufDaU"),), True, Reach.PARTIAL),
        ("title", {"venue": "International Conference on Learning Representations"}, (), True, Reach.PARTIAL),
        ("title", {"venue": "Advances in Neural Information Processing Systems 36"}, (), True, Reach.PARTIAL),
        ("title", {"venue": "TMLR"}, (), True, Reach.PARTIAL),
        ("title", {"venue": "The Lancet"}, (), False, Reach.PARTIAL),
        ("title", {}, (), False, Reach.PARTIAL),
    ],
)
def test_whom_it_suits_and_what_its_silence_means(by, claimed, ids, suits, reach):
    question = Question(by, "x", reference(Kind.ARTICLE, ids, **claimed))
    assert source()[0].suits(question) is suits
    assert source()[0].reach(question) is reach
