"""arXiv: feeds with papers, without, broken and throttled; and whom it is asked for at all."""

from __future__ import annotations

import asyncio
import json

import pytest
from lxml import etree

from citeproof.evidence.sources.arxiv import Arxiv
from citeproof.evidence.upstream_records import arxiv as shape
from citeproof.laboratory.testing.apis.arxiv import answer
from citeproof.laboratory.testing.base import Call, Reply
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
from tests.recordings import recorded

ATTENTION = Record(
    "",
    "attention",
    ("Attention Is All You Need",),
    (Name("Vaswani", "Ashish"), Name("Shazeer", "Noam"), Name("Gomez", "Aidan N.")),
    versions=(
        Version(2017, "arXiv", Kind.PREPRINT),
        Version(2023, "arXiv", Kind.PREPRINT),
        Version(2017, "NIPS"),
    ),
    kind=Kind.PREPRINT,
    ids=Ids((("arxiv", "1706.03762"),)),
)
MALDACENA = Record(
    "",
    "ads-cft",
    ("The Large N Limit of Superconformal Field Theories and Supergravity",),
    (Name("Maldacena", "Juan M."),),
    versions=(
        Version(1997, "arXiv", Kind.PREPRINT),
        Version(1998, "Adv. Theor. Math. Phys.", volume="2", pages="231-252"),
    ),
    kind=Kind.PREPRINT,
    ids=Ids((("arxiv", "hep-th/9711200"), ("doi", "10.1023/a:1026654312961"))),
    marks=("withdrawn",),
)
PRINTED = Record(
    "", "p", ("Deep Residual Learning for Image Recognition",), ids=Ids((("doi", "10.1109/cvpr.2016.90"),))
)
SHELF = Shelf(ATTENTION, MALDACENA, PRINTED)


def source(api=answer):
    return wired(Arxiv, InMemory({"arxiv": api}, SHELF))


def feed(entries: str = "", total: str = "<o:totalResults>1</o:totalResults>", root: str = "feed") -> Reply:
    head = (
        '<{0} xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">{1}{2}</{0}>'
    )
    return Reply(200, head.format(root, total, entries).encode(), "application/atom+xml")


@pytest.mark.parametrize(("number", "record"), [("1706.03762", ATTENTION), ("hep-th/9711200", MALDACENA)])
def test_a_number_gives_its_paper(number, record):
    said = ask(source(), "arxiv", number)
    assert isinstance(said, Found)
    assert said.reach is Reach.COMPLETE
    (found,) = said.records
    assert found.titles == record.titles
    assert found.authors == record.authors
    assert found.ids == record.ids
    assert found.marks == record.marks
    own = [version for version in record.versions if version.kind is Kind.PREPRINT]
    assert list(found.versions[: len(own)]) == own
    assert found.content_hash
    assert found.read_at


def test_the_journal_is_read_from_the_authors_note():
    (found,) = ask(source(), "arxiv", "hep-th/9711200").records
    assert found.versions[-1] == Version(1998, "Adv. Theor. Math. Phys.", Kind.ARTICLE)


@pytest.mark.parametrize("number", ["1706.99999", "math/0601001"])
def test_an_unknown_number_does_not_exist(number):
    assert ask(source(), "arxiv", number) == Absent("arxiv", "arxiv", Reach.COMPLETE)


@pytest.mark.parametrize("number", ["0000.0000", "1713.00001", "0804.01234", "2301.1234", "hep-th/0713001"])
def test_a_number_that_cannot_be_is_not_even_asked_for(number):
    net = InMemory({"arxiv": answer}, SHELF)
    assert ask(wired(Arxiv, net), "arxiv", number) == Absent("arxiv", "arxiv", Reach.COMPLETE)
    assert not net.requests


@pytest.mark.parametrize(
    "title",
    [
        "Attention is all you need.",
        "{A}ttention {I}s All You Need",
        "Attention is all you need — Schrödinger's edition",
        'Attention: "is all" (you need)',
    ],
)
def test_a_title_is_searched_as_a_phrase(title):
    said = ask(source(), "title", title, Kind.PREPRINT)
    assert [record.id for record in said.records] == ["arxiv:1706.03762"]


def test_a_phrase_is_bounded_and_plain():
    net = InMemory({"arxiv": answer}, SHELF)
    ask(wired(Arxiv, net), "title", 'a" OR ti:"b ' + "word " * 500 + "x' y’s é", Kind.PREPRINT)
    assert net.requests[0].url.count("%22") == 2
    assert len(net.requests[0].url) < 200


@pytest.mark.parametrize(
    ("kind", "claimed", "suits", "reach"),
    [
        (Kind.PREPRINT, {}, True, Reach.COVERS),
        (Kind.PREPRINT, {"venue": "arXiv preprint arXiv:1706.03762"}, True, Reach.COVERS),
        (Kind.PREPRINT, {"venue": "CoRR"}, True, Reach.COVERS),
        (Kind.PREPRINT, {"venue": "Preprint"}, True, Reach.COVERS),
        (Kind.PREPRINT, {"venue": "bioRxiv"}, False, Reach.PARTIAL),
        (Kind.ARTICLE, {"venue": "CoRR"}, True, Reach.PARTIAL),
        (Kind.ARTICLE, {"ids": Ids((("arxiv", "1706.03762"),))}, True, Reach.PARTIAL),
        (Kind.UNKNOWN, {"ids": Ids((("doi", "10.48550/arxiv.1706.03762"),))}, True, Reach.PARTIAL),
        (Kind.ARTICLE, {"venue": "NeurIPS"}, False, Reach.PARTIAL),
        (Kind.ARTICLE, {}, False, Reach.PARTIAL),
        (Kind.UNKNOWN, {}, False, Reach.PARTIAL),
    ],
)
def test_whom_it_is_asked_for(kind, claimed, suits, reach):
    ids = claimed.pop("ids", Ids()).pairs
    question = Question("title", "A title", reference(kind, ids, **claimed))
    assert source().suits(question) is suits
    assert source().reach(question) is reach
    assert source().is_required(question) is (reach is Reach.COVERS)


def test_a_title_that_is_absent():
    assert ask(source(), "title", "No such paper", Kind.PREPRINT) == Absent("arxiv", "title", Reach.COVERS)
    assert ask(source(), "title", PRINTED.title, Kind.PREPRINT) == Absent("arxiv", "title", Reach.COVERS)


ENTRY = "<entry><id>http://arxiv.org/abs/1706.03762v7</id><title>{}</title></entry>"
ERROR = "<entry><id>http://arxiv.org/api/errors#incorrect_id_format_for_x</id><title>Error</title></entry>"


@pytest.mark.parametrize(
    ("api", "cause"),
    [
        (Reply(200, b"Rate exceeded.", "text/plain"), Cause.RATE_LIMITED),
        (Reply(200, b"\nRate exceeded.\n", "application/atom+xml"), Cause.RATE_LIMITED),
        (Reply(200, b"<html></html>", "text/html"), Cause.BOT_WALL),
        (Reply(200, b"", "application/atom+xml"), Cause.MALFORMED),
        (Reply(200, b"<feed/>", "application/atom+xml"), Cause.MALFORMED),
        (Reply(200, b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", "application/xml"), Cause.MALFORMED),
        (feed(root="rss"), Cause.MALFORMED),
        (feed(), Cause.MALFORMED),
        (feed(total=""), Cause.MALFORMED),
        (feed(total="<o:totalResults>" + "9" * 5000 + "</o:totalResults>"), Cause.MALFORMED),
        (feed(ENTRY.format("Attention"), "<o:totalResults>0</o:totalResults>"), Cause.MALFORMED),
        (feed(ENTRY.format("")), Cause.MALFORMED),
        (feed("<entry/>"), Cause.MALFORMED),
        (feed(ERROR), Cause.MALFORMED),
        (Reply(404, b"not found", "text/plain"), Cause.TIMEOUT),
        (Failure(Cause.RATE_LIMITED, "429"), Cause.RATE_LIMITED),
    ],
)
@pytest.mark.parametrize(("by", "value"), [("arxiv", "1706.03762"), ("title", "Attention")])
def test_what_is_no_answer(api, cause, by, value):
    said = ask(source(api), by, value, Kind.PREPRINT)
    assert isinstance(said, Unchecked)
    assert said.cause is cause


def test_an_answer_about_another_paper_is_not_about_this_one():
    said = ask(source(feed(ENTRY.format("Attention"))), "arxiv", "1706.00001")
    assert said == Absent("arxiv", "arxiv", Reach.COMPLETE)


def test_a_batch():
    net = InMemory({"arxiv": answer}, SHELF)
    live = wired(Arxiv, net)
    numbers = ["1706.03762", "0000.0000", "1706.99999", "hep-th/9711200"]
    questions = [Question("arxiv", number, reference(ids=[("arxiv", number)])) for number in numbers]

    async def all_at_once():
        return await asyncio.gather(*map(live.lookup, questions))

    said = asyncio.run(all_at_once())
    assert [type(lookup) for lookup in said] == [Found, Absent, Absent, Found]
    assert len(net.requests) == 1
    assert "0000.0000" not in net.requests[0].url


@pytest.mark.parametrize("base", ["http://arxiv", "http://arxiv/", "http://arxiv/api/query"])
def test_a_setting_may_name_the_host_or_the_api(base):
    net = InMemory({"arxiv": answer}, SHELF)
    live = Arxiv(net, type(wired(Arxiv, net).wiring)(url=base))
    assert isinstance(ask(live, "arxiv", "1706.03762"), Found)


def call(path: str = "/api/query", **query: str) -> Call:
    return Call("GET", path, tuple(p for p in path.split("/") if p), query, {})


@pytest.mark.parametrize(
    ("got", "status", "said"),
    [
        (answer(call(id_list="1706.03762,abc"), SHELF), 400, "incorrect_id_format_for_abc"),
        (answer(call(), SHELF), 400, "api/errors#"),
        (answer(call(id_list="1706.03762", max_results="x"), SHELF), 400, "max_results must be an integer"),
        (answer(call(id_list="1706.03762v1"), SHELF), 200, "abs/1706.03762v2"),
        (
            answer(
                call(search_query='ti:"is all you need" OR ti:"the large n limit of superconformal field"'),
                SHELF,
            ),
            200,
            "<opensearch:totalResults>2<",
        ),
        (answer(call(search_query='ti:"you all"'), SHELF), 200, "<opensearch:totalResults>0<"),
        (answer(call(search_query="all:attention", start="5"), SHELF), 200, "startIndex>5<"),
        (answer(call("/api/other"), SHELF), 404, "<html>"),
    ],
)
def test_the_loopback(got, status, said):
    assert got.status == status
    assert said in got.body.decode()


def test_the_loopback_has_the_shape_of_a_recorded_answer():
    pattern = "*id_1707.08567_s0*.json"
    (real,) = [etree.fromstring(json.loads(data)["body"].encode()) for _, data in recorded("arxiv", pattern)]
    ours = etree.fromstring(answer(call(id_list="hep-th/9711200"), SHELF).body)
    tags = {child.tag for child in ours}
    assert ours.tag == real.tag
    assert tags <= {child.tag for child in real}
    entry, known = (tree.find(f"{shape.ATOM}entry") for tree in (ours, real))
    optional = {f"{shape.ARXIV}journal_ref", f"{shape.ARXIV}doi"}
    assert {child.tag for child in entry} <= {child.tag for child in known} | optional
    assert {child.tag for child in known} <= {child.tag for child in entry}


def test_the_loopback_says_an_error_as_recorded():
    (real,) = [json.loads(data) for _, data in recorded("arxiv", "*id_abc_*.json")]
    ours = answer(call(id_list="abc"), SHELF)
    assert ours.status == real["status_code"]
    trees = [etree.fromstring(body) for body in (ours.body, real["body"].encode())]
    ids = [tree.findtext(f"{shape.ATOM}entry/{shape.ATOM}id") for tree in trees]
    assert ids[0] == ids[1]
