"""A cited page that is gone => the address of its archived copy, in each format."""

from __future__ import annotations

import json
from urllib.parse import quote, urlsplit

import pytest

from citeproof.answers.fix.corrected_files import FixOptions
from citeproof.laboratory.testing import Shelf, World
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.service.fix_session import FixSession
from citeproof.settings import Settings
from citeproof.vocabulary import Document, Kind, Record, Version

TITLE = "Notes on the building of small boats"
RECORD = Record("made", "post", (TITLE,), versions=(Version(2017),), kind=Kind.WEB_PAGE)
FORMS = {
    "a.bib": f"@online{{k, title = {{{TITLE}}}, year = 2017, url = {{ADDRESS}}}}\n",
    "a.ris": f"TY  - ELEC\nTI  - {TITLE}\nPY  - 2017\nUR  - ADDRESS\nER  - \n",
    "a.json": json.dumps(
        [{"id": "k", "type": "webpage", "title": TITLE, "issued": {"date-parts": [[2017]]}, "URL": "ADDRESS"}]
    ),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    ("place", "unsafe", "offered"),
    [("gone/title", True, True), ("gone/title", False, False), ("page/title", True, False)],
)
def test_a_page_that_is_gone_is_cited_by_its_copy(tmp_path, name, place, unsafe, offered):
    with World(Shelf(RECORD), apis=["url", "wayback"]) as world:
        settings = Settings(
            cache_dir=tmp_path,
            limits_dir=tmp_path / "limits",
            urls=world.urls,
            sources=("url",),
            private_hosts=(urlsplit(world.origin).netloc,),
            pace=50.0,
        )
        address = f"{world.origin}/url/{place}/{quote(TITLE)}"
        document = Document(name, FORMS[name].replace("ADDRESS", address).encode())
        session = FixSession([document], checking := begin_check(assemble(settings, stage=None), [document]))
        assert len(list(session.watch(checking))) == 1
        (file,) = session.correct_files(FixOptions(unsafe=unsafe))
    steps = [step for step in file.steps if step.change.field == "url"]
    assert bool(steps) is (place == "gone/title")
    assert (file.new != document.data) is offered
    if offered:
        (step,) = steps
        assert step.done
        assert step.change.resolved.endswith(f"/web/20170615120000/{address}")
        assert file.new == document.data.replace(address.encode(), step.change.resolved.encode())
