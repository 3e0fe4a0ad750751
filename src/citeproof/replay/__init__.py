"""A recorded run, judged again: every reference from the evidence that the log kept, without the network.

1. The log's line names a commitment; the case in the sidecar must open it, and the line follow from it.
2. All that the case rests on must be stored: the judge of the run, and what each source answered.
3. The sources read those answers again (`recorded_lookups`), then compare, judge and correct as in any run.
4. The judgement must equal the recorded one but for the words of its explanation; else each difference is
   listed, and its cause.
5. What was found about references together is found again from those that were judged again.
6. What a language model said about the text of a claim is weighed again from its recorded answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Self

import msgspec

from citeproof.audit import case as cases
from citeproof.audit.case import LoggedCase
from citeproof.audit.commitment import is_commitment_to
from citeproof.background import BackgroundLoop
from citeproof.checks.set_evidence import SetMember
from citeproof.judge.model import Model
from citeproof.replay import recorded_run
from citeproof.replay.evidence_bodies import EvidenceBodies, list_needed_hashes
from citeproof.replay.logged_verdict import find_contradictions
from citeproof.replay.recorded_lookups import LookupReplayer, RecordedConfig, UnknownSourceError
from citeproof.replay.recorded_run import LogErasures, RecordedEvent, RecordedVerdict, RunRecording
from citeproof.replay.rejudgement import PinnedSetup, judge_again
from citeproof.replay.replay_outcome import (
    ReasonCode,
    ReplayDifference,
    ReplayedReference,
    ReplayReason,
    ReplayState,
)
from citeproof.replay.set_replay import TOGETHER, LoggedSet, examine_again
from citeproof.stores.evidence_store import EvidenceStore
from citeproof.stores.private_store import PrivateStore
from citeproof.typed_decoding import decode_json

__all__ = ["ReasonCode", "Replay", "ReplayDifference", "ReplayReason", "ReplayState", "ReplayedReference"]

CLAIM = "a claim"
_NO_CASE = (
    msgspec.MsgspecError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip


class _UnusableError(Exception):
    """Why a reference cannot be judged again."""

    def __init__(self, state: ReplayState, *reasons: ReplayReason) -> None:
        super().__init__(reasons[0].detail)
        self.state = state
        self.reasons = reasons


class Replay:
    """The references of one recorded run, judged again as they are taken out; use it with `with`."""

    def __init__(self, folder: Path, recording: RunRecording, *, judge: Model | None = None) -> None:
        """Take a run that was read; `judge` takes the place of the one that judged then."""
        self.recording = recording
        self._folder = folder
        self._judge = judge
        self._evidence = EvidenceStore(folder, readonly=True)
        self._private = PrivateStore(folder, readonly=True)
        self._bodies = EvidenceBodies(self._evidence)
        self._members: dict[int, SetMember] = {}
        self._pinned: dict[int, PinnedSetup | _UnusableError] = {}

    @classmethod
    def open(cls, folder: Path, run: str, *, judge: Model | None = None) -> Replay | None:
        """Return the run of that name, ready to be judged again; None if the log has none."""
        found = recorded_run.read_recording(folder, run)
        return None if found is None else cls(folder, found, judge=judge)

    def references(self, ref: int | None = None) -> Iterator[ReplayedReference]:
        """Yield every reference of the run, or the one numbered `ref`, judged again, in document order."""
        with BackgroundLoop("citeproof-replay", alone=True) as loop:
            for entry in self.recording.entries:
                if ref is None or entry.line.ref == ref:
                    replayed = loop.run(self._replay_one(entry))
                    if self.recording.sets and replayed.checked is not None:
                        self._members[entry.line.ref] = SetMember.of(replayed.checked)
                    yield replayed

    def sets(self) -> Iterator[ReplayedReference]:
        """Yield what was found about references together, found again; after all `references`."""
        for entry in self.recording.sets:
            try:
                data = self._open_commitment(entry, entry.line.set, "what was found about the references")
                logged = decode_json(data, type=LoggedSet)
                told = Counter(one.finding.name for one in logged.found if one.finding.is_finding)
                if told != Counter(entry.beside):
                    detail = "the log names other findings about the references than the sidecar"
                    reason = ReplayReason(ReasonCode.COMMITMENT, detail)
                    yield ReplayedReference(0, ReplayState.TAMPERED, "", TOGETHER, (reason,))
                else:
                    yield examine_again(logged, self._members, entry.start.citeproof)
            except _UnusableError as error:
                yield ReplayedReference(0, error.state, "", TOGETHER, error.reasons)
            except _NO_CASE as error:
                yield ReplayedReference(
                    0, ReplayState.UNAVAILABLE, "", TOGETHER, _make_unreadable_error(error).reasons
                )

    def claims(self) -> Iterator[ReplayedReference]:
        """Yield the claims about whose texts a language model was asked, weighed again."""
        for entry in self.recording.claims:
            try:
                yield self._replay_claim(entry)
            except _UnusableError as error:
                yield ReplayedReference(0, error.state, "", CLAIM, error.reasons, claim=True)
            except _NO_CASE as error:
                reasons = _make_unreadable_error(error).reasons
                yield ReplayedReference(0, ReplayState.UNAVAILABLE, "", CLAIM, reasons, claim=True)

    def _replay_claim(self, entry: RecordedVerdict) -> ReplayedReference:
        from citeproof.replay import claim_replay  # noqa: PLC0415 - only if a model was asked

        data = self._open_commitment(entry, entry.line.claim, "the claim")
        logged = decode_json(data, type=claim_replay.LoggedClaim)
        if told := claim_replay.find_claim_contradictions(entry, logged):
            wrong = [ReplayReason(ReasonCode.COMMITMENT, detail) for detail in told]
            raise _UnusableError(ReplayState.TAMPERED, *wrong)
        return claim_replay.weigh_again(logged, entry.start.citeproof)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._evidence.close()
        self._private.close()

    async def _replay_one(self, entry: RecordedVerdict) -> ReplayedReference:
        case = None
        try:
            case = self._case(entry)
            _require_consistent(entry, case)
            pinned = self._get_pinned(entry)
            self._check_evidence(entry, case)
            return await _judge_readable(entry, case, pinned)
        except _UnusableError as error:
            return ReplayedReference(
                entry.line.ref, error.state, *_find_key_and_title(entry, case), error.reasons
            )
        except UnknownSourceError as error:
            reason = ReplayReason(ReasonCode.UNREADABLE, f"this version has no source {str(error)[:100]!r}")
            return ReplayedReference(
                entry.line.ref, ReplayState.UNAVAILABLE, *_find_key_and_title(entry, case), (reason,)
            )

    # --- 1 the case ----------------------------------------------------------------------------

    def _case(self, entry: RecordedVerdict) -> LoggedCase:
        data = self._open_commitment(entry, entry.line.case, "the case")
        try:
            return cases.decode_case(data)
        except _NO_CASE as error:
            raise _make_unreadable_error(error) from error

    def _open_commitment(self, entry: RecordedVerdict, commitment: str, what: str) -> bytes:
        """Return the clear value of a commitment; nothing else may represent it."""
        row = self._private.get(commitment)
        if row is not None and is_commitment_to(commitment, row.salt, row.data):
            return row.data
        if commitment in self._erasures.commitments:
            told = self._erasures.commitments[commitment]
            raise _UnusableError(
                ReplayState.REDACTED, ReplayReason(ReasonCode.ERASED, f"{what} was erased: {told}"[:300])
            )
        if row is not None:
            detail = f"{what} does not open its commitment: it was changed after the run"
            raise _UnusableError(
                ReplayState.TAMPERED, ReplayReason(ReasonCode.COMMITMENT, detail, hash=commitment)
            )
        if self._erasures.covers(entry.line.ts):
            why = ReplayReason(
                ReasonCode.PRUNED, f"{what} was deleted after its retention time", hash=commitment
            )
        else:
            told = f"{what} is not in private.sqlite, and nothing in the log says that it was erased"
            why = ReplayReason(ReasonCode.MISSING, told, hash=commitment)
        raise _UnusableError(ReplayState.UNAVAILABLE, why)

    @cached_property
    def _erasures(self) -> LogErasures:
        return recorded_run.read_erasures(self._folder)

    # --- 2 what it rests on --------------------------------------------------------------------

    def _check_evidence(self, entry: RecordedVerdict, case: LoggedCase) -> None:
        gone = dict.fromkeys(one for one in list_needed_hashes(case) if self._bodies.get(one[1]) is None)
        if gone:
            reasons = [
                self._explain_missing(entry, f"what {source} answered", source, digest)
                for source, digest in gone
            ]
            raise _UnusableError(ReplayState.UNAVAILABLE, *reasons)

    def _explain_missing(self, entry: RecordedVerdict, what: str, source: str, digest: str) -> ReplayReason:
        if self._erasures.covers(entry.line.ts):
            return ReplayReason(
                ReasonCode.PRUNED, f"{what} was deleted after its retention time", source, digest
            )
        return ReplayReason(ReasonCode.MISSING, f"{what} is not in evidence.sqlite", source, digest)

    def _get_pinned(self, entry: RecordedVerdict) -> PinnedSetup:
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

    def _pin(self, entry: RecordedVerdict) -> PinnedSetup:
        start = entry.start
        try:
            data = self._open_commitment(entry, start.config, "the settings of the sources")
            config = decode_json(data, type=RecordedConfig)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            why = ReplayReason(
                ReasonCode.UNREADABLE, f"this version cannot read the settings of the sources: {error}"[:300]
            )
            raise _UnusableError(ReplayState.UNAVAILABLE, why) from error
        again = LookupReplayer(config, self._bodies)
        if self._judge is not None:
            return PinnedSetup(again, self._judge, tuple(_explain_other_judge(start, self._judge)))
        return self._pin_judge(entry, again)

    def _pin_judge(self, entry: RecordedVerdict, again: LookupReplayer) -> PinnedSetup:
        digest = entry.start.judge_hash
        body = self._bodies.get(digest)
        if body is None:
            raise _UnusableError(
                ReplayState.UNAVAILABLE, self._explain_missing(entry, "the judge of the run", "judge", digest)
            )
        changed = ReplayReason(
            ReasonCode.DAMAGED, "the stored judge does not match its hash", "judge", digest
        )
        try:
            model = decode_json(body.data, type=Model)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise _UnusableError(ReplayState.TAMPERED, changed) from error
        return PinnedSetup(again, model, () if body.digest == digest else (changed,))


def _require_consistent(entry: RecordedVerdict, case: LoggedCase) -> None:
    """Raise what the line tells otherwise than the case that it commits to."""
    try:
        told = find_contradictions(entry.said, case, entry.beside)
        wrong = [ReplayReason(ReasonCode.COMMITMENT, detail) for detail in told]
    except _NO_CASE as error:
        raise _make_unreadable_error(error) from error
    if entry.line.model and entry.line.model != entry.start.judge:
        detail = f"the log says model {entry.line.model[:100]!r}, but the run did not start with that model"
        wrong.append(ReplayReason(ReasonCode.COMMITMENT, detail))
    if wrong:
        raise _UnusableError(ReplayState.TAMPERED, *wrong)


async def _judge_readable(entry: RecordedVerdict, case: LoggedCase, pinned: PinnedSetup) -> ReplayedReference:
    """Return the reference, judged again; a value in it that this version does not know costs only it."""
    try:
        return await judge_again(entry, case, pinned)
    except _NO_CASE as error:
        raise _make_unreadable_error(error) from error


def _make_unreadable_error(error: Exception) -> _UnusableError:
    why = ReplayReason(
        ReasonCode.UNREADABLE, f"this version cannot read the case: {type(error).__name__}: {error}"[:300]
    )
    return _UnusableError(ReplayState.UNAVAILABLE, why)


def _explain_other_judge(start: RecordedEvent, judge: Model) -> Iterator[ReplayReason]:
    if judge.name != start.judge:
        yield ReplayReason(ReasonCode.JUDGE, f"the judge {start.judge} then, {judge.name} now")


def _find_key_and_title(entry: RecordedVerdict, case: LoggedCase | None) -> tuple[str, str]:
    """Return key and title; where there is no case, as far as the log has them in clear."""
    if case is not None:
        return case.reference.key, case.reference.claimed.title or case.reference.raw
    key, claimed = entry.said.get("key"), entry.said.get("claimed")
    title = claimed.get("title") if isinstance(claimed, dict) else None
    return key if isinstance(key, str) else "", title if isinstance(title, str) else ""
