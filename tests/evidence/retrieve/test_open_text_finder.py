"""Open texts over the loopback world: what is found, what is refused, and what is said about it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from citeproof.evidence.retrieve import text_answers
from citeproof.evidence.retrieve.open_text_finder import OpenTextFinder
from citeproof.evidence.retrieve.text_answers import TEXT_QUESTIONS
from citeproof.laboratory.testing import Faults, Shelf, World
from citeproof.laboratory.testing.article_texts import ABSTRACT, build_abstract, list_paragraphs
from citeproof.plumbing.clock import SystemClock
from citeproof.reading.extractors.source_reader import read_source_text
from citeproof.service.assemble import connect_sources
from citeproof.settings import Settings
from citeproof.vocabulary import FoundText, Ids, Record, TextExtent
from tests.evidence.sources.shelved import ATTENTION, RESNET, WAKEFIELD

PLACES = ("article", "html", "pdf", "closed", "landing", "login", "wall", "other", "fake", "data", "moved",
          "private", "endless")  # fmt: skip


def make_work(word: str, *marks: str, ids: tuple[tuple[str, str], ...] = ()) -> Record:
    """Return a work whose free copy is at a place of the world's publisher."""
    doi = ("doi", f"10.1234/{word}.5")
    title = f"How {word} doors open in the long corridors of science"
    where = (f"at:{word}", "open_access") if word in PLACES else ()
    return replace(RESNET, id=word, titles=(title,), ids=Ids((doi, *ids)), marks=(*where, *marks))


EPMC = make_work("jats", "open_access", ABSTRACT, ids=(("pmid", "7000001"), ("pmcid", "PMC7000001")))
SHUT = make_work("shut", ABSTRACT, ids=(("pmid", "7000002"), ("pmcid", "PMC7000002")))
NAMED = make_work("named", ABSTRACT)
BARE = make_work("bare")
WORKS = {one.id: one for one in (EPMC, SHUT, NAMED, BARE, ATTENTION, *map(make_work, PLACES))}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World(Shelf(*WORKS.values(), WAKEFIELD)) as made:
        yield made


@pytest.fixture
def find(world, tmp_path):
    """Return a function that finds the open text of a work, with a client of its own."""

    def find_text(record: Record, *names: str, deadline: float = 60.0, **more: object) -> FoundText:
        settings = Settings(
            urls=world.urls,
            contact="reader@library.test",
            cache_dir=tmp_path,
            limits_dir=tmp_path / "limits",
            pace=1000.0,
            private_hosts=(world.origin.removeprefix("http://"),),
            **more,
        )

        async def run() -> FoundText:
            online = connect_sources(settings, SystemClock(), names or TEXT_QUESTIONS)
            finder = OpenTextFinder(
                online.sources, online.client, SystemClock(), read_source_text, deadline=deadline
            )
            try:
                return await finder.find_open_text(record)
            finally:
                await online.client.close()

        return asyncio.run(run())

    return find_text


def asked(world: World, since: int) -> list[str]:
    return [one.api for one in world.log[since:]]


# --- what is found ---------------------------------------------------------------------------------


def test_the_full_text_of_europe_pmc(find, world):
    since = len(world.log)
    found = find(EPMC)
    assert found.text.extent is TextExtent.FULL_TEXT
    assert found.text.origin == "Europe PMC PMC7000001"
    assert list_paragraphs(EPMC)[1][1][2] in found.text.text
    assert "Another work" not in found.text.text
    assert asked(world, since) == ["europe_pmc", "europe_pmc"]
    assert len(found.heard) == 2
    assert not found.reasons


def test_an_article_that_is_not_open_has_its_abstract(find):
    found = find(SHUT)
    assert found.text.extent is TextExtent.ABSTRACT_ONLY
    assert found.text.origin == "Europe PMC"
    assert found.text.text == build_abstract(SHUT)


def test_the_pdf_of_arxiv(find, world):
    found = find(ATTENTION)
    assert found.text.extent is TextExtent.FULL_TEXT
    assert found.text.origin == f"{world.origin}/arxiv_pdf/1706.03762"
    assert len(found.text.page_starts) > 1


@pytest.mark.parametrize("word", ["pdf", "article", "html", "moved"])
@pytest.mark.parametrize("source", ["unpaywall", "openalex"])
def test_a_free_copy_is_read(find, word, source):
    found = find(WORKS[word], source)
    assert found.text is not None, found.reasons
    assert found.text.extent is TextExtent.FULL_TEXT
    told = list_paragraphs(WORKS[word])[-1][1][-1]
    assert told in " ".join(found.text.text.split())


@pytest.mark.parametrize("source", ["crossref", "openalex", "semantic_scholar"])
def test_the_abstract_of_a_registry(find, source):
    found = find(NAMED, source)
    assert found.text.extent is TextExtent.ABSTRACT_ONLY
    assert found.text.text == build_abstract(NAMED)


def test_the_abstracts_of_pubmed_and_arxiv(find):
    assert find(SHUT, "pubmed").text.text == build_abstract(SHUT)
    paper = replace(ATTENTION, marks=(ABSTRACT,), ids=Ids((("arxiv", "1706.03762"),)))
    assert find(paper, "pubmed").text is None


def test_nothing_is_a_reason(find):
    found = find(BARE)
    assert found.text is None
    assert found.reason == "no source that was asked has an open text of it"


# --- what is refused -------------------------------------------------------------------------------

REFUSED = {
    "closed": "does not allow programs to read it (robots.txt)",
    "landing": "a page about the work, without its text",
    "login": "answered with 'Sign in to continue'",
    "wall": "not a bot",
    "other": "its first page does not have the title of the work",
    "fake": "it says that it is a PDF, and is none",
    "data": "answered with 'application/vnd.ms-excel'",
    "private": "not fetched: the address is not on the public internet",
    "endless": "its answer is larger than",
}


@pytest.mark.parametrize("word", REFUSED)
def test_what_is_no_text_of_the_work_is_not_taken_for_it(find, word):
    found = find(WORKS[word], "unpaywall")
    assert found.text is None
    assert REFUSED[word] in found.reason


def test_a_page_that_robots_may_not_read_is_not_asked_for(find, world):
    since = len(world.log)
    find(WORKS["closed"], "unpaywall")
    assert asked(world, since) == ["unpaywall", "robots"]


def test_too_many_redirects(find, world):
    record = replace(WORKS["moved"], marks=("open_access", "at:moved/9"))
    with World(Shelf(record)) as other:
        urls = {"unpaywall": other.urls["unpaywall"]}
        found = _find_in(other, record, urls)
    assert "more than 5 redirects" in found.reason


def _find_in(world: World, record: Record, urls: dict[str, str], **more: float) -> FoundText:
    host = world.origin.removeprefix("http://")
    settings = Settings(urls=urls, contact="reader@library.test", private_hosts=(host,), pace=1000.0)

    async def run() -> FoundText:
        online = connect_sources(settings, SystemClock(), list(urls))
        finder = OpenTextFinder(online.sources, online.client, SystemClock(), read_source_text, **more)
        try:
            return await finder.find_open_text(record)
        finally:
            await online.client.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Faults.status(503), "its robots.txt could not be read"),
        (
            Faults.fixed("rules", b"User-agent: citeproof\nDisallow: /\n", "text/plain"),
            "does not allow programs",
        ),
        (Faults.fixed("slow", b"User-agent: *\nCrawl-delay: 600\n", "text/plain"), "asks for 600 s"),
    ],
)
def test_rules_that_keep_us_out(fault, reason):
    record = WORKS["pdf"]
    with World(Shelf(record), faults={"robots": fault}) as world:
        found = _find_in(world, record, {"unpaywall": world.urls["unpaywall"]})
        assert world.count("publisher") == 0
    assert found.text is None
    assert reason in found.reason


def test_a_site_without_rules_may_be_read():
    record = WORKS["pdf"]
    with World(Shelf(record), faults={"robots": Faults.status(404)}) as world:
        assert _find_in(world, record, {"unpaywall": world.urls["unpaywall"]}).text is not None


def test_a_server_that_drips_is_left_in_time(monkeypatch):
    monkeypatch.setattr(text_answers, "SECONDS", 2.0)
    record = WORKS["pdf"]
    with World(Shelf(record), faults={"publisher": Faults.drip(0.5)}) as world:
        found = _find_in(world, record, {"unpaywall": world.urls["unpaywall"]}, deadline=60.0)
    assert found.text is None
    assert "no answer within 2 s" in found.reason


def test_the_time_for_one_work_ends():
    record = WORKS["pdf"]
    with World(Shelf(record), faults={"unpaywall": Faults.silence()}) as world:
        found = _find_in(world, record, {"unpaywall": world.urls["unpaywall"]}, deadline=0.5)
    assert found.reasons == ("the time for one work was over (0.5 s)",)


def test_an_answer_about_another_work_holds_nothing(find):
    asked_for = replace(NAMED, titles=("A quite different question about the migration of birds",))
    found = find(asked_for, "crossref", "openalex", "semantic_scholar")
    assert found.text is None
    assert "Crossref: its answer is about another work" in found.reasons


def test_unpaywall_needs_a_contact(world, tmp_path):
    settings = Settings(urls=world.urls, cache_dir=tmp_path)

    async def run() -> FoundText:
        online = connect_sources(settings, SystemClock(), ["unpaywall"])
        finder = OpenTextFinder(online.sources, online.client, SystemClock(), read_source_text)
        try:
            return await finder.find_open_text(WORKS["pdf"])
        finally:
            await online.client.close()

    assert "CITEPROOF_CONTACT" in asyncio.run(run()).reason


def test_a_second_look_asks_nobody(find, world):
    find(WORKS["article"], "unpaywall")
    since = len(world.log)
    again = find(WORKS["article"], "unpaywall")
    assert again.text is not None
    assert asked(world, since) == []


def test_a_proxy_keeps_free_copies_away(find):
    found = find(WORKS["pdf"], "unpaywall", proxy="http://127.0.0.1:9")
    assert found.text is None
