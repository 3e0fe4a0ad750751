"""PubMed Central, asked through its loopback API."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given

from citeproof.evidence.sources import pmc
from citeproof.evidence.sources.pmc import Pmc
from citeproof.laboratory.testing.apis import pmc as api
from citeproof.laboratory.testing.base import Reply
from citeproof.plumbing.net.message import Answer, Secret
from citeproof.vocabulary import Absent, Cause, Found, Ids, Kind, Name, Reach, Record, Unchecked, Version
from tests.evidence.sources.anyjson import objects
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, wired

GENBANK = Record(
    "x",
    "1",
    ("GenBank",),
    (Name("Benson", "Dennis A"), Name("Karsch-Mizrachi", "Ilene"), Name("The NCBI Team", collective=True)),
    versions=(Version(2013, "Nucleic Acids Research", volume="41", issue="D1", pages="D36-D42"),),
    kind=Kind.ARTICLE,
    ids=Ids((("pmid", "23193287"), ("doi", "10.1093/nar/gks1195"), ("pmcid", "PMC3531190"))),
)
NO_PMID = Record(
    "x", "2", ("RETRACTED: An article without a PMID",), ids=Ids((("pmcid", "PMC77"),)), versions=()
)


def source(api_=api.answer, **wiring):
    net = InMemory({"pmc": api_}, Shelf(GENBANK, NO_PMID))
    return wired(Pmc, net, **wiring), net


def test_a_number_that_is_known():
    found = ask(source()[0], "pmcid", "PMC3531190")
    assert isinstance(found, Found)
    (record,) = found.records
    assert record.id == "pmc:PMC3531190"
    assert record.titles == ("GenBank",)
    assert record.authors == (
        Name("Benson", "D. A."), Name("Karsch-Mizrachi", "I."), Name("The NCBI Team", collective=True)
    )  # fmt: skip
    assert record.versions == GENBANK.versions
    assert set(record.ids.pairs) == set(GENBANK.ids.pairs)
    assert found.reach is Reach.COMPLETE


def test_an_article_without_a_pmid_and_with_a_notice_in_its_title():
    found = ask(source()[0], "pmcid", "PMC77")
    assert isinstance(found, Found)
    (record,) = found.records
    assert (record.title, record.marks) == ("An article without a PMID", ("retracted",))
    assert record.ids.pairs == (("pmcid", "PMC77"),)


def test_a_number_that_is_not_known():
    assert ask(source()[0], "pmcid", "PMC99999999") == Absent("pmc", "pmcid", Reach.COMPLETE)


def test_many_numbers_in_one_request_and_a_key_in_its_form():
    asked, net = source(key=Secret("k-e-y"), contact="someone@example.org")
    request = asked.batch("pmcid", ["PMC77", "PMC1", "PMC3531190"])
    assert request.method == "POST"
    assert b"id=77%2C1%2C3531190" in request.body
    answer = asyncio.run(net.fetch(request))
    assert isinstance(answer, Answer)
    found = asked.batch_records("pmcid", answer)
    assert [r.ids.first("pmcid") for r in found] == ["PMC77", "PMC3531190"]


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b'{"error":"API rate limit exceeded","api-key":"k-e-y","limit":"3"}', Cause.RATE_LIMITED),
        (b'{"header":{},"error":"Invalid uid x at position=0","result":{"uids":[]}}', Cause.MALFORMED),
        (b'{"result":{"uids":[]}}', Cause.MALFORMED),
        (b'{"result":{"uids":["7"],"7":{"uid":"7","error":"backend"}}}', Cause.MALFORMED),
        (b'{"result":{"uids":["7"],"7":{"uid":"7","title":""}}}', Cause.MALFORMED),
        (b'{"result":{"uids":["7"],"7":"text"}}', Cause.MALFORMED),
        (b'{"result":[]}', Cause.MALFORMED),
        (b'{"esummaryresult":["x"]}', Cause.MALFORMED),
        (b"null", Cause.MALFORMED),
        (b"", Cause.MALFORMED),
    ],
)
def test_what_is_no_answer_is_unchecked(body, cause):
    found = ask(source(Reply(200, body))[0], "pmcid", "PMC7")
    assert isinstance(found, Unchecked)
    assert found.cause is cause
    assert "k-e-y" not in found.detail
    assert found.reach is Reach.COMPLETE


@given(objects(list(api.build_pmc_summary(GENBANK, "7")), "name", "authtype", "idtype", "value"))
def test_fields_of_any_type_are_skipped(item):
    record = pmc.make_record({**item, "uid": "7", "title": "A title"})
    assert record is not None
    assert record.title == "A title"
