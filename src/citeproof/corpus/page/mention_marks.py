"""Mentions of corpus files: `@.aiwg/research/sources/smith2020.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citeproof.corpus.corpus_layout import CorpusLayout
from citeproof.corpus.corpus_types import CitationMark, Pattern, Span
from citeproof.corpus.page.prose import Prose

_MENTION = re.compile(
    r"@(?:\"([^\"\n\ufdd0]{1,1000})\"|((?:[^\s\"“”<>{}|$*`\[\],;\ufdd0]|[,;](?=\w)){1,1000}))"
)
# what follows: no file was meant
_PATTERN = re.compile(r"\*{1,2}[\w./-]|[<{$]|\[[^\[\]\ufdd0]{1,60}\][\w.-]")
_PLACEHOLDER = re.compile(r"-(?:X{2,9}|N{2,9})(?![A-Za-z])")  # REF-XXX
_LINES = re.compile(r":L?\d{1,9}(?:[-–:]L?\d{1,9})?\Z")  # of the file, like an anchor
_ALWAYS = ("research/sources/", "research/findings/")
_CLOSING = ".,;:!?'’»”"


def find_mentions(prose: Prose, layout: CorpusLayout) -> Iterator[CitationMark]:
    """Yield a mark for each @-mention of a path in the corpus, wherever that path leads."""
    if "@" not in prose.scan:
        return
    folders = (*_ALWAYS, *(f"{one}/" for one in (*layout.sources, *layout.findings, *layout.assessments)))
    for match in _MENTION.finditer(prose.scan):
        start = match.start()
        before = prose.scan[start - 1 : start]
        if before.isalnum() or before in ("_", "/", "@") or prose.is_escaped(start):
            continue  # an address, part of a path
        end = match.end() if match[1] else start + 1 + len(_strip_punctuation(match[2]))
        if not match[1] and (prose.scan[end - 1] == "/" or _PATTERN.match(prose.scan, match.end())):
            continue
        path = prose.text[match.start(1) : match.end(1)] if match[1] else prose.text[start + 1 : end]
        target = _LINES.sub("", path.partition("#")[0].replace("\\_", "_"), count=1)
        if _is_corpus_path(target, folders) and not _PLACEHOLDER.search(target):
            whole = prose.find_surroundings(start, end)
            yield CitationMark(Pattern.MENTION, prose.text[start:end], Span(start, end), target, 0, whole)


def _strip_punctuation(path: str) -> str:
    """Return a path without the punctuation of the sentence that it is in."""
    while path:
        last = path[-1]
        if last not in _CLOSING and not (last == ")" and path.count(")") > path.count("(")):
            break
        path = path[:-1]
    return path


def _is_corpus_path(target: str, folders: tuple[str, ...]) -> bool:
    """Return whether a path has one of the corpus' folders in it, and something below that."""
    path = target.replace("\\", "/")
    for folder in folders:
        at = path.find(folder)
        while at >= 0:
            if (at == 0 or path[at - 1] == "/") and len(path) > at + len(folder):
                return True
            at = path.find(folder, at + 1)
    return False
