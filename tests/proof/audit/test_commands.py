"""`citeproof audit keygen`, `commit`, `rotate` and `observe`, as a user meets them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.signed_note import COSIGNATURE, SignerKey, VerifierKey
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore, store_key
from citeproof.surfaces.cli.main import main
from tests.proof.audit.logs import assert_sound, events


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("CITEPROOF_AUDIT_KEY", str(tmp_path / "keys"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(home, capsys):
    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["audit", *map(str, arguments)])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return run


def begun(home: Path, name: str = "log", origin: str | None = None) -> AuditLog:
    log = AuditLog.open_or_create(home / name, SystemClock(), KeyStore(home / "keys"), origin)
    log.append("a", events(3))
    return log


def test_keygen(cli, home):
    code, out, err = cli("keygen", "--origin", "example.org/x")
    key = VerifierKey.parse(out)
    path = home / "keys" / f"{key.id.hex()}.key"
    assert (code, key.name, key.kind) == (0, "example.org/x", 1)
    assert str(path) in err
    secret = path.read_text().split("+", 4)[4].strip()
    assert secret not in out + err
    assert path.stat().st_mode & 0o777 == 0o600


def test_keygen_never_overwrites(cli, home):
    code, out, _ = cli("keygen", "--out", home / "w.key")
    key = VerifierKey.parse(out)
    assert (code, key.kind, key.name.startswith("citeproof.local/")) == (0, 1, True)
    before = (home / "w.key").read_text()
    code, out, err = cli("keygen", "--out", home / "w.key")
    assert (code, out, (home / "w.key").read_text()) == (2, "", before)
    assert "already exists" in err
    assert cli("keygen", "--origin", "a b")[0] == 2


def test_keygen_beside_the_key_that_is_named(cli, home, monkeypatch):
    monkeypatch.setenv("CITEPROOF_AUDIT_KEY", str(home / "keys/main.key"))
    for count in (1, 2, 3):
        assert cli("keygen")[0] == 0
        assert len(list((home / "keys").glob("*.key"))) == count
    assert (home / "keys/main.key").is_file()


def test_a_log_takes_the_key_that_was_made_for_it(cli, home):
    _, out, _ = cli("keygen", "--origin", "example.org/mine", "--out", home / "mine.key")
    log = AuditLog.open_or_create(home / "log", SystemClock(), KeyStore(home / "mine.key"))
    assert log.key == VerifierKey.parse(out)
    log.integrate()
    with pytest.raises(Exception, match="is the key of another log"):
        AuditLog.open_or_create(home / "second", SystemClock(), KeyStore(home / "mine.key"))
    store_key(home / "w.key", SignerKey.generate("witness.example", COSIGNATURE))
    with pytest.raises(Exception, match="is the key of a witness"):
        AuditLog.open_or_create(home / "second", SystemClock(), KeyStore(home / "w.key"))


def test_commit(cli, home, monkeypatch):
    log = begun(home)
    code, out, err = cli("commit", home / "log")
    assert (code, err) == (0, "")
    assert f"{log.key.name}: 4 entries signed, root " in out
    assert "  folder: commits/log/" in out
    assert [entry["ev"] for entry in assert_sound(home / "log")][-1] == "merkle_commit"
    monkeypatch.setenv("CITEPROOF_AUDIT_DIR", str(home / "log"))
    monkeypatch.setenv("CITEPROOF_AUDIT_ANCHORS", "folder:/nowhere/at/all")
    code, out, err = cli("commit", "--run", "hourly")
    assert (code, "5 entries signed" in out) == (4, True)
    assert err.startswith("warning: folder: ")


def test_an_idle_timer_does_not_grow_the_log(cli, home):
    begun(home)
    cli("commit", home / "log")
    for _ in range(2):
        code, out, err = cli("commit", home / "log")
        assert (code, err) == (0, "")
        assert "nothing new since the last commit: 4 entries, root " in out
    assert len(assert_sound(home / "log")) == 4
    assert len(list((home / "log/commits/log").iterdir())) == 1


@pytest.mark.parametrize("command", [["commit"], ["rotate"], ["observe", "{dir}", "--key", "{key}"]])
def test_no_log(cli, home, command):
    key = begun(home).key.text
    (home / "empty").mkdir()
    told = [part.format(dir=home / "log", key=key) for part in command]
    code, out, err = cli(told[0], home / "empty", *told[1:])
    assert (code, out) == (3, "")
    assert err.startswith(f"error: {home / 'empty'}: this folder has no audit log\n  hint: ")
    (home / "afile").touch()
    code, out, err = cli(told[0], home / "afile", *told[1:])
    assert (code, out) == (3, "")
    assert err.startswith(f"error: {home / 'afile'}: is a file, not a folder\n  hint: ")
    if command != ["observe", "{dir}", "--key", "{key}"]:
        assert cli(*told)[0] == 2


def test_a_log_without_its_key(cli, home):
    begun(home)
    shutil.rmtree(home / "keys")
    code, _, err = cli("commit", home / "log")
    assert code == 5
    assert "is not here" in err
    assert "hint: put the key file back" in err


def test_rotate(cli, home):
    was = begun(home, origin="example.org/main").key
    code, out, _ = cli("rotate", home / "log", "--origin", "example.org/next")
    closed, new = (line.partition(": ")[2] for line in out.splitlines())
    assert code == 0
    assert Path(closed).name.startswith("main-")
    assert VerifierKey.parse(new).name == "example.org/next"
    assert assert_sound(home / "log")[0]["key"] == was.text
    assert [entry["ev"] for entry in assert_sound(Path(closed))][-1] == "log_closed"


def test_observe(cli, home):
    mine, theirs = begun(home, "mine"), begun(home, "theirs", "example.net/theirs")
    theirs.integrate()
    shutil.copy(home / "theirs/checkpoint", home / "early")
    theirs.append("a", events(2))
    theirs.integrate()
    code, out, _ = cli("observe", home / "mine", home / "theirs", "--key", theirs.key.text)
    assert (code, out.startswith("example.net/theirs: 5 entries, root ")) == (0, True)
    code, out, err = cli("observe", home / "mine", home / "early", "--key", theirs.key.text)
    assert code == 1
    assert "was rolled back: it had 5 entries, now 3" in out
    assert "hint: " in err
    assert cli("observe", home / "mine", home / "theirs")[0] == 2
    stranger = SignerKey.generate("example.net/theirs").verifier
    code, out, err = cli("observe", home / "mine", home / "theirs", "--key", stranger.text)
    assert (code, "none of the given keys signed" in out, "hint: " in err) == (1, True, True)
    for other, key in (("nowhere", theirs.key), ("mine", mine.key), ("mine", theirs.key)):
        code, out, err = cli("observe", home / "mine", home / other, "--key", key.text)
        assert (code, out, err.startswith("error: "), "hint: " in err) == (2, "", True, True)
    assert [entry["ev"] for entry in assert_sound(home / "mine")][3:] == ["checkpoint"]
