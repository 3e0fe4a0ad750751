r"""LaTeX: real projects compiled by real programs, and tables of the commands and traps of `.tex` files."""

import gzip
import io
import re
import tarfile
from pathlib import Path

import pytest
import zstandard

from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.latex import EXTRACTOR
from citeproof.reading.extractors.latex.cite_commands import find_cites
from citeproof.reading.extractors.latex.latex_words import render_entry
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.reading.parse import parse
from citeproof.vocabulary import Document, Extraction, Kind
from tests.growth import grows_linearly
from tests.reading.extractors.folder import Files, folder, project
from tests.reading.extractors.mutants import mutants, outcome
from tests.soak import choose_cases

FIXTURES = Path(__file__).parents[2] / "fixtures" / "latex"
DATA = Path(__file__).parents[4] / "shared" / "data" / "documents"

BIB = """@article{a, author={LeCun, Yann}, title={Deep learning}, journal={Nature}, year=2015}
@article{b, author={Breiman, Leo}, title={Random Forests}, journal={Machine Learning}, year=2001}
@article{c, author={Shannon, C. E.}, title={A Mathematical Theory of Communication}, year=1948}
"""


def keys(document):
    return [one.key for one in EXTRACTOR.extract(document).references]


def tex(body, **files):
    return project("main.tex", main_tex=body, **{"refs_bib": BIB, **files})


def test_a_natbib_project():
    extraction = EXTRACTOR.extract(folder(FIXTURES / "natbib" / "main.tex"))
    found = {one.key: one for one in extraction.references}
    assert list(found) == [
        *("lecun2015", "erdos1960", "he2016", "shannon1948", "kingma2014", "goodfellow2016", "benjamini1995"),
    ]
    assert extraction.expected == 8  # one key is undefined
    assert found["he2016"].claimed.venue.startswith("2016 IEEE Conference")  # inherited by crossref
    assert (found["kingma2014"].place.file, found["kingma2014"].place.line) == ("more.bib", 1)
    assert found["lecun2015"].citing == (
        "The field of deep learning was reviewed by [lecun2015].",
        "Residual networks, i.e. networks with skip connections, are deep [he2016, lecun2015].",
        "But see [missing2099] and [lecun2015].",
    )
    assert found["benjamini1995"].citing == ()  # \nocite
    told = {(p.place.file, p.place.line, p.place.column): (p.message, p.note) for p in extraction.problems}
    assert "'chapters/absent' does not exist" in told["main.tex", 17, 1][0]
    assert "'missing2099' is cited but not defined" in told["chapters/method.tex", 3, 24][0]
    assert "also defined in refs.bib" in told["more.bib", 19, 1][0]
    message, note = told["refs.bib", None, None]
    assert (message, note) == (
        "2 entries of refs.bib are never cited and skipped: watson1953, breiman2001",
        True,
    )


def test_the_compiled_bibliography_stands_in_for_a_missing_one():
    extraction = EXTRACTOR.extract(folder(FIXTURES / "natbib" / "main.tex", without=(".bib",)))
    assert {one.place.file for one in extraction.references} == {"main.bbl"}
    assert len(extraction.references) == 7
    assert "Paul Erdős and Alfréd Rényi." in next(
        o.text for o in extraction.references if o.key == "erdos1960"
    )
    undefined = [p.message for p in extraction.problems if "is cited" in p.message]
    assert undefined == ["the key 'missing2099' is cited, but the bibliography 'refs.bib' does not exist"]


def test_nothing_to_be_had_makes_every_key_a_problem():
    document = folder(FIXTURES / "natbib" / "main.tex", without=(".bib", ".bbl"))
    extraction = EXTRACTOR.extract(document)
    assert extraction.references == ()
    undefined = [p for p in extraction.problems if "is cited, but" in p.message]
    assert len(undefined) == extraction.expected == 8
    assert all("'refs.bib' does not exist" in p.message and p.place.line for p in undefined)
    alone = EXTRACTOR.extract(Document(document.name, document.data))
    assert alone.references == ()
    assert sum("is cited, but" in p.message for p in alone.problems) == 3


def test_a_biblatex_project():
    extraction = EXTRACTOR.extract(folder(FIXTURES / "biblatex" / "main.tex"))
    found = {one.key: one for one in extraction.references}
    assert list(found) == ["einstein1905", "kahneman1979", "knuth1997", "vaswani2017", "who2020"]
    assert found["kahneman1979"].citing == ("In contrast, [prospect] measure losses.",)
    assert found["vaswani2017"].citing[0] == "Several works agree [einstein1905, vaswani2017]."
    assert found["who2020"].claimed.authors[0].collective


@pytest.mark.parametrize("how", ["beside", "alone"])
def test_the_bbl_of_biblatex_is_structured(how):
    path = FIXTURES / "biblatex" / ("main.tex" if how == "beside" else "main.bbl")
    extraction = EXTRACTOR.extract(folder(path, without=(".bib",)))
    found = {one.key: one for one in extraction.references}
    assert len(found) == 5
    einstein = found["einstein1905"]
    assert einstein.claimed.title == "Zur Elektrodynamik bewegter Körper"
    assert (einstein.claimed.year, einstein.claimed.pages, einstein.kind) == (1905, "891-921", Kind.ARTICLE)
    assert einstein.claimed.ids.first("doi") == "10.1002/andp.19053221004"
    assert [name.family for name in found["vaswani2017"].claimed.authors][-2:] == ["Kaiser", "Polosukhin"]
    assert found["vaswani2017"].claimed.ids.first("arxiv") == "1706.03762"
    assert (einstein.place.file, einstein.place.line) == ("main.bbl", 22)


STYLES = sorted(path.stem for path in (FIXTURES / "styles").glob("*.bbl"))


@pytest.mark.parametrize("style", STYLES)
def test_every_style_becomes_plain_words(style):
    document = Document(f"{style}.bbl", (FIXTURES / "styles" / f"{style}.bbl").read_bytes())
    assert detect_extractor(document).name == "latex"
    extraction = EXTRACTOR.extract(document)
    found = {one.key: one.text for one in extraction.references}
    assert sorted(found) == ["goodfellow2016", "he2016", "kingma2014", "lecun2015", "shannon1948"]
    assert extraction.expected == 5
    assert not extraction.problems
    for text in found.values():
        assert not set("\\{}~%$") & set(text)
        assert not any(
            word in text for word in ("newblock", "natexlab", "bibinfo", "APAC", "tempurl", "NoStop")
        )
        assert not re.search(r"btx|harvard|mcite|bgroup|BibDash|mn@|prefix|[Ll]abel|[a-z]@", text)
    (he,) = (one for one in extraction.references if one.key == "he2016")
    people = parse(he).claimed
    assert [name.family.title() for name in people.authors][:1] == ["He"]
    assert people.et_al or people.authors[-1].family == "Sun"
    assert "Goodfellow" in found["goodfellow2016"].title()
    assert "2015" in found["lecun2015"]
    if style in ("plainnat", "apacite", "ACM-Reference-Format", "apsrev4-2", "elsarticle-num", "mnras"):
        assert "10.1038/nature14539" in found["lecun2015"]


def test_a_list_in_the_document_is_printed_whole():
    extraction = EXTRACTOR.extract(folder(FIXTURES / "listed" / "paper.tex"))
    assert [one.key for one in extraction.references] == ["shannon", "Ein05", "watson"]
    shannon, einstein, _ = extraction.references
    assert shannon.text.endswith("(1948). doi https://doi.org/10.1002/j.1538-7305.1948.tb01338.x")
    assert einstein.text.endswith("(1905)")  # only the label holds the year
    assert einstein.place.line == 10
    assert shannon.citing == ("Information has a measure [shannon].", "Bodies move [Ein05, shannon].")
    assert extraction.expected == 4
    messages = [(p.message, p.note) for p in extraction.problems]
    assert ("the key 'nowhere' is cited but not defined", False) in messages
    assert ("1 entry of paper.tex is listed but never cited: watson", True) in messages


# What stands in the text => which keys it cites.
COMMANDS = {
    r"\cite{a}": ["a"],
    r"\cite{a,b}": ["a", "b"],
    r"\cite{ a ,  b }": ["a", "b"],
    "\\cite{a,%\n  b}": ["a", "b"],
    r"\cite[p.~3]{a}": ["a"],
    r"\citep[see][p.~3]{a}": ["a"],
    r"\citep*[see][]{a}": ["a"],
    r"\citet{a} and \Citealp{b}": ["a", "b"],
    r"\textcite[12]{a}\parencite{b}\footcite{c}": ["a", "b", "c"],
    r"\autocites(see)(end)[1]{a}[2]{b}{c}": ["a", "b", "c"],
    r"\citeauthor{a}, \citeyear{a}, \citetitle{b}": ["a", "b"],
    r"\fullcite{a}\bibentry{b}\supercite{c}": ["a", "b", "c"],
    r"\volcite{2}[12]{a}": ["a"],
    r"\textcquote[12]{a}{words}": ["a"],
    r"\foreigntextcquote{german}[12]{a}{Worte}": ["a"],
    r"\citep[see \citealp{b}]{a}": ["a", "b"],
    r"\citetext{see \citealp{a}}": ["a"],
    r"\cite{a,\cite{b,c}}": ["a", "c", "b"],
    r"\cite{a,\cite{b,\cite{c,a}}}": ["a", "b", "c"],
    r"\onlinecite{a}\shortcite{b}": ["a", "b"],
    r"\nocite{b}\cite{a}": ["b", "a"],
    r"\nocite{*}": ["a", "b", "c"],
    r"\cite{a}\nocite{*}": ["a", "b", "c"],
    r"\newcommand{\my}[1]{\cite{#1}}\my{a}": ["a"],
    r"\newcommand\my[2][]{(\citep[#1]{#2})}\my[p. 1]{a}\my{b}": ["a", "b"],
    r"\def\my#1{\cite{#1}}\my{a}": ["a"],
    r"\newcommand{\my}[2]{#1 \cite{#2}}\my{words}{b}": ["b"],
    r"\newcommand{\forest}{Forest~\cite{b}}\forest": ["b"],
    r"\newcommand{\forest}{Forest~\cite{b}} not used, \cite{a}": ["a"],
    r"\NewDocumentCommand{\my}{O{} m}{\citep[#1]{#2}}\my{a}": ["a"],
    r"\let\old\cite \old{a}": ["a"],
    r"\cite{a} % \cite{b}": ["a"],
    r"\cite{a} \% \cite{b}": ["a", "b"],
    r"\cite{a} \verb|\cite{b}|": ["a"],
    r"\begin{verbatim}\cite{b}\end{verbatim}\cite{a}": ["a"],
    r"\begin{lstlisting}\cite{b}\end{lstlisting}\cite{a}": ["a"],
    r"\begin{comment}\cite{b}\end{comment}\cite{a}": ["a"],
    r"\iffalse\cite{b}\fi\cite{a}": ["a"],
    r"\iffalse\ifx\x\y\cite{b}\fi\cite{b}\else\cite{a}\fi": ["a"],
    r"\url{http://x.org/%20a}\cite{a}": ["a"],
    r"\setcitestyle{numbers}\citestyle{a}\cite{b}": ["b"],
    r"\cite{a}\end{document}\cite{b}": ["a"],
    r"\begin{filecontents}{x.tex}\cite{b}\end{filecontents}\cite{a}": ["a"],
}


@pytest.mark.parametrize("body", COMMANDS)
def test_what_a_command_cites(body):
    assert keys(tex(body + "\n\\bibliography{refs}")) == COMMANDS[body]


def test_a_mark_of_very_many_keys_loses_none():
    many = [f"{number:03x}" for number in range(1_100)]
    text = "\\newcommand{\\my}{\\cite{x,y}}See \\cite{\\my ," + ",".join(many) + "}."
    found, *_ = find_cites(text)
    assert [key for one in found for key in one.keys] == [*many, "x", "y"]
    assert [one.shown for one in found] == [True, False]


FILES = {
    "input": (r"\input{x}", {"x_tex": r"\cite{a}"}, ["a"]),
    "input with ending": (r"\input{x.tex}", {"x_tex": r"\cite{a}"}, ["a"]),
    "input without braces": ("\\input x\n", {"x_tex": r"\cite{a}"}, ["a"]),
    "include in a folder": (r"\include{ch/x}", {"ch__x_tex": r"\cite{a}"}, ["a"]),
    "relative to the including file": (
        r"\subfile{ch/x}",
        {"ch__x_tex": r"\input{y}", "ch__y_tex": r"\cite{b}"},
        ["b"],
    ),
    "import": (r"\import{ch/}{x}", {"ch__x_tex": r"\cite{a}"}, ["a"]),
    "commented out": (r"%\input{x}", {"x_tex": r"\cite{a}"}, []),
    "a loop": (r"\input{x}", {"x_tex": r"\cite{a}\input{y}", "y_tex": r"\input{x}\cite{b}"}, ["a", "b"]),
    "itself": (r"\input{main}\cite{a}", {}, ["a"]),
    "never, in another way": ("\\if0 \\cite{b}\\else\\cite{a}\\fi \\if 01\\cite{c}\\fi", {}, ["a"]),
    "twice": (r"\input{x}\input{x}", {"x_tex": r"\cite{a}"}, ["a"]),
    "document order": (r"\cite{c}\input{x}\cite{a}", {"x_tex": r"\cite{b}"}, ["c", "b", "a"]),
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_put_in_where_they_stand(name):
    body, files, expected = FILES[name]
    assert keys(tex(body + "\n\\bibliography{refs}", **files)) == expected


BIBLIOGRAPHIES = {
    "named": (r"\cite{a}\bibliography{refs}", {}, "refs.bib"),
    "with ending": (r"\cite{a}\addbibresource{refs.bib}", {}, "refs.bib"),
    "none named": (r"\cite{a}", {}, "refs.bib"),
    "in another folder": (
        r"\cite{x}\bibliography{lib}",
        {"bib__lib_bib": "@book{x, title={T}}"},
        "bib/lib.bib",
    ),
    "written in the document": (
        "\\begin{filecontents}{x.bib}\n@book{x, title={T}}\n\\end{filecontents}\\cite{x}\\bibliography{x}",
        {},
        "main.tex",
    ),
}


@pytest.mark.parametrize("name", BIBLIOGRAPHIES)
def test_where_bibliographies_are_found(name):
    body, files, expected = BIBLIOGRAPHIES[name]
    [one] = EXTRACTOR.extract(tex(body, **files)).references
    assert one.place.file == expected


def test_an_entry_written_in_the_document_has_its_line():
    written = "\\begin{filecontents}{own.bib}\n@book{x, title={T}}\n\\end{filecontents}"
    body = f"\\cite{{x}}\n{written}\n\\bibliography{{own}}"
    [one] = EXTRACTOR.extract(tex(body)).references
    assert one.place.line == 3


TROUBLE = {
    "no such file": (r"\cite{a}\input{gone}\bibliography{refs}", "'gone' does not exist", "main.tex"),
    "a made name": (r"\cite{a}\input{\dir/x}\bibliography{refs}", "made by a macro", "main.tex"),
    "a loop": (r"\cite{a}\input{main}\bibliography{refs}", "includes itself", "main.tex"),
    "an open environment": (
        "\\cite{a}\\bibliography{refs}\n\\begin{verbatim}",
        "verbatim is not closed",
        "main.tex",
    ),
    "a binary file": (r"\cite{a}\input{bin}\bibliography{refs}", "cannot be read", "main.tex"),
    "a bibliography above the folder": (r"\cite{a}\bibliography{../lib}", "is outside", "main.tex"),
    "no bibliography": (r"\cite{a}\bibliography{gone}", "'gone.bib' does not exist", "main.tex"),
}


@pytest.mark.parametrize("name", TROUBLE)
def test_trouble_is_told_at_its_place(name):
    body, message, file = TROUBLE[name]
    extraction = EXTRACTOR.extract(tex(body, bin_tex="\0\1"))
    [problem] = [p for p in extraction.problems if message in p.message and "is cited" not in p.message]
    assert (problem.place.file, bool(problem.place.line), bool(problem.hint)) == (file, True, True)


def test_problems_of_entries_that_are_not_cited_are_left_out():
    bib = BIB + "@article{bad, title={X} year=2001}\n@article{worse, title={Y} year=2002}"
    extraction = EXTRACTOR.extract(tex(r"\cite{a,worse}\bibliography{refs}", refs_bib=bib))
    told = [p.message for p in extraction.problems if not p.note]
    assert len(told) == 1
    assert "'worse'" in told[0]


def test_entries_are_read_as_people_write_them():
    assert render_entry(r"D.~E. Knuth, \emph{The {\TeX}book} (1984). \url{https://a.org/x_y}") == (
        "D. E. Knuth, The TeXbook (1984). https://a.org/x_y"
    )
    assert render_entry(r"\href{https://doi.org/10.1/x}{A title}, {\em J. Phys.} {\bf 3}") == (
        "A title, J. Phys. 3 https://doi.org/10.1/x"
    )


RECOGNISED = [
    (r"\documentclass{article}\begin{document}x\end{document}", "main.tex", "latex"),
    ("\\section{A}\nWords \\cite{a} and \\ref{b}.", "part.tex", "latex"),
    ("\\begin{thebibliography}{9}\n\\bibitem{a} X\n\\end{thebibliography}", "x", "latex"),
    (
        "\\begin{filecontents}{a.bib}\n@book{a, title={T}}\n\\end{filecontents}\n\\documentclass{article}",
        "x.tex",
        "latex",
    ),
    ("@article{a, title={Deep \\emph{learning} \\textbf{now}}}", "a.bib", "bibtex"),
    (
        "# Notes\n\n```latex\n\\documentclass{x}\n\\section{a}\n```\n\n**b** [c](https://d.org)",
        "a.md",
        "markdown",
    ),
    ("# Maths\n\n$$\\begin{align}\\label{a} x \\ref{b} \\textbf{y} \\end{align}$$\n" * 9, "a", "markdown"),
    ("Words with a \\ in it.", "a.txt", "plain_text"),
]


@pytest.mark.parametrize(("text", "name", "expected"), RECOGNISED)
def test_latex_is_told_from_its_neighbours(text, name, expected):
    assert detect_extractor(Document(name, text.encode())).name == expected


def test_a_flood_of_files_is_refused(monkeypatch):
    monkeypatch.setattr("citeproof.reading.extractors.latex.latex_source.MAX_TEXT", 200_000)
    huge = "word " * 20_000
    names = {f"x{n}_tex": huge for n in range(3)}
    body = "".join(f"\\input{{x{n}}}" for n in range(3))
    with pytest.raises(InputError, match="more than 200,000 characters") as raised:
        EXTRACTOR.extract(tex(body, **names))
    assert raised.value.hint


def test_a_path_out_of_the_folder_is_only_asked_for():
    document = tex(r"\input{../../etc/passwd}\input{/etc/passwd}\cite{a}\bibliography{../../lib}")
    extraction = EXTRACTOR.extract(document)
    assert sum("is outside" in p.message for p in extraction.problems if "is cited" not in p.message) == 3


UNITS = [
    *(
        "\\cite{a} ",
        "\\cite[",
        "\\cite{",
        "{",
        "}",
        "%\n",
        "\\input{x}",
        "\\begin{verbatim}",
        "\\iffalse ",
        "\\if0 ",
        "\\if x",
    ),
    *(
        "\\newcommand{\\x}{",
        "\\bibitem{a} b\n",
        "\\bibitem[{",
        "\\footnote{a",
        "\\entry{a}{b}{}",
        "\\href{a}{",
        "word. ",
    ),
    *("\\begin{thebibliography}{9}", "\\verb|", "\\def\\a#1{\\cite{#1}}\\a{b}", "\\APACrefatitle {", "$x$ "),
]


TYPED = r"""\documentclass{article}\begin{document}
\section{Old} Smith wrote in 2019 (Smith, 2019).
\section*{References}
What we read.

%s
\section{Appendix} Miller, K. (2019). Not here. Nature.
\end{document}
"""
FIRST = r"LeCun, Y., Bengio, Y., \& Hinton, G. (2015). \emph{Deep learning}. Nature, 521, 436--444."
SECOND = r"Breiman, L. (2001). Random forests. \url{https://doi.org/10.1023/A:1010933404324}"
LISTED = {
    "paragraphs": f"{FIRST}\n\n{SECOND}",
    "items": rf"\begin{{enumerate}}\item {FIRST} \item[2.] {SECOND} \end{{enumerate}}",
    "lines": rf"{FIRST}\\[2pt] {SECOND}",
    "parts": rf"\subsection*{{Books}} {FIRST} \subsection*{{Papers}} {SECOND}",
}


@pytest.mark.parametrize("name", LISTED)
def test_a_list_that_is_typed(name):
    text = TYPED % LISTED[name]
    first, second = EXTRACTOR.extract(project("main.tex", main_tex=text)).references
    assert first.text == "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521, 436–444."
    assert second.text == "Breiman, L. (2001). Random forests. https://doi.org/10.1023/A:1010933404324"
    assert text[first.place.start : first.place.end] == FIRST
    assert text[second.place.start : second.place.end] == SECOND


def test_a_typed_list_behind_the_appendix():
    text = (TYPED % FIRST).replace(r"\section*{Ref", r"\appendix \section{Proofs} Text. \section*{Ref")
    assert len(EXTRACTOR.extract(project("main.tex", main_tex=text)).references) == 1
    cut = (TYPED % FIRST).replace(r"\section{App", r"\appendix \section{App")
    assert len(EXTRACTOR.extract(project("main.tex", main_tex=cut)).references) == 1


def test_a_typed_list_is_not_read_where_keys_are_cited():
    assert keys(tex(r"\cite{a} \bibliography{refs}" + TYPED % FIRST)) == ["a"]


@pytest.mark.growth
@pytest.mark.parametrize(
    "unit",
    [
        "\\section{References}\n",
        "\\part{References}\\section{a}",
        "\\item a 2001 \\section{References}",
        "\n\n b (2001). c",
    ],
)
def test_typed_lists_are_linear(unit):
    assert grows_linearly(lambda size: EXTRACTOR.extract(tex("\\section{References}" + (unit * size)[:size])))


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(UNITS))
def test_extraction_is_linear(unit):
    assert grows_linearly(lambda size: EXTRACTOR.extract(tex("\\cite{a}" + (unit * size)[:size])))


@pytest.mark.soak
@pytest.mark.parametrize(
    "name", ["natbib/main.tex", "biblatex/main.tex", "biblatex/main.bbl", "listed/paper.tex"]
)
def test_no_damage_stops_it(name):
    whole = folder(FIXTURES / name)
    for data in mutants(whole.data, 300, seed=7):
        assert outcome(EXTRACTOR.extract, Document(whole.name, data, whole.beside))


@pytest.mark.soak
@pytest.mark.parametrize("beside", ["refs.bib", "main.bbl", "chapters/intro.tex"])
def test_no_damage_beside_it_stops_it(beside):
    whole = folder(FIXTURES / "natbib" / "main.tex", without=(".bib",) if beside == "main.bbl" else ())
    for data in mutants(whole.beside.held[beside], 100, seed=8):
        files = Files({**whole.beside.held, beside: data})
        assert isinstance(EXTRACTOR.extract(Document(whole.name, whole.data, files)), Extraction)


def test_citations_come_with_their_spans():
    found, _, _ = find_cites(r"x \citep[a]{k} y")
    assert [(cite.start, cite.end) for cite in found] == [(2, 14)]


def _member(packed, name):
    """Return the gzip of that name inside the packed documents, decompressed."""
    with zstandard.open(packed) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for one in archive:
            if one.isfile() and one.name.endswith(name) and (held := archive.extractfile(one)):
                return gzip.decompress(held.read())
    raise AssertionError(name)


ARXIV = {"1911.02782": ("main.tex", 55), "2004.14974": ("emnlp2020.tex", 36)}


@pytest.mark.data
@pytest.mark.parametrize("paper", ARXIV)
def test_sources_from_arxiv(paper):
    packed = DATA / "doc2json_pdf_jats_tex.tar.zst"
    if not packed.exists():
        pytest.skip("the shared data folder is not here")
    main, count = ARXIV[paper]
    with tarfile.open(fileobj=io.BytesIO(_member(packed, f"{paper}.gz"))) as archive:
        files = {
            one.name.removeprefix("./"): held.read()
            for one in archive.getmembers()
            if one.isfile() and (held := archive.extractfile(one))
        }
    extraction = EXTRACTOR.extract(Document(main, files[main], Files(files)))
    assert len(extraction.references) == extraction.expected == count
    assert not [problem for problem in extraction.problems if not problem.note]
    cited = [one for one in extraction.references if one.citing]
    assert len(cited) > 0.95 * count
    assert not any("\\" in sentence or "{" in sentence for one in cited for sentence in one.citing)


@pytest.mark.parametrize(
    ("given", "named", "folder"),
    [
        ("thesis/one/main.tex", "../lib", "'thesis'"),
        ("a/b/c/main.tex", "../../x/lib", "'a'"),
        ("main.tex", "../lib", "'..'"),
    ],
)
def test_the_mend_names_the_folder_that_holds_both(tmp_path, monkeypatch, given, named, folder):
    monkeypatch.chdir(tmp_path)
    path = Path(given)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = rf"\documentclass{{a}}\cite{{a}}\bibliography{{{named}}}"
    problems = EXTRACTOR.extract(Document(given, text.encode(), FolderFiles(path.parent))).problems
    assert any(f"check the folder {folder} as a whole" in problem.hint for problem in problems)


BIBER = r"""\refsection{0}
\datalist[entry]{none/global//global/global/global}
\entry{glove}{inproceedings}{}{}
  \name{author}{1}{}{%
    {{hash=1}{%
       family={Pennington},
       given={Jeffrey}}}%
  }
  \field{title}{GloVe: Global Vectors}
  \field{year}{2014}
\endentry
\enddatalist
\endrefsection
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["here", "Windows"])
def test_biblatex_lists_with_any_line_ends(end):
    document = Document("main.bbl", BIBER.replace("\n", end).encode())
    (one,) = EXTRACTOR.extract(document).references
    assert (one.claimed.title, one.claimed.year) == ("GloVe: Global Vectors", 2014)


def test_the_language_of_an_entry_is_no_part_of_it():
    text = r"\begin{thebibliography}{1} \bibitem{a} \selectlanguageifdefined{ru} \BibEmph{Gropp,~W.} MPI."
    (one,) = EXTRACTOR.extract(
        Document("main.bbl", f"{text}\\BibDoi{{10.1/x}} \\end{{thebibliography}}".encode())
    ).references
    assert one.text == "Gropp, W. MPI. doi:10.1/x"


def test_a_label_that_bibtex_cut_within_its_braces():
    text = "\\begin{thebibliography}{1}\n\\bibitem[{Harvey} {et~al.}{{Ha]{Harvey:2006}\n{Harvey} P., ApJ, 6\n"
    (one,) = EXTRACTOR.extract(Document("main.bbl", f"{text}\\end{{thebibliography}}".encode())).references
    assert (one.key, one.text) == ("Harvey:2006", "Harvey P., ApJ, 6")


AMSREFS = r"""\begin{bibdiv}
\begin{biblist}
\bib{rumelhart}{incollection}{
      author={Rumelhart, David~E.},
      author={Hinton, Geoffrey~E.},
       title={Learning {Internal} Representations},
   booktitle={Parallel Distributed Processing},
        date={1986},
       pages={318\ndash 362},
}
\end{biblist}
\end{bibdiv}
"""


def test_the_entries_of_amsrefs_are_structured():
    extraction = EXTRACTOR.extract(Document("paper.tex", AMSREFS.encode()))
    (one,) = extraction.references
    told = one.claimed
    assert (one.key, one.place.line, told.title) == ("rumelhart", 3, "Learning Internal Representations")
    assert [name.family for name in told.authors] == ["Rumelhart", "Hinton"]
    assert (told.year, told.pages, told.venue) == (1986, "318-362", "Parallel Distributed Processing")
    assert one.text.rstrip().endswith("}")


def test_an_entry_of_amsrefs_inside_a_book():
    text = r"""\begin{biblist}
\bib{ice}{article}{author={Ice, Ann}, title={On {\bf $\mathbb{Q}^{\mathrm{x}}$} and ice},
  book={title={The Book of Ice}, date={1999}}, pages={1\ndash 9}}
\end{biblist}"""
    (one,) = EXTRACTOR.extract(Document("paper.tex", text.encode())).references
    assert one.claimed.title.endswith("and ice")
    assert (one.claimed.year, one.claimed.venue, one.claimed.pages) == (1999, "The Book of Ice", "1-9")


def test_the_name_of_a_program_stays_in_a_title():
    entry = r"\bibitem{a} Ice, A. Notes on \BibTeX{} files. 2001."
    text = rf"\begin{{thebibliography}}{{9}} {entry} \end{{thebibliography}}"
    (one,) = EXTRACTOR.extract(Document("a.bbl", text.encode())).references
    assert "Notes on BibTeX files" in one.text


def test_the_list_of_nothing_is_no_list():
    text = "% $ biblatex auxiliary file $\n\\begingroup\n\\datalist[entry]{nyt}\\enddatalist\n\\endinput\n"
    document = Document("main.bbl", text.encode())
    assert detect_extractor(document).name == "latex"
    assert not EXTRACTOR.extract(document).references


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (r"\bauthor{\bsnm{Ice},~\bfnm{Ann}\binits{A.}} \bid{doi={10.1/x},mr={1}}", "Ice, Ann doi:10.1/x"),
        (r"\begin{barticle}[author] \bsnm{Ice} \end{barticle} \endbibitem", "Ice"),
        (r"Ice A., \mn@doi [\mnras] {10.1/x}, \href {https://a.org/b\&c} {462, 7} \makeatother",
         ("Ice A., Monthly Notices of the Royal Astronomical Society, 462, 7 https://a.org/b&c"
          " https://doi.org/10.1/x")),
        (r"Ice A 2015 The ice {\it Nature} {\bf 5} 7", "Ice A 2015 The ice. Nature 5 7"),
        (r"Ice A 2015 Genome of {\em E. coli} in ice", "Ice A 2015 Genome of E. coli in ice"),
        (r"Ice A 2015 Ice from {\em Bacillus subtilis} (Bs)", "Ice A 2015 Ice from Bacillus subtilis (Bs)"),
        (r"Ice A. \harvardyearleft 2016\harvardyearright , Ice", "Ice A. (2016), Ice"),
        (r"Ice\bblFirstnameSep{}A\bblAuthorYearSep{}\bblYear{2015}\bibpunctuation Ice", "Ice, A, 2015 Ice"),
        (r"Ice, A.\AX{ice @Ice} \eprint{https://arxiv.org/abs/1412.6980}{1412.6980}", "Ice, A. 1412.6980"),
        (r"\doiref{10.1/x}{Nature \textbf{5}}", "Nature 5 10.1/x"),
        (r"\href {\doibase 10.1/x} {Nature} 5", "Nature 5 https://doi.org/10.1/x"),
        (r"Ice, A.: 1948, `The sea's ice'. Nature", "Ice, A.: 1948, “The sea's ice”. Nature"),
        (r"Ice\btxauthorcolon\ \btxifchangecase {the ice}{The Ice}, \btxprintmonthyear{.}{Jan}{2012}{long}.",
         "Ice: The Ice, Jan 2012."),
    ],
)  # fmt: skip
def test_what_the_commands_of_styles_print(source, words):
    text = f"\\begin{{thebibliography}}{{1}}\n\\bibitem{{a}} {source}\n\\end{{thebibliography}}"
    (one,) = EXTRACTOR.extract(Document("main.bbl", text.encode())).references
    assert one.text == words
