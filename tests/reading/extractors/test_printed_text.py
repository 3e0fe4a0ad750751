r"""Through every door of LaTeX and BibTeX: the title that is printed is the one that is cited."""

from __future__ import annotations

import pytest

from citeproof.judgement.compare.raw_text import is_running_text
from citeproof.reading.extractors.base import extract
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.reading.parse import parse
from citeproof.vocabulary import Document

BERT = "Pre-training of deep bidirectional transformers"
CATS = "Cats cause autism in mice"
TITLES = [
    rf"\texorpdfstring{{{CATS}}}{{{BERT}}}",
    rf"\phantom{{{BERT}}}{CATS}",
    rf"\iffalse {BERT}\else {CATS}\fi",
    rf"\pick{{{CATS}}}{{{BERT}}}",
    rf"{{\color{{paper}}{BERT}}}{CATS}",
    r"\BERT",
]
MACROS = rf"\newcommand{{\pick}}[2]{{#1}} \newcommand{{\BERT}}{{{CATS}}} \definecolor{{paper}}{{gray}}{{1}}"
ENTRY = "@article{{k, title = {{{}}}, author = {{Devlin, Jacob}}, year = 2019, journal = {{NAACL}}}}\n"
PAPER = "\\documentclass{{article}}\n{}\n\\begin{{document}}\nSee \\cite{{k}}.\n{}\n\\end{{document}}\n"
ITEMS = (
    "\\begin{{thebibliography}}{{9}}\n\\bibitem{{k}} J. Devlin. {}. NAACL, 2019.\n\\end{{thebibliography}}"
)


def read(name, text, folder=None):
    document = Document(name, text.encode(), FolderFiles(folder) if folder else None)
    return [parse(raw) for raw in extract(document).references]


@pytest.mark.parametrize("title", TITLES)
def test_a_bibliography_is_read_with_its_preamble(title):
    first, _, rest = MACROS.partition(" ")
    text = f'@string{{rest = "{rest}"}}\n@preamble{{"{first} " # rest}}'
    (one,) = read("a.bib", ENTRY.format(title) + text)
    assert one.claimed.title == CATS


@pytest.mark.parametrize("title", TITLES)
def test_a_bibliography_is_read_with_the_macros_of_its_document(title, tmp_path):
    (tmp_path / "refs.bib").write_text(ENTRY.format(title))
    (one,) = read("a.tex", PAPER.format(MACROS, r"\bibliography{refs}"), tmp_path)
    assert one.claimed.title == CATS


@pytest.mark.parametrize("title", TITLES)
def test_a_printed_list_is_read_with_the_macros_of_its_document(title, tmp_path):
    (one,) = read("a.tex", PAPER.format(MACROS, ITEMS.format(title)))
    assert one.raw == f"J. Devlin. {CATS}. NAACL, 2019."
    (tmp_path / "a.bbl").write_text(ITEMS.format(title))
    (one,) = read("a.tex", PAPER.format(MACROS, r"\bibliography{refs}"), tmp_path)
    assert one.raw == f"J. Devlin. {CATS}. NAACL, 2019."


@pytest.mark.parametrize("title", TITLES)
def test_a_typed_list_and_the_entries_of_biblatex_are_read_with_the_macros(title):
    people = "Smith, J. and Doe, R. (2018)."
    typed = f"\\section*{{References}}\n{people} {title}. Nature 1, 2--3.\n\n{people} Fish. Nature 1, 4--5.\n"
    text = PAPER.format(MACROS, typed).replace("See \\cite{k}.", "Text.")
    assert f"(2018). {CATS}. Nature" in read("a.tex", text)[0].raw
    field = f"\\entry{{k}}{{article}}{{}}\n\\field{{title}}{{{title}}}\n\\field{{year}}{{2019}}\n\\endentry\n"
    (one,) = read("a.bbl", f"{MACROS}\n\\refsection{{0}}\n\\datalist[entry]{{nty}}\n{field}\\enddatalist\n")
    assert one.claimed.title == CATS


@pytest.mark.parametrize(
    "fields",
    [
        rf'title = "\phantom{{. {BERT}.}}", note = {{{CATS}}}',
        rf'title = "\hidden{{. {BERT}.}}", note = {{{CATS}}}',
        rf"note = {{{CATS}}}, annote = {{. {BERT}.}}",
    ],
)
def test_a_title_that_is_not_printed_is_not_looked_for_in_the_source(fields):
    preamble = r'@preamble{"\newcommand{\hidden}[1]{}"}'
    (one,) = read("a.bib", f"{preamble}\n@misc{{k, author = {{Devlin, Jacob}}, year = 2019, {fields}}}")
    assert (one.claimed.title, is_running_text(one)) == (None, False)


def test_an_identifier_that_is_not_printed_is_not_cited():
    (one,) = read(
        "a.bib", "@misc{k, title = {Fish}, note = {\\phantom{doi:10.1038/nature14539} arXiv:1706.03762}}"
    )
    assert [scheme for scheme, _ in one.claimed.ids.pairs] == ["arxiv"]


CITED = [
    (r"\iftrue\cite{a}\else\cite{b}\fi", ["a"]),
    (r"\newif\ifdraft \ifdraft\cite{b}\else\cite{a}\fi \drafttrue \ifdraft {\cite{c}}\fi", ["a", "c"]),
    (r"\newif\ifdraft \ifx\x\y \ifdraft\cite{b}\fi \cite{a}\else\cite{c}\fi", ["a", "c"]),
    (r"$a \iff b$ \iffalse\cite{b}\fi\cite{a}", ["a"]),
    (r"\ifthenelse{\boolean{x}}{\cite{a}}{\cite{b}} \iffalse \cite{c}\fi", ["a", "b"]),
]


@pytest.mark.parametrize(("body", "keys"), CITED)
def test_a_citation_counts_where_it_is_printed(body, keys, tmp_path):
    (tmp_path / "refs.bib").write_text("".join(f"@book{{{key}, title = {{Work {key}}}}}\n" for key in "abc"))
    text = f"\\documentclass{{article}}\\begin{{document}}{body}\\bibliography{{refs}}\\end{{document}}"
    assert [one.key for one in read("a.tex", text, tmp_path)] == keys
