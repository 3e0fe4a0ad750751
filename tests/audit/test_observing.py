"""Another log's checkpoint, logged here: what was seen once cannot be taken back."""

from __future__ import annotations

import shutil

import pytest

from citeproof.audit.note import SignerKey, sign
from citeproof.audit.observing import observe
from citeproof.errors import AuditError
from tests.audit.logs import assert_sound, events, made


@pytest.fixture
def pair(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "theirs").mkdir()
    mine, theirs = made(tmp_path / "mine"), made(tmp_path / "theirs", origin="example.net/other")
    theirs.append("x", events(300))
    theirs.integrate()
    return mine, theirs


def test_observed(pair):
    mine, theirs = pair
    sizes = []
    for count in (0, 5, 400):
        theirs.append("x", events(count))
        theirs.integrate()
        seen, shown = observe(mine, theirs.folder, theirs.key)
        sizes.append(seen.size)
        assert shown
    assert sizes == [300, 305, 705]
    entries = assert_sound(mine.folder)
    assert [(entry["ev"], entry["origin"], entry["size"]) for entry in entries] == [
        ("checkpoint", "example.net/other", size) for size in sizes
    ]
    assert [entry.get("prior") for entry in entries] == [None, entries[0]["root"], entries[1]["root"]]
    assert {entry["key"] for entry in entries} == {theirs.key.text}


def test_a_file_alone_shows_less(pair, tmp_path):
    mine, theirs = pair
    kept = shutil.copy(theirs.folder / "checkpoint", tmp_path / "kept")
    assert observe(mine, tmp_path / "kept", theirs.key)[1]
    theirs.append("x", events(1))
    (tmp_path / "later").write_bytes(theirs.integrate())
    assert not observe(mine, tmp_path / "later", theirs.key)[1]
    with pytest.raises(AuditError, match="was rolled back: it had 301 entries, now 300"):
        observe(mine, kept, theirs.key)


def test_a_fork_is_refused(pair, tmp_path):
    mine, theirs = pair
    shutil.copytree(tmp_path / "theirs", tmp_path / "twin")
    theirs.append("x", events(7))
    theirs.integrate()
    observe(mine, theirs.folder, theirs.key)
    twin = made(tmp_path / "twin")
    for count in (7, 50):
        twin.append("x", events(count, 9000))
        twin.integrate()
        with pytest.raises(AuditError, match="shows another tree than before"):
            observe(mine, twin.folder, theirs.key)
    assert mine.size == 1


def test_a_checkpoint_that_is_none(pair, tmp_path):
    mine, theirs = pair
    stranger = SignerKey("example.net/other", 1, bytes(32))
    with pytest.raises(AuditError, match="none of the given keys signed"):
        observe(mine, theirs.folder, stranger.verifier)
    with pytest.raises(AuditError, match="there is no checkpoint"):
        observe(mine, tmp_path / "nowhere", theirs.key)
    for note, told in ((b"hello", "not a signed note"), (sign("a\nb\nc\n", stranger), "not a checkpoint")):
        (tmp_path / "note").write_bytes(note)
        with pytest.raises(AuditError, match=told):
            observe(mine, tmp_path / "note", stranger.verifier)
    (tmp_path / "note").write_bytes(sign("example.net/third\n0\n" + "A" * 43 + "=\n", stranger))
    with pytest.raises(AuditError, match=r"is of the log example\.net/third"):
        observe(mine, tmp_path / "note", stranger.verifier)
    assert mine.size == 0
