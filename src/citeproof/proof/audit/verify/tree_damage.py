"""A tree that does not give the signed root -> the smallest parts of it that can no longer be proved.

Proof flows down from the signed root. Where the tiles of the right edge give the root, their hashes are
proved; a tile whose hash is proved proves the hashes in it; a subtree rebuilt from entries that has a proved
hash is whole. Where tile and entries differ in few places, the right mixture of both is searched for. What is
left is reported as ranges of events.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product

from citeproof.proof.audit import merkle
from citeproof.proof.audit.log_state import LogCheckpoint
from citeproof.proof.audit.merkle import hash_leaves
from citeproof.proof.audit.tiles import WIDTH
from citeproof.proof.audit.verify.log_files import EntryHead, decode_head
from citeproof.proof.audit.verify.log_problems import ProblemCollector, name_events
from citeproof.proof.audit.verify.tree_walk import (
    BLOCK,
    LEVELS,
    RebuiltTree,
    TreeWalk,
    salvage_entries,
    split_tile,
)

MOST = 100_000  # changed entries that are remembered one by one
MIXED = 8  # places in which a tile and the entries may differ and both still help
MIXED_EDGE = 3  # the same on the right edge, where the mixtures of all levels multiply

Rows = list[bytes]


@dataclass(slots=True)
class TreeDamage:
    """Events whose entry is not the logged one (seq -> the proved leaf), and ranges without any proof."""

    changed: dict[int, bytes] = field(default_factory=dict)
    ranges: list[range] = field(default_factory=list)

    def covers(self, seq: int) -> bool:
        """Return whether it is not proved that the entry at `seq` is the logged one."""
        return seq in self.changed or self.is_unproved(seq)

    def is_unproved(self, seq: int) -> bool:
        """Return whether it is unknown which entry was at `seq`."""
        at = bisect_right(self.ranges, seq, key=lambda unproved: unproved.start)
        return at > 0 and seq in self.ranges[at - 1]

    def stretches(self) -> Iterator[range]:
        """Yield the changed events, those in a row and in one bundle together."""
        stretch: range | None = None
        for seq in sorted(self.changed):
            if stretch is not None and seq == stretch.stop and seq % WIDTH:
                stretch = range(stretch.start, seq + 1)
                continue
            if stretch is not None:
                yield stretch
            stretch = range(seq, seq + 1)
        if stretch is not None:
            yield stretch

    def is_doubted(self, span: range) -> bool:
        """Return whether anything of `span` is in doubt."""
        seqs = sorted(self.changed)
        at, nearest = (
            bisect_left(seqs, span.start),
            bisect_left(self.ranges, span.stop, key=lambda unproved: unproved.start),
        )
        changed = at < len(seqs) and seqs[at] < span.stop
        return changed or (nearest > 0 and self.ranges[nearest - 1].stop > span.start)


def locate_damage(walk: TreeWalk, root: bytes) -> TreeDamage:
    """Return what cannot be proved under `root`, the signed root of the tree of the walk's size."""
    damage = TreeDamage()
    edge = _find_edge(walk, root)
    if edge is None:
        damage.ranges.append(range(walk.size))
        return damage
    for level, rows in sorted(edge.items(), reverse=True):
        start = (walk.size >> (BLOCK * level)) // WIDTH * WIDTH
        for at, proved in enumerate(rows):
            _search_below(walk, level, start + at, proved, damage)
    damage.ranges = list(_join_ranges(damage.ranges))
    return damage


def make_root_finder(tree: RebuiltTree, changed: Mapping[int, bytes]) -> Callable[[int], bytes]:
    """Return what gives the root of any size, as if the changed entries were still the proved ones."""
    seqs = sorted(changed)

    @cache
    def hashes(level: int, index: int) -> bytes:
        first = index << level
        at = bisect_left(seqs, first)
        if at == len(seqs) or seqs[at] >= first + (1 << level):
            return tree.hashes(level, index)
        if level == 0:
            return changed[first]
        return merkle.hash_node(hashes(level - 1, 2 * index), hashes(level - 1, 2 * index + 1))

    return lambda size: merkle.compute_root_at(size, hashes if seqs else tree.hashes)


def _find_edge(walk: TreeWalk, root: bytes) -> dict[int, Rows] | None:
    """Return the hashes of the right edge that give the root: for each level those of tiles or of entries."""
    choices: list[list[tuple[int, Rows]]] = []
    for level in range(LEVELS):
        count = walk.size >> (BLOCK * level)
        if count % WIDTH:
            number = count // WIDTH
            rebuilt = [_rebuild_hash(walk, level, number * WIDTH + at) for at in range(count % WIDTH)]
            mixes = _mix_rows(walk.tile(level, number), rebuilt, MIXED_EDGE)
            choices.append([(level, rows) for rows in mixes])
    for picked in product(*choices):
        rows = dict(picked)
        if merkle.compute_root_at(walk.size, partial(_hash_subtree, rows)) == root:
            return rows
    return None


def _hash_subtree(rows: Mapping[int, Rows], level: int, index: int) -> bytes:
    """Return the hash of a subtree of the right edge from the rows of its tile."""
    tile, above = divmod(level, BLOCK)
    start = (index << above) % WIDTH
    return merkle.compute_root(rows[tile][start : start + (1 << above)])


def _search_below(walk: TreeWalk, level: int, index: int, proved: bytes, damage: TreeDamage) -> None:
    """Look below a proved hash for what is not as it was: first its tile, else the whole is in doubt."""
    if _rebuild_hash(walk, level, index) == proved:
        return
    if level == 0:
        if len(damage.changed) < MOST:
            damage.changed[index] = proved
        else:
            damage.ranges.append(range(index, index + 1))
        return
    rebuilt = [_rebuild_hash(walk, level - 1, index * WIDTH + at) for at in range(WIDTH)]
    mixes = _mix_rows(walk.tile(level - 1, index), rebuilt, MIXED)
    rows = next((rows for rows in mixes if merkle.compute_root(rows) == proved), None)
    if rows is None:
        width = WIDTH**level
        damage.ranges.append(range(index * width, index * width + width))
        return
    for at, row in enumerate(rows):
        _search_below(walk, level - 1, index * WIDTH + at, row, damage)


def _mix_rows(tile: bytes | None, rebuilt: Rows, most: int) -> Iterator[Rows]:
    """Yield the hashes of the entries, those of the tile, and mixtures of both if few differ."""
    yield rebuilt
    if tile is None or b"".join(rebuilt) == tile:
        return
    rows = split_tile(tile)
    yield rows
    differ = [at for at, row in enumerate(rows) if row != rebuilt[at]]
    if len(differ) > most:
        return
    for picks in product((False, True), repeat=len(differ)):
        mixed = list(rebuilt)
        for at, pick in zip(differ, picks, strict=True):
            mixed[at] = rows[at] if pick else rebuilt[at]
        yield mixed


def _rebuild_hash(walk: TreeWalk, level: int, index: int) -> bytes:
    return walk.tree.hashes(BLOCK * level, index)


def _join_ranges(ranges: list[range]) -> Iterator[range]:
    last: range | None = None
    for span in sorted(ranges, key=lambda span: span.start):
        if last is not None and span.start <= last.stop:
            last = range(last.start, max(last.stop, span.stop))
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last


class EntryRecall:
    """The entries of one log, as far as they can be read and nothing speaks against them."""

    def __init__(self, walk: TreeWalk, tail: Sequence[bytes], doubted: TreeDamage) -> None:
        self._walk, self._tail, self._doubted = walk, tail, doubted

    def read_head(self, seq: int) -> EntryHead | None:
        """Return the head of one entry; None when it is not there, not readable or not proved."""
        late = seq - self._walk.size
        if late >= 0:
            return decode_head(self._tail[late]) if late < len(self._tail) else None
        if self._doubted.covers(seq):
            return None
        return next((entry_head for entry_head in self.block(seq) if entry_head.seq == seq), None)

    def block(self, seq: int) -> list[EntryHead]:
        """Return the heads of the bundle that `seq` is in."""
        entries = self._walk.entries(seq // WIDTH) if 0 <= seq < self._walk.size else None
        return [entry_head for entry in entries or () if (entry_head := decode_head(entry))]


def report_damage(
    walk: TreeWalk,
    signed_root: bytes,
    list_older: Callable[[], Iterable[LogCheckpoint]],
    findings: ProblemCollector,
) -> TreeDamage:
    """Return what is damaged in a tree that was walked; `findings` get a problem for each.

    `list_older` gives signed checkpoints of this log that were stored: they may still prove a part of it.
    """
    doubted = TreeDamage()
    if walk.tree.root(walk.size) != signed_root:
        doubted = locate_damage(walk, signed_root)
        if doubted.ranges == [range(walk.size)]:  # all of it
            good = [
                older.size
                for older in list_older()
                if (older.size <= walk.size and walk.tree.root(older.size) == older.root)
            ]
            doubted.ranges = [range(max(good, default=0), walk.size)]
    for number, why in walk.unread.items():
        _report_unread(walk, number, why, findings)
    for some in doubted.stretches():
        number = some.start // WIDTH
        if number not in walk.unread:
            what = f"{name_events(some.start, some.stop - 1)} {'was' if len(some) == 1 else 'were'} changed"
            findings.problem("event", walk.name_tile(None, number), what, seq=some.start)
    for older in doubted.ranges:
        what = f"{name_events(older.start, min(older.stop, walk.size) - 1)} can no longer be proved"
        findings.problem("event", "tile", what, seq=older.start)
    for level, number in walk.odd:
        _report_odd_tile(walk, level, number, doubted, findings)
    return doubted


def _report_unread(walk: TreeWalk, number: int, why: str, findings: ProblemCollector) -> None:
    """Name the first event of a bundle that cannot be read, as far as its tile still shows it."""
    first, last = number * WIDTH, min(number * WIDTH + WIDTH, walk.size) - 1
    rows = walk.tile(0, number)
    for entry in hash_leaves(salvage_entries(walk.read_raw_bundle(number))) if rows else ():
        at = 32 * (first % WIDTH)
        if first > last or rows is None or rows[at : at + 32] != entry:
            break
        first += 1
    what = f"{name_events(min(first, last), last)} cannot be read: {why}"
    findings.problem("event", walk.name_tile(None, number), what, seq=min(first, last))


def _report_odd_tile(
    walk: TreeWalk, level: int, number: int, doubted: TreeDamage, findings: ProblemCollector
) -> None:
    """Report a tile that does not fit what is below it, unless the entries below are what was changed."""
    width = WIDTH ** (level + 1)
    below = range(number * width, min(number * width + width, walk.size))
    if doubted.is_doubted(below):
        return
    under = name_events(below.start, below.stop - 1)
    what = f"it is damaged or missing; {under} under it {'is' if len(below) == 1 else 'are'} intact"
    findings.problem("tile", walk.name_tile(level, number), what, seq=below.start)
