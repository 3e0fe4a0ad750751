"""What came of a replay, in words and as JSON. What comes out of logs and answers is hostile: escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from citeproof import serial
from citeproof.replay.outcome import Reason, Replayed, State
from citeproof.replay.recorded import Line, Recording
from citeproof.reporters.words import line

SCHEMA = "citeproof/replay/1"
SHOWN = 12  # differences of one reference that a text shows
_SHORT = 12  # characters of a hash
_SPREAD = "content_hash"  # of damaged bytes; it stands in every record made of them


@dataclass(slots=True)
class Tally:
    """How many references came out how; grows while they pass by."""

    states: Counter[State] = field(default_factory=Counter)

    def watch(self, replayed: Iterable[Replayed]) -> Iterator[Replayed]:
        """Yield what comes, unchanged, and count it."""
        for one in replayed:
            self.states[one.state] += 1
            yield one

    @property
    def differs(self) -> bool:
        return bool(self.states[State.DRIFTED] or self.states[State.TAMPERED])

    @property
    def incomplete(self) -> bool:
        return bool(self.states[State.UNAVAILABLE] or self.states[State.REDACTED])

    def sentence(self) -> str:
        """Return the counts in words: `500 references: 499 identical, 1 drifted`."""
        total = self.states.total()
        counts = ", ".join(f"{self.states[state]} {state}" for state in State if self.states[state])
        return f"{total} reference{'' if total == 1 else 's'}: {counts or 'none'}"


def head(recording: Recording) -> Iterator[str]:
    """Yield what the run was judged with, a line each."""
    yield f"run {recording.run}\n"
    for start in recording.starts:
        yield f"  {line(start.stage)} of {line(start.ts)}: {_pinned(start)}\n"


def text(one: Replayed) -> Iterator[str]:
    """Yield a reference that is not identical: what is the matter, why, what differs."""
    key = f" [{line(one.key, 80)}]" if one.key else ""  # without its case nobody knows it
    yield f"\n{one.ref}{key} {one.state}: {line(one.title, 120) or 'without a title'}\n"
    for reason in one.reasons:
        yield f"  why: {_reason(reason)}\n"
    told = [row for row in one.differences if not row.path.endswith(_SPREAD)]
    for row in told[:SHOWN]:
        yield f"  {line(row.path)}: {line(row.then, 160) or 'nothing'} → {line(row.now, 160) or 'nothing'}\n"
    more = len(told) - SHOWN + one.more
    if more > 0:
        yield f"  and {more} more; --format json lists them\n"
    if one.state is State.DRIFTED and not told:
        yield "  the judgement is the same\n"


def replay_json(recording: Recording, replayed: Sequence[Replayed]) -> serial.Json:
    """Return the whole outcome: what the run was judged with, and every reference."""
    states = Counter(one.state for one in replayed)
    return {
        "schema": SCHEMA,
        "citeproof": serial.version(),
        "run": recording.run,
        "recorded": [_start_json(start) for start in recording.starts],
        "summary": {"references": len(replayed)} | {state.value: states[state] for state in State},
        "references": [_one_json(one) for one in replayed],
    }


def _one_json(one: Replayed) -> serial.Json:
    return {
        "ref": one.ref,
        "key": one.key,
        "state": one.state.value,
        "reasons": [
            {"why": r.why.value, "detail": r.detail, "source": r.source, "hash": r.hash} for r in one.reasons
        ],
        "differences": [{"path": d.path, "then": d.then, "now": d.now} for d in one.differences],
        "more_differences": one.more,
    }


def _start_json(start: Line) -> serial.Json:
    return {
        "seq": start.seq,
        "ts": start.ts,
        "stage": start.stage,
        "citeproof": start.citeproof,
        "python": start.python,
        "judge": start.judge,
        "judge_hash": start.judge_hash,
        "snapshots": list(start.snapshots),
        "sources": list(start.sources),
        "offline": start.offline,
    }


def _pinned(start: Line) -> str:
    sources = [name for name in start.sources if not name.startswith("snapshot")]
    parts = [f"citeproof {line(start.citeproof)}", f"judge {line(start.judge)}"]
    parts += [f"snapshot {line(name)}" for name in start.snapshots]
    if sources:
        parts.append(f"{len(sources)} live source{'' if len(sources) == 1 else 's'}")
    return ", ".join(parts) + (", offline" if start.offline else "")


def _reason(reason: Reason) -> str:
    source = f"{line(reason.source)}: " if reason.source else ""
    digest = f" ({line(reason.hash[:_SHORT])}…)" if reason.hash else ""
    return f"{source}{line(reason.detail, 400)}{digest}"
