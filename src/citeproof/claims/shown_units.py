"""What is shown of a text in place of its citations; every other character stays as it was.

A unit is what is replaced at once: a citation, or a pair of brackets with nothing but citations in it. With
`Removal.REMOVE` a unit has also what would be left over: the space before it, the quotation marks around it,
the label of an entry with its line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citeproof.claims.text_citations import TextCitation
from citeproof.text import lazy_patterns as re

MARK = "[citation not verified]"
_SEPARATOR = re.compile(r"[\s,;&]*(?:(?:and|und|et|y|e)\s+)?")
_PAIRS = {"(": ")", "[": "]", "（": "）"}
_QUOTES = {"*": "*", "_": "_", '"': '"', "“": "”", "‘": "’", "«": "»", "<": ">", "`": "`"}
_LABEL_ALONE = re.compile(r"[\s>]*(?:[-*+•]\s+)?\(?(?:\d{1,3}[.)]\s*)?(?:\[\^?[^\[\]\s]{1,30}\]:?\s*)?[\s.]*")


class Removal(StrEnum):
    """What becomes of a citation that was not verified."""

    BRACKET = "bracket"  # replaced by a mark
    REMOVE = "remove"  # taken out
    KEEP = "keep"  # left, for a caller who looks at `citations`


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A stretch of a text that is shown or replaced as a whole, with its citations in order."""

    text: str
    start: int  # in the segment
    end: int
    citations: tuple[TextCitation, ...]

    def show_pending(self, number: int) -> str:
        """Return the neutral mark that stands for it while it is not decided."""
        behind = "\n" if self.text.endswith("\n") else ""
        return f"{self.text[: len(self.text) - len(self.text.lstrip())]}[checking {number}]{behind}"

    def show(
        self, removal: Removal, unverified: Collection[TextCitation], written: Mapping[tuple[int, int], str]
    ) -> str:
        """Return it as it may be shown; `written`: what a citation is rewritten to, by its span."""
        if removal is Removal.KEEP or not (unverified or any(written.values())):
            return self.text
        if removal is Removal.REMOVE and len(unverified) == len(self.citations):
            return ""
        parts, at = [], 0
        for number, one in enumerate(self.citations):
            start, end = one.start - self.start, one.end - self.start
            parts += [self.text[at:start], written.get(one.span) or self.text[start:end]]
            at = end
            if one in unverified and removal is Removal.BRACKET:
                parts[-1] = MARK
            elif one in unverified:  # with the separator behind it, or of the last one that before it
                parts[-1] = ""
                last = number + 1 == len(self.citations)
                at = end if last else self.citations[number + 1].start - self.start
                parts[-2] = "" if last else parts[-2]
        return "".join([*parts, self.text[at:]])


def divide_units(
    text: str, citations: Sequence[TextCitation], removal: Removal, *, on_line: bool
) -> Iterator[TextUnit]:
    """Yield the units of a segment in order; `citations` do not overlap. `on_line`: it begins a line."""
    at, number = 0, 0
    while number < len(citations):
        run = _find_run(text, citations, number)
        start, end = _find_brackets(text, run) or (citations[number].start, citations[number].end)
        if (start, end) == (citations[number].start, citations[number].end):
            run = run[:1]
        if removal is Removal.REMOVE:
            start, end = _widen_span(text, start, end, at, on_line=on_line)
        following = citations[number + len(run)].start if number + len(run) < len(citations) else len(text)
        start, end = max(start, at), min(end, max(following, run[-1].end))
        yield TextUnit(text[start:end], start, end, run)
        at, number = end, number + len(run)


def _find_run(text: str, citations: Sequence[TextCitation], number: int) -> tuple[TextCitation, ...]:
    """Return the citations from one on that only separators part."""
    last = number
    while last + 1 < len(citations):
        if not _SEPARATOR.fullmatch(text, citations[last].end, citations[last + 1].start):
            break
        last += 1
    return tuple(citations[number : last + 1])


def _find_brackets(text: str, run: Sequence[TextCitation]) -> tuple[int, int] | None:
    """Return where brackets begin and end that have nothing in them but the citations."""
    start, end = run[0].start - 1, run[-1].end
    while start >= 0 and text[start].isspace():
        start -= 1
    while end < len(text) and text[end].isspace():
        end += 1
    if start < 0 or end >= len(text) or _PAIRS.get(text[start]) != text[end]:
        return None
    return start, end + 1


def _widen_span(text: str, start: int, end: int, at: int, *, on_line: bool) -> tuple[int, int]:
    """Return a span with what nobody would miss if it is taken out."""
    while start > at and end < len(text) and _QUOTES.get(text[start - 1]) == text[end]:
        start, end = start - 1, end + 1
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(start, end - 1)) + 1 or len(text)
    alone = (on_line or first) and first >= at and "|" not in text[first:last]
    if alone and _LABEL_ALONE.fullmatch(text[first:start] + text[end:last]):
        return first, last
    if end == len(text) or text[end] in " \t\n.,;:!?)]":
        while start > at and text[start - 1] in " \t":
            start -= 1
    return start, end
