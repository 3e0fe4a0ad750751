"""Code citations against the files they name: fresh, stale, un-versioned or missing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeproof.corpus.code import line_ranges
from citeproof.corpus.corpus_types import CitationMark, Freshness
from citeproof.corpus.project_root import Artefact
from citeproof.vocabulary import CitationReason

HASH = 16  # hex digits of the SHA-256 of a file's raw bytes

_HASH = re.compile(r"[0-9a-f]{16}")


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
    outside = line_ranges.describe_range_problem(mark.lines, artefact.lines)
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
