"""The text of a cited work, as far as it could be had: its body with sections, pages, figures and tables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import TypeAlias

from citeproof.vocabulary.quick_dataclass import dataclass, field
from citeproof.vocabulary.records import Exchange, Record


class TextExtent(StrEnum):
    """How much of a work's text there was."""

    FULL_TEXT = "full_text"  # its body, without its own reference list
    ABSTRACT_ONLY = "abstract_only"
    NO_TEXT = "no_text"


class ExhibitKind(StrEnum):
    """What a caption belongs to."""

    FIGURE = "figure"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A figure or table: its caption and, where it could be cut out, its image."""

    kind: ExhibitKind
    number: str  # "3", "S2", "A1"; IV is 4
    label: str  # as the work prints it: "Fig. 3."
    caption: str
    start: int = -1  # of the caption in the text; -1: not in it
    page: int | None = None  # from 1
    image: bytes = b""
    media_type: str = ""  # of the image: "image/png"
    box: tuple[float, float, float, float] | None = None  # of the image on its page: left, top, right, bottom
    content: str = ""  # the rows of a table, a line each
    graphic: str = ""  # the file next to the work that holds the image


@dataclass(frozen=True, slots=True, repr=False)
class SourceText:
    """The text of a work. Offsets are characters of `text`; pages are counted from 1."""

    extent: TextExtent
    origin: str  # where it is from: a file, an address, the name of a snapshot or source
    text: str
    page_starts: tuple[int, ...] = ()  # empty: it has no pages
    sections: tuple[tuple[int, str], ...] = ()  # where each begins, and its title
    exhibits: tuple[Exhibit, ...] = ()
    sha256: str = ""  # of the file that it was read from

    def __repr__(self) -> str:
        return f"<SourceText {self.origin!r}: {self.extent.value}, {len(self.text)} characters>"


@dataclass(frozen=True, slots=True)
class FoundText:
    """The text that was found, or None; why no more could be had; and the requests behind it."""

    text: SourceText | None
    reasons: tuple[str, ...] = ()
    heard: tuple[Exchange, ...] = field(default=(), compare=False, repr=False)

    @property
    def reason(self) -> str:
        return "; ".join(self.reasons)


FindText: TypeAlias = Callable[[Record], Awaitable[FoundText]]
