"""Author-year citations: `(Smith et al., 2020; Doe, 2018)`, `Smith and Jones (2019)`, `Smith's (2020)`."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.corpus.corpus_types import CitationMark, Pattern, Span
from citeproof.corpus.page.prose import Prose, load_words
from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention, find_mentions
from citeproof.text import lazy_patterns as re

_REACH = 160  # characters before a citation in which its bracket opens
_AHEAD = 120  # characters behind a year in which its bracket closes

_PAGES = re.compile(  # and whatever else is said of a place in the work or of its date
    r"\s?(?:[,:]\s?(?:(?:pp?\.|pages?|ch\.|chap\.|chapter|sec\.|section|fig\.|figure|table|s\.|§)\s?[\w.–-]{1,12}"
    r"|(?!(?:1[5-9]|20)\d\d)\d[\d–-]{0,12}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,7}\.?(?:\s\d{1,2})?)\s?){0,3}",
    re.IGNORECASE,
)
_LEAD = re.compile(r"[^\W\d_]+")


def find_author_years(prose: Prose) -> Iterator[CitationMark]:
    """Yield a mark for each author and year that are cited."""
    for mention in find_mentions(prose.scan):
        if mention.sure:
            yield _make_mark(prose, mention)


def _make_mark(prose: Prose, mention: AuthorYearMention) -> CitationMark:
    scan, start = prose.scan, mention.start
    year = re.compile(rf"{mention.year}[a-z]?").search(scan, start, mention.end)
    end = year.end() if year else mention.end
    narrative = year is not None and scan[: year.start()].rstrip()[-1:] in ("(", "[") and year.start() > start
    window = scan[max(0, start - _REACH) : start]
    opened = _find_open_bracket(window, len(window))
    names = _list_family_names(mention, enclosed=opened >= 0 and not narrative)
    joined = len(names) > (1 if opened >= 0 and not narrative else 2)  # "Berlin and Paris (2020)"
    joined = joined or (len(names) > 1 and any("." in name.given for name in mention.names))
    sure = mention.et_al or (joined and not any(name.isupper() for name in names))
    end = _find_citation_end(scan, end) if narrative else end
    enclosed = -1 if narrative or opened < 0 else max(0, start - _REACH) + opened
    return CitationMark(
        Pattern.AUTHOR_YEAR,
        prose.text[start:end],
        Span(start, end),
        names[0],
        0,
        _find_whole_span(prose, start, end, enclosed),
        names=names,
        year=mention.year,
        et_al=mention.et_al,
        sure=sure,
    )


def _list_family_names(mention: AuthorYearMention, *, enclosed: bool) -> tuple[str, ...]:
    """Return the names by which works are looked up; an institution's is all of it."""
    [first, *others] = mention.names
    if enclosed and not others and not mention.et_al and first.given and "." not in first.given:
        return (first.display,)
    return tuple(name.family for name in mention.names)


def _find_open_bracket(window: str, at: int) -> int:
    """Return where the bracket was opened that is still open at `at`; -1 if none is."""
    opened = max(window.rfind("(", 0, at), window.rfind("[", 0, at))
    return opened if opened > max(window.rfind(")", 0, at), window.rfind("]", 0, at)) else -1


def _is_lead_in(lead: str) -> bool:
    """Return whether nothing but "see also" and the words of an organisation's name come before a name."""
    lead = re.sub(r"\.(?=[a-z])", "", lead)
    said = [word for word in _LEAD.findall(lead) if word.islower()]
    return len(said) <= 5 and all(word in load_words("leads") or word in ("of", "the") for word in said)


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
