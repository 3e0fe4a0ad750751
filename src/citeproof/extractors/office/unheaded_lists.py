"""Reference lists that no heading announces: paragraphs that begin with names, one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeproof.extractors.office.manuscript import Paragraph, strip_marks
from citeproof.extractors.prose.entry_segments import is_likely_reference
from citeproof.extractors.prose.entry_starts import has_leading_name
from citeproof.text import ids

_FEWEST = 3  # references in a row that are a list
_SHARE = 0.6  # of a run must begin with names; the others are works of institutions or without author
_NEARLY_ALL = 0.8
_LONGEST = 700  # characters; a longer paragraph is running text
_NUMBER = re.compile(r"\s{0,9}(?:\[\d{1,6}\]|\(?\d{1,6}[.)])\s{0,9}")
_FULL_NAME = re.compile(
    r"[^\W\d_a-z][\w'’-]{1,30}(?: [^\W\d_a-z][\w'’-]{1,30})?,"
    r" [^\W\d_a-z][^“\".]{1,60}\.?[^“\"]{0,60}\s[“\"]\w"
)  # "Dia, Ibrahima, et al. “Comparisons of …"
_DATED = re.compile(
    r"\((?:1[5-9]|20)\d\d[a-z]?[,)]|[.,]\s(?:1[5-9]|20)\d\d[a-z]?[.,;:]"
)  # not "(since 2011)"


def find_unheaded_lists(paragraphs: Sequence[Paragraph]) -> list[list[Paragraph]]:
    """Return the runs of paragraphs that each look like a reference."""
    runs: list[list[Paragraph]] = [[]]
    for one in paragraphs:
        if _is_possible_entry(one):
            runs[-1].append(one)
        elif runs[-1]:
            runs.append([])
    kept = [_trim_run(run) for run in runs]
    return [run for run in kept if _is_reference_run(run) or _is_whole_document(run, paragraphs)]


def is_entry_paragraph(one: Paragraph) -> bool:
    """Return whether a paragraph looks like a reference by itself: names, a year or identifier, not long."""
    return _is_possible_entry(one) and _has_name_start(one)


def _is_possible_entry(one: Paragraph) -> bool:
    text = strip_marks(one.text[: 2 * _LONGEST])
    return not (one.level or one.note or one.bold) and len(text) <= _LONGEST and is_likely_reference(text)


def _has_name_start(one: Paragraph) -> bool:
    text = _NUMBER.sub("", strip_marks(one.text[:_LONGEST]), count=1)
    return has_leading_name(text) or _FULL_NAME.match(text) is not None


def _has_date_sign(text: str) -> bool:
    """Return whether a year stands as it does in a reference, or an identifier."""
    return bool(_DATED.search(text) or ids.find_ids(text))


def _trim_run(run: list[Paragraph]) -> list[Paragraph]:
    """Return a run without what is at its ends and is not an entry: "Grant 123, 2011-2014"."""
    sure = [
        index
        for index, one in enumerate(run)
        if _has_name_start(one) or _has_date_sign(strip_marks(one.text))
    ]
    return run[sure[0] : sure[-1] + 1] if sure else []


def _is_whole_document(run: Sequence[Paragraph], paragraphs: Sequence[Paragraph]) -> bool:
    """Return whether a document is nothing but a list: what reference managers save as a bibliography."""
    dated = sum(_has_date_sign(strip_marks(one.text)) for one in run)
    return len(run) >= max(_FEWEST, _NEARLY_ALL * len(paragraphs)) and dated >= _NEARLY_ALL * len(run)


def _is_reference_run(run: Sequence[Paragraph]) -> bool:
    named = sum(_has_name_start(one) and _has_date_sign(strip_marks(one.text)) for one in run)
    return named >= _FEWEST and named >= _SHARE * len(run)
