"""A snapshot that somebody else made: its manifest names only its own files, and counts that can be."""

from __future__ import annotations

import hashlib
import json
import os
import shutil

import pytest

from citeproof.errors import InputError, SnapshotError
from citeproof.evidence.index.build import build
from citeproof.evidence.index.manifest import check_snapshot, load
from citeproof.evidence.index.publication import publish_snapshot
from citeproof.evidence.index.pulled_folder import PulledFolder
from citeproof.evidence.index.record_intake import BuildInput
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.signed_note import SignerKey

SECRET = b"a private file\n"
FACT = {"bytes": len(SECRET), "sha256": hashlib.sha256(SECRET).hexdigest()}


def set_records(made, count):
    made["records"] = made["sources"][0]["records"] = count


CASES = {
    "a file above": (lambda made: made["files"].update({"../secret": FACT}), "names a file outside"),
    "an absolute file": (lambda made: made["files"].update({"/etc/secret": FACT}), "names a file outside"),
    "a file with an escape": (lambda made: made["files"].update({"\x1b[2J": FACT}), "names a file outside"),
    "layers, which are gone": (lambda made: made.update(parts=[{"path": "parts/0"}]), "is in layers"),
    "no records": (lambda made: set_records(made, 0), "do not add up"),
    "less than none": (lambda made: set_records(made, -1), "do not add up"),
    "more than there can be": (lambda made: set_records(made, 10**12), "do not add up"),
    "an id with an escape": (lambda made: made.update(id="cps1-\x1b]0;x\x07"), "has no valid id"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_manifest_that_cannot_be_is_refused(case, folder, tmp_path):
    edit, told = CASES[case]
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    made = json.loads((copy / "manifest.json").read_text())
    edit(made)
    (copy / "manifest.json").write_text(json.dumps(made))
    with pytest.raises(SnapshotError) as refused:
        load(copy)
    assert told in refused.value.message
    assert (refused.value.place, bool(refused.value.hint)) == (str(copy / "manifest.json"), True)


def test_what_a_link_leads_to_is_not_passed_on(folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (tmp_path / "secret").write_bytes(SECRET)
    (copy / "extra.bin").symlink_to(tmp_path / "secret")
    made = json.loads((copy / "manifest.json").read_text())
    made["files"]["extra.bin"] = FACT
    (copy / "manifest.json").write_text(json.dumps(made))
    Snapshot.open(copy).close()  # to read is harmless: some tools keep every file behind a link
    with pytest.raises(SnapshotError, match="is a link"):
        publish_snapshot(copy, tmp_path / "out", SignerKey.generate("example.org/works"), SystemClock())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["manifest.json", "links.bin"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(folder, tmp_path, name):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / name).unlink()
    os.mkfifo(copy / name)
    with pytest.raises(SnapshotError, match="is not a plain file"):
        Snapshot.open(copy)
    if name != "manifest.json":
        assert [(one.file, one.message) for one in check_snapshot(copy)] == [(name, "is not a plain file")]


def test_a_pipe_is_not_built_from(tmp_path):
    os.mkfifo(tmp_path / "pipe.bib")
    with pytest.raises(InputError, match="is not a plain file"):
        build([BuildInput("bibtex", (tmp_path / "pipe.bib",))], tmp_path / "new")


def test_nothing_is_written_into_a_snapshot(folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    key = SignerKey.generate("example.org/works")
    for write in (
        lambda out: publish_snapshot(folder, out, key, SystemClock()),
        lambda out: publish_snapshot(folder, out.parent.parent, key, SystemClock()),
    ):
        with pytest.raises(SnapshotError, match="is inside a snapshot"):
            write(copy / "new" / "one")
    with pytest.raises(SnapshotError, match="is inside a snapshot"), PulledFolder(copy / "pulled").hold():
        pass
    assert check_snapshot(copy) == ()


def test_a_folder_that_cannot_be_written_is_told(folder, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SnapshotError, match="cannot be written: Not a directory") as told:
        publish_snapshot(folder, tmp_path / "file" / "out", SignerKey.generate("x.org/y"), SystemClock())
    assert (told.value.place, bool(told.value.hint)) == (str(tmp_path / "file" / "out"), True)
