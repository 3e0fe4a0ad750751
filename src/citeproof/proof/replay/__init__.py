"""A recorded run, judged again: every reference from the evidence that the log stored, without the network.

1. The log's line names a commitment; the case in the sidecar must open it, and the line follow from it.
2. All that the case rests on must be stored: the judge of the run, and what each source answered.
3. The sources read those answers again (`recorded_lookups`), then compare, judge and correct as in any run.
4. The judgement must equal the recorded one but for the words of its explanation; else each difference is
   listed, and its cause.
5. What was found about references together is found again from those that were judged again.
6. Claims are decided again; what a language model said about a text is weighed from its recorded answer.
7. Every other event of the run must say what it commits to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import msgspec

from citeproof.judgement.checks.evidence.set_evidence import SetMember
from citeproof.judgement.judge.model import Model
from citeproof.plumbing.background import BackgroundLoop
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, is_commitment_to
from citeproof.proof.audit import case as cases
from citeproof.proof.audit.case import LoggedCase, LoggedClaim
from citeproof.proof.audit.events import VERSION, Event, make_set_events
from citeproof.proof.replay import recorded_run
from citeproof.proof.replay.logged_verdict import compare_line, make_expected_events
from citeproof.proof.replay.recorded_lookups import (
    EvidenceBodies,
    LookupReplayer,
    RecordedConfig,
    UnknownSourceError,
    list_needed_hashes,
)
from citeproof.proof.replay.recorded_run import LogErasures, RecordedLine, RunRecording
from citeproof.proof.replay.rejudgement import (
    TOGETHER,
    LoggedSet,
    PinnedSetup,
    decide_again,
    examine_again,
    judge_again,
    make_expected_claim,
)
from citeproof.proof.replay.replay_report import (
    ReasonCode,
    ReplayDifference,
    ReplayedReference,
    ReplayReason,
    ReplayState,
    ReplaySubject,
)
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Checked, FindingState

__all__ = ["ReasonCode", "Replay", "ReplayDifference", "ReplayReason", "ReplayState", "ReplayedReference"]

CLAIM = "a claim"
_NO_CASE = (
    msgspec.MsgspecError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip


class _UnusableError(Exception):
    """Why a reference cannot be judged again."""

    def __init__(self, state: ReplayState, *reasons: ReplayReason) -> None:
        super().__init__(reasons[0].detail)
        self.state, self.reasons = state, reasons


class Replay:
    """The references of one recorded run, judged again as they are taken out; use it with `with`."""

    def __init__(self, folder: Path, recording: RunRecording, *, judge: Model | None = None) -> None:
        """Take a run that was read; `judge` takes the place of the one that judged then."""
        self.recording, self._folder, self._judge = recording, folder, judge
        self._evidence = EvidenceStore(folder, readonly=True)
        self._private = PrivateStore(folder, readonly=True)
        self._bodies = EvidenceBodies(self._evidence)
        self._common: Event = {"v": VERSION, "run": recording.run}  # what every line says
        self._members: dict[int, SetMember] = {}
        self._checked: dict[str, Checked] = {}  # by the hash of the case, for the claims
        self._configs: dict[int, RecordedConfig] = {}
        self._pinned: dict[int, PinnedSetup | _UnusableError] = {}

    @classmethod
    def open(cls, folder: Path, run: str, *, judge: Model | None = None) -> Replay | None:
        """Return the run of that name, ready to be judged again; None if the log has none."""
        recording = recorded_run.read_recording(folder, run)
        return None if recording is None else cls(folder, recording, judge=judge)

    def references(self, ref: int | None = None) -> Iterator[ReplayedReference]:
        """Yield every reference of the run, or the one numbered `ref`, judged again, in document order."""
        with BackgroundLoop("citeproof-replay", alone=True) as loop:
            for entry in self.recording.entries:
                if ref is None or entry.line.ref == ref:
                    yield loop.run(self._replay_one(entry))

    def further(self) -> Iterator[ReplayedReference]:
        """Yield what else the run says, compared with what is stored; after all `references`."""
        yield from self.sets()
        yield from self.claims()
        yield from self.events()

    def sets(self) -> Iterator[ReplayedReference]:
        """Yield what was found about references together, found again."""
        for entry in self.recording.sets:
            yield self._replay_further(entry, ReplaySubject.SET, TOGETHER, self._replay_set)

    def claims(self) -> Iterator[ReplayedReference]:
        for entry in self.recording.claims:
            yield self._replay_further(entry, ReplaySubject.CLAIM, CLAIM, self._replay_claim)

    def events(self) -> Iterator[ReplayedReference]:
        """Yield the events of the run itself, and those that belong to nothing."""
        for entry in self.recording.events:
            title = f"event {entry.line.seq}, {entry.line.ev}"
            yield self._replay_further(entry, ReplaySubject.EVENT, title, self._replay_event)
        why = ReplayReason(ReasonCode.COMMITMENT, "no verdict of the log has such an event next to it")
        for entry in self.recording.stray:
            title, subject = f"event {entry.line.seq}, {entry.line.ev}", ReplaySubject.EVENT
            yield ReplayedReference(0, ReplayState.TAMPERED, "", title, (why,), subject=subject)

    def _replay_further(
        self,
        entry: RecordedLine,
        subject: ReplaySubject,
        title: str,
        replay: Callable[[RecordedLine, str], ReplayedReference],
    ) -> ReplayedReference:
        try:
            return replay(entry, title)
        except _UnusableError as error:
            state, reasons = error.state, error.reasons
        except _NO_CASE as error:
            state, reasons = ReplayState.UNAVAILABLE, _make_unreadable_error(error).reasons
        return ReplayedReference(0, state, "", title, reasons, subject=subject)

    def _replay_set(self, entry: RecordedLine, _: str) -> ReplayedReference:
        start = entry.start
        row = self._open_commitment(entry, entry.line.set, "what was found about the references")
        logged = decode_json(row.data, type=LoggedSet)
        made = make_set_events(logged.found, logged.references, start.stage, entry.line.set)
        _require_lines((entry.packed, *entry.after), [self._common | event for event in made])
        return examine_again(logged, self._members, start.stage, start.citeproof)

    def _replay_claim(self, entry: RecordedLine, _: str) -> ReplayedReference:
        line, start = entry.line, entry.start
        logged = decode_json(self._open_commitment(entry, line.claim, "the claim").data, type=LoggedClaim)
        made = make_expected_claim(logged, entry.said, start.stage, line.claim)
        _require_lines([entry.packed], [self._common | made])
        unknown = any(each.passed and each.retraction is FindingState.UNCHECKED for each in logged.candidates)
        allow = unknown and self._read_config(entry).allow_unchecked_retractions
        return decide_again(logged, self._checked, start.citeproof, allow=allow)

    def _replay_event(self, entry: RecordedLine, title: str) -> ReplayedReference:
        line = entry.line
        if line.line:
            row = self._open_commitment(entry, line.line, "the event")
            fields = decode_json(row.data, type=dict[str, Any])
            _require_lines([entry.packed], [self._common | fields | {"line": line.line}])
        elif (head := self._read_config(entry).head) is not None:  # older logs have none
            made = [self._common | head | {"config": line.config}] if line.config else []
            _require_lines([entry.packed], made)
        for commitment in line.documents:
            self._open_commitment(entry, commitment, "what is known of a document")
        return ReplayedReference(0, ReplayState.IDENTICAL, "", title, subject=ReplaySubject.EVENT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._evidence.close()
        self._private.close()

    async def _replay_one(self, entry: RecordedLine) -> ReplayedReference:
        ref, case = entry.line.ref, None
        try:
            row = self._open_commitment(entry, entry.line.case, "the case")
            with _convert_unreadable():
                case = cases.decode_case(row.data)
            self._require_consistent(entry, case, row.ref)
            pinned = self._get_pinned(entry)
            self._check_evidence(entry, case)
            with _convert_unreadable():
                replayed = await judge_again(entry, case, pinned)
        except _UnusableError as error:
            return ReplayedReference(ref, error.state, *_find_key_and_title(entry, case), error.reasons)
        except UnknownSourceError as error:
            reason = ReplayReason(ReasonCode.UNREADABLE, f"this version has no source {str(error)[:100]!r}")
            named = _find_key_and_title(entry, case)
            return ReplayedReference(ref, ReplayState.UNAVAILABLE, *named, (reason,))
        if replayed.checked is not None and self.recording.sets:
            self._members[ref] = SetMember.of(replayed.checked)
        if replayed.checked is not None and self.recording.claims:
            self._checked[sha256(row.data).hexdigest()] = replayed.checked
        return replayed

    # --- 1 the case ----------------------------------------------------------------------------

    def _require_consistent(self, entry: RecordedLine, case: LoggedCase, ref: int) -> None:
        """Raise what the lines about a reference tell otherwise than the case that they commit to."""
        start, common = entry.start, {"ref": ref, "stage": entry.start.stage, "case": entry.line.case}
        older = self._read_config(entry).head is None
        with _convert_unreadable():
            events = make_expected_events(case, entry.said, self._common | common, start.judge, older=older)
        lines = [*entry.before, entry.packed, *entry.after]
        _require_lines(lines, events[: len(lines)] if entry.last else events, "the case")

    def _open_commitment(self, entry: RecordedLine, commitment: str, what: str) -> PrivateRow:
        """Return the clear value of a commitment; nothing else may represent it."""
        row = self._private.get(commitment)
        mine = row is not None and row.run == self.recording.run
        if row is not None and mine and is_commitment_to(commitment, row.salt, row.data):
            return row
        if commitment in self._erasures.commitments:
            reason = self._erasures.commitments[commitment]
            raise _UnusableError(
                ReplayState.REDACTED, ReplayReason(ReasonCode.ERASED, f"{what} was erased: {reason}"[:300])
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
            reason = f"{what} is not in private.sqlite, and nothing in the log says that it was erased"
            why = ReplayReason(ReasonCode.MISSING, reason, hash=commitment)
        raise _UnusableError(ReplayState.UNAVAILABLE, why)

    @cached_property
    def _erasures(self) -> LogErasures:
        return recorded_run.read_erasures(self._folder)

    # --- 2 what it rests on --------------------------------------------------------------------

    def _check_evidence(self, entry: RecordedLine, case: LoggedCase) -> None:
        gone = dict.fromkeys(need for need in list_needed_hashes(case) if self._bodies.get(need[1]) is None)
        if gone:
            reasons = [
                self._explain_missing(entry, f"what {source} answered", source, digest)
                for source, digest in gone
            ]
            raise _UnusableError(ReplayState.UNAVAILABLE, *reasons)

    def _explain_missing(self, entry: RecordedLine, what: str, source: str, digest: str) -> ReplayReason:
        if self._erasures.covers(entry.line.ts):
            return ReplayReason(
                ReasonCode.PRUNED, f"{what} was deleted after its retention time", source, digest
            )
        return ReplayReason(ReasonCode.MISSING, f"{what} is not in evidence.sqlite", source, digest)

    def _get_pinned(self, entry: RecordedLine) -> PinnedSetup:
        start = entry.start
        if start.seq not in self._pinned:
            try:
                self._pinned[start.seq] = self._pin(entry)
            except _UnusableError as error:
                self._pinned[start.seq] = error
        pinned = self._pinned[start.seq]
        if isinstance(pinned, _UnusableError):
            raise _UnusableError(pinned.state, *pinned.reasons)
        return pinned

    def _pin(self, entry: RecordedLine) -> PinnedSetup:
        start = entry.start
        again = LookupReplayer(self._read_config(entry), self._bodies)
        if self._judge is None:
            return self._pin_judge(entry, again)
        why = ReplayReason(ReasonCode.JUDGE, f"the judge {start.judge} then, {self._judge.name} now")
        return PinnedSetup(again, self._judge, (why,) if self._judge.name != start.judge else ())

    def _read_config(self, entry: RecordedLine) -> RecordedConfig:
        """Return the settings of the sources, and what the first event of the run says."""
        start = entry.start
        if start.seq not in self._configs:
            try:
                row = self._open_commitment(entry, start.config, "the settings of the sources")
                self._configs[start.seq] = decode_json(row.data, type=RecordedConfig)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                detail = f"this version cannot read the settings of the sources: {error}"[:300]
                why = ReplayReason(ReasonCode.UNREADABLE, detail)
                raise _UnusableError(ReplayState.UNAVAILABLE, why) from error
        return self._configs[start.seq]

    def _pin_judge(self, entry: RecordedLine, again: LookupReplayer) -> PinnedSetup:
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


def _require_lines(lines: Sequence[bytes], events: Sequence[Event], what: str = "the sidecar") -> None:
    """Raise what lines tell otherwise than the events that should have been written in their place."""
    wrong = [
        why for line, event in zip(lines, events, strict=False) for why in compare_line(line, event, what)
    ]
    more = [msgspec.json.decode(line).get("ev", "") for line in lines[len(events) :]]
    wrong += [f"the log has the event {name[:100]} here, and {what} does not" for name in more]
    wrong += [f"{what} has the event {event['ev']}, and the log does not" for event in events[len(lines) :]]
    if wrong:
        raise _UnusableError(
            ReplayState.TAMPERED, *(ReplayReason(ReasonCode.COMMITMENT, detail) for detail in wrong)
        )


@contextmanager
def _convert_unreadable() -> Iterator[None]:
    """Raise that this version cannot read a case where a value in it is one that it does not know."""
    try:
        yield
    except _NO_CASE as error:
        raise _make_unreadable_error(error) from error


def _make_unreadable_error(error: Exception) -> _UnusableError:
    why = ReplayReason(
        ReasonCode.UNREADABLE, f"this version cannot read the case: {type(error).__name__}: {error}"[:300]
    )
    return _UnusableError(ReplayState.UNAVAILABLE, why)


def _find_key_and_title(entry: RecordedLine, case: LoggedCase | None) -> tuple[str, str]:
    """Return key and title; where there is no case, as far as the log has them in clear."""
    if case is not None:
        return case.reference.key, case.reference.claimed.title or case.reference.raw
    key, title = (entry.said.get(name, "").strip('"') for name in ("key", "claimed title"))
    return key, "" if title == "null" else title
