"""The driver of a batch: what is done is passed over, the rest goes to an executor, every outcome is stored.

1. Read the next document; one that cannot be read is a row with its error.
2. Look it up in the ledger by content and settings: what is there is not done again.
3. Send it when the executor has room, so that no more documents are in memory than workers.
4. Store each outcome as it comes. A document whose worker died is sent once more, then recorded as failed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import msgspec

from citeproof.errors import AuditError, CiteproofError, InputError
from citeproof.service.batch.batch_items import BatchItem, get_folders
from citeproof.service.batch.batch_ledger import BatchLedger, LedgerEntry, make_entry, make_key
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
