"""The running text of a document, for the sentences that cite its references."""

from __future__ import annotations

from collections.abc import Iterable

from citeproof.extractors.pdf.line_joining import DocumentWords, append_line
from citeproof.extractors.pdf.page_layout import PdfLine
from citeproof.extractors.prose.citing_sentences import MAX_BODY

_CHUNK = 4000  # characters are joined at a time: a text that grows line by line is copied each time


def join_running_text(lines: Iterable[PdfLine], words: DocumentWords, *, raised: bool) -> str:
    """Return the lines as one text; raised numbers become `[3]` where they cite numbered references."""
    parts: list[str] = []
    whole, total = "", 0
    for line in lines:
        whole = append_line(whole, (line.marked or line.text) if raised else line.text, words)
        if len(whole) > _CHUNK and not whole.endswith("\x02"):
            parts.append(whole)
            total += len(whole)
            whole = ""
        if total > MAX_BODY:
            break
    return " ".join([*parts, whole]).replace("\x02", "")
