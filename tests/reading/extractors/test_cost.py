"""What each kind of hostile text costs beside harmless words of the same size: a ratio, never a time."""

import time

import pytest

from citeproof.reading.extractors.base import load_extractors
from citeproof.vocabulary import Document
from tests.soak import choose_cases

SIZE = 50_000
MOST = (
    40.0  # times the cost of words; a scan of thousands of characters from every sign is hundreds of times it
)
GRACE = 0.1  # CPU-seconds below which noise decides
WORDS = "The quick brown fox jumps over the lazy dog and so on.\n"
HEAD = "\\documentclass{article}\\begin{document}\n"

HOSTILE = [
    ("latex", HEAD, "\\def\\a{"),
    ("latex", HEAD, "\\newcommand{\\a}{"),
    ("latex", HEAD, "\\NewDocumentCommand{\\a}{m}{"),
    ("latex", HEAD, "\\cite["),
    ("latex", HEAD, "\\cite{a} "),
    ("latex", HEAD, "\\foreigntextcquote{a"),
    ("latex", HEAD + "\\newcommand{\\q}[2]{\\cite{#2}}", "\\q{"),
    ("latex", HEAD, "\\begin{thebibliography}{9}\\bibitem{a}b\\end{thebibliography}\\cite{a}"),
    ("typst", "", "@a; "),
    ("typst", "", "/*"),
    ("typst", "", "#cite(<a>, ("),
    ("markdown", "@a [@b]", "<!-- "),
    ("markdown", "", "[@a] "),
    ("markdown", "[@a] ", "`a "),
    ("plain_text", "", "1. A\n"),
    ("plain_text", "", "\r"),
]


def cost(name: str, text: str) -> float:
    document = Document("a", text.encode())
    began = time.process_time()
    load_extractors()[name].extract(document)
    return time.process_time() - began


@pytest.mark.growth
@pytest.mark.parametrize(("name", "head", "unit"), choose_cases(HOSTILE, 6))
def test_no_text_costs_much_more_than_words(name, head, unit):
    harmless = head + (WORDS * SIZE)[:SIZE]
    hostile = head + (unit * SIZE)[:SIZE]
    assert any(  # a noisy neighbour must strike three times
        cost(name, hostile) <= max(GRACE, MOST * cost(name, harmless)) for _ in range(3)
    )
