"""The loopback APIs of the subject sources: unknown paths, bad questions, what each would not hold."""

from __future__ import annotations

import pytest

from citeproof.laboratory.testing.apis import acl, ads, europe_pmc, inspire, openreview, pmc, pubmed
from citeproof.laboratory.testing.base import Call
from citeproof.vocabulary import Ids, Record, Version
from tests.evidence.sources.inmemory import Shelf

ELSEWHERE = Record(
    "x",
    "1",
    ("A paper of another field",),
    versions=(Version(2020, "Poetics"),),
    ids=Ids((("doi", "10.1000/a"),)),
)
TOKEN = {"authorization": "Bearer t"}


def call(path: str, headers: dict[str, str] | None = None, body: bytes = b"", **query: str) -> Call:
    parts = tuple(part for part in path.split("/") if part)
    return Call("POST" if body else "GET", path, parts, query, headers or {}, body)


@pytest.mark.parametrize(
    ("api", "asked", "status", "media", "says"),
    [
        (pubmed, call("/einfo.fcgi", db="pubmed"), 400, "json", b"error"),
        (pubmed, call("/esearch.fcgi", db="pubmed", term=" "), 200, "json", b'"ERROR"'),
        (pubmed, call("/esearch.fcgi", db="pubmed", term="paper[ti]"), 200, "json", b'"idlist":[]'),
        (pubmed, call("/efetch.fcgi", body=b"db=pubmed&id=1,x,"), 200, "xml", b"<PubmedArticleSet/>"),
        (pmc, call("/esummary.fcgi", db="pubmed", id="1"), 400, "json", b"error"),
        (pmc, call("/esummary.fcgi", db="pmc", id="x"), 200, "json", b"Invalid uid x at position=0"),
        (pmc, call("/esummary.fcgi", body=b"db=pmc&id=1"), 200, "json", b"cannot get document summary"),
        (europe_pmc, call("/nothing"), 404, "json", b"Not Found"),
        (europe_pmc, call("/search", query="", format="json"), 200, "json", b"errCode"),
        (europe_pmc, call("/search", query='DOI:"10.1000/a"', format="json"), 200, "json", b'"hitCount":0'),
        (europe_pmc, call("/search", query="TITLE:(a paper)", format="xml"), 200, "xml", b"responseWrapper"),
        (ads, call("/search/query", q="title:(paper)"), 401, "json", b"Unauthorized"),
        (ads, call("/search/nothing", TOKEN), 404, "json", b"error"),
        (ads, call("/search/query", TOKEN, q='doi:"10.1000/a"'), 200, "json", b'"numFound":0'),
        (inspire, call("/doi/10.1000/a"), 404, "json", b"PID does not exist."),
        (inspire, call("/nothing"), 404, "json", b"PID does not exist."),
        (inspire, call("/literature", q="title paper of another field"), 200, "json", b'"total":0'),
        (inspire, call("/literature", q="doi 10.1000/a"), 200, "json", b'"total":0'),
        (openreview, call("/notes"), 400, "json", b"MissingParameterError"),
        (openreview, call("/notes", id="ZGkfoufDaU"), 404, "json", b"NotFoundError"),
        (openreview, call("/nothing"), 404, "json", b"NotFoundError"),
        (openreview, call("/notes/search", term="paper of another field"), 200, "json", b'"notes":[]'),
        (acl, call("/P19-1001.xml"), 404, "html", b"404 Not Found"),
        (acl, call("/volumes/nothing.xml"), 404, "html", b"404 Not Found"),
        (acl, call("/"), 404, "html", b"404 Not Found"),
    ],
)
def test_what_the_servers_would_say(api, asked, status, media, says):
    reply = api.answer(asked, Shelf(ELSEWHERE))
    assert (reply.status, media in reply.media) == (status, True)
    assert says in reply.body


def test_limits_are_told_in_headers():
    asked = call("/esearch.fcgi", db="pubmed", term="x", api_key="k")
    assert pubmed.answer(asked, Shelf()).headers["x-ratelimit-limit"] == "10"
    assert pmc.answer(call("/esummary.fcgi", db="pmc", id="1"), Shelf()).headers["x-ratelimit-limit"] == "3"
    assert "x-ratelimit-remaining" in ads.answer(call("/search/query", TOKEN, q="title:x"), Shelf()).headers
