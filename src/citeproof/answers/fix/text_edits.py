"""The edits of a text: spans and what takes their place; applied, moved, compared, and two rounds as one.

In a file the edits of the text become edits of its bytes: no other byte is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.quick_dataclass import dataclass, field

_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class TextEdit:
    """The characters from `start` to `end` are to be `text`."""

    start: int
    end: int
    text: str

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Return `text` with the edits made; they must not overlap."""
    parts: list[str] = []
    at = 0
    for edit in sort_edits(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


def sort_edits(edits: Iterable[TextEdit]) -> list[TextEdit]:
    """Return the edits in the order of the text; those at one place in the order they came."""
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def shift_edits(edits: Iterable[TextEdit], by: int) -> list[TextEdit]:
    """Return the edits as they are in a text that has `by` characters more before them."""
    return [TextEdit(edit.start + by, edit.end + by, edit.text) for edit in edits]


def has_clash(edits: Sequence[TextEdit], more: Iterable[TextEdit]) -> bool:
    """Return whether one of `more` changes characters that one of `edits` changes already."""
    return any(a.start < b.end and b.start < a.end for a in edits for b in more)


def find_overlaps(spans: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the spans that overlap another one, or come twice; an empty one only inside another."""
    overlaps: set[tuple[int, int]] = set()
    widest = (0, 0)
    for span in sorted(spans):
        if span[0] < widest[1]:
            overlaps |= {span, widest}
        widest = max(widest, span, key=lambda known: known[1])
    return overlaps


def compose_edits(text: str, first: Sequence[TextEdit], second: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """Return the edits of `text` that do what `first` and then `second` do; both are in order."""
    between = apply_edits(text, first)
    made: list[TextEdit] = []
    for low, high, before, after, later in _group_edits(first, second):
        written = apply_edits(between[low:high], shift_edits(later, -low))
        made.append(TextEdit(low - before, high - after, written))
    return tuple(made)


def _group_edits(
    first: Sequence[TextEdit], second: Sequence[TextEdit]
) -> Iterator[tuple[int, int, int, int, list[TextEdit]]]:
    """Yield stretches of the text between the rounds that edits of either made or change.

    With each: how far the first round moved its beginning and its end, and the edits of the second in it.
    """
    moved = [0, *accumulate(len(edit.text) - (edit.end - edit.start) for edit in first)]
    early = [(e.start + moved[n], e.start + moved[n] + len(e.text), n, None) for n, e in enumerate(first)]
    late = [(edit.start, edit.end, -1, edit) for edit in second]
    rows = sorted([*early, *late], key=lambda row: (row[0], row[1]))
    at = done = 0
    while at < len(rows):
        low, high = rows[at][:2]
        before, later = moved[done], list[TextEdit]()
        while at < len(rows) and rows[at][0] <= high:
            _, end, number, edit = rows[at]
            high = max(high, end)
            done = max(done, number + 1)
            later += [edit] if edit is not None else []
            at += 1
        yield low, high, before, moved[done], later


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
