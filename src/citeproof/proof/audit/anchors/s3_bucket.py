"""The few calls to S3 that the anchor needs; the only module that knows boto3.

What fails becomes `S3Error` with the server's error code, and nothing else of what it said: messages may hold
key ids and addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from threading import Thread
from typing import Any, TypeVar

from citeproof.proof.audit.anchors.base import make_setting_error
from citeproof.text import lazy_patterns as re

Result = TypeVar("Result")

_CODE = re.compile(r"[A-Za-z0-9.]{1,60}")
PAGE = 1000  # versions listed at a time
_PAGES = 1000
_MISSING = ("404", "NoSuchKey", "NotFound", "NoSuchVersion")


class S3Error(Exception):
    """Why the bucket did not do what it was asked; fit for a report."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class S3Bucket:
    """One bucket, asked through boto3 with bounded waiting."""

    def __init__(
        self,
        name: str,
        *,
        endpoint: str | None,
        region: str | None,
        profile: str | None,
        timeout: float,
        largest: int,
        proxy: str = "",
    ) -> None:
        self.name = name
        self._given = {"endpoint_url": endpoint, "region_name": region}
        self._profile, self.timeout, self._largest, self._proxy = profile, timeout, largest, proxy
        self._client: Any = None
        _import_boto3()  # a missing extra is reported when the setting is read

    def describe_protection(self) -> tuple[str, bool | None]:
        """Return how the bucket protects what is in it, in words; and whether it has object lock."""
        try:
            versioning = self._call("get_bucket_versioning", Bucket=self.name)
        except S3Error as error:
            words = f"versioning unknown ({_read_error_code(error)})"
        else:
            words = f"versioning {_clean_word(versioning.get('Status')) or 'off'}"
            words += f", MFA delete {_clean_word(versioning.get('MFADelete')) or 'off'}"
        try:
            locking = self._call("get_object_lock_configuration", Bucket=self.name)
        except S3Error as error:
            if error.code == "ObjectLockConfigurationNotFoundError":
                return f"{words}, no object lock", False
            return f"{words}, object lock unknown ({_read_error_code(error)})", None
        locked = locking.get("ObjectLockConfiguration", {}).get("ObjectLockEnabled") == "Enabled"
        return f"{words}, object lock {'Enabled' if locked else 'off'}", locked

    def put(self, **what: Any) -> dict[str, Any] | None:  # noqa: ANN401 - boto3's own keywords
        """Return the answer to a PUT of a new name; None when the name is taken, if the server can tell."""
        try:
            return self._call("put_object", Bucket=self.name, IfNoneMatch="*", **what)
        except S3Error as error:
            if error.code in ("PreconditionFailed", "412", "ConditionalRequestConflict"):
                return None
            if error.code not in ("NotImplemented", "501"):
                raise
        return self._call("put_object", Bucket=self.name, **what)

    def get(self, key: str, version: str = "") -> dict[str, Any] | None:
        """Return what boto3 says about an object, its bytes under "bytes"; None when it is not there.

        Without a version, one that may not be read counts as not there: who may only write gets 403 for both.
        """
        pinned = {"VersionId": version} if version else {}
        try:
            answer = self._call("get_object", Bucket=self.name, Key=key, **pinned)
        except S3Error as error:
            if error.code in _MISSING or (not version and error.code in ("403", "AccessDenied")):
                return None
            raise
        with answer["Body"] as stream:
            answer["bytes"] = self._call_guarded(lambda: stream.read(self._largest + 1))
        if len(answer["bytes"]) > self._largest:
            raise S3Error("it is too large for a checkpoint")
        return answer

    def versions(self, prefix: str) -> Iterator[tuple[str, str, bool]]:
        """Yield key, version id and whether it is a delete marker, for all under `prefix`."""
        marker: dict[str, str] = {}
        for _ in range(_PAGES):
            page = self._call("list_object_versions", Bucket=self.name, Prefix=prefix, MaxKeys=PAGE, **marker)
            for entry in page.get("Versions", ()):
                version = str(entry.get("VersionId") or "")
                yield str(entry["Key"]), version if version != "null" else "", False
            for entry in page.get("DeleteMarkers", ()):
                yield str(entry["Key"]), str(entry.get("VersionId") or ""), True
            if not page.get("IsTruncated"):
                return
            marker = {"KeyMarker": page["NextKeyMarker"], "VersionIdMarker": page["NextVersionIdMarker"]}
        raise S3Error("too many versions to check all")

    def _call(self, name: str, **what: Any) -> dict[str, Any]:  # noqa: ANN401 - boto3's own keywords
        answer: dict[str, Any] = self._call_guarded(lambda: getattr(self._open_client(), name)(**what))
        return answer

    def _call_guarded(self, call: Any) -> Any:  # noqa: ANN401 - whatever the call gives
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - an extra
        from urllib3.exceptions import HTTPError  # noqa: PLC0415 - comes with boto3

        try:
            return call()
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            code = code if _CODE.fullmatch(code) else "unknown"
            raise S3Error(f"S3 answers {code}", code) from None
        except (BotoCoreError, HTTPError, OSError, ValueError, KeyError) as error:
            raise S3Error(f"S3 could not be asked: {type(error).__name__}") from None

    def _open_client(self) -> Any:  # noqa: ANN401 - boto3 has no types
        if self._client is None:
            from botocore.config import Config  # noqa: PLC0415 - an extra

            config = Config(
                connect_timeout=self.timeout,
                read_timeout=self.timeout,
                retries={"total_max_attempts": 2, "mode": "standard"},
                # a server of one's own seldom has a name for every bucket, or the newest checksums
                s3={"addressing_style": "path" if self._given["endpoint_url"] else "auto"},
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
                proxies={"http": self._proxy, "https": self._proxy} if self._proxy else {},
                user_agent_extra="citeproof",
            )
            session = _import_boto3().session.Session(profile_name=self._profile)
            self._client = session.client("s3", config=config, **self._given)
        return self._client


def call_within(seconds: float, call: Callable[[], Result]) -> Result:
    """Return what `call` gives; S3Error when that takes longer, whatever a server does to keep it waiting."""
    outcome: Future[Result] = Future()

    def work() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            outcome.set_exception(error)

    Thread(target=work, daemon=True).start()
    try:
        return outcome.result(seconds)
    except TimeoutError:
        raise S3Error(f"no answer within {seconds:g} s") from None


def _read_error_code(error: S3Error) -> str:
    """Return the code of an answer; a server that does not answer need not be asked the next thing."""
    if not error.code:
        raise error
    return error.code


def _clean_word(value: object) -> str:
    text = str(value or "")
    return text if _CODE.fullmatch(text) else ""


def _import_boto3() -> Any:  # noqa: ANN401 - boto3 has no types
    try:
        import boto3  # noqa: PLC0415 - an extra
    except ImportError:
        raise make_setting_error("s3", "boto3 is not installed", "pip install 'citeproof[s3]'") from None
    return boto3
