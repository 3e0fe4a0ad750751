"""Code citations against the files they name: fresh, stale, un-versioned or missing."""

from __future__ import annotations

from dataclasses import dataclass

from citeproof.corpus.corpus_types import CitationMark, Freshness
from citeproof.corpus.project_root import Artefact
from citeproof.errors import format_count
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import CitationReason

HASH = 16  # hex digits of the SHA-256 of a file's raw bytes

_HASH = re.compile(r"[0-9a-f]{16}")
# cited lines: `L42` and `L42-58`
_LINES = re.compile(r"L([0-9]{1,9})(?:-([0-9]{1,9}))?")
_TYPED = re.compile(r"[Ll]?([0-9]{1,9})(?:\s?[-–—:]\s?[Ll]?([0-9]{1,9}))?")


@dataclass(frozen=True, slots=True)
class CodeVerdict:
    """What became of a code citation."""

    freshness: Freshness
    current: str = ""  # the first 16 hex digits of the file's hash now; empty if it is missing
    reason: str = ""  # a word for programs
    detail: str = ""  # a sentence for people
    range_problem: str = ""  # a sentence, if the cited lines are not lines of the file


def judge_code_citation(artefact: Artefact, mark: CitationMark) -> CodeVerdict:
    """Return what became of a code citation, given what is at its path."""
    if not artefact.there:
        return CodeVerdict(Freshness.MISSING, "", artefact.reason, artefact.detail)
    if artefact.folder:
        return CodeVerdict(Freshness.MISSING, "", CitationReason.NOT_FOUND, "is a folder")
    current = artefact.sha256[:HASH]
    outside = describe_range_problem(mark.lines, artefact.lines)
    if mark.hash == current:
        return CodeVerdict(Freshness.FRESH, current, range_problem=outside)
    if not mark.hash:
        detail = "File exists but no content hash"
        return CodeVerdict(Freshness.UN_VERSIONED, current, CitationReason.NO_HASH, detail, outside)
    if is_valid_hash(mark.hash):
        detail = "File modified since citation emitted"
        return CodeVerdict(Freshness.STALE, current, CitationReason.HASH_MISMATCH, detail, outside)
    detail = f"a hash has {HASH} lower-case hex digits, but this one "
    detail += f"has {len(mark.hash)}" if len(mark.hash) != HASH else "does not"
    if is_digest_prefix(artefact.sha256, mark.hash):
        detail += f"; it matches the current file: write {current}"
    return CodeVerdict(Freshness.STALE, current, CitationReason.MALFORMED_HASH, detail, outside)


def is_valid_hash(cited: str) -> bool:
    return _HASH.fullmatch(cited) is not None


def is_digest_prefix(digest: str, cited: str) -> bool:
    """Return whether a hash as cited, right or malformed, is the beginning of a digest."""
    return len(cited) >= 6 and digest.startswith(cited.lower())


def parse_line_range(text: str) -> tuple[int, int] | None:
    """Return the first and the last line of a range as cited, None if it is not one."""
    match = _LINES.fullmatch(text)
    return (int(match[1]), int(match[2] or match[1])) if match else None


def format_line_range(first: int, last: int) -> str:
    return f"L{first}" if first == last else f"L{first}-{last}"


def normalise_line_range(text: str) -> str | None:
    """Return a typed range (`42`, `42-58`, `L42-L58`) as citations write it, None if it is not a range."""
    match = _TYPED.fullmatch(text.strip())
    return format_line_range(int(match[1]), int(match[2] or match[1])) if match else None


def describe_range_problem(text: str, count: int) -> str:
    """Return what is wrong with a range, for a file of `count` lines; empty if nothing is."""
    if not text:
        return ""
    given = parse_line_range(text)
    if given is None:
        return f"{text[:40]} is not a range of lines: write L42 or L42-58"
    first, last = given
    if first == 0:
        return f"{text} begins at line 0; lines count from 1"
    if last < first:
        return f"{text} runs backwards"
    if first > count:
        return f"{text} is outside the file, which has {format_count(count, 'line')}"
    return (
        f"{text} goes beyond the end of the file, which has {format_count(count, 'line')}"
        if last > count
        else ""
    )
