"""Edits of a text as edits of its bytes: whatever the encoding, the bytes between them are not touched."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeproof.extractors.decoded_text import DecodedText
from citeproof.fix.text_edits import TextEdit

_LINE_END = re.compile(r"\r\n?|\n")


def is_one_to_one(decoded: DecodedText, data: bytes) -> bool:
    """Return whether the text is the bytes one to one: a mail in quoted-printable is not."""
    return decoded.place(0, len(decoded.text)).end == len(data)


class ByteCursor:
    """Spans of bytes to spans of characters, asked in the order of the file."""

    def __init__(self, decoded: DecodedText, data: bytes) -> None:
        self._encoding, self._data = decoded.encoding, data
        self._byte, self._at = decoded.place(0, 0).start or 0, 0

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of the bytes from `start` to `end`."""
        self._at += self._length(self._byte, start)
        self._byte = start
        return self._at, self._at + self._length(start, end)

    def _length(self, start: int, end: int) -> int:
        return len(self._data[start:end].decode(self._encoding, "replace"))


def is_encodable(edits: Sequence[TextEdit], encoding: str) -> bool:
    try:
        for edit in edits:
            edit.text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def rebuild_bytes(data: bytes, decoded: DecodedText, edits: Sequence[TextEdit]) -> bytes:
    """Return the bytes with the edits made; those outside of them are not touched.

    The edits come in the order of the text. Two that overlap would double what stands between them.
    """
    parts: list[bytes] = []
    at = 0
    ending = detect_newline(data, decoded.encoding)
    for edit in edits:
        place = decoded.place(edit.start, edit.end)
        start, end = place.start or 0, place.end or 0
        if start < at:
            raise ValueError(f"two edits overlap at byte {start}")
        told = _LINE_END.sub("\r", edit.text) if ending == "\r" else edit.text  # decoded, a CR is an LF
        parts += [data[at:start], told.encode(decoded.encoding)]
        at = end
    return b"".join([*parts, data[at:]])


def detect_newline(data: bytes, encoding: str) -> str:
    """Return how most lines of a file end."""
    text = data.decode(encoding, "replace")
    both = text.count("\r\n")
    counts = {"\n": text.count("\n") - both, "\r\n": both, "\r": text.count("\r") - both}
    return max(counts, key=lambda ending: counts[ending])
