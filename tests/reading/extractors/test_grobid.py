"""A GROBID server as the engine for PDFs, over loopback."""

import asyncio

import pytest

from citeproof.errors import InputError
from citeproof.laboratory.testing import Faults, Shelf, World
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net.client import Client
from citeproof.plumbing.net.message import Rate
from citeproof.plumbing.net.request_policy import RequestPolicy
from citeproof.plumbing.stores.answer_cache import AnswerCache, AnswerLifetimes
from citeproof.reading.extractors import grobid
from citeproof.reading.extractors.base import detect_extractor
from citeproof.vocabulary import Document

PDF = b"""%PDF-1.4
[1] Yann LeCun. Deep learning. Nature. 2015
[2] Alan Turing. Computing machinery & intelligence. Mind. 1950
%%EOF"""


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Return a function that converts a document by a server with the given faults."""
    monkeypatch.setattr(grobid, "PAUSE", 0.01)
    worlds = []

    def convert(document, url="", patience=60.0, **world):
        monkeypatch.setattr(grobid, "PATIENCE", patience)
        worlds.append(World(Shelf(), apis=("grobid",), **world).start())
        clock = SystemClock()
        policies = {"grobid": RequestPolicy(Rate(1000, 1.0, at_once=4), "grobid")}
        store = AnswerCache(tmp_path / "cache", clock, AnswerLifetimes())
        client = Client(policies, store, tmp_path / "limits", clock, agent="citeproof/test", timeout=0.2)

        async def go():
            try:
                return await grobid.convert_pdf(document, client, url or worlds[-1].urls["grobid"])
            finally:
                await client.close()

        return asyncio.run(go()), worlds[-1]

    yield convert
    for world in worlds:
        world.close()


def test_a_pdf_becomes_tei(ask):
    made, _ = ask(Document("paper.pdf", PDF))
    assert (made.name, detect_extractor(made).name) == ("paper.pdf", "tei")
    extraction = detect_extractor(made).extract(made)
    first, second = extraction.references
    assert (first.claimed.title, first.claimed.year, first.text) == (
        "Deep learning", 2015, "Yann LeCun. Deep learning. Nature. 2015",
    )  # fmt: skip
    assert second.claimed.title == "Computing machinery & intelligence"
    assert (first.place.page, first.place.line) == (1, None)
    assert first.citing == ("All of them say so [1] [2].",)


def test_what_is_sent(ask):
    _, world = ask(Document("secret name.pdf", PDF))
    [seen] = world.log
    assert (seen.method, seen.path) == ("POST", "/api/processFulltextDocument")
    assert PDF in seen.body
    assert b"secret name" not in seen.body
    for wish in (b"consolidateCitations", b"includeRawCitations", b"segmentSentences", b"teiCoordinates"):
        assert wish in seen.body


def test_it_may_take_longer_than_other_servers(ask):
    made, _ = ask(Document("paper.pdf", PDF), latency={"grobid": 0.6})
    assert made.data.startswith(b"<?xml")


def test_a_busy_server_is_asked_again_until_it_is_free(ask):
    made, world = ask(Document("paper.pdf", PDF), faults={"grobid": Faults.status(503).first(5)})
    assert detect_extractor(made).name == "tei"
    assert world.count("grobid") == 6


def fault(*status, **more):
    return {"faults": {"grobid": Faults.status(*status, **more)}}


FAILURES = {
    "no PDF inside": (b"%PDF-1.4 nothing to be seen", {}, "no content"),
    "not a PDF": (b"hello", {}, "only PDFs"),
    "broken": (b"junk before %PDF-1.4", {}, "BAD_INPUT_DATA"),
    "busy for ever": (PDF, fault(503), "busy 20 times"),
    "its own error": (PDF, fault(500, body=b"[TIMEOUT] PDF to XML took too long"), "took too long"),
    "a web page": (PDF, fault(200, body=b"<html>hi</html>", media="text/html"), "web page"),
    "other XML": (PDF, fault(200, body=b"<x/>", media="application/xml"), "is not TEI"),
    "forbidden": (PDF, fault(403), "403"),
    "silence": (PDF, {"faults": {"grobid": Faults.silence()}, "patience": 0.2}, "no answer within"),
    "nobody there": (PDF, {"url": "http://127.0.0.1:9"}, "no connection"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_what_goes_wrong_is_said_with_its_mend(ask, name):
    data, how, words = FAILURES[name]
    with pytest.raises(InputError, match=words) as raised:
        ask(Document("paper.pdf", data), **how)
    assert raised.value.place == "paper.pdf"
    assert raised.value.hint
