import pytest

from citeproof.extractors.plain_text import PlainText
from citeproof.vocabulary import Document
from tests.growth import grows_linearly

A = "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521, 436-444."
B = "Kingma, D. P., & Ba, J. (2014). Adam. arXiv:1412.6980"
C = "Goodfellow, I. (2016). Deep learning. MIT Press."


def extract(text):
    return PlainText().extract(Document("a.txt", text.encode()))


FOUND = {
    "bracketed numbers": (f"[1] {A}\n[2] {B}\n", [A, B], 2),
    "numbers with full stop": (f"1. {A}\n2. {B}\n", [A, B], 2),
    "numbers in parentheses": (f"(1) {A}\n(2) {B}\n", [A, B], 2),
    "numbers that start later": (f"41. {A}\n42. {B}\n", [A, B], 42),
    "labels": (f"[LBH15] {A}\n[KB14] {B}\n", [A, B], None),
    "bullets": (f"• {A}\n• {B}\n", [A, B], None),
    "one per line": (f"{A}\n{B}\n{C}\n", [A, B, C], None),
    "blank lines between": (
        "LeCun, Y. (2015).\nDeep learning.\n\nKingma, D. P. (2014).\nAdam.\n",
        ["LeCun, Y. (2015). Deep learning.", "Kingma, D. P. (2014). Adam."],
        None,
    ),
    "hanging indent": (
        "LeCun, Y. (2015). Deep\n   learning.\nKingma, D. P. (2014).\n   Adam.\n",
        ["LeCun, Y. (2015). Deep learning.", "Kingma, D. P. (2014). Adam."],
        None,
    ),
    "flush continuation": (
        (
            "LeCun, Y. (2015). Deep learning of many\nthings. Nature.\n"
            "Kingma, D. P. (2014). Adam, a method for\nstochastic work. ICLR.\n"
        ),
        [
            "LeCun, Y. (2015). Deep learning of many things. Nature.",
            "Kingma, D. P. (2014). Adam, a method for stochastic work. ICLR.",
        ],
        None,
    ),
    "broken words": (
        "[1] LeCun, Y. (2015). Deep learn-\ning. Nature.\n",
        ["LeCun, Y. (2015). Deep learning. Nature."],
        1,
    ),
    "broken compounds keep the hyphen": (
        "[1] He (2016). State-of-the-\nart. X.\n",
        ["He (2016). State-of-the- art. X."],
        1,
    ),
    "a number that is no marker": (
        "[1] Smith, J. (2001). A title about\n1999. Nature.\n[2] Roe, R. (2002). B.\n",
        ["Smith, J. (2001). A title about 1999. Nature.", "Roe, R. (2002). B."],
        2,
    ),
    "under a heading": (f"Some words of 2001.\n\nReferences\n\n{A}\n{B}\n", [A, B], None),
    "the last heading wins": (f"References\n\nwords\n\nReferences\n\n{A}\n\nAppendix\n\nmore\n", [A], None),
    "numbered heading": (f"Words.\n\n7. REFERENCES\n\n[1] {A}\n", [A], 1),
    "a single title": ("Attention is all you need", ["Attention is all you need"], None),
    "empty": ("", [], None),
    "blank": (" \n\n\t\n", [], None),
}


@pytest.mark.parametrize("name", FOUND)
def test_lists_come_apart(name):
    text, expected, count = FOUND[name]
    extraction = extract(text)
    assert [reference.text for reference in extraction.references] == expected
    assert extraction.expected == count


def test_windows_line_ends_and_places():
    first, second = extract(f"[1] {A}\r\n[2] {B}\r\n").references
    assert (first.place.line, first.place.column, second.place.line) == (1, 5, 2)
    assert second.text == B


def test_prose_is_told_and_not_checked():
    prose = "This sentence says nothing at all about any work. " * 20
    extraction = extract(f"{prose}\n\n{A}\n")
    assert [reference.text for reference in extraction.references] == [A]
    [problem] = extraction.problems
    assert (problem.place.line, "paragraph" in problem.message) == (1, True)
    assert problem.mend


def test_an_entry_without_words_is_told():
    extraction = extract("[1] 12345\n[2] " + A)
    assert len(extraction.references) == 1
    assert extraction.problems[0].place.line == 1


def test_an_endless_line_is_told():
    extraction = extract("x" * 50_000)
    assert extraction.references == ()
    assert any("characters" in problem.message for problem in extraction.problems)


def test_citing_sentences_come_from_above_the_list():
    extraction = extract(f"We follow [1].\n\nReferences\n\n[1] {A}\n")
    assert extraction.references[0].citing == ("We follow [1].",)


@pytest.mark.parametrize("unit", ["1. ", "[1] a\n", "- \n", "a ", "\n", "A, B. (2001)\n", " \n", "x-\n"])
def test_extraction_is_linear(unit):
    assert grows_linearly(lambda size: extract((unit * size)[:size]))
