"""Documents that cite by key => which keys are not defined, which entries are never cited, who wrote it."""

from __future__ import annotations

import io
import zipfile

import pytest

from citeproof.judgement.checks import examine_set
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence
from citeproof.reading.extractors.base import extract_here
from citeproof.text.names import read_saved_by
from citeproof.vocabulary import Document, FindingLevel

BIB = b"""@book{par, title={The Parent}}
@article{one, title={First of All}, author={Doe, Jane}, crossref={par}}
@article{two, title={Second of All}, author={Doe, Jane}}
"""


class Folder:
    """The files next to a document."""

    def __init__(self, **files):
        self.files = {name.replace("_", "."): data for name, data in files.items()}

    def read(self, path):
        return self.files.get(path)

    def names(self):
        return tuple(self.files)


def examine(name, text, **files):
    """Return (name, keys, line) of what is found about the keys, and the extraction."""
    extraction = extract_here(Document(name, text.encode(), Folder(**(files or {"refs_bib": BIB}))))
    found = examine_set(SetEvidence(name, (), about=extraction.about))
    return [(one.finding.name, one.keys, one.place.line) for one in found], extraction


LATEX = (
    "\\documentclass{article}\n\\begin{document}\nText \\cite{one}%s.\n"
    "\\bibliography{refs}\n\\end{document}\n"
)
TYPST = '= Head\n\nText @one%s.\n\n#bibliography("refs.bib")\n'
MARKDOWN = "---\nbibliography: refs.bib\n%s---\n\n# Head\n\nText [@one%s].\n"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.tex", LATEX % r" and \citep{two}", []),
        ("a.tex", LATEX % "", [("uncited_entry", ("two",), 3)]),
        ("a.tex", LATEX % r" \cite{gone,two}", [("undefined_key", ("gone",), 3)]),
        ("a.tex", LATEX % r" \nocite{*}", []),
        ("a.md", MARKDOWN % ("", "; @two"), []),
        ("a.md", MARKDOWN % ("", "; @gone"),
         [("undefined_key", ("gone",), 7), ("uncited_entry", ("two",), 3)]),
        ("a.md", MARKDOWN % ("nocite: '@*'\n", ""), []),
        ("a.qmd", MARKDOWN % ("", "; @two; @fig-one"), []),
        ("a.typ", TYPST % " @two", []),
        ("a.typ", TYPST % " @gone", [("undefined_key", ("gone",), 3), ("uncited_entry", ("two",), 3)]),
        ("a.typ", (TYPST % "").replace('.bib"', '.bib", full: true'), []),
        ("refs.bib", BIB.decode(), []),  # it has no text that cites
    ],
)  # fmt: skip
def test_keys(name, text, expected):
    assert examine(name, text)[0] == expected


def test_a_bibliography_that_cannot_be_read_is_another_problem():
    found, extraction = examine("a.tex", LATEX % "", other_bib=b"")
    assert found == []
    assert any("does not exist" in one.message for one in extraction.problems)


def test_a_report_prints_each_fact_once():
    found, extraction = examine("a.tex", LATEX % r" \cite{gone}")
    assert sorted({one.finding for one in extraction.problems}) == ["uncited_entry", "undefined_key"]
    assert sorted({name for name, _, _ in found}) == ["uncited_entry", "undefined_key"]


def test_a_printed_list_with_entries_that_are_never_cited():
    items = "\n".join(f"\\bibitem{{{key}}} Jane Doe. The {key} of all. 2001." for key in ("one", "two"))
    text = LATEX.replace(
        "\\bibliography{refs}", f"\\begin{{thebibliography}}{{9}}\n{items}\n\\end{{thebibliography}}"
    )
    assert examine("a.tex", text % "")[0] == [("uncited_entry", ("two",), 6)]
    assert examine("a.tex", (text % "").replace("\\cite{one}", ""))[0] == []  # simply a list


def test_many_undefined_keys_are_one_finding():
    keys = [f"gone{n}" for n in range(30)]
    extraction = examine("a.tex", LATEX % rf" \cite{{two,{','.join(keys)}}}")[1]
    (found,) = examine_set(SetEvidence("a.tex", (), about=extraction.about))
    assert found.finding.detail == "30 keys are cited but not defined"
    assert found.finding.level is FindingLevel.WARNING
    assert found.finding.evidence[0] == "gone0: a.tex, line 3"


JATS = """<?xml version="1.0"?><article><front><article-meta><contrib-group>
<contrib contrib-type="author"><name><surname>Doe</surname><given-names>Jane K</given-names></name></contrib>
<contrib contrib-type="editor"><name><surname>Roe</surname><given-names>Rick</given-names></name></contrib>
</contrib-group></article-meta></front><body><p>Text <xref ref-type="bibr" rid="B9">9</xref>.</p></body>
<back><ref-list><ref id="B1"><element-citation publication-type="journal"><article-title>First of all
</article-title><name><surname>Poe</surname></name><year>2001</year></element-citation></ref></ref-list></back></article>
"""


BOTH = ["Jane Doe", "Rick Roe"]


@pytest.mark.parametrize(
    ("name", "text", "authors"),
    [
        ("a.tex", r"\author{Jane Doe\thanks{Mail} \and Rick van der Roe}", ["Jane Doe", "Rick van der Roe"]),
        ("a.tex", r"\author[1]{Jane Doe}\author[2,*]{Rick Roe}\affil[1]{Some University}", BOTH),
        ("a.tex", r"\author{Jane Doe\inst{1}\orcidID{0000-0002} \and Rick Roe\inst{2}}", BOTH),
        ("a.tex", r"\author{Jane Doe\\ Dept. of X\\ \texttt{a@b.c} \And Rick Roe\\ Y}", BOTH),
        ("a.tex", r"\author{\IEEEauthorblockN{Jane Doe and Rick Roe}\IEEEauthorblockA{Univ. X}}", BOTH),
        ("a.tex", r"\author{The ATLAS Collaboration}", []),
        ("a.tex", r"\author{", []),
        ("a.md", "author: Jane Doe", ["Jane Doe"]),
        ("a.md", "author:\n  - Jane Doe\n  - name: Rick Roe\n    orcid: x", BOTH),
        ("a.md", "authors:\n  - given: Jane\n    family: Doe", ["Jane Doe"]),
        ("a.md", "title: None", []),
        ("a.xml", JATS, ["Jane K Doe"]),
    ],
)  # fmt: skip
def test_the_authors_of_a_document(name, text, authors):
    whole = {
        "a.tex": LATEX.replace("\\begin{document}", f"{text}\n\\begin{{document}}").replace("%s", ""),
        "a.md": MARKDOWN.replace("%s---", f"{text}\n---", 1).replace("%s", ""),
    }
    extraction = examine(name, whole.get(name, text))[1]
    assert [one.display for one in extraction.about.authors] == authors


def test_an_article_that_cites_what_it_does_not_list():
    assert [keys for name, keys, _ in examine("a.xml", JATS)[0] if name == "undefined_key"] == [("B9",)]


def make_zip(**files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as packed:
        for name, text in files.items():
            packed.writestr(name.replace("_", "."), text)
    return held.getvalue()


def test_an_archive_tells_of_its_documents():
    text = (LATEX % r" \cite{gone}").replace("\\begin{document}", "\\author{Jane Doe}\n\\begin{document}")
    about = extract_here(Document("a.zip", make_zip(a_tex=text, refs_bib=BIB.decode()))).about
    assert [one.display for one in about.authors] == ["Jane Doe"]
    assert [(one.key, one.place.file) for one in about.undefined] == [("gone", "a.zip!/a.tex")]
    assert [(one.key, one.place.file) for one in about.uncited] == [("two", "a.zip!/refs.bib")]


def test_what_one_document_of_an_archive_cites_is_in_use():
    packed = make_zip(a_tex=LATEX % "", b_tex=LATEX % r" \cite{two}", refs_bib=BIB.decode())
    assert extract_here(Document("a.zip", packed)).about.uncited == ()


@pytest.mark.parametrize(
    ("stated", "people"),
    [
        ("Jane Doe", ["Jane Doe"]),
        ("Jane Doe; Rick Roe", ["Jane Doe", "Rick Roe"]),
        ("Jane Doe, Rick Roe and Ann Poe", ["Jane Doe", "Rick Roe", "Ann Poe"]),
        ("jdoe", []),
        ("Example University", []),
        ("", []),
        (None, []),
    ],
)
def test_whom_the_properties_of_a_file_name(stated, people):
    assert [one.display for one in read_saved_by(stated)] == people
