"""Author-year citations: `(Smith et al., 2020; Doe, 2018)`, `Smith and Jones (2019)`, `Smith's (2020)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from citeproof.corpus.corpus_types import CitationMark, Pattern, Span
from citeproof.corpus.page.family_names import NamesBeforeYear, find_names
from citeproof.corpus.page.prose import WALL, Prose
from citeproof.corpus.page.word_lists import load_words

_REACH = 160  # characters before a year in which its names stand
_AHEAD = 120  # characters behind a year in which its bracket closes

_YEAR = re.compile(r"(1[5-9]\d\d|20\d\d)([a-z])?(?![\w%])(?!\.\d)(?![-–/]\d)")
_GLUE = frozenset("_-/.–$#@=:")
_AGAIN = re.compile(r"\s?(?:[,;&]|,?\s?and)\s?")
_PAGES = re.compile(  # and whatever else is said of a place in the work or of its date
    r"\s?(?:[,:]\s?(?:(?:pp?\.|pages?|ch\.|chap\.|chapter|sec\.|section|fig\.|figure|table|s\.|§)\s?[\w.–-]{1,12}"
    r"|(?!(?:1[5-9]|20)\d\d)\d[\d–-]{0,12}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,7}\.?(?:\s\d{1,2})?)\s?){0,3}",
    re.IGNORECASE,
)
_ORGANISATION = re.compile(r"\s{0,3}(?:(?:of|for|the|and|on|de)\s|[^\W\d_a-z][^\W\d_]*+[\s-]){1,8}")
_INITIAL = re.compile(r"\b[^\W\d_a-z]\.")
_LEAD = re.compile(r"[^\W\d_]+")


def find_author_years(prose: Prose) -> Iterator[CitationMark]:
    """Yield a mark for each author and year."""
    scan = prose.scan
    last: CitationMark | None = None
    for match in _YEAR.finditer(scan):
        start = match.start()
        before = scan[start - 1 : start]
        if before.isalnum() or before in _GLUE:
            continue
        mark = _make_repeated_mark(prose, match, last) or _make_author_mark(prose, match)
        if mark:
            last = mark
            yield mark


def _make_repeated_mark(prose: Prose, match: re.Match[str], last: CitationMark | None) -> CitationMark | None:
    """Return a further year of the names before: "Smith (2019, 2020)"."""
    start, end = match.span()
    if last is None or start - last.span.end > 9 or not _AGAIN.fullmatch(prose.scan, last.span.end, start):
        return None
    if not prose.scan[last.span.end - 1].isalnum():
        return None  # the brackets were closed
    return replace(
        last, raw=prose.text[start:end], span=Span(start, end), whole=Span(start, end), year=int(match[1])
    )


def _make_author_mark(prose: Prose, match: re.Match[str]) -> CitationMark | None:
    low = max(0, match.start() - _REACH)
    window = prose.scan[low : match.start()]
    low, window = low + window.rfind(WALL) + 1, window[window.rfind(WALL) + 1 :]
    found = find_names(window)
    if found is None:
        return None
    opened = _find_open_bracket(window, found.start)
    if not _has_citation_form(window, found, opened):
        return None
    if opened >= 0 and len(found.names) == 1 and not found.narrative and not found.et_al:
        found = _extend_organisation(window, found, opened)
    joined = len(found.names) > (1 if opened >= 0 and not found.narrative else 2)  # "Berlin and Paris (2020)"
    joined = joined or (len(found.names) > 1 and _INITIAL.search(window, found.start) is not None)
    sure = found.et_al or (joined and not any(name.isupper() for name in found.names))
    start = low + found.start
    end = _find_citation_end(prose.scan, match.end()) if found.narrative else match.end()
    enclosed = -1 if found.narrative or opened < 0 else low + opened
    whole = _find_whole_span(prose, start, end, enclosed)
    return CitationMark(
        Pattern.AUTHOR_YEAR,
        prose.text[start:end],
        Span(start, end),
        found.names[0],
        0,
        whole,
        names=found.names,
        year=int(match[1]),
        et_al=found.et_al,
        sure=sure,
    )


def _find_open_bracket(window: str, at: int) -> int:
    """Return where the bracket was opened that is still open at `at`; -1 if none is."""
    opened = max(window.rfind("(", 0, at), window.rfind("[", 0, at))
    return opened if opened > max(window.rfind(")", 0, at), window.rfind("]", 0, at)) else -1


def _has_citation_form(window: str, found: NamesBeforeYear, opened: int) -> bool:
    """Return whether names and year stand as a citation does, and not as "in Berlin, 2020" does."""
    if found.narrative or found.et_al:
        return True
    if len(found.names) > 1 and (found.comma or opened >= 0):
        return True
    return opened >= 0 and _is_lead_in(window[_find_segment_start(window, opened, found.start) : found.start])


def _is_lead_in(lead: str) -> bool:
    """Return whether nothing but "see also" and the words of an organisation's name come before a name."""
    lead = re.sub(r"\.(?=[a-z])", "", lead)
    said = [word for word in _LEAD.findall(lead) if word.islower()]
    return len(said) <= 5 and all(word in load_words("leads") or word in ("of", "the") for word in said)


def _find_segment_start(window: str, opened: int, at: int) -> int:
    return max(opened, window.rfind(";", 0, at)) + 1


def _extend_organisation(window: str, found: NamesBeforeYear, opened: int) -> NamesBeforeYear:
    """Return the names with the words before a single one: "(World Health Organization, 2020)"."""
    first = _find_segment_start(window, opened, found.start)
    if not _ORGANISATION.fullmatch(window, first, found.start):
        return found
    first += len(window[first:]) - len(window[first:].lstrip())
    family = " ".join([*window[first : found.start].split(), found.names[0]])
    return NamesBeforeYear((family,), first, found.et_al, found.narrative, found.comma)


def _find_citation_end(scan: str, end: int) -> int:
    """Return where "Smith (2020, p. 4)" ends whose year ends at `end`."""
    pages = _PAGES.match(scan, end, end + _AHEAD)
    close = pages.end() if pages else end
    return close + 1 if scan[close : close + 1] in (")", "]") else end


def _find_whole_span(prose: Prose, start: int, end: int, opened: int) -> Span:
    """Return what goes with a citation in brackets: them if it is alone there, else its part of the list."""
    alone = prose.find_surroundings(start, end, paged=False)
    if opened < 0 or alone != Span(start, end):
        return alone
    pages = _PAGES.match(prose.scan, end, end + _AHEAD)
    last = pages.end() if pages else end
    inside = prose.scan[opened + 1 : start]
    if prose.scan[last : last + 1] in (")", "]") and ";" not in inside and _is_lead_in(inside):
        return prose.find_surroundings(opened, last + 1, paged=False)
    before = inside.rpartition(";")
    if before[1] and _is_lead_in(before[2]):
        return Span(opened + 1 + len(before[0]), last)
    return Span(start, max(end, last) if prose.scan[last : last + 1] == ";" else end)
