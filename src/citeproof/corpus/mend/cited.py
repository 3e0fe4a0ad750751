"""Where code citations stand: nothing inside of one is ever changed, whatever a remedy says."""

from __future__ import annotations

import re

from citeproof.corpus.mend.spans import Spans

_LINES = r"L\d{1,9}(?:[-–]L?\d{1,9})?"
_BRACKET = re.compile(r"\[([^\[\]\r\n]{1,1100})\](?!\()")  # a link's text is no citation
_HASH = re.compile(r"@[0-9A-Fa-f]{6,64}(?:,[ \t]{0,9}L[\dL–-]{1,20})?")  # at the end of what is in brackets
_RANGE = re.compile(rf",[ \t]{{0,9}}{_LINES}")
_SUFFIX = re.compile(r"\.\w{1,10}")
# - src/a.py@0123456789abcdef (L4-9), in a list of sources
_LISTED = re.compile(
    rf"(?<=[-*+][ \t])`?[^\s`\[\]@]{{1,1000}}(?:@[^\s`\[\]@]{{1,1000}}){{0,3}}?@[0-9A-Fa-f]{{6,64}}\b`?"
    rf"(?:[ \t]{{1,9}}\({_LINES}\))?"
)


def cited(text: str) -> Spans:
    """Return the code citations of a document, in order."""
    found = Spans(match.span() for match in _BRACKET.finditer(text) if _is_code(match[1]))
    for match in _LISTED.finditer(text):
        if found.free(*match.span()):
            found.add(*match.span())
    return found


def _is_code(inner: str) -> bool:
    """Return whether what stands in brackets is path@hash, a path with lines, or plainly a file's path."""
    mark = inner.rfind("@")
    if mark > 0 and _HASH.fullmatch(inner, mark):
        return True
    comma = inner.rfind(",")
    if comma > 0 and _RANGE.fullmatch(inner, comma):
        return True
    dot = inner.rfind(".")
    return dot > 0 and "/" in inner and "://" not in inner and bool(_SUFFIX.fullmatch(inner, dot))
