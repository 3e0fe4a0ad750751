"""Reference lists that no heading announces: paragraphs that begin with names, one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeproof.extractors.manuscript import Paragraph, spoken
from citeproof.extractors.segments import looks_whole
from citeproof.extractors.starts import begins_with_name
from citeproof.text import ids

_FEWEST = 3  # references in a row that are a list
_SHARE = 0.6  # of a run must begin with names; the others are works of institutions or without author
_LONGEST = 700  # characters; a longer paragraph is running text
_NUMBER = re.compile(r"\s{0,9}(?:\[\d{1,6}\]|\(?\d{1,6}[.)])\s{0,9}")
_DATED = re.compile(
    r"\((?:1[5-9]|20)\d\d[a-z]?[,)]|[.,]\s(?:1[5-9]|20)\d\d[a-z]?[.,;:]"
)  # not "(since 2011)"


def unheaded(paragraphs: Sequence[Paragraph]) -> list[list[Paragraph]]:
    """Return the runs of paragraphs that each look like a reference."""
    runs: list[list[Paragraph]] = [[]]
    for one in paragraphs:
        if _possible(one):
            runs[-1].append(one)
        elif runs[-1]:
            runs.append([])
    kept = [_trimmed(run) for run in runs]
    return [run for run in kept if _is_list(run)]


def is_entry(one: Paragraph) -> bool:
    """Return whether a paragraph looks like a reference by itself: names, a year or identifier, not long."""
    return _possible(one) and _named(one)


def _possible(one: Paragraph) -> bool:
    text = spoken(one.text[: 2 * _LONGEST])
    return not (one.level or one.note or one.bold) and len(text) <= _LONGEST and looks_whole(text)


def _named(one: Paragraph) -> bool:
    return begins_with_name(_NUMBER.sub("", spoken(one.text[:_LONGEST]), count=1))


def _is_dated(text: str) -> bool:
    """Return whether a year stands as it does in a reference, or an identifier."""
    return bool(_DATED.search(text) or ids.from_text(text))


def _trimmed(run: list[Paragraph]) -> list[Paragraph]:
    """Return a run without what stands at its ends and is no entry: "Grant 123, 2011-2014"."""
    sure = [index for index, one in enumerate(run) if _named(one) or _is_dated(spoken(one.text))]
    return run[sure[0] : sure[-1] + 1] if sure else []


def _is_list(run: Sequence[Paragraph]) -> bool:
    named = sum(_named(one) and _is_dated(spoken(one.text)) for one in run)
    return named >= _FEWEST and named >= _SHARE * len(run)
