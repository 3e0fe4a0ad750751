"""The rebuilt tree against the signed root: which events and tiles are damaged, each told once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from citeproof.audit.log_checkpoint import LogCheckpoint
from citeproof.audit.tiles import WIDTH
from citeproof.audit.verify.log_problems import ProblemCollector, name_events
from citeproof.audit.verify.rebuilt_tree import hash_entries
from citeproof.audit.verify.tree_damage import TreeDamage, locate_damage
from citeproof.audit.verify.tree_walk import TreeWalk, salvage_entries


def report_damage(
    walk: TreeWalk,
    signed_root: bytes,
    list_older: Callable[[], Iterable[LogCheckpoint]],
    findings: ProblemCollector,
) -> TreeDamage:
    """Return what is damaged in a tree that was walked; `findings` get a problem for each.

    `list_older` gives signed checkpoints of this log that were kept: they may still prove a part of it.
    """
    doubted = TreeDamage()
    if walk.tree.root(walk.size) != signed_root:
        doubted = locate_damage(walk, signed_root)
        if doubted.ranges == [range(walk.size)]:  # all of it
            good = [
                one.size
                for one in list_older()
                if (one.size <= walk.size and walk.tree.root(one.size) == one.root)
            ]
            doubted.ranges = [range(max(good, default=0), walk.size)]
    for number, why in walk.unread.items():
        _report_unread(walk, number, why, findings)
    for some in doubted.stretches():
        number = some.start // WIDTH
        if number not in walk.unread:
            what = f"{name_events(some.start, some.stop - 1)} {'was' if len(some) == 1 else 'were'} changed"
            findings.problem("event", walk.name_tile(None, number), what, seq=some.start)
    for one in doubted.ranges:
        what = f"{name_events(one.start, min(one.stop, walk.size) - 1)} can no longer be proved"
        findings.problem("event", "tile", what, seq=one.start)
    for level, number in walk.odd:
        _report_odd_tile(walk, level, number, doubted, findings)
    return doubted


def _report_unread(walk: TreeWalk, number: int, why: str, findings: ProblemCollector) -> None:
    """Name the first event of a bundle that cannot be read, as far as its tile still tells."""
    first, last = number * WIDTH, min(number * WIDTH + WIDTH, walk.size) - 1
    rows = walk.tile(0, number)
    for entry in hash_entries(salvage_entries(walk.read_raw_bundle(number))) if rows else ():
        at = 32 * (first % WIDTH)
        if first > last or rows is None or rows[at : at + 32] != entry:
            break
        first += 1
    what = f"{name_events(min(first, last), last)} cannot be read: {why}"
    findings.problem("event", walk.name_tile(None, number), what, seq=min(first, last))


def _report_odd_tile(
    walk: TreeWalk, level: int, number: int, doubted: TreeDamage, findings: ProblemCollector
) -> None:
    """Tell a tile that does not fit what is below it, unless the entries below are what was changed."""
    width = WIDTH ** (level + 1)
    below = range(number * width, min(number * width + width, walk.size))
    if doubted.is_doubted(below):
        return
    under = name_events(below.start, below.stop - 1)
    what = f"it is damaged or missing; {under} under it {'is' if len(below) == 1 else 'are'} intact"
    findings.problem("tile", walk.name_tile(level, number), what, seq=below.start)
