"""Citations in footnotes: the notes at the foot of the pages, and those in them that are references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citeproof.extractors.lines import is_notes_heading
from citeproof.extractors.pdf import signs
from citeproof.extractors.pdf.joining import Vocabulary, text_of
from citeproof.extractors.pdf.segment import Entry, entries
from citeproof.extractors.pdf.shape import Line, Page

_NOTE = re.compile(r"(\d{1,4})(?!st\b|nd\b|rd\b|th\b)[.)]?\s?(?=[^\W\d_]|[„“\"«(])")
_MARK = re.compile(r"[\[(]?\d{1,4}[.)\]]{0,2}\s?")
_LEAD = re.compile(rf"(?i)(?:{signs.WORDS['lead']})[:,]?\s+")
_BACK = re.compile(r"(?i)\b(?:ibid|ebd|ebenda|a\. ?a\. ?o|op\. ?cit|loc\. ?cit|ders|dies)\b")
_JUMP = 4  # numbers may be lost where a note could not be told from the text
_AHEAD = 25  # lines in which the number that should come next is looked for
_WHOLE = re.compile(
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|[”“»]"
)  # what stands before it was a citation, not a name
_SHORT = 45  # characters; a shorter citation refers to one given before
_MOSTLY = 0.85  # of a page's lines in small print are no footnotes but a page in small print


@dataclass(slots=True)
class Note:
    """One footnote: its printed number and its lines."""

    number: str
    lines: list[Line]


def notes(pages: Sequence[Page]) -> list[Note]:
    """Return the footnotes of a document in order, and mark their lines."""
    small = _small_print(pages)
    numbers = [int(match[1]) if (match := _NOTE.match(line.text)) else 0 for line in small]
    found: list[Note] = []
    last = 0
    for index, (line, number) in enumerate(zip(small, numbers, strict=True)):
        line.note = True
        skips = last + 1 < number <= last + _JUMP and last + 1 not in numbers[index : index + _AHEAD]
        if number == last + 1 or skips or (number == 1 and last > 0):
            last = number
            found.append(Note(str(number), [line]))
        elif found and line.page - found[-1].lines[-1].page <= 1:
            found[-1].lines.append(line)
    return found


def _small_print(pages: Sequence[Page]) -> list[Line]:
    """Return the lines of all pages that stand below the text in smaller print."""
    body = _body_size(pages)
    found: list[Line] = []
    last = 0
    for page in pages:
        small = _small(page, body)
        if len(small) > _MOSTLY * len(page.lines) and not _goes_on(small, last):
            continue
        found += small
        for number in (int(match[1]) for line in small if (match := _NOTE.match(line.text))):
            last = number if last < number <= last + _JUMP else last
    return found


def _goes_on(small: Sequence[Line], last: int) -> bool:
    """Return whether a page in small print holds the notes that should come next."""
    numbers = [int(match[1]) for line in small if (match := _NOTE.match(line.text))]
    return last > 0 and any(last - _JUMP < number <= last + _JUMP for number in numbers)


def _body_size(pages: Sequence[Page]) -> float:
    """Return the size the text is set in: the largest of those that much of the document has."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[round(line.size * 2) / 2] += len(line.text)
    much = 0.15 * sizes.total()
    return max((size for size, letters in sizes.items() if letters >= much), default=0.0)


def _small(page: Page, body: float) -> list[Line]:
    """Return the lines at the foot of each column that are set smaller than the text."""
    found: list[Line] = []
    for column in sorted({line.column for line in page.lines}):
        mine = [line for line in page.lines if line.column == column]
        for line in reversed(mine):
            if line.size > 0.95 * body:
                break
            found.append(line)
    chosen = {id(line) for line in found}
    return [line for line in page.lines if id(line) in chosen]


def endnotes(lines: Sequence[Line]) -> list[Note]:
    """Return the notes that stand under a heading such as Anmerkungen."""
    for index in reversed([i for i, line in enumerate(lines) if is_notes_heading(line.text)]):
        found, way = entries(lines[index + 1 :])
        if way == "number" and len(found) > 1:
            return [Note(entry.label, entry.lines) for entry in found if entry.label]
    return []


@dataclass(slots=True)
class Cited:
    """One citation inside a note: its text, and the note's lines for its place."""

    text: str
    entry: Entry


def citations(found: Sequence[Note], words: Vocabulary) -> list[Cited]:
    """Return the references that the notes hold; a note may hold several, or none."""
    return [
        Cited(part, Entry(note.lines, note.number))
        for note in found
        for part in _parts(_MARK.sub("", text_of(note.lines, words, 20_000), count=1))
    ]


def _parts(text: str) -> list[str]:
    """Return the references in the text of one note."""
    parts: list[str] = []
    for piece in text.split("; "):
        if parts and not (signs.begins(_bare(piece)) and _WHOLE.search(parts[-1])):
            parts[-1] += "; " + piece
        else:
            parts.append(piece)
    return [bare for part in parts if _is_citation(bare := _bare(part))]


def _bare(text: str) -> str:
    """Return a citation without the words that lead to it: "Vgl. dazu"."""
    for _ in range(4):
        shorter = _LEAD.sub("", text.lstrip(), count=1)
        if not _LEAD.match(text.lstrip()):
            break
        text = shorter
    return text.strip()


def _is_citation(text: str) -> bool:
    """Return whether a part of a note is a reference in full: names, a title, a year."""
    if len(text) < _SHORT or len(text) > 1200 or _BACK.search(text[:60]):
        return False
    return signs.YEAR.search(text) is not None and signs.begins(text) and signs.is_reference(text)
