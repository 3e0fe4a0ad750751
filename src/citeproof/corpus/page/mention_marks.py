"""Mentions of corpus files, `@.aiwg/research/sources/smith2020.md`, and references by number, `REF-001-a`.

Malformed references are marks too, so that they are reported. A mark may be a part of speech, "according to
REF-001": the sentence needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from citeproof.corpus.corpus_types import CitationMark, CorpusLayout, Pattern, Span
from citeproof.corpus.page.prose import WALL, Prose, load_words
from citeproof.text import lazy_patterns as re

_REMOVED = frozenset((Pattern.MENTION, Pattern.REF, Pattern.DOI))  # the others never are
_NEAR = 1_000  # characters in which the word next to a citation stands: a comment may be between them
_REACH = 300  # characters in which a bracket around it was opened
_WORD = 40  # characters in which a word ends
_BLANKS = " \t\r\n*_"
_BEFORE = re.compile(r"([^\W\d_]{1,30})\.?\Z")
_BEHIND = re.compile(r"(?:['’]s)?[\s*_]{1,1000}([^\W\d_]{1,30})(?![\w@:/.-]{0,40}[@:/])")
_OPENERS, _CLOSERS = "([", ")]"

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
    folders = (*_ALWAYS, *(f"{name}/" for name in (*layout.sources, *layout.findings, *layout.assessments)))
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


def find_ref_marks(prose: Prose, layout: CorpusLayout) -> Iterator[CitationMark]:
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


def is_spoken(prose: Prose, mark: CitationMark) -> bool:
    if mark.pattern not in _REMOVED or mark.kept is not None:
        return False
    start, end = mark.whole.start, mark.whole.end
    if prose.text[start] in _OPENERS and prose.text[end - 1] in _CLOSERS:
        return False
    return _has_word_beside(prose.scan, start, end) and not _is_enclosed(prose.scan, start)


def _has_word_beside(scan: str, start: int, end: int) -> bool:
    """Return whether a word that needs the citation stands directly before or behind it."""
    low = max(0, start - _NEAR)
    before = scan[max(low, scan.rfind(WALL, low, start) + 1) : start]
    said = before.rstrip(_BLANKS)
    word = _BEFORE.search(said, max(0, len(said) - _WORD)) if said != before else None
    if word and word[1].lower() in load_words("spoken_before"):
        return True
    behind = _BEHIND.match(scan, end, end + _NEAR)
    if behind is None or not behind[1].islower():
        return False
    begins = not said or said[-1] in ".!?:"
    return behind[1] in load_words("spoken_behind") or (
        begins and behind[1] not in load_words("spoken_before")
    )


def _is_enclosed(scan: str, start: int) -> bool:
    """Return whether a bracket is open before a citation."""
    low = max(0, start - _REACH)
    before = scan[max(low, scan.rfind(WALL, low, start) + 1) : start]
    opened = max(before.rfind(sign) for sign in _OPENERS)
    return opened > max(before.rfind(sign) for sign in _CLOSERS)
