"""A claim without its citation marks, every other character in its place."""

from __future__ import annotations

from citeproof.text import lazy_patterns as re
from citeproof.text.names import CUT_LIST

_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?"
_CITATION_MARKS = re.compile(
    r"\[[\d\s,;–—^-]{1,60}\]|\[\^[^\[\]\s]{1,60}\]|\[@[^\[\]]{1,200}\]|\\cite[a-z]{0,10}\{[^{}]{1,300}\}"
    r"|\((?:\d{1,3}\s?[,;–—-]?\s?){1,12}\)"  # (12, 14–16)
    rf"|\((?=[^\W\d_])[^()]{{0,300}}?\b{_YEAR}(?:[,;:\s][^()]{{0,300}})?\)"  # (see Smith et al., 2004, p. 3)
    rf"|[^\W\d_][\w'’-]{{1,40}},?\s(?i:{CUT_LIST}),?(?:\s\(?{_YEAR}\)?)?"
    rf"|(?<=\s)\({_YEAR}(?:\s?[,;]\s?{_YEAR}){{0,5}}\)"
    r"|(?:(?<=[a-z][a-z][a-z])|(?<=[.,;:)”\"]))[⁰¹²³⁴-⁹][⁰¹²³⁴-⁹⁻,–]{0,20}"
    r"|(?<=[a-z][.,;])\d{1,3}(?:[,–-]\d{1,3}){0,8}(?=\s|$)"  # shown.3,4
)


def blank_citation_marks(claim: str) -> str:
    """Return the claim with blanks for its citation marks, of the same length."""
    return _CITATION_MARKS.sub(lambda match: " " * len(match[0]), claim)
