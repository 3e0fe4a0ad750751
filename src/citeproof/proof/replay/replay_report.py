"""What came of judging a recorded reference again, in words and as JSON.

What comes out of logs and answers is hostile: escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import format_count
from citeproof.proof.replay.recorded_run import RecordedEvent, RunRecording
from citeproof.vocabulary import Checked

SCHEMA = "citeproof/replay/1"
SHOWN = 12  # differences of one reference that a text shows
_SHORT = 12  # characters of a hash
_SPREAD = "content_hash"  # of damaged bytes; it is in every record made of them


@dataclass(slots=True)
class ReplayTally:
    """How many references, and what else a run has, came out how; grows while they pass by."""

    counts: dict[ReplaySubject, Counter[ReplayState]] = field(
        default_factory=lambda: {subject: Counter() for subject in ReplaySubject}
    )

    @property
    def states(self) -> Counter[ReplayState]:
        return self.counts[ReplaySubject.REFERENCE]

    def watch(self, replayed: Iterable[ReplayedReference]) -> Iterator[ReplayedReference]:
        """Yield what comes, unchanged, and count it."""
        for outcome in replayed:
            self.counts[outcome.subject][outcome.state] += 1
            yield outcome

    @property
    def differs(self) -> bool:
        return self._has_any(ReplayState.DRIFTED, ReplayState.TAMPERED)

    @property
    def incomplete(self) -> bool:
        return self._has_any(ReplayState.UNAVAILABLE, ReplayState.REDACTED)

    def _has_any(self, *states: ReplayState) -> bool:
        return any(counted[state] for counted in self.counts.values() for state in states)

    def sentence(self) -> str:
        """Return the counts in words: `500 references: 499 identical, 1 drifted`."""
        _, sets, claims, events = (self.counts[subject] for subject in ReplaySubject)
        words = f"{format_count(self.states.total(), 'reference')}: {_format_states(self.states) or 'none'}"
        words += f"; findings about them together: {_format_states(sets)}" if sets else ""
        words += f"; {format_count(claims.total(), 'claim')}: {_format_states(claims)}" if claims else ""
        noted = events.keys() - {ReplayState.IDENTICAL}
        return f"{words}; other events of the run: {_format_states(events)}" if noted else words


def _format_states(states: Counter[ReplayState]) -> str:
    return ", ".join(f"{states[state]} {state}" for state in ReplayState if states[state])


def format_run_head(recording: RunRecording) -> Iterator[str]:
    """Yield what the run was judged with, a line each."""
    yield f"run {recording.run}\n"
    for start in recording.starts:
        yield f"  {show_line(start.stage)} of {show_line(start.ts)}: {_describe_pinned(start)}\n"


def format_replayed(replayed: ReplayedReference) -> Iterator[str]:
    """Yield a reference that is not identical: what is the matter, why, what differs."""
    key = f" [{show_line(replayed.key, 80)}]" if replayed.key else ""  # unknown without its case
    title = show_line(replayed.title, 120) or "without a title"
    yield f"\n{replayed.ref or ''}{key} {replayed.state}: {title}\n"
    for reason in replayed.reasons:
        source = f"{show_line(reason.source)}: " if reason.source else ""
        digest = f" ({show_line(reason.hash[:_SHORT])}…)" if reason.hash else ""
        yield f"  why: {source}{show_line(reason.detail, 400)}{digest}\n"
    rows = [row for row in replayed.differences if not row.path.endswith(_SPREAD)]
    for row in rows[:SHOWN]:
        yield (
            f"  {show_line(row.path)}: {show_line(row.then, 160) or 'nothing'} → "
            f"{show_line(row.now, 160) or 'nothing'}\n"
        )
    more = len(rows) - SHOWN + replayed.more
    if more > 0:
        yield f"  and {more} more; --format json lists them\n"
    if replayed.state is ReplayState.DRIFTED and not rows:
        yield "  the judgement is the same\n"


def build_replay_json(recording: RunRecording, replayed: Sequence[ReplayedReference]) -> serializers.Json:
    """Return the whole outcome: what the run was judged with, and every reference."""
    by_subject: dict[str, list[serializers.Json]] = {subject.value: [] for subject in ReplaySubject}
    for outcome in replayed:
        by_subject[outcome.subject].append(_build_replayed_json(outcome))
    references = by_subject[ReplaySubject.REFERENCE]
    states = Counter(outcome["state"] for outcome in references)
    return {
        "schema": SCHEMA,
        "citeproof": serializers.get_version(),
        "run": recording.run,
        "recorded": [_build_start_json(start) for start in recording.starts],
        "summary": {"references": len(references)} | {state.value: states[state] for state in ReplayState},
        **by_subject,
    }


def _build_replayed_json(replayed: ReplayedReference) -> serializers.Json:
    return {
        "ref": replayed.ref,
        "key": replayed.key,
        "state": replayed.state.value,
        "reasons": [
            {"why": r.why.value, "detail": r.detail, "source": r.source, "hash": r.hash}
            for r in replayed.reasons
        ],
        "differences": [{"path": d.path, "then": d.then, "now": d.now} for d in replayed.differences],
        "more_differences": replayed.more,
    }


def _build_start_json(start: RecordedEvent) -> serializers.Json:
    names = ("seq", "ts", "stage", "citeproof", "python", "judge", "judge_hash")
    lists = {"snapshots": list(start.snapshots), "sources": list(start.sources)}
    return {name: getattr(start, name) for name in names} | lists | {"offline": start.offline}


def _describe_pinned(start: RecordedEvent) -> str:
    sources = [name for name in start.sources if not name.startswith(("snapshot", "memory"))]
    parts = [f"citeproof {show_line(start.citeproof)}", f"judge {show_line(start.judge)}"]
    parts += [f"snapshot {show_line(name)}" for name in start.snapshots]
    if sources:
        parts.append(f"{len(sources)} live source{'' if len(sources) == 1 else 's'}")
    return ", ".join(parts) + (", offline" if start.offline else "")


class ReplayState(StrEnum):
    """How a recorded reference stands today."""

    IDENTICAL = "identical"  # judged again to the same bytes, from evidence that is whole
    DRIFTED = "drifted"  # the judgement is another, or what it rests on was changed
    TAMPERED = "tampered"  # what is stored is not what the log committed to
    REDACTED = "redacted"  # erased on purpose, as the log says
    UNAVAILABLE = "unavailable"  # what it needs is not there


class ReplaySubject(StrEnum):
    """What was replayed; the words name it in JSON."""

    REFERENCE = "references"
    SET = "sets"  # what was found about references together
    CLAIM = "claims"
    EVENT = "events"  # of the run itself, or that belong to nothing


class ReasonCode(StrEnum):
    """What a difference comes from, or why there is nothing to compare."""

    DAMAGED = "damaged"  # a stored answer does not match its hash
    READ = "read_otherwise"  # the same bytes give other records
    ASKED = "asks_otherwise"  # requests that were not made then, or are not made any more
    JUDGE = "another_judge"
    VERSION = "another_version"
    UNEXPLAINED = "unexplained"  # same version, judge and evidence: the code or a library was changed
    COMMITMENT = "commitment"
    ERASED = "erased"
    PRUNED = "pruned"
    MISSING = "missing"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class ReplayReason:
    """Why, in words; `hash` and `source` where stored bytes are meant."""

    why: ReasonCode
    detail: str
    source: str = ""
    hash: str = ""


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """One value that is another today. Both as JSON text, empty where there is none."""

    path: str  # such as "judgement.mismatches[0].resolved"
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class ReplayedReference:
    """One recorded reference, judged again; or what else the run says, compared with what is stored."""

    ref: int
    state: ReplayState
    key: str = ""
    title: str = ""
    reasons: tuple[ReplayReason, ...] = ()
    differences: tuple[ReplayDifference, ...] = ()
    more: int = 0  # differences beyond those that are listed
    subject: ReplaySubject = ReplaySubject.REFERENCE
    checked: Checked | None = field(default=None, repr=False)
