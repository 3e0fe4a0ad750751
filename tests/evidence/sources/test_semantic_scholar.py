"""Semantic Scholar: papers by identifier, by title and in batches; and answers that only look like a no."""

from __future__ import annotations

import asyncio
import json

import pytest

from citeproof.evidence.sources.base import SourceSession
from citeproof.evidence.sources.semantic_scholar import SemanticScholar
from citeproof.laboratory.testing.apis.semantic_scholar import answer
from citeproof.laboratory.testing.base import Call, Reply
from citeproof.plumbing.net.message import Failure, Secret
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
from tests.evidence.sources.bending import HOSTILE, bent_replies
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, reference, wired
from tests.recordings import cassettes

BERT = Record(
    "",
    "bert",
    ("BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",),
    (
        Name("Devlin", "Jacob"),
        Name("Chang", "Ming-Wei"),
        Name("Lee", "Kenton"),
        Name("Toutanova", "Kristina"),
    ),
    versions=(Version(2018, "arXiv", Kind.PREPRINT), Version(2019, "NAACL", pages="4171-4186")),
    kind=Kind.ARTICLE,
    ids=Ids(
        (
            ("doi", "10.18653/v1/n19-1423"),
            ("acl", "N19-1423"),
            ("arxiv", "1810.04805"),
            ("dblp", "conf/naacl/DevlinCLT19"),
        )
    ),
)
LANCET = Record(
    "",
    "lancet",
    ("Clinical features of patients infected with 2019 novel coronavirus in Wuhan, China",),
    (Name("Huang", "Chaolin"),),
    versions=(Version(2020, "The Lancet", volume="395", pages="497-506"),),
    kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1016/s0140-6736(20)30183-5"), ("pmid", "31986264"), ("pmcid", "PMC7159299"))),
)
SHELF = Shelf(BERT, LANCET)
BY = [*BERT.ids.pairs[:3], *LANCET.ids.pairs]


def source(api=answer, **wiring):
    return wired(SemanticScholar, InMemory({"semantic_scholar": api}, SHELF), **wiring)


def reply(body: object, status: int = 200, media: str = "application/json") -> Reply:
    return Reply(status, body if isinstance(body, bytes) else json.dumps(body).encode(), media)


@pytest.mark.parametrize(("by", "value"), BY)
def test_an_identifier_gives_its_paper(by, value):
    said = ask(source(), by, value)
    assert isinstance(said, Found)
    assert said.reach is Reach.PARTIAL
    (found,) = said.records
    wanted = BERT if (by, value) in BERT.ids.pairs else LANCET
    assert found.titles == wanted.titles
    assert found.authors == wanted.authors
    assert set(wanted.ids.pairs) <= set(found.ids.pairs)


def test_what_is_read_of_a_paper():
    (found,) = ask(source(), "pmid", "31986264").records
    assert found.versions == (Version(2020, "The Lancet", volume="395", pages="497-506"),)
    assert found.kind is Kind.ARTICLE
    (found,) = ask(source(), "acl", "N19-1423").records
    assert Version(2018, "arXiv", Kind.PREPRINT) in found.versions
    assert ("doi", "10.48550/arxiv.1810.04805") in found.ids.pairs


@pytest.mark.parametrize(("by", "value"), [("doi", "10.1038/none"), ("pmid", "1"), ("arxiv", "1701.00001")])
def test_an_unknown_identifier_is_absent_and_means_little(by, value):
    assert ask(source(), by, value) == Absent("semantic_scholar", by, Reach.PARTIAL)


@pytest.mark.parametrize(
    ("title", "kind", "reach"),
    [
        (
            "BERT: Pre-training of deep bidirectional transformers for language understanding.",
            Kind.ARTICLE,
            Reach.COVERS,
        ),
        ("{BERT}: Pre-training of Deep Bidirectional Transformers", Kind.PREPRINT, None),
        ("A paper that nobody has written", Kind.ARTICLE, Reach.COVERS),
        ("A paper that nobody has written", Kind.UNKNOWN, Reach.PARTIAL),
        ("A paper that nobody has written", Kind.BOOK, Reach.PARTIAL),
    ],
)
def test_a_title(title, kind, reach):
    said = ask(source(), "title", title, kind)
    assert isinstance(said, Absent if "nobody" in title else Found)
    assert reach is None or said.reach is reach


def test_a_title_without_words_is_not_asked_for():
    assert ask(source(), "title", " ?! ").cause is Cause.NOT_COVERED


@pytest.mark.parametrize(
    ("api", "cause"),
    [
        (reply({"message": "Too Many Requests. Please wait.", "code": "429"}), Cause.RATE_LIMITED),
        (reply({"message": "Endpoint request timed out"}), Cause.MALFORMED),
        (reply({"error": "Title match not found"}), Cause.MALFORMED),
        (reply({"error": "Not Found"}, 404), Cause.MALFORMED),
        (reply({"message": "Not Found"}, 404), Cause.MALFORMED),
        (reply(b"<html>404</html>", 404, "text/html"), Cause.MALFORMED),
        (reply(b"<html>just a moment</html>", 200, "text/html"), Cause.BOT_WALL),
        (reply(b""), Cause.MALFORMED),
        (reply(b'{"data": ['), Cause.MALFORMED),
        (reply({}), Cause.MALFORMED),
        (reply(None), Cause.MALFORMED),
        (reply("x"), Cause.MALFORMED),
        (reply({"data": {}}), Cause.MALFORMED),
        (reply({"data": [{"title": None}]}), Cause.MALFORMED),
        (reply({"paperId": "x", "title": 5}), Cause.MALFORMED),
        (Failure(Cause.RATE_LIMITED, "429"), Cause.RATE_LIMITED),
    ],
)
@pytest.mark.parametrize(("by", "value"), [("title", "A title"), ("doi", "10.18653/v1/n19-1423")])
def test_what_is_no_answer(api, cause, by, value):
    said = ask(source(api), by, value)
    assert isinstance(said, Unchecked)
    assert said.cause is cause
    assert said.reach is Reach.PARTIAL


def test_the_two_negatives_are_not_each_others():
    assert isinstance(
        ask(source(reply({"error": "Paper with id DOI:10.1/x not found"}, 404)), "title", "T"), Unchecked
    )
    match = reply({"error": "Title match not found"}, 404)
    assert isinstance(ask(source(match), "doi", "10.1038/x"), Unchecked)
    assert isinstance(ask(source(match), "title", "T"), Absent)


def test_many_questions_are_one_request():
    net = InMemory({"semantic_scholar": answer}, SHELF)
    live = wired(SemanticScholar, net)
    values = [
        "10.18653/v1/n19-1423",
        "10.1038/none",
        "10.1016/s0140-6736(20)30183-5",
        "10.48550/arxiv.1810.04805",
    ]
    questions = [Question("doi", value, reference(ids=[("doi", value)])) for value in values]

    async def all_at_once():
        return await asyncio.gather(*map(live.lookup, questions))

    known = Shelf(BERT, LANCET, Record("", "x", BERT.titles, ids=Ids((("doi", values[3]), *BERT.ids.pairs))))
    net.holdings = known
    said = asyncio.run(all_at_once())
    assert [type(lookup) for lookup in said] == [Found, Absent, Found, Found]
    assert len(net.requests) == 1
    (request,) = net.requests
    assert (request.method, request.content_type) == ("POST", "application/json")
    assert json.loads(request.body)["ids"][0] == "DOI:10.18653/v1/n19-1423"


def test_an_identifier_that_the_graph_knows_but_does_not_list():
    alias = reply({"paperId": "p", "title": "A title", "externalIds": {"DOI": "10.1000/other"}})
    (found,) = ask(source(alias), "doi", "10.1000/asked").records
    assert set(found.ids.all("doi")) == {"10.1000/asked", "10.1000/other"}


@pytest.mark.parametrize("base", ["http://semantic_scholar", "http://semantic_scholar/graph/v1/"])
def test_a_setting_may_name_the_host_or_the_api(base):
    live = source()
    live.wiring = type(live.wiring)(url=base)
    assert isinstance(ask(live, "title", BERT.title), Found)


def test_the_key_goes_into_a_header_and_nowhere_else():
    net = InMemory({"semantic_scholar": answer}, SHELF)
    live = wired(SemanticScholar, net, key=Secret("s3cret"))
    for by, value in (("doi", "10.18653/v1/n19-1423"), ("title", BERT.title)):
        ask(live, by, value)
    for request in net.requests:
        assert request.secret_headers == (("x-api-key", "", Secret("s3cret")),)
        assert "s3cret" not in f"{request}{request.url}{request.body!r}"
    plain = source()
    ask(plain, "title", BERT.title)
    assert plain.net.requests[0].secret_headers == ()


@pytest.mark.parametrize("value", ["10.1000/a?b#c", "10.1000/../../x", "10.1002/(sici)1<693::aid>3.0.co;2-o"])
def test_a_doi_is_one_name_in_the_address(value):
    net = InMemory(
        {"semantic_scholar": answer}, Shelf(Record("", "x", ("A title",), ids=Ids((("doi", value),))))
    )
    live = wired(SemanticScholar, net)
    asyncio.run(live.ask_alone(Question("doi", value, reference()), SourceSession(net)))
    (request,) = net.requests
    assert "?fields=" in request.url
    assert ".." not in request.url.split("?")[0].split("/")
    assert net.kept[0][1] is True


def test_whom_it_is_asked_for():
    live = source()
    for kind, suits in (
        (Kind.ARTICLE, True),
        (Kind.UNKNOWN, True),
        (Kind.WEB_PAGE, False),
        (Kind.LEGAL, False),
    ):
        assert live.suits(Question("title", "T", reference(kind))) is suits
    assert live.suits(Question("doi", "10.1000/x", reference(Kind.WEB_PAGE)))
    assert not live.is_required(Question("title", "T", reference()))


def call(path: str, method: str = "GET", body: bytes = b"", **query: str) -> Call:
    return Call(method, path, tuple(p for p in path.split("/") if p), query, {}, body)


MATCHED = call(
    "/graph/v1/paper/search/match", query=BERT.title, fields="title,authors,externalIds,year,journal"
)


def test_answers_bent_out_of_shape_never_break_the_source():
    named = call("/paper/ACL:N19-1423", fields="title,authors,externalIds,journal,year,venue")
    for by, bent in (("title", MATCHED), ("doi", named)):
        for api in bent_replies(answer(bent, SHELF)):
            live = source(api)
            said = asyncio.run(
                live.ask_alone(Question(by, "10.1000/x", reference()), SourceSession(live.net))
            )
            assert not isinstance(said, Unchecked) or said.cause is Cause.MALFORMED


def test_hostile_text():
    paper = {
        "paperId": HOSTILE,
        "title": HOSTILE,
        "venue": HOSTILE,
        "authors": [{"name": HOSTILE[:5000]}] * 5000,
        "journal": {"name": HOSTILE, "volume": HOSTILE, "pages": HOSTILE},
        "externalIds": {"DOI": HOSTILE},
    }
    (found,) = ask(source(reply({"data": [paper]})), "title", "T").records
    assert "\x1b" not in repr(found)
    assert "<script>" not in repr(found)
    assert len(found.title) <= 2000
    assert not found.authors_complete


@pytest.mark.parametrize(
    ("got", "status", "said"),
    [
        (answer(MATCHED, SHELF), 200, '"matchScore"'),
        (
            answer(call("/paper/search/match", query="none at all"), SHELF),
            404,
            '{"error":"Title match not found"}',
        ),
        (
            answer(call("/paper/search/match", query="x", fields="matchScore"), SHELF),
            400,
            "unsupported fields",
        ),
        (answer(call("/paper/search/match"), SHELF), 400, "query"),
        (answer(call("/paper/search", query=BERT.title), SHELF), 200, '"total":1'),
        (answer(call("/paper/10.18653/v1/N19-1423"), SHELF), 200, '"title":"BERT'),
        (answer(call("/paper/PMCID:7159299"), SHELF), 200, "Clinical features"),
        (answer(call("/paper/0"), SHELF), 404, '{"error":"Paper with id 0 not found"}'),
        (answer(call("/paper/batch", "POST", b'{"ids":["DOI:10.1/x"]}'), SHELF), 200, "[null]"),
        (answer(call("/paper/batch", "POST", b"nonsense"), SHELF), 400, "error"),
        (answer(call("/paper/batch", "POST", b'{"ids":[]}'), SHELF), 400, "error"),
        (answer(call("/author/1"), SHELF), 403, "message"),
    ],
)
def test_the_loopback(got, status, said):
    assert got.status == status
    assert said in got.body.decode()


def test_the_loopback_speaks_as_recorded():
    recorded = {
        tape.url: tape for tape in cassettes("semantic_scholar", "*test_search_paper_match_title.yaml")
    }
    recorded |= {tape.url: tape for tape in cassettes("semantic_scholar", "*test_not_found.yaml")}
    for url, tape in recorded.items():
        real = json.loads(tape.body)
        if "search/match" in url:
            ours = json.loads(answer(MATCHED, SHELF).body)
            assert set(real) == set(ours) == {"data"}
            assert {"paperId", "title", "matchScore"} == set(real["data"][0]) <= set(ours["data"][0])
        elif "/paper/0?" in url:
            ours = answer(call("/paper/0"), SHELF)
            assert (ours.status, json.loads(ours.body)) == (tape.status, real)


def test_the_fields_of_the_loopback_have_the_types_of_recorded_ones():
    tapes = list(cassettes("semantic_scholar", "*test_get_papers_return_not_found.yaml"))
    real = [paper for tape in tapes for paper in json.loads(tape.body) if paper]
    assert real
    ours = json.loads(
        answer(
            call(
                "/paper/batch",
                "POST",
                b'{"ids":["PMID:31986264"]}',
                fields="title,year,venue,journal,authors,externalIds,publicationTypes,publicationVenue",
            ),
            SHELF,
        ).body
    )[0]
    for name, value in ours.items():
        kinds = {type(paper[name]) for paper in real}
        assert type(value) in kinds | {type(None), dict}, name
