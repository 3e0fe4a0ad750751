"""The ISSN Portal, asked through its loopback API."""

from __future__ import annotations

import msgspec
import pytest

from citeproof.evidence.sources.issn import Issn
from citeproof.laboratory.testing.apis import issn as api
from citeproof.laboratory.testing.base import Reply, make_json_reply
from citeproof.vocabulary import Absent, Cause, Found, Ids, Kind, Reach, Record, Unchecked, Version
from tests.evidence.sources.bending import HOSTILE, bent_replies, called
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, wired

PAPER = Record(
    "x",
    "1",
    ("Deep learning",),
    versions=(Version(2015, "Nature", Kind.ARTICLE, "521"),),
    kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1038/nature14539"), ("issn", "0028-0836"), ("issn", "1476-4687"))),
)
JOURNAL = Record(
    "x",
    "2",
    ("Техника кино и телевидения", "Tehnika kino i televideniâ"),
    ids=Ids((("issn", "0040-2249"),)),
    marks=("journal",),
)
COMPACT = {
    "@context": {},
    "format": "medium:Online",
    "identifiedBy": {
        "#ISSN": {"value": "2151-2124"},
        "#ISSN-L": {"value": "0269-8803"},
        "#KeyTitle": {"value": "Journal of psychophysiology (Online)"},
    },
}
PERIODICAL = {
    "@context": "http://schema.org/",
    "@id": "https://portal.issn.org/resource/ISSN/0028-0836",
    "@type": "Periodical",
    "exampleOfWork": {"@id": "https://portal.issn.org/resource/ISSN-L/0028-0836", "@type": "CreativeWork"},
    "issn": "0028-0836",
    "name": "Nature (London)",
    "alternateName": "Nature.",
    "publication": {"@type": "PublicationEvent"},
}
RENAMED = {
    "@graph": [
        {
            "@id": "resource/ISSN/1063-651X",
            "name": "\x98The \x9cPhysical review. E.",
            "succeededBy": "resource/ISSN/2470-0045",
        },
        {"@id": "resource/ISSN/2470-0045", "mainTitle": "Physical review E"},
        {"@id": "resource/ISSN/0028-0836", "mainTitle": "Another journal"},
    ]
}


def source(api_=api.answer):
    net = InMemory({"issn": api_}, Shelf(PAPER, JOURNAL))
    return wired(Issn, net), net


@pytest.mark.parametrize(
    ("reply", "issn", "titles", "numbers"),
    [
        (api.answer, "0028-0836", ("Nature",), ("0028-0836", "1476-4687")),
        (api.answer, "1476-4687", ("Nature",), ("1476-4687", "0028-0836")),
        (api.answer, "0040-2249", JOURNAL.titles, ("0040-2249",)),
        (
            make_json_reply(COMPACT),
            "2151-2124",
            ("Journal of psychophysiology (Online)", "Journal of psychophysiology"),
            ("2151-2124", "0269-8803"),
        ),
        (make_json_reply(PERIODICAL), "0028-0836", ("Nature (London)", "Nature"), ("0028-0836",)),
        (
            make_json_reply(RENAMED),
            "1063-651X",
            ("The Physical review. E", "Physical review E"),
            ("1063-651X",),
        ),
    ],
)
def test_a_journal_by_its_issn(reply, issn, titles, numbers):
    found = ask(source(reply)[0], "issn", issn)
    assert isinstance(found, Found)
    assert found.reach is Reach.COMPLETE
    record = found.records[0]
    assert record.titles == titles
    assert record.ids.all("issn") == numbers
    assert record.marks == ("journal",)
    assert record.kind is Kind.UNKNOWN


def test_no_such_issn():
    assert ask(source()[0], "issn", "2049-3630") == Absent("issn", "issn", Reach.COMPLETE)


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (make_json_reply({}), Cause.MALFORMED),
        (make_json_reply([]), Cause.MALFORMED),
        (make_json_reply({"@graph": []}), Cause.MALFORMED),
        (make_json_reply({"@graph": "x"}), Cause.MALFORMED),
        (make_json_reply({"@graph": [{"@id": "resource/ISSN/0028-0836"}]}), Cause.MALFORMED),
        (make_json_reply({"name": "Nature", "issn": "1476-4687"}), Cause.MALFORMED),
        (Reply(200, b"<html>ISSN Portal</html>", "text/html"), Cause.BOT_WALL),
        (Reply(200, b"nonsense"), Cause.MALFORMED),
    ],
)
def test_an_odd_answer_is_no_absence(reply, cause):
    found = ask(source(reply)[0], "issn", "0028-0836")
    assert isinstance(found, Unchecked)
    assert found.cause is cause
    assert found.reach is Reach.COMPLETE


def test_wrong_types_and_hostile_text():
    replies = [api.answer(called("http://issn/resource/ISSN/0028-0836?format=json"), Shelf(PAPER))]
    replies += [make_json_reply(shape) for shape in (COMPACT, PERIODICAL, RENAMED)]
    for reply in replies:
        for odd in bent_replies(reply):
            found = ask(source(odd)[0], "issn", "0028-0836")
            assert not isinstance(found, Unchecked) or found.cause is Cause.MALFORMED
    found = ask(source(make_json_reply({"issn": "0028-0836", "name": [HOSTILE] * 4}))[0], "issn", "0028-0836")
    assert isinstance(found, Found)
    assert len(found.records[0].title) <= 2000


@pytest.mark.parametrize(
    ("url", "status", "media"),
    [
        ("/resource/ISSN/0028-0836?format=json", 200, "application/json"),
        ("/resource/ISSN/0028-0836", 200, "text/html"),
        ("/resource/ISSN/2049-3630?format=json", 404, "text/html"),
        ("/resource/ISSN/nonsense?format=json", 404, "text/html"),
        ("/", 404, "text/html"),
    ],
)
def test_the_api_by_itself(url, status, media):
    reply = api.answer(called(f"http://issn{url}"), Shelf(PAPER))
    assert (reply.status, reply.media) == (status, media)
    if media == "application/json":
        nodes = {node["@id"]: node for node in msgspec.json.decode(reply.body)["@graph"]}
        assert nodes["resource/ISSN/0028-0836#KeyTitle"]["value"] == "Nature"


def test_a_number_is_denied_only_at_both_addresses():
    def newer(call, holdings):
        """Answer as a portal that knows the newer form of address alone."""
        if not call.path.endswith(".jsonld"):
            return Reply(404, b"<html>Not found</html>", "text/html")
        return api.answer(call, holdings)

    net = InMemory({"issn": newer}, Shelf(PAPER))
    assert isinstance(ask(wired(Issn, net), "issn", "0028-0836"), Found)
    assert isinstance(ask(wired(Issn, net), "issn", "0040-2249"), Absent)
