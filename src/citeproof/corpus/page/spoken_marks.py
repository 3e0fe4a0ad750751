"""Citations that are a part of speech: "according to REF-001", "REF-001 shows"; the sentence needs them."""

from __future__ import annotations

import re

from citeproof.corpus.corpus_types import CitationMark, Pattern
from citeproof.corpus.page.prose import WALL, Prose
from citeproof.corpus.page.word_lists import load_words

_REMOVED = frozenset((Pattern.MENTION, Pattern.REF, Pattern.DOI))  # the others never are
_NEAR = 1_000  # characters in which the word next to a citation stands: a comment may be between them
_REACH = 300  # characters in which a bracket around it was opened
_WORD = 40  # characters in which a word ends
_BLANKS = " \t\r\n*_"
_BEFORE = re.compile(r"([^\W\d_]{1,30})\.?\Z")
_BEHIND = re.compile(r"(?:['’]s)?[\s*_]{1,1000}([^\W\d_]{1,30})(?![\w@:/.-]{0,40}[@:/])")
_OPENING, _CLOSING = "([", ")]"


def is_spoken(prose: Prose, mark: CitationMark) -> bool:
    """Return whether a citation is a part of speech."""
    if mark.pattern not in _REMOVED or mark.kept is not None:
        return False
    start, end = mark.whole.start, mark.whole.end
    if prose.text[start] in _OPENING and prose.text[end - 1] in _CLOSING:
        return False
    return _has_word_beside(prose.scan, start, end) and not _is_enclosed(prose.scan, start)


def _has_word_beside(scan: str, start: int, end: int) -> bool:
    """Return whether a word that needs the citation stands directly before or behind it."""
    low = max(0, start - _NEAR)
    before = scan[max(low, scan.rfind(WALL, low, start) + 1) : start]
    said = before.rstrip(_BLANKS)
    word = _BEFORE.search(said, max(0, len(said) - _WORD)) if said != before else None
    if word and word[1].lower() in load_words("spoken_before"):
        return True
    behind = _BEHIND.match(scan, end, end + _NEAR)
    if behind is None or not behind[1].islower():
        return False
    begins = not said or said[-1] in ".!?:"
    return behind[1] in load_words("spoken_behind") or (
        begins and behind[1] not in load_words("spoken_before")
    )


def _is_enclosed(scan: str, start: int) -> bool:
    """Return whether a bracket is open before a citation."""
    low = max(0, start - _REACH)
    before = scan[max(low, scan.rfind(WALL, low, start) + 1) : start]
    opened = max(before.rfind(sign) for sign in _OPENING)
    return opened > max(before.rfind(sign) for sign in _CLOSING)
