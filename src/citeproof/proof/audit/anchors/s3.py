"""A bucket with object lock: until a date no one, its owner included, can delete or change what was put.

The lock belongs to one *version* of an object. A later PUT adds a version, a DELETE adds a marker; both hide
the locked version from readers that ask by name alone. So the version id is part of the place, and
`list_held` lists versions. Credentials are found by boto3 itself (environment, files or roles), never in our
settings.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

from citeproof.proof.audit.anchors import base
from citeproof.proof.audit.anchors.base import (
    SUFFIX,
    AnchorContext,
    AnchorOutcome,
    HeldCheckpoint,
    HeldStatus,
)
from citeproof.proof.audit.anchors.s3_bucket import S3Bucket, S3Error, call_within
from citeproof.text import lazy_patterns as re

_MOST = 1 << 20  # commits of one run in one hour: a server that has more says yes to everything
_TRIES = 1000  # names tried one after the other: without read access, taken ones are unknown
_CALLS = 6  # times the timeout of one call, for all that a put does
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[A-Za-z0-9._/-]{0,200}")
_KNOWN = ("days", "endpoint", "region", "profile", "lock", "timeout")


@dataclass(frozen=True, slots=True)
class S3Version:
    """One version of an object, as it was read back."""

    id: str
    body: bytes
    mode: str
    until: datetime | None


class S3Anchor:
    """Puts checkpoints under a lock, and believes in the lock only when it reads it back."""

    name = "s3"

    def __init__(
        self, bucket: S3Bucket, prefix: str, days: int, around: AnchorContext, *, lock: bool
    ) -> None:
        self._bucket, self._prefix, self._days = bucket, prefix, days
        self._last = "", 1  # the name that was put last, and its number
        self._around, self._lock = around, lock
        self.url = f"s3://{bucket.name}/{prefix}"

    def put(self, run: str, hour: str, checkpoint: bytes) -> AnchorOutcome:
        """Return the pinned version that holds the checkpoint, and how it is protected."""
        base.check_commit_name(run, hour)
        try:
            return call_within(_CALLS * self._bucket.timeout, lambda: self._put(run, hour, checkpoint))
        except S3Error as error:
            return AnchorOutcome(
                self.name, ok=False, place=f"{self.url}{run}/{hour}{SUFFIX}", detail=str(error)
            )

    def list_held(self, run: str | None = None) -> Iterator[HeldCheckpoint]:
        """Yield every version of every checkpoint under the prefix; delete markers are reported."""
        try:
            for key, version, marker in self._bucket.versions(self._prefix + (f"{run}/" if run else "")):
                if key.endswith(SUFFIX) and not marker:
                    yield self._read_held(key, version)
                elif key.endswith(SUFFIX):
                    message = "a delete marker: the name was deleted; its versions are still listed"
                    yield HeldCheckpoint(self._format_place(key, version), b"", message, HeldStatus.NOTED)
        except S3Error as error:
            yield HeldCheckpoint(self.url, b"", str(error), HeldStatus.UNREAD)

    def _put(self, run: str, hour: str, checkpoint: bytes) -> AnchorOutcome:
        # 1 what the bucket promises
        promises, locked = self._bucket.describe_protection()
        if self._lock and locked is False:
            raise S3Error("the bucket has no object lock; create one that has, or set lock=off")
        # 2 a name that is free, or that has these very bytes
        until = self._around.clock.now().replace(microsecond=0) + timedelta(days=self._days)
        key, put = self._store_checkpoint(f"{self._prefix}{run}/{hour}", checkpoint, until)
        # 3 what really is there now
        version = self._read(key, put)
        place = self._format_place(key, version.id)
        if version.body != checkpoint:
            return AnchorOutcome(self.name, ok=False, place=place, detail="different bytes were read back")
        if self._lock and not self._is_locked(version, until):
            return AnchorOutcome(
                self.name, ok=False, place=place, detail=f"{_describe_lock(version)}; {promises}"
            )
        return AnchorOutcome(self.name, ok=True, place=place, detail=f"{_describe_lock(version)}; {promises}")

    def _store_checkpoint(self, stem: str, checkpoint: bytes, until: datetime) -> tuple[str, str]:
        """Return key and version id; a name that is taken by other bytes is left alone."""
        extra = {"ObjectLockMode": "COMPLIANCE", "ObjectLockRetainUntilDate": until} if self._lock else {}
        number = self._last[1] - 1 if self._last[0] == stem else 0
        for _ in range(_TRIES):
            seen: dict[str, S3Version] = {}
            number = base.find_free_number(lambda n: self._is_taken(stem, n, seen), number)  # noqa: B023 - called here only
            for key, version in seen.items():
                if version.body == checkpoint and (not self._lock or version.mode == "COMPLIANCE"):
                    return key, version.id
            self._last = stem, number
            key = base.name_commit(stem, number) + SUFFIX
            put = self._bucket.put(
                Key=key,
                Body=checkpoint,
                ContentType="text/plain; charset=utf-8",
                ChecksumAlgorithm="SHA256",  # object lock asks for the header that this one sets
                ChecksumSHA256=b64encode(hashlib.sha256(checkpoint).digest()).decode(),
                **extra,
            )
            if put is not None:
                return key, str(put.get("VersionId") or "")
        raise S3Error("every name for this hour is taken")

    def _is_taken(self, stem: str, number: int, seen: dict[str, S3Version]) -> bool:
        """Return whether the name is taken, as far as we may see; what is there is added to `seen`."""
        if number > _MOST:
            raise S3Error(f"{_MOST:,} others of this hour exist")
        key = base.name_commit(stem, number) + SUFFIX
        there = self._bucket.get(key)
        if there is not None:
            seen[key] = _parse_version(there)
        return there is not None

    def _read(self, key: str, version: str) -> S3Version:
        answer = self._bucket.get(key, version)
        if answer is None:
            raise S3Error("the written object does not exist")
        return _parse_version(answer)

    def _is_locked(self, version: S3Version, until: datetime) -> bool:
        """Whether the version is locked as was asked; an earlier put of the same bytes may end earlier."""
        if version.mode != "COMPLIANCE" or version.until is None or not version.id:
            return False
        return version.until > self._around.clock.now() and until - version.until < timedelta(days=1)

    def _read_held(self, key: str, version: str) -> HeldCheckpoint:
        place = self._format_place(key, version)
        try:
            stored = self._read(key, version)
        except S3Error as error:
            return HeldCheckpoint(place, b"", str(error), HeldStatus.UNREAD)
        return HeldCheckpoint(place, stored.body, _describe_lock(stored))

    def _format_place(self, key: str, version: str) -> str:
        pinned = f"?versionId={quote(version, safe='')}" if version else ""
        return f"s3://{self._bucket.name}/{quote(key)}{pinned}"


def _parse_version(answer: dict[str, Any]) -> S3Version:
    until = answer.get("ObjectLockRetainUntilDate")
    mode = answer.get("ObjectLockMode")
    version = str(answer.get("VersionId") or "")[:1024]
    when = until if isinstance(until, datetime) else None
    return S3Version(version if version != "null" else "", answer["bytes"], str(mode or "")[:20], when)


def _describe_lock(version: S3Version) -> str:
    if not version.mode or version.until is None:
        return "this version is not locked, or its lock cannot be read"
    return f"{version.mode} until {version.until.date().isoformat()}"


def make_anchor(target: str, around: AnchorContext) -> S3Anchor:
    """Return the anchor of `s3://BUCKET/PREFIX?…`."""
    where, _, query = target.removeprefix("//").partition("?")
    name, _, prefix = unquote(where).partition("/")
    if not target.startswith("//") or not _BUCKET.fullmatch(name) or not _PREFIX.fullmatch(prefix):
        raise base.make_setting_error(
            "s3", "the bucket or prefix is missing", "write s3://BUCKET/PREFIX?days=N"
        )
    parts = [f"{key}={value}" for key, value in parse_qsl(query, keep_blank_values=True)]
    given = base.parse_options("s3", parts, _KNOWN)
    lock = given.get("lock", "on")
    if lock not in ("on", "off"):
        raise base.make_setting_error(
            "s3", "its lock is neither on nor off", "leave it out, or write lock=off"
        )
    bucket = S3Bucket(
        name,
        endpoint=base.check_address("s3", given["endpoint"]) if "endpoint" in given else None,
        region=given.get("region"),
        profile=given.get("profile"),
        timeout=base.parse_timeout("s3", given.get("timeout")),
        largest=base.LARGEST,
        proxy=around.proxy,
    )
    prefix = prefix if not prefix or prefix.endswith("/") else f"{prefix}/"
    return S3Anchor(
        bucket, prefix, _parse_days(given.get("days"), lock=lock == "on"), around, lock=lock == "on"
    )


def _parse_days(value: str | None, *, lock: bool) -> int:
    if value is None and not lock:
        return 0
    if value is None or not value.isascii() or not value.isdigit() or not 1 <= int(value[:6]) <= 36_500:
        hint = "write days=N (at most 36500): until then nobody, not even you, can delete it"
        raise base.make_setting_error("s3", "the retention time is missing", hint)
    return int(value)
