"""PubMed, asked through its loopback API."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.evidence.sources.base import CannotAnswerError
from citeproof.evidence.sources.pubmed import PubMed
from citeproof.laboratory.testing.apis import pubmed as api
from citeproof.laboratory.testing.base import Reply
from citeproof.plumbing.net.message import Answer, Failure, Secret, UnreadableError
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
from tests.evidence.sources.inmemory import AT, InMemory, Shelf, ask, reference, wired

GENBANK = Record(
    "x",
    "1",
    ("GenBank",),
    (Name("Benson", "Dennis A"), Name("Cavanaugh", "Mark")),
    versions=(Version(2013, "Nucleic acids research", volume="41", issue="Database issue", pages="D36-42"),),
    kind=Kind.ARTICLE,
    ids=Ids((("pmid", "23193287"), ("doi", "10.1093/nar/gks1195"), ("pmcid", "PMC3531190"))),
)
ILEAL = (
    "Ileal-lymphoid-nodular hyperplasia, non-specific colitis, "
    "and pervasive developmental disorder in children"
)
LANCET = Record(
    "x",
    "2",
    (ILEAL,),
    (Name("Wakefield", "A J"), Name("Murch", "S H")),
    versions=(Version(1998, "Lancet (London, England)", volume="351", issue="9103", pages="637-641"),),
    kind=Kind.ARTICLE,
    ids=Ids((("pmid", "9500320"),)),
    marks=("retracted", "corrected"),
)
OVER_LIMIT = b'{"error":"API rate limit exceeded","api-key":"k-e-y","count":"4","limit":"3"}'
OVERLOADED = b'{"error":"/lbsm/eutils_lb -> Neg","api-key":"k-e-y","type":"ip","status":"ok"}'
SHELF = Shelf(GENBANK, LANCET)


def source(api_=api.answer, **wiring):
    net = InMemory({"pubmed": api_}, SHELF)
    return wired(PubMed, net, **wiring), net


def test_a_number_that_is_known():
    asked, net = source(contact="someone@example.org")
    found = ask(asked, "pmid", "9500320")
    assert isinstance(found, Found)
    (record,) = found.records
    assert (record.source, record.id, record.read_at) == ("pubmed", "pmid:9500320", AT)
    assert record.title == LANCET.title
    assert record.authors == LANCET.authors
    assert record.versions == LANCET.versions
    assert record.marks == ("retracted", "corrected")
    assert found.reach is Reach.COMPLETE
    (request,) = net.requests
    assert "tool=citeproof" in request.url
    assert "email=someone%40example.org" in request.url
    assert net.kept == [(request, True, True)]


def test_a_number_that_is_not_known():
    asked, net = source()
    assert ask(asked, "pmid", "99999999") == Absent("pubmed", "pmid", Reach.COMPLETE)
    assert "email" not in net.requests[0].url


def test_the_key_goes_into_a_form_and_into_no_address():
    asked, net = source(key=Secret("k-e-y"))
    assert isinstance(ask(asked, "pmid", "23193287"), Found)
    (request,) = net.requests
    assert (request.method, request.secret_form[0][0]) == ("POST", "api_key")
    assert "?" not in request.url
    assert b"k-e-y" not in request.body
    assert b"id=23193287" in request.body


@pytest.mark.parametrize(
    ("title", "authors", "numbers", "requests"),
    [
        ("GenBank.", (), ["23193287"], 2),
        (LANCET.title.upper(), (), ["9500320"], 2),
        # one word is wrong: its longest words and the first author still find it
        (LANCET.title.replace("children", "infants"), (Name("Wakefield", "A."),), ["9500320"], 3),
        (LANCET.title.replace("children", "infants"), (Name("Somebody", "E."),), [], 2),
        ("A work that nobody ever wrote", (), [], 1),
        ("“‡§”", (), [], 0),
    ],
)
def test_titles(title, authors, numbers, requests):
    asked, net = source()
    found = ask(asked, "title", title, authors=authors, venue="The Lancet")
    got = [r.ids.first("pmid") for r in found.records] if isinstance(found, Found) else []
    assert got == numbers
    assert found.reach is Reach.PARTIAL
    assert len(net.requests) == requests


def test_many_numbers_in_one_request():
    asked, net = source()
    answer = net_answer(net, asked.batch("pmid", ["9500320", "1", "23193287"]))
    assert [r.ids.first("pmid") for r in asked.batch_records("pmid", answer)] == ["9500320", "23193287"]


def net_answer(net, request) -> Answer:
    answer = asyncio.run(net.fetch(request))
    assert isinstance(answer, Answer)
    return answer


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (Reply(200, OVER_LIMIT), Cause.RATE_LIMITED),
        (Reply(200, OVERLOADED), Cause.RATE_LIMITED),
        (Reply(200, b'{"error":"something else"}'), Cause.MALFORMED),
        (Reply(200, b"[]"), Cause.MALFORMED),
        (Reply(200, b"{}"), Cause.MALFORMED),
        (Reply(200, b'{"esearchresult":{"ERROR":"Search Backend failed"}}'), Cause.MALFORMED),
        (Reply(200, b'{"esearchresult":{"count":"3","idlist":[]}}'), Cause.MALFORMED),
        (Reply(200, b'{"esearchresult":{"count":"3","idlist":{}}}'), Cause.MALFORMED),
        (Reply(200, b"<html>", "text/html"), Cause.BOT_WALL),
        (Reply(404, b""), Cause.TIMEOUT),
        (Failure(Cause.OFFLINE, "offline"), Cause.OFFLINE),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_unchecked(reply, cause):
    for by, value in (("title", "GenBank"), ("pmid", "23193287")):
        found = ask(source(reply)[0], by, value, venue="Lancet")
        assert isinstance(found, Unchecked)
        assert found.cause is cause
        assert "k-e-y" not in found.detail
        assert found.reach is (Reach.COMPLETE if by == "pmid" else Reach.PARTIAL)


@pytest.mark.parametrize(
    "body",
    [b"", b"<a/>", b"<PubmedArticleSet>", b"<eFetchResult><ERROR>x</ERROR></eFetchResult>",
     b"<PubmedArticleSet><PubmedArticle/></PubmedArticleSet>",
     b"<PubmedArticleSet><PubmedBookArticle/></PubmedArticleSet>"],
)  # fmt: skip
def test_odd_xml_is_never_silence(body):
    found = ask(source(Reply(200, body, "text/xml"))[0], "pmid", "1")
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.MALFORMED


@given(st.text(max_size=40), st.sampled_from(["idlist", "count", "ERROR", "x"]))
def test_any_json_is_an_answer_or_unreadable(text, key):
    body = msgspec.json.encode({"esearchresult": {key: text, "idlist": [text, 7, None]}})
    found = ask(source(Reply(200, body))[0], "title", "GenBank", venue="Lancet")
    assert isinstance(found, (Unchecked, Absent))


@pytest.mark.parametrize(
    ("by", "claimed", "ids", "suits", "reach"),
    [
        ("pmid", {}, (), True, Reach.COMPLETE),
        ("title", {"venue": "N Engl J Med"}, (), True, Reach.PARTIAL),
        ("title", {"venue": "Nature"}, (), True, Reach.PARTIAL),
        ("title", {}, (("pmcid", "PMC1"),), True, Reach.COVERS),
        ("title", {"venue": "Advances in Neural Information Processing Systems"}, (), False, Reach.PARTIAL),
        ("title", {}, (("doi", "10.1056/nejmoa2034577"),), True, Reach.PARTIAL),
        ("title", {"venue": "Neurocomputing"}, (), False, Reach.PARTIAL),
        ("title", {"venue": "Lecture Notes in Computer Science"}, (), False, Reach.PARTIAL),
        ("title", {"venue": "Theory of Media Studies"}, (), False, Reach.PARTIAL),
        ("title", {}, (), False, Reach.PARTIAL),
    ],
)
def test_whom_it_suits_and_what_its_silence_means(by, claimed, ids, suits, reach):
    asked, _ = source()
    question = Question(by, "x", reference(ids=ids, **claimed))
    assert asked.suits(question) is suits
    assert asked.reach(question) is reach
    assert asked.is_required(question) is (by == "pmid")


UNTITLED = b"""<PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>[Not Available].
</ArticleTitle></Article></MedlineCitation></PubmedArticle>"""
BOOK = b"""<PubmedBookArticle><BookDocument>
<PMID>20301425</PMID><ArticleIdList>
<ArticleId IdType="doi">10.1000/b</ArticleId></ArticleIdList>
<Book><Publisher><PublisherName>University of Washington, Seattle</PublisherName>
</Publisher><BookTitle>GeneReviews</BookTitle><PubDate><Year>1993</Year></PubDate><Isbn>9780262035613</Isbn>
</Book><ArticleTitle>BRCA1- and BRCA2-Associated <i>HBOC</i></ArticleTitle><AuthorList Type="authors"><Author>
<LastName>Petrucelli</LastName><ForeName>Nancie</ForeName></Author></AuthorList></BookDocument>
</PubmedBookArticle>"""


def set_of(*articles):
    return Reply(200, b"<PubmedArticleSet>" + b"".join(articles) + b"</PubmedArticleSet>", "text/xml")


def test_an_article_without_title_exists_all_the_same():
    found = ask(source(set_of(UNTITLED, BOOK))[0], "pmid", "7")
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.MALFORMED


def test_a_chapter_of_the_bookshelf():
    found = ask(source(set_of(BOOK))[0], "pmid", "20301425")
    assert isinstance(found, Found)
    (record,) = found.records
    assert record.title == "BRCA1- and BRCA2-Associated HBOC"
    assert record.authors == (Name("Petrucelli", "Nancie"),)
    assert record.versions == (Version(1993, "GeneReviews", Kind.CHAPTER),)
    assert record.publisher == "University of Washington, Seattle"
    assert record.ids.pairs == (("pmid", "20301425"), ("isbn", "9780262035613"), ("doi", "10.1000/b"))


def test_errors_of_a_batch_are_raised():
    asked, _ = source()
    with pytest.raises(UnreadableError):
        asked.batch_records("pmid", Answer(200, b"<a/>", "text/xml", "", "", AT))
    with pytest.raises(CannotAnswerError):
        asked.batch_records("pmid", Answer(200, b'{"error":"x","limit":"3"}', "application/json", "", "", AT))
