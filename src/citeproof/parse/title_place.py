"""What was taken for a title and is none, told by its place: the venue behind "in", an identifier, a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from citeproof.parse.label_stretches import Stretch
from citeproof.parse.name_run import NameRun
from citeproof.text.frequent_names import is_given_name
from citeproof.text.venue_name import parse_venue

Found = dict[str, Stretch]

_RULED = 0.8
_IN = re.compile(r"[\s,.;:]{0,4}[Ii]n:?\s[“\"]?")
_PAGES_OF = re.compile(
    r"[\s,.:]{0,4}(?:(?:1[5-9]|20)\d\d[a-z]?[.,:]\s)?([^.]{8,300})\.\sPages?\s[\d–-]{1,15}\sof:?\s"
)
_IN_BEHIND_YEAR = re.compile(r"[\s,.;:]{0,4}(?:\(?(?:1[5-9]|20)\d\d[a-z]?\)?[\s,.:]{0,3})?[Ii]n:?\s[“‘\"]?")
_IN_CAPITAL = re.compile(r"[\s.;:]{0,4}(?:\(?(?:1[5-9]|20)\d\d[a-z]?\)?[\s.:]{0,3})?(?P<first>In\s)")
_IN_FIRST = re.compile(r"In:?\s(?=[^\W\d_a-z])")
_PROCEEDINGS = re.compile(
    r"(?:the\s)?(?:Proc(?:\.|eedings\b)|Advances in|Workshop"
    r"|\d{1,4}(?:st|nd|rd|th)\s(?:[A-Z]{2,9}\b|Annual|Conf|Int|Symp|Work|Meet|European|World))"
)
_EDITED = re.compile(
    r"[(,]\s?eds?\.|\beds\.|\bedited by|\beditors?\b|\bhrsg\.", re.IGNORECASE
)  # not "2nd ed."
_PART_OF_BOOK = re.compile(r";|\bpp?\.?\s?\d|\bpages?\b|\bvol\b|\bchap", re.IGNORECASE)
_CHAPTER = re.compile(r"; [^;]{3,80}; pp?\s?\d")  # chemists: "In Handbook; Springer: Berlin, 1978; pp 1-7"
_INITIALS = re.compile(r"[^\W\d_]\.")
_INITIAL_BEFORE = re.compile(r"(?<![^\W\d_])[^\W\d_]\.\s?\Z")
_QUOTATION = re.compile(r"[\s,.:;()\d]{0,12}“([^“”]{4,300})”")


def settle_title(text: str, found: Found, run: NameRun, ids: Sequence[tuple[str, int, int]]) -> Found:
    """Return the stretches with a title that is one, or with none; `ids` are where identifiers are."""
    if (told := _take_sentence_before_pages(text, found)) is not None:
        return told
    title = found.get("title")
    if title is None:
        return _take_sentence_with_in(text, found) or found
    if any(start <= title.start and title.end <= end + 1 for _, start, end in ids):
        return {name: one for name, one in found.items() if name != "title"}
    return (
        _take_first_quotation(text, found, title)
        or _give_name_back(text, found, title, run)
        or _move_to_venue(text, found, title)
        or found
    )


def _take_sentence_with_in(text: str, found: Found) -> Found | None:
    """Return "Kandel, E. In Search of Memory. 2006." with a title: what is behind "In" is no venue."""
    names, venue = found.get("author"), found.get("container")
    begin = _IN_CAPITAL.fullmatch(text, names.end, venue.start) if names and venue else None
    if (
        begin is None
        or venue is None
        or _PROCEEDINGS.match(text, venue.start)
        or _EDITED.search(text, venue.end)
    ):
        return None
    if parse_venue(text[venue.start : venue.end]).kind or _PART_OF_BOOK.search(text, venue.end):
        return None
    kept = {name: one for name, one in found.items() if name != "container"}
    return kept | {"title": replace(venue, start=begin.start("first"), ruled=True)}


def _take_first_quotation(text: str, found: Found, title: Stretch) -> Found | None:
    """Return “Deep residual learning,” in “Proceedings of …” with the first as its title."""
    names = found.get("author")
    first = _QUOTATION.match(text, names.end) if names else None
    if first is None or title.start < first.end() or _IN.fullmatch(text[first.end() : title.start]) is None:
        return None
    venue = {} if "container" in found else {"container": title}
    return found | venue | {"title": Stretch(*first.span(1), _RULED, ruled=True)}


def _take_sentence_before_pages(text: str, found: Found) -> Found | None:
    """Return "Deep residual learning. Pages 770–778 of: Proceedings of …" with the first as its title."""
    names, venue = found.get("author"), found.get("container") or found.get("title")
    if names is None or venue is None or " of" not in text[venue.start - 6 : venue.start]:
        return None
    before = _PAGES_OF.fullmatch(text, names.end, venue.start)
    if before is None:
        return None
    return found | {"container": venue, "title": Stretch(*before.span(1), _RULED, ruled=True)}


def _give_name_back(text: str, found: Found, title: Stretch, run: NameRun) -> Found | None:
    """Return "Claude E. Shannon: A Mathematical Theory" with the whole name as its author."""
    names = found.get("author")
    if names is None or not names.start < title.start < run.end < title.end or text[run.end] != ":":
        return None
    before = text[names.start : title.start]
    given_first = _INITIALS.match(before) or is_given_name(before.partition(" ")[0])
    if not given_first or _INITIAL_BEFORE.search(before) is None:  # "J. Ba. Adam: …", "Pearl J. Causality: …"
        return None
    rest = text[run.end : title.end]
    start = title.end - len(rest.lstrip(": "))
    return found | {
        "author": Stretch(names.start, run.end, _RULED, ruled=True),
        "title": replace(title, start=start),
    }


def _move_to_venue(text: str, found: Found, title: Stretch) -> Found | None:
    """Return "J. Sun, in Proceedings of … (IEEE, 2016)" without a title: physicists print none."""
    names = found.get("author")
    if names is None or names.end > title.start:
        return None
    words = text[title.start : title.end]
    between, inside = _IN_BEHIND_YEAR.fullmatch(text, names.end, title.start), _IN_FIRST.match(words)
    if between is None and inside is None:
        return None
    begin = title.start + (inside.end() if inside else 0)
    small = between is not None and " in" in between[0]
    if "container" in found and not (small and _PROCEEDINGS.match(text, begin)):
        return None
    told = (
        _PROCEEDINGS.match(text, begin) or _EDITED.search(text, title.end) or _CHAPTER.match(text, title.end)
    )
    if not (small or told):
        return None  # "In Search of Memory" is a title
    kept = {name: one for name, one in found.items() if name != "title"}
    return kept | {"container": replace(title, start=begin)}
