"""Whether a source has the quoted words: word for word, whatever the typesetting made of them.

Blanks and dashes are left out of both texts before they are compared, so that lines broken and words
hyphenated in the source do no harm; everything else must agree. Words in [brackets] may represent anything
short, and what an ellipsis leaves out may be a page or two long.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from citeproof.text.unicode import show_one_line

MOST = 5_000  # characters of a quotation that are examined
_SHOWN = 200  # characters of a passage that are shown
_INSERTED = 60  # characters that words in brackets may represent
_OMITTED = 5_000  # characters that an ellipsis may represent
_STEPS = 5_000  # places that are tried before a quotation counts as not found
_NEAR = 65.0  # of 100: passages less alike have nothing to do with the quotation
_SEPARATOR = "\x1f"  # between two numbers, which must not become one

_MARKS = str.maketrans(
    {
        **dict.fromkeys('"“”„‟«»‹›‘’‚‛′″`´', "'"),
        **dict.fromkeys("‐‑‒–—―−⁻﹣－", "-"),
        **dict.fromkeys("*_~\x02\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
        "\u2044": "/",
    }
)
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}(?:[ \t]{1,9}[\"'][^\"']{0,300}[\"'])?\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
_MARGIN = re.compile(r"^[ \t]{0,9}(?:>[ \t]?){1,9}|^#{1,6}[ \t]", re.MULTILINE)
_NOTE = re.compile(r"\[\^[^\[\]\s]{1,60}\]")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_NUMBERS = re.compile(r"(?<=\d)[ -]{1,3}(?=\d)")
_DOTS = r"(?:…|\.[ ]?\.[ ]?\.(?:[ ]?\.)?)"
_LEFT_OUT = re.compile(rf"\[\s{{0,3}}{_DOTS}\s{{0,3}}\]|\(\s{{0,3}}{_DOTS}\s{{0,3}}\)|{_DOTS}")
_LETTER = re.compile(r"\[(\w)\](?=\w)")  # [T]he: a capital that was changed
_BRACKETS = re.compile(r"\[[^\[\]]{1,80}\]")
_EDGES = " \t\r\n'.,;:!?-"
_BROKEN = re.compile(r"(?<=[^\W\d_])- (?=[^\WA-Z\d_])")  # exam- ple
_WORD = re.compile(r"\w{2,40}")


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """Where quoted words are in a source."""

    at: int  # characters of the prepared text
    page: int | None  # from 1; None if the source has no pages
    exact: bool  # in one piece and letter for letter


@dataclass(slots=True)
class PreparedText:
    """The text of a source, ready for looking up: as it is read, and without blanks and dashes."""

    plain: str
    bare: str
    places: NDArray[np.int32]  # where each character of `bare` is in `plain`
    starts: list[int] = field(default_factory=list)  # where each page begins in `plain`

    def page(self, at: int) -> int | None:
        return bisect_right(self.starts, at) if len(self.starts) > 1 else None


class _QuotePart(NamedTuple):
    """A piece of a quotation that must stand as it is, and how far behind the last one it may begin."""

    bare: str
    gap: int


def prepare_text(pages: Sequence[str]) -> PreparedText:
    """Return the text of a source, ready for looking up quotations."""
    texts = [_strip_markup(page) for page in pages]
    starts: list[int] = []
    at = 0
    for text in texts:
        starts.append(at)
        at += len(text) + 1
    plain = " ".join(texts)
    bare, places = _strip_blanks(plain)
    return PreparedText(plain, bare, places, starts)


def find_quote(quote: str, pages: Sequence[str] | PreparedText) -> QuotePlace | None:
    """Return where the source has the quoted words; None if it does not have them all, in order."""
    source = pages if isinstance(pages, PreparedText) else prepare_text(pages)
    parts = _split_quote(quote)
    if not parts or sum(len(part.bare) for part in parts) < 2:
        return None
    steps = iter(range(_STEPS))
    first, others = parts[0].bare, parts[1:]
    low: int | None = 0
    while low is not None:
        start = next(_find_occurrences(source, first, low, len(source.bare), steps), None)
        if start is None:
            return None
        if _has_other_parts(source, others, start + len(first), steps):
            at = int(source.places[start])
            return QuotePlace(at, source.page(at), not others and source.bare.startswith(first, start))
        low = _find_next_start(source, others[0], start, len(first))
    return None


def _find_next_start(source: PreparedText, second: _QuotePart, start: int, size: int) -> int | None:
    """Return from where on the first piece can be after it failed at `start`: near the second one."""
    forms = (second.bare, second.bare[0].swapcase() + second.bare[1:])
    ahead = [at for form in forms if (at := source.bare.find(form, start + size)) >= 0]
    return max(start + 1, min(ahead) - second.gap - size) if ahead else None


def find_nearest_passage(quote: str, pages: Sequence[str] | PreparedText) -> str:
    """Return the passage most like the quotation, on one line and bounded; empty if nothing is near."""
    source = pages if isinstance(pages, PreparedText) else prepare_text(pages)
    wanted = " ".join(_strip_markup(quote[:MOST]).split())[:1000]
    best = (_NEAR, 0, 0)
    for low, high in _choose_windows(source.plain, wanted):
        near = fuzz.partial_ratio_alignment(wanted, source.plain[low:high], score_cutoff=best[0])
        if near is not None and near.score > best[0]:
            best = (near.score, low + near.dest_start, low + near.dest_end)
    return _format_passage(source.plain, *best[1:]) if best[0] > _NEAR else ""


def _strip_markup(text: str) -> str:
    """Return a text as it is read: without markup, one kind of quotation mark and of dash, blanks single."""
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "<" in text:
        text = _TAG.sub("", text)
    if ">" in text or "#" in text:
        text = _MARGIN.sub("", text)
    if "[^" in text:
        text = _NOTE.sub("", text)
    if "\\" in text:
        text = _ESCAPE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.translate(_MARKS).replace("...", "…").split())


def _strip_blanks(plain: str) -> tuple[str, NDArray[np.int32]]:
    """Return a text without blanks and dashes, and where its characters stand."""
    codes = np.frombuffer(plain.encode("utf-32-le", "replace"), dtype=np.uint32).copy()
    between = [match.start() for match in _NUMBERS.finditer(plain)]
    codes[between] = ord(_SEPARATOR)
    kept = np.flatnonzero((codes != ord(" ")) & (codes != ord("-")))
    return codes[kept].tobytes().decode("utf-32-le"), kept.astype(np.int32)


def _split_quote(quote: str) -> list[_QuotePart]:
    """Return the pieces of a quotation that must be in the source, in order."""
    parts: list[_QuotePart] = []
    gap = 0
    for piece in _LEFT_OUT.split(_LETTER.sub(r"\1", quote[:MOST])):
        for words in _BRACKETS.split(piece):
            if bare := _strip_blanks(_strip_markup(words).strip(_EDGES))[0]:
                parts.append(_QuotePart(bare, gap))
                gap = 0
            gap = max(gap, _INSERTED)
        gap = _OMITTED
    return parts


def _find_occurrences(
    source: PreparedText, part: str, low: int, high: int, steps: Iterator[int]
) -> Iterator[int]:
    """Yield where a piece is as whole words; its first letter may be a capital or not."""
    rest, first = part[1:], part[0].lower()
    at = low + 1
    while next(steps, None) is not None:
        at = source.bare.find(rest, at, high) if rest else -1
        if at < 0:
            return
        start, end = at - 1, at + len(rest)
        if (
            source.bare[start].lower() == first
            and _is_word_edge(source, start)
            and _is_word_edge(source, end)
        ):
            yield start
        at += 1


def _has_other_parts(
    source: PreparedText, parts: Sequence[_QuotePart], at: int, steps: Iterator[int]
) -> bool:
    """Return whether the other pieces follow, each within its gap."""
    if not parts:
        return True
    first, *others = parts
    high = min(len(source.bare), at + first.gap + len(first.bare))
    return any(
        _has_other_parts(source, others, start + len(first.bare), steps)
        for start in _find_occurrences(source, first.bare, at, high, steps)
    )


def _is_word_edge(source: PreparedText, at: int) -> bool:
    """Return whether no word continues across this place; scripts without blanks have no edges."""
    if not 0 < at < len(source.bare):
        return True
    before, after = source.bare[at - 1], source.bare[at]
    whole = before.isalnum() and after.isalnum() and source.places[at] - source.places[at - 1] == 1
    return not whole or before >= "\u2e80" or after >= "\u2e80"


def _choose_windows(plain: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a source in which most of the rarer words of a quotation stand."""
    width = max(len(wanted), 40)
    words = sorted({word for word in _WORD.findall(wanted)[:40] if word in plain}, key=plain.count)[:10]
    hits: dict[int, set[str]] = {}
    for word in words:
        at = -1
        for _ in range(300):
            at = plain.find(word, at + 1)
            if at < 0:
                break
            for near in (at // width - 1, at // width):
                hits.setdefault(near, set()).add(word)
    ranked = sorted(hits, key=lambda one: (-len(hits[one]), one))[:6]
    for one in ranked:
        yield max(0, (one - 1) * width), (one + 3) * width


def _format_passage(plain: str, start: int, end: int) -> str:
    """Return a passage with its first and last word whole."""
    start = plain.rfind(" ", max(0, start - 40), start + 1) + 1 if start else 0
    after = plain.find(" ", end, end + 40) if end < len(plain) and plain[end - 1 : end] != " " else end
    passage = show_one_line(_BROKEN.sub("", plain[start : after if after >= 0 else end]))
    return passage if len(passage) <= _SHOWN else passage[: _SHOWN - 1].rstrip() + "…"
