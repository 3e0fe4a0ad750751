"""DBLP: two services, one bot wall, and whose silence means something."""

from __future__ import annotations

import asyncio
import json
from urllib.parse import unquote

import pytest

from citeproof.evidence.sources.dblp import Dblp, is_computing
from citeproof.laboratory.testing.apis import dblp, dblp_sparql
from citeproof.laboratory.testing.base import Call, Reply
from citeproof.plumbing.net.message import Failure
from citeproof.vocabulary import (
    Absent,
    Cause,
    Found,
    Ids,
    Kind,
    Lookup,
    Name,
    Question,
    Reach,
    Record,
    Unchecked,
    Version,
)
from tests.evidence.sources.bending import HOSTILE, bent_replies
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, reference, wired

ATTENTION = Record(
    "",
    "a",
    ("Attention is All you Need",),
    tuple(
        Name(family, given)
        for given, family in (
            ("Ashish", "Vaswani"), ("Noam", "Shazeer"), ("Niki", "Parmar"), ("Jakob", "Uszkoreit"),
            ("Llion", "Jones"), ("Aidan N.", "Gomez"), ("Lukasz", "Kaiser"), ("Illia", "Polosukhin"),
        )
    ),
    versions=(Version(2017, "NIPS", pages="5998-6008"),),
    kind=Kind.ARTICLE,
    ids=Ids((("dblp", "conf/nips/VaswaniSPUJGKP17"),)),
)  # fmt: skip
TURING = Record(
    "",
    "t",
    ("Computing Machinery & Intelligence",),
    (Name("Turing", "Alan M."),),
    versions=(Version(1950, "Mind", volume="LIX", issue="236", pages="433-460"),),
    kind=Kind.ARTICLE,
    ids=Ids((("dblp", "journals/x/Turing50"), ("doi", "10.1093/mind/lix.236.433"))),
    marks=("withdrawn",),
)
SURVEY = Record(
    "",
    "s",
    ("Attention is All You Need in Speech Separation",),
    (Name("Doe", "Jane"),),
    versions=(Version(2021, "arXiv", Kind.PREPRINT),),
    kind=Kind.PREPRINT,
    ids=Ids((("arxiv", "2010.13154"),)),
)
ELSEWHERE = Record(
    "", "e", ("Attention in the amygdala",), (Name("Roe", "Rick"),), versions=(Version(2001, "Brain"),)
)
SHELF = Shelf(ATTENTION, TURING, SURVEY, ELSEWHERE)
WALL = Reply(200, b"<html>Making sure you're not a bot!</html>", "text/html")
DOWN = Failure(Cause.TIMEOUT, "no answer")


def source(sparql=dblp_sparql.answer, pages=dblp.answer, **urls):
    net = InMemory({"dblp": pages, "dblp_sparql": sparql}, SHELF)
    return wired(Dblp, net, urls=urls or {"dblp_sparql": "http://dblp_sparql"})


def reply(body: object, media: str = "application/sparql-results+json", status: int = 200) -> Reply:
    return Reply(status, body if isinstance(body, bytes) else json.dumps(body).encode(), media)


BOTH = pytest.mark.parametrize(
    "live", [source(), source(sparql=DOWN), source(pages=WALL)], ids=["sparql", "pages", "wall"]
)


@BOTH
@pytest.mark.parametrize("work", [ATTENTION, TURING])
def test_a_key_gives_its_publication(live, work):
    said = ask(live, "dblp", work.ids.first("dblp"))
    assert isinstance(said, Found)
    assert said.reach is Reach.COMPLETE
    (found,) = said.records
    assert found.titles == work.titles
    assert found.authors == work.authors
    assert found.versions == work.versions
    assert found.marks == work.marks
    assert set(found.ids.pairs) == set(work.ids.pairs)


@BOTH
@pytest.mark.parametrize(
    "title", ["Attention is all you need", "{A}ttention Is All You Need!", 'attention "is" all you need | $']
)
def test_a_title_gives_the_nearest_first(live, title):
    said = ask(live, "title", title, venue="NeurIPS")
    assert isinstance(said, Found)
    assert said.records[0].id == "dblp:conf/nips/VaswaniSPUJGKP17"
    assert [record.title for record in said.records] == [ATTENTION.title, SURVEY.title]
    assert said.records[1].kind is Kind.PREPRINT
    assert said.records[1].ids.first("arxiv") == "2010.13154"


@BOTH
def test_a_title_that_is_absent(live):
    assert ask(live, "title", "No paper of this name", venue="ICML") == Absent("dblp", "title", Reach.COVERS)
    assert ask(live, "title", "Attention in the amygdala") == Absent("dblp", "title", Reach.PARTIAL)


def test_a_key_that_does_not_exist():
    assert ask(source(), "dblp", "conf/nips/Nobody99") == Absent("dblp", "dblp", Reach.COMPLETE)
    said = ask(source(sparql=DOWN), "dblp", "conf/nips/Nobody99")
    assert isinstance(said, Unchecked)  # a missing page is a web page, which is no proof
    assert said.reach is Reach.COMPLETE


def test_the_pages_are_asked_only_when_the_service_could_not():
    live = source()
    ask(live, "title", ATTENTION.title)
    ask(live, "title", "No paper of this name")
    assert [request.url.split("?")[0] for request in live.net.requests] == ["http://dblp_sparql/sparql"] * 2


def ask_together(live: Dblp, *keys: str) -> list[Lookup]:
    async def go() -> list[Lookup]:
        return await asyncio.gather(*(live.lookup(Question("dblp", key, reference())) for key in keys))

    return asyncio.run(go())


KEYS = ("conf/nips/VaswaniSPUJGKP17", "conf/nips/Nobody99", "journals/x/Turing50")


def test_keys_that_come_together_are_one_question():
    live = source()
    both, nobody, one = ask_together(live, *KEYS)
    assert [len(record.authors) for lookup in (both, one) for record in lookup.records] == [8, 1]
    assert nobody == Absent("dblp", "dblp", Reach.COMPLETE, KEYS[1], heard=nobody.heard)
    assert len(live.net.requests) == 1


def test_keys_are_asked_on_the_pages_when_the_service_could_not():
    both, nobody, one = ask_together(source(sparql=DOWN), *KEYS)
    assert [record.title for lookup in (both, one) for record in lookup.records] == [
        ATTENTION.title,
        TURING.title,
    ]
    assert isinstance(nobody, Unchecked)


def test_a_key_whose_rows_cannot_be_read_is_not_absent():
    def spoil(call, holdings):
        answered = dblp_sparql.answer(call, holdings)
        return Reply(
            200,
            answered.body.replace(b"Computing Machinery", b"").replace(b" & Intelligence.", b""),
            answered.media,
        )

    both, nobody, one = ask_together(source(sparql=spoil), *KEYS)
    assert isinstance(both, Found)
    assert isinstance(nobody, Absent)
    assert (type(one), one.cause) == (Unchecked, Cause.MALFORMED)


def test_when_neither_could():
    said = ask(source(sparql=DOWN, pages=WALL), "title", ATTENTION.title)
    assert isinstance(said, Unchecked)
    assert said.cause is Cause.TIMEOUT
    assert said.detail == "SPARQL service: no answer; dblp.org: text/html"


def test_a_title_without_plain_words_is_not_asked_for():
    live = source()
    assert ask(live, "title", "Über größe").cause is Cause.NOT_COVERED
    assert ask(live, "title", "深度学习").cause is Cause.NOT_COVERED
    assert not live.net.requests


def test_nothing_of_a_title_is_query_syntax():
    live = source()
    ask(live, "title", 'x" . } DROP ALL # \\ \n attention {venue:} $ | ' + "word" * 900)
    query = live.net.requests[0].url
    assert "%23%20" not in query
    assert "%5C" not in query
    assert query.count("%22") == 2


ODD = [
    b"",
    b"{",
    {},
    [],
    None,
    {"results": []},
    {"results": {}},
    {"results": {"bindings": {}}},
    {"results": {"bindings": [{}]}},
    {"results": {"bindings": [{"pub": {"value": 5}}]}},
    {"exception": "Operation timed out", "status": "ERROR"},
]


@pytest.mark.parametrize("body", ODD)
def test_an_odd_answer_of_the_service(body):
    said = ask(source(sparql=reply(body)), "title", "A title")
    assert isinstance(said, Unchecked)
    assert said.cause is Cause.MALFORMED


OK = {"@code": "200", "text": "OK"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        {},
        {"result": []},
        {"result": {"status": OK}},
        {"result": {"status": OK, "hits": {}}},
        {"result": {"status": {"@code": "500"}, "hits": {"@total": "0"}}},
        {"result": {"status": OK, "hits": {"@total": "3"}}},
        {"result": {"status": OK, "hits": {"@total": "1", "hit": [{"info": {}}]}}},
        {"result": {"status": OK, "hits": {"@total": 0}}},
    ],
)
def test_an_odd_answer_of_the_search(body):
    said = ask(source(sparql=DOWN, pages=reply(body, "application/json")), "title", "A title")
    assert isinstance(said, Unchecked)
    assert said.cause is Cause.MALFORMED


def test_volumes_are_no_hits():
    volume = {
        "info": {"key": "conf/nips/2017", "title": "Advances in NIPS.", "type": "Editorship", "year": "2017"}
    }
    body = {"result": {"status": OK, "hits": {"@total": "1", "hit": [volume]}}}
    said = ask(source(sparql=DOWN, pages=reply(body, "application/json")), "title", "Advances in NIPS")
    assert said == Absent("dblp", "title", Reach.PARTIAL)


def called(path: str, **query: str) -> Call:
    return Call("GET", path, tuple(p for p in path.split("/") if p), query, {})


@pytest.mark.slow
def test_answers_bent_out_of_shape_never_break_the_source():
    live = source()
    ask(live, "title", TURING.title)
    url = live.net.requests[0].url.partition("?query=")[2]
    for api in bent_replies(dblp_sparql.answer(called("/sparql", query=unquote(url)), SHELF)):
        said = ask(source(sparql=api), "title", TURING.title)
        assert not isinstance(said, Unchecked) or said.cause is Cause.MALFORMED
    for api in bent_replies(dblp.answer(called("/search/publ/api", q="computing machinery"), SHELF)):
        said = ask(source(sparql=DOWN, pages=api), "title", TURING.title)
        assert not isinstance(said, Unchecked) or said.cause is Cause.MALFORMED


def test_hostile_text():
    info = dict.fromkeys(("title", "venue", "ee", "type", "year", "pages"), HOSTILE)
    info |= {"key": "conf/x/Y", "authors": {"author": [{"text": HOSTILE[:5000]}] * 4000}}
    body = {"result": {"status": OK, "hits": {"@total": "1", "hit": [{"info": info}]}}}
    (found,) = ask(source(sparql=DOWN, pages=reply(body, "application/json")), "title", "T title").records
    assert "\x1b" not in repr(found)
    assert "<script>" not in repr(found)
    assert len(found.title) <= 2000
    assert len(found.authors) <= 3000


@pytest.mark.parametrize(
    ("venue", "expected"),
    [
        ("NeurIPS", True),
        ("Proceedings of the 38th International Conference on Machine Learning", True),
        ("Journal of Machine Learning Research", True),
        ("Commun. ACM", True),
        ("Nature", False),
        ("The Lancet", False),
        ("Physical Review E", False),
        ("arXiv", False),
        ("NeurIPS Workshop on Safety", False),
        ("Journal of Nowhere", False),
        (None, False),
    ],
)
def test_venues_of_computing(venue, expected):
    assert is_computing(venue) is expected


@pytest.mark.parametrize(
    ("kind", "claimed", "suits", "reach"),
    [
        (Kind.ARTICLE, {"venue": "ICML"}, True, Reach.COVERS),
        (Kind.PREPRINT, {"venue": "CoRR"}, True, Reach.PARTIAL),
        (Kind.ARTICLE, {}, True, Reach.PARTIAL),
        (Kind.ARTICLE, {"venue": "Journal of Nowhere"}, True, Reach.PARTIAL),
        (Kind.ARTICLE, {"venue": "The Lancet"}, False, Reach.PARTIAL),
        (Kind.ARTICLE, {"venue": "Physical Review Letters"}, False, Reach.PARTIAL),
        (Kind.WEB_PAGE, {}, False, Reach.PARTIAL),
        (Kind.LEGAL, {}, False, Reach.PARTIAL),
    ],
)
def test_whom_it_is_asked_for(kind, claimed, suits, reach):
    question = Question("title", "A title", reference(kind, **claimed))
    assert source().suits(question) is suits
    assert source().reach(question) is reach
    assert source().is_required(question) is False


def test_keys_of_people_name_no_works():
    assert not source().suits(Question("dblp", "homepages/t/AlanMTuring", reference()))
    assert source().suits(Question("dblp", "journals/x/Turing50", reference()))


@pytest.mark.parametrize("base", ["http://dblp_sparql", "http://dblp_sparql/", "http://dblp_sparql/sparql"])
def test_a_setting_may_name_the_host_or_the_service(base):
    assert isinstance(ask(source(dblp_sparql=base), "title", ATTENTION.title), Found)


@pytest.mark.parametrize(
    ("got", "status", "said"),
    [
        (dblp.answer(called("/search/publ/api", q="nothing like it"), SHELF), 200, '"@total":"0"'),
        (dblp.answer(called("/search/publ/api", q="atten all need", h="1"), SHELF), 200, '"@sent":"1"'),
        (dblp.answer(called("/search/publ/api", q="x", h="y"), SHELF), 400, "number"),
        (dblp.answer(called("/rec/journals/x/Turing50.xml"), SHELF), 200, "<author>Alan M. Turing"),
        (dblp.answer(called("/rec/journals/x/None.xml"), SHELF), 404, "<html>"),
        (dblp.answer(called("/pid/1"), SHELF), 404, "<html>"),
        (dblp_sparql.answer(called("/sparql", query="SELECT * WHERE {}"), SHELF), 400, "exception"),
        (dblp_sparql.answer(called("/other"), SHELF), 404, "404"),
    ],
)
def test_the_loopback(got, status, said):
    assert got.status == status
    assert said in got.body.decode()


def test_the_loopback_writes_one_author_as_an_object():
    body = json.loads(dblp.answer(called("/search/publ/api", q="computing machinery"), SHELF).body)
    (hit,) = body["result"]["hits"]["hit"]
    assert isinstance(hit["info"]["authors"]["author"], dict)
    assert "&amp;" in hit["info"]["title"]


def test_the_loopback_numbers_homonyms():
    written = [dblp.format_dblp_name(name) for name in ATTENTION.authors]
    assert any(name.endswith(" 0001") for name in written)
    assert not all(name.endswith(" 0001") for name in written)


@pytest.mark.parametrize(
    ("urls", "pages", "sparql"),
    [
        ({}, "https://dblp.org", "https://sparql.dblp.org"),
        ({"dblp": "https://dblp.org/"}, "https://dblp.org/", "https://sparql.dblp.org"),
        ({"dblp": "http://mirror"}, "http://mirror", "http://mirror"),
        ({"dblp": "http://mirror", "dblp_sparql": "http://other"}, "http://mirror", "http://other"),
        ({"dblp_sparql": "http://other"}, "https://dblp.org", "http://other"),
    ],
)
def test_one_setting_is_for_both_services(urls, pages, sparql):
    assert Dblp.find_urls(urls) == {"dblp": pages, "dblp_sparql": sparql}
