"""doi.org: a DOI exists, does not exist, or nobody can tell; the difference is in the envelope."""

from __future__ import annotations

import json

import pytest

from citeproof.evidence.sources.doi import Doi
from citeproof.laboratory.testing.apis.doi import answer
from citeproof.laboratory.testing.base import Call, Reply
from citeproof.plumbing.net.message import Failure
from citeproof.vocabulary import Absent, Cause, Found, Ids, Reach, Record, Unchecked
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, wired

RESNET = "10.1109/cvpr.2016.90"
WORKS = [
    RESNET,
    "10.48550/arxiv.1706.03762",
    "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o",
    "10.48612//monograph-2025-2",
    "10.1016/s0140-6736(97)11096-0",
    "10.1000/a,b?c#d%e",
]
SHELF = Shelf(*(Record("", doi, ("A title",), ids=Ids((("doi", doi),))) for doi in WORKS))


def reply(status: int, body: object, media: str = "application/json") -> Reply:
    return Reply(status, body if isinstance(body, bytes) else json.dumps(body).encode(), media)


def one(api, value: str = RESNET):
    return ask(wired(Doi, InMemory({"doi": api}, SHELF)), "doi", value)


@pytest.mark.parametrize("doi", WORKS)
def test_a_doi_that_exists_is_found_without_records(doi):
    agency = "DataCite" if doi.startswith("10.48550") else "Crossref"
    assert one(answer, doi) == Found("doi", "doi", (), Reach.COMPLETE, f"registered with {agency}")


@pytest.mark.parametrize("doi", ["10.1038/nature99999999", "10.48612/monograph-2025-2", "10.9999/../x"])
def test_a_doi_that_the_handle_system_denies_is_absent(doi):
    assert one(answer, doi) == Absent("doi", "doi", Reach.COMPLETE)


@pytest.mark.parametrize(
    "api",
    [
        reply(404, b"<html>DOI Not Found</html>", "text/html"),
        reply(404, {"status": "error"}),
        reply(404, {"responseCode": 100}),
        reply(404, {"responseCode": 100, "handle": "10.1109%2Fcvpr.2016.90"}),
        reply(404, {"responseCode": 1, "handle": RESNET}),
        reply(404, {"responseCode": "100", "handle": RESNET}),
        reply(404, [100]),
        reply(404, b""),
        reply(200, {"responseCode": 100, "handle": RESNET}),
        reply(200, {"responseCode": 2, "handle": RESNET}),
        reply(200, {"responseCode": [1], "handle": RESNET}),
        reply(200, {"responseCode": 42, "handle": RESNET}),
        reply(200, {"responseCode": 1, "handle": "10.1000/182"}),
        reply(200, {"responseCode": 1, "handle": 5}),
        reply(200, {}),
        reply(200, b"not JSON"),
        reply(200, b"["),
    ],
)
def test_a_lookalike_of_an_answer_is_none(api):
    said = one(api)
    assert isinstance(said, Unchecked)
    assert (said.cause, said.reach) == (Cause.MALFORMED, Reach.COMPLETE)


def test_a_handle_without_values_exists():
    assert one(reply(200, {"responseCode": 200, "handle": RESNET.upper()})).note == "registered"


@pytest.mark.parametrize(
    ("agencies", "note"),
    [
        (reply(200, [{"DOI": RESNET, "RA": "mEDRA"}]), "registered with mEDRA"),
        (reply(200, [{"DOI": RESNET, "status": "Unknown"}]), "registered"),
        (reply(200, [{"DOI": RESNET, "status": "DOI does not exist"}]), "registered"),
        (reply(200, [{"RA": {"x": 1}}]), "registered"),
        (reply(200, [{"RA": "\x1b[31m"}]), "registered"),
        (reply(200, []), "registered"),
        (reply(200, {"RA": "Crossref"}), "registered"),
        (reply(200, b"<html>", "text/html"), "registered"),
        (reply(404, b"gone", "text/plain"), "registered"),
        (reply(500, b"", "text/plain"), "registered"),
    ],
)
def test_the_agency_is_a_note_and_never_decides(agencies, note):
    def api(call: Call, holdings):
        return agencies if call.parts[0] == "ra" else answer(call, holdings)

    assert one(api) == Found("doi", "doi", (), Reach.COMPLETE, note)


def test_a_failure_stays_one():
    said = one(Failure(Cause.TIMEOUT, "no answer"))
    assert said == Unchecked("doi", "doi", Cause.TIMEOUT, "no answer", Reach.COMPLETE)


def test_what_is_kept():
    net = InMemory({"doi": answer}, SHELF)
    source = wired(Doi, net)
    ask(source, "doi", RESNET)
    assert [found for _, found, _ in net.kept] == [True, True]
    ask(source, "doi", "10.1038/none")
    assert [found for _, found, _ in net.kept] == [True, True, False]
    assert [r.url for r in net.requests[-2:]] == [
        f"http://doi/ra/{RESNET}",
        "http://doi/api/handles/10.1038/none",
    ]


def call(path: str, **query: str) -> Call:
    return Call("GET", path, tuple(p for p in path.split("/") if p), query, {})


@pytest.mark.parametrize(
    ("path", "query", "status", "said"),
    [
        (f"/api/handles/{RESNET}", {}, 200, {"responseCode": 1}),
        (f"/api/handles/{RESNET.replace('/', '%2F')}", {}, 200, {"responseCode": 1}),
        (f"/api/handles/{RESNET}", {"type": "EMAIL"}, 200, {"responseCode": 200, "values": []}),
        ("/api/handles/10.1/x", {}, 404, {"responseCode": 100, "handle": "10.1/x"}),
    ],
)
def test_the_loopback_handles(path, query, status, said):
    got = answer(call(path, **query), SHELF)
    assert got.status == status
    assert said.items() <= json.loads(got.body).items()


def test_the_loopback_agencies_and_resolution():
    rows = json.loads(answer(call("/doiRA/10.1000/a%2Cb%3Fc%23d%25e,10.9999/none,nonsense"), SHELF).body)
    assert rows == [
        {"DOI": "10.1000/a,b?c#d%e", "RA": "Crossref"},
        {"DOI": "10.9999/none", "status": "DOI does not exist"},
        {"DOI": "nonsense", "status": "Invalid DOI"},
    ]
    assert answer(call(f"/{RESNET}"), SHELF).status == 302
    missing = answer(call("/10.9999/none"), SHELF)
    assert (missing.status, missing.media) == (404, "text/html;charset=utf-8")
