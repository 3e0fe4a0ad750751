"""What may leave a log folder: a user's own words, and evidence whose time is over. The tree stays as it is.

First the event that says so, durably; then the bytes. A crash between the two is made good by
`finish_erasures`, which everybody calls who opens the sidecar for writing: runs, `commit`, `redact_values`,
`prune_evidence`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

import msgspec

from citeproof.errors import AuditError, NothingFoundError, UsageError
from citeproof.plumbing.clock import Clock, format_moment, today
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore
from citeproof.proof.audit import case
from citeproof.proof.audit.audit_log import LOG, AuditLog
from citeproof.proof.audit.events import MOST_HASHES
from citeproof.proof.audit.log_reader import (
    explain_closed_logs,
    list_closed_logs,
    read_log_lines,
    read_run_lines,
)
from citeproof.proof.audit.run_lock import RUN
from citeproof.text import lazy_patterns as re

MOST = 500  # commitments or hashes of one event, which may have 65,535 bytes
LONGEST = 500  # characters of a reason
_NAMED = 5  # commitments of a message
_FINISHED = "erased_to"  # the log up to this entry is carried out
_COMMITMENT = re.compile(r"[0-9a-f]{64}", re.ASCII)
_MEANT = re.compile(rf"({RUN.pattern})(?:/([1-9][0-9]{{0,8}}))?", re.ASCII)
_RECENT = timedelta(days=2)  # a body put so lately may belong to an event that is still to be written


class _ErasureEntry(msgspec.Struct, frozen=True, gc=False):
    """The fields of an entry that decide what may go."""

    ts: str
    run: str
    ev: str
    ref: int = 0
    evidence: list[str] | int = msgspec.field(default_factory=list)  # `pruned` counts here
    judge_hash: str = ""
    case: str = ""
    config: str = ""
    cut: bool = False
    documents: list[str] = msgspec.field(default_factory=list)
    commitments: list[str] = msgspec.field(default_factory=list)


_SAID = msgspec.json.Decoder(_ErasureEntry)


class UnknownTargetError(NothingFoundError):
    """A run, reference or commitment that the log does not have."""


@dataclass(frozen=True, slots=True)
class RedactionResult:
    """How many values went, and how many that the log called erased were back and went again.

    `lost`: values that are not here though the log does not say that they were erased.
    """

    values: int
    again: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class PruneResult:
    """How much went: bodies, and values of the sidecar; `again` as in `RedactionResult`."""

    bodies: int
    values: int
    again: int = 0


def redact_values(
    log: AuditLog, private: PrivateStore, what: Iterable[str], reason: str, *, every: bool = False
) -> RedactionResult:
    """Erase what is named: commitments, runs (RUN) or references (RUN/3). Nothing goes if one is unknown.

    With `every`, a number that several references have means them all. What is erased already costs nothing
    and is not logged again.
    """
    naming = _TargetResolver(log.folder, private, every=every)
    named = [naming.resolve_target(name) for name in what]
    again = finish_erasures(log, private)
    meant = {name: some.run for some in named for name in some.list_remaining(private)}
    lost = {name for some in named for name in some.said} - meant.keys() - naming.gone
    _announce_erasures(log, meant, reason)
    return RedactionResult(private.erase(meant), again, len(lost))


def finish_erasures(log: AuditLog, private: PrivateStore) -> int:
    """Return how many values were there though the log says that they were erased; now they are not."""
    at = private.mark(_FINISHED)
    named: list[str] = []
    for line in read_log_lines(log.folder, at):
        at += 1
        if b'"redacted"' in line:
            said = _decode_entry(line)
            named += said.commitments if said.ev == "redacted" else ()
    erased = private.erase(named)
    if at != private.mark(_FINISHED):
        private.note(_FINISHED, at)
    return erased


def prune_evidence(
    log: AuditLog, evidence: EvidenceStore, private: PrivateStore, before: datetime, clock: Clock
) -> PruneResult:
    """Drop the bodies that only events before that time name, and erase the values of runs that ended before.

    A body that anybody put in the last days stays: its event may still be on its way.
    """
    limit = format_moment(before)
    if before > clock.now():
        raise UsageError(f"{limit} is in the future", place="--before", hint="name a time in the past")
    again = finish_erasures(log, private)
    used, recent = _scan_evidence_use(log, private, limit), today(clock) - _RECENT
    going = evidence.list_older(used.old - used.new, recent)
    meant = {commitment: run for run in sorted(used.ended) for commitment in private.list_commitments(run)}
    if not going and not meant:
        return PruneResult(0, 0, again)
    _announce_erasures(log, meant, f"retention: its run ended before {limit}")
    log.append(LOG, [{"ev": "pruned", "before": limit, "evidence": len(going), "values": len(meant)}])
    log.integrate()  # only what is signed excuses what is gone
    erased = private.erase(meant)
    if erased:
        with suppress(AuditError):  # somebody is at it: only the room is not given back
            private.compact()
    return PruneResult(evidence.drop(going, unless_since=recent), erased, again)


@dataclass(slots=True)
class _EvidenceUse:
    old: set[str] = field(default_factory=set)  # hashes named before the limit
    new: set[str] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)  # runs without an event since


def _scan_evidence_use(log: AuditLog, private: PrivateStore, limit: str) -> _EvidenceUse:
    """Return which evidence is named before and since `limit`, and which runs are over."""
    used = _EvidenceUse()
    for line in read_log_lines(log.folder):
        said = _decode_entry(line)
        if said.ev == "redacted":
            continue  # does not make a run young again
        if said.ts < limit:
            used.ended.add(said.run)
            used.old.update(_list_hashes(said, private))
        else:
            used.ended.discard(said.run)
            used.new.update(_list_hashes(said, private))
    return used


def _list_hashes(said: _ErasureEntry, private: PrivateStore) -> Iterator[str]:
    if isinstance(said.evidence, list):
        yield from said.evidence
        if (said.cut or len(said.evidence) >= MOST_HASHES) and (row := private.get(said.case)):
            yield from _list_case_hashes(row)  # an event names only so many; the case names all
    if said.judge_hash:
        yield said.judge_hash


def _list_case_hashes(row: PrivateRow) -> Iterator[str]:
    try:
        logged = case.decode_case(row.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    for lookup in logged.lookups:
        yield from (exchange.sha256 for exchange in lookup.exchanges if exchange.sha256)
        yield from (record[0] for record in lookup.records)


@dataclass(frozen=True, slots=True)
class _ErasureTarget:
    """What a name means: a run, one of its references, or one commitment of it; `said` by the log."""

    run: str
    said: Sequence[str]
    ref: int | None = None
    alone: bool = False

    def list_remaining(self, private: PrivateStore) -> list[str]:
        """Return what of it is still here; of a run that a crash ended early, more than was logged."""
        here = private.list_commitments(self.run, self.ref)
        return [commitment for commitment in here if commitment in self.said] if self.alone else here


@dataclass(slots=True)
class _RunCommitments:
    """What the lines of a run commit to, by the number of the reference (0: the run), and what went."""

    named: dict[int, list[str]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)


class _TargetResolver:
    """Commitment, RUN or RUN/N -> what it names; each run is read once."""

    def __init__(self, folder: Path, private: PrivateStore, *, every: bool) -> None:
        self._folder, self._private, self._every = folder, private, every
        self._runs: dict[str, _RunCommitments] = {}

    @property
    def gone(self) -> set[str]:
        """What the runs that were read say was erased."""
        return set[str]().union(*(run.gone for run in self._runs.values()))

    def resolve_target(self, what: str) -> _ErasureTarget:
        """Return what is meant, erased or not."""
        if _COMMITMENT.fullmatch(what):
            return self._commitment(what)
        match = _MEANT.fullmatch(what)
        if match is None:
            hint = "name a run (RUN), a reference (RUN/3) or a commitment (64 hexadecimal digits)"
            raise UsageError(f"{what[:100]!r} is not a run, reference or commitment", hint=hint)
        named = self._list_logged(match[1]).named
        if match[2] is None:
            meant = _ErasureTarget(match[1], [commitment for some in named.values() for commitment in some])
        else:
            meant = _ErasureTarget(match[1], named.get(int(match[2]), ()), int(match[2]))
            self._choose_one(what, meant.said)
        if not (named if meant.ref is None else meant.ref in named) and not meant.list_remaining(
            self._private
        ):
            hint = "`citeproof audit show DIR` lists the runs, `citeproof audit show DIR RUN` its references"
            nothing = f"the log has no {'reference' if match[2] else 'run'} {what}", hint
            message, hint = explain_closed_logs(list_closed_logs(self._folder, match[1]), match[1]) or nothing
            raise UnknownTargetError(message, hint=hint)
        return meant

    def _commitment(self, what: str) -> _ErasureTarget:
        row = self._private.get(what)
        naming = (
            ()
            if row
            else (_decode_entry(line) for line in read_log_lines(self._folder) if what.encode() in line)
        )
        run = row.run if row else next((said.run for said in naming), None)
        if run is None:
            hint = "`citeproof audit show DIR RUN/N` shows the commitment of a reference"
            nothing = f"the log has no commitment {what}", hint
            held = [closed for closed in list_closed_logs(self._folder) if _has_commitment(closed, what)]
            message, hint = explain_closed_logs(held, what) or nothing
            raise UnknownTargetError(message, hint=hint)
        self._list_logged(run)
        return _ErasureTarget(run, [what], alone=True)

    def _choose_one(self, what: str, said: Sequence[str]) -> None:
        if len(said) > 1 and not self._every:
            shown = ", ".join(said[:_NAMED]) + (", …" if len(said) > _NAMED else "")
            hint = f"erase them all with --all, or name one commitment: {shown}"
            raise UsageError(f"{len(said)} references of the log have the number {what}", hint=hint)

    def _list_logged(self, run: str) -> _RunCommitments:
        if run not in self._runs:
            logged = self._runs[run] = _RunCommitments()
            for said in map(_decode_entry, read_run_lines(self._folder, run)):
                some = logged.named.setdefault(said.ref, [])
                some += [commitment for commitment in (said.case, said.config, *said.documents) if commitment]
                logged.gone.update(said.commitments if said.ev == "redacted" else ())
        return self._runs[run]


def _has_commitment(folder: Path, commitment: str) -> bool:
    """Return whether the sidecar of a log has what opens a commitment."""
    with closing(PrivateStore(folder, readonly=True)) as private:
        return private.get(commitment) is not None


def _announce_erasures(log: AuditLog, meant: Mapping[str, str], reason: str) -> None:
    """Log what is about to be erased, in the run it belongs to."""
    by_run: dict[str, list[str]] = {}
    for commitment, run in meant.items():
        by_run.setdefault(run, []).append(commitment)
    for run, commitments in by_run.items():
        left = iter(commitments)
        while some := list(islice(left, MOST)):
            log.append(run, [{"ev": "redacted", "commitments": some, "reason": reason[:LONGEST]}])
    log.integrate()  # only what is signed excuses what is gone


def _decode_entry(line: bytes) -> _ErasureEntry:
    try:
        return _SAID.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "run `citeproof audit verify` to see what happened to the log"
        raise AuditError("an entry cannot be read, so nothing was erased", hint=hint) from error
