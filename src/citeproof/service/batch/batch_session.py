"""A batch from its command to its exit code: settings, documents, buckets, ledger, workers, files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from citeproof.answers.serializers import Json
from citeproof.errors import InputError, NothingFoundError, UsageError
from citeproof.plumbing import own_files
from citeproof.plumbing.clock import SystemClock, format_timestamp
from citeproof.plumbing.disk_files import take_lock
from citeproof.plumbing.output_files import check_output_folder
from citeproof.plumbing.worker_processes import choose_worker_count
from citeproof.proof.audit.anchors.s3_bucket import S3Bucket, S3Error
from citeproof.reading.extractors.archive.file_choice import is_hidden_file, is_junk_file
from citeproof.reading.extractors.base import load_extractors
from citeproof.service.batch.batch_items import (
    BUCKET,
    BatchItem,
    DiskFile,
    Tell,
    list_items,
    read_item_list,
    show_name,
)
from citeproof.service.batch.batch_output import (
    PARQUET,
    BatchTotals,
    ParquetTable,
    SeesDocuments,
    has_parquet,
    open_file,
    write_batch,
)
from citeproof.service.batch.batch_run import BatchLedger, BatchProgress, BatchRun
from citeproof.service.batch.document_checker import CheckPlan, describe_evidence, remove_order
from citeproof.service.batch.executors import DocumentExecutor, LocalProcesses
from citeproof.service.batch.venue_overview import VenueOverview
from citeproof.service.exit_codes import Exit, choose_policy
from citeproof.service.folder_documents import PassedFile
from citeproof.settings import Settings
from citeproof.vocabulary import Document

_LOCK = ".lock"
_TRIES, _PAUSE = 20, 0.1  # seconds between two
_TIMEOUT = 60.0  # seconds
_PAGES = 1000  # of 1000 keys
_HINT = "check the bucket's name, your keys (AWS_PROFILE or AWS_ACCESS_KEY_ID) and the region"


@dataclass(frozen=True, slots=True)
class BatchOrder:
    paths: tuple[str, ...]
    manifests: tuple[Path, ...]
    out: Path
    formats: tuple[str, ...] = ()
    jobs: int = 0  # 0: as many as there are processors
    retry: bool = False
    ray: str = ""  # address of a cluster


class BatchInterruption(Exception):  # noqa: N818 - no error: somebody pressed Ctrl-C
    """A run that was asked to stop; what is done is stored."""

    def __init__(self, progress: BatchProgress) -> None:
        super().__init__("interrupted")
        self.progress = progress


def run_batch(
    order: BatchOrder, settings: Settings, note: Tell, tell: Callable[[BatchProgress], None]
) -> tuple[BatchTotals, Exit]:
    """Return totals and exit code of a batch; `note` hears what people should know, `tell` how far it is."""
    settings, left_out = remove_order(settings)
    for name in left_out:
        note(f"the setting {name} is not used: results must not depend on the order of the documents")
    policy = choose_policy(settings)
    digest, head = describe_evidence(settings, order.formats, policy)
    items = _list_documents(order, settings, note)
    with _hold_folder(order.out):
        ledger = BatchLedger(order.out)
        try:
            started = ledger.begin(digest, format_timestamp(SystemClock()))
            plan = CheckPlan(settings, order.formats, started, digest, tuple(head["snapshots"]), policy)
            run = BatchRun(items, ledger, digest, settings.max_document_bytes, order.retry, tell)
            try:
                run.run(lambda: _make_executor(plan, order, len(items)))
            except KeyboardInterrupt:
                raise BatchInterruption(run.progress) from None
            for trouble in sorted(run.troubles):
                note(trouble)
            totals = _write_files(order, ledger, run, {"started": started, "settings": digest, **head}, note)
        finally:
            ledger.close()
    return totals, totals.choose_exit(settings.fail_on, policy)


def _write_files(
    order: BatchOrder, ledger: BatchLedger, run: BatchRun, head: Json, note: Tell
) -> BatchTotals:
    venue = VenueOverview()
    with ExitStack() as stack:
        more: list[SeesDocuments] = [venue]
        if has_parquet():
            table = ParquetTable(stack.enter_context(open_file(order.out / PARQUET)))
            stack.callback(table.close)
            more.append(table)
        else:
            note(f"{PARQUET} is not written: pip install 'citeproof[parquet]'")
        totals = write_batch(order.out, ledger, run.done, head, more, order.formats)
    venue.write(order.out, head, totals)
    return totals


def _list_documents(order: BatchOrder, settings: Settings, note: Tell) -> Sequence[BatchItem]:
    ours = order.out.resolve()
    bucket = None if settings.offline else BucketDocuments(settings)
    listed = [row for path in order.manifests for row in read_item_list(path)]
    items = []
    for item in list_items(order.paths, note, bucket, listed):
        path = item.source.path if isinstance(item.source, DiskFile | PassedFile) else None
        if path is None or not Path(path).resolve().is_relative_to(ours):
            items.append(item)
    if not items:
        place = ", ".join([*order.paths, *map(str, order.manifests)])[:500]
        hint = "docs/formats.md lists what can be read"
        raise NothingFoundError("nothing to check: no document found", place=place, hint=hint)
    return items


def _make_executor(plan: CheckPlan, order: BatchOrder, documents: int) -> DocumentExecutor:
    if order.ray:
        from citeproof.service.batch.executors.ray_cluster import RayCluster  # noqa: PLC0415 - an extra

        return RayCluster(plan.pack(), order.ray, order.jobs, plan.settings)
    return LocalProcesses(plan.pack(), min(order.jobs or choose_worker_count(), documents))


@contextmanager
def _hold_folder(folder: Path) -> Iterator[None]:
    """Make the folder of a batch and hold it against a second run."""
    check_output_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        own_files.check_own_folder(folder, private=False)
        lock = _take_lock(folder / _LOCK)
    except BlockingIOError as error:
        hint = "wait until it ends, or give another folder with --out"
        raise UsageError("another run is using this folder", place=str(folder), hint=hint) from error
    except FileExistsError as error:
        raise UsageError("is not a folder", place=str(folder), hint="give another one with --out") from error
    except own_files.RefusedFileError:
        raise
    except OSError as error:
        hint, message = "give another folder with --out", f"cannot be written: {error.strerror or error}"
        raise UsageError(message, place=str(folder), hint=hint) from error
    try:
        yield
    finally:
        os.close(lock)


def _take_lock(path: Path) -> int:
    """Return the lock; workers of a run that was killed just now may hold it for a moment."""
    for _ in range(_TRIES):
        with suppress(BlockingIOError):
            return take_lock(path)
        time.sleep(_PAUSE)
    return take_lock(path)


class _DocumentBucket(S3Bucket):
    def list_keys(self, prefix: str) -> Iterator[str]:
        """Yield the keys below a prefix, in the bucket's order, which is that of their bytes."""
        more: dict[str, Any] = {}
        for _ in range(_PAGES):
            page = self._call("list_objects_v2", Bucket=self.name, Prefix=prefix, **more)
            yield from (str(entry["Key"]) for entry in page.get("Contents", ()))
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}


@dataclass(frozen=True, slots=True)
class BucketDocument:
    bucket: _DocumentBucket = field(repr=False)
    key: str

    @property
    def name(self) -> str:
        return f"{BUCKET}{self.bucket.name}/{show_name(self.key)}"

    def read(self, limit: int) -> Document:
        try:
            stored = self.bucket.get(self.key)
        except S3Error as error:
            large = "too large" in str(error)
            hint = "split it, or raise the setting max_document_bytes" if large else _HINT
            message = f"is larger than {limit:,} bytes" if large else str(error)
            raise InputError(message, place=self.name, hint=hint) from error
        if stored is None:
            raise InputError("no such object, or no permission to read it", place=self.name, hint=_HINT)
        return Document(self.name, stored["bytes"])


class BucketDocuments:
    """Buckets by name, opened when the first address names them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._buckets: dict[str, _DocumentBucket] = {}

    def list_documents(self, address: str) -> Iterator[tuple[str, BucketDocument | PassedFile]]:
        """Yield what is below an address, distinguished by its name; UsageError if it cannot be listed."""
        bucket, prefix = self._open(address)
        suffixes = {suffix for extractor in load_extractors().values() for suffix in extractor.suffixes}
        try:
            for key in bucket.list_keys(prefix):
                document = BucketDocument(bucket, key)
                if PurePosixPath(key).suffix.lower() in suffixes and not is_junk_file(key):
                    yield document.name, document
                elif not is_hidden_file(key) and not key.endswith("/"):  # which is a folder
                    yield document.name, PassedFile(document.name)
        except S3Error as error:
            raise UsageError(str(error), place=address, hint=_HINT) from error

    def find(self, address: str) -> BucketDocument:
        return BucketDocument(*self._open(address))

    def _open(self, address: str) -> tuple[_DocumentBucket, str]:
        name, _, key = address.removeprefix(BUCKET).partition("/")
        if not name:
            raise UsageError("names no bucket", place=address, hint="write s3://BUCKET/PREFIX")
        if name not in self._buckets:
            most, proxy = self._settings.max_document_bytes, self._settings.proxy
            chosen = {"endpoint": None, "region": None, "profile": None}  # what boto3 finds itself
            try:
                self._buckets[name] = _DocumentBucket(
                    name, **chosen, timeout=_TIMEOUT, largest=most, proxy=proxy
                )
            except UsageError as error:  # an extra is missing
                raise UsageError(error.message, place=address, hint=error.hint) from error
        return self._buckets[name], key
