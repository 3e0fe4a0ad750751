"""A file as text and as bytes: edits of the text become edits of the bytes, and no other byte is touched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from citeproof.answers.fix.text_edits import TextEdit
from citeproof.text import lazy_patterns as re

_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(slots=True)
class EncodedText:
    """The bytes of a file and the text they are in an encoding."""

    data: bytes
    text: str
    encoding: str = "utf-8"
    first: int = 0  # the byte that the text begins with, behind a byte order mark
    sure: bool = True  # else another encoding is almost as likely, and only ASCII is written
    _found: tuple[int, int] = field(init=False)  # the last byte that was asked for, and its character

    def __post_init__(self) -> None:
        self._found = (self.first, 0)

    def is_exact(self) -> bool:
        """Return whether the text is the bytes one to one: a mail in quoted-printable is not."""
        return self.first + self._count_bytes(0, len(self.text)) == len(self.data)

    def find_characters(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of the bytes from `start` to `end`; cheap in the order of the file."""
        byte, at = self._found if self._found[0] <= start else (self.first, 0)
        at += self._count_characters(byte, start)
        self._found = (start, at)
        return at, at + self._count_characters(start, end)

    def can_encode(self, edits: Iterable[TextEdit]) -> bool:
        """Return whether the encoding has the letters of the edits."""
        try:
            for edit in edits:
                edit.text.encode(self.encoding if self.sure else "ascii")
        except UnicodeEncodeError:
            return False
        return True

    def edit_bytes(self, edits: Sequence[TextEdit]) -> bytes:
        """Return the bytes with the edits made, which come in the order of the text.

        Two that overlap would double what is between them.
        """
        parts: list[bytes] = []
        at, byte = 0, self.first  # how far the text and the bytes are copied
        done = 0  # as `byte`, with a byte order mark
        ending = self.detect_newline()
        for edit in edits:
            if edit.start < at:
                raise ValueError(f"two edits overlap at character {edit.start}")
            start = byte + self._count_bytes(at, edit.start)
            at, byte = edit.end, start + self._count_bytes(edit.start, edit.end)
            new = _LINE_END.sub("\r", edit.text) if ending == "\r" else edit.text  # decoded, a CR is an LF
            parts += [self.data[done:start], new.encode(self.encoding)]
            done = byte
        return b"".join([*parts, self.data[done:]])

    def detect_newline(self) -> str:
        """Return how most lines of the file end."""
        text = self.data.decode(self.encoding, "replace")  # in `text`, a lone CR may be an LF
        both = text.count("\r\n")
        counts = {"\n": text.count("\n") - both, "\r\n": both, "\r": text.count("\r") - both}
        return max(counts, key=lambda ending: counts[ending])

    def _count_bytes(self, start: int, end: int) -> int:
        return len(self.text[start:end].encode(self.encoding, "replace"))  # a byte of no character is one "?"

    def _count_characters(self, start: int, end: int) -> int:
        return len(self.data[start:end].decode(self.encoding, "replace"))
