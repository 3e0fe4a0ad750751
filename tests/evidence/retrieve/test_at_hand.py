"""The plan of questions, against a source that is a table in memory."""

import asyncio

import pytest

from citeproof.evidence.retrieve import Retriever, make_id_questions, make_search_questions
from citeproof.vocabulary import (
    Cause,
    Claimed,
    FieldOrigin,
    Found,
    Ids,
    Kind,
    Name,
    Origin,
    Record,
    Reference,
    SourceFacts,
    Unchecked,
    Version,
)

PAPER = Record(
    "table",
    "r1",
    ("Spin Waves in Thin Iron Films",),
    (Name("Dahl", "Eva"),),
    versions=(Version(2001, "PRL"),),
    ids=Ids((("doi", "10.1103/1"),)),
)


class Table:
    """A source whose answers are given by hand; it remembers what it was asked."""

    answers = frozenset({"doi", "title", "raw", "authors"})

    def __init__(self, rows, name="table", seen=None):
        self.rows, self.name, self.asked, self.seen = rows, name, [], seen

    async def lookup(self, question):
        self.asked.append(question.by)
        answer = self.rows.get(question.by)
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            return Unchecked(self.name, question.by, Cause.NOT_COVERED)
        return Found(self.name, question.by, answer)

    def facts(self, reference):
        return SourceFacts(doi_prefix_seen=self.seen)


def cited(title="Spin Waves in Thin Iron Films", ids=(("doi", "10.1103/1"),), raw="", sure=1.0):
    origins = (FieldOrigin("title", Origin.SPLIT, sure),)
    claimed = Claimed(title=title, authors=(Name("Dahl", "Eva"),), year=2001, ids=Ids(ids), origins=origins)
    return Reference("k", raw, Kind.ARTICLE, claimed)


def ask(*sources, reference=None, **more):
    return asyncio.run(Retriever(sources, **more).retrieve(reference or cited()))


def test_an_identifier_that_agrees_stops_the_search_and_the_stop_is_recorded():
    source = Table({"doi": (PAPER,)})
    retrieved = ask(source)
    assert source.asked == ["doi"]
    assert retrieved.stops[0].not_asked == ("table/title",)


def test_an_identifier_of_another_work_never_stops_the_search():
    other = Record("table", "r2", ("Learning to Rank",), (Name("Roe", "Jane"),))
    source = Table({"doi": (other,), "title": (PAPER,)})
    assert not ask(source).stops
    assert source.asked == ["doi", "title"]


def test_people_are_asked_for_only_when_the_title_leads_to_nobody_or_to_others():
    found = Table({"title": (PAPER,)})
    ask(found, reference=cited(ids=()))
    assert found.asked == ["title"]
    lost = Table({})
    ask(lost, reference=cited(ids=()))
    assert lost.asked == ["title", "authors"]


def test_a_weak_parse_is_also_searched_by_its_raw_text():
    assert [q.by for q in make_search_questions(cited(raw="Dahl, Spin Waves", sure=0.5))] == ["title", "raw"]
    assert [q.by for q in make_search_questions(cited(raw="Dahl, Spin Waves", sure=0.95))] == ["title"]
    assert [q.by for q in make_search_questions(cited(title=None, raw="Dahl, PRL 71 (2001)"))] == ["raw"]


def test_identifiers_are_asked_in_the_order_of_the_contract():
    many = (
        ("url", "http://x"),
        ("isbn", "9780262035613"),
        ("arxiv", "2001.00001"),
        ("pmid", "1"),
        ("doi", "10.1/x"),
    )
    assert [q.by for q in make_id_questions(cited(ids=many))] == ["doi", "pmid", "arxiv", "isbn", "url"]


def test_a_field_full_of_identifiers_sends_few_questions():
    many = tuple(("doi", f"10.1103/x.{number}") for number in range(20_000))
    assert [q.value for q in make_id_questions(cited(ids=many))] == [value for _, value in many[:8]]


def test_a_bug_in_a_source_is_a_value_in_a_run_and_raised_in_tests():
    broken = Table({"title": ZeroDivisionError("division by zero")})
    (lookup, *_) = (x for x in ask(broken, reference=cited(ids=())).lookups if x.by == "title")
    assert (lookup.cause, lookup.detail) == (Cause.BUG, "ZeroDivisionError: division by zero")
    with pytest.raises(ZeroDivisionError):
        ask(broken, reference=cited(ids=()), raise_bugs=True)


def test_without_any_source_the_cause_is_told():
    [lookup] = ask().lookups
    assert (lookup.cause, "no snapshot" in lookup.detail) == (Cause.OFFLINE, True)


def test_one_source_that_has_seen_a_prefix_is_enough():
    assert ask(Table({}, seen=False), Table({}, "b", seen=True)).facts.doi_prefix_seen is True
    assert ask(Table({}, seen=None)).facts.doi_prefix_seen is None
