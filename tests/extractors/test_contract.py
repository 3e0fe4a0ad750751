"""What every extractor of the folder must do, and which one a document gets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.errors import InputError
from citeproof.extractors.base import detect, extract, extractors
from citeproof.vocabulary import Document

BIB = "@article{k, title = {Deep learning}, year = 2015}"
CSL = '[{"id": "k", "type": "article-journal", "title": "Deep learning"}]'
MD = "# Notes\n\n## References\n\n- LeCun, Y. (2015). Deep learning. Nature."
TXT = "[1] LeCun, Y. (2015). Deep learning. Nature."


@pytest.mark.parametrize("one", extractors().values(), ids=lambda one: one.name)
def test_each_extractor_takes_any_text(one):
    for text in ("", " \n", "x", BIB, CSL, MD, TXT, "{" * 500, "[" * 500, "@" * 500, "\u2028é" * 50):
        document = Document("x", text.encode())
        assert 0 <= one.recognises(document) <= 1
        extraction = one.extract(document)
        assert extraction.format == one.name
        for reference in extraction.references:
            assert reference.key
            place = reference.place
            assert document.data[place.start : place.end].strip()
            assert 1 <= place.line <= place.end_line


@pytest.mark.parametrize("one", extractors().values(), ids=lambda one: one.name)
def test_an_empty_document_has_no_references(one):
    extraction = one.extract(Document("empty", b""))
    assert (extraction.references, extraction.problems) == ((), ())


CONTENT = [
    (BIB, "bibtex"),
    (CSL, "csl_json"),
    (MD, "markdown"),
    (TXT, "plain_text"),
    ("@article k, title={A}", "bibtex"),
    ('{"items": [{"title": "T"}]}', "csl_json"),
    ("", "plain_text"),
    ("words", "plain_text"),
]


@pytest.mark.parametrize(("text", "name"), CONTENT)
@pytest.mark.parametrize("file", ["x.txt", "x.bib", "x.md", "x.json", "x", "-"])
def test_content_decides_not_the_file_name(text, name, file):
    expected = {name, "plain_text"} if len(text) < 10 else {name}
    assert detect(Document(file, text.encode())).name in expected | (
        {"markdown"} if file == "x.md" and name == "plain_text" else set()
    )


def test_the_name_breaks_ties():
    listed = "1. **Deep learning** LeCun 2015"
    assert detect(Document("a.md", listed.encode())).name == "markdown"


@given(st.text(max_size=200))
def test_no_text_stops_extraction(text):
    data = text.replace("\0", "").encode("utf-8", "replace")
    assert extract(Document("x.txt", data)).format in extractors()


FLOODS = {
    "bibtex": "@book{k, title={A}}\n",
    "csl_json": '{"title": "A"}\n',
    "markdown": "- LeCun, Y. (2015). Deep learning.\n",
    "plain_text": "A, B. (2001). C\n",
}


@pytest.mark.parametrize("name", sorted(extractors()))
def test_a_flood_of_references_is_refused(name, monkeypatch):
    monkeypatch.setattr("citeproof.extractors.decode.MAX_REFERENCES", 3)
    one = extractors()[name]
    assert len(one.extract(Document("x", (FLOODS[name] * 3).encode())).references) == 3
    with pytest.raises(InputError, match="more than 3 references") as raised:
        one.extract(Document("x", (FLOODS[name] * 4).encode()))
    assert raised.value.mend


@pytest.mark.parametrize("name", ["markdown", "plain_text"])
def test_a_line_without_end_is_told(name):
    problems = extractors()[name].extract(Document("x", b"**a** " * 5000)).problems
    assert any("characters" in problem.message and problem.mend for problem in problems)
