"""Tamperings with what stands around the tree (stores, journal, state.json, log.json, commits) are found."""

from __future__ import annotations

import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from citeproof.proof.audit.verify.log_check import verify
from tests.proof.audit.making import Made, make_log

ALL = 6_000
TOUCHED, UNCHECKED = 1, 4  # how `citeproof audit verify` ends

# What nobody can see: how much stood in tiles before, and when the log was made, are the writer's word alone.
UNPROVED = {
    "state.json": re.compile(rb'"journal":(\d+)'),
    "log.json": re.compile(rb'"created":"([^"]*)"'),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("log"), 60, tail=5)


class Touch:
    """One tampering of one file; each way returns how a verification must end."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        ways = {
            "evidence.sqlite": [self.body_changed, self.body_gone, self.body_of_another, self.remove],
            "private.sqlite": [self.value_changed, self.salt_changed, self.commitment_changed, self.row_gone],
            "journal-*": [self.flip, self.cut, self.remove, self.drop, self.swap, self.repeat],
            "state.json": [self.flip, self.flip, self.cut, self.remove, self.overwrite],
            "log.json": [self.flip, self.flip, self.cut, self.remove, self.overwrite],
            "commits/*/*": [self.flip, self.cut, self.remove, self.blow_up, self.as_another],
        }
        name = chance.choice(list(ways))
        self.path = chance.choice(sorted(folder.glob(name)))
        self.before = self.path.read_bytes()
        way = chance.choice(ways[name])
        self.told = f"{way.__name__} {self.path.relative_to(folder)}"
        self.wanted = way()
        self.told += (
            f": {self.path.read_bytes()[:300]!r}"
            if self.path.suffix == ".json" and self.path.exists()
            else ""
        )

    def undo(self) -> None:
        self._write(self.before)
        for beside in ("-wal", "-shm"):
            self.path.with_name(self.path.name + beside).unlink(missing_ok=True)

    def _write(self, data: bytes) -> int:
        self.path.unlink(missing_ok=True)  # those in commits/ are not to be written to
        self.path.write_bytes(data)
        return TOUCHED

    def _offset(self) -> int:
        """Return a place in the file that says something provable."""
        pattern = UNPROVED.get(self.path.name)
        skipped = range(*found.span(1)) if pattern and (found := pattern.search(self.before)) else range(0)
        return self.chance.choice([at for at in range(len(self.before)) if at not in skipped])

    def flip(self) -> int:
        data, offset = bytearray(self.before), self._offset()
        data[offset] ^= 1 << self.chance.randrange(8)
        return self._write(bytes(data))

    def overwrite(self) -> int:
        offset = self._offset()
        return self._write(self.before[:offset] + b"\xff" + self.before[offset + 1 :])

    def cut(self) -> int:
        return self._write(self.before[: self.chance.randrange(len(self.before) - 1)])

    def blow_up(self) -> int:
        return self._write(self.before + self.chance.randbytes(self.chance.randrange(1, 100)))

    def remove(self) -> int:
        self.path.unlink()
        return UNCHECKED if self.path.suffix == ".merkle" else TOUCHED

    def as_another(self) -> int:
        others = [path for path in self.path.parent.iterdir() if path != self.path]
        return self._write(self.chance.choice(others).read_bytes())

    def drop(self) -> int:
        lines = self.before.splitlines(keepends=True)
        lines.pop(self.chance.randrange(len(lines)))
        return self._write(b"".join(lines))

    def swap(self) -> int:
        lines = self.before.splitlines(keepends=True)
        one, two = self.chance.sample(range(len(lines)), 2)
        lines[one], lines[two] = lines[two], lines[one]
        return self._write(b"".join(lines))

    def repeat(self) -> int:
        lines = self.before.splitlines(keepends=True)
        lines.insert(self.chance.randrange(len(lines)), self.chance.choice(lines))
        return self._write(b"".join(lines))

    def _rows(self, question: str, change: str, changed) -> None:
        """Change a row, or one after another: `changed` makes values of what was asked for."""
        with closing(sqlite3.connect(self.path)) as store, store:
            rows = store.execute(question).fetchall()
            store.execute(change, changed(*self.chance.sample(rows, 2)))

    def body_changed(self) -> int:
        self._rows(
            "SELECT sha256, data FROM bodies ORDER BY sha256",
            "UPDATE bodies SET data = ? WHERE sha256 = ?",
            lambda row, _: (self._flipped(row[1]), row[0]),
        )
        return TOUCHED

    def body_of_another(self) -> int:
        change = "UPDATE bodies SET (data, packed, length) = (?, ?, ?) WHERE sha256 = ?"
        question = "SELECT sha256, data, packed, length FROM bodies ORDER BY sha256"
        self._rows(question, change, lambda row, other: (*other[1:], row[0]))
        return TOUCHED

    def body_gone(self) -> int:
        question = "SELECT sha256 FROM bodies ORDER BY sha256"
        self._rows(question, "DELETE FROM bodies WHERE sha256 = ?", lambda row, _: row)
        return TOUCHED

    def value_changed(self) -> int:
        """Change a clear value, perhaps under the name of another run, or of none."""

        def changed(row, _):
            clear = zstandard.ZstdDecompressor().decompress(row[1], max_output_size=10**6)
            run = self.chance.choice([row[2], "h_0", "zzz", ""])
            return zstandard.ZstdCompressor().compress(self._flipped(clear)), run, row[0]

        question = "SELECT id, data, run FROM rows ORDER BY id"
        self._rows(question, "UPDATE rows SET data = ?, run = ? WHERE id = ?", changed)
        return TOUCHED

    def salt_changed(self) -> int:
        question, change = "SELECT id, salt FROM rows ORDER BY id", "UPDATE rows SET salt = ? WHERE id = ?"
        self._rows(question, change, lambda row, _: (self._flipped(row[1]), row[0]))
        return TOUCHED

    def commitment_changed(self) -> int:
        change = "UPDATE rows SET commitment = ? WHERE id = ?"
        self._rows(
            "SELECT id FROM rows ORDER BY id", change, lambda row, _: (self.chance.randbytes(32).hex(), *row)
        )
        return TOUCHED

    def row_gone(self) -> int:
        self._rows("SELECT id FROM rows ORDER BY id", "DELETE FROM rows WHERE id = ?", lambda row, _: row)
        return UNCHECKED

    def _flipped(self, data: bytes) -> bytes:
        at = self.chance.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << self.chance.randrange(8)]) + data[at + 1 :]


@pytest.mark.soak
def test_every_tampering_around_the_tree_is_found(made, soak_share):
    chance = random.Random(20261116)
    for number in range(round(ALL * soak_share)):
        touch = Touch(made.folder, chance)
        found = verify(made.folder, [made.key])
        touch.undo()
        code = TOUCHED if found.problems else UNCHECKED if found.unchecked else 0
        assert code == touch.wanted, f"{number}: {touch.told}: {found.problems} {found.unchecked}"
        if number % 50 == 0:
            assert verify(made.folder, [made.key]).sound
    assert verify(made.folder, [made.key], deep=True).sound
