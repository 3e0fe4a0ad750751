"""A recorded run, judged again: every reference from the evidence that the log kept, without the network.

1. The log's line names a commitment; the case in the sidecar must open it, and the line follow from it.
2. All that the case rests on must be stored: the judge of the run, and what each source answered.
3. The sources read those answers again (`lookups`), then compare, judge and correct as in any run.
4. The judgement must have the very bytes of the recorded one; else what differs is named, and why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Self

import msgspec

from citeproof.audit import case as cases
from citeproof.audit.case import Case
from citeproof.audit.commitment import opens
from citeproof.judge.model import Model
from citeproof.replay import recorded
from citeproof.replay.again import Pinned, judged_again
from citeproof.replay.bodies import Bodies, needed
from citeproof.replay.lookups import Again, Config, UnknownSourceError
from citeproof.replay.outcome import Difference, Reason, Replayed, State, Why
from citeproof.replay.recorded import Entry, Erasures, Line, Recording
from citeproof.replay.said import contradictions
from citeproof.stores.evidence import Evidence
from citeproof.stores.private import Private

__all__ = ["Difference", "Reason", "Replay", "Replayed", "State", "Why"]

_NO_CASE = (
    msgspec.MsgspecError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip


class _UnusableError(Exception):
    """Why a reference cannot be judged again."""

    def __init__(self, state: State, *reasons: Reason) -> None:
        super().__init__(reasons[0].detail)
        self.state = state
        self.reasons = reasons


class Replay:
    """The references of one recorded run, judged again as they are taken out; use it with `with`."""

    def __init__(self, folder: Path, recording: Recording, *, judge: Model | None = None) -> None:
        """Take a run that was read; `judge` takes the place of the one that judged then."""
        self.recording = recording
        self._folder = folder
        self._judge = judge
        self._evidence = Evidence(folder, readonly=True)
        self._private = Private(folder, readonly=True)
        self._bodies = Bodies(self._evidence)
        self._pinned: dict[int, Pinned | _UnusableError] = {}

    @classmethod
    def open(cls, folder: Path, run: str, *, judge: Model | None = None) -> Replay | None:
        """Return the run of that name, ready to be judged again; None if the log has none."""
        found = recorded.read(folder, run)
        return None if found is None else cls(folder, found, judge=judge)

    def references(self, ref: int | None = None) -> Iterator[Replayed]:
        """Yield every reference of the run, or the one numbered `ref`, judged again, in document order."""
        with asyncio.Runner() as runner:
            for entry in self.recording.entries:
                if ref is None or entry.line.ref == ref:
                    yield runner.run(self._one(entry))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._evidence.close()
        self._private.close()

    async def _one(self, entry: Entry) -> Replayed:
        case = None
        try:
            case = self._case(entry)
            _follows(entry, case)
            pinned = self._pinned_of(entry)
            self._whole(entry, case)
            return await _judged(entry, case, pinned)
        except _UnusableError as error:
            return Replayed(entry.line.ref, error.state, *_named(entry, case), error.reasons)
        except UnknownSourceError as error:
            reason = Reason(Why.UNREADABLE, f"this version has no source {str(error)[:100]!r}")
            return Replayed(entry.line.ref, State.UNAVAILABLE, *_named(entry, case), (reason,))

    # --- 1 the case ----------------------------------------------------------------------------

    def _case(self, entry: Entry) -> Case:
        data = self._opened(entry, entry.line.case, "the case")
        try:
            return cases.read(data)
        except _NO_CASE as error:
            raise _unreadable(error) from error

    def _opened(self, entry: Entry, commitment: str, what: str) -> bytes:
        """Return the clear value of a commitment; nothing else may stand for it."""
        row = self._private.get(commitment)
        if row is not None and opens(commitment, row.salt, row.data):
            return row.data
        if commitment in self._erasures.commitments:
            told = self._erasures.commitments[commitment]
            raise _UnusableError(State.REDACTED, Reason(Why.ERASED, f"{what} was erased: {told}"[:300]))
        if row is not None:
            detail = f"{what} does not open its commitment: it was changed after the run"
            raise _UnusableError(State.TAMPERED, Reason(Why.COMMITMENT, detail, hash=commitment))
        if self._erasures.covers(entry.line.ts):
            why = Reason(Why.PRUNED, f"{what} was dropped after its retention time", hash=commitment)
        else:
            told = f"{what} is not in private.sqlite, and nothing in the log says that it was erased"
            why = Reason(Why.MISSING, told, hash=commitment)
        raise _UnusableError(State.UNAVAILABLE, why)

    @cached_property
    def _erasures(self) -> Erasures:
        return recorded.erasures(self._folder)

    # --- 2 what it rests on --------------------------------------------------------------------

    def _whole(self, entry: Entry, case: Case) -> None:
        gone = dict.fromkeys(one for one in needed(case) if self._bodies.get(one[1]) is None)
        if gone:
            reasons = [
                self._gone(entry, f"what {source} answered", source, digest) for source, digest in gone
            ]
            raise _UnusableError(State.UNAVAILABLE, *reasons)

    def _gone(self, entry: Entry, what: str, source: str, digest: str) -> Reason:
        if self._erasures.covers(entry.line.ts):
            return Reason(Why.PRUNED, f"{what} was dropped after its retention time", source, digest)
        return Reason(Why.MISSING, f"{what} is not in evidence.sqlite", source, digest)

    def _pinned_of(self, entry: Entry) -> Pinned:
        start = entry.start
        if start.seq not in self._pinned:
            try:
                self._pinned[start.seq] = self._pin(entry)
            except _UnusableError as error:
                self._pinned[start.seq] = error
        found = self._pinned[start.seq]
        if isinstance(found, _UnusableError):
            raise _UnusableError(found.state, *found.reasons)
        return found

    def _pin(self, entry: Entry) -> Pinned:
        start = entry.start
        try:
            data = self._opened(entry, start.config, "how sources were reached")
            config = msgspec.json.decode(data, type=Config)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            why = Reason(Why.UNREADABLE, f"this version cannot read how sources were reached: {error}"[:300])
            raise _UnusableError(State.UNAVAILABLE, why) from error
        again = Again(config, self._bodies)
        if self._judge is not None:
            return Pinned(again, self._judge, tuple(_other(start, self._judge)))
        return self._pinned_judge(entry, again)

    def _pinned_judge(self, entry: Entry, again: Again) -> Pinned:
        digest = entry.start.judge_hash
        body = self._bodies.get(digest)
        if body is None:
            raise _UnusableError(
                State.UNAVAILABLE, self._gone(entry, "the judge of the run", "judge", digest)
            )
        changed = Reason(Why.DAMAGED, "the stored judge no longer has its hash", "judge", digest)
        try:
            model = msgspec.json.decode(body.data, type=Model)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise _UnusableError(State.TAMPERED, changed) from error
        return Pinned(again, model, () if body.digest == digest else (changed,))


def _follows(entry: Entry, case: Case) -> None:
    """Raise what the line tells otherwise than the case that it commits to."""
    try:
        told = contradictions(entry.said, case, entry.beside)
        wrong = [Reason(Why.COMMITMENT, detail) for detail in told]
    except _NO_CASE as error:
        raise _unreadable(error) from error
    if entry.line.model and entry.line.model != entry.start.judge:
        detail = f"the log says model {entry.line.model[:100]!r}, and the run began with none of that name"
        wrong.append(Reason(Why.COMMITMENT, detail))
    if wrong:
        raise _UnusableError(State.TAMPERED, *wrong)


async def _judged(entry: Entry, case: Case, pinned: Pinned) -> Replayed:
    """Return the reference, judged again; a value in it that this version does not know costs only it."""
    try:
        return await judged_again(entry, case, pinned)
    except _NO_CASE as error:
        raise _unreadable(error) from error


def _unreadable(error: Exception) -> _UnusableError:
    why = Reason(Why.UNREADABLE, f"this version cannot read the case: {type(error).__name__}: {error}"[:300])
    return _UnusableError(State.UNAVAILABLE, why)


def _other(start: Line, judge: Model) -> Iterator[Reason]:
    if judge.name != start.judge:
        yield Reason(Why.JUDGE, f"the judge {start.judge} then, {judge.name} now")


def _named(entry: Entry, case: Case | None) -> tuple[str, str]:
    """Return key and title; where there is no case, as far as the log has them in clear."""
    if case is not None:
        return case.reference.key, case.reference.claimed.title or case.reference.raw
    key, claimed = entry.said.get("key"), entry.said.get("claimed")
    title = claimed.get("title") if isinstance(claimed, dict) else None
    return key if isinstance(key, str) else "", title if isinstance(title, str) else ""
