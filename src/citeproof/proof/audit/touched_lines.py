"""Which lines of a run's file were touched: changed, missing, inserted or swapped, each with its event.

The log says which lines a file must have, in which order. Lines that are there are known by their hash. What
stays in order is kept; between two kept lines, strange lines are paired with lost ones (changed), and what is
left over was inserted or is missing. Kept lines out of order were swapped.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

LONGEST = 65_536  # bytes of a line with its end: an entry has 65,535 at most
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class TouchedLine:
    """One line that is not as logged; `seq` is the event that is (or was, or belongs) there, -1 for none."""

    what: str  # "changed", "missing", "inserted", "swapped"
    line: int  # counted from 1; for a missing one, where it belongs
    seq: int  # inserted: the event it repeats
    other: int = -1  # swapped: the event that belongs there


def compare_lines(expected: Sequence[tuple[int, bytes]], actual: Sequence[bytes]) -> list[TouchedLine]:
    """Return what was done to lines: `expected` are (seq, leaf hash) in order, `actual` the hashes found."""
    begin = 0
    while begin < min(len(expected), len(actual)) and expected[begin][1] == actual[begin]:
        begin += 1
    end = 0
    while end < min(len(expected), len(actual)) - begin and expected[-1 - end][1] == actual[-1 - end]:
        end += 1
    wanted, lines = expected[begin : len(expected) - end], actual[begin : len(actual) - end]
    positions = {leaf: place for place, (_, leaf) in enumerate(wanted)}
    places = [positions.get(leaf) for leaf in lines]  # None for a strange line
    ordered = _find_increasing(places)
    lost = sorted(set(range(len(wanted))) - {place for place in places if place is not None})
    touched = list(_compare_gaps(wanted, places, ordered, lost))
    touched += _find_swapped(wanted, places, ordered)
    numbers = (
        {leaf: seq for seq, leaf in expected} if any(line.what == "inserted" for line in touched) else {}
    )
    placed = [
        TouchedLine(
            line.what,
            line.line + begin,  # counted from the file's beginning
            numbers.get(lines[line.line - 1], -1) if line.what == "inserted" else line.seq,
            line.other,
        )
        for line in touched
    ]
    return sorted(placed, key=lambda line: (line.line, line.what, line.seq))


def _find_increasing(places: Sequence[int | None]) -> set[int]:
    """Return the positions of a longest part of `places` that is in order."""
    tails: list[int] = []
    at: list[int] = []
    before: dict[int, int] = {}
    for position, place in enumerate(places):
        if place is None:
            continue
        slot = bisect_left(tails, place)
        if slot == len(tails):
            tails.append(place)
            at.append(position)
        else:
            tails[slot], at[slot] = place, position
        if slot:
            before[position] = at[slot - 1]
    ordered = set[int]()
    step = at[-1] if at else None
    while step is not None:
        ordered.add(step)
        step = before.get(step)
    return ordered


def _compare_gaps(
    wanted: Sequence[tuple[int, bytes]], places: Sequence[int | None], ordered: set[int], lost: Sequence[int]
) -> Iterator[TouchedLine]:
    """Yield what was changed, inserted and lost between each two lines that were kept."""
    low = 0
    strange: list[int] = []
    for position in range(len(places) + 1):
        place = places[position] if position < len(places) else len(wanted)
        if position < len(places) and place is None:
            strange.append(position)
        elif place is not None and (position == len(places) or position in ordered):
            gone = lost[bisect_left(lost, low) : bisect_left(lost, place)]
            yield from _pair_lines(wanted, strange, gone, position)
            low, strange = place, []


def _pair_lines(
    wanted: Sequence[tuple[int, bytes]], strange: Sequence[int], gone: Sequence[int], next_: int
) -> Iterator[TouchedLine]:
    for position, place in zip(strange, gone, strict=False):
        yield TouchedLine("changed", position + 1, wanted[place][0])
    for position in strange[len(gone) :]:
        yield TouchedLine("inserted", position + 1, -1)
    for place in gone[len(strange) :]:
        yield TouchedLine("missing", next_ + 1, wanted[place][0])


def _find_swapped(
    wanted: Sequence[tuple[int, bytes]], places: Sequence[int | None], ordered: set[int]
) -> Iterator[TouchedLine]:
    """Yield lines out of order, and those that are there a second time."""
    once = {places[position] for position in ordered}
    for position, place in enumerate(places):
        if place is None or position in ordered:
            continue
        if place in once:
            yield TouchedLine("inserted", position + 1, -1)
        else:
            once.add(place)
            other = wanted[position][0] if position < len(wanted) else -1
            yield TouchedLine("swapped", position + 1, wanted[place][0], other)


def read_file_lines(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the lines of the first `size` bytes, the last one without its end if it has none.

    A line that no entry can have is cut into pieces: each of them is strange anyway.
    """
    rest = b""
    while size > 0 and (chunk := file.read(min(_CHUNK, size))):
        size -= len(chunk)
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line + b"\n"
        while len(rest) > LONGEST:
            yield rest[:LONGEST]
            rest = rest[LONGEST:]
    if rest:
        yield rest


def hash_line(line: bytes) -> bytes:
    """Return the leaf hash of a line with its end; of one without, a hash that no entry has."""
    if line.endswith(b"\n"):
        return hashlib.sha256(b"\x00" + line[:-1]).digest()
    return hashlib.sha256(b"\xff" + line).digest()


def hash_file(file: BinaryIO, size: int) -> bytes:
    """Return the SHA-256 of the first `size` bytes."""
    digest = hashlib.sha256()
    while size > 0 and (chunk := file.read(min(_CHUNK, size))):
        digest.update(chunk)
        size -= len(chunk)
    return digest.digest()
