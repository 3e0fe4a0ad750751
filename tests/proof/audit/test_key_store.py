"""Private keys: kept apart from the log, for their user alone, never overwritten, never shown."""

from __future__ import annotations

import pytest

from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.signed_note import SignerKey
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore, make_origin, store_key
from tests.proof.audit.logs import Ticking, again, assert_sound, events, made


def test_made_and_found(tmp_path):
    keys = KeyStore(tmp_path / "config" / "audit")
    key = keys.make("example.org/log")
    path = tmp_path / "config/audit" / f"{key.verifier.id.hex()}.key"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert path.read_text() == key.text + "\n"
    assert key.text.startswith(f"PRIVATE+KEY+example.org/log+{key.verifier.id.hex()}+")
    assert keys.find(key.verifier.text) == keys.find(key.verifier) == key
    assert keys.make("example.org/log") != key


def test_one_file(tmp_path):
    keys = KeyStore(tmp_path / "my.key")
    key = keys.make("example.org/log")
    assert KeyStore(tmp_path / "my.key").find(key.verifier) == key
    keys.keep_signed(key, b"note")
    assert (
        keys.last_signed(key.verifier)
        == (tmp_path / f"{key.verifier.id.hex()}.signed").read_bytes()
        == b"note"
    )
    other = keys.make("example.org/other")  # beside it: nothing is overwritten
    assert (tmp_path / f"{other.verifier.id.hex()}.key").read_text() == other.text + "\n"
    assert (keys.find(key.verifier), keys.find(other.verifier)) == (key, other)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (".", "main.key"),
        (".", "{id}.key"),
        ("main.key", "main.key"),
        ("main.key", "other.key"),
        ("main.key", "{id}.key"),
        ("absent.key", "main.key"),
    ],
)
def test_a_key_under_any_name(tmp_path, place, name):
    """Beside files that are none, or not of this log, or not to be read."""
    key, other = SignerKey.generate("example.org/log"), SignerKey.generate("example.org/other")
    (tmp_path / "a.key").write_text("no key")
    (tmp_path / "b.key").mkdir()
    (tmp_path / "c.key").symlink_to("nowhere")
    (tmp_path / "main.key").write_text(other.text)
    path = tmp_path / name.format(id=key.verifier.id.hex())
    path.write_text(key.text)
    path.chmod(0o600)
    assert KeyStore(tmp_path / place).find(key.verifier) == key


@pytest.mark.parametrize(
    ("mode", "used"),
    [
        (0o600, True),
        (0o400, True),
        (0o700, True),
        (0o640, False),
        (0o604, False),
        (0o644, False),
        (0o620, False),
    ],
    ids=oct,
)
@pytest.mark.parametrize("name", ["main.key", "{id}.key"])
def test_a_key_that_others_can_read_is_refused(tmp_path, name, mode, used):
    key = SignerKey.generate("example.org/log")
    path = tmp_path / name.format(id=key.verifier.id.hex())
    store_key(path, key)
    path.chmod(mode)
    for take in (lambda: KeyStore(tmp_path).find(key.verifier), KeyStore(path).find_unused):
        if used:
            assert take() == key
            continue
        with pytest.raises(AuditError, match="others can read this private key") as told:
            take()
        assert (told.value.place, told.value.hint.partition(";")[0]) == (str(path), f"chmod 600 {path}")


@pytest.mark.parametrize("place", [".", "main.key"])
def test_a_log_is_rotated_with_a_key_of_any_name(tmp_path, place):
    (tmp_path / "keys").mkdir()
    store_key(tmp_path / "keys/main.key", SignerKey.generate("example.org/main"))
    with AuditLog.open_or_create(tmp_path / "log", Ticking(), KeyStore(tmp_path / "keys/main.key")) as log:
        log.append("a", events(2))
        log.integrate()
    for count in (1, 2):
        with AuditLog.open(tmp_path / "log", Ticking(), KeyStore(tmp_path / "keys" / place)) as log:
            assert_sound(log.rotate())
            assert (tmp_path / "keys" / f"{log.key.id.hex()}.key").is_file()
        assert len(list((tmp_path / "keys").glob("*.key"))) == 1 + count
    with AuditLog.open(tmp_path / "log", Ticking(), KeyStore(tmp_path / "keys" / place)) as log:
        log.append("a", events(1))
        log.integrate()
    assert_sound(tmp_path / "log")


def test_what_was_signed_last(tmp_path):
    keys = KeyStore(tmp_path)
    key = keys.make("example.org/log")
    assert keys.last_signed(key) is None
    for note in (b"one", b"two"):
        keys.keep_signed(key, note)
        assert keys.last_signed(key) == note


def test_fresh_origins_differ():
    assert len({make_origin() for _ in range(100)}) == 100
    assert all(len(make_origin()) == len("citeproof.local/") + 16 for _ in range(3))


@pytest.mark.parametrize(
    "origin", ["", "a b", "a+b", "a\nb", "https://x y", "é", "/x", "a" * 201, "a\x1b[2J"]
)
def test_no_name_for_a_log(tmp_path, origin):
    with pytest.raises(UsageError, match="not a valid log name"):
        KeyStore(tmp_path / "keys").make(origin)
    assert not (tmp_path / "keys").exists()
    with pytest.raises(UsageError, match="not a valid log name"):
        made(tmp_path, origin=origin)
    assert not (tmp_path / "log").exists()


def test_nothing_is_overwritten(tmp_path):
    path = tmp_path / "x.key"
    path.write_text("precious")
    with pytest.raises(UsageError, match="already exists"):
        store_key(path, SignerKey.generate("example.org/x"))
    assert path.read_text() == "precious"


def test_a_key_that_is_not_there(tmp_path):
    made(tmp_path).append("a", events(1))
    (key,) = (tmp_path / "keys").glob("*.key")
    key.rename(tmp_path / "away")
    with pytest.raises(AuditError, match="private key of the log example\\.org/log is not here") as told:
        again(tmp_path)
    assert "put the key file back" in told.value.hint
    (tmp_path / "away").rename(key)
    again(tmp_path).integrate()
    assert_sound(tmp_path / "log")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SignerKey("example.org/other", 1, bytes(32)).text, "is not the key of the log"),
        (SignerKey("example.org/log", 1, bytes(32)).text, "is not the key of the log"),
        ("PRIVATE+KEY+example.org/log+00000000+AAAA", "not a private key file"),
        ("", "not a private key file"),
        ("\xff\x00", "not a private key file"),
        ("x" * 2_000_000, "is too large"),
    ],
)
def test_a_foreign_key(tmp_path, text, told):
    made(tmp_path)
    (key,) = (tmp_path / "keys").glob("*.key")
    seed = key.read_text().split("+", 4)[4].strip()
    key.write_text(text, "latin-1")
    with pytest.raises(AuditError, match=told) as caught:
        again(tmp_path)
    assert seed not in str(caught.value)


def test_the_secret_is_in_no_file_of_the_log(tmp_path):
    log = made(tmp_path)
    log.append("a", events(3))
    log.commit("a", [])
    log.rotate()
    for key in (tmp_path / "keys").glob("*.key"):
        secret = key.read_bytes().split(b"+", 4)[4].strip()
        assert not [path for path in log.folder.rglob("*") if path.is_file() and secret in path.read_bytes()]
