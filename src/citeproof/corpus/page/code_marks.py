"""Code citations: `[src/a.py@a8f9c2d4e5f60718, L42-58]`, `[src/a.py, L88]`, `[src/a.py]`.

In the Sources footer: `- src/a.py@a8f9c2d4e5f60718 (L42-58)`, `- src/b.py (L88) [un-versioned]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from citeproof.corpus.corpus_types import CitationMark, Pattern, Span
from citeproof.corpus.page.prose import Prose
from citeproof.text import lazy_patterns as re
from citeproof.text.markdown_reader import PageLeaf

MAX_PATH = 1_000

_BRACKETS = re.compile(r"\[([^\[\]\ufdd0]{1,1200})\]")
# Folders that are named in brackets themselves: [app/[slug]/page.tsx, L3]
_NESTED = re.compile(
    r"\[([^\[\]\n\ufdd0]{0,300}/\[{1,2}[^\[\]\n\ufdd0]{1,80}\]{1,2}[^\[\]\n\ufdd0]{0,300}"
    r"(?:\[{1,2}[^\[\]\n\ufdd0]{1,80}\]{1,2}[^\[\]\n\ufdd0]{0,300}){0,3})\]"
)
_LINES = re.compile(r"\s{0,9}L(\d{1,9})(?:\s?[-–—‑]\s?L?(\d{1,9}))?\s{0,9}")
_AT = re.compile(r"@([0-9A-Fa-f]{6,64})(?![\w./@-])")
_ENDS = re.compile(r"\s{0,9}(?:,|\Z)")
_DIGITS = 16  # of a hash
# Outside of brackets: src/a.py@a8f9c2d4e5f60718 (L42)
_BARE = re.compile(
    r"@[0-9a-f]{16}(?![\w/@-])(?:(?:,\s{0,2}|\s{1,2}|:)\(?(L\d{1,9}(?:\s?[-–—]\s?L?\d{1,9})?)(?!\w)\)?)?"
)
_BEFORE = re.compile(r"(?<![^\s(\"“”,;:\ufdd0])[^\s\[\]()<>{}*|$=`\"“”,;:\ufdd0]{1,300}\Z")
_HASH = re.compile(r"[0-9A-Fa-f]{6,64}")
_EXTENSION = re.compile(r"\.([A-Za-z][\w+-]{0,14})\Z")
_SOURCE_FILE = re.compile(
    r"[\w.-]+\.(?:[ch]|cc|[ch]pp|cs|go|java|jl|json|kt|lua|md|mjs|php|pl|py|r|rb|rs|rst|sh|sql|swift|tex|toml|tsx?"
    r"|txt|vue|xml|ya?ml)|[a-z_][\w.-]*\.jsx?"
)
_SIGNIFICANT = re.compile(r"[/\\]|\.[A-Za-z][\w+-]{0,14}\Z")
_WORD = re.compile(r"\A[A-Za-z_]\S{2,}\Z")  # a file without extension: [Makefile, L1]
_NO_PATH = re.compile(r"[<>{}*|$=`\"]")
_ELSE = re.compile(r"10\.\d{4,9}/|doi\s?[:=]|\^", re.IGNORECASE)
_SEE = re.compile(r"(?:see|see also|cf\.|e\.g\.,?|vgl\.|siehe)\s", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]{1,63}\.){1,5}(?:com|org|net|io|dev|edu|gov|ai|app|co|uk|de)\Z", re.IGNORECASE)
# The Sources footer
_BREAK = re.compile(r"[\r\n]")
_TITLE = 200  # characters of a block in which its last line may be the title
_FOOTER_PLACE = re.compile(r"\s{1,3}\(L(\d{1,9})(?:\s?[-–—]\s?L?(\d{1,9}))?\)")
_PARTS = re.compile(r"[/\\.]")
_FLAG = re.compile(r"\s{1,3}\[un-?versioned\]", re.IGNORECASE)
_SAID = re.compile(r"\s[–—-]\s|:\s")
_NO_FOOTER_PATH = re.compile(r"[<>{}*|$=`\"]|(?<!^file)://", re.IGNORECASE)
_FOOTER_LENGTH = MAX_PATH + 300
_FOOTER_LINES = 200  # of one paragraph


@dataclass(frozen=True, slots=True)
class CodeReference:
    """What is between the brackets of a code citation."""

    path: str
    hash: str
    lines: str
    sure: bool


def find_code_marks(prose: Prose) -> Iterator[CitationMark]:
    """Yield a mark for each code citation in brackets."""
    if "[" not in prose.scan:
        return
    if "/[" in prose.scan:
        for match in _NESTED.finditer(prose.scan):
            if (mark := _make_code_mark(prose, match)) and (mark.hash or mark.lines):
                yield mark
    for match in _BRACKETS.finditer(prose.scan):
        if ";" in match[1] and match[1].count("@") > 1 and (listed := _split_code_list(prose, match)):
            yield from listed
        elif mark := _make_code_mark(prose, match):
            yield mark


def _split_code_list(prose: Prose, match: re.Match[str]) -> list[CitationMark]:
    """Return the versioned citations in one pair of brackets, split at semicolons; none if one is wrong."""
    marks: list[CitationMark] = []
    at = match.start(1)
    for piece in match[1].split(";"):
        cited = parse_code_citation(piece.strip())
        if cited is None or not cited.hash:
            return []
        start = at + len(piece) - len(piece.lstrip())
        span = Span(start, start + len(piece.strip()))
        raw = prose.text[span.start : span.end]
        marks.append(
            CitationMark(Pattern.CODE, raw, span, cited.path, 0, span, hash=cited.hash, lines=cited.lines)
        )
        at += len(piece) + 1
    return marks


def find_bare_code_marks(prose: Prose) -> Iterator[CitationMark]:
    """Yield a mark for each path with its hash that is in running text without brackets."""
    if "@" not in prose.scan:
        return
    for match in _BARE.finditer(prose.scan):
        before = _BEFORE.search(prose.scan, max(0, match.start() - 300), match.start())
        if before is None or not _SIGNIFICANT.search(before[0]) or "://" in before[0]:
            continue
        opened = "(" in match[0]
        end = match.end() if opened == match[0].endswith(")") else match.end(1)
        span = Span(before.start(), end)
        place = _LINES.fullmatch(match[1] or "")
        yield CitationMark(
            Pattern.CODE, prose.text[span.start : end], span, before[0].replace("\\_", "_"), 0, span,
            hash=match[0][1:17], lines=format_line_place(place) if place else "",
        )  # fmt: skip


def _make_code_mark(prose: Prose, match: re.Match[str]) -> CitationMark | None:
    start, end = match.span()
    inside = prose.text[start + 1 : end - 1]
    if (
        prose.is_escaped(start)
        or prose.is_escaped(end - 1)
        or "`" in inside
        or (cited := parse_code_citation(inside)) is None
    ):
        return None
    before, after = prose.scan[start - 1 : start], prose.scan[end : end + 1]
    if not cited.hash and (before == "!" or (before == "[" and after == "]")):
        return None  # an image, a wiki link
    raw = prose.text[start:end]
    whole = prose.find_surroundings(start, end)
    return CitationMark(Pattern.CODE, raw, Span(start, end), cited.path, 0, whole,
                        hash=cited.hash, lines=cited.lines, sure=cited.sure)  # fmt: skip


def parse_code_citation(inside: str) -> CodeReference | None:
    """Return the citation that `inside` brackets says, None if it is not one."""
    if versioned := _split_version(inside):
        path, digest, tail = versioned
        place = _LINES.fullmatch(tail)
        # the check reports odd lines
        lines = format_line_place(place) if place else " ".join(tail.split())[:40]
    else:
        head, comma, tail = inside.rpartition(",")
        place = _LINES.fullmatch(tail) if comma else None
        if comma and not place:
            return None
        path, digest, lines = (head if place else inside), "", format_line_place(place) if place else ""
    path = path.strip()
    path = path[len(see[0]) :].strip() if (see := _SEE.match(path)) else path
    local = path[:5].lower() == "file:"  # leads out of the root: the check says so
    if not 0 < len(path) <= MAX_PATH or ("://" in path and not local):
        return None
    if "\n" in path or "\r" in path or _ELSE.match(path):
        return None
    if not digest and (
        _NO_PATH.search(path) or not (_SIGNIFICANT.search(path) or (lines and _WORD.search(path)))
    ):
        return None
    return CodeReference(
        path.replace("\\_", "_"), digest, lines, bool(digest or lines or local) or is_file_like(path)
    )


def _split_version(inside: str) -> tuple[str, str, str] | None:
    """Return path, hash and what is said of lines behind it; None where no hash is given.

    Behind a hash of the right length anything may stand; behind another only a comma: "me@facade is up".
    """
    version = None
    for match in _AT.finditer(inside):
        if match.start() and (len(match[1]) == _DIGITS or _ENDS.match(inside, match.end())):
            version = match
    if version is None:
        return None
    return inside[: version.start()], version[1], inside[version.end() :].strip(" \t\r\n,:;#()")


def format_line_place(place: re.Match[str]) -> str:
    """Return a place in a file as `L42` or `L42-58`."""
    return f"L{place[1]}-{place[2]}" if place[2] else f"L{place[1]}"


def split_path_hash(cited: str) -> tuple[str, str]:
    """Return path and hash; the hash is empty where none is given."""
    path, at, digest = cited.strip().rpartition("@")
    return (path, digest) if at and path and _HASH.fullmatch(digest) else (cited, "")


def is_file_like(path: str) -> bool:
    """Return whether a path can hardly be anything else: `src/a.py`, `a.py`, not `and/or` or `Node.js`."""
    parts = re.split(r"[/\\]", path)
    if any(letter.isspace() for letter in path) or path.startswith("@"):
        return False
    if len(parts) == 1:
        return _SOURCE_FILE.fullmatch(path) is not None
    extension = _EXTENSION.search(parts[-1])
    return extension is not None and len(parts[-1]) > len(extension[0]) and not _HOST.match(parts[0])


def find_footer_marks(prose: Prose) -> Iterator[CitationMark]:
    """Yield a mark for each line of a list under the title `Sources` that names a file."""
    if "sources" not in prose.low:
        return
    for leaf in _find_footer_items(prose):
        listed = leaf.item >= 0
        for start, line in _split_lines(prose, leaf, 1 if listed else _FOOTER_LINES):
            mark = _make_footer_mark(prose, start, line) if line[0] not in "[@" else None
            if mark and (listed or mark.hash or mark.lines):  # a line that is no item may be prose
                yield mark


def _split_lines(prose: Prose, leaf: PageLeaf, most: int) -> Iterator[tuple[int, str]]:
    """Yield the first lines of a block that say something, each with its place."""
    at = leaf.start
    while most and at < leaf.end:
        most -= 1
        line = _BREAK.split(prose.text[at : min(leaf.end, at + _FOOTER_LENGTH)], maxsplit=1)[0]
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
    place = _FOOTER_PLACE.search(line, 0, said.start() if said else len(line))
    flag = _FLAG.search(line)
    stop = min(close, *(part.start() for part in (said, place, flag) if part), len(line))
    path, digest = split_path_hash(line[ticked:stop].rstrip())
    if not 0 < len(path) <= MAX_PATH or _NO_FOOTER_PATH.search(path):
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
