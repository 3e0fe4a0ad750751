"""What the network is asked about a reference, in what order, and what comes of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from urllib.parse import urlsplit

import pytest

from citeproof import settings
from citeproof.laboratory.testing import Faults, Shelf, World
from citeproof.laboratory.testing.apis import openalex as openalex_api
from citeproof.laboratory.testing.base import make_json_reply
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net import client as clients
from citeproof.plumbing.net.message import Rate
from citeproof.plumbing.net.rate_limiter import ServerLimiter
from citeproof.service.assemble import assemble
from citeproof.vocabulary import (
    Claimed,
    Ids,
    Kind,
    Label,
    Name,
    Place,
    RawReference,
    Reach,
    Unchecked,
    Verdict,
    Version,
)
from tests.evidence.sources.shelved import ATTENTION, PLANCK, RESNET, WAKEFIELD

WORKS = (RESNET, ATTENTION, WAKEFIELD, PLANCK)
CVPR = RESNET.versions[0].venue


class Room:
    """A world, and references that are checked against it by all sources."""

    def __init__(self, folder, world):
        self.folder, self.world = folder, world

    def check(self, *references, **more):
        environment = {
            **self.world.environment(),
            "CITEPROOF_PACE": "1000",
            "CITEPROOF_TIMEOUT": "2",
            "CITEPROOF_CACHE_DIR": str(self.folder / "cache"),
            "CITEPROOF_LIMITS_DIR": str(self.folder / "limits"),
            **more,
        }

        async def go():
            verifier = assemble(settings.load(environment=environment, folder=self.folder))
            try:
                return await asyncio.gather(*(verifier.verify_one(one) for one in references))
            finally:
                await verifier.close()

        return asyncio.run(go())

    def asked(self):
        return Counter(seen.api for seen in self.world.log)


@pytest.fixture
def room(tmp_path, monkeypatch):
    monkeypatch.setattr(clients, "PATIENCE", 0.1)
    monkeypatch.setattr(clients, "RETRIES", 0)
    worlds = []

    def make(*works, **world):
        worlds.append(World(Shelf(*(works or WORKS)), **world))
        worlds[-1].start()
        return Room(tmp_path, worlds[-1])

    yield make
    for world in worlds:
        world.close()


def cite(record, *ids, kind=Kind.ARTICLE, **other):
    first = record.versions[0]
    claimed = Claimed(
        title=record.title, authors=record.authors, year=first.year, venue=first.venue, ids=Ids(ids)
    )
    return RawReference("key", record.title, Place(), kind, replace(claimed, **other))


def test_a_doi_that_agrees_costs_one_request(room):
    r = room()
    [checked] = r.check(cite(RESNET, ("doi", "10.1109/cvpr.2016.90")))
    assert checked.judgement.label is Label.EXACT
    assert r.asked() == {"crossref": 1}
    assert "identifier_answered" in {stop.reason for stop in checked.retrieved.stops}


def test_many_dois_share_requests(room):
    r = room()
    dois = [("doi", work.ids.first("doi")) for work in (RESNET, WAKEFIELD, PLANCK)]
    checked = r.check(*(cite(w, doi) for w, doi in zip((RESNET, WAKEFIELD, PLANCK), dois, strict=True)))
    assert {c.judgement.verdict for c in checked} == {Verdict.MATCHED}
    assert r.asked() == {"crossref": 1}


def test_many_titles_share_a_search(room):
    words = ("amber", "basalt", "cobalt", "dolomite", "emerald", "feldspar", "garnet", "hematite", "ilmenite")
    works = [
        replace(
            RESNET,
            id=word,
            titles=(f"Growth of {word} crystals in {word} melts",),
            ids=Ids((("doi", f"10.5/{n}"),)),
        )
        for n, word in enumerate(words)
    ]
    r = room(*works)
    checked = r.check(*map(cite, works), CITEPROOF_SOURCES="crossref,openalex")
    assert {c.judgement.label for c in checked} == {Label.EXACT}
    assert [c.judgement.matched.record.title for c in checked] == [work.title for work in works]
    answered = sum(lookup.source == "openalex" for c in checked for lookup in c.retrieved.lookups)
    assert 0 < r.asked()["openalex"] < answered
    assert any("%7C" in seen.path for seen in r.world.log if seen.api == "openalex")


def make_busy(room, names):
    """Let others have asked these sources for so much that it takes them a quarter of an hour."""
    for name in names:
        digest = sha256(urlsplit(room.world.urls[name]).netloc.encode()).hexdigest()[:8]
        server = ServerLimiter(room.folder / "limits", f"{name}-{digest}", Rate(1), SystemClock())
        for _ in range(1000):
            server.announce()


MAIN = "crossref,openalex,semantic_scholar"


@pytest.mark.parametrize(
    ("busy", "asked"),
    [
        ((), "semantic_scholar"),
        (("semantic_scholar",), "crossref"),
        (("semantic_scholar", "crossref"), "openalex"),
    ],
)
def test_whoever_answers_soonest_is_asked(room, busy, asked):
    r = room()
    make_busy(r, busy)
    [checked] = r.check(cite(RESNET), CITEPROOF_SOURCES=MAIN)
    assert checked.judgement.verdict is Verdict.MATCHED
    assert r.world.log[0].api == asked, [one.api for one in r.world.log]


def test_after_a_miss_a_busy_source_waits_until_the_others_have_answered(room):
    r = room(apis=dict.fromkeys(World(Shelf()).urls) | {"crossref": _nothing})
    make_busy(r, ("semantic_scholar",))
    [checked] = r.check(cite(RESNET), CITEPROOF_SOURCES=MAIN)
    assert checked.judgement.verdict is Verdict.MATCHED
    assert [one.api for one in r.world.log] == ["crossref", "openalex"]


@pytest.mark.parametrize(
    ("doi", "first"), [("10.48550/arxiv.1706.03762", "datacite"), ("10.1002/andp.19013090310", "crossref")]
)
def test_a_doi_goes_to_the_agency_of_its_prefix(room, doi, first):
    r = room()
    work = next(w for w in WORKS if ("doi", doi) in w.ids.pairs)
    r.check(cite(work, ("doi", doi), kind=work.kind))
    assert r.world.log[0].api == first


def test_a_doi_that_nobody_registered_is_wrong_and_the_work_is_found(room):
    r = room()
    [checked] = r.check(cite(RESNET, ("doi", "10.1109/cvpr.2016.99999")))
    judgement = checked.judgement
    assert (judgement.verdict, judgement.label) == (Verdict.MATCHED, Label.MINOR)
    assert r.asked()["doi"] == 1
    assert (
        "does not exist" in judgement.explanation
        or "the record has 10.1109/cvpr.2016.90" in judgement.explanation
    )


def test_a_doi_of_an_agency_nobody_reads_exists_all_the_same(room):
    elsewhere = replace(PLANCK, id="jalc", ids=Ids((("doi", "10.11501/1234567"),)), titles=("Another thing",))

    def silent(call, holdings):
        return make_json_reply({"meta": {"count": 0}, "results": []})

    apis = dict.fromkeys(World(Shelf()).urls) | {"openalex": silent, "crossref": _nothing}
    r = room(elsewhere, apis=apis)
    [checked] = r.check(cite(RESNET, ("doi", "10.11501/1234567"), title="A title that no index has"))
    found = [x for x in checked.retrieved.lookups if x.source == "doi"]
    assert found[0].reach is Reach.COMPLETE
    assert "registered" in found[0].note
    assert "not_registered" not in str(checked.judgement.mismatches)


def _nothing(call, holdings):
    if call.query.get("filter") or call.parts == ("works",):
        return make_json_reply(
            {"status": "ok", "message-type": "work-list", "message": {"items": [], "total-results": 0}}
        )
    return make_json_reply("Resource not found.", 404)


def test_an_identifier_of_another_work_gets_a_second_opinion(room):
    r = room()
    [checked] = r.check(cite(RESNET, ("doi", "10.1002/andp.19013090310")))
    assert checked.judgement.verdict is Verdict.AMBIGUOUS
    by_doi = {x.source for x in checked.retrieved.lookups if x.by == "doi"}
    assert {"crossref", "openalex", "semantic_scholar"} <= by_doi


def test_a_source_alone_against_two_others_is_an_index_error(room):
    """OpenAlex files the DOI under another work; Crossref and Semantic Scholar agree with the citation's."""

    def merged_badly(call, holdings):
        wrong = replace(PLANCK, ids=Ids((("doi", "10.1109/cvpr.2016.90"),)))
        return openalex_api.answer(call, Shelf(wrong))

    apis = dict.fromkeys(World(Shelf()).urls) | {"openalex": merged_badly}
    r = room(apis=apis)
    # the title is misquoted, so that the identifier is put to all
    [checked] = r.check(
        cite(RESNET, ("doi", "10.1109/cvpr.2016.90"), title="Deep residual nets for pictures")
    )
    told = {c.record.source: c.record.title for c in checked.judgement.candidates}
    assert "openalex" not in told or told["openalex"] != PLANCK.title
    assert any(reason.startswith("index_error:openalex") for reason in checked.judgement.reasons)


@pytest.mark.parametrize("down", ["crossref", "openalex", "semantic_scholar", "doi", "arxiv"])
def test_one_source_less_still_decides(room, down):
    r = room(faults={down: Faults.status(503)})
    preprint = cite(ATTENTION, ("arxiv", "1706.03762"), kind=Kind.PREPRINT)
    checked = r.check(cite(RESNET, ("doi", "10.1109/cvpr.2016.90")), cite(PLANCK), preprint)
    assert [c.judgement.verdict for c in checked] == [Verdict.MATCHED] * 3


def test_what_nobody_has_is_not_found_only_when_all_required_answered(room):
    invented = cite(RESNET, title="A quite invented study of things that were never done by anybody")
    r = room()
    [checked] = r.check(invented)
    assert checked.judgement.verdict is Verdict.NOT_FOUND
    r = room(faults={"crossref": Faults.status(503)})
    [checked] = r.check(invented, CITEPROOF_CACHE_DIR=str(r.folder / "other"))
    assert checked.judgement.verdict is Verdict.UNCHECKED
    assert any(isinstance(x, Unchecked) and x.reach is Reach.COVERS for x in checked.retrieved.lookups)


def test_a_kind_that_nobody_covers_is_never_not_found(room):
    r = room()
    [checked] = r.check(cite(RESNET, title="A page that was never written about anything", kind=Kind.LEGAL))
    assert checked.judgement.verdict is Verdict.UNCHECKED


def test_a_second_run_asks_nothing_whatever_goes_together(room):
    r = room()
    references = [
        cite(RESNET, ("doi", "10.1109/cvpr.2016.90")),
        cite(WAKEFIELD, ("doi", WAKEFIELD.ids.first("doi"))),
        cite(PLANCK),
        cite(RESNET, title="An invented title that no source could ever have"),
    ]
    first = r.check(*references)
    count = len(r.world.log)
    again = [r.check(one)[0] for one in reversed(references)][::-1]
    assert len(r.world.log) == count
    assert [c.judgement for c in again] == [c.judgement for c in first]


def test_time_for_one_reference_is_bounded(room):
    r = room(latency={"crossref": 5.0, "openalex": 5.0, "semantic_scholar": 5.0})
    [checked] = r.check(cite(PLANCK), CITEPROOF_DEADLINE="0.6", CITEPROOF_TIMEOUT="8")
    assert checked.judgement.verdict is Verdict.UNCHECKED
    assert "time for one reference" in checked.judgement.explanation


def test_waiting_for_ones_turn_is_not_the_reference_s_time(room):
    r = room()
    cited = [cite(RESNET, title=f"An invented title that no source has, number {n}") for n in range(30)]
    checked = r.check(*cited, CITEPROOF_PACE="3", CITEPROOF_DEADLINE="2", CITEPROOF_TIMEOUT="30")
    assert {c.judgement.verdict for c in checked} == {Verdict.NOT_FOUND}


@pytest.mark.parametrize("named", ["unpaywall", "default,unpaywall"])
def test_unpaywall_is_asked_when_it_is_named(room, named):
    r = room()
    more = {"CITEPROOF_SOURCES": named, "CITEPROOF_CONTACT": "ada@example.org"}
    [checked] = r.check(cite(RESNET, ("doi", "10.1109/cvpr.2016.90")), **more)
    assert r.asked()["unpaywall"] == 1
    assert checked.judgement.verdict is Verdict.MATCHED


def test_only_the_sources_that_were_named_are_asked(room):
    r = room()
    [checked] = r.check(cite(RESNET), CITEPROOF_SOURCES="openalex")
    assert checked.judgement.label is Label.EXACT
    assert set(r.asked()) == {"openalex"}


def test_a_preprint_cited_as_published_is_looked_for_further(room):
    """General indexes know only the preprint; DBLP knows the proceedings."""
    preprint = replace(ATTENTION, versions=(Version(2017, "arXiv", Kind.PREPRINT),), authors_complete=True)
    r = room(preprint)
    [checked] = r.check(
        RawReference("k", "", Place(), Kind.ARTICLE,
                     Claimed(title=preprint.title, authors=preprint.authors, year=2017, venue="NeurIPS"))
    )  # fmt: skip
    assert "dblp" in {x.source for x in checked.retrieved.lookups}


@pytest.mark.parametrize(("before", "asked"), [(1, True), (-1, False)])
def test_arxiv_is_asked_whether_a_preprint_explains_the_year_before_a_meeting(room, before, asked):
    work = replace(RESNET, ids=Ids((("doi", "10.1109/cvpr.2016.90"),)), versions=RESNET.versions[:1])
    r = room(work)
    [checked] = r.check(cite(work, year=2016 - before, venue="CVPR"))
    assert (r.asked()["arxiv"] > 0) is asked
    assert checked.judgement.label is (Label.MINOR if asked else Label.NOTED)


def test_personal_names_do_not_leave_without_need(room):
    r = room()
    r.check(cite(RESNET, ("doi", "10.1109/cvpr.2016.90")))
    assert not any("Kaiming" in seen.path or "Zhang" in seen.path for seen in r.world.log)


def test_names_of_people(room):
    """A name that is not in the list is told, whoever has the record."""
    r = room()
    stranger = (*RESNET.authors[:3], Name("Nobody", "Anton"))
    [checked] = r.check(cite(RESNET, ("doi", "10.1109/cvpr.2016.90"), authors=stranger))
    assert checked.judgement.label is not Label.EXACT


@pytest.mark.parametrize(
    ("api", "by", "value"), [("arxiv", "arxiv", "1706.03762"), ("pubmed", "pmid", "31452104")]
)
def test_an_authority_that_is_down_accuses_nobody(room, api, by, value):
    """What only the identifier could have led to is open as long as its registry is silent."""
    r = room(RESNET, faults={api: Faults.status(503)})
    [checked] = r.check(cite(RESNET, (by, value), title="A paper that no general index has by this title"))
    assert checked.judgement.verdict is Verdict.UNCHECKED


def test_a_common_title_by_other_people_proves_nothing(room):
    namesakes = [
        replace(RESNET, id=f"n{n}", titles=("Deep learning",), authors=(Name(f"Writer{n}"),), ids=doi)
        for n, doi in enumerate(Ids((("doi", f"10.1/{n}"),)) for n in range(12))
    ]
    r = room(*namesakes)
    [checked] = r.check(cite(RESNET, title="Deep learning", authors=(Name("LeCun", "Yann"),), venue="Nature"))
    assert checked.judgement.verdict is not Verdict.NOT_FOUND


@pytest.mark.parametrize("kind", [Kind.SOFTWARE, Kind.DATASET, Kind.REPORT, Kind.WEB_PAGE])
def test_kinds_that_no_two_indexes_cover_stay_open(room, kind):
    r = room()
    [checked] = r.check(
        cite(RESNET, title="A thing that nobody deposited, printed or wrote about", kind=kind)
    )
    assert checked.judgement.verdict is Verdict.UNCHECKED


def test_a_second_identifier_that_does_not_exist_is_told(room):
    r = room()
    [checked] = r.check(cite(RESNET, ("doi", "10.1109/cvpr.2016.90"), ("doi", "10.1109/nonexistent")))
    assert checked.judgement.label is Label.MINOR
    assert "doi:not_registered" in checked.judgement.reasons


def test_a_dead_doi_is_called_dead(room):
    r = room()
    found, invented = r.check(
        cite(RESNET, ("doi", "10.1109/cvpr.2016.99999")),
        cite(RESNET, ("doi", "10.1109/cvpr.2016.88888"), title="A quite invented study of things never done"),
    )
    assert "doi:not_registered" in found.judgement.reasons
    assert "10.1109/cvpr.2016.99999 does not exist" in found.judgement.explanation
    assert invented.judgement.verdict is Verdict.NOT_FOUND
    assert "10.1109/cvpr.2016.88888 does not exist (doi.org: 404)" in invented.judgement.explanation


def test_the_parts_of_a_splice_are_named_once(room):
    r = room()
    [checked] = r.check(cite(RESNET, ("doi", "10.1002/andp.19013090310")))
    assert [part.record.title for part in checked.judgement.splices] == [RESNET.title, PLANCK.title]


def test_a_retraction_that_a_record_carries_is_a_finding(room):
    r = room()
    [checked] = r.check(cite(WAKEFIELD, ("doi", WAKEFIELD.ids.first("doi"))))
    assert checked.judgement.label is Label.EXACT
    assert [f.name for f in checked.findings] == ["retracted", "corrected"]
    assert {f.source for f in checked.findings} == {"crossref"}


def test_the_first_identifier_decides(room):
    r = room()
    other, own = ("doi", RESNET.ids.first("doi")), ("pmid", WAKEFIELD.ids.first("pmid"))
    [checked] = r.check(cite(WAKEFIELD, other, own))
    assert checked.judgement.verdict is Verdict.AMBIGUOUS
    assert [(m.field, m.reason) for m in checked.judgement.mismatches] == [
        ("doi", "identifier_of_other_work")
    ]
    named = {c.record.title for c in checked.judgement.candidates}
    assert {RESNET.title, WAKEFIELD.title} <= named
