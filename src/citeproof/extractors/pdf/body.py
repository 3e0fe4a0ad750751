"""The running text of a document, for the sentences that cite its references."""

from __future__ import annotations

from collections.abc import Iterable

from citeproof.extractors.citing import MAX_BODY
from citeproof.extractors.pdf.joining import Vocabulary, append
from citeproof.extractors.pdf.shape import Line

_CHUNK = 4000  # characters are joined at a time: a text that grows line by line is copied each time


def running_text(lines: Iterable[Line], words: Vocabulary, *, raised: bool) -> str:
    """Return the lines as one text; raised numbers become `[3]` where they cite numbered references."""
    parts: list[str] = []
    whole, total = "", 0
    for line in lines:
        whole = append(whole, (line.marked or line.text) if raised else line.text, words)
        if len(whole) > _CHUNK and not whole.endswith("\x02"):
            parts.append(whole)
            total += len(whole)
            whole = ""
        if total > MAX_BODY:
            break
    return " ".join([*parts, whole]).replace("\x02", "")
