"""Opening what is no whole snapshot: an error that names the file and the hint, never a wrong answer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.manifest import check_snapshot
from citeproof.evidence.index.snapshot import Snapshot

pytestmark = pytest.mark.slow

TITLES = ["Attention is all you need", "Deep residual learning for image recognition", "On growth and form"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("whole")
    (base / "w.jsonl").write_text(
        "".join(json.dumps({"t": t, "a": ["A. Doe", "B. Roe"]}) + "\n" for t in TITLES)
    )
    build([BuildInput("works", (base / "w.jsonl",))], base / "snapshot")
    return base / "snapshot"


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "copy"))


FILES = ["records.zst", "records.idx", "records.dict", "keys.bin", "keys.dir", "links.bin", "facts.json",
         "venues.bin", "text/meta.json"]  # fmt: skip


def refused(folder: Path, *words: str) -> None:
    with pytest.raises(SnapshotError) as caught:
        Snapshot.open(folder)
    text = str(caught.value)
    assert "hint: " in text
    for word in words:
        assert word in text


@pytest.mark.parametrize("name", FILES)
def test_missing_file(copy, name):
    (copy / name).unlink()
    refused(copy, name, "missing", "build it again")


@pytest.mark.parametrize(
    "name", [name for name in FILES if name not in {"records.dict", "links.bin", "venues.bin"}]
)
@pytest.mark.parametrize("how", ["emptied", "cut", "longer"])
def test_truncated_file(copy, name, how):
    data = (copy / name).read_bytes()
    (copy / name).write_bytes({"emptied": b"", "cut": data[:-1], "longer": data + b"x"}[how])
    refused(copy, name, "truncated or damaged")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["manifest.json", "is not a snapshot's manifest"]),
        (b"{}", ["manifest.json", "is not a snapshot's manifest"]),
        (b"\xff\xfe", ["manifest.json"]),
        (b'{"format": 99}', ["format 99", "reads format 1", "update citeproof"]),
        (b'{"format": 0}', ["format 0", "build it again"]),
        (b'{"format": 1}', ["is not a snapshot's manifest"]),
        (b"[" * 100_000, ["manifest.json"]),
    ],
)
def test_damaged_manifest(copy, content, words):
    (copy / "manifest.json").write_bytes(content)
    refused(copy, *words)


def test_not_a_snapshot(tmp_path):
    refused(tmp_path, "has no manifest.json")
    refused(tmp_path / "nowhere", "no such folder")
    (tmp_path / "file").touch()
    refused(tmp_path / "file", "is a file, not a snapshot folder")


def test_a_manifest_may_not_lead_outside(copy):
    text = (copy / "manifest.json").read_text().replace('"keys.bin"', '"../keys.bin"')
    (copy / "manifest.json").write_text(text)
    refused(copy, "manifest")


@pytest.mark.parametrize("name", ["manifest.json", "keys.bin"])
def test_no_permission(copy, name, as_nobody):
    (copy / name).chmod(0)
    with as_nobody():
        refused(copy, "ermission")


def test_another_user(copy, as_nobody):
    """A snapshot that others may read is read by them; nothing in it has to be writable."""
    with as_nobody(), Snapshot.open(copy) as snapshot:
        assert snapshot.by_title("On growth and fom")[0].title == "On growth and form"


def test_opening_and_reading_changes_nothing(copy):
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in copy.rglob("*")}
    with Snapshot.open(copy) as snapshot:
        assert snapshot.by_title("On growth and fom")
        assert snapshot.by_raw("Doe A. 1917. On growth and fom.")
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in copy.rglob("*")} == before
    assert check_snapshot(copy) == ()


def _flipped(whole: Path) -> list[str]:
    return sorted(path.relative_to(whole).as_posix() for path in whole.rglob("*") if path.is_file())


def test_flipped_bytes_never_give_another_answer(whole, tmp_path):
    """Whatever byte is changed: the snapshot is refused, or it answers right, or it finds nothing."""
    for name in _flipped(whole):
        size = (whole / name).stat().st_size
        for at in range(0, size, max(1, size // 7)):
            copy = Path(shutil.copytree(whole, tmp_path / "flip"))
            data = bytearray((copy / name).read_bytes())
            data[at] ^= 0x55
            (copy / name).write_bytes(bytes(data))
            try:
                with Snapshot.open(copy) as snapshot:
                    found = snapshot.by_title("On growth and form")
                    assert not found or found[0].title in TITLES
                    if name != "manifest.json":
                        assert [damage.file for damage in check_snapshot(copy)] == [name]
            except SnapshotError as error:
                assert "hint: " in str(error)  # noqa: PT017 - an answer is as good
            shutil.rmtree(copy)
