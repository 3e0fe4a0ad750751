import html
import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest
import zstandard

from citeproof.errors import NotADocumentError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.plain_text import EXTRACTOR
from citeproof.vocabulary import Document
from tests.growth import grows_linearly
from tests.reading.extractors.mutants import mutants, outcome
from tests.soak import choose_cases

A = "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521, 436-444."
B = "Kingma, D. P., & Ba, J. (2014). Adam. arXiv:1412.6980"
C = "Goodfellow, I. (2016). Deep learning. MIT Press."
D = "van der Maaten, L., & Hinton, G. (2008). Visualizing data using t-SNE. JMLR, 9, 2579-2605."


def extract(text):
    return EXTRACTOR.extract(Document("a.txt", text.encode()))


FOUND = {
    "bracketed numbers": (f"[1] {A}\n[2] {B}\n", [A, B], 2),
    "numbers with full stop": (f"1. {A}\n2. {B}\n", [A, B], 2),
    "numbers in parentheses": (f"(1) {A}\n(2) {B}\n", [A, B], 2),
    "numbers that start later": (f"41. {A}\n42. {B}\n", [A, B], 42),
    "numbers above 9,999": (f"9999. {A}\n10000. {B}\n10001. {C}\n", [A, B, C], 10001),
    "numbers on some": (f"{C}\n[1] {A}\n[2] {B}\n[3] {C}\n{D}\n", [C, A, B, C, D], 5),
    "numbers on few of many whole lines": (
        f"1. {A}\n2. {B}\n" + f"World Health Organization. (2021). World malaria report.\n{D}\n" * 5,
        [A, B, *(["World Health Organization. (2021). World malaria report.", D] * 5)],
        12,
    ),
    "a particle in lower case": (f"{A}\n{D}\n{C}\n", [A, D, C], None),
    "line ends of old Macs": (f"References\r1. {A}\r2. {B}\r", [A, B], 2),
    "a numbered entry that goes on with a name": (
        (
            "[1] Rumelhart, D. E. (1986). Learning internal representations. In\n"
            f"McClelland, J. L. (1986). PDP.\n[2] {B}\n"
        ),
        ["Rumelhart, D. E. (1986). Learning internal representations. In McClelland, J. L. (1986). PDP.", B],
        2,
    ),
    "headings in the list": (
        f"References\n\nBooks\n\n{A}\n{B}\n\nWeb & other sources:\n\n{C}\n",
        [A, B, C],
        None,
    ),
    "headings among numbers": (f"References\n\nBooks\n\n1. {A}\n\nPapers\n\n2. {B}\n3. {C}\n", [A, B, C], 3),
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
        ["He (2016). State-of-the-art. X."],
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
    assert problem.hint


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


UNITS = ["1. ", "[1] a\n", "- \n", "a ", "\n", "A, B. (2001)\n", " \n", "x-\n"]


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(UNITS, 4))
def test_extraction_is_linear(unit):
    assert grows_linearly(lambda size: extract((unit * size)[:size]))


D = "Breiman, L. (2001). Random forests. Machine Learning, 45(1), 5-32."

PASTED = {
    "from a word processor": (f"1.\t{A}\n2.\t{B}\n3.\t{C}\n", [A, B, C], 3),
    "with round bullets": (f"·\t{A}\n·\t{B}\n", [A, B], None),
    "a quoted e-mail": (
        f"> Hi, the list:\n>\n> 1. {A}\n> 2. Kingma, D. P., & Ba, J. (2014).\n>    Adam. arXiv:1412.6980\n",
        [A, B],
        2,
    ),
    "an e-mail with a signature": (f"Dear all,\n\n1. {A}\n2. {B}\n\nBest regards,\nAnna\n", [A, B], 2),
    "a page number between entries": (f"References\n\n[1] {A}\n\n12\n\n[2] {B}\n", [A, B], 2),
    "a page break inside an entry": (
        f"References\n\n{A[:48]}\n\n12\n\n\f\n{A[49:]}\n\n{B}\n",
        [A, B],
        None,
    ),
    "a page break behind an entry": (f"References\n\n{A}\n\n12\n\n\f{B}\n\n{C}\n", [A, B, C], None),
    "a running head": (
        f"References\n\n[1] {A}\nA. Roe: On it\n[2] {B}\nA. Roe: On it\n[3] {C}\nA. Roe: On it\n[4] {D}\n",
        [A, B, C, D],
        4,
    ),
    "a numbered running head": (
        f"References\n\n{A}\n\nPhysics 12\n\n{B}\n\nPhysics 13\n\n{C}\n\nPhysics 14\n\n{D}\n",
        [A, B, C, D],
        None,
    ),
    "page x of y": (f"References\n\n[1] {A}\n\nPage 3 of 10\n\n[2] {B}\n", [A, B], 2),
    "two lists": (
        f"Words.\n\nReferences\n\n[1] {A}\n[2] {B}\n\nAppendix\n\nMore words.\n\nReferences\n\n[1] {C}\n",
        [A, B, C],
        3,
    ),
    "a doi on its own line": (
        (
            "LeCun, Y. (2015). Deep learning. Nature.\nhttps://doi.org/10.1038/nature14539\n"
            "Breiman, L. (2001). Random\nforests.\nhttps://doi.org/10.1023/A:1010933404324\n"
        ),
        [
            "LeCun, Y. (2015). Deep learning. Nature. https://doi.org/10.1038/nature14539",
            "Breiman, L. (2001). Random forests. https://doi.org/10.1023/A:1010933404324",
        ],
        None,
    ),
    "a number alone on its line": (f"References\n1.\n{A}\n2.\n{B}\n", [A, B], 2),
    "a bracket alone on its line": (f"References\n[1]\n{A}\n[2]\n{B}\n", [A, B], 2),
    "a label alone on its line": (f"References\n[LBH15]\n{A}\n[KB14]\n{B}\n[G16]\n{C}\n", [A, B, C], None),
    "bare numbers": (f"References\n* A remark\n1 {A}\n2 {B}\n3 {C}\n", [A, B, C], 3),
    "glued numbers": (f"References\n1.{A}\n2.{B}\n3.{C}\n", [A, B, C], 3),
    "a number that counts nothing": (f"1. {A}\n14. Nature\n2. {B}\n", [f"{A} 14. Nature", B], 2),
    "all in one line": (f"References\n[1] {A} [2] {B} [3] {C}\n", [A, B, C], 3),
    "full names without blank lines": (
        (
            "References\nDiederik P. Kingma and Jimmy Ba. 2014.\nAdam: A method. In ICLR.\n"
            "Thomas N. Kipf and Max Welling. 2017. Semi-supervised\nclassification. In ICLR.\n"
            "Quoc V. Le and Tomas Mikolov. 2014. Distributed repre\ufffe\nsentations. In ICML.\n"
        ),
        [
            "Diederik P. Kingma and Jimmy Ba. 2014. Adam: A method. In ICLR.",
            "Thomas N. Kipf and Max Welling. 2017. Semi-supervised classification. In ICLR.",
            "Quoc V. Le and Tomas Mikolov. 2014. Distributed representations. In ICML.",
        ],
        None,
    ),
    "the same author again": (
        "References\nElsner, J. B., 1993: On it. Forecasting,\n8, 345.\n--, 2004: A model. Nature,\n2813.\n",
        [
            "Elsner, J. B., 1993: On it. Forecasting, 8, 345.",
            "--, 2004: A model. Nature, 2813.",
        ],
        None,
    ),
    "several works under one number": (
        "[1] D. Colladay, Phys. Rev. D 55, 6760 (1997); V. A. Kostelecký, Phys. Rev. D 69, 105009 (2004).\n",
        ["D. Colladay, Phys. Rev. D 55, 6760 (1997)", "V. A. Kostelecký, Phys. Rev. D 69, 105009 (2004)."],
        2,
    ),
    "authors parted by semicolons": (
        "[1] Beal, M.F.; Lang, A.E.; Ludolph, A.C. Neurodegenerative Diseases. Cambridge, 2005.\n",
        ["Beal, M.F.; Lang, A.E.; Ludolph, A.C. Neurodegenerative Diseases. Cambridge, 2005."],
        1,
    ),
    "dois only": ("10.1038/nature14539\ndoi:10.1023/A:1010933404324\n", 2, None),
    "german": (f"Text.\n\nLiteraturverzeichnis\n\n{A}\n\n{D}\n\nAnhang\n\nmehr\n", [A, D], None),
    "chinese": ("正文。\n\n参考文献\n\n[1] 周志华. 机器学习[M]. 北京: 清华大学出版社, 2016.\n", 1, 1),
    "an author called Best": (f"1. Best, J. (2003). Attitudes and values. Sage.\n2. {A}\n", 2, 2),
}


@pytest.mark.parametrize("name", PASTED)
def test_what_pasting_leaves_is_taken_off(name):
    text, expected, count = PASTED[name]
    extraction = extract(text)
    found = [reference.text for reference in extraction.references]
    assert (found == expected) if isinstance(expected, list) else (len(found) == expected), found
    assert extraction.expected == count


def test_places_of_quoted_lines_point_at_the_words():
    data = f"> References:\n> [1] {A}\n> [2] {B}\n> [3] {C}\n".encode()
    for reference in EXTRACTOR.extract(Document("a.txt", data)).references:
        assert data[reference.place.start : reference.place.end].decode() == reference.text


def test_author_and_year_in_the_text_are_attached():
    text = (
        f"Trees are grown (Breiman, 2001). Others (LeCun et al., 2015) do not.\n\nReferences\n\n{A}\n\n{D}\n"
    )
    lecun, breiman = extract(text).references
    assert lecun.citing == ("Others (LeCun et al., 2015) do not.",)
    assert breiman.citing == ("Trees are grown (Breiman, 2001).",)


def test_every_work_under_one_number_gets_its_sentences():
    entry = "[1] D. Colladay, Phys. Rev. D 55 (1997); V. A. Kostelecký, Phys. Rev. D 69 (2004)."
    text = f"As shown [1].\n\nReferences\n\n{entry}\n"
    assert [(one.key, one.citing) for one in extract(text).references] == [("1", ("As shown [1].",))] * 2


def test_a_year_on_its_own_line_is_no_page():
    extraction = extract(
        "[1] Breiman, L. Random forests. Machine Learning,\n2001\n[2] LeCun, Y. Deep learning, 2015.\n"
    )
    assert extraction.references[0].text.endswith("2001")


@pytest.mark.soak
def test_no_damage_stops_it():
    for number, (text, _, _) in enumerate(PASTED.values()):
        for data in mutants(text.encode(), 30, seed=number):
            assert outcome(EXTRACTOR.extract, Document("a.txt", data))


CORPUS = Path(__file__).parents[4] / "shared" / "data" / "parsing" / "reference_segmenter_grobid.tar.zst"


def _letters(text):
    return re.sub(r"[\W_]+", "", text).lower()


def _sections():
    """Yield (text as pasted line by line, entries, whether they are numbered) of each reference section."""
    with zstandard.open(CORPUS) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for one in archive:
            held = archive.extractfile(one) if one.name.endswith(".xml") else None
            found = re.search(r"<listBibl>(.*)</listBibl>", held.read().decode(), re.DOTALL) if held else None
            if found is None or "<lb" not in found[1]:
                continue
            lines = re.sub(r"\s*<lb\s?/>\s*", "\n", re.sub(r"\s+", " ", found[1]))
            text = "\n".join(
                line.strip() for line in html.unescape(re.sub(r"<[^>]+>", "", lines)).split("\n")
            )
            bare = re.sub(r"<label>.*?</label>", "", found[1], flags=re.DOTALL)
            entries = [re.sub(r"<[^>]+>", "", e) for e in re.findall(r"<bibl>(.*?)</bibl>", bare, re.DOTALL)]
            wanted = [letters for entry in entries if len(letters := _letters(html.unescape(entry))) > 10]
            head = "" if re.match(r"\s*(?:refer|bibl|liter)", text, re.IGNORECASE) else "References\n"
            yield head + text, wanted, found[1].count("<label>") > len(wanted) / 2


@pytest.mark.data
def test_most_entries_of_pasted_sections_come_out_whole():
    if not CORPUS.exists():
        pytest.skip("the shared data folder is not here")
    found, wanted, given = Counter(), Counter(), Counter()
    for text, entries, numbered in _sections():
        out = {_letters(reference.text) for reference in extract(text).references}
        found[numbered] += sum(entry in out for entry in entries)
        wanted[numbered] += len(entries)
        given[numbered] += len(out)
    assert found[True] > 0.78 * wanted[True]
    assert found[True] > 0.85 * given[True]
    assert found[False] > 0.65 * wanted[False]
    assert found[False] > 0.72 * given[False]


@pytest.mark.parametrize(
    "text", ["25. Weaver, W. (1949). Science and complexity. American Scientist 36.", "S. 25 ff."]
)
def test_one_number_alone_counts_nothing(text):
    assert EXTRACTOR.extract(Document("x.txt", text.encode())).expected is None


ROWS = [
    ("Title", "Authors", "Year", "Journal", "DOI"),
    ("Deep learning", "LeCun, Y.; Hinton, G.", "2015", "Nature", "10.1038/nature14539"),
    ("Adam, a method", "Kingma, D.", "2014", "ICLR", ""),
]


@pytest.mark.parametrize("delimiter", [",", "\t", "|"])
def test_rows_of_a_spreadsheet_are_one_work_each(delimiter):
    text = "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in ROWS)
    found = extract(text).references
    assert [(one.claimed.title, one.claimed.year, one.claimed.venue) for one in found] == [
        ("Deep learning", 2015, "Nature"),
        ("Adam, a method", 2014, "ICLR"),
    ]
    assert [one.place.line for one in found] == [2, 3]
    assert [dict(one.claimed.ids.pairs) for one in found] == [{"doi": "10.1038/nature14539"}, {}]


BACK = (
    "Ibid.",
    "Ebd., S. 45.",
    "Там же. С. 12.",
    "同上, 第 3 页.",
    "שם, עמ' 47.",
    "المرجع نفسه، ص 15.",
    "Op. cit. Kingma, p. 4",
)


@pytest.mark.parametrize("words", BACK)
def test_what_only_refers_back_is_a_note_and_no_reference(words):
    extraction = extract(f"References\n[1] {A}\n[2] {words}\n[3] {B}\n")
    assert [one.key for one in extraction.references] == ["1", "3"]
    assert extraction.expected == 2
    assert [(one.note, one.message) for one in extraction.problems] == [
        (True, f"refers back to another entry: {words}")
    ]


def test_a_work_whose_title_speaks_of_ibid_stays():
    named = "Grafton, A. (1997). Ibid.: a history of the footnote. Harvard University Press."
    assert len(extract(f"References\n[1] {A}\n[2] {named}\n").references) == 2


OWN = "I apologize for the confusion. I gave you a wrong article. It is from 2022, and it does not exist."
SAID = """There could be several reasons for that. One is that the platform may distract students,
as it gives quick answers to homework. This may lead to students who rely on it.
They learn less, too, and nobody tells them so."""


@pytest.mark.parametrize("letter", [OWN, SAID])
def test_what_an_answer_says_itself_is_no_reference(letter):
    extraction = extract(f"{letter}\n\n{A}\n\n{C}\n")
    assert [one.text for one in extraction.references] == [A, C]
    assert extract(letter).references == ()


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("10.1000/a1, 10.1000/b2; 10.1000/c3", ["10.1000/a1", "10.1000/b2", "10.1000/c3"]),
        ("doi:10.1000/a1 arXiv:1706.03762", ["doi:10.1000/a1", "arXiv:1706.03762"]),
        ("10.1000/a1\n10.1000/b2 10.1000/c3\n", ["10.1000/a1", "10.1000/b2", "10.1000/c3"]),
        ("J. Doe, Ice, 2019. doi:10.1000/a1 arXiv:1706.03762", 1),
        ("please check my references", []),
        ("thanks!", []),
    ],
)
def test_identifiers_side_by_side_and_small_talk(text, references):
    read = [one.text.strip(" ,;") for one in extract(text).references]
    assert (read if isinstance(references, list) else len(read)) == references


def test_plain_lines_of_an_answer_with_people_a_year_and_a_title_are_references():
    lines = (
        "Vaswani et al., 2017 — Attention Is All You Need (NeurIPS). ([arxiv.org](https://arxiv.org/abs/1706.03762))",
        "Marlowe & Singh, 2018 — Recursive Shadow Pyramids (CVPR). ([doi.org](https://doi.org/10.1109/CVPR.2018.7))",
    )
    text = (
        "Here are some papers:\n\n" + "\n\n".join(lines) + "\n\nIn 2017 — a good year — much was written.\n"
    )
    read = detect_extractor(Document("<text>", text.encode())).extract(Document("<text>", text.encode()))
    assert [one.text.split(" (")[0] for one in read.references] == [
        "Vaswani et al., 2017 — Attention Is All You Need",
        "Marlowe & Singh, 2018 — Recursive Shadow Pyramids",
    ]


def test_a_marc_file_is_refused_with_a_hint():
    record = b"00187nam a2200085 a 4500001000400000020001800004100002100022\x1e001\x1e  \x1faDoe\x1e\x1d"
    with pytest.raises(NotADocumentError, match="MARC") as refused:
        detect_extractor(Document("books.mrc", record))
    assert refused.value.hint == "export RIS or BibTeX from the catalogue"
