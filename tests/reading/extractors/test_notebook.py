"""Notebooks: the Markdown cells are read, code and output are not, places are the cells."""

import json

import pytest

from citeproof.reading.extractors.base import detect_extractor, extract_here
from citeproof.vocabulary import Document
from tests.reading.extractors.folder import Files

LIST = "## References\n\n- LeCun, Y. (2015). Deep learning. Nature, 521, 436-444.\n"
TALK = "As shown by LeCun (2015), it works.\n"


def cell(kind, source):
    return {"cell_type": kind, "metadata": {"title": "x", "author": "y"}, "source": source, "outputs": []}


def notebook(*cells, **top):
    held = {"cells": list(cells), "metadata": {"authors": []}, "nbformat": 4, "nbformat_minor": 5, **top}
    return Document("a.ipynb", json.dumps(held, indent=1).encode())


CASES = [
    ("a string", [cell("markdown", LIST)], ["Deep learning"]),
    ("lines", [cell("markdown", LIST.splitlines(keepends=True))], ["Deep learning"]),
    ("code", [cell("code", LIST), cell("raw", LIST)], []),
    ("no text", [cell("markdown", None), cell("markdown", [1]), cell("markdown", LIST)], ["Deep learning"]),
    ("half a pair", [cell("markdown", "\ud800\n" + LIST)], ["Deep learning"]),
    ("none", [], []),
]


@pytest.mark.parametrize(("cells", "titles"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_markdown_cells_are_read_and_nothing_else(cells, titles):
    document = notebook(cell("code", "1 + 1"), *cells)
    assert detect_extractor(document).name == "notebook"
    found = extract_here(document)
    assert found.format == "notebook"
    assert len(found.references) == len(titles)
    assert all(title in one.text for one, title in zip(found.references, titles, strict=True))


def test_a_reference_stands_in_its_cell_and_is_cited_from_another():
    document = notebook(cell("markdown", TALK), cell("code", "x"), cell("markdown", LIST))
    (one,) = extract_here(document).references
    assert json.loads(document.data[one.place.start : one.place.end])["source"] == LIST
    assert one.citing == (TALK.strip(),)


def test_a_notebook_cites_by_key_from_the_file_beside_it():
    beside = Files({"refs.bib": b"@article{k, title = {Deep learning}, year = 2015}"})
    document = notebook(cell("markdown", "---\nbibliography: refs.bib\n---\nAs [@k] shows."))
    (one,) = extract_here(Document(document.name, document.data, beside)).references
    assert (one.place.file, one.claimed.title) == ("refs.bib", "Deep learning")


def test_what_stands_before_a_broken_cell_is_kept():
    whole = notebook(cell("markdown", LIST), cell("markdown", TALK))
    broken = Document("a.ipynb", whole.data[: whole.data.index(b"As shown")])
    found = extract_here(broken)
    assert len(found.references) == 1
    assert "broken in this cell" in found.problems[0].message
    assert found.problems[0].place.line > found.references[0].place.line
