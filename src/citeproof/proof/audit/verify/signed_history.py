"""Steps 6 and 7 of a verification: what was signed before is the beginning of what is here.

Stored checkpoints, state.json and `merkle_commit` events. One cause is reported once: what damage that is
named already explains, and what several checkpoints say alike, is counted.

Logs that were closed by rotations: the first entry of a log names the end of the one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from citeproof.errors import format_count
from citeproof.plumbing.signed_note import NoteError
from citeproof.proof.audit import merkle
from citeproof.proof.audit.log_state import LogCheckpoint, parse_unverified
from citeproof.proof.audit.merkle import SIZE
from citeproof.proof.audit.tiles import WIDTH, make_tile_path
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.entry_pass import EntryPass, LoggedCommit, PriorLogTie
from citeproof.proof.audit.verify.log_files import BAD, KeptCheckpoint, LogFiles, UntrustedState
from citeproof.proof.audit.verify.log_problems import ProblemCollector
from citeproof.proof.audit.verify.tree_damage import EntryRecall, TreeDamage, make_root_finder
from citeproof.proof.audit.verify.tree_walk import BLOCK, TreeWalk
from citeproof.text.typed_decoding import decode_json

Held = tuple[KeptCheckpoint, LogCheckpoint]
DIED = "a writer may have died before publishing that one; `citeproof audit commit` publishes it"
_NOTE = 1_000_000
FOLDER = "closed"
PLAN = "rotating.json"
CUT_SHORT = "a rotation was cut short; the next writer completes it. Then verify again"
_LARGEST = 64 << 20  # bytes of a plan that carries much over


@dataclass(slots=True)
class HistoryCheck:
    """One log compared with what was signed of it."""

    seen: LogFiles
    walk: TreeWalk
    doubted: TreeDamage
    signed: LogCheckpoint  # what the published checkpoint says; of size 0 if there is none
    whole: bool  # the entries were walked to the end
    recall: EntryRecall
    findings: ProblemCollector
    misfits: int = 0  # checkpoints and commits that named damage explains
    _root: Callable[[int], bytes] = field(init=False)

    def __post_init__(self) -> None:
        self._root = make_root_finder(self.walk.tree, self.doubted.changed)

    def may_have_crashed(self, size: int) -> bool:
        """Return whether a writer may have died between its signature of `size` events and the checkpoint.

        Another one may have gone on, and have died before it signed.
        """
        state = self.seen.state
        if state is None or size > self.walk.tree.size:
            return False
        return (state.size == size and state.journal == self.signed.size) or (state.journal == size)

    def check_kept(self, held: Iterable[Held]) -> None:
        """Step 6: every checkpoint that was stored is of the first entries of this log, and not newer."""
        there = self.walk.tree.size
        lost, other, later = list[Held](), list[Held](), list[Held]()
        for place, checkpoint in held:
            if self.signed.origin and checkpoint.origin != self.signed.origin:
                what = f"it is of another log, {checkpoint.origin[:80]!r}"
                self.findings.problem("checkpoint", place.place, what)
            elif checkpoint.size > there:
                lost.append((place, checkpoint))
            elif not self._fits(checkpoint.size, checkpoint.root):
                other.append((place, checkpoint))
            elif checkpoint.size > self.signed.size:
                later.append((place, checkpoint))
        self._report_rollback(lost, there)
        if other:
            place, first = min(other, key=lambda checkpoint: checkpoint[1].size)
            few = "the first event is not the one that was" if first.size == 1 else ""
            what = f"{few or f'the first {first.size:,} events are not those that were'} signed then"
            self.findings.problem("rollback", place.place, what + _count_others(other))
        if later and self.signed.size:
            self._report_older(later)

    def _report_rollback(self, lost: Sequence[Held], there: int) -> None:
        if lost and not self.whole:
            self.misfits += len(lost)
        elif lost:
            place, last = max(lost, key=lambda pair: pair[1].size)
            gone = last.size - there
            what = (
                f"the log was rolled back: it had {format_count(last.size, 'event')}, {gone:,} of "
                "them are gone"
            )
            self.findings.problem("rollback", place.place, what + _count_others(lost), seq=there)

    def _report_older(self, later: Sequence[Held]) -> None:
        """Report that an old checkpoint stands where a newer one was published."""
        place, last = max(later, key=lambda stored: stored[1].size)
        more = format_count(last.size - self.signed.size, "more event")
        what = f"the checkpoint is older than {place.place}, which signs {more}"
        if all(stored.early and self.may_have_crashed(checkpoint.size) for stored, checkpoint in later):
            self.findings.unchecked.append(f"{what}; {DIED}")
        else:
            self.findings.problem("rollback", "checkpoint", what + _count_others(later), seq=self.signed.size)

    def state(self, events: EntryPass) -> None:
        """Hold what state.json says of the tiles against the tree."""
        state = self.seen.state
        if state is None:
            if not any(bad.name == "state.json" for bad in self.seen.bad) and self.signed.size:
                self.findings.problem("file", "state.json", "it is missing")
            return
        if (state.size, state.root) != (self.signed.size, self.signed.root.hex()):
            there = 0 <= state.size <= self.walk.tree.size
            if not there or not self._fits(state.size, state.root):
                what = f"its root of {format_count(state.size, 'event')} differs from that of the log"
                self.findings.problem("file", "state.json", what)
                return
        self._check_state(state, events)

    def _check_state(self, state: UntrustedState, events: EntryPass) -> None:
        """Hold the last time and the last commit that state.json names against the entries in tiles."""
        last = self.recall.read_head(state.size - 1) if state.size else None
        wanted = last.ts if last else self.seen.about.created if self.seen.about and not state.size else None
        if wanted is not None and state.ts != wanted:
            what = f"its time is {state.ts[:40]}, and the last of its events is of {wanted[:40]}"
            self.findings.problem("file", "state.json", what)
        commit = next((logged for logged in reversed(events.commits) if logged.seq < state.size), None)
        said, after = state.commit, range(commit.seq if commit else 0, state.size)
        if self.walk.unread or not self.whole or self.doubted.is_doubted(after):
            return
        named = said and (said.size, said.root, said.seq)
        if named != (commit and (commit.size, commit.root, commit.seq if said and said.seq >= 0 else -1)):
            where = f"event {commit.seq}" if commit else "there is none"
            self.findings.problem(
                "file", "state.json", f"its last commit differs from that of the log ({where})"
            )

    def commits(self, events: EntryPass, held: Sequence[Held]) -> None:
        """Step 7: each merkle_commit states the root of that time, the commit before it, its files."""
        believed = [c for c in events.commits if not self.doubted.covers(c.seq)]
        self._newest(believed)
        wrong = [c for c in believed if not (0 <= c.size <= c.seq and self._fits(c.size, c.root))]
        if wrong:
            first, rest = wrong[0], len(wrong) - 1
            what = (
                f"event {first.seq} commits to a root that does not match {format_count(first.size, 'event')}"
            )
            what += (
                f", and so {'does' if rest == 1 else 'do'} {format_count(rest, 'later commit')}"
                if rest
                else ""
            )
            self.findings.problem("commit", "merkle_commit", what, seq=first.seq)
        self._check_chain(events.commits)
        self._files(believed, {stored.place: checkpoint for stored, checkpoint in held})
        self.findings.counts["commits"] = len(events.commits)

    def _newest(self, commits: Sequence[LoggedCommit]) -> None:
        """Report a commit to more than the checkpoint signs: that one was published before the event."""
        newer = [commit for commit in commits if commit.seq >= self.signed.size < commit.size]
        if newer and self.signed.size and not self.findings.has_problem("rollback"):
            last = newer[-1]
            more = format_count(last.size - self.signed.size, "more event")
            what = f"the checkpoint is older than the commit of event {last.seq}, which signs {more}"
            self.findings.problem("rollback", "checkpoint", what, seq=self.signed.size)

    def _check_chain(self, commits: Sequence[LoggedCommit]) -> None:
        before: LoggedCommit | None = None
        for commit in commits:
            prior = before.root if before else None
            if commit.prior != prior and not self._is_broken(before, commit):
                what = f"event {commit.seq} names a different previous commit"
                self.findings.problem("commit", "merkle_commit", what, seq=commit.seq)
            before = commit

    def _is_broken(self, before: LoggedCommit | None, commit: LoggedCommit) -> bool:
        """Return whether damage that is named already may have hidden or changed a commit."""
        first, last = before.seq if before else 0, commit.seq
        unread = any(first // WIDTH <= number <= last // WIDTH for number in self.walk.unread)
        return unread or self.doubted.is_doubted(range(first, last + 1))

    def _files(self, commits: Sequence[LoggedCommit], held: Mapping[str, LogCheckpoint]) -> None:
        """Report the files of `commits/` that events name and that are gone or hold something else."""
        there = set(self.seen.commits)
        for logged, place in ((commit, place) for commit in commits for place in commit.places):
            checkpoint = held.get(place)
            if checkpoint and (checkpoint.size, checkpoint.root.hex()) != (logged.size, logged.root):
                other = f"it holds a checkpoint of {format_count(checkpoint.size, 'event')}"
                what = f"{other}, not that of {logged.size:,} that event {logged.seq} names"
                self.findings.problem("commit", place, what, seq=logged.seq)
        if self.seen.uncounted:
            self.findings.unchecked.append(f"commits: what is there beyond {len(there):,} files")
            return
        gone = sorted({place for logged in commits for place in logged.places} - there)
        if gone:
            be, more = ("is", "") if len(gone) == 1 else ("are", ", …")
            what = f"{format_count(len(gone), 'checkpoint')} that merkle_commit events name {be} gone"
            self.findings.unchecked.append(f"{what}: {gone[0][:200]}{more}")

    def report_misfits(self) -> None:
        """Report how many checkpoints and commits do not fit because of damage that was reported."""
        if self.misfits:
            some = format_count(self.misfits, "checkpoint or commit", "checkpoints and commits")
            what = f"and {some} that no longer {'fits' if self.misfits == 1 else 'fit'}"
            self.findings.problem("commit", "tile", what)

    def _fits(self, size: int, root: bytes | str) -> bool:
        """Return whether the first `size` events have this root; what named damage explains is counted."""
        expected = self._root(size)
        if root in (expected, expected.hex()):
            return True
        if self.doubted.ranges and self.doubted.ranges[0].start < size:
            self.misfits += 1
            return True
        return False


def _count_others(held: Sequence[Held]) -> str:
    others = len(held) - 1
    return (
        f"; {format_count(others, 'other checkpoint')} {'says' if others == 1 else 'say'} so too"
        if others
        else ""
    )


class UntrustedRotation(msgspec.Struct, frozen=True):
    """Where the old log goes."""

    to: str


def is_log_moving(files: UntrustedFolder) -> bool:
    """Return whether no whole log is here, since one is being moved."""
    try:
        to = decode_json(files.read(PLAN, _LARGEST), type=UntrustedRotation).to
    except (UnreadableFileError, *BAD):
        return False
    moved = files.names(f"{FOLDER}/{to}") if to not in ("", ".", "..") and "/" not in to else []
    begun = "log.json" in moved and files.has("log.json")  # the new log is whole; only the plan is left
    return bool(moved) and not begun


def check_closed_logs(files: UntrustedFolder, tie: PriorLogTie | None, findings: ProblemCollector) -> None:
    """Hold the end of the closed log that is here against what this log says of it.

    Its own signature is for a verification of its own folder: its key is another one.
    """
    ends = {name: end for name in files.names(FOLDER) if (end := _read_end(files, name)) is not None}
    if ends:
        logs, stand = format_count(len(ends), "closed log"), "stands" if len(ends) == 1 else "stand"
        findings.note(f"{logs} {stand} in {FOLDER}: verify each of them separately")
    if tie is None:
        return
    before = {name: end for name, end in ends.items() if end.origin == tie.origin}
    for name, end in before.items():
        if not _is_continued(files, name, end, tie):
            what = f"it ends with {format_count(end.size, 'event')}, not as event {tie.seq} of this log says"
            findings.problem("rollback", f"{FOLDER}/{name[:200]}", what, seq=tie.seq)
    if not before:
        findings.note(f"the log before this one, {tie.origin[:100]}, is not here")


def _is_continued(files: UntrustedFolder, name: str, end: LogCheckpoint, tie: PriorLogTie) -> bool:
    """Return whether the closed log still begins as it was tied; erasing in it adds events at its end."""
    if end.size <= tie.size:
        return (end.size, end.root.hex()) == (tie.size, tie.root)

    def hashes(level: int, index: int) -> bytes:
        above, inside = divmod(level, BLOCK)
        number, at = divmod(index << inside, WIDTH)
        width = min(WIDTH, (end.size >> (BLOCK * above)) - number * WIDTH)
        tile = files.read(f"{FOLDER}/{name}/{make_tile_path(above, number, width)}", SIZE * WIDTH)
        rows = [tile[row : row + SIZE] for row in range(SIZE * at, SIZE * (at + (1 << inside)), SIZE)]
        return merkle.compute_root(rows)

    try:
        now, then = merkle.compute_root_at(end.size, hashes), merkle.compute_root_at(tie.size, hashes)
    except UnreadableFileError:
        return False
    return now == end.root and then.hex() == tie.root


def _read_end(files: UntrustedFolder, name: str) -> LogCheckpoint | None:
    try:
        return parse_unverified(files.read(f"{FOLDER}/{name}/checkpoint", _NOTE))
    except (UnreadableFileError, NoteError):
        return None
