"""The Sources footer: `- src/a.py@a8f9c2d4e5f60718 (L42-58)`, `- src/b.py (L88) [un-versioned]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citeproof.corpus.corpus_types import CitationMark, Pattern, Span
from citeproof.corpus.page.code_marks import MAX_PATH, format_line_place, is_file_like, split_path_hash
from citeproof.corpus.page.prose import Prose
from citeproof.text.markdown_blocks import PageLeaf

_BREAK = re.compile(r"[\r\n]")
_TITLE = 200  # characters of a block in which its last line may be the title
_PLACE = re.compile(r"\s{1,3}\(L(\d{1,9})(?:\s?[-–—]\s?L?(\d{1,9}))?\)")
_PARTS = re.compile(r"[/\\.]")
_FLAG = re.compile(r"\s{1,3}\[un-?versioned\]", re.IGNORECASE)
_SAID = re.compile(r"\s[–—-]\s|:\s")
_NO_PATH = re.compile(r"[<>{}*|$=`\"]|(?<!^file)://", re.IGNORECASE)
_MOST = MAX_PATH + 300
_LINES = 200  # of one paragraph


def find_footer_marks(prose: Prose) -> Iterator[CitationMark]:
    """Yield a mark for each line of a list under the title `Sources` that names a file."""
    if "sources" not in prose.low:
        return
    for leaf in _find_footer_items(prose):
        listed = leaf.item >= 0
        for start, line in _split_lines(prose, leaf, 1 if listed else _LINES):
            mark = _make_footer_mark(prose, start, line) if line[0] not in "[@" else None
            if mark and (listed or mark.hash or mark.lines):  # a line that is no item may be prose
                yield mark


def _split_lines(prose: Prose, leaf: PageLeaf, most: int) -> Iterator[tuple[int, str]]:
    """Yield the first lines of a block that say something, each with its place."""
    at = leaf.start
    while most and at < leaf.end:
        most -= 1
        line = _BREAK.split(prose.text[at : min(leaf.end, at + _MOST)], maxsplit=1)[0]
        words = line.lstrip(" \t>")
        if words:
            yield at + len(line) - len(words), words
        at += len(line) + 1


def _find_footer_items(prose: Prose) -> Iterator[PageLeaf]:
    """Yield the first block of each item: below a heading up to the next, below a line up to other text.

    Below a heading, paragraphs are yielded too.
    """
    under, headed, last = False, False, -1
    for leaf in prose.blocks.leaves:
        if leaf.item >= 0 and not leaf.heading:
            if under and leaf.block != last:
                yield leaf
            last = leaf.block
        elif under and headed and not leaf.heading:
            yield leaf
        else:
            last_line = prose.masked[max(leaf.start, leaf.end - _TITLE) : leaf.end].strip().splitlines()[-1:]
            under = bool(last_line) and last_line[0].strip(" \t:*_").lower() == "sources"
            headed = leaf.heading


def _make_footer_mark(prose: Prose, start: int, line: str) -> CitationMark | None:
    """Return the citation of one line; its path may be in a code span."""
    ticked = line[0] == "`" and line.count("`") > 1
    close = line.index("`", 1) if ticked else len(line)
    said = _SAID.search(line)
    place = _PLACE.search(line, 0, said.start() if said else len(line))
    flag = _FLAG.search(line)
    stop = min(close, *(found.start() for found in (said, place, flag) if found), len(line))
    path, digest = split_path_hash(line[ticked:stop].rstrip())
    if not 0 < len(path) <= MAX_PATH or _NO_PATH.search(path):
        return None
    if not (digest or is_file_like(path) or ((place or flag) and _PARTS.search(path))):
        return None
    end = start + max(place.end() if place else 0, len(line[:stop].rstrip()))
    whole = Span(start, max(end, start + (flag.end() if flag else 0), start + (close + 1 if ticked else 0)))
    span = Span(start + ticked, end)
    return CitationMark(
        Pattern.CODE, prose.text[span.start : end], span, path.replace("\\_", "_"), 0, whole,
        hash=digest, lines=format_line_place(place) if place else "", footer=True,
    )  # fmt: skip
