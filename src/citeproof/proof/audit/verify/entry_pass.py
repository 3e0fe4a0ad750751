"""Each entry examined once: order, time, shape, what it names; a running hash for the lines of its run."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from citeproof.proof.audit.canonical_json import is_canonical
from citeproof.proof.audit.events import EVENTS
from citeproof.proof.audit.run_lock import RUN
from citeproof.proof.audit.verify.log_files import BAD, EntryHead, decode_head, head
from citeproof.proof.audit.verify.log_problems import ProblemCollector
from citeproof.text import lazy_patterns as re

if TYPE_CHECKING:
    import numpy as np

TIME = "has a time before that of the event before it"
_NAMED = frozenset({"merkle_commit", "redacted", "pruned", "log_opened"})
_COMMIT = re.compile(rf"commits/{RUN.pattern}/[0-9T-]{{1,40}}\.merkle", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
SIZE = 32
_HASH = re.compile("[0-9a-f]{64}", re.ASCII)


class FullEntry(msgspec.Struct, gc=False):
    """The types of every member that events share; which event must have which is in the published schema."""

    v: int
    ts: str
    seq: int
    run: str
    ev: str
    stage: str = ""
    model: str | None = None
    conf: float | None = None
    score: float | None = None
    attempt: int = 1
    ref: int = 0
    label: str | None = None
    verdict: str = ""
    claimed: dict[str, Any] | None = None
    case: str = ""
    documents: list[str] = field(default_factory=list)
    commitments: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    evidence: list[str] | int = 0


_full = msgspec.json.Decoder(FullEntry).decode
_NEEDS = {name: frozenset(need) for name, (_, need) in EVENTS.items() if need}
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@dataclass(slots=True)
class RunLines:
    """What the file of one run must hold."""

    digest: Any = field(default_factory=hashlib.sha256)
    bytes: int = 0
    count: int = 0
    first: int = -1
    last: int = -1
    signed: int = 0  # lines under the checkpoint


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """One `merkle_commit` event."""

    seq: int
    size: int
    root: str
    prior: object
    places: tuple[str, ...] = ()  # files of this folder that took the checkpoint


@dataclass(frozen=True, slots=True)
class PriorLogTie:
    """What a log's first entry says of the log before it."""

    seq: int
    origin: str
    size: int
    root: str


class EntryPass:
    """What the entries say, in order; problems go to `findings`."""

    def __init__(
        self, findings: ProblemCollector, evidence: StoredHashes, private: StoredHashes, *, deep: bool
    ) -> None:
        self.runs: dict[str, RunLines] = {}
        self.commits: list[LoggedCommit] = []
        self.redacted: list[tuple[int, tuple[str, ...]]] = []  # (seq, commitments) of each event that says so
        self.tie: PriorLogTie | None = None
        self.pruned: list[tuple[int, str]] = []  # (seq, time before which evidence may be gone)
        self.starts: list[tuple[str, int]] = []  # (time, seq) of the first event of each block
        self.signed = True
        self._findings, self._evidence, self._private, self._deep = findings, evidence, private, deep
        self._last = ""

    def take(self, first: int, entries: Sequence[bytes], place: str) -> None:
        """Look at entries that are in the log from `first` on."""
        heads = self._read_heads(first, entries, place)
        if not heads:
            return
        self.starts.append((heads[0][1].ts, heads[0][0]))
        run, lines = heads[0][1].run, list[bytes]()
        start = heads[0][0]
        for seq, entry in heads:
            if entry.seq != seq or entry.ts < self._last:
                what = f"says that it is event {entry.seq}" if entry.seq != seq else TIME
                self._tell(seq, entry, place, what)
            self._last = max(entry.ts, self._last)
            if entry.run != run:
                self._lines(run, lines, start, seq - 1)
                run, lines, start = entry.run, [], seq
            lines.append(entries[seq - first])
            if entry.ev in _NAMED:
                self._note_special(seq, entry)
        self._lines(run, lines, start, heads[-1][0])
        self._names(heads, place)

    def find_first_since(self, before: str, heads_of: Callable[[int], Sequence[EntryHead]]) -> int:
        """Return the first seq whose time is not before `before`."""
        low, high = 0, len(self.starts)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.starts[middle][0] < before else (low, middle)
        if low == 0:
            return 0
        start = self.starts[low - 1][1]
        late = (entry.seq for entry in heads_of(start) if entry.seq >= start and entry.ts >= before)
        following = self.starts[low][1] if low < len(self.starts) else 1 << 62
        return min(late, default=following)

    def _read_heads(self, first: int, entries: Sequence[bytes], place: str) -> list[tuple[int, EntryHead]]:
        try:
            heads = list(enumerate(map(head, entries), first))
        except BAD:
            heads = [(first + at, read) for at, entry in enumerate(entries) if (read := decode_head(entry))]
            known = {seq for seq, _ in heads}
            for seq in range(first, first + len(entries)):
                if seq not in known:
                    self._findings.problem("event", place, f"event {seq} is not an event", seq=seq)
        if self._deep:
            for seq, read in heads:
                self._look(seq, read, entries[seq - first], place)
        return heads

    def _look(self, seq: int, read: EntryHead, entry: bytes, place: str) -> None:
        """Deep: canonical bytes, the members every event has, the types of those that events share."""
        if not is_canonical(entry):
            self._tell(seq, read, place, "is not canonical JSON")
            return
        try:
            _full(entry)
        except BAD as error:
            self._tell(seq, read, place, f"has a member of a wrong type ({str(error)[:100]})")
            return
        if read.v != 1 or not read.ev or not RUN.fullmatch(read.run) or not _TIME.fullmatch(read.ts):
            self._tell(seq, read, place, "has an invalid v, ev, run or ts")
        elif (need := _NEEDS.get(read.ev)) and (lacks := sorted(need - _members(entry).keys())):
            self._tell(seq, read, place, f"lacks {', '.join(lacks)}")

    def _tell(self, seq: int, entry: EntryHead, place: str, what: str) -> None:
        self._findings.problem("event", place, f"event {seq} {what}", run=entry.run[:100], seq=seq)

    def _lines(self, run: str, lines: list[bytes], first: int, last: int) -> None:
        if not lines:
            return
        known = self.runs.get(run)
        if known is None:
            known = self.runs[run] = RunLines(first=first)
        text = b"\n".join(lines) + b"\n"
        known.digest.update(text)
        known.bytes += len(text)
        known.count += len(lines)
        known.last = last
        if self.signed:
            known.signed += len(lines)

    def _note_special(self, seq: int, entry: EntryHead) -> None:
        if entry.ev == "merkle_commit":
            size = entry.size if isinstance(entry.size, int) else -1
            self.commits.append(
                LoggedCommit(seq, size, str(entry.root), entry.prior, _list_commit_files(entry.anchors))
            )
        elif entry.ev == "log_opened" and isinstance(entry.size, int):
            self.tie = PriorLogTie(seq, str(entry.origin), entry.size, str(entry.root))
        elif entry.ev == "redacted" and isinstance(entry.commitments, list):
            self.redacted.append((seq, tuple(text for text in entry.commitments if isinstance(text, str))))
        elif entry.ev == "pruned" and isinstance(entry.before, str):
            self.pruned.append((seq, entry.before))

    def _names(self, heads: Sequence[tuple[int, EntryHead]], place: str) -> None:
        """Look up the evidence and the commitments that these events name."""
        hashes = [(text, seq) for seq, e in heads if e.evidence for text in _to_list(e.evidence)]
        commitments = ((seq, (e.case, e.claim, e.set_, e.line)) for seq, e in heads)
        committed = [(text, seq) for seq, texts in commitments for text in texts if text is not None]
        hashes += [(e.judge_hash, seq) for seq, e in heads if e.judge_hash is not None]
        starts = [(seq, e) for seq, e in heads if e.documents is not None or e.config is not None]
        committed += [(e.config, seq) for seq, e in starts if type(e.config) is str]
        committed += [(text, seq) for seq, e in starts for text in _to_list(e.documents)]
        for holding, named in ((self._evidence, hashes), (self._private, committed)):
            if named:
                names, owners = zip(*named, strict=True)
                for seq in holding.ask(names, owners):
                    self._findings.problem("event", place, f"event {seq} names an invalid hash", seq=seq)


def _list_commit_files(anchors: object) -> tuple[str, ...]:
    """Return the files in `commits/` that an event says were written."""
    took = [anchor for anchor in _to_list(anchors) if isinstance(anchor, dict) and anchor.get("ok") is True]
    places = [anchor.get("place") for anchor in took if anchor.get("name") == "folder"]
    return tuple(place for place in places if isinstance(place, str) and _COMMIT.fullmatch(place))


def _to_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


class StoredHashes:
    """The hashes a store holds whole, and those that events named and it does not."""

    def __init__(self, present: Iterable[bytes] = ()) -> None:
        import numpy as np  # noqa: PLC0415 - keeps `citeproof --help` quick

        blob = bytearray()
        for digest in present:
            blob += digest
        self._present: np.ndarray[tuple[int], np.dtype[np.bytes_]] = np.sort(
            np.frombuffer(bytes(blob), dtype=f"S{SIZE}")
        )
        self._asked = np.zeros(len(self._present), dtype=bool)
        self.named = 0
        self.blind = False  # the store could not be read, so that nothing is known of what it lacks
        self.absent = bytearray()
        self.owners = array("Q")  # the seq of the event that named each of `absent`

    def __len__(self) -> int:
        return len(self._present)

    def ask(self, names: Sequence[object], owners: Sequence[int]) -> list[int]:
        """Look for hashes, each named by the event in `owners`; return events whose hash is not one."""
        good = [at for at, name in enumerate(names) if type(name) is str and _HASH.fullmatch(name)]
        if len(good) < len(names):
            bad = set(range(len(names))) - set(good)
            self.ask([names[at] for at in good], [owners[at] for at in good])
            return sorted({owners[at] for at in bad})
        self.named += len(names)
        self._search(bytes.fromhex("".join(map(str, names))), owners)
        return []

    def _search(self, blob: bytes, owners: Sequence[int]) -> None:
        import numpy as np  # noqa: PLC0415

        asked = np.frombuffer(blob, dtype=f"S{SIZE}")
        if len(self._present):
            at = np.searchsorted(self._present, asked)
            at[at == len(self._present)] = 0
            there = self._present[at] == asked
            self._asked[at[there]] = True
            gone = np.flatnonzero(~there).tolist()
        else:
            gone = list(range(len(asked)))
        for index in gone:
            self.absent += blob[SIZE * index : SIZE * index + SIZE]
            self.owners.append(owners[index])

    def holding(self, names: Iterable[str]) -> list[str]:
        """Return those of `names` that the store holds, in order."""
        import numpy as np  # noqa: PLC0415

        asked = sorted(name for name in names if _HASH.fullmatch(name))
        if not asked or not len(self._present):
            return []
        wanted = np.frombuffer(bytes.fromhex("".join(asked)), dtype=f"S{SIZE}")
        at = np.searchsorted(self._present, wanted)
        at[at == len(self._present)] = 0
        return [asked[index] for index in np.flatnonzero(self._present[at] == wanted).tolist()]

    @property
    def unnamed(self) -> int:
        """How many the store holds that no event named."""
        return int(len(self._asked) - self._asked.sum())

    def missing(self) -> Iterator[tuple[int, str]]:
        """Yield (seq, hash) of each that events name and the store does not hold."""
        for at, seq in enumerate(self.owners):
            yield seq, self.absent[SIZE * at : SIZE * at + SIZE].hex()
