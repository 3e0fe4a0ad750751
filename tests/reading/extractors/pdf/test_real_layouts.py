"""What real papers and theses showed: physics journals, wide lines before an appendix, old TeX fonts."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from citeproof.reading.extractors.base import extract_here
from citeproof.reading.extractors.pdf import reference_lists
from citeproof.reading.extractors.pdf.page_glyphs import read_unnamed_letters
from citeproof.reading.extractors.pdf.page_layout import PdfLine, PdfRun, PdfWord
from citeproof.reading.extractors.pdf.pdf_pages import LineNumbers
from citeproof.vocabulary import Document
from tests.faults.bombs.pdf import CATALOGUE, FONT, PAGES, page, pdf, stream
from tests.reading.extractors.pdf.test_list_bands import BODY, column

PHYSICS = [
    "[1] R. M. Moon, T. Riste, and W. C. Koehler, Phys. Rev. 181, 920 (1969).",
    "[2] J. Kulda, J. Saroun, and P. Courtois, Appl. Phys. A 74, s246 (2002).",
    "[3] S. Muehlbauer, B. Binz, and F. Jonietz, Science 323, 915 (2009).",
    "[4] Y. Tokura, S. Seki, and N. Nagaosa, Rep. Prog. Phys. 77, 076501 (2014).",
    "[5] N. Kanazawa, A. Kitaori, and J. White, Phys. Rev. Lett. 125, 137202 (2020).",
    "[6] R. Takagi, J. S. White, and S. Hayami, Sci. Adv. 4, eaau3402 (2018).",
]


def test_a_list_without_heading_below_balanced_columns():
    lines = [*column(BODY, 0, 100), *column(PHYSICS[:4], 0, 420)]
    lines += [*column(BODY, 1, 100), *column(PHYSICS[4:], 1, 420)]
    [found] = reference_lists.find_unannounced_list(reference_lists.order_lists(lines))
    assert [entry.label for entry in found.entries] == list("123456")
    assert all(len(entry.lines) == 1 for entry in found.entries)


def place(text, base, left, number=0, size=8.0):
    words = [PdfWord(text, left, left + 230, base, size)]
    return PdfLine(1, words, margin=50.0 + 260 * number, column=number).measure_line()


def hang(entries, top, number=0, step=10.0, size=8.0):
    """Lines of entries with a hanging indent."""
    left = 50.0 + 260 * number
    rows = [(text, left + 14 * bool(at)) for entry in entries for at, text in enumerate(entry)]
    return [place(text, top + step * at, x, number, size) for at, (text, x) in enumerate(rows)]


WIDE = [
    [
        "Amin, K., Coval, J. D. (2004). Index option prices and stock",
        "market momentum. Journal of Business, 77, 835.",
    ],
    [
        "Anthony, J. H. (1988). The interrelation of stock and options",
        "volume data. Journal of Finance, 43, 949.",
    ],
    [
        "Baker, M., Wurgler, J. (2006). Investor sentiment and the cross",
        "section. Journal of Finance, 61, 1645.",
    ],
    ["Bali, T. G. (2009). Volatility spreads and expected stock", "returns. Management Science, 55, 1797."],
]


def read(lines):
    found = reference_lists.find_reference_lists(reference_lists.order_lists(lines))
    return [entry.rough for one in found for entry in one.entries]


def test_lines_far_apart_before_a_long_appendix():
    lines = [place("References", 60, 50.0, size=12.0), *hang(WIDE, 100, step=24.0)]
    rows = [f"row {at} of a table with words and values 0.{at} and 1.{at}" for at in range(40)]
    lines += [place(row, 300 + 12 * at, 50.0) for at, row in enumerate(rows)]
    assert read(lines)[:3] == [" ".join(entry) for entry in WIDE[:3]]


def test_text_above_the_rest_of_a_list_is_no_part_of_an_entry():
    entries = [[f"[{at}] {one[0]}", one[1]] for at, one in enumerate([*WIDE, *WIDE], 1)]
    lines = [place("References", 60, 50.0, size=12.0), *hang(entries[:4], 80)]
    lines += [place(row, 80 + 10 * at, 310.0, 1) for at, row in enumerate(BODY)]
    lines += hang(entries[4:], 110, 1)
    assert read(lines) == [" ".join(entry)[4:] for entry in entries]


def test_a_table_on_top_of_the_next_column_is_no_part_of_an_entry():
    lines = [place("References", 60, 50.0, size=12.0), *hang(WIDE, 80)]
    lines += [place("open-weight models 5 of 400", 80 + 8 * at, 310.0, 1, size=5.5) for at in range(4)]
    assert read(lines) == [" ".join(entry) for entry in WIDE]


def draw(rows):
    return b"BT /F1 10 Tf 50 700 Td 14 TL " + b" ".join(b"(%b) '" % row for row in rows) + b" ET"


CODES = {
    "Cork's encoding": (b"\\034", b"\\025"),
    "the old encoding": (b"\\014", b"-"),
}


@pytest.mark.parametrize(("fi", "dash"), CODES.values(), ids=CODES)
def test_letters_of_old_tex_fonts(fi, dash):
    rows = [
        b"These classi%bers are scienti%bc and of some bene%bt [1]." % (fi, fi, fi),
        b"References",
        b"[1] A. Smith. A %brst classi%ber for %bnding proteins. Nature 521, 436%b444, 2015."
        % (fi, fi, fi, dash),
        b"[2] B. Jones. On the identi%bcation of %bgures. Nature 522, 1%b9, 2016." % (fi, fi, dash),
    ]
    font = FONT.replace(b">>", b"/Encoding << /Differences [12 /g1 21 /g2 28 /g3] >> >>")
    found = extract_here(Document("a.pdf", pdf(CATALOGUE, PAGES, page(), stream(draw(rows)), font)))
    first, second = (one.text for one in found.references)
    assert "A first classifier for finding proteins" in first
    assert "On the identification of figures" in second
    assert "436–444" in first.replace("-", "–")
    assert found.problems == ()


def test_ligatures_of_a_font_with_an_order_of_its_own():
    told = read_unnamed_letters("We de\x1bne a re\x1bned model. Di\x1derent e\x1dects. One \x1ezzy \x1fow.")
    assert told == "We deﬁne a reﬁned model. Diﬀerent eﬀects. One \x1ezzy \x1fow."


@pytest.mark.parametrize("ligature", ["fi", "fl", "ff", "ffi", "ffl"])
def test_each_stem_has_its_ligature(ligature):
    source = files("citeproof.reading.extractors.pdf").joinpath("ligature_stems.toml").read_text("utf-8")
    assert all(ligature in stem for stem in tomllib.loads(source)[ligature].split())


@pytest.mark.parametrize("last", [[230, 235], [240]], ids=["two", "one"])
def test_line_numbers_by_fives(last):
    numbers = LineNumbers()

    def make_page(counts):
        text = [[PdfWord(f"words{at}", 71.0, 120.0, 80.0 + 14 * at, 10.0)] for at in range(30)]
        for at, count in enumerate(counts):
            base = 80.0 + 70 * at
            text[5 * at].insert(0, PdfWord(str(count), 51.0, 61.0, base, 6.0))
        return [PdfRun(words, bold=False, upright=True) for words in text]

    for counts in ([205, 210, 215, 220, 225], last):
        kept = numbers.strip_numbers(make_page(counts))
        assert [word.text for run in kept for word in run.words] == [f"words{at}" for at in range(30)]
    words = [PdfWord("in", 40.0, 49.0, 80.0, 10.0), PdfWord("230", 51.0, 61.0, 80.0, 10.0)]
    wide = [PdfWord("words", 40.0, 300.0, 94.0, 10.0)]
    inside = [PdfRun(one, bold=False, upright=True) for one in (words, wide)]
    assert numbers.strip_numbers(inside) == inside
