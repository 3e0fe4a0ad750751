"""A snapshot with a flipped bit answers, or says that it is damaged, where, and what to do: never a bug."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.surfaces.cli.main import main
from citeproof.vocabulary import Name
from tests.evidence.index.conftest import WORKS

FLIPS = 30  # bits of each file
FILES = (
    "facts.json", "keys.bin", "keys.dir", "links.bin", "manifest.json", "records.idx", "records.zst",
    "venues.bin", "text",
)  # fmt: skip


def _ask_everything(folder: Path) -> None:
    with Snapshot.open(folder) as snapshot:
        assert snapshot.covers
        for work in WORKS:
            title, names = str(work["t"]), [Name(*reversed(name.split()[:2])) for name in work.get("a", [])]
            snapshot.by_id("doi", str(work.get("d")))
            snapshot.facts.knows_doi_prefix("10.1103")
            snapshot.facts.venue_count("NAACL")
            snapshot.by_title(title, authors=names)
            snapshot.by_authors(names)
            snapshot.search(f"{title} 2019")
        for ordinal in range(snapshot.manifest.records):
            snapshot.same_work(snapshot.record_at(ordinal))


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_is_told_or_harmless(folder, tmp_path, name):
    copy, chance = tmp_path / "snapshot", random.Random(name)
    shutil.copytree(folder, copy)
    paths = sorted((copy / name).iterdir()) if (copy / name).is_dir() else [copy / name]
    for _ in range(FLIPS):
        path = chance.choice([path for path in paths if path.stat().st_size])
        data = path.read_bytes()
        at, bit = chance.randrange(len(data)), chance.randrange(8)
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :])
        told = None
        try:
            _ask_everything(copy)
        except SnapshotError as error:  # anything else fails
            told = error
        assert told is None or (str(copy) in told.place and told.hint)
        path.write_bytes(data)


@pytest.mark.parametrize("name", ["facts.json", "venues.bin"])
def test_every_flip_in_the_facts_is_told(folder, tmp_path, name):
    copy = tmp_path / "snapshot"
    shutil.copytree(folder, copy)
    data = (copy / name).read_bytes()
    for at in range(0, len(data), 5):
        (copy / name).write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        with Snapshot.open(copy) as snapshot, pytest.raises(SnapshotError, match="it is damaged") as told:
            snapshot.facts.knows_doi_prefix(
                "10.1103"
            ) if name == "facts.json" else snapshot.facts.venue_count("NAACL")
        assert told.value.place == str(copy / name)


def test_the_command_says_where_and_what_to_do(folder, tmp_path, capsys):
    copy = tmp_path / "snapshot"
    shutil.copytree(folder, copy)
    facts = copy / "facts.json"
    facts.write_bytes(facts.read_bytes().replace(b'"dois"', b'"doys"'))
    (tmp_path / "x.bib").write_text("@article{k, title={Attention is All you Need}, doi={10.1103/x}}")
    with pytest.raises(SystemExit) as ended:
        main(["check", str(tmp_path / "x.bib"), "--offline", "--snapshot", str(copy)])
    err = capsys.readouterr().err
    assert ended.value.code not in {0, 1}
    assert ("This is a bug" in err, str(facts) in err, "hint: build it again" in err) == (False, True, True)
