"""Step 4 of a verification: the file of each run holds exactly its events, or we tell which lines do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from citeproof.errors import format_count
from citeproof.proof.audit import merkle
from citeproof.proof.audit.tiles import WIDTH
from citeproof.proof.audit.touched_lines import (
    TouchedLine,
    compare_lines,
    hash_file,
    hash_line,
    read_file_lines,
)
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.entry_pass import EntryPass, RunLines
from citeproof.proof.audit.verify.log_files import LogFiles, decode_head
from citeproof.proof.audit.verify.log_problems import ProblemCollector, name_events
from citeproof.proof.audit.verify.tree_damage import TreeDamage
from citeproof.proof.audit.verify.tree_walk import TreeWalk

SLACK = 1 << 20  # bytes beyond twice its lines that are read of a file
MOST_LINES = 500_000  # lines of one file that are held in memory; of more, the first change is reported

Expected = list[tuple[int, bytes]]


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
