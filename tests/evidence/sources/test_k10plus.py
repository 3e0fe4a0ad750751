"""K10plus, asked through its loopback API."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from citeproof.evidence.sources.k10plus import K10plus
from citeproof.laboratory.testing.apis import k10plus as api
from citeproof.laboratory.testing.base import Reply
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
from tests.evidence.sources.bending import HOSTILE, WordShelf, called
from tests.evidence.sources.inmemory import InMemory, ask, reference, wired

MEMORY = Record(
    "x",
    "1",
    ("Das kulturelle Gedächtnis: Schrift, Erinnerung und politische Identität in frühen Hochkulturen",),
    (Name("Assmann", "Jan"),),
    versions=(Version(2013, kind=Kind.BOOK),),
    kind=Kind.BOOK,
    publisher="C.H. Beck",
    ids=Ids((("isbn", "9783406568442"),)),
)
ONLINE = Record(
    "x",
    "2",
    MEMORY.titles,
    MEMORY.authors,
    versions=(Version(2017, kind=Kind.BOOK),),
    kind=Kind.BOOK,
    ids=Ids((("isbn", "9783406703409"), ("isbn", "9783406568442"))),
)
CHAPTER = Record(
    "x",
    "3",
    ("Signs of hero cult in Homeric poetry",),
    (Name("Nagy", "Gregory"),),
    versions=(Version(2012, "Homeric Contexts", Kind.CHAPTER, pages="27-72"),),
    kind=Kind.CHAPTER,
)
THESIS = Record(
    "x", "4", ("Über die Eigenschaften der Quarks",), (Name("Muñoz", "Søren"),),
    versions=(Version(1999, kind=Kind.THESIS),), kind=Kind.THESIS,
)  # fmt: skip
ARTICLE = Record("x", "5", ("Attention is all you need",), kind=Kind.ARTICLE)


def source(api_=api.answer, *more):
    net = InMemory({"k10plus": api_}, WordShelf(ONLINE, MEMORY, CHAPTER, THESIS, ARTICLE, *more))
    return wired(K10plus, net), net


def queries(net):
    return [parse_qs(urlsplit(request.url).query)["query"][0] for request in net.requests]


@pytest.mark.parametrize(
    ("by", "value", "kind", "expected"),
    [
        ("isbn", "9783406568442", Kind.BOOK, MEMORY),
        ("title", "Das kulturelle Gedächtnis", Kind.BOOK, ONLINE),
        ("title", "Das kulturelle Gedächtnis: ein anderer Untertitel", Kind.BOOK, ONLINE),
        ("title", "Signs of Hero Cult in Homeric Poetry", Kind.CHAPTER, CHAPTER),
        ("title", "Uber die Eigenschaften der Quarks", Kind.THESIS, THESIS),
        ("isbn", "9780000000002", Kind.BOOK, None),
        ("title", "Attention is all you need", Kind.BOOK, None),
        ("title", "‡ — ‡", Kind.BOOK, None),
        ("title", "The of and or not", Kind.BOOK, None),
    ],
)
def test_found_and_absent(by, value, kind, expected):
    found = ask(source()[0], by, value, kind)
    if expected is None:
        assert found == Absent("k10plus", by, Reach.COVERS if by == "title" else Reach.PARTIAL)
        return
    assert isinstance(found, Found)
    record = found.records[0]
    assert record.title == expected.title
    assert record.authors == expected.authors
    assert record.kind is expected.kind
    assert record.versions[0].year == expected.versions[0].year
    assert record.versions[0].venue == expected.versions[0].venue
    assert record.versions[0].pages == expected.versions[0].pages
    assert record.source == "k10plus"


def test_both_forms_of_an_isbn_and_the_own_edition_first():
    asked, net = source()
    found = ask(asked, "isbn", "9783406568442", Kind.BOOK)
    assert queries(net) == ["pica.isb=9783406568442 or pica.isb=3406568440"]
    assert [r.ids.first("isbn") for r in found.records] == ["9783406568442", "9783406703409"]


@pytest.mark.parametrize(
    ("isbn", "query"),
    [
        ("9780804429573", "pica.isb=9780804429573 or pica.isb=080442957X"),
        ("9791034704170", "pica.isb=9791034704170"),
    ],
)
def test_ten_digits(isbn, query):
    asked, net = source()
    ask(asked, "isbn", isbn, Kind.BOOK)
    assert queries(net) == [query]


def test_one_changed_word_is_asked_again_with_the_author():
    asked, net = source()
    title = "Das kulturelle Gedächtnis Schrift Erinnerung und politische Identitätsbildungen"
    found = ask(asked, "title", title, Kind.BOOK, authors=(Name("Assmann", "J."),))
    first, second = queries(net)
    assert first.count("pica.tit") == 6
    assert second.endswith('and pica.per="assmann"')
    assert second.count("pica.tit") == 3
    assert isinstance(found, Absent)  # the changed word is among the three longest
    kept = "Das kulturelle Gedächtnis Schrift Erinnerung und eine Rolle"
    found = ask(asked, "title", kept, Kind.BOOK, authors=(Name("Assmann", "J."),))
    assert isinstance(found, Found)


@pytest.mark.parametrize(
    ("title", "families", "expected"),
    [
        ("Causality: Models, Reasoning", ["Pearl"],
         ['pica.tit="causality" and pica.per="pearl"',
          'pica.tit="causality" and pica.tit="models" and pica.tit="reasoning"', 'pica.tit="causality"']),
        ("Causality: Models", [], ['pica.tit="causality" and pica.tit="models"', 'pica.tit="causality"']),
        ("Causality", [], ['pica.tit="causality"']),
        ("The not: Models", ["Pearl"], ['pica.tit="models"']),
        ('Faust" or pica.tit=*', ["van den Bérg"],
         ['pica.tit="faust" and pica.tit="pica" and pica.tit="tit"',
          'pica.tit="faust" and pica.tit="pica" and pica.tit="tit" and pica.per="bérg"']),
    ],
)  # fmt: skip
def test_the_queries_for_a_title(title, families, expected):
    asked, net = source()
    ask(asked, "title", title, Kind.BOOK, authors=tuple(Name(family) for family in families))
    assert queries(net) == expected


@pytest.mark.parametrize(
    ("kind", "suited"),
    [
        (Kind.BOOK, True),
        (Kind.CHAPTER, True),
        (Kind.THESIS, True),
        (Kind.REPORT, True),
        (Kind.ARTICLE, False),
    ],
)
def test_suits(kind, suited):
    asked = source()[0]
    assert asked.suits(Question("title", "x", reference(kind))) is suited
    assert asked.suits(Question("isbn", "9780262035613", reference(kind)))


ROOT = '<zs:searchRetrieveResponse xmlns:zs="http://www.loc.gov/zing/srw/"><zs:version>1.1</zs:version>{}</zs:searchRetrieveResponse>'


DIAGNOSTIC = (
    '<zs:numberOfRecords>0</zs:numberOfRecords><zs:diagnostics><d:diagnostic xmlns:d="urn:d">'
    "<d:uri>info:srw/diagnostic/1/10</d:uri><d:message>Query syntax error</d:message>"
    "</d:diagnostic></zs:diagnostics>"
)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("", "not XML"),
        ("<html><body>Wartung</body></html>", "no list"),
        ("{}", "not XML"),
        (ROOT.format(""), "no list"),
        (ROOT.format("<zs:numberOfRecords>5</zs:numberOfRecords>"), "no list"),
        (ROOT.format("<zs:numberOfRecords>5</zs:numberOfRecords>")[:-20], "not XML"),
        (ROOT.format(DIAGNOSTIC), "SRU diagnostic: Query syntax error"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "entities"),
    ],
)  # fmt: skip
def test_an_odd_answer_is_no_absence(body, detail):
    found = ask(source(Reply(200, body.encode(), "text/xml"))[0], "isbn", "9783406568442", Kind.BOOK)
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.MALFORMED
    assert detail in found.detail


def test_records_without_any_title_are_no_absence():
    inner = "<zs:records><zs:record><zs:recordData><record/></zs:recordData></zs:record></zs:records>"
    body = ROOT.format(f"<zs:numberOfRecords>1</zs:numberOfRecords>{inner}")
    found = ask(source(Reply(200, body.encode(), "text/xml"))[0], "isbn", "9783406568442", Kind.BOOK)
    assert isinstance(found, Unchecked)


def test_hostile_text():
    hostile = Record(
        "x", "9", (HOSTILE,), (Name(HOSTILE),), kind=Kind.BOOK, ids=Ids((("isbn", "9780262035613"),))
    )
    found = ask(source(api.answer, hostile)[0], "isbn", "9780262035613", Kind.BOOK)
    assert isinstance(found, Found)
    assert len(found.records[0].title) <= 2000


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("operation=scan&scanClause=x", "diagnostic/1/4"),
        ("operation=searchRetrieve&query=pica.isb=1&recordSchema=nonsense", "diagnostic/1/66"),
        ("operation=searchRetrieve&query=deep learning", "diagnostic/1/10"),
        ("operation=searchRetrieve&query=pica.per=nagy and pica.tit=signs", "<zs:numberOfRecords>1<"),
    ],
)
def test_the_api_says_what_is_wrong_with_200(query, said):
    reply = api.answer(called(f"http://k10plus/?{query}"), WordShelf(CHAPTER))
    assert (reply.status, reply.media) == (200, "text/xml")
    assert said in reply.body.decode()


def test_a_diagnostic_beside_records_costs_none_of_them():
    whole = api.answer(
        called("http://k10plus/?operation=searchRetrieve&query=pica.per=nagy and pica.tit=signs"),
        WordShelf(CHAPTER),
    ).body
    notes = b'<zs:diagnostics><d:diagnostic xmlns:d="urn:d"/></zs:diagnostics>'
    at = whole.rindex(b"</")
    body = whole[:at] + notes + whole[at:]
    found = ask(source(Reply(200, body, "text/xml"))[0], "title", CHAPTER.title, Kind.BOOK)
    assert [record.title for record in found.records] == [CHAPTER.title]
