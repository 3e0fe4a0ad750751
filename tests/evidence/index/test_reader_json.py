"""JSON dumps in every wrapping, whole and broken."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from citeproof.errors import InputError
from citeproof.evidence.index.readers import _json_works
from citeproof.evidence.index.readers.base import BadRecord
from citeproof.evidence.index.readers.crossref import READER
from citeproof.laboratory.testing.apis.crossref import build_crossref_item
from tests.evidence.sources.shelved import ELEMENTS, HIGGS, PLANCK, RESNET, WAKEFIELD

WORKS = [build_crossref_item(one) for one in (RESNET, WAKEFIELD, PLANCK, ELEMENTS, HIGGS)]
WORKS[0]["abstract"] = 'brackets ]}[{ and \\ "quotes" \\" in a string'
NAMES = [work["DOI"] for work in WORKS]
ITEMS = json.dumps({"items": WORKS}).encode()
LINES = b"".join(json.dumps(work).encode() + b"\n" for work in WORKS)


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def tar(**members: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        folder = tarfile.TarInfo("dump")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        link = tarfile.TarInfo("dump/link.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        for name, data in members.items():
            info = tarfile.TarInfo(name.replace("__", "/").replace("_", "."))
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def read(*paths: Path) -> tuple[list[str], list[BadRecord]]:
    found = list(READER.read(paths))
    bad = [one for one in found if isinstance(one, BadRecord)]
    return [one.id for one in found if not isinstance(one, BadRecord)], bad


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", ITEMS),
        ("a.json", b"\xef\xbb\xbf \n" + json.dumps({"items": WORKS}, indent=1).encode()),
        ("a.json", json.dumps(WORKS).encode()),
        ("a.json.gz", gzip.compress(ITEMS)),
        ("a.json.zst", zstandard.compress(ITEMS)),
        ("a.jsonl", LINES + b"\n  \n"),
        ("a.jsonl.gz", gzip.compress(LINES)),
        ("a.tar", tar(**{"0_json_gz": gzip.compress(ITEMS)})),
        ("a.tar", tar(dump__1_jsonl=LINES, dump__readme_txt=b"not JSON")),
        ("a.tar.gz", gzip.compress(tar(**{"0_json": ITEMS}))),
        ("a.zip", zipped({"dump/": b"", "dump/0.json.gz": gzip.compress(ITEMS)})),
    ],
)
def test_every_wrapping(tmp_path: Path, name: str, data: bytes) -> None:
    assert read(written(tmp_path, name, data)) == (NAMES, [])


@pytest.mark.parametrize("chunk", [1, 2, 7, 64, 1000])
def test_the_scanner_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(_json_works, "WHOLE", 64)
    monkeypatch.setattr(_json_works, "_CHUNK", chunk)
    data = json.dumps({"items": WORKS}, indent=1).encode()
    assert read(written(tmp_path, "a.json", data)) == (NAMES, [])


def test_order_is_that_of_the_archive_and_of_the_paths(tmp_path: Path) -> None:
    one = tar(z_json=json.dumps([WORKS[4]]).encode(), a_json=json.dumps([WORKS[0]]).encode())
    paths = (written(tmp_path, "b.tar", one), written(tmp_path, "a.json", json.dumps([WORKS[2]]).encode()))
    assert read(*paths)[0] == [NAMES[4], NAMES[0], NAMES[2]]
    assert read(*paths) == read(*paths)


@pytest.mark.parametrize(
    ("name", "data", "good", "line", "part"),
    [
        ("a.json", json.dumps([WORKS[0], 3, WORKS[1]]).encode(), 2, 2, "not a work"),
        ("a.json", json.dumps([WORKS[0], {"DOI": "10.1234/a"}]).encode(), 1, 2, "no usable title"),
        ("a.jsonl", LINES + b"{broken\n", 5, 6, "not a work"),
        ("a.jsonl", b"[" * 5000, 0, 1, ""),
        ("a.jsonl", b'{"a": ' + b"[" * 5000 + b"\n" + LINES, 5, 1, "not a work"),
        ("a.jsonl", b'{"title": "\xff\xfe"}\n' + LINES, 5, 1, "not a work"),
        ("a.jsonl", b'{"x": "' + b"y" * 5_000_000 + b'"}\n' + LINES, 5, 1, "longer than"),
        ("a.tar", tar(**{"0_json_gz": gzip.compress(ITEMS)[:300], "1_json": ITEMS}), 5, None, "damaged"),
        ("a.tar", tar(**{"0_json_gz": b"not gzip", "1_json": ITEMS}), 5, None, "damaged"),
        ("a.tar", tar(**{"0_json_zst": b"not zstd", "1_json": ITEMS}), 5, None, "damaged"),
    ],
)
def test_what_is_broken_never_costs_the_rest(
    tmp_path: Path, name: str, data: bytes, good: int | None, line: int | None, part: str
) -> None:
    found, bad = read(written(tmp_path, name, data))
    assert good is None or len(found) == good
    assert len(bad) == 1
    assert part in bad[0].message
    assert line is None or bad[0].place.line == line
    assert name in bad[0].place.file


def test_a_broken_list_gives_what_stands_before(tmp_path: Path) -> None:
    found, bad = read(written(tmp_path, "a.json", ITEMS[:-200]))
    assert found == NAMES[:4]
    assert [(one.place.line, one.message) for one in bad] == [(5, "the list breaks off here")]


def test_lists_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json_works, "WHOLE", 64)
    monkeypatch.setattr(_json_works, "_CHUNK", 512)
    monkeypatch.setattr(_json_works, "MAX_ITEM", 10_000)
    huge = written(tmp_path, "a.json", json.dumps([WORKS[0], {"x": "y" * 50_000}, WORKS[1]]).encode())
    found, bad = read(huge)
    assert (found, "longer than 10,000 bytes" in bad[0].message) == (NAMES[:1], True)
    monkeypatch.setattr(_json_works, "MAX_MEMBER", 3000)
    found, bad = read(written(tmp_path, "b.json", ITEMS))
    assert (len(found) < 5, "longer than 3,000 bytes" in bad[0].message) == (True, True)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.tar", b"not a tar" * 100),
        ("a.tar", b""),
        ("a.json.gz", gzip.compress(ITEMS)[:-20]),
        ("a.json.gz", b"not gzip"),
        ("a.jsonl.gz", gzip.compress(LINES)[:200] + b"\x00" * 400),
        ("a.json.zst", b"not zstd"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, name: str, data: bytes) -> None:
    path = written(tmp_path, name, data)
    with pytest.raises(InputError) as caught:
        read(path)
    assert caught.value.place == str(path)
    assert "damaged" in caught.value.message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "nothing.json")


def test_an_empty_file_has_no_works(tmp_path: Path) -> None:
    assert read(written(tmp_path, "a.json", b"")) == ([], [])
