"""A time-stamping authority (RFC 3161) states that it saw a checkpoint, and when.

Its answer is stored as `<hour>.tsr` next to the checkpoint `<hour>.merkle`; `openssl ts -verify` reads both.
It proves that the checkpoint existed at that time, to anyone who trusts the authority's root certificate. It
does not prove that no other checkpoint exists.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from citeproof.proof.audit.anchors import base
from citeproof.proof.audit.anchors.anchor_http import AnchorError, post_body, shorten_answer
from citeproof.proof.audit.anchors.base import (
    SUFFIX,
    AnchorContext,
    AnchorOutcome,
    HeldCheckpoint,
    HeldStatus,
)
from citeproof.proof.audit.anchors.folder import DEFAULT, FolderAnchor
from citeproof.proof.audit.anchors.folder import make_anchor as make_folder_anchor
from citeproof.proof.audit.untrusted_files import UnreadableFileError

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
    from rfc3161_client import TimeStampRequest, TimeStampResponse

ANSWER = ".tsr"
_LARGEST = 100_000  # bytes of an answer; with its certificates it has some thousand
_SHA256 = "2.16.840.1.101.3.4.2.1"
_CERTIFICATES = 0xA0  # [0] in SignedData
_WAY = (0, 1, 1, 0, 3)  # TimeStampResp, its token, the content of that, SignedData, its certificates (if any)


class TimestampAnchor:
    """Asks one authority, and believes only what its root certificates vouch for."""

    name = "tsa"

    def __init__(
        self,
        url: str,
        roots: list[Certificate],
        checkpoints: FolderAnchor,
        answers: FolderAnchor,
        around: AnchorContext,
        timeout: float,
    ) -> None:
        self.url, self._roots, self._checkpoints, self._answers = url, roots, checkpoints, answers
        self._around, self._timeout = around, timeout

    @property
    def inside(self) -> str:
        """The name in the log's folder that is this anchor's; empty for a folder elsewhere."""
        return self._checkpoints.inside

    def put(self, run: str, hour: str, checkpoint: bytes) -> AnchorOutcome:
        """Return where the authority's answer stands; one that is there and holds is not asked for again."""
        base.check_commit_name(run, hour)
        stored = self._checkpoints.put(run, hour, checkpoint)
        if not stored.ok:
            return replace(stored, name=self.name)
        stem = stored.place.rpartition("/")[2].removesuffix(SUFFIX)
        place = stored.place.removesuffix(SUFFIX) + ANSWER
        try:
            when = self._stamp_checkpoint(run, stem, checkpoint)
        except AnchorError as error:
            return AnchorOutcome(self.name, ok=False, place=self.url, detail=str(error))
        except (OSError, UnreadableFileError) as error:
            why = error.strerror if isinstance(error, OSError) else error.why
            return AnchorOutcome(
                self.name, ok=False, place=place, detail=f"its answer cannot be stored: {why}"
            )
        return AnchorOutcome(
            self.name,
            ok=True,
            place=place,
            detail=f"{_describe_time(when)}{base.describe_skew(self._around, when.timestamp())}",
        )

    def list_held(self, run: str | None = None) -> Iterator[HeldCheckpoint]:
        """Yield every checkpoint with a timestamp, checked again; the time it had to exist by."""
        for answer in self._answers.list_held(run):
            if answer.standing is not HeldStatus.HELD:
                yield answer
                continue
            owner, name = answer.place.split("/")[-2:]
            try:
                checkpoint = self._checkpoints.read(owner, name.removesuffix(ANSWER))
                if checkpoint is None:
                    yield replace(
                        answer, checkpoint=b"", detail="its checkpoint is gone", standing=HeldStatus.NOTED
                    )
                    continue
                when = self._verify_answer(answer.checkpoint, checkpoint)
            except (AnchorError, UnreadableFileError) as error:
                yield replace(answer, checkpoint=b"", detail=str(error), standing=HeldStatus.UNREAD)
            else:
                yield replace(answer, checkpoint=checkpoint, detail=_describe_time(when))

    def _stamp_checkpoint(self, run: str, stem: str, checkpoint: bytes) -> datetime:
        earlier = self._answers.read(run, stem)
        if earlier is not None:
            return self._verify_answer(earlier, checkpoint)
        request = _build_request(checkpoint)
        answer = self._request_timestamp(request)
        when = self._verify_answer(answer, checkpoint, request.nonce)
        self._answers.write(run, stem, answer)
        return when

    def _request_timestamp(self, request: TimeStampRequest) -> bytes:
        if self._around.offline:
            raise AnchorError("offline: nothing was sent")
        query, proxy = request.as_bytes(), self._around.proxy
        media = "application/timestamp-query"
        raw = post_body(self.url, query, media, limit=_LARGEST, timeout=self._timeout, proxy=proxy)
        media = raw.headers.get("content-type", "").partition(";")[0].strip().lower()
        if raw.status != 200:
            raise AnchorError(f"it answered {raw.status}")
        if media != "application/timestamp-reply":
            raise AnchorError(
                f"it answered {shorten_answer(media.encode()) or 'without a content type'}, no timestamp"
            )
        return raw.body

    def _verify_answer(self, answer: bytes, checkpoint: bytes, nonce: int | None = None) -> datetime:
        """Return when the authority saw `checkpoint`; AnchorError when its answer does not say so."""
        from rfc3161_client import VerificationError, VerifierBuilder  # noqa: PLC0415 - an extra

        # 1 it is an answer, and the authority granted it
        response = _decode_answer(answer)
        digest = hashlib.sha256(checkpoint).digest()
        try:
            # 2 it is about this checkpoint, and about this question
            info = response.tst_info
            imprint = info.message_imprint
            if imprint.hash_algorithm.dotted_string != _SHA256 or imprint.message != digest:
                raise AnchorError("its timestamp is for other bytes")
            if nonce is not None and info.nonce != nonce:
                raise AnchorError("its timestamp is for another request: the nonce differs")
            # 3 the signature leads to a root that was given, by a certificate made for timestamps
            VerifierBuilder(roots=list(self._roots)).build().verify(response, digest)
        except (VerificationError, ValueError) as error:
            raise AnchorError(f"its signature is not valid: {shorten_answer(str(error).encode())}") from None
        return info.gen_time.astimezone(UTC) if info.gen_time.tzinfo else info.gen_time.replace(tzinfo=UTC)


def _describe_time(when: datetime) -> str:
    return f"seen at {when.isoformat(timespec='seconds').replace('+00:00', 'Z')}"


def _build_request(checkpoint: bytes) -> TimeStampRequest:
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder  # noqa: PLC0415 - an extra

    builder = TimestampRequestBuilder().data(checkpoint).hash_algorithm(HashAlgorithm.SHA256)
    return builder.nonce(nonce=True).cert_request(cert_request=True).build()


def _decode_answer(answer: bytes) -> TimeStampResponse:
    from rfc3161_client import PKIStatus, decode_timestamp_response  # noqa: PLC0415 - an extra

    try:
        response = decode_timestamp_response(sort_certificates(answer))
        status = response.status
    except ValueError:
        raise AnchorError("its answer is not a timestamp") from None
    if status != PKIStatus.GRANTED.value:
        why = shorten_answer(" ".join(str(text) for text in response.status_string or ()).encode())
        raise AnchorError(f"it refuses (status {status}{': ' + why if why else ''})")
    return response


def make_anchor(target: str, around: AnchorContext) -> TimestampAnchor:
    """Return the anchor of `tsa:URL|roots=FILE`."""
    url, *rest = target.split("|")
    given = base.parse_options("tsa", rest, ("roots", "folder", "timeout"))
    if "roots" not in given:
        hint = "add |roots=FILE with the authority's root certificates (PEM)"
        raise base.make_setting_error("tsa", "the trusted root certificates are missing", hint)
    folder = given.get("folder", DEFAULT)
    return TimestampAnchor(
        base.check_address("tsa", url),
        _load_certificates(base.resolve_path(around, given["roots"])),
        make_folder_anchor(folder, around),
        make_folder_anchor(folder, around, ANSWER),
        around,
        base.parse_timeout("tsa", given.get("timeout")),
    )


def _load_certificates(path: Path) -> list[Certificate]:
    try:
        import rfc3161_client  # noqa: F401, PLC0415 - an extra
        from cryptography.x509 import load_pem_x509_certificates  # noqa: PLC0415 - keeps `--help` quick
    except ImportError:
        raise base.make_setting_error(
            "tsa", "rfc3161-client is not installed", "pip install 'citeproof[timestamps]'"
        ) from None
    try:
        return load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError):
        hint = f"make {path} a readable PEM file"
        raise base.make_setting_error("tsa", "its root certificates cannot be read", hint) from None


def sort_certificates(answer: bytes) -> bytes:
    """Return the answer with its certificates in the order that DER asks for; anything unexpected as it is.

    OpenSSL, and authorities built on it, send them in the order of the chain, which rfc3161-client refuses.
    They are not signed over, and their order means nothing. What is stored on disk is the answer as it came.
    """
    try:
        head, start, end = 0, 0, len(answer)
        for step in _WAY:
            head, start, end = list(_scan_values(answer, start, end))[step]
        certificates = [answer[first:last] for first, _, last in _scan_values(answer, start, end)]
    except (IndexError, ValueError):
        return answer
    if answer[head] != _CERTIFICATES:
        return answer
    return answer[:start] + b"".join(sorted(certificates)) + answer[end:]


def _scan_values(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield where each value between `start` and `end` begins, where its content does, and where both end."""
    while start < end:
        content, length = start + 2, data[start + 1]
        if length & 0x80:
            content += length & 0x7F
            length = int.from_bytes(data[start + 2 : content], "big")
        if content + length > end:
            raise ValueError("cut off")
        yield start, content, content + length
        start = content + length
