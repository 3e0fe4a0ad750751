"""Code citations: `[src/a.py@a8f9c2d4e5f60718, L42-58]`, `[src/a.py, L88]`, `[src/a.py]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citeproof.corpus.nouns import Mark, Pattern, Span
from citeproof.corpus.page.prose import Prose

MAX_PATH = 1_000

_BRACKETS = re.compile(r"\[([^\[\]\ufdd0]{1,1200})\]")
# Folders that are named in brackets themselves: [app/[slug]/page.tsx, L3]
_NESTED = re.compile(
    r"\[([^\[\]\n\ufdd0]{0,300}/\[{1,2}[^\[\]\n\ufdd0]{1,80}\]{1,2}[^\[\]\n\ufdd0]{0,300}"
    r"(?:\[{1,2}[^\[\]\n\ufdd0]{1,80}\]{1,2}[^\[\]\n\ufdd0]{0,300}){0,3})\]"
)
_LINES = re.compile(r"\s{0,9}L(\d{1,9})(?:\s?[-–—‑]\s?L?(\d{1,9}))?\s{0,9}")
_HASH = re.compile(r"[0-9A-Fa-f]{6,64}")
_EXTENSION = re.compile(r"\.([A-Za-z][\w+-]{0,14})\Z")
_SIGNIFICANT = re.compile(r"[/\\]|\.[A-Za-z][\w+-]{0,14}\Z")
_NO_PATH = re.compile(r"[<>{}*|$=`\"]")
_ELSE = re.compile(r"10\.\d{4,9}/|doi\s?[:=]|\^", re.IGNORECASE)
_SEE = re.compile(r"(?:see|see also|cf\.|e\.g\.,?|vgl\.|siehe)\s", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]{1,63}\.){1,5}(?:com|org|net|io|dev|edu|gov|ai|app|co|uk|de)\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cited:
    """What stands between the brackets of a code citation."""

    path: str
    hash: str
    lines: str
    sure: bool


def codes(prose: Prose) -> Iterator[Mark]:
    """Yield a mark for each code citation in brackets."""
    if "[" not in prose.scan:
        return
    if "/[" in prose.scan:
        for match in _NESTED.finditer(prose.scan):
            if (mark := _mark(prose, match)) and (mark.hash or mark.lines):
                yield mark
    for match in _BRACKETS.finditer(prose.scan):
        if mark := _mark(prose, match):
            yield mark


def _mark(prose: Prose, match: re.Match[str]) -> Mark | None:
    start, end = match.span()
    inside = prose.text[start + 1 : end - 1]
    if prose.escaped(start) or prose.escaped(end - 1) or "`" in inside or (cited := read(inside)) is None:
        return None
    before, after = prose.scan[start - 1 : start], prose.scan[end : end + 1]
    if not cited.hash and (before == "!" or (before == "[" and after == "]")):
        return None  # an image, a wiki link
    raw = prose.text[start:end]
    return Mark(Pattern.CODE, raw, Span(start, end), cited.path, 0, prose.around(start, end),
                hash=cited.hash, lines=cited.lines, sure=cited.sure)  # fmt: skip


def read(inside: str) -> Cited | None:
    """Return the citation that `inside` brackets says, None if it is none."""
    head, comma, tail = inside.rpartition(",")
    place = _LINES.fullmatch(tail) if comma else None
    lines = shown(place) if place else ""
    path, digest = split(head if place else inside)
    if comma and not place:
        path, digest = split(head)
        if not digest:
            return None
        lines = " ".join(tail.split())[:40]  # odd lines of a versioned citation: the check tells of them
    path = path.strip()
    path = path[len(see[0]) :].strip() if (see := _SEE.match(path)) else path
    if not 0 < len(path) <= MAX_PATH or "://" in path or "\n" in path or "\r" in path or _ELSE.match(path):
        return None
    if not digest and (not _SIGNIFICANT.search(path) or _NO_PATH.search(path)):
        return None
    return Cited(path.replace("\\_", "_"), digest, lines, bool(digest or lines) or file_like(path))


def shown(place: re.Match[str]) -> str:
    """Return a place in a file as `L42` or `L42-58`."""
    return f"L{place[1]}-{place[2]}" if place[2] else f"L{place[1]}"


def split(cited: str) -> tuple[str, str]:
    """Return path and hash; the hash is empty where none is given."""
    path, at, digest = cited.strip().rpartition("@")
    return (path, digest) if at and path and _HASH.fullmatch(digest) else (cited, "")


def file_like(path: str) -> bool:
    """Return whether a path can hardly be anything else: `src/a.py`, not `and/or` or `Node.js`."""
    parts = re.split(r"[/\\]", path)
    if len(parts) < 2 or any(letter.isspace() for letter in path) or path.startswith("@"):
        return False
    extension = _EXTENSION.search(parts[-1])
    return extension is not None and len(parts[-1]) > len(extension[0]) and not _HOST.match(parts[0])
