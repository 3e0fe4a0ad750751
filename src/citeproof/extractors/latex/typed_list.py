r"""Entries that are typed under a reference heading: `\section*{References}`, then items or paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from citeproof.extractors.latex.compiled_bibliography import MAX_SOURCE
from citeproof.extractors.latex.latex_words import render_entry
from citeproof.extractors.prose.entry_segments import MAX_ENTRY, EntrySegment
from citeproof.extractors.prose.loose_references import choose_citations, is_standalone_citation
from citeproof.extractors.prose.text_lines import is_reference_heading
from citeproof.text.latex import strip_latex
from citeproof.text.latex_commands import NO_MACROS, Macros

_RANKS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
_SECTION = re.compile(
    rf"\\({'|'.join(_RANKS)})\*?\s{{0,3}}(?:\[[^\]\n]{{0,200}}\])?\s{{0,3}}\{{([^{{}}\n]{{1,100}})\}}"
)
_HEADING = re.compile(rf"{_SECTION.pattern}|\\appendix(?![A-Za-z])")
_BREAK = re.compile(
    r"\n[ \t]{0,99}\n\s*+|\\(?:item|par)(?![A-Za-z])(?:\s{0,3}\[[^\]\n]{0,60}\])?|\\\\(?:\[[^\]\n]{0,20}\])?"
    r"|\\(?:begin|end)\s{0,3}\{[A-Za-z*]{1,40}\}(?:\[[^\]\n]{0,200}\]|\{[^{}\n]{0,100}\})?"
    rf"|{_SECTION.pattern}"
)
_END = re.compile(r"\\end\s{0,3}\{document\}")


def list_typed_entries(text: str, macros: Macros = NO_MACROS) -> Iterator[EntrySegment]:
    """Yield the citations under reference headings: the words a reader sees, the span of their source."""
    for start, end in _find_lists(text):
        edges = [start, *(at for match in _BREAK.finditer(text, start, end) for at in match.span()), end]
        pieces = [(low, high) for low, high in list(pairwise(edges))[::2] if text[low:high].strip()]
        found = [
            EntrySegment(words, low + len(source) - len(source.lstrip()), low + len(source.rstrip()))
            for low, high in pieces
            if (words := render_entry(source := text[low : min(high, low + MAX_SOURCE)], macros)[:MAX_ENTRY])
        ]
        introduced = found[1:] if found and not is_standalone_citation(found[0].text) else found
        yield from choose_citations(introduced)[0]


def _find_lists(text: str) -> Iterator[tuple[int, int]]:
    """Yield what is between a reference heading and the next one that is not below it."""
    closing = _END.search(text)
    stop = closing.start() if closing else len(text)
    heads = [
        (match.start(), match.end(), _RANKS.index(match[1] or "part"), match[2] or "")
        for match in _HEADING.finditer(text, 0, stop)
    ]
    reached = 0
    for index, (low, high, rank, words) in enumerate(heads):
        if low < reached or not is_reference_heading(strip_latex(words)):
            continue
        reached = next((heads[at][0] for at in range(index + 1, len(heads)) if heads[at][2] <= rank), stop)
        yield high, reached
