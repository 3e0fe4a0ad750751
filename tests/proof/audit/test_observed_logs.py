"""Another log's checkpoint, logged here: what was seen once cannot be taken back."""

from __future__ import annotations

import shutil

import pytest

from citeproof.errors import UsageError
from citeproof.plumbing.signed_note import SignerKey, open_note, sign_note
from citeproof.proof.audit.log_state import parse_checkpoint
from citeproof.proof.audit.observed_logs import ObservedLogError, observe_log
from tests.proof.audit.logs import assert_sound, events, made


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
        seen, shown = observe_log(mine, theirs.folder, theirs.key)
        sizes.append(seen.size)
        assert shown
    assert sizes == [300, 305, 705]
    entries = assert_sound(mine.folder)
    assert [(entry["ev"], entry["origin"], entry["size"]) for entry in entries] == [
        ("checkpoint", "example.net/other", size) for size in sizes
    ]
    assert [entry.get("prior") for entry in entries] == [None, entries[0]["root"], entries[1]["root"]]
    assert {entry["key"] for entry in entries} == {theirs.key.text}
    signed = parse_checkpoint(open_note((mine.folder / "checkpoint").read_bytes(), [mine.key]).text)
    assert signed.size == 3  # at once: what was seen cannot be taken back


@pytest.mark.parametrize("rotations", [1, 2])
def test_what_was_seen_is_known_after_a_rotation(pair, tmp_path, rotations):
    mine, theirs = pair
    kept = shutil.copy(theirs.folder / "checkpoint", tmp_path / "kept")
    shutil.copytree(tmp_path / "theirs", tmp_path / "twin")
    for _ in range(2):
        theirs.append("x", events(7))
        theirs.integrate()
        seen, _ = observe_log(mine, theirs.folder, theirs.key)
    for _ in range(rotations):
        shutil.rmtree(mine.rotate().parent)  # closed logs may be put away
    first, second = assert_sound(mine.folder)
    assert first["ev"] == "log_opened"
    carried = {name: second[name] for name in ("ev", "run", "origin", "size", "root", "key")}
    assert carried == {
        "ev": "checkpoint", "run": "observed", "origin": "example.net/other", "size": 314,
        "root": seen.root.hex(), "key": theirs.key.text,
    }  # fmt: skip
    with pytest.raises(ObservedLogError, match="was rolled back: it had 314 entries, now 300"):
        observe_log(mine, kept, theirs.key)
    twin = made(tmp_path / "twin")
    twin.append("x", events(50, 9000))
    twin.integrate()
    with pytest.raises(ObservedLogError, match="shows another tree than before"):
        observe_log(mine, twin.folder, theirs.key)
    theirs.append("x", events(1))
    theirs.integrate()
    assert observe_log(mine, theirs.folder, theirs.key)[1]
    assert assert_sound(mine.folder)[-1]["prior"] == seen.root.hex()


def test_itself(pair):
    mine, theirs = pair
    mine.integrate()
    for place, key in (
        (mine.folder, mine.key),
        (mine.folder, theirs.key),
        (mine.folder / "../log/checkpoint", theirs.key),
        (theirs.folder, mine.key),
    ):
        with pytest.raises(UsageError, match="cannot observe itself"):
            observe_log(mine, place, key)
    assert mine.size == 0


def test_tiles_that_are_gone(pair):
    mine, theirs = pair
    observe_log(mine, theirs.folder, theirs.key)
    theirs.append("x", events(7))
    theirs.integrate()
    shutil.rmtree(theirs.folder / "tile/0")
    with pytest.raises(ObservedLogError, match="cannot be shown to continue"):
        observe_log(mine, theirs.folder, theirs.key)


def test_a_file_alone_shows_less(pair, tmp_path):
    mine, theirs = pair
    kept = shutil.copy(theirs.folder / "checkpoint", tmp_path / "kept")
    assert observe_log(mine, tmp_path / "kept", theirs.key)[1]
    theirs.append("x", events(1))
    (tmp_path / "later").write_bytes(theirs.integrate())
    assert not observe_log(mine, tmp_path / "later", theirs.key)[1]
    with pytest.raises(ObservedLogError, match="was rolled back: it had 301 entries, now 300"):
        observe_log(mine, kept, theirs.key)


def test_a_fork_is_refused(pair, tmp_path):
    mine, theirs = pair
    shutil.copytree(tmp_path / "theirs", tmp_path / "twin")
    theirs.append("x", events(7))
    theirs.integrate()
    observe_log(mine, theirs.folder, theirs.key)
    twin = made(tmp_path / "twin")
    for count in (7, 50):
        twin.append("x", events(count, 9000))
        twin.integrate()
        with pytest.raises(ObservedLogError, match="shows another tree than before"):
            observe_log(mine, twin.folder, theirs.key)
    assert mine.size == 1


def test_a_checkpoint_that_is_none(pair, tmp_path):
    mine, theirs = pair
    stranger = SignerKey("example.net/other", 1, bytes(32))
    with pytest.raises(ObservedLogError, match="none of the given keys signed"):
        observe_log(mine, theirs.folder, stranger.verifier)
    (tmp_path / "empty").mkdir()
    for place in ("nowhere", "empty"):
        with pytest.raises(UsageError, match="no checkpoint found"):
            observe_log(mine, tmp_path / place, theirs.key)
    for note, told in (
        (b"hello", "not a signed note"),
        (sign_note("a\nb\nc\n", stranger), "not a checkpoint"),
    ):
        (tmp_path / "note").write_bytes(note)
        with pytest.raises(ObservedLogError, match=told):
            observe_log(mine, tmp_path / "note", stranger.verifier)
    (tmp_path / "note").write_bytes(sign_note("example.net/third\n0\n" + "A" * 43 + "=\n", stranger))
    with pytest.raises(ObservedLogError, match=r"is of the log example\.net/third"):
        observe_log(mine, tmp_path / "note", stranger.verifier)
    assert mine.size == 0
