"""Each entry examined once: order, time, shape, what it names; a running hash for the lines of its run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from citeproof.audit.canonical_json import is_canonical
from citeproof.audit.event_schema import EVENTS
from citeproof.audit.run_lock import RUN
from citeproof.audit.verify.log_files import BAD, EntryHead, decode_head, head
from citeproof.audit.verify.log_problems import ProblemCollector
from citeproof.audit.verify.stored_hashes import StoredHashes

TIME = "has a time before that of the event before it"
_NAMED = frozenset({"merkle_commit", "redacted", "pruned", "log_opened"})
_COMMIT = re.compile(rf"commits/{RUN.pattern}/[0-9T-]{{1,40}}\.merkle", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


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
        for seq, one in heads:
            if one.seq != seq or one.ts < self._last:
                self._report_disorder(seq, one, place)
            self._last = max(one.ts, self._last)
            if one.run != run:
                self._lines(run, lines, start, seq - 1)
                run, lines, start = one.run, [], seq
            lines.append(entries[seq - first])
            if one.ev in _NAMED:
                self._note_special(seq, one)
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
        late = (one.seq for one in heads_of(start) if one.seq >= start and one.ts >= before)
        following = self.starts[low][1] if low < len(self.starts) else 1 << 62
        return min(late, default=following)

    def _read_heads(self, first: int, entries: Sequence[bytes], place: str) -> list[tuple[int, EntryHead]]:
        try:
            found = list(enumerate(map(head, entries), first))
        except BAD:
            found = [(first + at, one) for at, entry in enumerate(entries) if (one := decode_head(entry))]
            known = {seq for seq, _ in found}
            for seq in range(first, first + len(entries)):
                if seq not in known:
                    self._findings.problem("event", place, f"event {seq} is not an event", seq=seq)
        if self._deep:
            for seq, one in found:
                self._look(seq, one, entries[seq - first], place)
        return found

    def _look(self, seq: int, one: EntryHead, entry: bytes, place: str) -> None:
        """Deep: canonical bytes, the members every event has, the types of those that events share."""
        if not is_canonical(entry):
            self._tell(seq, one, place, "is not canonical JSON")
            return
        try:
            _full(entry)
        except BAD as error:
            self._tell(seq, one, place, f"has a member of a wrong type ({str(error)[:100]})")
            return
        if one.v != 1 or not one.ev or not RUN.fullmatch(one.run) or not _TIME.fullmatch(one.ts):
            self._tell(seq, one, place, "has an invalid v, ev, run or ts")
        elif (need := _NEEDS.get(one.ev)) and (lacks := sorted(need - _members(entry).keys())):
            self._tell(seq, one, place, f"lacks {', '.join(lacks)}")

    def _tell(self, seq: int, one: EntryHead, place: str, what: str) -> None:
        self._findings.problem("event", place, f"event {seq} {what}", run=one.run[:100], seq=seq)

    def _report_disorder(self, seq: int, one: EntryHead, place: str) -> None:
        if one.seq != seq:
            self._tell(seq, one, place, f"says that it is event {one.seq}")
        else:
            self._tell(seq, one, place, TIME)

    def _lines(self, run: str, lines: list[bytes], first: int, last: int) -> None:
        if not lines:
            return
        found = self.runs.get(run)
        if found is None:
            found = self.runs[run] = RunLines(first=first)
        text = b"\n".join(lines) + b"\n"
        found.digest.update(text)
        found.bytes += len(text)
        found.count += len(lines)
        found.last = last
        if self.signed:
            found.signed += len(lines)

    def _note_special(self, seq: int, one: EntryHead) -> None:
        if one.ev == "merkle_commit":
            size = one.size if isinstance(one.size, int) else -1
            self.commits.append(
                LoggedCommit(seq, size, str(one.root), one.prior, _list_commit_files(one.anchors))
            )
        elif one.ev == "log_opened" and isinstance(one.size, int):
            self.tie = PriorLogTie(seq, str(one.origin), one.size, str(one.root))
        elif one.ev == "redacted" and isinstance(one.commitments, list):
            self.redacted.append((seq, tuple(text for text in one.commitments if isinstance(text, str))))
        elif one.ev == "pruned" and isinstance(one.before, str):
            self.pruned.append((seq, one.before))

    def _names(self, heads: Sequence[tuple[int, EntryHead]], place: str) -> None:
        """Look up the evidence and the commitments that these events name."""
        hashes = [(text, seq) for seq, one in heads if one.evidence for text in _to_list(one.evidence)]
        told = ((seq, (one.case, one.claim, one.set_, one.line)) for seq, one in heads)
        committed = [(text, seq) for seq, texts in told for text in texts if text is not None]
        hashes += [(one.judge_hash, seq) for seq, one in heads if one.judge_hash is not None]
        starts = [(seq, one) for seq, one in heads if one.documents is not None or one.config is not None]
        committed += [(one.config, seq) for seq, one in starts if type(one.config) is str]
        committed += [(text, seq) for seq, one in starts for text in _to_list(one.documents)]
        for holding, named in ((self._evidence, hashes), (self._private, committed)):
            if named:
                names, owners = zip(*named, strict=True)
                for seq in holding.ask(names, owners):
                    self._findings.problem("event", place, f"event {seq} names an invalid hash", seq=seq)


def _list_commit_files(anchors: object) -> tuple[str, ...]:
    """Return the files in `commits/` that an event says were written."""
    told = [one for one in _to_list(anchors) if isinstance(one, dict) and one.get("ok") is True]
    found = [one.get("place") for one in told if one.get("name") == "folder"]
    return tuple(place for place in found if isinstance(place, str) and _COMMIT.fullmatch(place))


def _to_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
