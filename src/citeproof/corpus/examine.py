"""One document examined: its bytes in, citations and issues out.

1 decode · 2 read the page · 3 apply the rules · 4 count. DOIs are left pending: see `doi_existence.py`.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from citeproof.corpus.corpus_context import CorpusContext, TrackedContext
from citeproof.corpus.corpus_types import (
    CorpusCitation,
    Counts,
    DocumentResult,
    Freshness,
    Issue,
    Level,
    Mode,
    Pattern,
    Status,
)
from citeproof.corpus.document_check import DocumentCheck
from citeproof.corpus.page import read_page
from citeproof.corpus.rules import apply_rules
from citeproof.text import lazy_patterns as re

GRADE_RULES = frozenset(["grade-language", "overclaim"])
_BOMS = (  # that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile("[\0-\x08\x0e-\x1f]")
_MANY = 0.1  # of a text's characters that are controls: UTF-16 without its mark has far more
_ODD = 0.2  # of a text's characters that are no UTF-8: Western letters of an older encoding are fewer


def examine_document(data: bytes, file: str, ground: CorpusContext, mode: Mode) -> DocumentResult:
    """Return what one document gave."""
    text = decode_document(data)
    if trouble := _describe_non_text(data, text):
        return DocumentResult(file, trouble=trouble)
    asking = TrackedContext(ground)
    desk = DocumentCheck(read_page(text, ground.layout), asking, mode)  # 1 and 2
    apply_rules(desk)  # 3
    citations, issues = sort_by_position(desk.citations, desk.issues)
    counts = count_outcomes(citations, issues)
    return DocumentResult(file, citations, issues, tuple(desk.pending), asking.list_questions(), counts)


def sort_by_position(
    citations: Sequence[CorpusCitation], issues: Sequence[Issue]
) -> tuple[tuple[CorpusCitation, ...], tuple[Issue, ...]]:
    """Return citations and issues in document order; issues name the same citations as before."""
    order = sorted(range(len(citations)), key=lambda at: citations[at].start)
    moved = {old: new for new, old in enumerate(order)}
    renumbered = (
        issue if issue.cited is None or issue.cited == moved[issue.cited]
        else replace(issue, cited=moved[issue.cited])
        for issue in sorted(issues, key=lambda issue: (issue.line, issue.column))
    )  # fmt: skip
    return tuple(citations[at] for at in order), tuple(renumbered)


def decode_document(data: bytes) -> str:
    """Return the text of a document, UTF-8 or what its mark says; a byte that is none becomes a sign."""
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    return data.decode(encoding, "replace")


def _describe_non_text(data: bytes, text: str) -> str:
    """Return why bytes are not taken for a text; empty if they are: no one could read citations in them."""
    if "\0" in text and len(_CONTROLS.findall(text)) > _MANY * len(text):
        return "is not UTF-8 text: it has NUL bytes (a binary file, or UTF-16 without a byte order mark)"
    if "\ufffd" in text and text.count("\ufffd") > _ODD * len(text) and text.encode() != data:
        return "is not UTF-8 text: much of it cannot be decoded"
    return ""


def count_outcomes(citations: Sequence[CorpusCitation], issues: Sequence[Issue]) -> Counts:
    status = Counter(citation.status for citation in citations)
    fresh = Counter(citation.verdict for citation in citations if citation.pattern is Pattern.CODE)
    levels = Counter(issue.level for issue in issues)
    return Counts(
        files=1,
        citations=len(citations),
        **{name.value: status[name] for name in Status},
        grade_violations=sum(issue.rule in GRADE_RULES for issue in issues),
        errors=levels[Level.ERROR],
        warnings=levels[Level.WARNING],
        infos=levels[Level.INFO],
        code=fresh.total(),
        **{name.name.lower(): fresh[name] for name in Freshness},
    )


def promote_warnings(result: DocumentResult) -> DocumentResult:
    """Return a result in which every warning is an error."""
    if not result.counts.warnings:
        return result
    issues = tuple(
        replace(issue, level=Level.ERROR) if issue.level is Level.WARNING else issue
        for issue in result.issues
    )
    counts = replace(result.counts, errors=result.counts.errors + result.counts.warnings, warnings=0)
    return replace(result, issues=issues, counts=counts)
