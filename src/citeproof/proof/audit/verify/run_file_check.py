"""Step 4 of a verification: the file of each run holds exactly its events, or we tell which lines do not.

The log says which lines a file must have, in which order. Lines that are there are known by their hash. What
stays in order is kept; between two kept lines, strange lines are paired with lost ones (changed), and what is
left over was inserted or is missing. Kept lines out of order were swapped.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import BinaryIO

from citeproof.errors import format_count
from citeproof.proof.audit import merkle
from citeproof.proof.audit.tiles import WIDTH
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.entry_pass import EntryPass, RunLines
from citeproof.proof.audit.verify.log_files import LogFiles, decode_head
from citeproof.proof.audit.verify.log_problems import ProblemCollector, name_events
from citeproof.proof.audit.verify.tree_damage import TreeDamage
from citeproof.proof.audit.verify.tree_walk import TreeWalk

SLACK = 1 << 20  # bytes beyond twice its lines that are read of a file
MOST_LINES = 500_000  # lines of one file that are held in memory; of more, the first change is reported

Expected = list[tuple[int, bytes]]
LONGEST = 65_536  # bytes of a line with its end: an entry has 65,535 at most
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class RunFileContext:
    """What the files of runs are held against."""

    files: UntrustedFolder
    seen: LogFiles
    walk: TreeWalk
    events: EntryPass
    doubted: TreeDamage
    tail: list[bytes]
    known: bool = True  # how many events the log has


def check_run_files(asked: RunFileContext, findings: ProblemCollector) -> None:
    """Compare each file by its hash; look at the lines of those that differ."""
    differing = dict[str, RunLines]()
    for run in sorted(asked.seen.runs.keys() - asked.events.runs.keys()):
        if asked.walk.unread:  # its events may be among those that cannot be read: its lines tell
            differing |= (
                {run: RunLines(bytes=min(size, SLACK << 4))} if (size := asked.seen.runs[run]) >= 0 else {}
            )
        elif asked.known:
            findings.problem("line", f"{run}.jsonl", "the log has no event of this run", run=run)
    touched = _find_touched_runs(asked)
    for run, wanted in asked.events.runs.items():
        if run not in asked.seen.runs:
            _report_missing_file(run, wanted, asked, findings)
        elif asked.seen.runs[run] >= 0 and (run in touched or not _is_unchanged(run, wanted, asked)):
            differing[run] = wanted
    for run in [run for run, wanted in differing.items() if wanted.count > MOST_LINES]:
        del differing[run]
        line, seq = _find_first_changed(run, asked)
        what = f"line {line} is the first that differs from the log: event {seq}"
        findings.problem("line", f"{run}.jsonl", what, run=run, line=line, seq=seq)
    if differing:
        _compare_differing(differing, asked, findings)


def _report_missing_file(
    run: str, wanted: RunLines, asked: RunFileContext, findings: ProblemCollector
) -> None:
    if not wanted.signed:
        lines_of = format_count(wanted.count, "line")
        findings.note(f"{run[:100]}.jsonl is not written yet; the journal has its {lines_of}")
    elif not _is_all_doubted(wanted, asked):
        what = (
            f"it is missing: {format_count(wanted.count, 'line')}, {name_events(wanted.first, wanted.last)}"
        )
        findings.problem("line", f"{run[:100]}.jsonl", what, run=run[:100], seq=wanted.first)


def _is_all_doubted(wanted: RunLines, asked: RunFileContext) -> bool:
    """Return whether the run is only the name in an entry that was changed."""
    return wanted.count == 1 and asked.doubted.covers(wanted.first)


def _is_unchanged(run: str, wanted: RunLines, asked: RunFileContext) -> bool:
    if asked.seen.runs[run] != wanted.bytes:
        return False
    try:
        with asked.files.file(f"{run}.jsonl") as file:
            return bool(hash_file(file, wanted.bytes) == wanted.digest.digest())
    except (UnreadableFileError, OSError):
        return False


def _find_first_changed(run: str, asked: RunFileContext) -> tuple[int, int]:
    """Return the first line of a long file that is not its entry, and the number of the entry."""
    number, seq = 0, -1
    with asked.files.file(f"{run}.jsonl") as file:
        lines = read_file_lines(file, asked.seen.runs[run])
        for seq, entry in _read_entries(asked):
            if entry is not None and _read_run(entry) == run:
                number += 1
                if next(lines, b"") != entry + b"\n":
                    return number, seq
    return number + 1, seq  # all are there, and something follows


def _compare_differing(
    differing: dict[str, RunLines], asked: RunFileContext, findings: ProblemCollector
) -> None:
    expected, orphans = _collect_expected(differing, asked)
    for run, lines_of in differing.items():
        if _is_all_doubted(lines_of, asked):
            continue
        try:
            with asked.files.file(f"{run}.jsonl") as file:
                most = 2 * lines_of.bytes + SLACK  # a file may be blown up; what is beyond is strange anyway
                lines = list(islice(read_file_lines(file, min(most, asked.seen.runs[run])), MOST_LINES))
        except (UnreadableFileError, OSError):
            findings.problem("line", f"{run}.jsonl", "it cannot be read", run=run)
            continue
        actual = [hash_line(line) for line in lines]
        wanted = sorted({*expected[run], *_recall_lines(run, lines, actual, expected[run], orphans, asked)})
        torn = lines[-1] if lines and not lines[-1].endswith(b"\n") else b""
        _report_lines(run, compare_lines(wanted, actual), torn, asked, findings)


def _find_touched_runs(asked: RunFileContext) -> set[str]:
    """Return the runs that changed entries name: their files may have been changed alike."""
    runs = set[str]()
    for number, seqs in groupby(sorted(asked.doubted.changed), lambda seq: seq // WIDTH):
        entries = asked.walk.entries(number)
        if entries is not None:
            runs.update(_read_run(entries[seq % WIDTH]) for seq in seqs)
    return runs


def _read_run(entry: bytes) -> str:
    return decoded.run if (decoded := decode_head(entry)) else ""


def _recall_lines(
    run: str,
    lines: list[bytes],
    actual: list[bytes],
    expected: Expected,
    orphans: dict[bytes, int],
    asked: RunFileContext,
) -> Iterator[tuple[int, bytes]]:
    """Yield lines that belong there though the log cannot say so: their entries are changed or lost."""
    known = {leaf for _, leaf in expected}
    for line, leaf in zip(lines, actual, strict=True):
        if leaf in known:
            continue
        seq = orphans.get(leaf, -1)
        if seq >= 0:
            yield seq, leaf
        elif asked.doubted.changed or asked.walk.unread:
            claimed = decode_head(line)
            seq = claimed.seq if claimed and claimed.run == run else -1
            if seq in asked.doubted.changed:
                yield seq, asked.doubted.changed[seq]
            elif 0 <= seq < asked.walk.size and seq // WIDTH in asked.walk.unread:
                yield seq, leaf if asked.doubted.covers(seq) else asked.walk.tree.hashes(0, seq)


def _collect_expected(
    differing: dict[str, RunLines], asked: RunFileContext
) -> tuple[dict[str, Expected], dict[bytes, int]]:
    """Return (seq, leaf) of each line of these runs, and the leaves of events of unknown runs."""
    expected: dict[str, Expected] = {run: [] for run in differing}
    orphans = {leaf: seq for seq, leaf in asked.doubted.changed.items()}
    for seq, entry in _read_entries(asked):
        if seq in asked.doubted.changed:
            continue
        if entry is None:
            orphans[asked.walk.tree.hashes(0, seq)] = seq
            continue
        run = _read_run(entry)
        if run in expected:
            expected[run].append((seq, merkle.hash_leaf(entry)))
    return expected, orphans


def _read_entries(asked: RunFileContext) -> Iterator[tuple[int, bytes | None]]:
    """Yield every event of the log once more; None for one that cannot be read."""
    walk = asked.walk
    for number in range(-(-walk.size // WIDTH)):
        first = number * WIDTH
        entries = walk.entries(number) if number not in walk.unread else None
        for seq in range(first, min(first + WIDTH, walk.size)):
            yield seq, entries[seq - first] if entries is not None else None
    yield from enumerate(asked.tail, walk.size)


def _report_lines(
    run: str, touched: list[TouchedLine], torn: bytes, asked: RunFileContext, findings: ProblemCollector
) -> None:
    late = [row for row in touched if row.seq >= asked.walk.size and _is_unfinished(row, torn, asked)]
    if late and len(late) == len(touched):
        lacks = format_count(len(late), "line")
        findings.note(f"{run}.jsonl lacks {lacks} that the journal has; the next writer adds what is missing")
        return
    for (what, line), same in groupby(touched, lambda row: (row.what, row.line)):
        first, *more = same
        words = _describe_line(first)
        if what == "changed" and asked.doubted.is_unproved(first.seq):
            words = f"line {line} differs from the bundle; either may have been changed: event {first.seq}"
        if more and what == "missing":
            words = f"{len(more) + 1} lines are missing at line {line}: events {first.seq} to {more[-1].seq}"
        findings.problem("line", f"{run}.jsonl", words, run=run, line=line, seq=first.seq)


def _is_unfinished(row: TouchedLine, torn: bytes, asked: RunFileContext) -> bool:
    """Return whether a crash explains it: the line is yet to be written, or was torn while it was."""
    if row.what == "missing":
        return True
    return row.what == "changed" and bool(torn) and asked.tail[row.seq - asked.walk.size].startswith(torn)


def _describe_line(touched: TouchedLine) -> str:
    match touched.what:
        case "changed":
            return f"line {touched.line} was changed: event {touched.seq}"
        case "missing":
            return f"line {touched.line} is missing: event {touched.seq}"
        case "swapped":
            where = f", where event {touched.other} belongs" if touched.other >= 0 else ""
            return f"line {touched.line} was swapped: event {touched.seq} is there{where}"
        case _:
            again = f": event {touched.seq} a second time" if touched.seq >= 0 else ""
            return f"line {touched.line} was inserted{again}"


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
