"""Pasted lines without what belongs to no entry: quote marks, page numbers, running heads, small talk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.prose.prose_mask import is_own_voice
from citeproof.reading.extractors.prose.text_lines import TextLine
from citeproof.text import lazy_patterns as re

_QUOTE = re.compile(r"[ \t]{0,3}(?!>>> [a-z])(?:>[ \t]?){1,9}")  # not Python's ">>> import"
_QUOTED_SHARE = 0.6  # of the filled lines must be quoted before the marks are taken for an e-mail's
_PAGE = re.compile(
    r"(?:[-–—|]\s?)?(?:page\s|p\.\s?|seite\s)?\d{1,4}(?:\s?(?:/|of|von)\s?\d{1,4})?(?:\s?[-–—|])?",
    re.IGNORECASE,
)
_REPEATED = 3  # times a short line must be in a document before it is a running head
_LONGEST_HEAD = 90
_ENTRY_LIKE = re.compile(
    r"\s{0,12}(?:\[\d{1,4}\]|\(\d{1,4}\)|\d{1,4}[.)]\s|[-*•]\s)|.*\b(?:1[5-9]|20)\d\d[a-z]?\)?[.:,]"
)
_ENDS = re.compile(r"[.)\]]\s{0,3}$|\d\s{0,3}$|https?://\S{1,300}$")
# What a reference has besides its year, and "up to July 2024" has not.
_LOCATED = re.compile(
    r"\((?:1[5-9]|20)\d\d|\d\s?[:(]\s?\d|\b(?i:vol|pp?|no)\.|[“\"]\w|\b\d{1,3}\s[A-Z]|\b(?i:doi)\b|https?:"
    r"|^[^\W\d_]{1,30}\s[A-Z]{1,3}\b"
)


def remove_line_furniture(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines without furniture; an entry that a page break cut in two is one again."""
    lines = _strip_quote_marks(lines)
    gone = _find_furniture(lines)
    if not gone:
        return lines
    kept: list[TextLine] = []
    index = 0
    while index < len(lines):
        if index not in gone:
            kept.append(lines[index])
            index += 1
            continue
        while kept and kept[-1].blank:
            kept.pop()
        first = index
        while index < len(lines) and (index in gone or lines[index].blank):
            index += 1
        if kept and index < len(lines) and _ENDS.search(kept[-1].text[-320:]):
            kept.append(replace(lines[first], text=""))  # the entry ended with the page
    return kept


def blank_small_talk(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines of a list without the paragraphs in which someone speaks: "Hope this helps!"."""
    kept: list[TextLine] = []
    speaks = False
    for index, line in enumerate(lines):
        if line.blank:
            speaks = False
        elif not index or lines[index - 1].blank or lines[index - 1].text.rstrip()[-1:] in ".!?:)":
            reference = is_likely_reference(line.text) and _LOCATED.search(line.text)
            speaks = is_own_voice(line.text) and not reference
        kept.append(replace(line, text="") if speaks else line)
    return kept


def strip_quote_mark(line: TextLine) -> TextLine:
    """Return a line of a quotation, "> 1. Doe, J. …", without its marks."""
    match = _QUOTE.match(line.text)
    return TextLine(line.text[match.end() :], line.start + match.end(), line.end) if match else line


def _strip_quote_marks(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines of a quoted e-mail without their marks, form feeds taken off."""
    filled = [line for line in lines if not line.blank]
    quoted = sum(bool(_QUOTE.match(line.text)) for line in filled)
    marks = 2 < quoted >= _QUOTED_SHARE * len(filled)
    return [_strip_form_feed(strip_quote_mark(line) if marks else line) for line in lines]


def _strip_form_feed(line: TextLine) -> TextLine:
    fed = len(line.text) - len(line.text.lstrip("\f"))
    return replace(line, text=line.text[fed:].replace("\f", " "), start=line.start + fed)


def _find_furniture(lines: Sequence[TextLine]) -> set[int]:
    """Return which lines are page numbers or running heads."""
    forms = [_generalise_line(line) for line in lines]
    counts = Counter(form for form in forms if form)
    heads = {form for form, times in counts.items() if times >= _REPEATED}
    gone = {index for index, form in enumerate(forms) if form in heads}
    for index, line in enumerate(lines):
        if not line.blank and _PAGE.fullmatch(line.text.strip()[:40]) and _is_alone(lines, index, gone):
            gone.add(index)
    return gone


def _generalise_line(line: TextLine) -> str:
    """Return a short line with its numbers taken out, as running heads repeat it; else nothing."""
    words = line.text.strip()
    if not 3 < len(words) <= _LONGEST_HEAD or _ENTRY_LIKE.match(words):
        return ""
    form = re.sub(r"\d{1,9}", "#", words).lower()
    return form if sum(sign.isalpha() for sign in form) > 3 else ""


def _is_alone(lines: Sequence[TextLine], index: int, gone: set[int]) -> bool:
    """Return whether a number is alone: a blank line, a head or the edge next to it."""

    def nothing(at: int) -> bool:
        return not 0 <= at < len(lines) or lines[at].blank or at in gone

    return nothing(index - 1) or nothing(index + 1)
