"""Inline references by number: `REF-001`, `REF-001-a`; malformed ones too, so that they are reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from citeproof.corpus.corpus_layout import CorpusLayout
from citeproof.corpus.corpus_types import CitationMark, Pattern, Span
from citeproof.corpus.page.prose import Prose
from citeproof.corpus.page.word_lists import load_words


def find_ref_marks(prose: Prose, layout: CorpusLayout) -> Iterator[CitationMark]:
    """Yield a mark for each reference by number."""
    word = layout.ref
    pattern = _compile_mark_pattern(word)
    at = prose.scan.find(f"{word}-")
    while at >= 0:
        match = pattern.match(prose.scan, at)
        at = prose.scan.find(f"{word}-", match.end() if match else at + 1)
        if match is None:
            continue
        start, end = match.span()
        if prose.text[start - 1 : start] in ("/", "\\") and not _is_in_ref_list(prose.text, start, word):
            continue  # part of a path
        if match[1] and match[1][1:] in load_words("ref_compounds"):  # "the REF-001-based method"
            end -= len(match[1])
        raw = prose.text[start:end]
        yield CitationMark(Pattern.REF, raw, Span(start, end), raw, 0, prose.find_surroundings(start, end))


def _is_in_ref_list(text: str, start: int, word: str) -> bool:
    """Return whether the slash before `start` parts two references: `REF-001/REF-002`."""
    before = text[max(0, start - 60) : start - 1].rpartition(f"{word}-")
    return bool(before[1]) and before[2].replace("-", "").isalnum()


@cache
def _compile_mark_pattern(word: str) -> re.Pattern[str]:
    """Return the pattern of references: the word, a hyphen, digits, at most one more word."""
    return re.compile(rf"(?<![\w-]){re.escape(word)}-\d{{1,12}}[a-z]?(?!\w)(-[a-z]{{1,40}}(?![\w-]))?")
