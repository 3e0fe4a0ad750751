"""Where code citations stand: nothing inside of one is ever changed, whatever a remedy says."""

from __future__ import annotations

from citeproof.corpus.layout import Layout
from citeproof.corpus.mend.spans import Spans
from citeproof.corpus.nouns import Pattern
from citeproof.corpus.page import read


def cited(text: str) -> Spans:
    """Return the code citations of a document, in order: those that the check sees, sure or not."""
    marks = (mark for mark in read(text, Layout()).marks if mark.pattern is Pattern.CODE)
    return Spans((mark.span.start, mark.span.end) for mark in marks)
