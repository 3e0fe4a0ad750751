"""What stands beyond doubt where a style marks it: GB/T 7714 says `[J]`, `[M]` behind every title."""

from __future__ import annotations

import re
from dataclasses import replace

from citeproof.parse.label_stretches import Stretch
from citeproof.parse.name_run import NameRun

SURE = 0.9

Found = dict[str, Stretch]

_MARK = re.compile(
    r"\s?[\[［](?:[JMCDNRPSAZGK]|EB|DB|DS|CP|CM)(?:/(?:OL|CD|DK))?[\]］](?=\s?(?:[.．。,，:：;；/(（]|$))"
)
_EDGE = " .,:;．。，：、"
_CUT = re.compile(r"(?:,\s?et al\.?|[,，]?\s?等)[.．]?\s?|[.．]\s?")
_NAMES = re.compile(
    r"[^\W\d_][\w'’-]{1,30}(?:\s[^\W\d_a-z]){1,4}(?:,\s[^\W\d_][\w'’-]{1,30}(?:\s[^\W\d_a-z]){1,4}){0,60}(?=\.\s)"
)
# Behind the names in author-year lists
_YEAR = re.compile(r"(?:,\s?et al\.?|[,，]?\s?等)?[.,，]{1,2}\s?(?:1[5-9]|20)\d\d[a-z]?[.．]\s?")
_VENUE = re.compile(r"[\s.．。/]{1,4}([^\d,，.．:：][^,，:：]{1,120}?)\s?[,，]\s?(?=\d{4})")
_WORD_BEHIND = re.compile(r"(.{4,80}\b[^\W\d_a-z]\.) ([^\W\d_a-z][^\W\d_]{3,30})")
_HOUSE = re.compile(r"\s?[:：]\s?([^,，:：.]{2,60}?)\s?[,，]\s?(?=\d{4})")
_ISSUE = re.compile(r"\s?\((?!(?:1[6-9]|20)\d\d\))(\d{1,4}(?:[-–/]\d{1,4})?)\)")


def apply_style_marks(text: str, found: Found, run: NameRun) -> Found:
    """Return the stretches with the title before the mark, the journal behind it, an issue in brackets."""
    found = _find_publisher(text, _split_title_word(text, _find_issue(text, found)))
    mark = _MARK.search(text) if "[" in text or "［" in text else None
    if mark is None:
        return found
    names = found.get("author")
    if names:  # "Shannon C E. A Mathematical …" is no name
        listed = _NAMES.match(text, names.start, names.end)
        end = listed.end() if listed else run.end if run.sure else names.end
        if names.start < end < names.end and not _CUT.fullmatch(text, end, names.end):
            found = found | {"author": replace(names, end=end)}
    start = _find_title_start(text, found, mark.start())
    title = Stretch(start, mark.start(), SURE, ruled=True)
    if not text[start : mark.start()].strip(_EDGE):
        return found
    kept = {name: s for name, s in found.items() if s.end <= start or s.start >= mark.end()}
    if "author" not in kept and (names := found.get("author")):
        kept["author"] = replace(names, end=min(names.end, start))
    if "J" in mark[0] and "container" not in kept and (venue := _VENUE.match(text, mark.end())):
        kept["container"] = Stretch(*venue.span(1), SURE, ruled=True)
    return kept | {"title": title}


def has_type_mark(text: str) -> bool:
    """Return whether an entry says by a mark such as `[J]` that it is in the style GB/T 7714."""
    return ("[" in text or "［" in text) and _MARK.search(text) is not None


def _find_title_start(text: str, found: Found, end: int) -> int:
    """Return where the title before `end` begins: behind the names and what cuts their list."""
    at = min(found["author"].end, end) if "author" in found else 0
    cut = (_YEAR.match(text, at) if at else None) or _CUT.match(text, at)
    cut = cut or (_CUT.search(text, at, end) if not at else None)
    at = cut.end() if cut and cut.end() < end else at
    return at + len(text[at:end]) - len(text[at:end].lstrip(_EDGE))


def _find_issue(text: str, found: Found) -> Found:
    """Return the stretches with the issue that is in brackets right behind the volume: "9(8)"."""
    volume = found.get("volume")
    match = _ISSUE.match(text, volume.end) if volume and "issue" not in found else None
    return found | {"issue": Stretch(*match.span(1), SURE, ruled=True)} if match else found


def _split_title_word(text: str, found: Found) -> Found:
    """Return the stretches with a title of one word parted from initials: "Said, Edward W. Orientalism"."""
    names = found.get("author")
    if names is None or "title" in found or "container" in found or "publisher" not in found:
        return found
    match = _WORD_BEHIND.fullmatch(text[names.start : names.end])
    if match is None:
        return found
    start = names.start + match.start(2)
    title = Stretch(start, names.end, names.confidence, ruled=True)
    return found | {"author": replace(names, end=names.start + match.end(1)), "title": title}


def _find_publisher(text: str, found: Found) -> Found:
    """Return the stretches with the publisher between its place and the year: "서울: 일조각, 1981"."""
    place = found.get("location")
    match = _HOUSE.match(text, place.end) if place and "publisher" not in found else None
    if match is None or any(s.start < match.end(1) and match.start(1) < s.end for s in found.values()):
        return found
    return found | {"publisher": Stretch(*match.span(1), SURE, ruled=True)}
