"""The documents below a prefix of an S3 bucket; keys, region and endpoint are what boto3 finds itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from citeproof.errors import InputError, UsageError
from citeproof.proof.audit.anchors.s3_bucket import S3Bucket, S3Error
from citeproof.reading.extractors.archive.file_choice import is_hidden_file, is_junk_file
from citeproof.reading.extractors.base import load_extractors
from citeproof.service.batch.batch_items import BUCKET, show_name
from citeproof.service.folder_documents import PassedFile
from citeproof.settings import Settings
from citeproof.vocabulary import Document

_TIMEOUT = 60.0  # seconds
_PAGES = 1000  # of 1000 keys
_HINT = "check the bucket's name, your keys (AWS_PROFILE or AWS_ACCESS_KEY_ID) and the region"


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
