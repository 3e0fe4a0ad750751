"""What a quotation may leave out without saying so: citations, running heads and page numbers."""

from __future__ import annotations

from citeproof.claims.quotes.source_index import SourceIndex
from citeproof.text import lazy_patterns as re

_REACH = 300  # characters
_HEADS = 40  # words at a page's end and at the next one's begin
_NUMBERS = r"\d{1,3}[a-z]?(?:\s{0,2}[,;–—-]\s{0,2}\d{1,3}[a-z]?){0,30}"
_SQUARE = rf"\[\s{{0,2}}(?:{_NUMBERS}|[^\[\]]{{2,200}}\b(?:1[89]|20)\d\d[a-z]?[^\[\]]{{0,40}})\s{{0,2}}\]"
_YEARS = r"\((?:see |cf\. |e\.g\.,? |reviewed in )?[A-Z][^()]{2,200}\b(?:1[89]|20)\d\d[a-z]?[^()]{0,40}\)"
_CITATION = re.compile(rf"[\s.,;:!?”\"’>]{{0,9}}(?:{_SQUARE}|{_YEARS})[\s.,;:!?”\"’>]{{0,9}}")
_ROUND = re.compile(rf"[\s.,;:]{{0,9}}\({_NUMBERS}\)[\s.,;:]{{0,9}}")
_RAISED = re.compile(r"[.,;:!?)”\"’]{0,3}\d{1,3}(?:[,–-]\d{1,3}){0,20}")
_PLAIN = re.compile(r"[^\W\d_A-Z]{4,40}")


def is_omitted_citation(low: int, high: int, source: SourceIndex) -> bool:
    """Return whether the words `low` to `high` of a source are a citation: [12], (Smith, 2020), behind¹²."""
    if low >= high or not 0 < low <= high < len(source):
        return False
    before, after = int(source.ends[low - 1]), int(source.starts[high])
    if after - before > _REACH:
        return False
    between = source.text[before:after]
    if _CITATION.fullmatch(between) or (source.cites_in_round_brackets and _ROUND.fullmatch(between)):
        return True
    word = source.text[int(source.starts[low - 1]) : before]
    raised = source.text[before : int(source.ends[high - 1])]
    usual = source.words[source.ids[low - 1]]
    return bool(_RAISED.fullmatch(raised) and _PLAIN.fullmatch(word)) and source.count(usual) > 1


def is_page_furniture(low: int, high: int, source: SourceIndex) -> bool:
    """Return whether the words are whole lines around the end of a page: its foot, the next one's head."""
    if not 0 < high - low <= _HEADS or not 0 < low <= high < len(source):
        return False
    before = source.text[int(source.ends[low - 1]) : int(source.starts[low])]
    after = source.text[int(source.ends[high - 1]) : int(source.starts[high])]
    pages = (source.find_page(int(source.ends[low - 1])), source.find_page(int(source.starts[high])))
    return pages[0] != pages[1] and all("\n" in blank or "\f" in blank for blank in (before, after))
