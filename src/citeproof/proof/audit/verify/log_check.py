"""A log's files and a public key -> what holds and what does not. Only reads, and believes nothing.

1 checkpoint  2 entries and tiles against its root  3 order  4 the files of runs  5 the journal's tail
6 stored checkpoints  7 merkle_commit events  8 evidence  9 private rows  10 deep: the form of each entry
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from citeproof.errors import NothingFoundError, format_count
from citeproof.plumbing.signed_note import ED25519, NoteError, OpenedNote, VerifierKey, open_note
from citeproof.proof.audit import log_state, merkle
from citeproof.proof.audit.log_state import FORMAT, LogCheckpoint
from citeproof.proof.audit.merkle import hash_leaves
from citeproof.proof.audit.tiles import LARGEST, WIDTH
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify import run_file_check, signed_history, store_check
from citeproof.proof.audit.verify.entry_pass import TIME, EntryPass
from citeproof.proof.audit.verify.log_files import (
    MAX_COMMIT,
    KeptCheckpoint,
    LogFiles,
    decode_head,
    read_log_files,
)
from citeproof.proof.audit.verify.log_problems import (
    LogProblem,
    LogVerification,
    ProblemCollector,
    name_events,
)
from citeproof.proof.audit.verify.signed_history import HistoryCheck
from citeproof.proof.audit.verify.tree_damage import EntryRecall, TreeDamage, report_damage
from citeproof.proof.audit.verify.tree_walk import TreeWalk
from citeproof.text import lazy_patterns as re

HELD = 64 << 20  # bytes of lines that are held: a writer signs long before
Progress = Callable[[int, int], None]
OWN_KEY = (
    "the key was taken from the log's own log.json: this proves nothing against whoever can write the "
    "folder; name the key with --key"
)
MOST_UNREAD = 1000  # bundles that cannot be read before the rest is given up
MOST_AHEAD = 1 << 20  # entries that tiles may have beyond the checkpoint: one journal's worth, and more
_ROOT = re.compile("[0-9a-f]{64}")
UNSIGNED = LogCheckpoint("", 0, merkle.EMPTY)
NOTHING_KEPT = "cannot know whether the log was rolled back as a whole: no checkpoint was kept elsewhere"


@dataclass(slots=True)
class JournalTail:
    """Entries that the journal has beyond the checkpoint (`tail`), and those it still has of before."""

    place: str = "journal"
    tail: list[bytes] = field(default_factory=list)
    before: dict[int, bytes] = field(default_factory=dict)
    cut: bool = False  # there is more than is held


def read_journal_tail(
    seen: LogFiles, size: int, ahead: Sequence[bytes], findings: ProblemCollector
) -> JournalTail:
    """Return the entries from `size` on, in order; a gap, a bad line or two stories are problems.

    `ahead` are those that already are in tiles.
    """
    journal = JournalTail()
    if not seen.journals and not any(bad.name.startswith("journal-") for bad in seen.bad):
        findings.problem("journal", "journal", "it is missing: events after the checkpoint, if any, are lost")
    lines: dict[int, bytes] = dict(enumerate(ahead, size))
    held = sum(map(len, ahead))
    for start, (file, length) in sorted(seen.journals.items()):
        journal.place = f"journal-{start}"
        for at, line in enumerate(_read_journal_lines(file, journal.place, length, findings), start):
            held += len(line) if at not in lines else 0
            if held > HELD:
                what = f"{journal.place}: events from {at} on: more are unsigned than a writer leaves"
                findings.unchecked.append(what)
                journal.cut = True
                break
            if (entry := decode_head(line)) is None or entry.seq != at:
                what = f"line {at - start + 1} does not parse or continue: it was changed"
                findings.problem("journal", journal.place, what, line=at - start + 1, seq=at)
                break
            if lines.setdefault(at, line) != line:
                findings.problem(
                    "journal", journal.place, f"event {at} is in two journals, with different content", seq=at
                )
    journal.before = {at: line for at, line in lines.items() if at < size}
    at = size
    while at in lines:
        journal.tail.append(lines[at])
        at += 1
    beyond = [seq for seq in lines if seq >= at]
    missing = min(beyond, default=0) or min((start for start in seen.journals if start > at), default=0)
    if missing and not journal.cut:
        what = (
            f"it begins after event {at}: {name_events(at, missing - 1)} "
            f"{'is' if missing - 1 == at else 'are'} in no signed tile and no journal"
        )
        findings.problem("journal", f"journal-{max(seen.journals)}", what, seq=at)
    return journal


def _read_journal_lines(
    raw: BinaryIO, place: str, length: int, findings: ProblemCollector
) -> Iterator[bytes]:
    """Yield the lines of a journal, but for a last one that is torn or no event; rubbish is not read on."""
    left = length
    with BufferedReader(raw) as file:  # type: ignore[type-var]
        while left > 0 and (line := file.readline(min(left, LARGEST + 1))):
            left -= len(line)
            if not line.endswith(b"\n") and left <= 0:
                findings.note(f"{place} ends in a half-written line; the next writer removes it")
                return
            if left <= 0 and decode_head(line[:-1]) is None:
                findings.note(f"{place} ends in a line that is not an event; the next writer removes it")
                return
            yield line.removesuffix(b"\n")


class NoLogError(NothingFoundError):
    """The folder has none of a log's files."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="name the folder of a log")


def verify(
    folder: Path,
    keys: Sequence[VerifierKey] = (),
    *,
    kept: Sequence[bytes | KeptCheckpoint] = (),
    deep: bool = False,
    progress: Progress | None = None,
) -> LogVerification:
    """Return what can be proved about the log in `folder` with `keys`; NoLog when there is none.

    `keys` are the log's and, if wished, its witnesses'. `kept` are checkpoints that were stored elsewhere.
    """
    try:
        with UntrustedFolder(folder) as files:
            if signed_history.is_log_moving(files):
                return LogVerification("", 0, "", "", (), 0, (), (signed_history.CUT_SHORT,), {})
            looking = _LogVerifier(folder, files, keys, kept, deep, progress or (lambda *_: None))
            with closing(looking):
                return looking.verify_log()
    except UnreadableFileError as error:
        if not error.denied:
            raise NoLogError(str(error)) from error
        # we may not look: nothing is known
        return LogVerification("", 0, "", "", (), 0, (), (str(error),), {})


@dataclass(slots=True)
class _LogVerifier:
    """One verification, step by step."""

    folder: Path
    files: UntrustedFolder
    keys: Sequence[VerifierKey]
    kept: Sequence[bytes | KeptCheckpoint]
    deep: bool
    progress: Progress
    findings: ProblemCollector = field(default_factory=ProblemCollector)
    seen: LogFiles = field(default_factory=LogFiles)
    signed: LogCheckpoint = UNSIGNED  # what the steps after the first are held against
    proved: bool = False  # it comes from a checkpoint that the log's key signed
    gave_up: bool = False  # before the last entry
    times: tuple[tuple[str, int], ...] = ()

    def close(self) -> None:
        self.seen.close()

    def verify_log(self) -> LogVerification:
        self.seen = read_log_files(self.files)
        if not (self.seen.about or self.seen.checkpoint or self.seen.journals or self.files.has("tile")):
            raise NoLogError(f"{self.folder} contains no audit log")
        self._check_log_head()
        self._checkpoint()  # 1
        heard = ProblemCollector()  # what entries say counts only as far as they are still the logged ones
        evidence, damaged = store_check.collect_evidence(self.folder, self.files, self.findings)
        private = store_check.collect_private(self.folder, self.files, self.findings)
        events = EntryPass(heard, evidence, private, deep=self.deep)  # 10 as well, when deep
        walk = self._walk(events)  # 2, 3
        at = len(self.findings.problems)
        doubted = report_damage(walk, self.signed.root, self._list_older_trees, self.findings)
        journal = self._journal(walk, events, doubted)  # 5
        self.findings.take(heard, at, _make_excuse_test(doubted))
        known = not self.findings.has_problem("checkpoint", "checkpoint") or walk.size > 0
        recall = EntryRecall(walk, journal.tail, doubted)
        asked = run_file_check.RunFileContext(
            self.files, self.seen, walk, events, doubted, journal.tail, known
        )
        if not journal.cut:
            run_file_check.check_run_files(asked, self.findings)  # 4
        self._check_history(walk, events, doubted, recall)  # 6, 7
        signed_history.check_closed_logs(self.files, events.tie, self.findings)
        count = self.signed.size if self.proved else 0
        may = store_check.collect_excuses(
            events, lambda seq: seq < count and not doubted.covers(seq), recall.block
        )
        store_check.report_evidence(evidence, damaged, may, doubted.changed.keys(), self.findings)  # 8
        store_check.report_private(private, may, self.findings, self.folder)  # 9
        return self._build_verification(events)

    def _check_log_head(self) -> None:
        """Look at what could not be read, at log.json, and at which key to believe."""
        findings, about = self.findings, self.seen.about
        for bad in self.seen.bad:
            findings.problem("file", bad.name, bad.why)
        for name in self.seen.odd:
            findings.problem("file", name[:120], "no run can have this name: it was added")
        for name in self.seen.stray:
            findings.problem("journal", name, "it is not a journal of this log: it was added")
        if about is None and not any(bad.name == "log.json" for bad in self.seen.bad):
            findings.problem("file", "log.json", "it is missing")
        if about is not None and about.format != FORMAT:
            findings.problem("file", "log.json", f"its format is {about.format[:60]!r}, not {FORMAT}")
        if not any(key.kind == ED25519 for key in self.keys):
            self._own_key()
        elif about is not None and about.key not in {key.text for key in self.keys}:
            findings.problem("file", "log.json", "the key it names is not the one that was given")

    def _own_key(self) -> None:
        if self.seen.about is None:
            self.findings.problem("checkpoint", "checkpoint", "no key to check it with: pass one with --key")
            return
        try:
            self.keys = [*self.keys, VerifierKey.parse(self.seen.about.key)]
        except NoteError as error:
            self.findings.problem("file", "log.json", f"its key: {error.message}")
        self.findings.note(OWN_KEY)

    def _checkpoint(self) -> None:
        """Step 1: the signature, then what it says. Without a checkpoint only the journal can hold events."""
        note = self.seen.checkpoint
        if note is None:
            begins, state = min(self.seen.journals, default=None), self.seen.state
            if state is not None and state.journal == 0 and begins == state.size:
                begins = 0  # a writer died before its first signature, and another one continued
            unread = any(bad.name == "checkpoint" for bad in self.seen.bad)
            if begins != 0 and not unread:
                what = "it is missing: nothing in the log is proved"
                self.findings.problem("checkpoint", "checkpoint", what)
                self._use_state()
            return
        signed = self._open_checkpoint(KeptCheckpoint("checkpoint", note))
        if signed is None:
            self._use_state()
            return
        self.times = tuple((key.name, when) for key, when in signed[0].times.items())
        self.signed = signed[1]
        self.proved = self.signed.size > 0
        if self.seen.about is not None and self.signed.origin != self.seen.about.origin:
            what = f"it is of the log {self.signed.origin[:80]!r}, not of {self.seen.about.origin[:80]!r}"
            self.findings.problem("checkpoint", "checkpoint", what)

    def _use_state(self) -> None:
        """Go on by what state.json says, to name what else was changed; the problem is reported already."""
        state = self.seen.state
        if state is not None and state.size > 0 and _ROOT.fullmatch(state.root):
            self.signed = LogCheckpoint("", state.size, bytes.fromhex(state.root))

    def _open_checkpoint(self, held: KeptCheckpoint) -> tuple[OpenedNote, LogCheckpoint] | None:
        """Return a checkpoint that the log's key signed; None and a problem for any other."""
        try:
            note = open_note(held.note, self.keys)
            checkpoint = log_state.parse_checkpoint(note.text)
        except NoteError as error:
            self.findings.problem("checkpoint", held.place, error.message)
            return None
        if not any(key.kind == ED25519 and key.name == checkpoint.origin for key in note.by):
            self.findings.problem("checkpoint", held.place, "it is not signed by the key of the log it names")
            return None
        return note, checkpoint

    def _walk(self, events: EntryPass) -> TreeWalk:
        """Steps 2 and 3: every entry under the checkpoint, its leaf and its order; then the tiles above."""
        # A size that no file can back is a lie that must not keep us busy: the bundles must be there.
        size = self.signed.size
        walk = TreeWalk(self.files, size)
        for first, entries in walk.blocks():
            if entries:
                events.take(first, entries, walk.name_tile(None, first // WIDTH))
            elif len(walk.unread) > MOST_UNREAD and first + WIDTH < size:
                what = f"{name_events(first + WIDTH, size - 1)} were not checked: too much is missing"
                self.findings.problem("event", "tile/entries", what)
                # what is beyond is in doubt by the problem reported
                self.signed = LogCheckpoint(
                    self.signed.origin, walk.tree.size, walk.tree.root(walk.tree.size)
                )
                walk.size, self.gave_up = walk.tree.size, True
                return walk
            self.progress(first + len(entries), size)
        walk.look_up()
        return walk

    def _list_older_trees(self) -> Iterator[LogCheckpoint]:
        """Yield the stored checkpoints that one of the keys signed."""
        for held in self._list_kept_checkpoints():
            with suppress(NoteError):
                yield log_state.parse_checkpoint(open_note(held.note, self.keys).text)

    def _journal(self, walk: TreeWalk, events: EntryPass, doubted: TreeDamage) -> JournalTail:
        """Step 5: what follows the checkpoint is in the journal; it must parse and continue."""
        journal = read_journal_tail(self.seen, walk.size, self._list_unsigned_entries(walk), self.findings)
        for seq, line in journal.before.items():
            leaf = doubted.changed.get(seq) or walk.tree.hashes(0, seq)
            if merkle.hash_leaf(line) != leaf and not doubted.is_unproved(seq):
                self.findings.problem(
                    "journal", journal.place, f"event {seq} differs from what was signed", seq=seq
                )
        events.signed = False
        walk.add_leaves(hash_leaves(journal.tail))
        for at in range(0, len(journal.tail), WIDTH):
            events.take(walk.size + at, journal.tail[at : at + WIDTH], journal.place)
        self.findings.counts["unsigned"] = len(journal.tail)
        return journal

    def _list_unsigned_entries(self, walk: TreeWalk) -> list[bytes]:
        """Return the entries of tiles beyond the checkpoint: a writer died after them, before it signed."""
        state, size = self.seen.state, walk.size
        if state is None or not size < state.size <= size + MOST_AHEAD or self.signed.size != size:
            return []
        unsigned, held = list[bytes](), 0
        beyond = TreeWalk(self.files, state.size)
        for number in range(size // WIDTH, -(-state.size // WIDTH)):
            entries = beyond.entries(number)
            held += sum(map(len, entries or ()))
            if entries is None or held > HELD:
                break
            unsigned += entries[max(0, size - number * WIDTH) :]
        return unsigned

    def _list_kept_checkpoints(self) -> Iterator[KeptCheckpoint]:
        for number, note in enumerate(self.kept, 1):
            yield (
                note
                if isinstance(note, KeptCheckpoint)
                else KeptCheckpoint(f"kept checkpoint {number}", note)
            )
        for place in self.seen.commits:  # one at a time: there may be many, and large ones
            try:
                yield KeptCheckpoint(place, self.files.read(place, MAX_COMMIT))
            except UnreadableFileError as error:
                if error.denied:
                    raise
                if not (error.absent or self.findings.has_problem("file", place)):
                    self.findings.problem("file", place, error.why)

    def _open_checkpoints(self) -> Iterator[tuple[KeptCheckpoint, LogCheckpoint]]:
        for held in self._list_kept_checkpoints():
            opened = self._open_checkpoint(held)
            if opened is not None:
                self.findings.counts["checkpoints"] += 1
                yield KeptCheckpoint(held.place, b"", held.early), opened[1]

    def _check_history(
        self, walk: TreeWalk, events: EntryPass, doubted: TreeDamage, recall: EntryRecall
    ) -> None:
        """Steps 6 and 7: what was signed before, and what events say was signed."""
        held = list(self._open_checkpoints())
        signed = self.signed if self.proved else UNSIGNED
        agreeing = HistoryCheck(self.seen, walk, doubted, signed, not self.gave_up, recall, self.findings)
        agreeing.check_kept(held)
        agreeing.state(events)
        agreeing.commits(events, held)
        agreeing.report_misfits()
        self._report_unsigned(walk, events, agreeing, held)
        if not self.kept and not self.findings.has_problem("rollback"):
            self.findings.note(NOTHING_KEPT)

    def _report_unsigned(
        self,
        walk: TreeWalk,
        events: EntryPass,
        agreeing: HistoryCheck,
        held: Sequence[tuple[KeptCheckpoint, LogCheckpoint]],
    ) -> None:
        """Report that no event is under a signature: tampering, if there once was one."""
        if self.proved or not walk.tree.size or self.findings.has_problem("checkpoint", "checkpoint"):
            return
        what = f"nothing here is signed: {format_count(walk.tree.size, 'event')} could be by anyone"
        state, shown = self.seen.state, ""
        if events.commits:
            shown = f"event {events.commits[0].seq}, a commit,"
        elif late := [
            stored for stored, then in held if then.size and not agreeing.may_have_crashed(then.size)
        ]:
            shown = late[0].place
        elif state is not None and state.size and not agreeing.may_have_crashed(state.size):
            shown = "state.json"
        if shown:
            what = f"it is missing, though {shown} shows that the log was signed; {what}"
            self.findings.problem("checkpoint", "checkpoint", what)
        else:
            self.findings.unchecked.append(what)

    def _build_verification(self, events: EntryPass) -> LogVerification:
        findings, signed = self.findings, self.signed
        findings.counts["events"] = signed.size
        findings.counts["runs"] = len(events.runs)
        if findings.counts["unsigned"] and self.proved:
            late = format_count(findings.counts["unsigned"], "event")
            findings.note(f"{late} at the end {'is' if late.startswith('1 ') else 'are'} not yet signed")
        if not self.seen.still and self.files.has("lock"):
            findings.note("a writer was at work: events written meanwhile may look unfinished")
        if self.files.has(signed_history.PLAN):
            findings.note(signed_history.CUT_SHORT)
        return LogVerification(
            signed.origin or (self.seen.about.origin if self.seen.about else ""),
            signed.size, signed.root.hex(), next((key.text for key in self.keys if key.kind == ED25519), ""),
            tuple(findings.problems), findings.more, tuple(findings.notes), tuple(findings.unchecked),
            dict(findings.counts), self.times,
        )  # fmt: skip


def _make_excuse_test(doubted: TreeDamage) -> Callable[[LogProblem], bool]:
    """Return whether a changed entry explains what was heard of it, or of the times after it."""
    first = min((*doubted.changed, *(unproved.start for unproved in doubted.ranges)), default=None)

    def excused(problem: LogProblem) -> bool:
        late = first is not None and problem.seq > first and problem.what.endswith(TIME)
        return late or problem.seq in doubted.changed

    return excused
