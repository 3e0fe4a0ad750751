"""Works that lists and lines describe: a title in one line and people in the next, items among works.

In a list of which most items cite (`cited_spans.py`) every item does, whatever it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from citeproof.reading.extractors.prose.cited_spans import OTHER_THINGS, DescribedWork, find_cited_spans
from citeproof.reading.extractors.prose.entry_starts import has_leading_name
from citeproof.reading.extractors.prose.mention_reading import load_words
from citeproof.reading.extractors.prose.prose_mask import is_own_voice, mask_prose
from citeproof.reading.extractors.prose.text_lines import TextLine, split_lines
from citeproof.reading.extractors.prose.titles_and_people import find_people_named, split_people
from citeproof.reading.extractors.records.labelled_fields import build_claimed_fields
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text.span_set import SpanSet

_TITLE_WORDS = 3
_BARE_WORDS = 4  # of a title that no sign sets off

_YEAR = r"(?<![\d/.#-])(?P<year>(?:1[5-9]|20)\d\d)(?![\d/]|[.-]\d)[a-z]?"
_VENUE = r"(?P<venue>[^\Wa-z_\d][^()\[\]\n]{2,120}?)"
_MARKS = re.compile(
    r"[ \t]{0,16}(?:>[ \t]?){0,4}(?:(?:[-*+](?=[ \t])|[•◦▪●○►▶→⇒✓✔✦★☆·・–—#|/%;:]{1,6}"
    r"|[^\w\s\"“‘'(\[*_\\]{1,3}|\[[ xX✓]?\]"
    r"|\d{1,3}/(?=\s)|\(?(?:\d{1,3}|[a-hA-H]|[ivxIVX]{1,4})[.)\]:）、](?!\d)|\d{1,2}(?:\.\d{1,2}){1,3}\.?(?=\s)"
    r"|\[(?!(?:1[5-9]|20)\d\d\])(?P<label>\^?[\w-]{1,20})\]:?|[①-⑳⑴-⒇]"
    r"|[¹²³⁴-⁹]{1,2})[ \t]{0,4}(?![\w*]*[*][\s.])){0,4}"
)
_NUMBER = re.compile(r"[\s>#*_-]*(?:\[(\^?[\w-]{1,30})\]:?|\(?(\d{1,3})[.)）])\s")
_IDENTIFIER = re.compile(r"https?://\S+|10\.\d{4,9}/\S+")
_DRESS = re.compile(
    r"\[(?=[^\[\]\n]{8,300}\]\()|\]\([^()\s]{1,500}\)|\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`|\\(?:emph|textit|textbf|textsc)\{|\\newblock\b|(?:作者|著者|著)[:：]|(?<=\w)\}"
)
# Of a line of a change log, a letter, a credit of a film: none of a work.
_NO_WORK = re.compile(  # the same, and times, issues and versions, of a line without its identifiers
    rf"{OTHER_THINGS}|(?<!\w)@\w|\b\d\d:\d\d(?::\d\d|\s?(?:UTC|GMT|[AP]M|[+-]\d{{4}}))|\bCVE-|#\d{{2,}}|(?<![\d./])v?\d{{1,3}}\.\d{{1,3}}\.\d"
    r"|\s\+0[0-9]00\b|\b(?:[Vv]ersion|[Rr]elease) \d|\b[Rr]eleased (?:in|on)\b"
)


@dataclass(frozen=True, slots=True)
class _Line:
    line: TextLine
    start: int  # of what is behind the marks, in the text
    marked: bool
    label: str
    cites: bool  # it has a span that is judged to be a citation


def find_described_works(text: str) -> list[DescribedWork]:
    """Return the works that several lines of the text describe, and the items of lists of works."""
    spans = SpanSet((one.start, one.end) for one in find_cited_spans(mask_prose(text).prose))
    lines = [_read_line(line, spans) for line in split_lines(text) if line.text.strip()]
    kept = list(_find_titled_blocks(text, lines))
    blocks = SpanSet((one.start, one.end) for one in kept)
    for group in _group_lines(text, [one for one in lines if blocks.is_free(one.start, one.line.end)]):
        most = len(group) > 2 and 3 * sum(one.cites for one in group) >= 2 * len(group)
        rest = (_take_whole(one) for one in group if most and one.marked and not one.cites)
        kept += [one for one in rest if one is not None]
    return kept


def _group_lines(text: str, lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Yield the lines that are items of one list together, any other alone."""
    group: list[_Line] = []
    for one in lines:
        near = group and text[group[-1].line.end : one.line.start].count("\n") <= 2
        if group and not (near and one.marked and group[-1].marked and one.line.text.lstrip()[:1] != "#"):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _take_whole(one: _Line) -> DescribedWork | None:
    """Return an item among works as one of them, though nothing in it says so."""
    raw = one.line.text[one.start - one.line.start :].rstrip()
    words = raw.split()
    said = set(words) & load_words("verbs") or is_own_voice(raw) or raw.endswith((":", "?"))
    if said or "](" in raw or not _BARE_WORDS <= len(words) <= 60:
        return None
    return DescribedWork(one.start, one.start + len(raw), raw, None, one.label, sure=False)


def _read_line(line: TextLine, spans: SpanSet) -> _Line:
    marks = _MARKS.match(line.text)
    at = marks.end() if marks else 0
    number = _NUMBER.match(line.text)
    label = ((number[1] or number[2]) if number else "").removeprefix("^")
    marked = bool(line.text[:at].strip(" \t>")) and not line.text[at:].startswith("|")
    cites = not spans.is_free(line.start + at, line.end)
    return _Line(line, line.start + at, marked, label, cites)


# --- a title in one line, people and venue in the next -------------------------------------------------

_VENUE_LINE = re.compile(rf"(?:in\s)?{_VENUE}[,\s(]{{1,2}}(?:['’]\d\d|(?:1[5-9]|20)\d\d)\)?[.,\s]?.{{0,60}}$")
_LONGEST_LINE = 250


def _find_titled_blocks(text: str, lines: Sequence[_Line]) -> Iterator[DescribedWork]:
    """Yield the works of which a line has the title, and the next one or two the people and the venue."""
    used = -1
    for number, (head, below) in enumerate(pairwise(lines)):
        gap = text[head.line.end : below.line.start]
        raw = head.line.text[head.start - head.line.start :].rstrip(" \t")
        if number <= used or gap.count("\n") > 2 or len(raw) > _LONGEST_LINE or head.cites:
            continue
        words = raw.strip('*_#" “”').split()
        siblings = head.marked and below.marked and head.line.indent >= below.line.indent
        if (
            siblings
            or has_leading_name(raw)
            or _NO_WORK.search(_IDENTIFIER.sub("", f"{raw} {below.line.text}"))
        ):
            continue
        if not _TITLE_WORDS <= len(words) <= 30 or raw.rstrip("*_ ")[-1:] in ".:,;!" or is_own_voice(raw):
            continue
        last = _match_people_below(text, lines, number)
        if last is None:
            continue
        used = last
        end = lines[last].line.end
        end -= len(text[head.start : end]) - len(text[head.start : end].rstrip(" \t*_"))
        stated = {
            "title": re.sub(r"\s?\((?:1[5-9]|20)\d\d\)$", "", raw.strip('*_#" “”')),
            "authors": _find_people(_strip_marks(lines[number + 1])),
        }
        whole = " ".join(text[head.start : end].split())
        yield DescribedWork(
            head.start, end, whole, build_claimed_fields(stated, whole), head.label, sure=True
        )


def _strip_marks(one: _Line) -> str:
    """Return the words of a line without its marks."""
    return " ".join(_DRESS.sub("", one.line.text[one.start - one.line.start :]).split())


def _find_people(words: str) -> str:
    """Return the people whom a line begins with."""
    named = next(find_people_named(words.removeprefix("by "), weak=True), None)
    return named.words if named and named.start == 0 else ""


def _match_people_below(text: str, lines: Sequence[_Line], number: int) -> int | None:
    """Return the last line of a block that begins with a title; None if no people and year are below."""
    head, last = lines[number], number
    dated, several, people = bool(re.search(_YEAR, head.line.text)), False, False
    for at in range(number + 1, min(number + 5, len(lines))):
        one = lines[at]
        words = _strip_marks(one)
        apart = text[lines[at - 1].line.end : one.line.start].count("\n") > (2 if at == number + 1 else 1)
        if (
            apart
            or len(words) > _LONGEST_LINE
            or (at > number + 1 and one.marked and one.line.indent <= head.line.indent)
        ):
            break
        named = "" if people else _find_people(words)
        if len(named.split()) > 1:
            people, several = True, len(split_people(named)) > 1 or "et al" in words
        elif not people or not (re.search(_YEAR, words) or _VENUE_LINE.match(words) or ids.find_ids(words)):
            break
        dated = dated or bool(re.search(_YEAR, words) or _VENUE_LINE.match(words) or ids.find_ids(words))
        last = at
    headed = re.match(r"\s*(?:#|\*\*|\d{1,3}[.)]\s)", head.line.text) or last > number + 1
    return last if people and dated and (several or headed) else None
