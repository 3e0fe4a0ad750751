"""Exports verified by citeproof itself: sound ones, touched ones, and nothing in them is executed."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from citeproof.plumbing.signed_note import SignerKey
from citeproof.proof.audit.verify.export_check import hash_script
from tests.proof.audit.making import ORIGIN, Made, archive, make_log, ran, verified

DOCS = Path(__file__).parents[3] / "docs/audit.md"
EXPORTS = {"whole": {}, "part": {"runs": ["h_1"]}, "private": {"private": True}}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("made"), 60)


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


def _unpacked(made: Made, place: Path, **more) -> Path:
    with tarfile.open(fileobj=io.BytesIO(archive(made, **more))) as tar:
        tar.extractall(place, filter="data")
    return place / "audit"


def _packed(folder: Path, file: Path) -> Path:
    with tarfile.open(file, "w") as tar:
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            tar.add(path, f"audit/{path.relative_to(folder)}")
    return file


@pytest.mark.parametrize("kind", EXPORTS)
@pytest.mark.parametrize("packed", [True, False], ids=["packed", "unpacked"])
def test_a_sound_export(made, tmp_path, kind, packed):
    place = _unpacked(made, tmp_path, **EXPORTS[kind])
    if packed:
        place = tmp_path / "audit.tar"
        place.write_bytes(archive(made, **EXPORTS[kind]))
    ended = ran("verify", place, "--key", made.key.text)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "sound"), ended.out + ended.err
    assert "this is an exported archive; nothing in it was executed" in ended.out
    assert "its verify.py is not" not in ended.out


EVIL = "import pathlib; pathlib.Path({!r}).touch(); print('sound'); raise SystemExit(0)\n"


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "unpacked"])
def test_nothing_of_an_export_is_executed(made, tmp_path, monkeypatch, packed):
    """The audited party changes an event and the verifier that it sends along, and lays modules about."""
    folder, mark = _unpacked(made, tmp_path), tmp_path / "executed"
    names = ("verify.py", "json.py", "hashlib.py", "argparse.py", "sitecustomize.py", "citeproof/__init__.py")
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(EVIL.format(str(mark)))
    run = folder / "h_0.jsonl"
    run.write_bytes(run.read_bytes().replace(b"matched", b"mismatch", 1))
    assert verified(folder, "--key", made.key.text)[0] == 0  # what its own script says
    assert mark.exists()
    mark.unlink()
    monkeypatch.chdir(folder)
    place = _packed(folder, tmp_path / "audit.tar") if packed else folder
    ended = ran("verify", place, "--key", made.key.text)
    assert (ended.code, mark.exists()) == (1, False)
    assert "✗ h_0.jsonl: line 1 was changed: event 0" in ended.out
    assert "its verify.py is not that of this citeproof" in ended.out


def test_the_key_decides(made, tmp_path):
    folder = _unpacked(made, tmp_path)
    other = SignerKey.generate(ORIGIN).verifier.text
    assert ran("verify", folder, "--key", other).code == 1
    ended = ran("verify", folder)
    assert (ended.code, "the key was taken from the log's own log.json" in ended.out) == (0, True)


def test_a_checkpoint_kept_elsewhere(made, tmp_path):
    folder = _unpacked(made, tmp_path)
    kept = tmp_path / "kept"
    kept.write_bytes((made.folder / "checkpoint").read_bytes())
    ended = ran("verify", folder, "--key", made.key.text, "--checkpoint", kept)
    assert (ended.code, "rolled back" in ended.out) == (0, False)
    for flag in ("--anchors", "--deep"):
        assert ran("verify", folder, flag).code == 2


def _hostile(kind: str, made: Made, tmp_path: Path) -> bytes:
    """Return an archive with one member that no export has, or bytes that are no archive."""
    if kind == "rubbish":
        return bytes(range(256)) * 40
    if kind == "packed":
        return gzip.compress(archive(made))
    if kind == "cut off":
        return archive(made)[:-9_000]
    target = io.BytesIO(archive(made))
    with tarfile.open(fileobj=target, mode="a") as tar:
        names = {
            "above": "audit/../../escaped", "absolute": str(tmp_path / "escaped"), "elsewhere": "other/x",
            "twice": "audit/checkpoint", "below a file": "audit/checkpoint/x",
        }  # fmt: skip
        member = tarfile.TarInfo(names.get(kind, "audit/link"))
        types = {"link": tarfile.SYMTYPE, "hard link": tarfile.LNKTYPE, "pipe": tarfile.FIFOTYPE}
        member.type = types.get(kind, tarfile.CHRTYPE if kind == "device" else tarfile.REGTYPE)
        member.linkname = str(tmp_path / "escaped") if "link" in kind else ""
        tar.addfile(member)
    return target.getvalue()


@pytest.mark.parametrize(
    "kind",
    [
        "rubbish", "packed", "cut off", "above", "absolute", "elsewhere", "twice", "below a file", "link",
        "hard link", "pipe", "device",
    ],
)  # fmt: skip
def test_a_hostile_archive_is_refused(made, tmp_path, monkeypatch, kind):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "audit.tar").write_bytes(_hostile(kind, made, tmp_path))
    ended = ran("verify", tmp_path / "audit.tar", "--key", made.key.text)
    assert (ended.code, ended.out) == (2, ""), ended
    assert "hint:" in ended.err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["audit.tar", "temporary"]


def test_an_archive_without_a_log(tmp_path):
    with tarfile.open(tmp_path / "empty.tar", "w"):
        pass
    assert ran("verify", tmp_path / "empty.tar").code == 3


def test_the_script_warns_and_its_digest_is_published(made, tmp_path):
    folder = _unpacked(made, tmp_path)
    for name in ("verify.py", "README.md"):
        assert "may have changed" in (folder / name).read_text()
    assert f"{hash_script()}  verify.py" in DOCS.read_text()
