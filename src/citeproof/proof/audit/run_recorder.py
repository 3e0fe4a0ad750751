"""The observer that keeps what it sees: one run into the log, durable before anything of it is shown."""

from __future__ import annotations

import asyncio
import platform
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from hashlib import sha256
from pathlib import Path

from citeproof.errors import UsageError
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.stores.private_store import PrivateRow, make_commitment
from citeproof.proof.audit.audit_log import LogCommit
from citeproof.proof.audit.batch_writer import BatchWriter, Made, WriteBatch
from citeproof.proof.audit.case import describe_claim, encode_case, encode_json
from citeproof.proof.audit.events import (
    Event,
    count_as,
    list_source_errors,
    make_claim_event,
    make_events,
    make_set_events,
)
from citeproof.proof.audit.run_lock import RUN
from citeproof.vocabulary import Checked, Document, Extraction, GroundedClaim, SetFinding, Step
from citeproof.vocabulary.quick_dataclass import dataclass, field

MOST_WAITING = 10_000  # references that were checked and that no one has taken yet
RESERVED = frozenset(("log", "observed"))  # what the log says of itself and of others
MOST_DOCUMENTS = 500  # in one event, which may not be longer than 65,535 bytes


@dataclass(frozen=True, slots=True)
class RunStart:
    """What a run's first event says: what is to be checked against what, by which judge."""

    stage: str
    version: str
    judge: str
    model: bytes  # the judge itself, pinned as evidence
    snapshots: tuple[str, ...]
    sources: tuple[str, ...]
    offline: bool
    config: Mapping[str, object]  # settings of the sources, digest of all settings; goes to the sidecar
    lists_pin: str = ""  # SHA-256 of the pinned set of lists, if the run asks one


@dataclass(frozen=True, slots=True)
class EarlierAttempt:
    """What the log has of a run that another process began and did not end."""

    counts: Mapping[str, int] = field(default_factory=dict)  # verdicts that are not checked again
    rows: Mapping[bytes, int] = field(default_factory=dict)  # digests of what was logged, and how often
    complete: bool = False  # its last event is there too


def digest_row(kind: str, data: bytes) -> bytes:
    """Return what two rows have in common if they say the same."""
    return sha256(kind.encode() + b"\0" + data).digest()


def make_run_name(clock: Clock) -> str:
    """Return a fresh name for a run: its time and six random digits."""
    return f"{clock.now().astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


def check_run_name(name: str) -> str:
    """Return the name of a hypothesis or run if a file can be called so."""
    if RUN.fullmatch(name) and name not in RESERVED:
        return name
    hint = "use up to 100 letters, digits, dots, dashes and underscores, such as h_abc123"
    raise UsageError(f"{name[:100]!r} is not a valid run name", place="--audit-run", hint=hint)


class RunRecorder:
    """Sees every step of one run and puts it into the ledger; decides nothing."""

    def __init__(
        self,
        ledger: BatchWriter,
        head: RunStart,
        place: Path,
        *,
        strict: bool = True,
        clear: bool = False,
        first: int = 1,
        earlier: EarlierAttempt | None = None,
    ) -> None:
        """Take where to write; `place` is the run's file, `first` the number of the first reference.

        What an `earlier` attempt at the same run has logged is not logged again.
        """
        self.run, self.place = ledger.run, place
        self._ledger, self._head = ledger, head
        self._strict, self._clear = strict, clear
        self._documents: list[PrivateRow] = []
        self._read: dict[str, Document] = {}
        self._numbers: dict[int, int] = {}
        self._next, self._expected = first, 0
        self._counts: Counter[str] = Counter(earlier.counts if earlier else {})
        self._logged: Counter[bytes] = Counter(earlier.rows if earlier else {})
        self._troubled: set[tuple[str, str]] = set()
        self._batches: dict[int, WriteBatch] = {}
        self._finished = False
        self._begun = self._ended = earlier is not None and earlier.complete

    def note_step(self, step: Step) -> None:
        value = step.value
        if step.name == "checked" and isinstance(value, Checked):
            self._record_checked(value)
        elif step.name == "parse":
            self._begin()
            self._numbers[id(value)] = self._next
            self._next += 1
        elif step.name == "fill" and isinstance(value, tuple):  # the same reference, with more fields
            before, after = value
            self._numbers[id(after)] = self._numbers.pop(id(before))
        elif isinstance(value, Document):
            self._read[step.key] = value
        elif isinstance(value, Extraction):
            self._record_extraction(step.key, value)

    @property
    def sealed(self) -> LogCommit | None:
        """The last commit of the log, once it was sealed."""
        return self._ledger.sealed

    async def wait_until_kept(self, checked: Checked) -> None:
        """Wait until the reference is durable in the log; what is shown comes after."""
        batch = self._batches.pop(id(checked), None)
        if not self._strict or batch is None:
            return
        if not batch.done.done():
            await asyncio.sleep(0)  # whatever was begun gets on
            if not self._numbers:
                self._ledger.hurry(batch)  # nothing is being checked that could join the batch
        await batch.wait_until_durable()

    async def keep_doi_answers(self, answers: Sequence[Mapping[str, str]]) -> None:
        """Put what is shown about DOIs into the log; return once it is durable."""
        self._begin()
        stage = self._head.stage
        batch = self._ledger.put(
            *self._commit_lines([{"ev": "doi_answer", "stage": stage, **answer} for answer in answers])
        )
        self.hurry()
        if self._strict:
            await batch.wait_until_durable()

    async def keep_set_findings(self, evidence: object, references: int, found: Sequence[SetFinding]) -> None:
        """Put what was found about references together into the log; return once it is durable."""
        fields = {
            "first": self._next - references,
            "references": references,
            "evidence": evidence,
            "found": found,
        }
        row = self._row("set", encode_json(fields))
        if self._take_logged(row):
            return
        events = make_set_events(found, references, self._head.stage, row.commitment)
        batch = self._ledger.put(events, [row])
        self.hurry()
        if self._strict:
            await batch.wait_until_durable()

    async def keep_claim(self, grounded: GroundedClaim) -> None:
        """Put what was decided about a claim into the log; return once it is durable."""
        self._begin()
        logged = describe_claim(grounded)
        row = self._row("claim", encode_json(logged))
        if self._take_logged(row):
            return
        batch = self._ledger.put([make_claim_event(logged, self._head.stage, row.commitment)], [row])
        await asyncio.sleep(0)  # claims that are decided at the same time are written together
        self._ledger.hurry(batch)
        if self._strict:
            await batch.wait_until_durable()

    def hurry(self) -> None:
        self._ledger.hurry()

    async def finish(self) -> None:
        """Write the run's last event, sign and anchor the log; once."""
        if self._finished:
            return
        self._finished = True
        if not self._ended and (self._begun or self._documents or self._read):
            self._begin()
            done = sum(self._counts.values())
            complete = not self._numbers and done >= self._expected
            end: Event = {"ev": "run_end", "references": done, "counts": dict(self._counts)}
            self._ledger.put(*self._commit_lines([end | {"complete": complete, "last": self._next - 1}]))
        await asyncio.to_thread(self._ledger.close)

    def _begin(self) -> None:
        if self._begun:
            return
        for name in list(self._read):  # what could not be read at all was passed all the same
            self._record_extraction(name, Extraction(()))
        self._begun = True
        head = self._head
        digest = sha256(head.model).hexdigest()
        self._ledger.keep(digest, head.model)
        documents = [row.commitment for row in self._documents]
        event: Event = {
            "ev": "run_start",
            "stage": head.stage,
            "citeproof": head.version,
            "python": platform.python_version(),
            "judge": head.judge,
            "judge_hash": digest,
            "snapshots": list(head.snapshots),
            "sources": list(head.sources),
            "offline": head.offline,
            **({"lists_pin": head.lists_pin} if head.lists_pin else {}),
            "documents": documents[:MOST_DOCUMENTS],
        }
        config = self._row("config", encode_json({**head.config, "head": event}))
        more, rows = self._commit_lines(
            {"ev": "config", "documents": documents[start : start + MOST_DOCUMENTS]}
            for start in range(MOST_DOCUMENTS, len(documents), MOST_DOCUMENTS)
        )
        first = event | {"config": config.commitment}
        self._ledger.put([first, *more], [*self._documents, config, *rows])

    def _record_extraction(self, name: str, extraction: Extraction) -> None:
        document = self._read.pop(name, None)
        self._expected += len(extraction.references)
        fields = {
            "name": name,
            "sha256": sha256(document.data).hexdigest() if document else "",
            "bytes": len(document.data) if document else 0,
            "format": extraction.format,
            "expected": extraction.expected,
            "extracted": len(extraction.references),
            "problems": extraction.problems,
        }
        row = self._row("document", encode_json(fields))
        if self._ended:
            return
        if self._begun:
            events, rows = self._commit_lines([{"ev": "config", "documents": [row.commitment]}])
            self._ledger.put(events, [row, *rows])
        else:
            self._documents.append(row)

    def _record_checked(self, checked: Checked) -> None:
        ref = self._numbers.pop(id(checked.reference))
        self._counts[count_as(checked)] += 1
        self._batches[id(checked)] = self._ledger.put_later(self._make_events, (checked, ref))
        if len(self._batches) > MOST_WAITING:  # a caller that went away never asks for the rest
            self._batches = {key: batch for key, batch in self._batches.items() if not batch.done.done()}

    def _make_events(self, some: Sequence[tuple[Checked, int]]) -> Made:
        """Return the events of references and their cases; called in the writer's thread.

        One kind of work after the other: what a processor has at hand of one reference serves the next.
        """
        cases = [encode_case(checked) for checked, _ in some]
        rows = [self._row("case", data, ref) for data, (_, ref) in zip(cases, some, strict=True)]
        stage, clear = self._head.stage, self._clear
        events: list[Event] = []
        if self._logged:
            new = [n for n, row in enumerate(rows) if not self._take_logged(row)]
            some, rows = [some[n] for n in new], [rows[n] for n in new]
        further: list[PrivateRow] = []
        for (checked, ref), row in zip(some, rows, strict=True):
            errors, committed = self._commit_lines(self._errors(checked))
            further += committed
            events += [*errors, *make_events(checked, ref, stage, row.commitment, clear=clear)]
        return events, [*rows, *further]

    def _take_logged(self, row: PrivateRow) -> bool:
        """Return whether an earlier attempt has logged just this; each of its rows stands for one."""
        digest = digest_row(row.kind, row.data) if self._logged else b""
        if not self._logged.get(digest):
            return False
        self._logged[digest] -= 1
        return True

    def _errors(self, checked: Checked) -> Sequence[Event]:
        """Return an event for each source and cause that is met for the first time in this run."""
        met = []
        for source, cause, detail in list_source_errors(checked.retrieved.lookups):
            if (source, cause) not in self._troubled:
                self._troubled.add((source, cause))
                met.append({"ev": "source_error", "source": source, "cause": cause, "detail": detail})
        return met

    def _commit_lines(self, events: Iterable[Event]) -> tuple[list[Event], list[PrivateRow]]:
        """Return events that commit to themselves, since nothing else that is stored has what they say."""
        made = [(event, self._row("line", encode_json(event))) for event in events]
        return [event | {"line": row.commitment} for event, row in made], [row for _, row in made]

    def _row(self, kind: str, data: bytes, ref: int = 0) -> PrivateRow:
        salt, commitment = make_commitment(data)
        return PrivateRow(commitment, self.run, kind, ref, salt, data)
