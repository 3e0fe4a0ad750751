"""The venues of a snapshot as a list: what it knows, and when its silence means nothing."""

from __future__ import annotations

import json
import shutil
from datetime import date

import pytest

from citeproof.evidence.index import snapshot_facts
from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.sources.snapshot import VenueRegistry
from citeproof.vocabulary import ListQuestion, VenueStanding
from tests.evidence.index.conftest import write_works

TODAY = date(2026, 11, 16)
VENUES = (
    "Trust Management, First International Conference, iTrust 2003, Heraklion, Crete, Greece",
    "Archives roumaines de pathologie experimentales et de microbiologie",
    "Proceedings of the Seventh Named Entities Workshop",
)


@pytest.fixture(scope="module")
def venue_folder(tmp_path_factory):
    base = tmp_path_factory.mktemp("venues")
    works = [{"t": f"On widget number {at}", "p": [[2003, venue]]} for at, venue in enumerate(VENUES)]
    build(
        [BuildInput("works", (write_works(base / "works.jsonl", works),))], base / "snapshot", name="venues"
    )
    return base / "snapshot"


def look_up(folder, *venues):
    with Snapshot.open(folder) as snapshot:
        answer = VenueRegistry(snapshot).look_up(ListQuestion(venues=venues), TODAY)
        assert (answer.name, answer.subject, answer.digest) == ("snapshot_venues", "venues", snapshot.id)
        return answer


@pytest.mark.parametrize(
    ("cited", "known"),
    [
        (VENUES[0], True),
        ("International Conference on Trust Management", True),
        ("Archives Roumaines de Pathologie Expérimentales et de Microbiologie", True),
        ("Named Entities Workshop 2018", True),
        ("Symposium on Named Entities", False),
        ("Journal of Trust Management", False),
    ],
)
def test_a_venue_is_known_in_every_spelling(venue_folder, cited, known):
    answer = look_up(venue_folder, cited)
    assert [(one.standing, one.title) for one in answer.listings] == [(VenueStanding.KNOWN, cited)] * known
    assert not answer.trouble


def test_only_the_cited_venue_is_looked_up(venue_folder):
    assert look_up(venue_folder, "Journal of Nothing", VENUES[0]).listings == ()
    assert look_up(venue_folder).listings == ()


def test_a_few_venues_are_no_registry(venue_folder, monkeypatch):
    with Snapshot.open(venue_folder) as snapshot:
        assert VenueRegistry.list_all([snapshot]) == ()
        monkeypatch.setattr(snapshot_facts, "ENOUGH_VENUES", 3)
        assert [one.snapshot for one in VenueRegistry.list_all([snapshot])] == [snapshot]


def test_an_older_snapshot_says_that_it_cannot_tell(venue_folder, tmp_path):
    old = tmp_path / "old"
    shutil.copytree(venue_folder, old)
    (old / "venue_names.bin").unlink()
    manifest = json.loads((old / "manifest.json").read_text())
    del manifest["files"]["venue_names.bin"]
    (old / "manifest.json").write_text(json.dumps(manifest))
    with Snapshot.open(old) as snapshot:
        assert not snapshot.facts.has_venue_names
        assert snapshot.facts.finds_venue_name(VENUES[0])  # by its exact name
        answer = VenueRegistry(snapshot).look_up(ListQuestion(venues=(VENUES[0],)), TODAY)
    assert "built without venue names" in answer.trouble


def test_a_damaged_file_is_told(venue_folder, tmp_path):
    bad = tmp_path / "bad"
    shutil.copytree(venue_folder, bad)
    data = (bad / "venue_names.bin").read_bytes()
    (bad / "venue_names.bin").write_bytes(bytes([data[0] ^ 1]) + data[1:])
    with Snapshot.open(bad) as snapshot:
        answer = VenueRegistry(snapshot).look_up(ListQuestion(venues=("Journal of Nothing",)), TODAY)
    assert "is damaged" in answer.trouble
    assert not answer.listings
