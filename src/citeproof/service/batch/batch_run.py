"""The driver of a batch: what is done is passed over, the rest goes to an executor, every outcome is stored.

1. Read the next document; one that cannot be read is a row with its error.
2. Look it up in the ledger by content and settings: what is there is not done again.
3. Send it when the executor has room, so that no more documents are in memory than workers.
4. Store each outcome as it comes, in one SQLite file: a killed run loses only work under way. A document
   whose worker died is sent once more, then recorded as failed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import msgspec
import zstandard

from citeproof.errors import AuditError, CiteproofError, InputError
from citeproof.plumbing.stores.store_database import StoreDatabase
from citeproof.service.batch.batch_items import BatchItem, get_folders
from citeproof.service.batch.document_checker import (
    DocumentOutcome,
    DocumentTask,
    has_same_files,
    make_failure,
)
from citeproof.service.batch.executors import DocumentExecutor
from citeproof.service.batch.packed_documents import close_archive
from citeproof.service.folder_documents import PassedFile
from citeproof.text.typed_decoding import decode_msgpack
from citeproof.vocabulary import DocumentState

DEATHS = 2  # workers that may die with a document
_WAIT = 0.2  # seconds between two looks at the progress
_DIED = f"{DEATHS} worker processes died with it"
_DIED_HINT = "it may need more memory than there is; try --jobs 1 --retry, or check it alone"
FILE = "ledger.sqlite"
_LEVEL = 3
_MOST = 1 << 30  # bytes of one outcome, unpacked
_TABLES = """
CREATE TABLE IF NOT EXISTS starts (digest TEXT PRIMARY KEY, started TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS outcomes (
  key TEXT PRIMARY KEY, document TEXT NOT NULL, status TEXT NOT NULL, items INTEGER NOT NULL,
  problems INTEGER NOT NULL, unchecked INTEGER NOT NULL, used BLOB NOT NULL, body BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS written (file TEXT PRIMARY KEY) STRICT;
"""


@dataclass(slots=True)
class BatchProgress:
    """How far a run is; every count is exact."""

    total: int
    done: int = 0  # documents, in this run or a former one
    kept: int = 0  # of them, those of a former run
    failed: int = 0  # could not be read or checked
    references: int = 0
    problems: int = 0  # references that are MAJOR or MINOR
    unchecked: int = 0  # references that could not be checked

    def add(self, entry: LedgerEntry, *, kept: bool = False) -> None:
        self.done += 1
        self.kept += kept
        self.failed += entry.status in (DocumentState.UNREADABLE, DocumentState.FAILED)
        self.references += entry.references
        self.problems += entry.problems
        self.unchecked += entry.unchecked


@dataclass(frozen=True, slots=True)
class DoneDocument:
    """Where the outcome of a document is: in the ledger by `key`, or here if it could not even be read."""

    id: str
    sha256: str = ""
    size: int = 0
    key: str = ""
    outcome: DocumentOutcome | None = None


@dataclass(slots=True)
class _SentDocument:
    done: DoneDocument
    payload: bytes
    deaths: int = 0


@dataclass(slots=True)
class BatchRun:
    """One run over the documents of a batch."""

    items: Sequence[BatchItem]
    ledger: BatchLedger
    digest: str  # of the settings
    max_bytes: int
    retry: bool = False  # check again what failed, and what has references that could not be checked
    tell: Callable[[BatchProgress], None] = lambda _: None
    progress: BatchProgress = field(init=False)
    done: list[DoneDocument] = field(init=False)  # in the order of the items
    troubles: set[str] = field(default_factory=set, init=False)  # of workers: what a person should know
    _under_way: dict[int, _SentDocument] = field(default_factory=dict, init=False)
    _orphans: deque[tuple[int, _SentDocument]] = field(default_factory=deque, init=False)

    def __post_init__(self) -> None:
        self.progress = BatchProgress(len(self.items))
        self.done = [DoneDocument(item.id) for item in self.items]

    def run(self, make_executor: Callable[[], DocumentExecutor]) -> None:
        """Have every document done; an executor is made only if there is something to do."""
        waiting = self._list_waiting()
        first = next(waiting, None)
        if first is None:
            return
        executor, ended = make_executor(), False
        try:
            self._send(executor, *first)
            self._work(executor, waiting)
            ended = True
        finally:
            executor.close(at_once=not ended)

    def _work(self, executor: DocumentExecutor, waiting: Iterator[tuple[int, _SentDocument]]) -> None:
        while True:
            while executor.ready():
                task = self._orphans.popleft() if self._orphans else next(waiting, None)
                if task is None:
                    break
                self._send(executor, *task)
            if not self._under_way:
                return
            for answer in executor.answers(_WAIT):
                self._take(answer.number, answer.body)
            self.tell(self.progress)

    def _list_waiting(self) -> Iterator[tuple[int, _SentDocument]]:
        """Yield the documents that are not done, read."""
        for number, item in enumerate(self.items):
            try:
                document = item.source.read(self.max_bytes)
                if not document.data:
                    hint = "copy it again from where it is whole"
                    raise InputError("the file is empty", place=document.name, hint=hint)  # noqa: TRY301 - same
            except InputError as error:
                outcome = make_failure(error, lost=not isinstance(item.source, PassedFile))
                self.done[number] = DoneDocument(item.id, outcome=outcome)
                self.progress.add(make_entry(outcome))
                continue
            content = sha256(document.data).hexdigest()
            key = make_key(self.digest, document.name, content)
            self.done[number] = done = DoneDocument(item.id, content, len(document.data), key)
            task = DocumentTask(document.name, document.data, *get_folders(document, item.source))
            entry = self.ledger.find(done.key)
            failed = entry and (not DocumentState(entry.status).was_read or entry.unchecked > 0)
            if entry and has_same_files(task, entry.used) and not (self.retry and failed):
                self.progress.add(entry, kept=True)
                self.tell(self.progress)
                continue
            yield number, _SentDocument(done, msgspec.msgpack.encode(task))
        close_archive()

    def _send(self, executor: DocumentExecutor, number: int, sent: _SentDocument) -> None:
        self._under_way[number] = sent
        executor.send(number, sent.payload)

    def _take(self, number: int, body: bytes | None) -> None:
        sent = self._under_way.pop(number)
        if body is not None:
            outcome = decode_msgpack(body, type=DocumentOutcome)
        elif sent.deaths + 1 < DEATHS:
            sent.deaths += 1
            self._orphans.append((number, sent))
            return
        else:
            outcome = make_failure(CiteproofError(_DIED, place=sent.done.id, hint=_DIED_HINT))
        if outcome.audit and outcome.error is not None:
            raise AuditError(**outcome.error)
        if outcome.trouble:
            self.troubles.add(outcome.trouble)
            outcome = msgspec.structs.replace(outcome, trouble="")
        self.progress.add(self.ledger.add(sent.done.key, sent.done.id, outcome))


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What is said of a document that is done, without reading its results."""

    status: str
    references: int
    problems: int
    unchecked: int  # references that could not be checked
    used: dict[str, str]


class BatchLedger:
    """The outcomes of one folder, by the key of document and settings."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._database = StoreDatabase(self._path, _TABLES)

    def begin(self, digest: str, now: str) -> str:
        """Return when the first run with these settings began."""
        with _explain_fault():
            self._database.write("INSERT OR IGNORE INTO starts VALUES (?, ?)", [(digest, now)])
            return str(self._database.read("SELECT started FROM starts WHERE digest = ?", digest)[0][0])

    def find(self, key: str) -> LedgerEntry | None:
        """Return the entry of a document that is done; None if it is not."""
        statement = "SELECT status, items, problems, unchecked, used FROM outcomes WHERE key = ?"
        with _explain_fault():
            rows = self._database.read(statement, key)
        if not rows:
            return None
        status, references, problems, unchecked, data = rows[0]
        try:
            used = decode_msgpack(data, type=dict[str, str])
        except msgspec.DecodeError:
            return None  # damaged: it is done again
        return LedgerEntry(status, references, problems, unchecked, used)

    def add(self, key: str, document: str, outcome: DocumentOutcome) -> LedgerEntry:
        """Keep an outcome, in place of one that is there; return its entry once it is on the disk."""
        entry = make_entry(outcome)
        body = zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(outcome))
        used = msgspec.msgpack.encode(entry.used)
        row = (key, document, entry.status, entry.references, entry.problems, entry.unchecked, used, body)
        with _explain_fault():
            self._database.write("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [row])
        return entry

    def read(self, key: str) -> DocumentOutcome:
        with _explain_fault():
            rows = self._database.read("SELECT body FROM outcomes WHERE key = ?", key)
        try:
            data = zstandard.ZstdDecompressor().decompress(rows[0][0], max_output_size=_MOST)
            return decode_msgpack(data, type=DocumentOutcome)
        except (IndexError, zstandard.ZstdError, msgspec.DecodeError) as error:
            hint = "remove it and run the same command again: the documents are checked again"
            raise InputError("the ledger is damaged", place=str(self._path), hint=hint) from error

    def list_written(self) -> set[str]:
        """Return the names of the reports that former runs wrote."""
        with _explain_fault():
            return {str(row[0]) for row in self._database.read("SELECT file FROM written")}

    def note_written(self, files: set[str]) -> None:
        """Note which reports this run is about to write; those of former runs stay noted until removed."""
        with _explain_fault():
            rows = [(file,) for file in sorted(files)]
            self._database.write("INSERT OR IGNORE INTO written VALUES (?)", rows)

    def forget_written(self, files: set[str]) -> None:
        with _explain_fault():
            self._database.write("DELETE FROM written WHERE file = ?", [(file,) for file in sorted(files)])

    def close(self) -> None:
        self._database.close()


def make_entry(outcome: DocumentOutcome) -> LedgerEntry:
    """Return what is said of an outcome while the run goes on."""
    facts = outcome.facts
    labels = facts.get("labels", {})
    problems, unchecked = labels.get("MAJOR", 0) + labels.get("MINOR", 0), labels.get("none", 0)
    return LedgerEntry(outcome.status, facts.get("references", 0), problems, unchecked, outcome.used)


def make_key(digest: str, document: str, content: str) -> str:
    """Return what an outcome is known by: the settings, the name that stands in it, and the content."""
    parts = (digest, document, content)
    return sha256(b"\0".join(part.encode("utf-8", "backslashreplace") for part in parts)).hexdigest()


@contextmanager
def _explain_fault() -> Iterator[None]:
    try:
        yield
    except AuditError as error:
        hint = error.hint.replace("; the log itself does not depend on it", "") or "check the disk"
        raise InputError(f"the ledger {error.message}", place=error.place, hint=hint) from error
