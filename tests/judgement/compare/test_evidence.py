"""Evidence that grows: every record is compared once, and the order of answers changes nothing."""

from dataclasses import replace
from datetime import date
from itertools import permutations

import pytest

from citeproof.judgement.compare import Evidence, compare, record_comparison
from citeproof.vocabulary import (
    Absent,
    Claimed,
    Found,
    Ids,
    Kind,
    Name,
    Reach,
    Record,
    Reference,
    Retrieval,
    Version,
)

TODAY = date(2026, 1, 1)
TITLE = "Spin Waves in Thin Iron Films"
DAHL = (Name("Dahl", "Eva"),)


def make_record(source="crossref", number="r1", title=TITLE, year=2001, ids=()):
    return Record(
        source, number, (title,), DAHL, versions=(Version(year, "Physical Review B"),), ids=Ids(ids)
    )


def cite(year=2001, ids=()):
    claimed = Claimed(title=TITLE, authors=DAHL, year=year, venue="Physical Review B", ids=Ids(ids))
    return Reference("k", "", Kind.ARTICLE, claimed)


@pytest.fixture
def compared_titles(monkeypatch):
    titles = []
    real = record_comparison.compare_title

    def compare_title(claimed, known, **more):
        titles.append(known[0])
        return real(claimed, known, **more)

    monkeypatch.setattr(record_comparison, "compare_title", compare_title)
    return titles


def test_each_record_is_compared_once_however_often_it_is_asked_about(compared_titles):
    evidence = Evidence(cite(year=1997), today=TODAY)
    for source in ("crossref", "openalex", "semantic_scholar"):
        evidence.lookups.append(Found(source, "title", (make_record(source),)))
        evidence.is_decided()
        evidence.is_identified()
        evidence.is_enough()
    assert len(evidence.compare()) == 3
    assert len(compared_titles) == 3


def test_what_was_compared_step_by_step_is_what_is_compared_at_once():
    lookups = [
        Found("crossref", "doi", (make_record(ids=(("doi", "10.1103/1"),)),)),
        Found(
            "openalex", "title", (make_record("openalex", year=2003), make_record("openalex", "r2", "Ice"))
        ),
        Absent("arxiv", "title"),
    ]
    reference = cite(year=1997, ids=(("doi", "10.1103/1"),))
    whole = compare(reference, Retrieval(tuple(lookups)), TODAY)
    for order in permutations(lookups):
        evidence = Evidence(reference, today=TODAY)
        for lookup in order:
            evidence.lookups.append(lookup)
            evidence.is_decided()
        assert evidence.compare() == whole


@pytest.mark.parametrize(
    ("year", "sources", "decided", "enough"),
    [
        pytest.param(2001, (), False, False, id="nothing-found"),
        pytest.param(2001, ("crossref",), True, True, id="one-record-without-a-fault"),
        pytest.param(1997, ("crossref",), False, True, id="one-record-with-another-year"),
        pytest.param(1997, ("crossref", "openalex"), True, True, id="two-sources-with-another-year"),
    ],
)
def test_when_evidence_decides(year, sources, decided, enough):
    lookups = [Found(source, "title", (make_record(source),)) for source in sources]
    evidence = Evidence(cite(year), today=TODAY, lookups=lookups)
    assert (evidence.is_decided(), evidence.is_enough()) == (decided, enough)
    assert evidence.is_identified() is bool(sources)


@pytest.mark.parametrize(
    ("answer", "decided"),
    [
        pytest.param(Absent("doi", "doi", Reach.COMPLETE), True, id="does-not-exist"),
        pytest.param(Found("crossref", "doi", (make_record(number="r9", title="Ice"),)), True, id="anothers"),
        pytest.param(Absent("openalex", "doi", Reach.PARTIAL), False, id="not-known"),
    ],
)
def test_a_cited_identifier_must_be_accounted_for(answer, decided):
    found = Found("openalex", "title", (make_record("openalex"),))
    evidence = Evidence(cite(ids=(("doi", "10.1103/9"),)), today=TODAY, lookups=[found, answer])
    assert evidence.is_decided() is decided


@pytest.mark.parametrize(
    ("claimed", "asked"),
    [
        ({}, False),  # nothing differs
        ({"title": f"{TITLE}: A Survey"}, True),  # one record notes it, two would convict
        ({"year": 2000}, True),  # nothing of it appeared then, if there is no preprint either
        ({"year": 2002}, False),  # a journal's year in print: no record settles it
        ({"title": f"{TITLE}: A Survey", "year": 1980}, False),  # it is wrong anyhow
    ],
)
def test_a_witness_is_asked_only_where_it_can_change_the_label(claimed, asked):
    wanted = replace(cite(), claimed=replace(cite().claimed, **claimed))
    evidence = Evidence(wanted, today=TODAY, lookups=[Found("crossref", "title", (make_record(),))])
    assert (evidence.find_doubted_record() is not None) is asked


def test_a_bibliography_is_asked_whether_a_talk_appeared_in_the_cited_journal():
    wanted = replace(cite(), claimed=replace(cite().claimed, venue="Probability Theory and Related Fields"))
    record = replace(make_record(), versions=(Version(2001, "CVPR"),))
    evidence = Evidence(wanted, today=TODAY, lookups=[Found("crossref", "title", (record,))])
    assert not evidence.compare()[0].of("venue").convicts
    assert evidence.find_doubted_record() == (record, {"venue"})


def test_a_second_catalogue_is_asked_for_people_whom_a_cut_list_cannot_tell():
    wanted = replace(cite(), claimed=replace(cite().claimed, authors=(*DAHL, Name("Roe", "Max"))))
    record = replace(make_record("open_library"), authors_complete=False)
    evidence = Evidence(wanted, today=TODAY, lookups=[Found("open_library", "title", (record,))])
    assert evidence.find_doubted_record() == (record, {"authors"})


def test_a_short_title_with_another_subtitle_and_a_bad_issn_are_still_doubted():
    ids = Ids((("doi", "10.1103/1"), ("issn", "1234-5678")))
    claimed = replace(cite().claimed, title="Deep Ice Kernels: Theory and Practice", ids=ids)
    record = make_record(title="Deep Ice Kernels", ids=(("doi", "10.1103/1"),))
    lookups = [Found("crossref", "title", (record,))]
    evidence = Evidence(replace(cite(), claimed=claimed), today=TODAY, lookups=lookups)
    assert evidence.find_doubted_record() == (record, {"title"})


@pytest.mark.parametrize(("other", "convicts"), [(2004, False), (2006, True)])
def test_a_title_that_was_told_at_two_meetings_accuses_nobody_of_the_other_one(other, convicts):
    acl = "Proceedings of the {} Annual Meeting of the Association for Computational Linguistics"
    record = replace(make_record(), versions=(Version(2006, acl.format("44th")),))
    older = replace(make_record("dblp", "r2"), versions=(Version(other, None),))
    claimed = replace(cite().claimed, year=2004, venue=acl.format("42nd"))
    lookups = [Found("crossref", "title", (record,)), Found("dblp", "title", (older,))]
    compared = Evidence(replace(cite(), claimed=claimed), today=TODAY, lookups=lookups).compare()
    found = next(c for c in compared if c.record.source == "crossref").of("venue")
    assert found.convicts is convicts


def test_a_record_that_names_nobody_does_not_hide_the_doubt_in_another():
    wanted = replace(cite(), claimed=replace(cite().claimed, authors=(Name("Dehl", "Eva"),)))
    records = (replace(make_record(number="r0"), authors=()), make_record())
    evidence = Evidence(wanted, today=TODAY, lookups=[Found("openalex", "title", records)])
    doubted = evidence.find_doubted_record()
    assert doubted is not None
    assert doubted[0].authors == DAHL
    assert doubted[1] == {"authors"}


@pytest.mark.parametrize(("strangers", "enough"), [(1, True), (3, False)])
def test_others_are_not_asked_for_a_work_some_of_whose_people_are_cited_wrongly(strangers, enough):
    people = (*DAHL, Name("Roe", "Max"), Name("Poe", "Ann"), Name("Loe", "Tim"))
    cited = (*people[: 4 - strangers], *(Name(f"Stranger{'abc'[at]}", "Bo") for at in range(strangers)))
    wanted = replace(cite(), claimed=replace(cite().claimed, authors=cited))
    record = replace(make_record(), authors=people)
    evidence = Evidence(wanted, today=TODAY, lookups=[Found("crossref", "title", (record,))])
    assert evidence.is_enough() is enough
