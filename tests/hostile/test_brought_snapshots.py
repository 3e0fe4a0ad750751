"""A repository that brings what `index pull` would have made, with other content."""

from __future__ import annotations

import shutil

import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index.manifest import check_snapshot
from citeproof.plumbing.signed_note import SignerKey
from citeproof.service.snapshot_pins import SnapshotPins
from tests.service.test_snapshot_pull import (  # noqa: F401 - fixtures
    KEY,
    list_digests,
    mirror,
    published,
    pull,
    settings,
    small_chunks,
    snapshots,
)


@pytest.fixture
def brought(mirror, settings, snapshots, tmp_path):  # noqa: F811 - fixtures
    """A folder as somebody else's pull made it, with the records of another snapshot."""
    made = pull(mirror, settings, out=tmp_path / "theirs/works")
    edition = made.path.resolve()
    shutil.rmtree(edition)
    shutil.copytree(snapshots[1], edition)
    shutil.copytree(tmp_path / "theirs", tmp_path / "repository", symlinks=True)
    return tmp_path / "repository/works"


@pytest.mark.parametrize("left", ["whole", "edition only", "replaced in place"])
def test_an_edition_that_a_repository_brings_is_checked_byte_by_byte(
    mirror,  # noqa: F811 - fixtures
    settings,  # noqa: F811
    snapshots,  # noqa: F811
    brought,
    left,
):
    """Medium: it was taken for the signed edition, `already here, nothing new`."""
    if left == "edition only":
        (brought.parent / ".works.pulled/current.json").unlink()
        brought.unlink()
    if left == "replaced in place":  # a repository is cloned anew where one of before was
        out = brought.parent / "again"
        edition = pull(mirror, settings, out=out).path.resolve()
        shutil.rmtree(edition)
        shutil.copytree(snapshots[1], edition)
        brought = out
    done = pull(mirror, settings, out=brought)
    assert done.fresh
    assert not check_snapshot(brought)
    assert list_digests(brought.resolve()) == list_digests(snapshots[0])
    assert not pull(mirror, settings, out=brought).fresh


def test_an_edition_that_a_repository_brings_whole_is_not_fetched_again(mirror, settings, tmp_path):  # noqa: F811
    first = pull(mirror, settings, out=tmp_path / "theirs/works")
    shutil.copytree(tmp_path / "theirs", tmp_path / "repository", symlinks=True)
    done = pull(mirror, settings, out=tmp_path / "repository/works")
    assert done.fetched < first.fetched / 2  # the note and the manifest
    assert list_digests(done.path.resolve()) == list_digests(first.path.resolve())


def test_many_folders_leave_the_pin_readable(mirror, settings, tmp_path):  # noqa: F811
    made, pins = pull(mirror, settings, out=tmp_path / "works"), SnapshotPins()
    for n in range(200):
        other = tmp_path / f"folder {n}"
        other.mkdir()
        (other / "manifest.json").write_text("{}")
        pins.vouch(mirror.url, other)
    assert pins.vouches(mirror.url, other)
    assert not pins.vouches(mirror.url, made.path.resolve())
    assert not pins.vouches(mirror.url, tmp_path / "missing")


def test_an_offered_key_is_quoted_for_a_shell(mirror, settings):  # noqa: F811
    """Low: the hint was a command line in which a key's name could hold another command."""
    offered = SignerKey.generate("$(touch${IFS}owned);x").verifier.text
    (mirror.folder / "snapshot.vkey").write_text(offered)
    with pytest.raises(SnapshotError) as told:
        pull(mirror, settings, key=None)
    assert f"--key '{offered}'" in told.value.hint
    assert KEY.verifier.text != offered
