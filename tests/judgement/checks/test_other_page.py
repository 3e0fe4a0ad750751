"""What a cited page is called => whether it is the cited one."""

from __future__ import annotations

import asyncio
from urllib.parse import quote, urlsplit

import pytest

from citeproof.laboratory.testing import Shelf, World
from citeproof.service.assemble import assemble
from citeproof.settings import Settings
from citeproof.vocabulary import Document, Kind, Record, Version

TITLE = "Notes on the building of small boats"
OTHER = "Quarterly report of the committee for coastal birds"


@pytest.mark.parametrize(
    ("place", "cited", "finding"),
    [
        ("page/title", TITLE, None),
        ("page/title", "Notes on the building of small boats and ships", None),
        ("page/title", OTHER, f"the page at the address has another title: {TITLE}"),
        ("gone/title", OTHER, None),  # `dead_link` says what there is to say
        ("nowhere", OTHER, None),
    ],
)
def test_a_living_page_with_another_title(tmp_path, place, cited, finding):
    record = Record("made", "post", (TITLE,), versions=(Version(2017),), kind=Kind.WEB_PAGE)

    async def check(world):
        address = f"{world.origin}/url/{place}/{quote(TITLE)}"
        entry = f"@online{{k, title = {{{cited}}}, year = 2017, url = {{{address}}}}}"
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
            return [checked async for checked in verifier.verify(extraction)]
        finally:
            await verifier.close()

    with World(Shelf(record), apis=["url", "wayback"]) as world:
        (checked,) = asyncio.run(check(world))
    details = [found.detail for found in checked.findings if found.name == "other_page"]
    assert details == ([finding] if finding else [])
