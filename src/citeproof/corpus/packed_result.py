"""A document's result as bytes: what workers send, and what is stored between runs.

Three parts, each sealed with a checksum: what the result rests on, its head (issues, pending DOIs, counts,
the citations that reports tell of), all its citations. The last are most of it, so they are compressed; a run
that shows only some never unpacks them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import msgspec
import xxhash
import zstandard

from citeproof.answers.serializers import dumps
from citeproof.corpus.corpus_types import (
    AskedQuestion,
    CorpusCitation,
    Counts,
    DocumentResult,
    Issue,
    PendingDoi,
    shorten_result,
)
from citeproof.plumbing.zstd_frames import unpack_frame

T = TypeVar("T")
Head: TypeAlias = tuple[tuple[Issue, ...], tuple[PendingDoi, ...], Counts, tuple[CorpusCitation, ...]]
# and which of them each issue is about
All: TypeAlias = tuple[tuple[CorpusCitation, ...], tuple[int | None, ...]]

LARGEST = 64_000_000  # bytes of each part, unpacked; a larger result is shown and not stored
NEVER = "never:"  # what a result asks for that rests on a failure which may not come again: it is not stored
_SUM = 8  # bytes of the checksum before each part

_ASKED: msgspec.msgpack.Decoder[tuple[AskedQuestion, ...]] = msgspec.msgpack.Decoder(
    tuple[AskedQuestion, ...]
)
_HEAD: msgspec.msgpack.Decoder[Head] = msgspec.msgpack.Decoder(Head)
_CITATIONS: msgspec.msgpack.Decoder[All] = msgspec.msgpack.Decoder(All)
_DAMAGE = (msgspec.DecodeError, msgspec.ValidationError, MemoryError, ValueError)


@dataclass(frozen=True, slots=True)
class PackedResult:
    """One result, packed."""

    sha256: bytes  # of the document's bytes
    asked: bytes
    head: bytes
    citations: bytes  # empty if they were not fetched

    def is_keepable(self, asked: tuple[AskedQuestion, ...]) -> bool:
        """Return whether the result, which rests on `asked`, may be used by later runs."""
        unpacked = zstandard.frame_content_size(self.citations[_SUM:])
        small = max(len(self.asked), len(self.head), unpacked) <= LARGEST
        return small and not any(question.question.startswith(NEVER) for question in asked)

    def list_questions(self) -> tuple[AskedQuestion, ...] | None:
        """Return the questions that the result rests on; None if the row is damaged."""
        return _open_part(self.asked, _ASKED)

    def result(
        self, file: str, asked: tuple[AskedQuestion, ...], *, citations: bool, largest: int = LARGEST
    ) -> DocumentResult | None:
        """Return the result, `brief` unless all citations are wanted; None if it is damaged or too large."""
        head = _open_part(self.head, _HEAD)
        if head is None:
            return None
        issues, pending, counts, shown = head
        if not citations:
            return DocumentResult(file, shown, issues, pending, asked, counts)
        every = _open_part(self.citations, _CITATIONS, largest)
        if every is None or len(every[1]) != len(issues):
            return None
        pairs = zip(issues, every[1], strict=True)
        whole = tuple(issue if issue.cited == at else replace(issue, cited=at) for issue, at in pairs)
        return DocumentResult(file, every[0], whole, pending, asked, counts)


def pack_result(result: DocumentResult, sha256: bytes) -> PackedResult:
    """Return a result as it is stored and sent; only of one without trouble."""
    short = shorten_result(result)
    head = (short.issues, result.pending, result.counts, short.citations)
    every = (result.citations, tuple(issue.cited for issue in result.issues))
    return PackedResult(sha256, _seal_part(result.asked), _seal_part(head), _seal_part(every, pressed=True))


def has_same_answers(asked: tuple[AskedQuestion, ...], digest: Callable[[str], str]) -> bool:
    """Return whether every question still has its answer."""
    return all(digest(question.question) == question.digest for question in asked)


def _seal_part(value: object, *, pressed: bool = False) -> bytes:
    try:
        body = msgspec.msgpack.encode(value)
    except UnicodeEncodeError:  # lone surrogates, of a file name that is not UTF-8
        body = msgspec.msgpack.encode(msgspec.json.decode(dumps(msgspec.to_builtins(value))))
    body = zstandard.compress(body, 1) if pressed else body
    return xxhash.xxh3_64_digest(body) + body


def _open_part(sealed: object, decoder: msgspec.msgpack.Decoder[T], largest: int = 0) -> T | None:
    """Return what was sealed; None if a bit of it changed or an older version wrote something else.

    What may have a `largest` size was pressed, and is not unpacked beyond it.
    """
    if not isinstance(sealed, bytes) or xxhash.xxh3_64_digest(sealed[_SUM:]) != sealed[:_SUM]:
        return None
    try:
        body = unpack_frame(sealed[_SUM:], largest) if largest else sealed[_SUM:]
        return None if body is None else decoder.decode(body)
    except _DAMAGE:
        return None
