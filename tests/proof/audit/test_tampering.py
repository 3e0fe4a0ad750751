"""Ten thousand tamperings: each is found, in runs with the event it hit; the untouched log never alarms."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from citeproof.proof.audit.verify.log_check import verify
from tests.proof.audit.making import Made, make_log

ALL = 10_000


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("log"), 540, runs=3, bare=True)


class Touch:
    """One tampering of one file: what it did, and what of it must be named."""

    def __init__(self, folder: Path, chance: random.Random, seqs: dict[str, list[int]]) -> None:
        kinds = {"runs": 5, "bundles": 3, "tiles": 3, "checkpoint": 1}
        self.kind = chance.choices(list(kinds), list(kinds.values()))[0]
        self.chance, self.named, self.line = chance, set[int](), 0
        self.path = chance.choice(_paths(folder, self.kind))
        self.before = self.path.read_bytes()
        self.seqs = seqs.get(self.path.stem, [])
        ways = [self.flip, self.cut, self.remove, self.blow_up, self.overwrite]
        if self.kind == "runs":
            ways += [self.flip, self.flip, self.drop, self.insert, self.swap, self.repeat]
        way = chance.choice(ways)
        self.told = f"{way.__name__} {self.path.relative_to(folder)}"
        way()

    def undo(self) -> None:
        self.path.write_bytes(self.before)

    def lines(self) -> list[bytes]:
        return self.before.splitlines(keepends=True)

    def at(self, offset: int) -> int:
        """Return the line that a byte of a run's file stands in, counted from 0."""
        return self.before.count(b"\n", 0, offset)

    def event(self, *lines: int) -> None:
        self.named |= {self.seqs[line] for line in lines if line < len(self.seqs)}

    def flip(self) -> None:
        offset = self.chance.randrange(len(self.before))
        data = bytearray(self.before)
        data[offset] ^= 1 << self.chance.randrange(8)
        self.path.write_bytes(data)
        self.event(self.at(offset))

    def overwrite(self) -> None:
        offset = self.chance.randrange(len(self.before))
        piece = self.chance.randbytes(min(self.chance.randrange(1, 40), len(self.before) - offset))
        if self.before[offset : offset + len(piece)] == piece:
            piece = bytes([piece[0] ^ 1]) + piece[1:]
        self.path.write_bytes(self.before[:offset] + piece + self.before[offset + len(piece) :])
        same = next(n for n, byte in enumerate(piece) if byte != self.before[offset + n])
        self.event(self.at(offset + same))

    def cut(self) -> None:
        keep = self.chance.randrange(len(self.before))
        self.path.write_bytes(self.before[:keep])
        self.event(self.at(keep))

    def remove(self) -> None:
        self.path.unlink()
        self.event(0)

    def blow_up(self) -> None:
        self.path.write_bytes(self.before + self.chance.randbytes(self.chance.randrange(1, 100)))
        self.line = len(self.seqs) + 1

    def drop(self) -> None:
        lines = self.lines()
        at = self.chance.randrange(len(lines))
        self.path.write_bytes(b"".join(lines[:at] + lines[at + 1 :]))
        self.event(at)

    def insert(self) -> None:
        lines = self.lines()
        at = self.chance.randrange(len(lines) + 1)
        made_up = self.chance.choice(lines).replace(b'"conf":0.95', b'"conf":0.96')
        new = made_up if made_up not in lines else b'{"ev":"verified"}\n'
        self.path.write_bytes(b"".join([*lines[:at], new, *lines[at:]]))
        self.line = at + 1

    def swap(self) -> None:
        lines = self.lines()
        one, two = sorted(self.chance.sample(range(len(lines)), 2))
        lines[one], lines[two] = lines[two], lines[one]
        self.path.write_bytes(b"".join(lines))
        self.event(one, two)

    def repeat(self) -> None:
        lines = self.lines()
        which, at = self.chance.randrange(len(lines)), self.chance.randrange(len(lines) + 1)
        self.path.write_bytes(b"".join([*lines[:at], lines[which], *lines[at:]]))
        self.event(which)


def _paths(folder: Path, kind: str) -> list[Path]:
    match kind:
        case "runs":
            return sorted(folder.glob("*.jsonl"))
        case "bundles":
            return sorted(path for path in folder.glob("tile/entries/**/*") if path.is_file())
        case "tiles":
            return sorted(path for path in folder.glob("tile/[0-9]/**/*") if path.is_file())
        case _:
            return [folder / "checkpoint"]


@pytest.mark.soak
def test_every_tampering_is_found(made, soak_share):
    chance = random.Random(20261115)
    seqs: dict[str, list[int]] = {}
    for run in sorted(made.folder.glob("*.jsonl")):
        seqs[run.stem] = [
            int(line.split(b'"seq":')[1].split(b",")[0]) for line in run.read_bytes().splitlines()
        ]
    for number in range(round(ALL * soak_share)):
        touch = Touch(made.folder, chance, seqs)
        found = verify(made.folder, [made.key])
        touch.undo()
        assert found.problems, f"{number}: {touch.told}"
        if touch.kind == "runs":
            told = " ".join(one.what for one in found.problems)
            assert {seq for seq in touch.named if not _named(told, seq)} == set(), (
                f"{number}: {touch.told}: {told}"
            )
            assert {one.place for one in found.problems} == {touch.path.name}, f"{number}: {touch.told}"
            assert touch.line in {0, *(one.line for one in found.problems)}, f"{number}: {touch.told}: {told}"
        if number % 50 == 0:
            assert verify(made.folder, [made.key]).problems == ()
    assert verify(made.folder, [made.key], deep=True).problems == ()


def _named(told: str, seq: int) -> bool:
    """Return whether an event is named, alone or as the first of several."""
    return re.search(rf"\bevents? {seq}\b", told) is not None
