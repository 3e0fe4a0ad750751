"""One document of a batch, checked: what a worker does, whichever executor it belongs to.

A `CheckPlan` is what every worker needs to know, and the digest of all of it that can change a result.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import msgspec

from citeproof.answers import serializers
from citeproof.answers.reporters.base import get_reporter
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.serializers import Json
from citeproof.answers.serializers.judgements import build_set_finding_json
from citeproof.errors import AuditError, CiteproofError, InputError, NotADocumentError, SnapshotError
from citeproof.evidence.index.lists.list_store import ListStore
from citeproof.evidence.index.manifest import load as load_manifest
from citeproof.plumbing import sandbox
from citeproof.plumbing.background import BackgroundLoop
from citeproof.plumbing.clock import Clock, FixedClock, SystemClock
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.service.assemble import SNAPSHOT, assemble, choose_judge, choose_sources, require_shared_store
from citeproof.service.assemble.list_choice import choose_list_set
from citeproof.service.batch.batch_items import show_name
from citeproof.service.check_session import Report, begin_check, collect_report
from citeproof.service.exit_codes import RunOutcome, set_finding_level, set_reference_levels
from citeproof.settings import TABLE, Settings, to_plain_value
from citeproof.text.typed_decoding import decode_msgpack
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import (
    Checked,
    Document,
    DocumentState,
    Label,
    Policy,
    Run,
    SetFinding,
    SourceAnswers,
    Verdict,
    list_sign_counts,
)

_NAMES = "\0names"  # the key of `used` for the list of files next to a document
_SAID = 2_000  # characters of an error
# What makes a result depend on the documents that were checked before it. A batch has no order.
_LEFT_OUT: Mapping[str, Any] = {"memory": None, "llm": "", "baseline": None, "ignore_file": None}


class DocumentTask(msgspec.Struct, frozen=True):
    name: str
    data: bytes
    folder: bytes = b""  # of the files that it may use
    root: bytes = b""


class DocumentOutcome(msgspec.Struct, frozen=True):
    """What became of one document; every part is ready to be written."""

    status: str  # a `DocumentState`
    error: dict[str, str] | None = None  # message, place, hint
    facts: dict[str, Any] = {}  # counts and what concerns the whole document
    references: list[str] = []  # JSON of each, as `check --format jsonl` prints it
    rows: list[list[Any]] = []  # the same as cells
    reports: dict[str, str] = {}  # by format
    used: dict[str, str] = {}  # SHA-256 of each file next to it that was asked for; empty: there is none
    audit: bool = False  # the log failed: nothing may be shown
    trouble: str = ""  # what is wrong with the worker's cache or limits; no part of the result


def make_failure(error: CiteproofError, *, lost: bool = True) -> DocumentOutcome:
    """Return the outcome of a file that could not be checked; `lost`: as a document, it should have been."""
    state = DocumentState.FAILED
    if isinstance(error, InputError):
        refused = isinstance(error, NotADocumentError)
        state = DocumentState.NOT_A_DOCUMENT if refused else DocumentState.UNREADABLE
    words = {name: show_name(getattr(error, name)[:_SAID]) for name in ("message", "place", "hint")}
    return DocumentOutcome(state, words, {"lost": int(lost)})


class DocumentChecker:
    """Checks documents one after the other; snapshots and connections are opened once."""

    def __init__(self, packed: Mapping[str, Any]) -> None:
        self._plan = CheckPlan.unpack(packed)
        self._loop = BackgroundLoop("batch", alone=True)
        self._engine: ReferenceVerifier | None = None
        require_shared_store(self._plan.settings, self._plan.clock)
        if self._plan.settings.audit_dir is None:
            self._engine = self._assemble()

    def do(self, payload: bytes) -> bytes:
        """Return the outcome of a packed task, packed; no document ends the worker by an error."""
        task = decode_msgpack(payload, type=DocumentTask)
        return msgspec.msgpack.encode(self.check(task))

    def check(self, task: DocumentTask) -> DocumentOutcome:
        folder = Path(os.fsdecode(task.folder)) if task.folder else None
        if folder is not None and not folder.is_dir():
            hint = "share the folder of the documents under the same path, or pack each with its files"
            return make_failure(CiteproofError("its folder is not on the machine that checked it", hint=hint))
        beside = _RecordedFiles(folder, task.root) if folder is not None else None
        document = Document(task.name, task.data, beside)
        try:
            engine = self._engine or self._assemble()  # with a log, each document is a run of its own
            try:
                session = begin_check(engine, [document])
                report = self._loop.run(collect_report(session))
            finally:
                if engine is not self._engine:
                    self._loop.run(engine.close())
            trouble = show_name(str(getattr(engine.client, "trouble", "")))
            outcome = msgspec.structs.replace(self._pack(report, session.lost), trouble=trouble)
        except AuditError as error:
            return msgspec.structs.replace(make_failure(error), audit=True)
        except CiteproofError as error:
            outcome = make_failure(error)
        except Exception as error:  # noqa: BLE001 - one document never ends the run
            hint = "this is a bug: please report it with `citeproof --debug check FILE`"
            bug = CiteproofError(f"{type(error).__name__}: {error}", place=task.name, hint=hint)
            outcome = make_failure(bug)
        return msgspec.structs.replace(outcome, used=beside.used if beside else {})

    def close(self) -> None:
        """Close the connections, and end the processes that read documents."""
        if self._engine is not None:
            self._loop.run(self._engine.close())
        self._loop.close()
        sandbox.close_helpers()

    def _assemble(self) -> ReferenceVerifier:
        made = assemble(self._plan.settings, clock=self._plan.clock, stage="check")
        if made.snapshots != self._plan.snapshots:
            place = ", ".join(map(str, self._plan.settings.list_snapshot_folders()))
            hint = "copy the snapshot to this machine, or run the batch again if it was replaced"
            raise SnapshotError("is not the snapshot that the run began with", place=place, hint=hint)
        return made

    def _pack(self, report: Report, lost: int) -> DocumentOutcome:
        fail_on = frozenset(self._plan.settings.fail_on)
        run = replace(report.run, started=self._plan.started)
        policy = self._plan.policy
        references = [set_reference_levels(checked, policy, fail_on) for checked in report.references]
        findings = tuple(set_finding_level(found, policy, fail_on) for found in report.findings)
        outcome = RunOutcome(fail_on=fail_on, lost=lost, policy=policy)
        answers = SourceAnswers()
        seen = list(outcome.watch(answers.watch(references)))
        for set_finding in findings:
            outcome.note_set_finding(set_finding)
        together = [set_finding.finding for set_finding in findings]
        every = (*(finding for checked in seen for finding in checked.findings), *together)
        names = Counter(finding.name for finding in every if finding.is_finding)
        verdicts = Counter(checked.judgement.verdict for checked in seen)
        facts: Json = {
            "references": len(seen),
            "expected": run.expected,
            "verdicts": {verdict.value: verdicts[verdict] for verdict in Verdict},
            "labels": {label.value: outcome.labels[label] for label in Label}
            | {"none": outcome.labels[None]},
            "signs": list_sign_counts(outcome.signs),
            "findings": dict(sorted(names.items())),
            "problems": [serializers.build_problem_json(problem) for problem in run.problems],
            "set_findings": [build_set_finding_json(set_finding) for set_finding in findings],
            "failing": outcome.failing,
            "unchecked": outcome.unchecked,
            "lost": outcome.lost,
            "answers": answers.counts,
            **({"gated_open": outcome.count_open(policy)} if policy else {}),
        }
        return DocumentOutcome(
            DocumentState.of_counts(len(seen), outcome.labels[None]),
            facts=msgspec.json.decode(serializers.dumps(facts)),  # plain, and without half characters
            references=[
                serializers.dump_printable(serializers.build_checked_json(checked, run.overrides))
                for checked in seen
            ],
            rows=[
                [show_name(cell) if isinstance(cell, str) else cell for cell in row.values()]
                for row in map(serializers.build_flat_row, seen)
            ],
            reports={form: self._make_report(form, run, seen, findings, lost) for form in self._plan.formats},
        )

    def _make_report(
        self, form: str, run: Run, seen: list[Checked], findings: tuple[SetFinding, ...], lost: int
    ) -> str:
        fail_on = frozenset(self._plan.settings.fail_on)
        report = ReferenceReport(
            run, seen, fail_on=fail_on, policy=self._plan.policy, lost=lost, set_findings=lambda: findings
        )
        return show_name("".join(get_reporter(form).report(report)))


class _RecordedFiles(FolderFiles):
    """The files next to a document, and what was asked of them: a result holds as long as they do."""

    def __init__(self, folder: Path, root: bytes = b"") -> None:
        super().__init__(folder, Path(os.fsdecode(root)) if root else None)
        self.used: dict[str, str] = {}

    def read(self, path: str) -> bytes | None:
        data = super().read(path)
        self.used[show_name(path)] = sha256(data).hexdigest() if data is not None else ""
        return data

    def names(self) -> tuple[str, ...]:
        names = super().names()
        self.used[_NAMES] = sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()
        return names


def has_same_files(task: DocumentTask, used: Mapping[str, str]) -> bool:
    """Return whether the files that a document used are what they were."""
    if not used:
        return True
    now = _RecordedFiles(Path(os.fsdecode(task.folder)), task.root)
    for name in used:
        if name == _NAMES:
            now.names()
        else:
            now.read(name)
    return now.used == dict(used)


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """The settings of a batch, the formats of its reports, and the time that it counts as begun."""

    settings: Settings
    formats: tuple[str, ...]
    started: str  # RFC 3339
    digest: str = ""  # of all that can change a result
    snapshots: tuple[str, ...] = ()  # the ids of those that the run is to use
    policy: Policy | None = None  # read where the run began: another machine may not have its file

    @property
    def clock(self) -> Clock:
        """The clock of the run.

        If nothing but snapshots is asked, and without a log, nothing in a result is newer than the run: then
        a result does not depend on the day on which a document's turn comes.
        """
        settled = self.settings.offline or choose_sources(self.settings) == (SNAPSHOT,)
        if settled and self.settings.audit_dir is None:
            return FixedClock(datetime.fromisoformat(self.started))
        return SystemClock()

    def pack(self) -> dict[str, Any]:
        """Return what can be sent to another process; `unpack` makes a plan of it."""
        values = {field.name: getattr(self.settings, field.name) for field in fields(self.settings)}
        plain = {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"settings": plain}

    @classmethod
    def unpack(cls, packed: Mapping[str, Any]) -> Self:
        settings: dict[str, Any] = {
            name: MappingProxyType(value) if isinstance(value, dict) else value
            for name, value in packed["settings"].items()
        }
        own = {field.name: packed[field.name] for field in fields(cls)}
        return cls(**own | {"settings": Settings(**settings)})


def remove_order(settings: Settings) -> tuple[Settings, list[str]]:
    """Return the settings without what would make results depend on order, and the names of what was set."""
    named = [name for name, nothing in _LEFT_OUT.items() if getattr(settings, name) != nothing]
    return replace(settings, **_LEFT_OUT), named


def describe_evidence(
    settings: Settings, formats: Sequence[str], policy: Policy | None = None
) -> tuple[str, Json]:
    """Return the SHA-256 of all that can change a result but the document, and the summary of it."""
    values = {
        row.name: to_plain_value(getattr(settings, row.name))
        for row in TABLE
        if row.changes_results and not row.name.startswith(("corpus_", "llm", "memory"))
    }
    listed = choose_list_set(settings)
    chosen = choose_sources(settings)
    judge = choose_judge(settings).model
    folders = settings.list_snapshot_folders() if SNAPSHOT in chosen else ()
    summary: Json = {
        "snapshots": [load_manifest(folder).id for folder in folders],
        "sources": [name for name in chosen if not (settings.offline and name != SNAPSHOT)],
        "offline": settings.offline,
        "judge": judge.name,
        **({"policy": {"name": policy.name, "digest": policy.digest}} if policy else {}),
    }
    facts = {
        "settings": values,
        "formats": sorted(formats),
        "judge": sha256(msgspec.json.encode(judge)).hexdigest(),
        "pin": listed.pin,
        "lists": {
            each.name: each.store.find_digest(each.name)
            for each in listed.lists
            if isinstance(each.store, ListStore)
        },
        "citeproof": serializers.get_version(),
        "evidence": summary,
        "log": str(settings.audit_dir or ""),  # only what is in the log may be shown
    }
    return sha256(serializers.dumps(facts)).hexdigest(), summary
