"""Words cut at a line end: compounds keep their hyphen, broken words lose it; in PDFs and in text files."""

from __future__ import annotations

import pytest

from citeproof.reading.extractors.pdf.line_joining import DocumentWords, append_line
from citeproof.reading.extractors.prose.entry_segments import join_entry_lines
from citeproof.reading.extractors.prose.hyphenated_words import load_hyphen_table

WORDS = [
    ("human", "computer interaction", "human-computer interaction"),
    ("papillomavirus", "positive tumours", "papillomavirus-positive tumours"),
    ("knowledge", "based systems", "knowledge-based systems"),
    ("state-of-the", "art methods", "state-of-the-art methods"),
    ("real", "time control", "real-time control"),
    ("large", "scale study", "large-scale study"),
    ("question", "answering", "question-answering"),
    ("deep neural net", "works", "deep neural networks"),
    ("a frame", "work for", "a framework for"),
    ("self-atten", "tion", "self-attention"),
    ("a data", "base of", "a database of"),
    ("inter", "national", "international"),
    ("under", "standing", "understanding"),
    ("over", "expression", "overexpression"),
    ("knowl", "edge", "knowledge"),
    ("Daten", "banken", "Datenbanken"),
    ("Gesell", "schaft", "Gesellschaft"),
    ("pre", "and post-operative care", "pre- and post-operative care"),
    ("Ein", "und Ausgabe", "Ein- und Ausgabe"),
]


@pytest.mark.parametrize(("left", "right", "whole"), WORDS)
def test_a_word_over_two_lines_of_text(left, right, whole):
    assert join_entry_lines([f"{left}-", right]) == whole
    assert join_entry_lines([f"{left}\x02", right]) == whole


@pytest.mark.parametrize(("left", "right", "whole"), WORDS)
def test_a_word_over_two_lines_of_a_pdf(left, right, whole):
    nothing_known = DocumentWords([])
    assert append_line(f"{left}\x02", right, nothing_known) == whole
    assert append_line(f"{left}-", right, nothing_known) == whole


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (["by Hahn-", "Powell"], "by Hahn-Powell"),
        (["with RNA-", "Seq data"], "with RNA-Seq data"),
        (["https://example.org/a-long-", "path.html"], "https://example.org/a-long-path.html"),
        (["https://doi.org/10.1000/abc-", "def"], "https://doi.org/10.1000/abc-def"),
        (["deep neu\u00ad", "ral nets"], "deep neural nets"),
        (["Deep learning –", "a review"], "Deep learning – a review"),
    ],
)
def test_names_and_addresses_keep_their_hyphen(parts, whole):
    assert join_entry_lines(parts) == whole


def test_the_table_is_whole():
    table = load_hyphen_table()
    assert all(len(one.split("-")) == 2 for one in table.compounds)
    assert min(map(len, (table.second, table.first, table.compounds, table.closed))) > 100
