"""Damage that only a stranger's snapshot has, whose manifest fits its damaged files: told, never a crash."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index import manifest as manifests
from citeproof.evidence.index.snapshot import Snapshot
from tests.evidence.index.conftest import WORKS


def _damage(folder: Path, name: str, data: bytes) -> None:
    """Put other bytes in the place of a file, and make the manifest fit."""
    (folder / name).write_bytes(data)
    made = manifests.load(folder)
    made.files[name] = manifests.make_file_fact(folder / name)
    (folder / manifests.FILE).write_bytes(manifests.dumps(made))


def _ask_facts(snapshot: Snapshot) -> None:
    snapshot.facts.knows_doi_prefix("10.1103")
    snapshot.facts.venue_count("Nature")
    snapshot.facts.finds_venue_name("Nature")


@pytest.fixture
def copy(folder, tmp_path):
    return Path(shutil.copytree(folder, tmp_path / "snapshot"))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("keys.dir", b""),
        ("keys.dir", b"\0" * 4),
        ("keys.dir", b"\0" * 4 * 100),
        ("keys.bin", b"\0" * 7),
        ("venue_names.bin", b"\0" * 9),
        ("venues.bin", b"\0" * 13),
        ("facts.json", b'{"dois":1,"prefixes":{},"x":' + b"[" * 50_000),
        ("text/meta.json", b'{"segments":' + b"[" * 50_000),
        ("text/runs.json", b"[" * 50_000),
        ("text/runs.json", b'{"a":{"documents":[],"numbers":[]}}'),
        ("text/runs.json", b'{"a":{"documents":[1],"numbers":[0]}}'),
        ("text/runs.json", b'{"a":{"documents":[0,9,9],"numbers":[0,9,18]}}'),
        ("text/runs.json", b'{"a":{"documents":[0],"numbers":[-1]}}'),
        ("text/runs.json", b'{"a":{"documents":[0],"numbers":[0,1]}}'),
    ],
)
def test_a_file_that_cannot_be_is_named(copy, name, data):
    _damage(copy, name, data)
    with pytest.raises(SnapshotError) as told, Snapshot.open(copy) as snapshot:
        _ask_facts(snapshot)
    assert told.value.place.endswith(name)
    assert told.value.hint


def test_stored_fields_are_never_read(copy):
    """Of a damaged file of stored fields tantivy asks for 275 GB, and the process is gone."""
    store = next((copy / "text").glob("*.store"))
    data = store.read_bytes()
    foot = data.index(b'{"version"') - 28
    at = int.from_bytes(data[foot : foot + 8], "little")  # of the index of blocks, which begins with its size
    _damage(copy, store.relative_to(copy).as_posix(), data[:at] + b"\x7f" * 4 + b"\xff" + data[at + 5 :])
    with Snapshot.open(copy) as snapshot:
        title = str(WORKS[0]["t"])
        assert title in [record.title for record in snapshot.by_title(title)]
