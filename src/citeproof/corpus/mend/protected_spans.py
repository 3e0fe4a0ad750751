"""Where code citations stand: nothing inside of one is ever changed, whatever a remedy says."""

from __future__ import annotations

from citeproof.corpus.corpus_layout import CorpusLayout
from citeproof.corpus.mend.spans import SpanSet
from citeproof.corpus.nouns import Pattern
from citeproof.corpus.page import read_page


def find_code_citations(text: str) -> SpanSet:
    """Return the code citations of a document, in order: those that the check sees, sure or not."""
    marks = (mark for mark in read_page(text, CorpusLayout()).marks if mark.pattern is Pattern.CODE)
    return SpanSet((mark.span.start, mark.span.end) for mark in marks)
