"""What the cited address and the archive answered => what is said of the link."""

from __future__ import annotations

import asyncio
from urllib.parse import quote, urlsplit

import pytest

from citeproof.judgement.checks.dead_link import find_dead_link
from citeproof.laboratory.testing import Shelf, World
from citeproof.service.assemble import assemble
from citeproof.settings import Settings
from citeproof.vocabulary import Absent, Cause, Document, Found, Ids, Kind, Record, Unchecked, Version
from tests.judgement.checks.work_cases import make_evidence

ADDRESS = "http://example.org/page"
COPY = "http://web.archive.org/web/20170615120000/http://example.org/page"


def page(*marks):
    return Found("url", "url", (Record("url", ADDRESS, ("A page",), marks=("web", *marks)),))


def unread(cause):
    return Unchecked("url", "url", cause, "answered 403")


@pytest.mark.parametrize(
    ("lookups", "state", "kind"),
    [
        ((page(),), "clear", ""),
        ((page(f"copy:{COPY}", "archived", "dead_link"),), "finding", "archived"),
        ((page("archived", "dead_link"),), "finding", "archived"),
        ((page(f"copy:{COPY}", "archived"),), "unchecked", ""),
        ((Absent("url", "url", value=ADDRESS),), "finding", "no_copy"),
        ((unread(Cause.BOT_WALL),), "unchecked", ""),
        ((unread(Cause.RATE_LIMITED),), "unchecked", ""),
        ((unread(Cause.TIMEOUT),), "unchecked", ""),
        ((unread(Cause.OFFLINE),), None, ""),
        ((unread(Cause.NOT_COVERED),), None, ""),
        ((Absent("crossref", "title"),), None, ""),
        ((page(), Absent("url", "url", value="http://example.org/other")), "finding", "no_copy"),
        ((), None, ""),
    ],
)
def test_links(lookups, state, kind):
    found = find_dead_link(make_evidence(ids=Ids((("url", ADDRESS),)), lookups=lookups))
    assert (found.state.value if found else None) == state
    assert not found or (found.kind, found.source) == (kind, "url")


def test_the_copy_and_its_day_are_the_evidence():
    lookups = (page(f"copy:{COPY}", "archived", "dead_link"),)
    found = find_dead_link(make_evidence(ids=Ids((("url", ADDRESS),)), lookups=lookups))
    assert found is not None
    assert found.detail == (
        "the page is no longer at its address; the Wayback Machine has a copy of 2017-06-15"
    )
    assert found.evidence[-1] == f"archived copy of 2017-06-15: {COPY}"


def test_what_could_not_be_read_is_told():
    found = find_dead_link(make_evidence(ids=Ids((("url", ADDRESS),)), lookups=(unread(Cause.BOT_WALL),)))
    assert found is not None
    assert found.detail == "the page could not be read (bot_wall: answered 403)"


@pytest.mark.parametrize(
    ("place", "state", "kind"),
    [("gone/title", "finding", "archived"), ("nowhere", "finding", "no_copy"), ("page/title", "clear", "")],
)
def test_a_cited_page_on_a_real_server(tmp_path, place, state, kind):
    title = "Notes on the building of small boats"
    record = Record("made", "post", (title,), versions=(Version(2017),), kind=Kind.WEB_PAGE)

    async def check(world):
        address = f"{world.origin}/url/{place}/{quote(title)}"
        entry = f"@online{{k, title = {{{title}}}, year = 2017, url = {{{address}}}}}"
        settings = Settings(
            cache_dir=tmp_path,
            limits_dir=tmp_path / "limits",
            urls=world.urls,
            sources=("url",),
            private_hosts=(urlsplit(world.origin).netloc,),
            pace=50.0,
        )
        verifier = assemble(settings, stage=None)
        try:
            extraction = verifier.extract(Document("cited.bib", entry.encode()))
            return [one async for one in verifier.verify(extraction)]
        finally:
            await verifier.close()

    with World(Shelf(record), apis=["url", "wayback"]) as world:
        (checked,) = asyncio.run(check(world))
    found = next(one for one in checked.findings if one.name == "dead_link")
    assert (found.state.value, found.kind) == (state, kind)
