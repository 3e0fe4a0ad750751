"""Publishing a snapshot: what is written, what a second edition adds, what a kill leaves."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import msgspec
import numpy as np
import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index import publication, published_manifest
from citeproof.evidence.index import published_manifest as published
from citeproof.evidence.index.publication import publish_snapshot
from citeproof.evidence.index.published_folder import PublishedFolder
from citeproof.evidence.index.published_manifest import ChunkDelta, EditionNote, PublishedFile
from citeproof.plumbing.clock import FixedClock
from citeproof.plumbing.signed_note import SignerKey, sign_note
from tests.service.snapshot_mirror import build_snapshot, make_works

START = FixedClock(datetime(2026, 8, 18, tzinfo=UTC))
LATER = FixedClock(START.at + timedelta(days=1))
KEY = SignerKey.generate("example.org/snapshots")


@pytest.fixture(scope="module", autouse=True)
def small_chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(published_manifest, "LEAST", 1 << 10)
        patch.setattr(published_manifest, "BITS", 12)
        yield


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    folder = tmp_path_factory.mktemp("snapshots")
    old = build_snapshot(folder / "old", make_works(800))
    return old, build_snapshot(folder / "new", make_works(800, frozenset(range(100, 108))), like=old)


def list_files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def check_folder(folder):
    """Assert that the folder is whole, and return its current manifest."""
    _, manifest = PublishedFolder(folder).load_current(KEY)
    for one in [chunk for file in manifest.files for chunk in file.chunks] + list(manifest.deltas):
        data = (folder / published.locate_chunk(one.stored)).read_bytes()
        assert hashlib.sha256(data).hexdigest() == one.stored
    return manifest


def test_every_file_is_called_by_its_digest(snapshots, tmp_path):
    made = publish_snapshot(snapshots[0], tmp_path / "out", KEY, START).manifest
    assert check_folder(tmp_path / "out") == made
    assert made.bytes == sum(path.stat().st_size for path in snapshots[0].rglob("*") if path.is_file())
    assert (made.name, made.edition) == ("works", int(START.at.timestamp()))
    assert (tmp_path / "out" / "snapshot.vkey").read_text().strip() == KEY.verifier.text


def test_the_same_snapshot_is_no_new_edition(snapshots, tmp_path):
    publish_snapshot(snapshots[0], tmp_path / "out", KEY, START)
    before = list_files(tmp_path / "out")
    assert not publish_snapshot(snapshots[0], tmp_path / "out", KEY, LATER).fresh
    assert list_files(tmp_path / "out") == before


def test_the_next_edition_only_adds(snapshots, tmp_path):
    first = publish_snapshot(snapshots[0], tmp_path / "out", KEY, START).manifest
    before = list_files(tmp_path / "out")
    second = publish_snapshot(snapshots[1], tmp_path / "out", KEY, START)  # a clock that stands still
    assert second.manifest.edition == first.edition + 1
    assert before <= list_files(tmp_path / "out")
    assert second.deltas
    assert second.delta_bytes < second.chunk_bytes
    check_folder(tmp_path / "out")


def test_a_table_of_offsets_that_move_is_a_small_delta():
    how = random.Random(1)
    sizes = np.array([how.randrange(10, 40) for _ in range(20_000)], "<u4")
    old = np.cumsum(sizes, dtype="<u4").tobytes()
    sizes[[100, 9_000, 19_000]] += 7
    new = np.cumsum(sizes, dtype="<u4").tobytes()[40_000:60_000]
    bases = {"a": old[:30_000], "b": old[30_000:]}
    packed = publication.make_difference(new, list(bases.values()), 40_000)
    assert len(packed) < 100 < len(publication.make_delta(new, list(bases.values())))
    digests = (hashlib.sha256(new).hexdigest(), hashlib.sha256(packed).hexdigest())
    delta = ChunkDelta(digests[0], ("a", "b"), digests[1], len(packed), 40_000)
    assert published.unpack_delta(packed, delta, len(new), bases.get) == new
    for wrong in (39_996, 10**9):
        moved = msgspec.structs.replace(delta, skip=wrong)
        assert published.unpack_delta(packed, moved, len(new), bases.get) is None
    assert published.unpack_delta(packed, delta, len(new) - 2, bases.get) is None


def test_older_editions_go_on_demand(snapshots, tmp_path):
    out = tmp_path / "out"
    publish_snapshot(snapshots[0], out, KEY, START)
    first = list_files(out)
    publish_snapshot(snapshots[1], out, KEY, LATER, keep=2)
    assert first <= list_files(out)
    last = publish_snapshot(snapshots[0], out, KEY, LATER, keep=1)
    assert last.removed
    manifest = check_folder(out)
    assert len(list((out / "manifests").iterdir())) == 1
    named = {chunk.stored for file in manifest.files for chunk in file.chunks}
    named |= {delta.stored for delta in manifest.deltas}
    assert {path.name for path in out.glob("chunks/*/*")} == named


def test_a_lost_chunk_is_written_again(snapshots, tmp_path):
    publish_snapshot(snapshots[0], tmp_path / "out", KEY, START)
    shutil.rmtree(next((tmp_path / "out" / "chunks").iterdir()))
    publish_snapshot(snapshots[1], tmp_path / "out", KEY, LATER)
    check_folder(tmp_path / "out")


def test_what_is_not_ours_is_refused(snapshots, tmp_path):
    publish_snapshot(snapshots[0], tmp_path / "out", KEY, START)
    other = SignerKey.generate("example.org/other")
    with pytest.raises(SnapshotError, match="is not signed by"):
        publish_snapshot(snapshots[1], tmp_path / "out", other, LATER)
    with pytest.raises(SnapshotError, match="is the folder of the snapshot"):
        publish_snapshot(snapshots[1], tmp_path / "out", KEY, LATER, name="another")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("mine")
    with pytest.raises(SnapshotError, match="not empty"):
        publish_snapshot(snapshots[1], tmp_path / "full", KEY, LATER)


def test_a_damaged_snapshot_is_not_published(snapshots, tmp_path):
    bad = tmp_path / "bad"
    shutil.copytree(snapshots[0], bad)
    data = bytearray((bad / "keys.bin").read_bytes())
    data[100] ^= 1
    (bad / "keys.bin").write_bytes(data)
    with pytest.raises(SnapshotError, match="other content"):
        publish_snapshot(bad, tmp_path / "out", KEY, START)
    assert not (tmp_path / "out").exists()


PROGRAM = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from citeproof.plumbing.signed_note import SignerKey
from citeproof.plumbing.clock import FixedClock
from citeproof.evidence.index import published_manifest
from citeproof.evidence.index.publication import publish_snapshot
published_manifest.LEAST, published_manifest.BITS = 1 << 10, 12
def tell(step, done, total):
    print(step, done, flush=True)
clock = FixedClock(datetime(2026, 8, 19, tzinfo=UTC))
publish_snapshot(Path(sys.argv[1]), Path(sys.argv[2]), SignerKey.parse(sys.argv[3]), clock, tell=tell)
"""


@pytest.mark.slow
@pytest.mark.parametrize("lines", [1, 30, 100_000])
def test_a_killed_publication_leaves_the_edition_before(snapshots, tmp_path, lines):
    out = tmp_path / "out"
    first = publish_snapshot(snapshots[0], out, KEY, START).manifest
    arguments = [sys.executable, "-c", PROGRAM, str(snapshots[1]), str(out), KEY.text]
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE)
    for _ in range(lines):
        if not child.stdout.readline():
            break
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert check_folder(out).edition >= first.edition
    publish_snapshot(snapshots[1], out, KEY, LATER)
    assert check_folder(out).id == publish_snapshot(snapshots[1], tmp_path / "fresh", KEY, LATER).manifest.id


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../b", "a//b", ".", "a\0b", "a\\b", "", "a/b/c/d/e"])
def test_a_signed_path_that_leads_elsewhere_is_refused(snapshots, tmp_path, path):
    made = publish_snapshot(snapshots[0], tmp_path / "out", KEY, START).manifest
    bad = msgspec.structs.replace(made, files=(PublishedFile(path, 0, ()), *made.files))
    data = published.pack_manifest(bad)
    note = EditionNote(bad.name, bad.edition, hashlib.sha256(data).hexdigest(), len(data))
    with pytest.raises(SnapshotError, match="outside the snapshot"):
        published.unpack_manifest(data, note, "here")


@pytest.mark.parametrize("text", ["example.org/log\n3\nAAAA\n", "citeproof snapshot 2\nname a\n", "x\n"])
def test_another_signed_note_is_no_snapshot(text):
    """The key of an audit log may be the same: its checkpoints must never pass for a snapshot."""
    with pytest.raises(SnapshotError, match="not the note of a snapshot"):
        published.read_note(sign_note(text, KEY), KEY.verifier, "here")
