"""The cited page itself, its archived copy, and what happens when neither can be read."""

import pytest

from citeproof.evidence.sources.base import SourceWiring
from citeproof.evidence.sources.url import PlainUrl
from citeproof.laboratory.testing import Reply, Shelf
from citeproof.laboratory.testing.apis import url, wayback
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
from tests.evidence.sources.inmemory import InMemory, ask, reference
from tests.laboratory.testing.conftest import PLANCK, RESNET

POST = Record(
    "made", "post", ("The Unreasonable Effectiveness of Recurrent Neural Networks",),
    authors=(Name("Karpathy", "Andrej"),), versions=(Version(2015, None, Kind.WEB_PAGE),), kind=Kind.WEB_PAGE,
    ids=Ids((("url", "http://karpathy.github.io/2015/05/21/rnn-effectiveness/"),)),
)  # fmt: skip
SHELF = Shelf(RESNET, PLANCK, POST)
PAGE = "http://url" + url.build_page_path(RESNET)
GONE = PAGE.replace("/page/", "/gone/")


def net(**apis):
    return InMemory({"url": url.answer, "wayback": wayback.answer, **apis}, SHELF)


def asked(network, value, kind=Kind.WEB_PAGE, **claimed):
    source = PlainUrl(network, SourceWiring(url="", urls={"wayback": "http://wayback"}))
    return ask(source, "url", value, kind, **claimed)


def test_a_page_is_read():
    network = net()
    found = asked(network, PAGE)
    assert isinstance(found, Found)
    (record,) = found.records
    assert (record.source, record.title, record.kind) == ("url", RESNET.title, Kind.ARTICLE)
    assert record.marks == ("web",)
    assert record.ids.pairs == (("doi", "10.1109/cvpr.2016.90"), ("url", PAGE))
    assert len(record.content_hash) == 64
    (request,) = network.requests
    assert request.free
    assert request.accept == ("text/html", "application/xhtml+xml")


@pytest.mark.parametrize("style", ["graph", "plain", "byline", "jsonld", "dublin"])
def test_every_style_is_found(style):
    found = asked(net(), f"{PAGE}?style={style}")
    assert RESNET.title in found.records[0].titles


DEAD = [
    (GONE, "web archived dead_link"),
    (f"{PAGE}?style=missing", "web archived dead_link"),
    (f"{PAGE}?style=parked", "web archived dead_link"),
    (f"{PAGE}?style=home", "web archived dead_link"),
    (f"{PAGE}?style=wall", "web archived"),
]


@pytest.mark.parametrize(("address", "marks"), DEAD)
def test_what_cannot_be_read_is_read_in_the_archive(address, marks):
    network = net()
    found = asked(network, address, year=2017, title=RESNET.title)
    assert isinstance(found, Found)
    (record,) = found.records
    assert record.title == RESNET.title
    copy = "copy:http://wayback/web/20170615120000/"
    assert [mark for mark in record.marks if not mark.startswith(copy)] == marks.split()
    assert len(record.marks) == len(marks.split()) + 1
    assert record.ids.first("url") == record.id == address
    assert network.requests[1].url == f"http://wayback/web/2017id_/{address}"
    assert network.requests[1].lane == "archive"
    assert network.requests[1].free
    assert len(network.requests) == 2


@pytest.mark.parametrize("cause", [Cause.TIMEOUT, Cause.BOT_WALL, Cause.MALFORMED])
def test_a_page_that_fails_may_have_a_copy(cause):
    network = net(**{"karpathy.github.io": Failure(cause, "no connection")})
    found = asked(network, POST.ids.first("url"))
    assert found.records[0].title == POST.title
    first, copy, last = found.records[0].marks
    assert (first, copy.partition(":")[0], last) == ("web", "copy", "archived")


@pytest.mark.parametrize("cause", [Cause.NOT_COVERED, Cause.RATE_LIMITED])
def test_a_forbidden_address_is_told_to_nobody(cause):
    network = net(**{"10.0.0.1": Failure(cause, "not fetched")})
    answer = asked(network, "http://10.0.0.1/secret")
    assert answer == Unchecked("url", "url", cause, "not fetched")
    assert len(network.requests) == 1


def test_gone_and_not_archived_proves_nothing():
    assert asked(net(), "http://url/nowhere") == Absent("url", "url", Reach.PARTIAL)


def test_failed_and_not_archived_is_unchecked():
    network = net(**{"other.example": Failure(Cause.TIMEOUT, "no answer")})
    assert asked(network, "http://other.example/") == Unchecked("url", "url", Cause.TIMEOUT, "no answer")


ARCHIVE = [
    (
        Reply(200, b"<title>Wayback Machine</title>", "text/html"),
        Cause.MALFORMED,
    ),  # not at the address of a copy
    (Reply(200, b"{}"), Cause.MALFORMED),
    (Reply(503, b""), Cause.TIMEOUT),
    (Failure(Cause.RATE_LIMITED, "answered 429"), Cause.RATE_LIMITED),
]


@pytest.mark.parametrize(("reply", "cause"), ARCHIVE)
def test_an_archive_that_does_not_answer_leaves_a_dead_link_unchecked(reply, cause):
    lookup = asked(net(wayback=reply), GONE)
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is cause


def test_a_first_page_with_the_cited_title_is_the_page():
    found = asked(net(), f"{PAGE}?style=home", title=url.SITE)
    assert found.records[0].title == url.SITE
    assert found.records[0].marks == ("web",)


def test_an_archive_without_a_copy():
    assert isinstance(asked(net(wayback=Reply(404, b"", "text/html")), GONE), Absent)


def test_the_archive_that_fails_does_not_hide_the_first_failure():
    network = net(wayback=Reply(200, b"{}"), **{"other.example": Failure(Cause.TIMEOUT, "no answer")})
    assert asked(network, "http://other.example/").detail == "no answer"


SUITS = [
    ("https://www.who.int/news/item/1", Kind.WEB_PAGE, True),
    ("https://www.who.int/news/item/1", Kind.UNKNOWN, True),
    ("https://www.who.int/news/item/1", Kind.ARTICLE, False),
    ("https://arxiv.org/abs/1706.03762", Kind.WEB_PAGE, False),
    ("https://doi.org/10.1000/x", Kind.UNKNOWN, False),
    ("https://link.springer.com/article/10.1007/s11263-015-0816-y", Kind.WEB_PAGE, False),
    ("https://pubmed.ncbi.nlm.nih.gov/9500320/", Kind.WEB_PAGE, False),
    ("https://scholar.google.com/citations?user=x", Kind.WEB_PAGE, False),
    ("https://pubpeer.com/publications/ABC", Kind.UNKNOWN, False),
    ("https://github.com/pytorch/pytorch", Kind.WEB_PAGE, True),
]


@pytest.mark.parametrize(("address", "kind", "expected"), SUITS)
def test_which_addresses_are_asked(address, kind, expected):
    source = PlainUrl(net(), SourceWiring(url=""))
    assert source.suits(Question("url", address, reference(kind))) is expected


def test_a_denied_host_is_not_fetched_even_when_asked():
    network = net()
    lookup = asked(network, "https://scholar.google.com/scholar?q=x")
    assert isinstance(lookup, Unchecked)
    assert (lookup.cause, network.requests) == (Cause.NOT_COVERED, [])


def test_it_is_no_authority_for_anything():
    profile = PlainUrl.profile
    assert (profile.covers, profile.required, profile.authority) == (frozenset(),) * 3
    source = PlainUrl(net(), SourceWiring(url=""))
    question = Question("url", "http://other.example/", reference(Kind.WEB_PAGE))
    assert source.reach(question) is Reach.PARTIAL
