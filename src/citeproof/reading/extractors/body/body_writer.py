"""A body while it is read: paragraphs, sections, pages, and where the captions of figures and tables are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from citeproof.text import lazy_patterns as re
from citeproof.text.exhibit_labels import CaptionLabel, normalise_number, read_caption_label
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

MAX_TEXT = 5_000_000  # characters of one work
MAX_SECTIONS = 5_000
MAX_TITLE = 300  # characters of a section's title
MAX_CAPTION = 5_000  # characters
MAX_CONTENT = 20_000  # characters of a table's rows
_BARE = re.compile(r"(?:[A-Z]{1,2}\.?)?\d{1,3}(?:\.\d{1,3})?[.:]?$")
_COMPARED = 60  # letters of a caption that are searched for
_LEAST = 12  # letters that are enough


class BodyText(msgspec.Struct, frozen=True):
    """What a child read of one work."""

    text: str
    page_starts: tuple[int, ...] = ()
    sections: tuple[tuple[int, str], ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    abstract_only: bool = False


class BodyWriter:
    """Joins paragraphs to one text."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._sections: list[tuple[int, str]] = []
        self._page_starts: list[int] = []
        self.size = 0

    def begin_page(self, at: int | None = None) -> None:
        """Note that a page begins with the next paragraph, or at an offset inside the last one."""
        start = self.size + 2 * bool(self._parts) if at is None else at
        self._page_starts.append(max(start, self._page_starts[-1] if self._page_starts else 0))

    def begin_section(self, title: str, *, printed: bool = True) -> None:
        """Begin a section; its title is a paragraph unless it is not printed."""
        title = clean_text(title)[:MAX_TITLE].rstrip()
        if not title:
            return
        if len(self._sections) < MAX_SECTIONS:
            self._sections.append((self.size + 2 * bool(self._parts), title))
        if printed:
            self.add_paragraph(title)

    def add_paragraph(self, text: str) -> int:
        """Add a paragraph; return where it begins, -1 if it is empty or there is no room for it."""
        text = clean_text(text)
        start = self.size + 2 * bool(self._parts)
        if not text or start >= MAX_TEXT:
            return -1
        self._parts.append(text[: MAX_TEXT - start])
        self.size = start + len(self._parts[-1])
        return start

    def make_body(self, *, abstract_only: bool = False, exhibits: tuple[Exhibit, ...] = ()) -> BodyText:
        """Return what was written; sections and pages behind its end are left out."""
        text = "\n\n".join(self._parts)
        pages = tuple(min(start, len(text)) for start in self._page_starts)
        sections = tuple(section for section in self._sections if section[0] < len(text))
        return BodyText(text, pages, sections, exhibits, abstract_only)


def add_exhibits(body: BodyText, exhibits: Sequence[Exhibit]) -> BodyText:
    """Return a body with its figures and tables, their captions located in its text."""
    return msgspec.structs.replace(body, exhibits=locate_captions(exhibits, body.text))


def clean_text(text: str) -> str:
    """Return text fit to be written as UTF-8, without space around it."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "").strip()


def read_printed_label(text: str, kind: ExhibitKind | None) -> CaptionLabel | None:
    """Return the label at the beginning of a text; a bare number is one where the format says the kind."""
    if label := read_caption_label(text):
        return label
    if kind is not None and _BARE.match(text):
        return CaptionLabel(kind, normalise_number(text.rstrip(".:")), text, text[-1:].strip("0123456789"))
    return None


def locate_captions(exhibits: Sequence[Exhibit], text: str) -> tuple[Exhibit, ...]:
    """Return the exhibits with the places of their captions in `text`, as far as they are in it."""
    if not exhibits:
        return ()
    places = [index for index, letter in enumerate(text) if not letter.isspace()]
    solid = "".join([text[index] for index in places])
    return tuple(replace(exhibit, start=_find_caption(exhibit, solid, places)) for exhibit in exhibits)


def _find_caption(exhibit: Exhibit, solid: str, places: list[int]) -> int:
    caption = "".join(exhibit.caption.split())[:_COMPARED]
    label = "".join(exhibit.label.split())
    for words in (label + caption, caption if len(caption) >= _LEAST else ""):
        at = solid.find(words) if words and caption else -1
        if at >= 0:
            return places[at]
    return -1
