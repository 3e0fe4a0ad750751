"""reStructuredText: citations, lists, notes and links are read, code and comments are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.reading.extractors.base import detect_extractor, extract_here
from citeproof.reading.extractors.body.body_reader import read_body
from citeproof.reading.extractors.prose.rst_markup import render_markdown
from citeproof.reading.parse import parse
from citeproof.vocabulary import Document

A = 'R. Tibshirani, "Regression shrinkage and selection via the lasso," J. R. Stat. Soc. B, 58, 1996.'
B = "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521, 436-444."
LIST = f"References\n==========\n\n.. [Tib96] {A}\n.. [LeCun15] {B}\n"
DOI = "https://doi.org/10.1038/nature14539"

FOUND = {
    "citations": (LIST, ["Tib96", "LeCun15"]),
    "labels in lower case": (LIST.replace("Tib96", "tib").replace("LeCun15", "lecun"), ["tib", "lecun"]),
    "numbers": (LIST.replace("Tib96", "1").replace("LeCun15", "2"), ["1", "2"]),
    "names and numbers": (LIST.replace("LeCun15", "1"), ["Tib96", "1"]),
    "numbers and names": (
        f"{LIST}.. [4] {A}\n".replace("Tib96", "1").replace("LeCun15", "Le15"),
        ["1", "Le15", "4"],
    ),
    "outside a list": (f"Ice\n===\n\nText [1]_.\n\n.. [1] {B}\n.. [Note] Only a remark.\n", ["1"]),
    "footnotes": (f"Ice\n===\n\nText [#f]_.\n\n.. [#f] {B}\n.. [#] Only a remark.\n", ["f"]),
    "a rubric": (f"Ice\n===\n\nText.\n\n.. rubric:: References\n\n* {A}\n* {B}\n", ["ref-1", "ref-2"]),
    "numbered by the machine": (
        LIST.replace(".. [Tib96]", "#.").replace(".. [LeCun15]", "#."),
        ["ref-1", "ref-2"],
    ),
    "lines": (LIST.replace(".. [Tib96]", "|").replace(".. [LeCun15]", "|"), ["ref-1", "ref-2"]),
    "a rule above": (f"=====\n{LIST}".replace("=====\nRef", "==========\nRef"), ["Tib96", "LeCun15"]),
    "parts": (f"References\n**********\n\nECG\n===\n\n1. {A}\n\nEDA\n===\n1. {B}\n", ["1", "1"]),
    "an end": (f"Top\n***\n\n{LIST}\nAfter\n=====\n\nText of 2001.\n", ["Tib96", "LeCun15"]),
    "marks alone": (
        f"{LIST}\n| [Other2001]_\n\nOthers: [Byrne2013]_ and [Geen2016]_\n",
        ["Tib96", "LeCun15"],
    ),
    "a comment": (f"{LIST}\n.. Not now:\n   [Old] {A}\n", ["Tib96", "LeCun15"]),
    "code": (f"{LIST}\n.. code-block:: python\n   :linenos:\n\n   # {A}\n\n   # {B}\n", ["Tib96", "LeCun15"]),
    "code behind a colon": (f"Ice\n===\n\nRun this::\n\n   # {A}\n\n{LIST}", ["Tib96", "LeCun15"]),
    "a block in the list": (
        f"References\n==========\n\nGeneral ones are::\n\n   {A}\n\n   {B}\n",
        ["ref-1", "ref-2"],
    ),
    "topics": (
        f"Ice\n===\n\n.. topic:: References:\n\n   - {A}\n   - {B}\n\n.. topic:: Code:\n\n   - See 2001\n",
        ["ref-1", "ref-2"],
    ),
    "a picture": (f"{LIST}\n.. image:: a.png\n   :alt: {A}\n", ["Tib96", "LeCun15"]),
    "footnotes numbered by the machine": (f"Ice\n===\n\nText [#]_.\n\n.. [#] {A}\n.. [#] {B}\n", ["1", "2"]),
    "options": (f"Ice\n===\n\n.. note::\n   :class: of 2001\n\n   1. {A}\n   2. {B}\n", ["1", "2"]),
    "a rule that is too long": (f"{LIST}\n{'=' * 20_000}\n", ["Tib96", "LeCun15"]),
    "a note": (f"Ice\n===\n\n.. note:: Cite this.\n\n   1. {A}\n   2. {B}\n", ["1", "2"]),
    "BibTeX in code": (
        "Ice\n===\n\n.. code:: bibtex\n\n   @article{lecun,\n     title = {Ice},\n\n     year = 2015\n   }\n",
        ["lecun"],
    ),
    "nothing": ("Ice\n===\n\nText of 2001.\n", []),
}


def read(text: str):
    return extract_here(Document("a.rst", text.encode()))


@pytest.mark.parametrize(("text", "keys"), FOUND.values(), ids=FOUND)
def test_what_is_found(text, keys):
    found = read(text)
    assert found.format == "rst"
    assert [one.key for one in found.references] == keys


@pytest.mark.parametrize("text", [text for text, _ in FOUND.values()], ids=FOUND)
def test_the_text_keeps_its_length_and_lines(text):
    for one in (text, text.replace("\n", "\r\n"), text + "=", text.rstrip("\n")):
        shown = render_markdown(one).markdown
        assert (len(shown), shown.count("\n")) == (len(one), one.count("\n"))


PIECES = [
    "`",
    "a b",
    " <",
    "http://x.org",
    ">`_",
    "[ß1]_",
    "[#]_",
    ".. [ß] ",
    ".. note:: ",
    "\n",
    "\n",
    "   ",
    "===",
    "::",
    ":doi:`",
    "@",
    "\\",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_keeps_its_length_and_lines(text):
    shown = render_markdown(text).markdown
    assert (len(shown), shown.count("\n")) == (len(text), text.count("\n"))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_places_are_those_of_the_document(end):
    text = f"Über Eis\n========\n\n{LIST}".replace("\n", end)
    data = text.encode()
    first, second = extract_here(Document("a.rst", data)).references
    assert data[first.place.start : first.place.end].decode() == A
    assert data[second.place.start : second.place.end].decode() == B
    assert (second.place.line, second.place.column) == (8, 14)


LINKS = {
    "its title": f"LeCun, Y. (2015). `Deep learning <{DOI}>`_. Nature, 521.",
    "over two lines": f"LeCun, Y. (2015). `Deep\n   learning <{DOI}>`__. Nature, 521.",
    "broken before the address": f"LeCun, Y. (2015). Deep learning. `10.1038/nature14539\n   <{DOI}>`_",
    "a role": "LeCun, Y. (2015). Deep learning. *Nature* **521**. :doi:`10.1038/nature14539`",
    "escapes": f'\\Y. LeCun, "`Deep learning <{DOI}>`_", *Nature* 521 (2015).',
}


@pytest.mark.parametrize("entry", LINKS.values(), ids=LINKS)
def test_links_are_read_as_their_words_and_addresses(entry):
    (raw,) = read(f"References\n==========\n\n.. [L15] {entry}\n").references
    told = parse(raw).claimed
    assert told.title == "Deep learning"
    assert told.ids.first("doi") == "10.1038/nature14539"
    assert [name.family for name in told.authors] == ["LeCun"]


def test_citing_sentences():
    found = read(
        f"Ice\n===\n\nThe lasso shrinks [tib]_. It is deep [LeCun15]_.\n\n{LIST.replace('Tib96', 'tib')}"
    )
    assert [one.citing for one in found.references] == [
        ("The lasso shrinks [Tib].",),
        ("It is deep [LeCun15].",),
    ]


def test_a_bibliography_elsewhere_is_told():
    (problem,) = read("References\n==========\n\n.. bibliography:: refs.bib\n   :style: plain\n").problems
    assert problem.place.line == 4
    assert ".bib" in problem.hint


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.txt", f"Ice\n===\n\nSee [Tib96]_.\n\n{LIST}", "rst"),
        ("a.rst", "@article{a, title = {Ice}, year = 2001}\n", "bibtex"),
        ("a.md", f"Ice\n===\n\nSee **it**.\n\n# References\n\n- {A}\n", "markdown"),
        ("a.txt", f"References\n\n[1] {A}\n", "plain_text"),
    ],
)
def test_detection(name, text, format):  # noqa: A002 - as the extraction calls it
    assert detect_extractor(Document(name, text.encode())).name == format


def test_the_body_has_neither_list_nor_code():
    text = f"Ice\n===\n\nIt *melts* [Tib96]_.\n\n.. code:: python\n\n   melt()\n\n{LIST}"
    body = read_body(Document("a.rst", text.encode()))
    assert "It melts" in body.text
    assert "melt()" not in body.text
    assert "lasso" not in body.text
