"""A log's files and a public key -> what holds and what does not. Only reads, and believes nothing.

1 checkpoint  2 entries and tiles against its root  3 order  4 the files of runs  5 the journal's tail
6 kept checkpoints  7 merkle_commit events  8 evidence  9 private rows  10 deep: the form of each entry
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from citeproof.audit import checkpoint as checkpoints
from citeproof.audit import merkle
from citeproof.audit.checkpoint import Checkpoint
from citeproof.audit.looking import closed, doubting, keeping, linewise
from citeproof.audit.looking.doubting import Doubt
from citeproof.audit.looking.findings import Findings, Verified
from citeproof.audit.looking.following import follow
from citeproof.audit.looking.passing import Pass
from citeproof.audit.looking.rebuilding import leaves
from citeproof.audit.looking.seeing import BAD, FORMAT, Head, Kept, Seen, head, look
from citeproof.audit.looking.walking import Walk, readable
from citeproof.audit.note import ED25519, NoteError, Opened, VerifierKey, opened
from citeproof.audit.tiles import WIDTH
from citeproof.audit.untrusted import Unreadable, Untrusted

Progress = Callable[[int, int], None]

OWN_KEY = (
    "the key was taken from the log's own log.json: this proves nothing against whoever can write the "
    "folder; name the key with --key"
)
MOST_UNREAD = 1000  # bundles that cannot be read before the rest is given up
MOST_AHEAD = 1 << 20  # entries that tiles may have beyond the checkpoint: one journal's worth, and more
UNSIGNED = Checkpoint("", 0, merkle.EMPTY)
NOTHING_KEPT = "cannot know whether the log was rolled back as a whole: no checkpoint was kept elsewhere"


class NoLog(Exception):  # noqa: N818 - there is nothing to verify, which is no error of ours
    """The folder has none of a log's files."""


def verify(
    folder: Path,
    keys: Sequence[VerifierKey] = (),
    *,
    kept: Sequence[bytes | Kept] = (),
    deep: bool = False,
    progress: Progress | None = None,
) -> Verified:
    """Return what can be proved about the log in `folder` with `keys`; NoLog when there is none.

    `keys` are the log's and, if wished, its witnesses'. `kept` are checkpoints that were kept elsewhere.
    """
    try:
        with Untrusted(folder) as files:
            return _Verifying(folder, files, keys, kept, deep, progress or _silent).verified()
    except Unreadable as error:
        if not error.denied:
            raise NoLog(str(error)) from error
        return Verified("", 0, "", "", (), 0, (), (str(error),), {})  # we may not look: nothing is known


def _silent(done: int, total: int) -> None:
    """Show nothing."""


@dataclass(slots=True)
class _Verifying:
    """One verification, step by step."""

    folder: Path
    files: Untrusted
    keys: Sequence[VerifierKey]
    kept: Sequence[bytes | Kept]
    deep: bool
    progress: Progress
    findings: Findings = field(default_factory=Findings)
    seen: Seen = field(default_factory=Seen)
    signed: Checkpoint = UNSIGNED  # what the steps after the first are held against
    times: tuple[tuple[str, int], ...] = ()

    def verified(self) -> Verified:
        self.seen = look(self.files)
        if not (self.seen.about or self.seen.checkpoint or self.seen.journals or self.files.has("tile")):
            raise NoLog(f"{self.folder} holds no audit log")
        self._about()
        self._checkpoint()  # 1
        evidence, damaged = keeping.evidence(self.folder, self.files, self.findings)
        private = keeping.private(self.folder, self.files, self.seen.runs, self.findings)
        events = Pass(self.findings, evidence, private, deep=self.deep)  # 10 as well, when deep
        walk = self._walk(events)  # 2, 3
        doubted = self._root(walk)
        tail = self._journal(walk, events, doubted)  # 5
        linewise.check(linewise.Asked(self.files, self.seen, walk, events, doubted, tail), self.findings)  # 4
        self._kept(walk)  # 6
        self._commits(walk, events)  # 7
        closed.check(self.files, events.tie, self.findings)
        since = events.since(events.pruned, lambda seq: _heads(walk, seq)) if events.pruned else 0
        keeping.settle_evidence(evidence, damaged, since, self.findings)  # 8
        keeping.settle_private(private, events.redacted, since, self.findings, self.folder)  # 9
        return self._told(events)

    def _about(self) -> None:
        """Look at what could not be read, at log.json, and at which key to believe."""
        findings, about = self.findings, self.seen.about
        for bad in self.seen.bad:
            findings.problem("file", bad.name, bad.why)
        for name in self.seen.odd:
            findings.problem("file", name[:120], "no run can have this name: it was put there")
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
            self.findings.problem("checkpoint", "checkpoint", "there is no key to check it with: give one")
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
            begins = min(self.seen.journals, default=None)
            unread = any(bad.name == "checkpoint" for bad in self.seen.bad)
            if begins != 0 and not unread:
                what = "it is missing: nothing of the log is proved"
                self.findings.problem("checkpoint", "checkpoint", what)
                self._unsigned()
            elif not unread:
                self.findings.note("there is no checkpoint yet: nothing of this log is signed")
            return
        signed = self._opened(Kept("checkpoint", note))
        if signed is None:
            self._unsigned()
            return
        self.times = tuple((key.name, when) for key, when in signed[0].times.items())
        self.signed = signed[1]
        if self.seen.about is not None and self.signed.origin != self.seen.about.origin:
            what = f"it is of the log {self.signed.origin[:80]!r}, not of {self.seen.about.origin[:80]!r}"
            self.findings.problem("checkpoint", "checkpoint", what)

    def _unsigned(self) -> None:
        """Go on by what state.json says, to name what else was changed; the problem is told already."""
        state = self.seen.state
        if state is not None and state.size > 0 and len(state.root) == 64 and _is_hex(state.root):
            self.signed = Checkpoint("", state.size, bytes.fromhex(state.root))

    def _opened(self, held: Kept) -> tuple[Opened, Checkpoint] | None:
        """Return a checkpoint that the log's key signed; None and a problem for any other."""
        try:
            note = opened(held.note, self.keys)
            found = checkpoints.parse(note.text)
        except NoteError as error:
            self.findings.problem("checkpoint", held.place, error.message)
            return None
        if not any(key.kind == ED25519 and key.name == found.origin for key in note.by):
            self.findings.problem("checkpoint", held.place, "it is not signed by the key of the log it names")
            return None
        return note, found

    def _walk(self, events: Pass) -> Walk:
        """Steps 2 and 3: every entry under the checkpoint, its leaf and its order; then the tiles above."""
        # A size that no file can back is a lie that must not keep us busy: the bundles must be there.
        size = self.signed.size
        walk = Walk(self.files, size)
        for first, entries in walk.blocks():
            if entries:
                events.take(first, entries, walk.place(None, first // WIDTH))
            elif len(walk.unread) > MOST_UNREAD and first + WIDTH < size:
                what = f"events {first + WIDTH} to {size - 1} were not looked at: too much is missing"
                self.findings.problem("event", "tile/entries", what)
                return self._given_up(walk)
            self.progress(first + len(entries), size)
        walk.look_up()
        return walk

    def _given_up(self, walk: Walk) -> Walk:
        """Return the walk as far as it went; what is beyond is in doubt by the problem told."""
        self.signed = Checkpoint(self.signed.origin, walk.tree.size, walk.tree.root(walk.tree.size))
        walk.size = walk.tree.size
        return walk

    def _root(self, walk: Walk) -> Doubt:
        """Hold the rebuilt root against the signed one, and name what is damaged."""
        size = walk.size
        doubted = Doubt()
        if walk.tree.root(size) != self.signed.root:
            doubted = doubting.doubt(walk, self.signed.root)
            self._narrow(doubted, walk)
        for number, why in walk.unread.items():
            self._unread(walk, number, why)
        for seq in doubted.changed:
            if seq // WIDTH not in walk.unread:
                place = walk.place(None, seq // WIDTH)
                self.findings.problem("event", place, f"event {seq} was changed", seq=seq)
        for span in doubted.ranges:
            what = f"events {span.start} to {min(span.stop, size) - 1} can no longer be proved"
            self.findings.problem("event", "tile", what, seq=span.start)
        for level, number in walk.odd:
            self._odd(walk, level, number, doubted)
        return doubted

    def _narrow(self, doubted: Doubt, walk: Walk) -> None:
        """Take out of a doubt about everything what an older signed checkpoint still proves."""
        if doubted.ranges != [range(walk.size)]:
            return
        held = [found for one in self._held() if (found := _peeked(one, self.keys))]
        good = [one.size for one in held if one.size <= walk.size and walk.tree.root(one.size) == one.root]
        doubted.ranges = [range(max(good, default=0), walk.size)]

    def _unread(self, walk: Walk, number: int, why: str) -> None:
        """Name the first event of a bundle that cannot be read, as far as its tile still tells."""
        first, last = number * WIDTH, min(number * WIDTH + WIDTH, walk.size) - 1
        rows = walk.tile(0, number)
        for entry in leaves(readable(walk.raw(number))) if rows else ():
            at = 32 * (first % WIDTH)
            if first > last or rows is None or rows[at : at + 32] != entry:
                break
            first += 1
        place = walk.place(None, number)
        what = f"events {min(first, last)} to {last} cannot be read: {why}"
        self.findings.problem("event", place, what, seq=min(first, last))

    def _odd(self, walk: Walk, level: int, number: int, doubted: Doubt) -> None:
        """Tell a tile that does not fit what is below it, unless the entries below are what was changed."""
        width = WIDTH ** (level + 1)
        below = range(number * width, min(number * width + width, walk.size))
        if doubted.meets(below):
            return
        what = f"it is damaged or missing; events {below.start} to {below.stop - 1} under it are whole"
        self.findings.problem("tile", walk.place(level, number), what, seq=below.start)

    def _journal(self, walk: Walk, events: Pass, doubted: Doubt) -> list[bytes]:
        """Step 5: what follows the checkpoint is in the journal; it must parse and continue."""
        found = follow(self.seen, walk.size, self._ahead(walk), self.findings)
        for seq, line in found.before.items():
            leaf = doubted.changed.get(seq) or walk.tree.hashes(0, seq)
            if merkle.leaf(line) != leaf and not doubted.unproved(seq):
                self.findings.problem("journal", found.place, f"event {seq} is not as it is signed", seq=seq)
        events.signed = False
        walk.follow(leaves(found.tail))
        for at in range(0, len(found.tail), WIDTH):
            events.take(walk.size + at, found.tail[at : at + WIDTH], found.place)
        self.findings.counts["unsigned"] = len(found.tail)
        return found.tail

    def _ahead(self, walk: Walk) -> list[bytes]:
        """Return the entries of tiles beyond the checkpoint: a writer died after them, before it signed."""
        state, size = self.seen.state, walk.size
        if state is None or not size < state.size <= size + MOST_AHEAD or self.signed.size != size:
            return []
        found = list[bytes]()
        beyond = Walk(self.files, state.size)
        for number in range(size // WIDTH, -(-state.size // WIDTH)):
            entries = beyond.entries(number)
            if entries is None:
                break
            found += entries[max(0, size - number * WIDTH) :]
        return found

    def _held(self) -> Iterator[Kept]:
        for number, one in enumerate(self.kept, 1):
            yield one if isinstance(one, Kept) else Kept(f"kept checkpoint {number}", one)
        yield from self.seen.commits

    def _kept(self, walk: Walk) -> None:
        """Step 6: whatever was signed before must be the beginning of what is here; so must state.json."""
        if not self.kept:
            self.findings.note(NOTHING_KEPT)
        there = walk.tree.size
        for held in self._held():
            found = self._opened(held)
            if found is None:
                continue
            self.findings.counts["checkpoints"] += 1
            one = found[1]
            if self.signed.origin and one.origin != self.signed.origin:
                what = f"it is of another log, {one.origin[:80]!r}"
                self.findings.problem("checkpoint", held.place, what)
            elif one.size > there:
                what = (
                    f"the log was rolled back: it had {one.size} events, {one.size - there} of them are gone"
                )
                self.findings.problem("rollback", held.place, what, seq=there)
            elif walk.tree.root(one.size) != one.root:
                what = f"the first {one.size} events are not those that were signed then"
                self.findings.problem("rollback", held.place, what)
        self._state(walk)

    def _state(self, walk: Walk) -> None:
        state = self.seen.state
        if state is None:
            if not any(bad.name == "state.json" for bad in self.seen.bad) and self.signed.size:
                self.findings.problem("file", "state.json", "it is missing")
            return
        marks = [(state.size, state.root)]
        marks += [(state.commit.size, state.commit.root)] if state.commit else []
        for size, root in marks:
            if size == self.signed.size and root == self.signed.root.hex():
                continue
            if not 0 <= size <= walk.tree.size or walk.tree.root(size).hex() != root:
                self.findings.problem(
                    "file", "state.json", f"its root of {size} events is not that of the log"
                )

    def _commits(self, walk: Walk, events: Pass) -> None:
        """Step 7: each merkle_commit states the root of that time and the commit before it."""
        prior: str | None = None
        for one in events.commits:
            if not 0 <= one.size <= one.seq or walk.tree.root(one.size).hex() != one.root:
                what = f"event {one.seq} commits to a root that {one.size} events do not have"
                self.findings.problem("commit", "merkle_commit", what, seq=one.seq)
            if one.prior != prior:
                what = f"event {one.seq} names another commit before it than there is"
                self.findings.problem("commit", "merkle_commit", what, seq=one.seq)
            prior = one.root
        self.findings.counts["commits"] = len(events.commits)

    def _told(self, events: Pass) -> Verified:
        findings, signed = self.findings, self.signed
        findings.counts["events"] = signed.size
        findings.counts["runs"] = len(events.runs)
        if findings.counts["unsigned"]:
            findings.note(f"{findings.counts['unsigned']:,} events at the end are not yet signed")
        if not self.seen.still and self.files.has("lock"):
            findings.note("a writer was at work: what it wrote meanwhile may look unfinished")
        return Verified(
            signed.origin or (self.seen.about.origin if self.seen.about else ""),
            signed.size,
            signed.root.hex(),
            next((key.text for key in self.keys if key.kind == ED25519), ""),
            tuple(findings.problems),
            findings.more,
            tuple(findings.notes),
            tuple(findings.unchecked),
            dict(findings.counts),
            self.times,
        )


def _heads(walk: Walk, seq: int) -> list[Head]:
    """Return the heads of the block that `seq` is in, as far as they can be read."""
    found = list[Head]()
    for entry in walk.entries(seq // WIDTH) or [] if seq < walk.size else []:
        try:
            found.append(head(entry))
        except BAD:
            continue
    return found


def _peeked(held: Kept, keys: Sequence[VerifierKey]) -> Checkpoint | None:
    try:
        return checkpoints.parse(opened(held.note, keys).text)
    except NoteError:
        return None


def _is_hex(text: str) -> bool:
    return all(c in "0123456789abcdef" for c in text)
