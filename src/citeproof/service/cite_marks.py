r"""Where a text cites a key, by the characters of each: `\cite{a,b}`, `[@a]` in Markdown, `[a]_` in rst."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citeproof.extractors.latex.cite_commands import find_cites

_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_PANDOC = re.compile(r"(?<![\w@\\])@\{?([A-Za-z0-9_][\w:.#$%&+?<>~/-]{0,200})")
_RST_MARK = re.compile(r"``[^`]{1,2000}``|(?<!\\)\[#?([^\]\s]{1,60})\]_(?!\w)")  # not in literals
_LATEX = (".tex", ".ltx", ".latex")
_RST = (".rst", ".rest")
_BIBLIOGRAPHIES = (".bib", ".bibtex")  # whose entries begin with @, too


def find_cite_marks(text: str, name: str, keys: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and key of each citation of one of `keys` in a document called `name`."""
    if name.lower().endswith(_BIBLIOGRAPHIES):
        return
    if name.lower().endswith(_LATEX):
        yield from _find_latex_marks(text, keys)
        return
    if name.lower().endswith(_RST):
        yield from ((*found.span(1), found[1]) for found in _RST_MARK.finditer(text) if found[1] in keys)
        return
    for found in _PANDOC.finditer(text):
        key = found[1]
        while key not in keys and key and not key[-1].isalnum():  # the end of a sentence is no part of it
            key = key[:-1]
        if key in keys:
            yield found.start(1), found.start(1) + len(key), key


def _find_latex_marks(text: str, keys: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    commands, _, _ = find_cites(_COMMENT.sub(lambda found: " " * len(found[0]), text))
    for one in commands:
        body, at = text[one.start : one.end], 0
        for key in one.keys:
            start = body.find(key, at)
            if key in keys and start >= 0:
                yield one.start + start, one.start + start + len(key), key
                at = start + len(key)
