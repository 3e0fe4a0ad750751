"""INSPIRE, asked through its loopback API."""

from __future__ import annotations

import pytest

from citeproof.evidence.sources.inspire import Inspire
from citeproof.laboratory.testing.apis import inspire as api
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

MALDACENA = Record(
    "x",
    "1",
    ("The Large N limit of superconformal field theories and supergravity",),
    (Name("Maldacena", "Juan Martin"),),
    versions=(
        Version(1998, "Adv.Theor.Math.Phys", Kind.ARTICLE, volume="2", pages="231-252"),
        Version(1997, "arXiv", Kind.PREPRINT),
    ),
    kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.4310/atmp.1998.v2.n2.a1"), ("arxiv", "hep-th/9711200"))),
)
HIGGS = Record(
    "x",
    "2",
    ("Observation of a new particle in the search for the Standard Model Higgs boson",),
    (Name("Aad", "Georges"), Name("Abajyan", "Tatevik", "Jr."), Name("ATLAS Collaboration", collective=True)),
    versions=(Version(2012, "Phys.Lett.B", Kind.ARTICLE, volume="716", pages="1-29"),),
    kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1016/j.physletb.2012.08.020"), ("arxiv", "1207.7214"))),
    marks=("withdrawn",),
)
ELSEWHERE = Record(
    "x", "3", ("Deep learning",), versions=(Version(2015, "Nature"),), ids=Ids((("doi", "10.1/n"),))
)


def source(api_=api.answer):
    net = InMemory({"inspire": api_}, Shelf(MALDACENA, HIGGS, ELSEWHERE))
    return wired(Inspire, net), net


@pytest.mark.parametrize(
    ("by", "value", "expected"),
    [
        ("arxiv", "hep-th/9711200", MALDACENA),
        ("doi", "10.4310/atmp.1998.v2.n2.a1", MALDACENA),
        ("title", "The large $N$ limit of superconformal field theories and supergravity", MALDACENA),
        ("doi", "10.1016/j.physletb.2012.08.020", HIGGS),
        ("title", "Observation of a new particle in the search for the Standard Model Higgs boson.", HIGGS),
        ("doi", "10.1/n", None),
        ("arxiv", "1207.9999", None),
        ("title", "A work that nobody ever wrote", None),
        ("title", "and or not", None),
    ],
)
def test_found_and_absent(by, value, expected):
    found = ask(source()[0], by, value)
    if expected is None:
        assert found == Absent("inspire", by, Reach.PARTIAL)
        return
    assert isinstance(found, Found)
    (record,) = found.records
    assert record.id.startswith("inspire:")
    assert record.titles == expected.titles
    assert record.authors == expected.authors
    assert set(record.ids.pairs) == set(expected.ids.pairs)
    assert record.versions[0] == expected.versions[0]
    assert record.marks == expected.marks
    assert record.authors_complete


def test_identifiers_are_one_path_segment_and_operators_are_no_words():
    asked, net = source()
    ask(asked, "doi", "10.1007/jhep10(2017)020")
    ask(asked, "title", "Black holes AND white holes or not: (a) “review”")
    assert "/doi/10.1007%2Fjhep10%282017%29020?" in net.requests[0].url
    assert "q=title%20black%20holes%20white%20holes%20a%20review&" in net.requests[1].url


@pytest.mark.parametrize(
    ("by", "reply", "cause"),
    [
        ("title", Reply(200, b'{"hits":{"hits":[],"total":3}}'), Cause.MALFORMED),
        ("title", Reply(200, b'{"hits":[]}'), Cause.MALFORMED),
        ("title", Reply(200, b'{"hits":{"hits":[{"id":"1"}],"total":1}}'), Cause.MALFORMED),
        ("title", Reply(404, b'{"status":404,"message":"x"}'), Cause.TIMEOUT),
        ("doi", Reply(200, b'{"status":200,"message":"x"}'), Cause.MALFORMED),
        ("doi", Reply(200, b'{"metadata":{"titles":"x"}}'), Cause.MALFORMED),
        ("doi", Reply(200, b"[]"), Cause.MALFORMED),
        ("doi", Reply(200, b"{"), Cause.MALFORMED),
        ("doi", Reply(200, b"<html>", "text/html"), Cause.BOT_WALL),
        ("doi", Failure(Cause.RATE_LIMITED, "429"), Cause.RATE_LIMITED),
    ],
)
def test_what_is_no_answer_is_unchecked(by, reply, cause):
    found = ask(source(reply)[0], by, "10.1/x")
    assert isinstance(found, Unchecked)
    assert found.cause is cause


def test_a_deleted_record_is_none():
    reply = Reply(200, b'{"metadata":{"deleted":true,"titles":[{"title":"Gone"}]}}')
    assert isinstance(ask(source(reply)[0], "doi", "10.1/x"), Absent)


@pytest.mark.parametrize(
    ("by", "claimed", "ids", "suits"),
    [
        ("arxiv", {}, (("arxiv", "hep-th/9711200"),), True),
        ("arxiv", {}, (("arxiv", "1706.03762"),), False),
        ("title", {"venue": "JHEP"}, (), True),
        ("title", {"venue": "Physical Review D"}, (), True),
        ("doi", {"venue": "Phys. Lett. B"}, (("doi", "10.1/x"),), True),
        ("title", {"venue": "Nucl. Phys. B"}, (), True),
        ("doi", {}, (("doi", "10.22323/1.234.0001"),), True),
        ("title", {"venue": "Fortsch.Phys."}, (), True),
        ("title", {"venue": "ApJL"}, (), True),
        ("title", {"venue": "The Astrophysical Journal Letters"}, (), True),
        ("title", {"venue": "Biophysics Reviews"}, (), False),
        ("title", {"venue": "NeurIPS"}, (), False),
        ("title", {}, (), False),
    ],
)
def test_whom_it_suits_and_what_its_silence_means(by, claimed, ids, suits):
    question = Question(by, "x", reference(Kind.ARTICLE, ids, **claimed))
    assert source()[0].suits(question) is suits
    assert source()[0].reach(question) is Reach.PARTIAL
    assert not source()[0].is_required(question)
