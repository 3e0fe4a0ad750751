"""The files of a batch, written from the ledger in document order: the same bytes for any workers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from citeproof.answers import serializers
from citeproof.answers.reporters.base import get_suffix
from citeproof.answers.reporters.reference_report import COLUMNS
from citeproof.answers.reporters.wording import describe_labels
from citeproof.answers.serializers import Json
from citeproof.errors import UsageError, format_count
from citeproof.plumbing.disk_files import open_replacement
from citeproof.service.assemble import SNAPSHOT
from citeproof.service.batch.batch_run import BatchLedger, DoneDocument
from citeproof.service.batch.document_checker import DocumentOutcome
from citeproof.service.exit_codes import Exit, find_unread_gate
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import (
    DocumentState,
    FailOn,
    Gate,
    Label,
    Policy,
    SourceAnswers,
    Verdict,
    list_sign_counts,
)

SCHEMA = "citeproof/batch/1"
DOCUMENTS, RESULTS, SUMMARY, REPORTS = "documents.jsonl", "results.jsonl", "summary.json", "reports"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80  # characters of a document's name in that of its report
PARQUET = "results.parquet"
_GROUP = 50_000  # rows that are in memory
_NUMBERS = frozenset({"line", "column", "page", "year"})
_FRACTIONS = frozenset({"score", "confidence"})


class SeesDocuments(Protocol):
    """What writes one more file; it sees every document in order."""

    def add(self, row: Json, outcome: DocumentOutcome) -> None: ...


@dataclass(slots=True)
class BatchTotals:
    """The counts of a batch; every verdict and label is named even at zero."""

    answers: SourceAnswers = field(default_factory=SourceAnswers)
    policy: str = ""  # its name, if there is one
    documents: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    signs: Counter[str] = field(default_factory=Counter)  # of invention, and slips
    findings: Counter[str] = field(default_factory=Counter)
    references: int = 0
    failing: int = 0
    failing_documents: int = 0  # that have any
    open: int = 0  # references and documents that could not be checked
    unread: int = 0  # documents of which nothing was read
    gated_open: int = 0  # of what could not be checked, what the policy fails
    _contents: dict[str, list[str]] = field(default_factory=dict)

    def add(self, row: Json, outcome: DocumentOutcome) -> None:
        facts = outcome.facts
        self.documents[outcome.status] += 1
        self.references += facts.get("references", 0)
        self.answers.add_counts(facts.get("answers", {}))
        for name in ("verdicts", "labels", "signs", "findings"):
            getattr(self, name).update(facts.get(name, {}))
        self.failing += facts.get("failing", 0)
        self.failing_documents += facts.get("failing", 0) > 0
        self.gated_open += facts.get("gated_open", 0)
        self.open += facts.get("unchecked", 0) + facts.get("lost", 0)
        self.unread += outcome.error is not None and facts.get("lost", 0) > 0
        if row["sha256"]:
            self._contents.setdefault(row["sha256"], []).append(row["id"])

    def choose_exit(self, fail_on: Sequence[str], policy: Policy | None = None) -> Exit:
        if self.failing:
            return Exit.PROBLEMS
        undecided = self.open > 0 and self.references == self.labels["none"]
        fails_open = FailOn.UNCHECKED in fail_on and self.open > 0
        if policy:
            unread = find_unread_gate(policy) if self.unread else None
            fails_open = self.gated_open > 0 or (unread is not None and unread.gate is Gate.FAIL)
        if undecided or fails_open:
            return Exit.UNCHECKED
        return Exit.CLEAN if self.references else Exit.NOTHING

    def describe_states(self) -> str:
        """Return how many files are in each state, in words: `3 files: 2 checked, 1 unreadable`."""
        counts = [(state, self.documents[state]) for state in reversed(DocumentState)]
        each = (f"{n:,} {state.words}" for state, n in counts if n or state is DocumentState.CHECKED)
        return f"{format_count(self.documents.total(), 'file')}: {', '.join(each)}"

    def describe_labels(self) -> str:
        """Return the counts of the references in words, and what the policy fails, if there is one."""
        failing = format_count(self.failing, "reference"), format_count(self.failing_documents, "document")
        fails = f"; policy {self.policy} fails {' in '.join(failing)}" if self.policy else ""
        return describe_labels(self.labels, self.signs) + fails

    def build_json(self) -> Json:
        return {
            "documents": {"total": self.documents.total()}
            | {state.value: self.documents[state] for state in DocumentState},
            "references": self.references,
            "failing": {"references": self.failing, "documents": self.failing_documents},
            "verdicts": {verdict.value: self.verdicts[verdict.value] for verdict in Verdict},
            "labels": {name: self.labels[name] for name in (*(label.value for label in Label), "none")},
            "findings": dict(sorted(self.findings.items())),
            "same_content": [ids for ids in self._contents.values() if len(ids) > 1],
            "checked_against": self.answers.describe(),
            "answered": self.answers.list_answered(),
            "unanswered": list(self.answers.list_silent()),
            "signs": list_sign_counts(self.signs),
        }


def write_batch(
    folder: Path,
    ledger: BatchLedger,
    done: Sequence[DoneDocument],
    head: Json,
    more: Sequence[SeesDocuments],
    formats: Sequence[str] = (),
) -> BatchTotals:
    """Write the files of a batch, each once it is whole; return its totals. `head` begins the summary."""
    live = tuple(name for name in head["sources"] if name != SNAPSHOT)  # which has a name of its own
    totals = BatchTotals(SourceAnswers(live), head.get("policy", {}).get("name", ""))
    files = _ReportFiles(folder, ledger)
    files.plan([document.id for document in done], formats)
    with ExitStack() as stack:
        documents, results = (stack.enter_context(open_file(folder / name)) for name in (DOCUMENTS, RESULTS))
        for document in done:
            outcome = document.outcome or ledger.read(document.key)
            name = document.id
            row = {
                "id": name,
                "status": outcome.status,
                "error": outcome.error,
                "sha256": document.sha256 or None,
                "bytes": document.size if document.sha256 else None,
                **outcome.facts,
                "reports": {form: files.write(name, form, text) for form, text in outcome.reports.items()},
            }
            documents.write(f"{serializers.dump_printable(row)}\n".encode())
            quoted = serializers.dump_printable(name)
            for line in outcome.references:
                results.write(f'{line[:-1]},"document":{quoted}}}\n'.encode())
            for sees in (totals, *more):
                sees.add(row, outcome)
        summary = {"schema": SCHEMA, "citeproof": serializers.get_version(), **head, **totals.build_json()}
        file = stack.enter_context(open_file(folder / SUMMARY))
        file.write(f"{serializers.dump_pretty(summary)}\n".encode())
    files.remove_former()
    return totals


class _ReportFiles:
    """The reports on single documents, in a folder of their own."""

    def __init__(self, folder: Path, ledger: BatchLedger) -> None:
        self._folder, self._ledger = folder, ledger
        self._written: set[str] = set()

    def plan(self, names: Sequence[str], formats: Sequence[str]) -> None:
        """Note what is about to be written, so that a later run can remove what it does not have."""
        if formats:
            (self._folder / REPORTS).mkdir(exist_ok=True)
            self._ledger.note_written({_name_report(name, form) for name in names for form in formats})

    def write(self, name: str, form: str, text: str) -> str:
        """Write a report and return its path from the folder of the batch."""
        file = _name_report(name, form)
        with open_file(self._folder / file) as opened:
            opened.write(text.encode())
        self._written.add(file)
        return file

    def remove_former(self) -> None:
        """Remove the reports of former runs that this one does not have."""
        former = self._ledger.list_written() - self._written
        for file in former:
            with suppress(OSError):
                (self._folder / file).unlink()
        self._ledger.forget_written(former)


def _name_report(name: str, form: str) -> str:
    """Return a file name that is safe everywhere; the hash keeps names apart that look the same then."""
    mark = sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:10]
    stem = _UNSAFE.sub("_", name)[-_LONGEST:].strip("._-")
    return f"{REPORTS}/{stem or 'document'}-{mark}.{get_suffix(form)}"


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that replaces `path` at the end; UsageError if it cannot be written."""
    try:
        with open_replacement(path) as file:
            yield file
    except OSError as error:
        hint = "check the folder and the disk, then run it again: finished work is saved"
        message = f"cannot write: {os.strerror(error.errno or 0)}"
        raise UsageError(message, place=str(path), hint=hint) from error


def has_parquet() -> bool:
    return find_spec("pyarrow") is not None


class ParquetTable:
    """Rows that become a file at the end; the same rows give the same bytes."""

    def __init__(self, file: BinaryIO) -> None:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415 - same

        self._pa = pa
        types = {**dict.fromkeys(_NUMBERS, pa.int64()), **dict.fromkeys(_FRACTIONS, pa.float64())}
        columns = [(name, types.get(name, pa.string())) for name in COLUMNS]
        self._schema = pa.schema([("document", pa.string()), *columns])
        self._writer: Any = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[list[Any]] = []

    def add(self, row: Json, outcome: DocumentOutcome) -> None:
        for cells in outcome.rows:
            fitting = (
                cell if cell is None or name in _NUMBERS | _FRACTIONS else str(cell)
                for name, cell in zip(COLUMNS, cells, strict=False)
            )
            self._rows.append([row["id"], *fitting])
        if len(self._rows) >= _GROUP:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        columns = list(zip(*self._rows, strict=True)) or [()] * len(self._schema)
        arrays = [
            self._pa.array(column, type=field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(self._pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows.clear()
