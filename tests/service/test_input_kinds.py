"""What an input is, told from how it is written and from what exists."""

from __future__ import annotations

import pytest

from citeproof.errors import InputError, NothingFoundError, UsageError
from citeproof.service.input_documents import make_document, read_documents
from citeproof.service.input_kinds import InputKind, classify_input, is_file_name

DOI, ARXIV = (
    ("10.1038/nature14539", "https://doi.org/10.1038/nature14539"),
    ("arxiv:1706.03762", "arXiv:1706.03762"),
)
IDENTIFIERS = [
    # given, document name, its text
    ("10.1038/nature14539", *DOI),
    ("10.1038/NATURE14539", *DOI),
    ("doi:10.1038/nature14539", *DOI),
    ("DOI: 10.1038/nature14539", *DOI),
    ("doi.org/10.1038/nature14539", *DOI),
    ("https://doi.org/10.1038/nature14539", *DOI),
    ("http://dx.doi.org/10.1038/nature14539", *DOI),
    (" 10.1038/nature14539\n", *DOI),
    ("arXiv:1706.03762", *ARXIV),
    ("1706.03762", *ARXIV),
    ("https://arxiv.org/abs/1706.03762", *ARXIV),
    ("https://aclanthology.org/D14-1162/", "acl:D14-1162", "https://aclanthology.org/D14-1162"),
    ("1706.03762v5", "arxiv:1706.03762", "arXiv:1706.03762v5"),
    ("hep-th/9711200", "arxiv:hep-th/9711200", "arXiv:hep-th/9711200"),
    ("pmid:26017442", "pmid:26017442", "PMID: 26017442"),
    ("PMID 26017442", "pmid:26017442", "PMID: 26017442"),
    ("https://pubmed.ncbi.nlm.nih.gov/26017442/", "pmid:26017442", "PMID: 26017442"),
    ("isbn:978-0-262-03561-3", "isbn:9780262035613", "ISBN 9780262035613"),
    ("ISBN 978 0 262 03561 3", "isbn:9780262035613", "ISBN 9780262035613"),
]


@pytest.mark.parametrize(("given", "name", "text"), IDENTIFIERS)
def test_an_identifier_is_a_document_of_that_name(given, name, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [document] = read_documents([given], 1000)
    assert (document.name, document.data.decode()) == (name, text)


OTHERS = [
    ("-", InputKind.STDIN, "-"),
    ("refs.bib", InputKind.PATH, "refs.bib"),
    ("refs.bbi", InputKind.PATH, "refs.bbi"),
    ("hello", InputKind.PATH, "hello"),
    ("my notes.txt", InputKind.PATH, "my notes.txt"),
    ("my refs.bbi", InputKind.PATH, "my refs.bbi"),  # because there is a `my refs.bib`
    ("folder", InputKind.PATH, "folder"),
    ("10.1000/here", InputKind.PATH, "10.1000/here"),  # what exists is a file, whatever its name
    ("26017442", InputKind.PATH, "26017442"),  # a number says not of what
    ("9913.99999", InputKind.PATH, "9913.99999"),  # no such month
    ("a\0b", InputKind.PATH, "a\0b"),
    ("x" * 5000, InputKind.PATH, "x" * 5000),
    ("C:\\refs.bib", InputKind.PATH, "C:\\refs.bib"),
    ("https://example.org/refs.bib", InputKind.URL, "https://example.org/refs.bib"),
    ("https://aclanthology.org/D14-1162.pdf", InputKind.URL, "https://aclanthology.org/D14-1162.pdf"),
    ("HTTPS://example.org", InputKind.URL, "HTTPS://example.org"),
    ("https://arxiv.org/pdf/1706.03762", InputKind.URL, "https://arxiv.org/pdf/1706.03762"),
    ("https://doi.org/about", InputKind.URL, "https://doi.org/about"),
    ("https://dl.acm.org/doi/10.1145/3442188", InputKind.URL, "https://dl.acm.org/doi/10.1145/3442188"),
    ("file:///etc/passwd", InputKind.URL, "file:///etc/passwd"),
    ("zotero:", InputKind.ZOTERO, ""),
    ("zotero:ABCD2345", InputKind.ZOTERO, "ABCD2345"),
    ('Zotero:"My thesis"', InputKind.ZOTERO, "My thesis"),
    ("Knuth 1984, The TeXbook", InputKind.TEXT, "Knuth 1984, The TeXbook"),
    ("Smith 2020. A title. www.example.com", InputKind.TEXT, "Smith 2020. A title. www.example.com"),
    ("doi:10.1000/x and more, 2019", InputKind.TEXT, "doi:10.1000/x and more, 2019"),
    ("https://doi.org/10.1000/x Smith 2019", InputKind.TEXT, "https://doi.org/10.1000/x Smith 2019"),
    ("Smith 2020. A\nDoe 2021. B", InputKind.TEXT, "Smith 2020. A\nDoe 2021. B"),
    ("odd\x1b[31m\r\nerror: forged.bib", InputKind.PATH, "odd\x1b[31m\r\nerror: forged.bib"),
    ("isbn unknown", InputKind.TEXT, "isbn unknown"),
]


@pytest.mark.parametrize(("given", "kind", "value"), OTHERS)
def test_every_other_input_is_told_apart(given, kind, value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("refs.bib", "my refs.bib", "10.1000/here"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    found = classify_input(given)
    assert (found.kind, found.value) == (kind, value)
    assert is_file_name(given) is (kind is InputKind.PATH)


@pytest.mark.parametrize("given", ["doi:foo", "isbn:123", "pmid:abc", "arxiv:17.1"])
def test_an_identifier_that_is_none_says_how_to_write_it(given):
    with pytest.raises(UsageError, match="not a well-formed") as caught:
        classify_input(given)
    assert caught.value.hint.startswith("write it like")


MISSING = [
    ("refs.bbi", "did you mean refs.bib?"),
    ("Refs.bib", "did you mean refs.bib?"),
    ("sub/papr.pdf", "did you mean sub/paper.pdf?"),
    ("example.org/paper.pdf", "a web address begins with https://: https://example.org/paper.pdf"),
    ("nothing-like-it", "check the name, use - for standard input, or quote a reference"),
    ("no/such/folder/x.bib", "check the name"),
]


@pytest.mark.parametrize(("given", "hint"), MISSING)
def test_a_mistyped_name_is_no_file_and_brings_near_ones(given, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name in ("refs.bib", "sub/paper.pdf"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match="no such file") as caught:
        read_documents([given], 1000)
    assert caught.value.hint.startswith(hint)


REFERENCES = [
    "Vaswani et al. 2017, Attention is all you need",
    "Knuth, The TeXbook",
    "Attention is all you need",
    "LeCun, Y., Bengio, Y. & Hinton, G. Deep learning. Nature 521, 436–444 (2015).",
    "Deep learning. doi:10.1038/nature14539",
    "@book{k, title={The TeXbook}}",
    "First line\nSecond line",
]


@pytest.mark.parametrize("given", REFERENCES)
def test_a_reference_is_a_document(given):
    assert read_documents([given], 1000) == [make_document(given, 1000)]
    assert read_documents([given], 1000)[0].data.decode() == given


@pytest.mark.parametrize(
    "given",
    [
        "hello world",
        "please check my references",
        "the quick brown fox jumps over the lazy dog",
        "\x1b[31m hi",
    ],
)
def test_a_text_that_is_no_reference_says_so(given):
    for read in (lambda: read_documents([given], 1000), lambda: make_document(given, 1000)):
        with pytest.raises(NothingFoundError, match="not a reference") as caught:
            read()
        assert caught.value.hint


def test_texts_have_names_of_their_own():
    assert [one.name for one in read_documents(REFERENCES[:3], 1000)] == ["<text>", "<text 2>", "<text 3>"]


def test_a_text_has_a_bound():
    with pytest.raises(InputError, match="larger than 10 bytes"):
        read_documents([REFERENCES[0]], 10)


@pytest.mark.parametrize("given", ["https://example.org/x", "zotero:"])
def test_without_a_fetcher_nothing_is_fetched(given):
    with pytest.raises(InputError, match="not on this machine"):
        read_documents([given], 1000)
