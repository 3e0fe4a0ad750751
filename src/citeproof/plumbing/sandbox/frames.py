"""Frames on a pipe: one letter, the length, the body. Both ends count before they read."""

from __future__ import annotations

import os
import struct
from typing import Protocol

JOB = b"j"  # what to do, as JSON; the payload follows
DATA = b"d"  # the payload
PROGRESS = b"t"  # done, of so many
ANSWER = b"a"  # the bytes that came back
STOPPED = b"s"  # why nothing came back, as JSON

MAX_WORDS = 10_000  # bytes of a frame that says why there is no answer

HEAD = struct.Struct("<cQ")
PAIR = struct.Struct("<QQ")


class FrameStream(Protocol):
    """What frames are read from: up to so many bytes at a time, none at the end."""

    def read(self, count: int, /) -> bytes: ...


class BrokenFrameError(Exception):
    """What arrived is no frame, or the other side went away within one."""


def write_frame(fd: int, kind: bytes, body: bytes) -> None:
    for part in (HEAD.pack(kind, len(body)), body):
        view = memoryview(part)
        while view:
            view = view[os.write(fd, view) :]


def read_frame(stream: FrameStream, limit: int) -> tuple[bytes, bytes] | None:
    """Return the letter and the body of the next frame, None at the end of the stream."""
    head = _read_exactly(stream, HEAD.size)
    if not head:
        return None
    if len(head) < HEAD.size:
        raise BrokenFrameError("the head of a frame is cut")
    kind, length = HEAD.unpack(head)
    if kind not in (JOB, DATA, PROGRESS, ANSWER, STOPPED) or length > limit:
        raise BrokenFrameError("no frame")
    body = _read_exactly(stream, length)
    if len(body) < length:
        raise BrokenFrameError("a frame is cut")
    return kind, body


def _read_exactly(stream: FrameStream, count: int) -> bytes:
    """Return `count` bytes, fewer only at the end of the stream."""
    parts = []
    while count and (part := stream.read(min(count, 1 << 20))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


class FrameInbox:
    """The frames that a child has written so far; it may write anything."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = bytearray()

    def take(self, part: bytes) -> list[tuple[bytes, bytes]]:
        """Return the frames that `part` completes; BrokenFrameError if it cannot belong to one."""
        self._bytes += part
        whole = []
        while len(self._bytes) >= HEAD.size:
            kind, length = HEAD.unpack_from(self._bytes)
            fits = {
                PROGRESS: length == PAIR.size,
                STOPPED: length <= MAX_WORDS,
                ANSWER: length <= self._limit,
            }
            if kind not in fits:
                raise BrokenFrameError("no frame")
            if not fits[kind]:
                raise OverflowError
            if len(self._bytes) < HEAD.size + length:
                break
            whole.append((kind, bytes(self._bytes[HEAD.size : HEAD.size + length])))
            del self._bytes[: HEAD.size + length]
        return whole
