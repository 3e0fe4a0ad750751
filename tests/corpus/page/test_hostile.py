"""Whatever a document says, it is read in a bounded time and every place in it is true."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.corpus.corpus_types import CorpusLayout
from citeproof.corpus.page import read_page
from citeproof.corpus.page.prose import WALL, read_prose
from tests.corpus.page.cases import page
from tests.faults.patterns import cost
from tests.growth import grows_linearly
from tests.soak import choose_cases

H = "a8f9c2d4e5f60718"
PIECES = [
    "@.aiwg/research/sources/x.md", "REF-001", "10.1038/nature14539", "https://doi.org/", "doi:",
    "Smith et al.", "(2020)", ", 2020", "(", ")", "[", "]", "[src/a.py", f"@{H}", ", L42-58]", "`",
    "```\n", "\n", "\n\n", "> ", "- ", "# ", "|", "|-|-|\n", "*", "_", "__", "~~", "\\", "<", ">", "<!--",
    "-->", "<code>", "</code>", "[^1]", "[^1]: ", "[a]: ", "](", "![", "$", "$$", '"', "“", "”", "p. 12",
    "40%", "10x faster", "studies show", "---\n", "+++\n", "Sources:\n", "\r\n", "\t", "\x00", "\ufeff",
    "\ufdd0", "\udc80", "ü", "源", "\U0001f600", "\u0130", " ", ". ", "word", "Word", "http://a.b/",
    "&amp;", "'", "1. ", "    ", "{#a}", "\u200b", "\u00ad", "&#57;", "&#x41;", "a\u200bb",
]  # fmt: skip
made_up = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(made_up)
def test_any_document_is_read_and_every_place_is_true(text):
    made = page(text)
    for before, after in zip(made.masked, made.text, strict=True):
        assert before in (after, " ")
    ends = [0, *(one.span.end for one in made.sentences)]
    assert all(a <= one.span.start < one.span.end for a, one in zip(ends, made.sentences, strict=False))
    for index in range(len(made.sentences)):
        assert len(made.words(index)) <= 300
        assert set(made.marks_of(index)) <= set(made.marks)
    for mark in made.marks:
        line, column, last, end = made.locate_span(mark.span.start, mark.span.end)
        assert (line, column) < (last, end)


@given(st.text(max_size=200))
def test_any_text_is_read(text):
    page(text)
    page(f"Sources:\n- {text}\n")


@given(made_up)
def test_walls_stand_where_no_word_was(text):
    made = read_prose(text)
    assert len(made.scan) == len(made.shape) == len(made.low) == len(text)
    for before, after in zip(made.masked, made.scan, strict=True):
        assert before == after or (after == WALL and before.isspace())


@given(made_up)
def test_reading_twice_gives_the_same(text):
    assert read_page(text, CorpusLayout()) == read_page(text, CorpusLayout())


@given(made_up)
def test_what_is_code_cites_nothing(text):
    fence = "~" * 40
    made = page(f"{fence}\n{text}\n{fence}\n")
    assert made.marks == made.quotes == made.claims == made.sentences == ()


CITED = st.sampled_from(
    [
        "@.aiwg/research/sources/x.md",
        "(@research/findings/y.md)",
        "REF-001",
        "[REF-002]",
        "doi:10.1038/nature14539",
        "[a](https://doi.org/10.1000/x)",
        "<https://doi.org/10.1000/y>",
        "(Smith et al., 2020)",
        "(see Smith, 2020, p. 4)",
        "[Smith & Jones, 2019]",
        f"[src/a.py@{H}, L1]",
        "[src/__init__.py, L2-L3]",
        "**REF-003**",
        "(Größe & Öl, 2020)",
    ]
)
WORDS = st.sampled_from(
    ["some", "words", "größer", "**bold**", "`code`", "源", "so.\n", "so.\n\n- ", "so.\n\n> ", "|"]
)


@given(st.lists(st.tuples(WORDS, CITED, WORDS), min_size=1, max_size=9))
def test_what_goes_with_the_citations_leaves_none(parts):
    text = " ".join(word for part in parts for word in part)
    made = page(text)
    assert len(made.marks) == len(parts)
    rest, at = [], 0
    for mark in made.marks:
        rest.append(text[at : mark.whole.start])
        at = mark.whole.end
    assert page("".join([*rest, text[at:]])).marks == ()


UNITS = [
    *PIECES, "[a", "[a](", "[[", "]]", "((", "@@", "@a/", "@research/sources/", '@"', "REF-", "REF-1-",
    "REF-001-a-", "10.1000/", "10.1000.1", "10.1000/a,", "10.1000/)", "doi:1", "http://", "http://a)",
    "https://doi.org/10.1/", "https://a/doi/a/", "Smith, ", "Smith and ", "S. ", "Smith, J., & ",
    "et al. ", "Smith, 2020; ", "(Smith, 2020", "van ", "[a/", "[a/[b]", "[a/[[", "a@", "[a@b, L1",
    ", L1", "L1-", "- a (L1", "Sources:\n- a ", "- a/b.c - ", "“a b c d ", '"a b c d ', "‘a’b", "„a b ",
    "«", "> a\n", ">> ", "pp. 1-", "p. 1", "1.", "1,", "1%", "1 - ", "10x ", "studies has ",
    "research in the ", "it has been ", "according to ", "a. B", "A. ", "a.[1]", "a. [1] ", "a. (",
    ". [^1] ", "[^1] ", "[^1]: [^1] ", "|a", "|a|\n", "- - ", "* a\n", "1) a\n", "**a", "*a**", "_a__",
    "~a", "<a ", "<a b='", "<!-- ", "&a;", "\\[", "$a ", "# a\n", "a\n===\n", "a: ", "\n---\n", "x\x00",
    "\r", "\u2028", "。", "ä", "\n\n",
]  # fmt: skip


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(UNITS, 12), ids=repr)
def test_no_document_takes_long(unit):
    text = (unit * (200_000 // len(unit) + 1))[:200_000]
    assert cost(lambda: read_page(text, CorpusLayout()), 10) < 10


DENSE = (
    "Smith et al. (2020) show 40% (Doe & Roe, 2019; REF-001) and “the quick brown fox” "
    "[src/a.py@a8f9c2d4e5f60718, L3]. "
    "See @research/sources/x.md, doi:10.1038/nature14539, [a](https://doi.org/10.1000/x) and `code`.[^1]\n\n"
    "> Größe: a quotation of some words, p. 12.\n\n- item 40%\n\n[^1]: See REF-002.\n\n"
)


@pytest.mark.growth
@pytest.mark.parametrize(
    "dense",
    [
        DENSE,
        DENSE.replace("\n\n", " ").replace("[^1]:", ""),
        "REF-001 " * 20,
        "[a.py, L1] " * 20,
        "[^1] a. " * 20 + "\n\n[^1]: REF-001 ",
    ],
)
def test_work_grows_with_the_document(dense):
    assert grows_linearly(lambda size: read_page(dense * (size // len(dense)), CorpusLayout()))
