"""The steps of the PDF reader, each on lines made by hand."""

from itertools import pairwise

import pytest

from citeproof.reading.extractors.pdf import (
    pdf_document,
    pdf_pages,
    reference_lists,
    reference_signs,
)
from citeproof.reading.extractors.pdf.line_joining import DocumentWords, close_addresses, join_lines
from citeproof.reading.extractors.pdf.list_entries import PdfEntry, split_entries
from citeproof.reading.extractors.pdf.page_columns import order_lines as ordered
from citeproof.reading.extractors.pdf.page_layout import PageText, PdfLine, PdfRun, PdfWord


def words(text, left=50.0, base=100.0, size=10.0):
    found = []
    for piece in text.split():
        found.append(PdfWord(piece, left, left + 5 * len(piece), base, size))
        left += 5 * len(piece) + 3
    return found


def line(text, left=50.0, base=100.0, size=10.0, page=1, *, bold=False, margin=50.0):
    return PdfLine(page, words(text, left, base, size), bold=bold, margin=margin).measure_line()


def block(rows, step=12.0):
    """Lines below each other; a row that begins with spaces is indented."""
    return [
        line(row, left=50.0 + 5 * (len(row) - len(row.lstrip())), base=100 + step * number)
        for number, row in enumerate(rows)
    ]


JOINED = [
    (["adapta\x02", "tion of net\x02", "works"], "adaptation of networks"),
    (["state-of-the\x02", "art"], "state-of-the-art"),
    (["a Hahn\x02", "Powell"], "a Hahn-Powell"),
    (["the t\x02", "test"], "the t-test"),
    (["semi\x02", "supervised"], "semi-supervised"),
    (["pages 12–", "15"], "pages 12–15"),
    (["https://doi.org/10.1016/j.neu.", "2004.12.034."], "https://doi.org/10.1016/j.neu.2004.12.034."),
    (["https://doi.org/", "10.1145/3292500"], "https://doi.org/10.1145/3292500"),
    (["10.1007/s11263\x02", "015-0816-y"], "10.1007/s11263-015-0816-y"),
    (["https://example.org/a.html", "Accessed 2020"], "https://example.org/a.html Accessed 2020"),
    (["https://example.org/a.", "In Nature"], "https://example.org/a. In Nature"),
    (["http://example.org/a", "(visited 2020)"], "http://example.org/a (visited 2020)"),
    (["arXiv:1706.", "03762"], "arXiv:1706.03762"),
    (["doi: 10.", "1103/PhysRevLett.116.061102."], "doi: 10.1103/PhysRevLett.116.061102."),
    (["pages 1–10.", "1103 of them"], "pages 1–10. 1103 of them"),
    (["10.1016/S0022-2836(05)", "80360-2."], "10.1016/S0022-2836(05)80360-2."),
    (["(https://doi.org/10.1000/x)", "80360-2."], "(https://doi.org/10.1000/x) 80360-2."),
    (["the design of network\x02", "based software"], "the design of network-based software"),
    (["short\x02", "term memory"], "short-term memory"),
    (["un\x02", "aware of it"], "unaware of it"),
    (["参考", "文献"], "参考文献"),
]


@pytest.mark.parametrize(("rows", "text"), JOINED)
def test_lines_become_one_text(rows, text):
    found = [line(row) for row in rows]
    assert join_lines(found, DocumentWords(found)) == text


def test_a_compound_keeps_the_hyphen_it_has_elsewhere():
    known = DocumentWords([line("a domain-specific model of it"), line("the pretraining of them")])
    assert join_lines([line("domain\x02"), line("specific")], known) == "domain-specific"
    assert join_lines([line("pre\x02"), line("training")], known) == "pretraining"


CLOSED = [
    ("https : / / doi . org / 10 . 1103 / physreve . 47 . 1429", "https://doi.org/10.1103/physreve.47.1429"),
    ("doi: 10 . 1103 / x . 49 . 4480. Available from", "doi: 10.1103/x.49.4480. Available from"),
    ("https://doi.org/10.1103/foo. Available", "https://doi.org/10.1103/foo. Available"),
    ("and more . text / here", "and more . text / here"),
    (
        "doi: 10 . 1111 / j . 2517 - 6161 . 1995 . tb02031.x, p. 12",
        "doi: 10.1111/j.2517-6161.1995.tb02031.x, p. 12",
    ),
]


@pytest.mark.parametrize(("loose", "tight"), CLOSED)
def test_stretched_addresses_are_closed(loose, tight):
    assert close_addresses(loose) == tight


BEGINNINGS = [
    ("Doe, J. and Roe, A.", True),
    ("J. Doe and A. Roe", True),
    ("Doe J, Roe A.", True),
    ("Jane Doe, John Roe, and", True),
    ("van der Berg, J. (2001)", True),
    ("World Bank (2001)", True),
    ("World Wide Web Consortium. (2018). Web Content", True),
    ("Beck/Giddens/Lash 1996", True),
    ("———. 1987. An integration", True),
    ("— (1907). De Anima", True),
    ("王伟, 李明.", True),
    ("and the other half of a title", False),
    ("in Proceedings of the 33rd", False),
    ("pages 12–15, 1999.", False),
]


@pytest.mark.parametrize(("text", "begins"), BEGINNINGS)
def test_names_begin_a_reference(text, begins):
    assert reference_signs.is_reference_start(text) is begins


REFERENCES = [
    ("Turing, A. M. (1950). Computing machinery and intelligence. Mind, 59, 433–460.", True),
    ("Weber, Max: Wirtschaft und Gesellschaft, Tübingen: Mohr 1922.", True),
    ("LeCun Y, Bengio Y. Deep learning[J]. Nature, 2015, 521(7553): 436-444.", True),
    ("Doe, A., The River (New York: Harper, no year given)", True),
    ("Doe, A., The River, and what the pressure had made of it", False),
    ("We have shown that this is not the case and that it will be so for some time.", False),
    ("91.95 76.46 79.68 72.58 35.68 77.1", False),
    ("Introduction . . . . . . . . . . . . . 12", False),
]


@pytest.mark.parametrize(("text", "is_one"), REFERENCES)
def test_references_are_told_from_other_text(text, is_one):
    assert reference_signs.is_reference(text) is is_one


LISTS = [
    # the lines, how they are cut, the labels of the entries
    (
        ["[1] A. Doe, One, 1999.", "[2] B. Roe, Two,", "    2000.", "[3] C. Poe, 2001."],
        "number",
        ["1", "2", "3"],
    ),
    (
        ["1. Doe A. One. 1999.", "2. Roe B.", "12. Not a number. 2000.", "3. Poe C. 2001."],
        "number",
        ["1", "2", "3"],
    ),
    (["[Doe99] A. Doe. One, 1999.", "[Roe00] B. Roe. Two,", "    2000."], "label", ["Doe99", "Roe00"]),
    (
        [
            "DOE, A. One. In: Proceedings.",
            "[S.l.: s.n.], 1999.",
            "ROE, B. Two. In: Annals.",
            "[S.l.: s.n.], 2000.",
        ],
        "words",
        ["", ""],
    ),
    (["Doe, A. (1999). One,", "    12, 3–4.", "Roe, B. (2000). Two,", "    13, 5–6."], "hanging", ["", ""]),
    (["    Doe, A. (1999). One,", "12, 3–4.", "    Roe, B. (2000). Two,", "13, 5–6."], "indented", ["", ""]),
    (["Doe, A. (1999). One,", "12, 3–4.", "Roe, B. (2000). Two,", "13, 5–6."], "words", ["", ""]),
]


@pytest.mark.parametrize(("rows", "way", "labels"), LISTS, ids=[row[1] for row in LISTS])
def test_a_list_is_cut_the_way_it_is_set(rows, way, labels):
    found, chosen = split_entries(block(rows))
    assert (chosen, [entry.label for entry in found]) == (way, labels)


def test_a_gap_parts_entries():
    rows = [line("Doe. One, Nature 12, 1999.", base=100), line("and so on, 3–4.", base=112)]
    rows += [line("Roe. Two, Nature 13, 2000.", base=132), line("and so on, 5–6.", base=144)]
    rows += [line("Poe. Six, Nature 14, 2001.", base=164), line("and so on, 7–8.", base=176)]
    found, way = split_entries(rows)
    assert (way, len(found)) == ("gap", 3)


HEADINGS = [
    "References",
    "7. REFERENCES",
    "R E F E R E N C E S",
    "Literaturverzeichnis",
    "VI. Bibliographie",
    "参考文献",
]


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_list_begins_at_its_heading_and_ends_before_the_next(heading):
    rows = [
        "We have seen that it is so.", heading, "[1] A. Doe, One, Nature 12, 1999.",
        "[2] B. Roe, Two, Nature 13, 2000.", "Appendix", "This is what we have left out, and it is long.",
    ]  # fmt: skip
    (one,) = reference_lists.find_reference_lists(block(rows))
    assert [entry.label for entry in one.entries] == ["1", "2"]
    assert len(one.entries[-1].lines) == 1


def test_a_word_alone_is_no_list():
    assert (
        reference_lists.find_reference_lists(
            block(["References", "We have seen that it is so.", "And so it will be."])
        )
        == []
    )


DOE = [
    "Doe, A. (1999). One title of it here. Nature, 12, 3–4.",
    "Roe, B. (2000). Two titles of it here. Nature, 13, 5–6.",
]
PROSE = [
    "It is not so that they were wrong [1]. There is",
    "more that we have seen, and it was found that",
    "this has been so. We will see that it is.",
]
AFTER = [
    # what stands behind a list, and how large the first line of it is
    (["Chapter 2", *PROSE], 14),
    (["A Data sources", "Smith, J. (2010) gave the data, and the survey was run in 2011, pages 1–20."], 14),
    (["3 Methods", *PROSE], 14),
]


@pytest.mark.parametrize(("rows", "size"), AFTER, ids=[row[0][0] for row in AFTER])
def test_a_heading_of_the_same_rank_ends_a_list(rows, size):
    found = block(["References", *DOE])
    found[0] = line("References", base=100, size=14)
    found += [line(rows[0], base=170, size=size)]
    found += [line(row, base=190 + 12 * n) for n, row in enumerate(rows[1:])]
    (one,) = reference_lists.find_reference_lists(found)
    assert [entry.rough for entry in one.entries] == DOE
    assert max(one.lines) <= 3  # what follows the heading is text that may cite


def test_prose_on_the_next_page_is_no_part_of_the_last_reference():
    rows = ["References", "[1] A. Doe, One, Nature 12, 1999.", "[2] B. Roe, Two, Nature 13,", "    2000."]
    found = block(rows) + [line(row, base=100 + 12 * n, page=2) for n, row in enumerate(PROSE)]
    (one,) = reference_lists.find_reference_lists(found)
    assert [len(entry.lines) for entry in one.entries] == [1, 2]
    assert max(one.lines) == 3


def test_the_format_of_a_reference_is_no_heading():
    head = line("ACM Reference Format:", base=88, bold=True)
    assert reference_lists.find_reference_lists([head, *block(DOE)]) == []
    assert reference_lists.find_reference_lists([line("References II", base=88), *block(DOE)])


def test_numbers_that_go_on_are_a_list_without_a_heading():
    rows = [f"[{number}] A. Doe, “Title of it,” Nature, vol. {number}, 1999." for number in range(7, 15)]
    (one,) = reference_lists.find_unannounced_list(block(rows))
    assert [entry.label for entry in one.entries] == [str(number) for number in range(7, 15)]
    assert [problem.message for problem in pdf_document._find_missing_numbers([one], "a.pdf")] == [
        "reference 1 to 6 is missing before 7"
    ]


def test_footnotes_below_a_list_are_no_part_of_it():
    note = line("2 Poe, C., Three, 2001.", base=130, size=7)
    note.note = note.numbered = True
    found = [*block(["References", DOE[0]]), note, line(DOE[1], base=60, page=2)]
    (one,) = reference_lists.find_reference_lists(found)
    assert [entry.rough for entry in one.entries] == DOE


INSIDE = [
    ["Doe, A. (1999). “One of them”.", "In: Proceedings of the Conference (CVPR), pp. 7–8."],
    [
        "BRAUDEL F. (1958), « La longue durée », Annales.",
        "Économies, Sociétés, Civilisations, vol. 13, p. 7.",
    ],
]


@pytest.mark.parametrize("rows", INSIDE)
def test_a_line_without_names_and_year_begins_no_entry(rows):
    others = [f"Roe, B. ({year}). The title of it. Nature, 13, 5–6." for year in range(1990, 1996)]
    found, _ = split_entries(block([*others[:3], *rows, *others[3:]]))
    assert [len(entry.lines) for entry in found] == [1, 1, 1, 2, 1, 1, 1]


COUNTS = [
    ([["1", "2", "3"]], 3),
    ([["1", "2"], ["1", "2", "3"]], 5),
    ([["1", "2"], ["3", "4"]], 4),
    ([["7", "8"]], 8),
    ([["", ""]], None),
]


@pytest.mark.parametrize(("labels", "expected"), COUNTS)
def test_lists_that_count_anew_are_counted_together(labels, expected):
    found = [
        reference_lists.ReferenceList([PdfEntry([line("A. Doe")], label) for label in one], "number")
        for one in labels
    ]
    assert pdf_document._count_numbered(found) == expected


RAISED = [
    # the words with the height of each, and the text in which raised numbers are marks
    ([("seen", 100, 10), ("1–4", 96, 7), (".", 100, 10), ("So", 100, 10)], "seen [1–4]. So"),
    ([("seen", 100, 10), ("10,12", 96, 7), ("and", 100, 10)], "seen [10,12] and"),
    ([("seen", 100, 10), ("12", 100, 10), ("and", 100, 10)], "seen 12 and"),
]


@pytest.mark.parametrize(("pieces", "text"), RAISED)
def test_raised_numbers_are_marks(pieces, text):
    found = [PdfWord(piece, 50.0, 60.0, base, size) for piece, base, size in pieces]
    one = PdfLine(1, found).measure_line().drop_words()
    assert (one.marked or one.text) == text


def test_columns_are_read_one_after_the_other():
    runs = [
        PdfRun(words("A heading that goes across the two columns of it", 50, 40), bold=False, upright=True)
    ]
    for row in range(12):
        for left, side in ((50, "left"), (320, "right")):
            text = f"{side} {row} of a column with words in it and some more"
            runs.append(PdfRun(words(text, left, 60 + 12 * row, 8), bold=False, upright=True))
    found = [one.text.split()[0:2] for one in ordered(runs, 1, 600)]
    assert found == [["A", "heading"]] + [[side, str(row)] for side in ("left", "right") for row in range(12)]


@pytest.mark.parametrize("gap", [8.0, 9.0, 10.0, 14.0])
@pytest.mark.parametrize("edge", [295.5, 296.0, 296.9])
def test_a_narrow_gutter_parts_columns_wherever_it_is(edge, gap):
    runs = []
    for row in range(12):
        for left, right, side in ((42.0, edge, "left"), (edge + gap, 560.0, "right")):
            drawn = [
                PdfWord(side, left, left + 40, 60 + 12 * row, 8),
                PdfWord("x" * 40, left + 43, right, 60 + 12 * row, 8),
            ]
            runs.append(PdfRun(drawn, bold=False, upright=True))
    sides = [one.text.split()[0] for one in ordered(runs, 1, 595)]
    assert sides == ["left"] * 12 + ["right"] * 12


def test_labels_are_no_column():
    runs = []
    for base in range(60, 300, 12):
        found = words("[Label]", 50, base) + words("and a line of the entry that goes with it", 120, base)
        runs.append(PdfRun(found, bold=False, upright=True))
    assert all(one.text.startswith("[Label") for one in ordered(runs, 1, 600))


def test_running_heads_and_page_numbers_are_taken_out():
    pages = []
    for number in range(1, 5):
        rows = [line(f"Journal of Things {number}", base=30, page=number)]
        rows += [
            line(f"text {'abcd'[number - 1] * (row + 1)} here", base=80 + 12 * row, page=number)
            for row in range(9)
        ]
        rows += [line(str(number), base=800, page=number)]
        pages.append(PageText(number, 600, 842, rows).measure_lines())
    pdf_pages.remove_page_furniture(pages)
    assert all(len(page.lines) == 9 and page.lines[0].text.startswith("text") for page in pages)


HEADS = [
    # the first line of the second page, its size and height, whether it stays
    ("11/15/26, 9:41 AM Social inequality", 9, 22, False),
    ("A conference of 2017, Washington, DC", 9, 30, False),  # stands on the first page, elsewhere
    ("Chapter 2", 18, 209, True),
    ("Doe, A. (1999). One title of it here.", 10, 60, True),
]


@pytest.mark.parametrize(("text", "size", "base", "stays"), HEADS)
def test_the_head_of_one_page(text, size, base, stays):
    first = [line("Chapter 1", base=209, size=18)]
    first += [line(f"text {'abcdefghi'[n] * 9} of it", base=240 + 12 * n) for n in range(9)]
    first += [line("A conference of 2017, Washington, DC", base=360)]
    top = [line(text, base=base, size=size, page=2)]
    top += [line(f"more {'abcdefghi'[n] * 9} of it", base=240 + 12 * n, page=2) for n in range(9)]
    pages = [PageText(n, 600, 842, rows).measure_lines() for n, rows in enumerate((first, top), 1)]
    pdf_pages.remove_page_furniture(pages)
    assert any(one.text == text for one in pages[1].lines) is stays
    assert len(pages[0].lines) == 11


@pytest.mark.parametrize(
    ("text", "base", "left"),
    [
        ("4 zoo: an S3 class and methods", 80, []),  # a page with its running head alone
        (
            "Journal of Statistical Software, 7(2), 1–38.",
            104,
            ["Journal of Statistical Software, 7(2), 1–38."],
        ),
    ],
)
def test_a_page_of_one_line(text, base, left):
    pages = [
        PageText(n, 600, 842, [
            line(f"{n} zoo: an S3 class and methods", base=80, page=n),
            *(line(f"text {'abcdefghi'[n + row]} of it", base=104 + 12 * row, page=n) for row in range(6)),
        ]).measure_lines()
        for n in range(1, 4)
    ]  # fmt: skip
    pages.append(PageText(4, 600, 842, [line(text, base=base, page=4)]).measure_lines())
    pdf_pages.remove_page_furniture(pages)
    assert [one.text for one in pages[3].lines] == left
    assert all(len(page.lines) == 6 for page in pages[:3])


def test_the_last_line_of_a_reference_is_no_page_number():
    rows = [line("Doe, A. (1999). One. Nature 12, 1847–", base=776), line("1856.", base=788)]
    pages = [
        PageText(1, 600, 842, [line(f"text {n}", base=700 + 12 * n) for n in range(6)] + rows).measure_lines()
    ]
    pdf_pages.remove_page_furniture(pages)
    assert pages[0].lines[-1].text == "1856."


def test_line_numbers_are_taken_out():
    runs = []
    for row in range(1, 20):
        base = 60.0 + 14 * row
        found = [PdfWord(str(row), 20.0, 30.0, base, 6.0), *words("text of it", 50, base)]
        runs.append(PdfRun(found, bold=False, upright=True))
    assert all(len(run.words) == 3 for run in pdf_pages.LineNumbers().strip_numbers(runs))


NOTES = [
    ("Vgl. dazu Weber, Max: Wirtschaft und Gesellschaft, Tübingen: Mohr Siebeck 1922, S. 12.", 1),
    ("Ebd., S. 12.", 0),
    ("Weber, a. a. O., S. 12 (1922), so auch in der Ausgabe der Zeitschrift.", 0),
    ("We thank the reviewers, who have helped us in 1999.", 0),
    ("Ibid., p. 12.", 0),
    ("Kuhn, Structure, 33.", 0),
    (
        (
            "See E. P. Thompson, “The Moral Economy of the Crowd,” Past & Present 50 (1971): 76–136; and "
            "Joan W. Scott, “Gender: A Category,” American Historical Review 91, no. 5 (1986): 1053–75."
        ),
        2,
    ),
    (
        (
            "Max Weber. “Politik als Beruf”. In: Studien 1 (1919), pp. 1–12; Alan M. Turing. “Computing "
            "machinery and intelligence”. In: Mind 59 (1950), pp. 433–460."
        ),
        2,
    ),
]


@pytest.mark.parametrize(("text", "count"), NOTES)
def test_a_note_gives_the_references_in_it(text, count):
    note = pdf_document.Footnote("7", [line(f"7 {text}")])
    found = pdf_document.find_note_citations([note], DocumentWords([]))
    assert len(found) == count
    assert not any(one.text.startswith(("Vgl", "7")) for one in found)


def test_footnotes_are_the_small_print_at_the_foot():
    rows = [line(f"text {n} of the body of it", base=60 + 12 * n) for n in range(20)]
    rows += [line("1 Doe, One, 1999.", base=700, size=7), line("2 Roe, Two,", base=710, size=7)]
    rows += [line("2000.", base=720, size=7)]
    found = pdf_document.collect_footnotes([PageText(1, 600, 842, rows)])
    assert [(note.number, len(note.lines)) for note in found] == [("1", 1), ("2", 2)]


def test_the_patterns_stay_cheap_on_odd_text():
    for text in (
        "A" * 5000,
        "A. " * 2000,
        "Aa, " * 2000,
        "Aa " * 2000,
        "10 . " * 2000,
        "https : / / " * 1000,
        "“" * 5000,
    ):
        reference_signs.weigh_reference(text)
        close_addresses(text)
        pdf_document.find_note_citations([pdf_document.Footnote("1", [line(text[:4000])])], DocumentWords([]))


def test_entries_keep_the_order_of_the_document():
    found, _ = split_entries(
        block([f"[{number}] A. Doe, Title {number}, Nature, 1999." for number in range(1, 300)])
    )
    assert all(int(a.label) + 1 == int(b.label) for a, b in pairwise(found))
