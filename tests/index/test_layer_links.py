"""The links of a snapshot in layers are those of a fresh build, where many records share titles and ids."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from citeproof.errors import SnapshotError
from citeproof.index.build import BuildInput, build
from citeproof.index.key_table import KeyPartitions, KeyTable, write_keys
from citeproof.index.layer_update import update_snapshot
from citeproof.index.layered_files import HiddenRecords, LayeredKeys
from citeproof.index.snapshot import Snapshot
from citeproof.index.work_links import MAX_RUN, WorkLinks
from tests.index.conftest import write_works

Work = dict[str, object]
SHORT_TITLES = ("Introduction", "On heat", "A reply")
TITLES = tuple(f"A longer study of {what} and its many uses" for what in ("heat", "light", "sound", "glass"))
FAMILIES = ("Doe", "Bee", "Dee")


def make_work(rng: random.Random, number: int) -> Work:
    """Return one of few titles by one of few authors, with ids that are its own or another's."""
    work: Work = {
        "t": rng.choice(SHORT_TITLES if rng.random() < 0.3 else TITLES) + rng.choice(("", " again", " anew")),
        "a": [f"Jo {rng.choice(FAMILIES)}"],
        "p": [[rng.randrange(1990, 1994), f"Journal {rng.randrange(4)}"]],
        "d": f"10.1000/{number}",
        "i": {},
    }
    if rng.random() < 0.3:
        work["i"] = {"arxiv": f"2101.{rng.randrange(60):05}"}
    return work


def describe_works(folder: Path) -> tuple[list[object], list[set[str]], object]:
    """Return the records in order, the sets of records of one work, and what the snapshot counts."""
    with Snapshot.open(folder) as opened:
        made = opened.manifest
        records = [opened.record_at(at) for at in range(made.records)]
        works: dict[str, set[str]] = {}
        for record in records:
            if record.work:
                works.setdefault(record.work, set()).add(str(record.ids))
            for other in opened.same_work(record):
                assert other.work == record.work
        counted = [
            (made.records, made.works),
            opened.venue_count("Journal 1"),
            opened.venue_count("Journal 9"),
        ]
        shown = [(record.titles, record.authors, record.versions, record.ids) for record in records]
    return shown, sorted(works.values(), key=sorted), counted


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_every_layer_links_as_a_fresh_build(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    works = {f"10.1000/{number}": make_work(rng, number) for number in range(160)}
    now = tmp_path / "0"
    build([BuildInput("works", (write_works(tmp_path / "0.jsonl", list(works.values())),))], now)
    linked = 0
    for day in range(1, 4):
        doi = rng.sample(sorted(works), 24)
        delta = [{**make_work(rng, 0), "d": one, "i": works[one]["i"]} for one in doi[:12]]
        delta += [make_work(rng, 1000 * day + number) for number in range(8)]
        # A record replaces all that share an identifier with it, of the base and of its own layer.
        gone = {one for work in delta for one in works if shares_id(works[one], work)} | set(doi[12:])
        stays = [
            work for at, work in enumerate(delta) if not any(shares_id(work, b) for b in delta[at + 1 :])
        ]
        works = {one: work for one, work in works.items() if one not in gone}
        works |= {str(work["d"]): work for work in stays}
        inputs = [BuildInput("works", (write_works(tmp_path / f"{day}.jsonl", delta),))]
        update_snapshot(now, inputs, tmp_path / f"{day}", withdrawn=[("doi", one) for one in doi[12:]])
        now = tmp_path / f"{day}"
        fresh = tmp_path / f"fresh-{day}"
        build([BuildInput("works", (write_works(tmp_path / "after.jsonl", list(works.values())),))], fresh)
        assert describe_works(now) == describe_works(fresh)
        linked += len(describe_works(now)[1])
    assert linked > 10


def test_too_many_of_one_title_are_no_work_until_one_is_withdrawn(tmp_path: Path) -> None:
    works = [{"t": TITLES[0], "a": ["Jo Doe"], "d": f"10.1000/{number}"} for number in range(MAX_RUN + 1)]
    build([BuildInput("works", (write_works(tmp_path / "base.jsonl", works),))], tmp_path / "base")
    update_snapshot(tmp_path / "base", [], tmp_path / "fewer", withdrawn=[("doi", "10.1000/4")])
    again = [BuildInput("works", (write_works(tmp_path / "again.jsonl", works[4:5]),))]
    update_snapshot(tmp_path / "fewer", again, tmp_path / "more")
    sizes = [[len(work) for work in describe_works(tmp_path / name)[1]] for name in ("base", "fewer", "more")]
    assert sizes == [[], [MAX_RUN], []]


def shares_id(one: Work, other: Work) -> bool:
    """Return whether two works have the same DOI or arXiv id."""
    return one["d"] == other["d"] or bool(one["i"] and one["i"] == other["i"])


def write_table(folder: Path, keys: np.ndarray, ordinals: np.ndarray) -> Path:
    folder.mkdir()
    partitions = KeyPartitions(folder / "partitions")
    partitions.add(keys, ordinals)
    write_keys(folder, partitions)
    partitions.file.close()
    return folder


def test_many_keys_are_found_as_one_by_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    known = rng.integers(0, 1 << 64, 3000, np.uint64, endpoint=False)
    folders = []
    for number in range(2):
        keys = np.concatenate((known, rng.choice(known, 3000), np.repeat(known[:1], 100)))
        folders.append(write_table(tmp_path / f"{number}", keys, rng.integers(0, 5000, len(keys), np.uint32)))
    asked = np.concatenate((known[::-1], rng.integers(0, 1 << 64, 500, np.uint64, endpoint=False)))
    table = KeyTable(folders[0])
    at, found = table.find_all(asked)
    together: list[list[int]] = [[] for _ in asked]
    for place, ordinal in zip(at.tolist(), found.tolist(), strict=True):
        together[place].append(ordinal)
    assert together == [table.find(int(key)) for key in asked]
    table.close()
    layered = LayeredKeys(folders, (0, 5000), HiddenRecords(np.arange(0, 10_000, 7, np.uint32), 10_000))
    together = [[] for _ in asked]
    for place, ordinal in zip(*(part.tolist() for part in layered.find_all(asked)), strict=True):
        together[place].append(ordinal)
    assert [some[:48] for some in together] == [layered.find(int(key)) for key in asked]
    assert layered.find_all(asked[:0])[1].tolist() == []
    layered.close()


def test_a_damaged_table_is_told(tmp_path: Path) -> None:
    keys = np.arange(1, 4000, dtype=np.uint64) * np.uint64(0x9E37_79B9_7F4A_7C15)
    folder = write_table(tmp_path / "table", keys, np.arange(len(keys), dtype=np.uint32))
    directory = np.fromfile(folder / "keys.dir", "<u4")
    directory[len(directory) // 2] = 1 << 30
    directory.tofile(folder / "keys.dir")
    table = KeyTable(folder)
    with pytest.raises(SnapshotError, match="damaged"):
        table.find_all(keys)
    table.close()


def test_links_are_found_with_numbers_of_one_size(tmp_path: Path) -> None:
    members = np.array([3, 4, 9, 12, 20], "<u4")
    roots = np.array([3, 3, 9, 9, 3], "<u4")
    order = np.argsort(roots, kind="stable")
    parts = (members, roots, roots[order], members[order])
    (tmp_path / "links.bin").write_bytes(b"".join(part.tobytes() for part in parts))
    links = WorkLinks(tmp_path)
    assert [links.members(root) for root in (3, 9, 4)] == [[3, 4, 20], [9, 12], []]
    assert links.find_linked(np.array([0, 4, 12, 13, 99], np.uint32)).tolist() == [4, 12]
