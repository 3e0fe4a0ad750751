"""A citation that goes: with the brackets, separators and blanks that were only there for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from citeproof.answers.fix.formats.markdown.edited_leaf import EditedLeaf
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

_PAIRS = {"(": ")", "[": "]", "（": "）"}
_OPENING, _CLOSING = "([（", ")]）"
_STOPS = ".,;:!?"
_BLANKS = " \t"


def _load_word_table() -> dict[str, list[str]]:
    return load_package_table("citeproof.answers.fix.formats.markdown", "words.toml")


@cache
def _compile_joint() -> re.Pattern[str]:
    """Return what may be between two citations of one list."""
    words = "|".join(map(re.escape, _load_word_table()["join"]))
    return re.compile(rf"\s{{0,9}}[,;]?\s{{0,9}}(?:(?:{words})\s{{1,9}})?")


@cache
def _compile_lead() -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted(_load_word_table()["lead"], key=len, reverse=True)))
    return re.compile(rf"(?<=[(\[（])(?:{words})[ \t]{{0,9}}$", re.IGNORECASE)


@cache
def _compile_trailing() -> re.Pattern[str]:
    """Return a joining word, or a separator, that ends what comes before a citation."""
    words = "|".join(map(re.escape, _load_word_table()["join"]))
    return re.compile(rf"(?:[ \t]{{0,9}}[,;])?(?:[ \t]{{1,9}}(?:{words}))?[ \t]{{0,9}}$")


def group_runs(text: str, spans: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return the spans, those together between which nothing else would stay."""
    made: list[list[tuple[int, int]]] = []
    for span in sorted(spans):
        if made and _compile_joint().fullmatch(text, made[-1][-1][1], span[0]):
            made[-1].append(span)
        else:
            made.append([span])
    return made


def extend_cut(slate: EditedLeaf, start: int, end: int) -> tuple[int, int]:
    """Return all that goes with the citation from `start` to `end`."""
    start, end = _extend_to_wrapping(slate, start, end)
    start, end = _extend_to_separator(slate, start, end)
    return _extend_to_blank(slate, start, end)


def _extend_to_wrapping(slate: EditedLeaf, start: int, end: int) -> tuple[int, int]:
    """Return the span with the brackets, emphasis and links that would be empty without it."""
    text, leaf = slate.text, slate.leaf
    for _ in range(20):
        before = (start, end)
        for element in leaf.list_enclosing(start, end):
            low, high = element.inner
            if low >= 0 and not text[low:start].strip() and not text[end:high].strip():
                start, end = element.start, element.end
        low, high = _skip_blanks_back(text, start, leaf.start), _skip_blanks(text, end, leaf.end)
        led = _compile_lead().search(text, max(leaf.start, low - 40), low)
        low = led.start() if led else low
        paired = leaf.start < low and high < leaf.end and _PAIRS.get(text[low - 1]) == text[high]
        if paired and not _is_link(text, low - 1, high + 1):
            start, end = low - 1, high + 1
        if (start, end) == before:
            break
    return start, end


def _is_link(text: str, start: int, end: int) -> bool:
    """Return whether brackets belong to a link: [here](there), [here][there], (there) behind a bracket."""
    return text[end : end + 1] in ("(", "[") or (text[start] == "(" and text[start - 1 : start] == "]")


def _extend_to_separator(slate: EditedLeaf, start: int, end: int) -> tuple[int, int]:
    """Return the span with the comma or the word that joined it to its neighbours."""
    text, leaf = slate.text, slate.leaf
    after = text[_skip_blanks(text, end, leaf.end) : leaf.end][:1]
    opened = start > leaf.start and text[start - 1] in _OPENING
    if opened or not slate.keeps_words(leaf.start, start):
        joined = _compile_joint().match(text, end, leaf.end)
        end = joined.end() if joined and joined[0].strip() else end
        if not opened:  # the leaf begins with what followed: ". Then" or ": then"
            stops = end
            while stops < leaf.end and text[stops] in _STOPS:
                stops += 1
            end = _skip_blanks(text, stops, leaf.end) if stops > end else end
        return start, end
    if after == "." and slate.find_last_sign(start) in (".", "!", "?"):
        return start, _skip_blanks(text, end, leaf.end) + 1  # a citation that was a sentence of its own
    if not after or after in f"{_CLOSING}{_STOPS}":
        match = _compile_trailing().search(text, max(leaf.start, start - 40), start)
        if match and match[0].strip():
            start = match.start()
    return start, end


def _extend_to_blank(slate: EditedLeaf, start: int, end: int) -> tuple[int, int]:
    """Return the span with one blank next to it, or with the whole line where nothing else was on it."""
    text, leaf = slate.text, slate.leaf
    first = slate.line(start)[0]
    begins = not slate.keeps_words(first, start)
    ends = not slate.keeps_words(end, slate.line(end)[1])
    if begins and ends and not slate.cell:
        return _extend_to_line(slate, first, start, end)
    # emphasis neither begins nor ends with a blank
    inner = [element.inner for element in leaf.list_enclosing(start, end)]
    if begins or text[start - 1] in _OPENING or any(low == start for low, _ in inner):
        return start, _skip_blanks(text, end, leaf.end)
    if ends or text[end] in f"{_BLANKS}{_STOPS}{_CLOSING}" or any(high == end for _, high in inner):
        return max(first, _skip_blanks_back(text, start, first)), end
    return start, end


def _extend_to_line(slate: EditedLeaf, first: int, start: int, end: int) -> tuple[int, int]:
    """Return the span with the end of the line that it leaves empty."""
    text, leaf = slate.text, slate.leaf
    after = text.find("\n", end, leaf.end)
    if first > leaf.start and slate.keeps_words(leaf.start, start):
        before = text.rfind("\n", leaf.start, start)
        before -= text[before - 1] == "\r"
        bare = slate.line(before)[1]
        if not text[bare:before].strip():
            return before, end
        if after < 0 or text[end:after].strip():  # a backslash breaks the line before: it goes, or ours does
            return bare, end
        return first, slate.line(after + 1)[0]
    if after < 0:
        return start, _skip_blanks(text, end, leaf.end)
    return start, slate.line(after + 1)[0]


def _skip_blanks(text: str, at: int, most: int) -> int:
    while at < most and text[at] in _BLANKS:
        at += 1
    return at


def _skip_blanks_back(text: str, at: int, least: int) -> int:
    while at > least and text[at - 1] in _BLANKS:
        at -= 1
    return at
