"""Venue, editors and publisher in the words behind a title."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeproof.parse import authors
from citeproof.parse.anchors import MASK
from citeproof.parse.clues import ABBREVIATION, PUBLISHER, VENUE
from citeproof.text.unicode import unmark
from citeproof.vocabulary import Name

_LEAD = re.compile(
    rf"[\s.,:;(\[{MASK}–—-]*(?:(?:In|in|En|Dans|IN)(?::\s?|\s(?=[^\Wa-z_0-9]|[“\"‘«0-9])))?[“\"‘«*_]*"
)
_EDITED = re.compile(
    r"[,.(]?\s?\(?\b(?:[Ee]ds?\.\s|[Ee]dited by\s|[Hh]g\.\s|[Hh]rsg\.\s"
    r"|[Tt]ranslated by\s|[Tt]rans\.\s(?=by))"
)
_SENTENCE = re.compile(r"(?<=[^\W\d_]{4})[.”\"]\s+(?=[^\Wa-z_])")
_CITY = re.compile(r"(?P<city>[^\W\d_][\w .,;/&'-]{1,50}):\s(?P<publisher>[^\Wa-z_].{1,80})")
_EDITION = re.compile(
    r"\(?\b(?:\d{1,2}(?:st|nd|rd|th)|second|third|revised|new)\sed(?:ition|n)?\b\.?\)?,?\s?", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_MAX_VENUE = 400
_JOURNAL = 7  # words; a name before a volume that has no more is a journal, full stops or not


@dataclass(frozen=True, slots=True)
class Where:
    """Where the work appeared."""

    venue: str | None = None
    publisher: str | None = None
    editors: tuple[Name, ...] = ()


def read(rest: str, *, located: bool) -> Where:
    """Return what the words behind the title say; `located` when a volume or pages are known."""
    lead = _LEAD.match(rest)
    rest = rest[lead.end() if lead else 0 :]
    editors = authors.run(rest)
    if editors.editors:
        rest = rest[editors.end :].lstrip(" ,.:")
    end = rest.find(MASK)
    segment = _EDITION.sub("", (rest if end < 0 else rest[:end])[:_MAX_VENUE])
    segment = _EDITED.split(segment, maxsplit=1)[0]
    tail = "" if end < 0 else rest[end:][:_MAX_VENUE]
    if located and len(segment.split()) <= _JOURNAL:
        return Where(_tidy(segment), None, editors.names if editors.editors else ())
    return _judge(segment, tail, editors.names if editors.editors else (), located=located)


def _judge(segment: str, tail: str, editors: tuple[Name, ...], *, located: bool) -> Where:
    first, _, later = _parts(segment)
    words = [_fold(word) for word in _WORD.findall(first)]
    venue_words = sum(word in VENUE for word in words)
    publisher_words = sum(word in PUBLISHER for word in words)
    city = _CITY.match(segment)
    if city and not venue_words and not editors:
        return Where(None, _tidy(city["publisher"]), editors)
    if not editors and publisher_words > venue_words and not located:
        return Where(None, _tidy(first), editors)
    venue = _tidy(_without_place(first) if venue_words else first)
    behind = _CITY.search(later or tail.lstrip(MASK + " .,;:"))
    return Where(venue, _tidy(behind["publisher"]) if behind else None, editors)


def _parts(segment: str) -> tuple[str, str, str]:
    """Return the first sentence of `segment` and what follows it."""
    for match in _SENTENCE.finditer(segment):
        word = re.search(r"[^\W_]+$", segment[: match.start()])
        if word and _fold(word[0]) not in ABBREVIATION:
            return segment[: match.start()], match[0], segment[match.end() :]
    return segment, "", ""


def _without_place(text: str) -> str:
    """Cut a conference's city off: "Proceedings of X, Padua, Italy" ⇒ "Proceedings of X"."""
    pieces = text.split(", ")
    named = [i for i, piece in enumerate(pieces) if any(_fold(w) in VENUE for w in _WORD.findall(piece))]
    keep = named[-1] + 1 if named else 1
    while keep < len(pieces) and not (pieces[keep][:1].isupper() and len(pieces[keep].split()) <= 3):
        keep += 1
    return ", ".join(pieces[:keep])


def _tidy(text: str) -> str | None:
    text = " ".join(text.split()).strip(" ,;:“”\"'«»*_–—-").removesuffix(" in").strip(" ,(")
    if text.count("(") > text.count(")"):
        text = text.rpartition("(")[0].strip(" ,")
    text = text if text.endswith((".", ")")) and "." in text[:-1] else text.rstrip(".")
    return text if any(c.isalpha() for c in text) else None


def _fold(word: str) -> str:
    return unmark(word).casefold()
