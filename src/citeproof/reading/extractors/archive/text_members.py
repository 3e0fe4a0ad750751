"""The text files of an archive, to be shown; read in a child with limits."""

from __future__ import annotations

import msgspec

from citeproof.errors import InputError
from citeproof.plumbing import sandbox
from citeproof.plumbing.sandbox import Limits, StoppedError
from citeproof.reading.extractors.archive.archive_members import unpack_archive
from citeproof.reading.extractors.archive.file_choice import is_junk_file
from citeproof.vocabulary import Document

MAX_MEMBER = 2_000_000  # bytes of one file
MAX_ALL = 8_000_000  # bytes of all of them
_ENTRY = "citeproof.reading.extractors.archive.text_members:read_in_archive"
_LIMITS = Limits(memory=1 << 30, seconds=60.0, answer=1 << 24)
_read = msgspec.msgpack.Decoder(dict[str, bytes])


def read_text_members(data: bytes) -> dict[str, bytes]:
    """Return the text files of an archive by name; none if it cannot be read."""
    try:
        return _read.decode(sandbox.run(_ENTRY, data, _LIMITS))
    except (StoppedError, msgspec.MsgspecError):
        return {}


def read_in_archive(data: bytes) -> bytes:
    """Return the packed files; runs in the child."""
    texts: dict[str, bytes] = {}
    try:
        members = unpack_archive(Document("archive", data)).members
    except InputError:
        members = {}
    for name, body in members.items():
        text = b"\0" not in body[:100_000] and len(body) <= MAX_MEMBER and not is_junk_file(name)
        if text and sum(map(len, texts.values())) + len(body) <= MAX_ALL:
            texts[name] = body
    return msgspec.msgpack.encode(texts)
