"""No signature, an old one, values that are gone or came back: never called sound, and always told why."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from citeproof.errors import AuditError
from citeproof.plumbing.signed_note import SignerKey, sign_note
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import log_view
from citeproof.proof.audit.anchors.base import AnchorContext, make
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.verify.log_check import NOTHING_KEPT, verify
from citeproof.proof.audit.verify.log_files import KeptCheckpoint
from tests.proof.audit.making import ORIGIN, Made, Ticking, copied, make_log, ran, text_of, told


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("made"), 20, runs=1)


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in ("AUDIT_DIR", "AUDIT_KEY", "AUDIT_ANCHORS"):
        monkeypatch.delenv(f"CITEPROOF_{name}", raising=False)


# --- nothing is signed ---------------------------------------------------------------------------------


def _forged(place: Path, *, commits: bool = False, files: bool = False, state: int = 0) -> Made:
    """Return a history that nobody signed: all of it in the journal, as a new log has it."""
    log = AuditLog.open_or_create(place / "audit", Ticking(), KeyStore(place / "keys"), ORIGIN)
    log.append("r", [{"ev": "verified", "ref": n} for n in range(1, 4)])
    if commits:
        log.append("r", [{"ev": "merkle_commit", "size": 3, "root": "00" * 32, "prior": None, "anchors": []}])
    folder, public = place / "audit", log.key
    log.close()
    if files:
        (folder / "commits/r").mkdir(parents=True)
        key = KeyStore(place / "keys").find(public)
        signed = sign_note(f"{ORIGIN}\n1\n{'A' * 43}=\n", key)
        (folder / "commits/r/2026-03-01T09.merkle").write_bytes(signed)
    if state:
        told = json.loads((folder / "state.json").read_bytes()) | {"size": state, "journal": 1}
        (folder / "state.json").write_text(json.dumps(told, separators=(",", ":"), sort_keys=True))
    return Made(folder, place / "keys", public)


@pytest.mark.parametrize(
    ("more", "code", "word"),
    [
        ({}, 4, "? could not be checked: nothing here is signed: 3 events could be by anyone"),
        ({"commits": True}, 1, "✗ checkpoint: it is missing, though event 3, a commit, shows that"),
        ({"files": True}, 1, "✗ checkpoint: it is missing, though commits/r/2026-03-01T09.merkle shows"),
        ({"state": 2}, 1, "✗ checkpoint: it is missing, though state.json shows that the log was signed"),
    ],
)
@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_nothing_is_signed(tmp_path, more, code, word, quiet):
    forged = _forged(tmp_path, **more)
    ended = ran("verify", forged.folder, "--key", forged.key.text, *quiet)
    assert (ended.code, word in ended.out, "sound" in ended.out) == (code, True, False)
    assert ": 4 events" in ended.out if more.get("commits") else ": 3 events" in ended.out
    assert ended.out.splitlines()[-2].partition(": ")[2].startswith(("3 events, not signed, of 1 run;", "4 "))


def test_what_the_key_signed_last_shows_that_it_was_signed(tmp_path):
    forged = _forged(tmp_path)
    Made(forged.folder, forged.keys, forged.key).open().integrate()
    for name in ("checkpoint", "state.json"):
        (forged.folder / name).unlink()
    shutil.rmtree(forged.folder / "tile")
    (forged.folder / "journal-3").unlink()
    (forged.folder / "journal-0").write_bytes((forged.folder / "r.jsonl").read_bytes())
    assert ran("verify", forged.folder).code == 4
    ended = ran("verify", forged.folder, "--checkpoint", next(forged.keys.glob("*.signed")))
    assert (ended.code, "shows that the log was signed" in ended.out) == (1, True)


@pytest.mark.parametrize("went_on", [False, True])
def test_a_crash_in_the_first_signature_is_no_tampering(tmp_path, went_on):
    """Tiles, state.json and what was signed are there, not the checkpoint; perhaps another writer went on."""
    forged = _forged(tmp_path)
    journal = (forged.folder / "journal-0").read_bytes()
    with Made(forged.folder, forged.keys, forged.key).open() as log:
        signed = log.integrate()
    (forged.folder / "checkpoint").unlink()
    if not went_on:
        (forged.folder / "journal-3").unlink()
        (forged.folder / "journal-0").write_bytes(journal)
    found = verify(forged.folder, [forged.key], kept=[KeptCheckpoint("mine", signed, early=True)])
    assert found.problems == ()
    assert found.unchecked == ("nothing here is signed: 3 events could be by anyone",)


def test_two_crashes_in_the_first_signatures_are_no_tampering(tmp_path, monkeypatch):
    """A second writer does not grow a tree that nobody has signed: that would look like a lost checkpoint."""
    forged, write = _forged(tmp_path), log_view.replace_durably

    def fail(path: Path, data: bytes) -> None:
        if path.name == "checkpoint":
            raise OSError(5, "Input/output error")
        write(path, data)

    monkeypatch.setattr(log_view, "replace_durably", fail)
    for _ in range(2):
        with Made(forged.folder, forged.keys, forged.key).open() as log:
            log.append("r", [{"ev": "verified", "ref": 9}])
            with pytest.raises(AuditError):
                log.integrate()
        with Made(forged.folder, forged.keys, forged.key).open():
            assert verify(forged.folder, [forged.key]).problems == ()
    monkeypatch.undo()
    with Made(forged.folder, forged.keys, forged.key).open() as log:
        log.integrate()
    found = verify(forged.folder, [forged.key])
    assert (found.problems, found.unchecked, found.size) == ((), (), 5)


def test_a_new_log_is_fine(tmp_path):
    log = AuditLog.open_or_create(tmp_path / "audit", Ticking(), KeyStore(tmp_path / "keys"), ORIGIN)
    log.close()
    ended = ran("verify", tmp_path / "audit", "--key", log.key.text)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "sound")
    assert ": 0 events of 0 runs; " in ended.out


def test_one_of_each(tmp_path):
    made = make_log(tmp_path, 1, runs=1, commits=1)
    out = ran("verify", made.folder, "--key", made.key.text).out
    assert ": 2 events of 1 run, root " in out
    assert "; 1 older checkpoint, 1 commit, 1 body, 1 private row\n" in out


# --- an older checkpoint -------------------------------------------------------------------------------


@pytest.fixture
def older(tmp_path) -> tuple[Made, bytes]:
    """A log whose checkpoint was put back to an older one, and the newest."""
    made = make_log(tmp_path, 20, runs=1, commits=1)
    before = (made.folder / "checkpoint").read_bytes()
    with made.open() as log:
        for number in (1, 2):
            log.append("h_0", [{"ev": "verified", "ref": 90 + number}])
            newest = log.integrate()
    (made.folder / "checkpoint").write_bytes(before)
    return made, newest


def test_an_older_checkpoint(older, tmp_path, monkeypatch):
    made, newest = older
    (tmp_path / "kept").write_bytes(newest)
    want = f"✗ checkpoint: the checkpoint is older than {tmp_path / 'kept'}, which signs 2 more events\n"
    ended = ran("verify", made.folder, "--checkpoint", tmp_path / "kept")
    assert (ended.code, want in ended.out, NOTHING_KEPT in ended.out) == (1, True, False)
    monkeypatch.setenv("CITEPROOF_AUDIT_KEY", str(made.keys))
    ended = ran("verify", made.folder, "--quiet")
    assert (ended.code, "older than the last checkpoint signed with" in ended.out) == (1, True)
    (made.folder / "commits/h_0/2026-04-01T00.merkle").write_bytes(newest)
    ended = ran("verify", made.folder, "--checkpoint", tmp_path / "kept")
    assert ended.out.count("✗") == 1
    assert "; 2 other checkpoints say so too" in ended.out


def test_an_older_checkpoint_than_commits_that_events_name(tmp_path):
    made = make_log(tmp_path, 20, runs=1, commits=1)
    before = (made.folder / "checkpoint").read_bytes()
    with made.open() as log:
        log.append("h_0", [{"ev": "verified", "ref": 91}])
        log.commit("h_0")
    (made.folder / "checkpoint").write_bytes(before)
    want = "the checkpoint is older than the commit of event 22, which signs 1 more event"
    assert told(made) == [f"checkpoint: {want}"]


def test_rolled_back_is_said_once(tmp_path):
    made = make_log(tmp_path, 20, runs=1, commits=1)
    shutil.copytree(made.folder, tmp_path / "before")
    with made.open() as log:
        anchor = make("folder:commits", AnchorContext(made.folder, Ticking()))
        for number in range(3):
            log.append("h_0", [{"ev": "verified", "ref": 90 + number}])
            log.commit("h_0", [anchor])
    shutil.rmtree(tmp_path / "before/commits")
    shutil.copytree(made.folder / "commits", tmp_path / "before/commits")
    found = verify(tmp_path / "before", [made.key])
    [one] = found.problems
    assert one.what == (
        "the log was rolled back: it had 26 events, 5 of them are gone; 2 other checkpoints say so too"
    )
    assert NOTHING_KEPT not in found.notes


# --- what is gone, what came back ----------------------------------------------------------------------


def test_checkpoints_that_events_name_and_that_are_gone(made, tmp_path):
    touched = copied(made, tmp_path)
    [first, second] = sorted((touched.folder / "commits/h_0").iterdir())
    second.unlink()
    place = second.relative_to(touched.folder)
    found = verify(touched.folder, [made.key])
    assert (found.problems, found.unchecked) == (
        (), (f"1 checkpoint that merkle_commit events name is gone: {place}",),
    )  # fmt: skip
    first.unlink()
    ended = ran("verify", touched.folder, "--key", made.key.text, "--quiet")
    assert (ended.code, "2 checkpoints that merkle_commit events name are gone" in ended.out) == (4, True)
    assert ended.out.splitlines()[-1] == "not everything could be checked"


def test_private_rows_of_another_log(made, tmp_path):
    touched, other = copied(made, tmp_path), make_log(tmp_path / "other", 20, runs=1)
    shutil.copy(other.folder / "private.sqlite", touched.folder)
    found = verify(touched.folder, [made.key])
    assert found.problems == ()
    assert found.unchecked[0].startswith("private.sqlite: 20 values of 20 that events commit to cannot be")


def test_values_that_came_back(tmp_path):
    made = make_log(tmp_path, 20, runs=1)
    shutil.copy(made.folder / "private.sqlite", tmp_path / "backup")
    rows = [json.loads(line)["case"] for line in (made.folder / "h_0.jsonl").read_bytes().splitlines()[:3]]
    with made.open() as log:
        log.append("h_0", [{"ev": "redacted", "commitments": rows, "reason": "asked"}])
        log.integrate()
    private = PrivateStore(made.folder)
    private.erase(rows)
    private.close()
    assert ran("verify", made.folder, "--key", made.key.text).code == 0
    shutil.copy(tmp_path / "backup", made.folder / "private.sqlite")
    ended = ran("verify", made.folder, "--key", made.key.text)
    assert ended.code == 1
    assert "✗ private.sqlite: 3 values that the log says were erased are there again: `citeproof" in ended.out


@pytest.mark.parametrize("name", ["evidence.sqlite", "private.sqlite"])
def test_a_store_that_holds_nothing_yet(tmp_path, name):
    """A full disk leaves an empty file, or one without tables: nothing needs it."""
    made = make_log(tmp_path, 2, runs=1, commits=1, bare=True)
    (made.folder / name).touch()
    assert told(made) == []
    connection = sqlite3.connect(made.folder / name)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert (made.folder / name).stat().st_size > 0
    assert told(made) == []


# --- wrongly used --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["rubbish", "empty", "unsigned", "another log"])
def test_a_checkpoint_that_is_none(made, tmp_path, kind):
    text = text_of((made.folder / "checkpoint").read_bytes())
    other = SignerKey.generate("example.org/other")
    data = {
        "rubbish": b"\xff" * 100, "empty": b"", "unsigned": text.encode(),
        "another log": sign_note(text.replace(ORIGIN, "example.org/other"), other),
    }[kind]  # fmt: skip
    (tmp_path / "kept").write_bytes(data)
    ended = ran("verify", made.folder, "--checkpoint", tmp_path / "kept")
    assert (ended.code, ended.out) == (2, "")
    assert ("of another log, 'example.org/other'" in ended.err) == (kind == "another log")
