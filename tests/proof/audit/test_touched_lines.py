"""What was touched is named: the file, the line, the event."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from citeproof.proof.audit.merkle import compute_root, hash_leaves
from citeproof.proof.audit.tiles import Tiles
from citeproof.proof.audit.verify import run_file_check
from citeproof.proof.audit.verify.log_check import verify
from citeproof.proof.audit.verify.run_file_check import TouchedLine, compare_lines, hash_line, read_file_lines
from citeproof.proof.audit.verify.tree_walk import RebuiltTree
from tests.proof.audit.making import ORIGIN, Made, copied, make_log, told


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("bare"), 600, bare=True)


# --- what was touched --------------------------------------------------------------------------------


def _replace(path: str, old: bytes, new: bytes, most: int = 1):
    def touch(folder: Path) -> None:
        data = (folder / path).read_bytes()
        assert old in data
        (folder / path).write_bytes(data.replace(old, new, most))

    return touch


def _lines(path: str, change):
    def touch(folder: Path) -> None:
        found = (folder / path).read_bytes().splitlines(keepends=True)
        (folder / path).write_bytes(b"".join(change(found)))

    return touch


def _cut(path: str, keep: int):
    def touch(folder: Path) -> None:
        (folder / path).write_bytes((folder / path).read_bytes()[:keep])

    return touch


def _unlink(path: str):
    return lambda folder: (folder / path).unlink()


CHANGED = b'"ref":7,'
TOUCHES = {
    # what was done: (how, what must be told)
    "a line changed": (
        _replace("h_0.jsonl", CHANGED, b'"ref":8,'), ["h_0.jsonl: line 7 was changed: event 6"],
    ),
    "a line removed": (
        _lines("h_0.jsonl", lambda x: x[:6] + x[7:]), ["h_0.jsonl: line 7 is missing: event 6"],
    ),
    "lines removed": (
        _lines("h_1.jsonl", lambda x: x[:6] + x[9:]),
        ["h_1.jsonl: 3 lines are missing at line 7: events 156 to 158"],
    ),
    "a line inserted": (
        _lines("h_0.jsonl", lambda x: [*x[:6], b'{"ev":"verified"}\n', *x[6:]]),
        ["h_0.jsonl: line 7 was inserted"],
    ),
    "a line twice": (
        _lines("h_0.jsonl", lambda x: [*x[:6], x[2], *x[6:]]),
        ["h_0.jsonl: line 7 was inserted: event 2 a second time"],
    ),
    "two lines swapped": (
        _lines("h_0.jsonl", lambda x: [*x[:6], x[9], *x[7:9], x[6], *x[10:]]),
        [
            "h_0.jsonl: line 7 was swapped: event 9 is there, where event 6 belongs",
            "h_0.jsonl: line 10 was swapped: event 6 is there, where event 9 belongs",
        ],
    ),
    "cut in a line": (
        _lines("h_0.jsonl", lambda x: [x[0], x[1][:50]]),
        [
            "h_0.jsonl: line 2 was changed: event 1",
            "h_0.jsonl: 300 lines are missing at line 3: events 2 to 601",
        ],
    ),
    "no last line end": (
        lambda folder: _cut("h_0.jsonl", (folder / "h_0.jsonl").stat().st_size - 1)(folder),
        ["h_0.jsonl: line 302 was changed: event 601"],
    ),
    "a run removed": (
        _unlink("h_1.jsonl"), ["h_1.jsonl: it is missing: 300 lines, events 150 to 600"],
    ),
    "a run made up": (
        lambda folder: (folder / "h_9.jsonl").write_bytes(b'{"ev":"verified"}\n'),
        ["h_9.jsonl: the log has no event of this run"],
    ),
    "an entry changed": (
        _replace("tile/entries/000", CHANGED, b'"ref":8,'), ["tile/entries/000: event 6 was changed"],
    ),
    "an entry that is no JSON now": (
        _replace("tile/entries/000", CHANGED, b'"ref":7x'),
        ["tile/entries/000: event 6 was changed"],
    ),
    "many entries changed": (
        lambda folder: [
            _replace(f"tile/entries/00{n}", b'"VALID"', b'"VALIX"', most=256)(folder) for n in (0, 1)
        ],
        [
            "tile/entries/000: events 0 to 255 were changed",
            "tile/entries/001: events 256 to 299 were changed",
            "tile/entries/001: events 301 to 511 were changed",
        ],
    ),
    "an entry of a later time": (
        _replace("tile/entries/000", b'"ts":"2026-03-01T09', b'"ts":"2027-03-01T09'),
        ["tile/entries/000: event 0 was changed"],
    ),
    "a commit changed": (
        _replace("tile/entries/001", b'"ev":"merkle_commit"', b'"ev":"merkle_commix"'),
        ["tile/entries/001: event 300 was changed"],
    ),
    "an entry of another run now": (
        _replace("tile/entries/000", b'"run":"h_0"', b'"run":"h_7"'),
        ["tile/entries/000: event 0 was changed"],
    ),
    "an entry and its line changed": (
        lambda folder: [
            _replace(path, CHANGED, b'"ref":8,')(folder) for path in ("tile/entries/000", "h_0.jsonl")
        ],
        ["h_0.jsonl: line 7 was changed: event 6", "tile/entries/000: event 6 was changed"],
    ),
    "an entry and its hash changed": (
        lambda folder: [_replace("tile/entries/000", CHANGED, b'"ref":8,')(folder), _rehash(folder)],
        [
            "h_0.jsonl: line 7 differs from the bundle; either may have been changed: event 6",
            "tile: events 0 to 255 can no longer be proved",
            "tile: and 4 checkpoints and commits that no longer fit",
        ],
    ),
    "a bundle removed": (
        _unlink("tile/entries/001"), ["tile/entries/001: events 256 to 511 cannot be read: it is missing"],
    ),
    "a bundle cut": (
        lambda folder: _cut_at(folder / "tile/entries/000", CHANGED),
        ["tile/entries/000: events 6 to 255 cannot be read: it was cut off or changed"],
    ),
    "a bundle cut before its last event": (
        _lines("tile/entries/002.p/90", lambda x: [*x[:-1], x[-1][:-1]]),
        ["tile/entries/002.p/90: event 601 cannot be read: it was cut off or changed"],
    ),
    "every bundle removed": (
        lambda folder: shutil.rmtree(folder / "tile/entries"),
        [
            "tile/entries/000: events 0 to 255 cannot be read: it is missing",
            "tile/entries/001: events 256 to 511 cannot be read: it is missing",
            "tile/entries/002.p/90: events 512 to 601 cannot be read: it is missing",
        ],
    ),
    "every bundle removed and a line changed": (
        lambda folder: [
            shutil.rmtree(folder / "tile/entries"), _replace("h_0.jsonl", CHANGED, b'"ref":8,')(folder),
        ],
        [
            "tile/entries/000: events 0 to 255 cannot be read: it is missing",
            "tile/entries/001: events 256 to 511 cannot be read: it is missing",
            "tile/entries/002.p/90: events 512 to 601 cannot be read: it is missing",
            "h_0.jsonl: line 7 was changed: event 6",
        ],
    ),
    "a tile changed": (
        lambda folder: _flip(folder / "tile/0/001", 100),
        ["tile/0/001: it is damaged or missing; events 256 to 511 under it are intact"],
    ),
    "a tile removed": (
        _unlink("tile/0/002.p/90"),
        ["tile/0/002.p/90: it is damaged or missing; events 512 to 601 under it are intact"],
    ),
    "the upper tile changed": (
        lambda folder: _flip(folder / "tile/1/000.p/2", 40),
        ["tile/1/000.p/2: it is damaged or missing; events 0 to 601 under it are intact"],
    ),
    "bundle and tile removed": (
        lambda folder: [_unlink(f"tile/{kind}/001")(folder) for kind in ("entries", "0")],
        [
            "tile/entries/001: events 256 to 511 cannot be read: it is missing",
            "tile: events 256 to 511 can no longer be proved",
            "tile: and 3 checkpoints and commits that no longer fit",
        ],
    ),
    "the checkpoint changed": (
        _replace("checkpoint", b"\n602\n", b"\n601\n"),
        [f"checkpoint: the signature of '{ORIGIN}' does not match the text: one of them was changed"],
    ),
    "the checkpoint removed": (
        _unlink("checkpoint"), ["checkpoint: it is missing: nothing in the log is proved"],
    ),
    "the journal removed": (
        _unlink("journal-602"),
        ["journal: it is missing: events after the checkpoint, if any, are lost"],
    ),
    "a journal that begins later": (
        lambda folder: (folder / "journal-602").rename(folder / "journal-700"),
        ["journal-700: it begins after event 602: events 602 to 699 are in no signed tile and no journal"],
    ),
    "the state changed": (
        _replace("state.json", b'"size":602', b'"size":601'),
        ["state.json: its root of 601 events differs from that of the log"],
    ),
    "log.json removed": (_unlink("log.json"), ["log.json: it is missing"]),
    "log.json is rubbish": (
        lambda folder: (folder / "log.json").write_bytes(b"\xff\x00"),
        ["log.json: its content is wrong: it was changed"],
    ),
}  # fmt: skip


def _flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def _cut_at(path: Path, mark: bytes) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: data.find(mark)])


def _rehash(folder: Path) -> None:
    made = b"".join(hash_leaves(Tiles(folder).bundle(0)))
    (folder / "tile/0/000").write_bytes(made)


@pytest.mark.parametrize("name", TOUCHES)
def test_touched(bare, tmp_path, name):
    made = copied(bare, tmp_path)
    touch, wanted = TOUCHES[name]
    touch(made.folder)
    assert sorted(told(made)) == sorted(wanted)  # the cause, and not again what follows from it


# --- lines -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ("abcdef", []),
        ("", [("missing", 1, n) for n in range(6)]),
        ("abXdef", [("changed", 3, 2)]),
        ("Xbcdef", [("changed", 1, 0)]),
        ("abcdeX", [("changed", 6, 5)]),
        ("abdef", [("missing", 3, 2)]),
        ("abcdefX", [("inserted", 7, -1)]),
        ("XYabcdef", [("inserted", 1, -1), ("inserted", 2, -1)]),
        ("abXYdef", [("changed", 3, 2), ("inserted", 4, -1)]),
        ("abXf", [("changed", 3, 2), ("missing", 4, 3), ("missing", 4, 4)]),
        ("aabcdef", [("inserted", 2, 0)]),
        ("abcdaef", [("inserted", 5, 0)]),
        ("aebcdf", [("swapped", 2, 4)]),
        ("fbcdea", [("swapped", 1, 5), ("swapped", 6, 0)]),
    ],
)
def test_compare(found, wanted):
    expected = [(seq, hash_line(f"{letter}\n".encode())) for seq, letter in enumerate("abcdef")]
    touched = compare_lines(expected, [hash_line(f"{letter}\n".encode()) for letter in found])
    assert [(one.what, one.line, one.seq) for one in touched] == wanted


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda x: [*x[:6], b"{}\n", *x[7:]], "line 7 is the first that differs from the log: event 6"),
        (lambda x: x[:6], "line 7 is the first that differs from the log: event 6"),
        (lambda x: [*x, b"{}\n"], "line 303 is the first that differs from the log: event 601"),
    ],
)
def test_a_file_too_long_for_memory(bare, tmp_path, monkeypatch, change, told):
    monkeypatch.setattr(run_file_check, "MOST_LINES", 100)
    made = copied(bare, tmp_path)
    _lines("h_0.jsonl", change)(made.folder)
    assert [one.what for one in verify(made.folder, [made.key]).problems] == [told]


def test_swapped_names_both():
    expected = [(seq, hash_line(f"{letter}\n".encode())) for seq, letter in enumerate("abcd")]
    [one] = compare_lines(expected, [hash_line(f"{letter}\n".encode()) for letter in "acbd"])
    assert {one.seq, one.other} == {1, 2}
    assert one == TouchedLine("swapped", one.line, one.seq, one.other)


@pytest.mark.parametrize("size", [0, 1, 3, 70_000, 200_000])
def test_lines_are_bounded(tmp_path, size):
    (tmp_path / "x").write_bytes(b"y" * size)
    with (tmp_path / "x").open("rb") as file:
        found = list(read_file_lines(file, size))
    assert b"".join(found) == b"y" * size
    assert max(map(len, found), default=0) <= 65_536


@pytest.mark.parametrize("size", [1, 5, 256, 300, 1000])
def test_tree_of_every_size(size):
    made = hash_leaves([b"%d" % n for n in range(size)])
    blocks = [made[at : at + 256] for at in range(0, size, 256)]
    tree = RebuiltTree(lambda block: blocks[block])
    for block in blocks[:-1]:
        tree.add(block)
    tree.extend(blocks[-1])
    assert all(tree.root(n) == compute_root(made[:n]) for n in range(0, size + 1, 7))
