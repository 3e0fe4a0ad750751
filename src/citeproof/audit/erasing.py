"""What may leave a log folder: a user's own words, and evidence whose time is over. The tree stays as it is.

First the event that says so, durably; then the bytes. A crash between the two is made good by `finish`,
which everybody who opens the sidecar for writing should call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Protocol

import msgspec

from citeproof.audit import case
from citeproof.audit.events import MOST_HASHES
from citeproof.audit.log import LOG
from citeproof.audit.reading import RUN, lines
from citeproof.clock import Clock, today
from citeproof.errors import AuditError, UsageError
from citeproof.stores.evidence import Evidence
from citeproof.stores.private import Private, Row

MOST = 500  # commitments or hashes of one event, which may have 65,535 bytes
LONGEST = 500  # characters of a reason
_FINISHED = "erased_to"  # the log up to this entry is carried out
_COMMITMENT = re.compile(r"[0-9a-f]{64}", re.ASCII)
_MEANT = re.compile(rf"({RUN.pattern})(?:/([1-9][0-9]{{0,8}}))?", re.ASCII)
_RECENT = timedelta(days=2)  # a body put so lately may belong to an event that is still to be written


class Appending(Protocol):
    """What is needed of the log."""

    folder: Path

    def append(self, run: str, events: Sequence[Mapping[str, object]]) -> list[int]: ...


class _Said(msgspec.Struct, frozen=True, gc=False):
    """The fields of an entry that decide what may go."""

    ts: str
    run: str
    ev: str
    evidence: list[str] | int = msgspec.field(default_factory=list)  # `pruned` counts here
    judge_hash: str = ""
    case: str = ""
    commitments: list[str] = msgspec.field(default_factory=list)


_SAID = msgspec.json.Decoder(_Said)


@dataclass(frozen=True, slots=True)
class Pruned:
    """How much went: bodies, and values of the sidecar."""

    bodies: int
    values: int


def redact(log: Appending, private: Private, what: Iterable[str], reason: str) -> int:
    """Return how many values were erased; `what` are commitments, runs (RUN) or references (RUN/3).

    What is erased already costs nothing and is not logged again.
    """
    finish(log, private)
    meant = dict(pair for one in what for pair in _meant(private, one))
    _announce(log, meant, reason)
    return private.erase(meant)


def finish(log: Appending, private: Private) -> int:
    """Return how many values were there though the log says that they were erased; now they are not."""
    at = private.mark(_FINISHED)
    named: list[str] = []
    for line in lines(log.folder, at):
        at += 1
        if b'"redacted"' in line:
            said = _said(line)
            named += said.commitments if said.ev == "redacted" else ()
    erased = private.erase(named)
    if at != private.mark(_FINISHED):
        private.note(_FINISHED, at)
    return erased


def prune(log: Appending, evidence: Evidence, private: Private, before: datetime, clock: Clock) -> Pruned:
    """Drop the bodies that only events before that time name, and erase the values of runs that ended before.

    A body that anybody put in the last days stays: its event may still be on its way.
    """
    limit = before.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if before > clock.now():
        raise UsageError(f"{limit} is still to come", place="--before", mend="name a time in the past")
    finish(log, private)
    used, recent = _used(log, private, limit), today(clock) - _RECENT
    going = evidence.older(used.old - used.new, recent)
    meant = {one: run for run in sorted(used.ended) for one in private.held(run)}
    if not going and not meant:
        return Pruned(0, 0)
    _announce(log, meant, f"retention: its run ended before {limit}")
    log.append(LOG, [{"ev": "pruned", "before": limit, "evidence": len(going), "values": len(meant)}])
    erased = private.erase(meant)
    if erased:
        with suppress(AuditError):  # somebody is at it: only the room is not given back
            private.compact()
    return Pruned(evidence.drop(going, unless_since=recent), erased)


@dataclass(slots=True)
class _Used:
    old: set[str] = field(default_factory=set)  # hashes named before the limit
    new: set[str] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)  # runs without an event since


def _used(log: Appending, private: Private, limit: str) -> _Used:
    """Return which evidence is named before and since `limit`, and which runs are over."""
    used = _Used()
    for line in lines(log.folder):
        said = _said(line)
        if said.ev == "redacted":
            continue  # does not make a run young again
        if said.ts < limit:
            used.ended.add(said.run)
            used.old.update(_hashes(said, private))
        else:
            used.ended.discard(said.run)
            used.new.update(_hashes(said, private))
    return used


def _hashes(said: _Said, private: Private) -> Iterator[str]:
    if isinstance(said.evidence, list):
        yield from said.evidence
        if len(said.evidence) >= MOST_HASHES and (row := private.get(said.case)):
            yield from _of_case(row)  # an event names only so many; the case names all
    if said.judge_hash:
        yield said.judge_hash


def _of_case(row: Row) -> Iterator[str]:
    try:
        found = case.read(row.data)
    except msgspec.DecodeError:
        return
    for lookup in found.lookups:
        yield from (exchange.sha256 for exchange in lookup.exchanges if exchange.sha256)
        yield from (record[0] for record in lookup.records)


def _meant(private: Private, what: str) -> Iterator[tuple[str, str]]:
    """Yield (commitment, run) of what a commitment, RUN or RUN/N names and is still there."""
    if _COMMITMENT.fullmatch(what):
        row = private.get(what)
        yield from [(what, row.run)] if row else []
        return
    found = _MEANT.fullmatch(what)
    if found is None:
        mend = "name a run (RUN), a reference (RUN/3) or a commitment (64 hexadecimal digits)"
        raise UsageError(f"{what[:100]!r} names nothing that can be erased", mend=mend)
    run, ref = found.groups()
    yield from ((one, run) for one in private.held(run, int(ref) if ref else None))


def _announce(log: Appending, meant: Mapping[str, str], reason: str) -> None:
    """Log what is about to be erased, in the run it belongs to."""
    by_run: dict[str, list[str]] = {}
    for commitment, run in meant.items():
        by_run.setdefault(run, []).append(commitment)
    for run, commitments in by_run.items():
        left = iter(commitments)
        while some := list(islice(left, MOST)):
            log.append(run, [{"ev": "redacted", "commitments": some, "reason": reason[:LONGEST]}])


def _said(line: bytes) -> _Said:
    try:
        return _SAID.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        mend = "say `citeproof audit verify` to see what happened to the log"
        raise AuditError("an entry cannot be read, so nothing was erased", mend=mend) from error
