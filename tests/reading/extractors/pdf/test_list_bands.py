"""A reference list that stands below both columns of the text, in two columns of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof.reading.extractors.base import extract_here
from citeproof.reading.extractors.pdf import reference_lists
from citeproof.reading.extractors.pdf.page_layout import PdfLine, PdfWord
from citeproof.vocabulary import Document

PLOS = Path(__file__).parents[5] / "shared" / "data" / "documents" / "plos_two_columns_hpv.pdf"
NUMBERED = [
    "1. Leemans CR, Braakhuis BJM (2011) The molecular biology of cancer. Nat Rev Cancer 11: 9–22.",
    "2. Ang KK, Harris J (2010) Human papillomavirus and survival. N Engl J Med 363: 24–35.",
    "3. Hanahan D, Weinberg RA (2011) Hallmarks of cancer. Cell 144: 646–674.",
    "4. Smith IM, Mydlarz WK (2007) DNA global hypomethylation. Int J Cancer 121: 1724–1728.",
]
BY_NAME = [entry.split(". ", 1)[1] for entry in NUMBERED]
BODY = [
    "We thank the reviewers, who have read this text with care, and those who funded it.",
    "All authors have read it and agree that it is their own work and that of nobody else.",
    "Table S1 Genes that were measured. The table has the values that are shown above.",
]


def column(rows, number, top, size=8.0, step=10.0):
    """Lines of one column from `top` downwards."""
    left = 50.0 + 260 * number
    return [
        PdfLine(
            1, [PdfWord(row, left, left + 240, top + step * at, size)], margin=left, column=number
        ).measure_line()
        for at, row in enumerate(rows)
    ]


def heading(top=400.0):
    return PdfLine(
        1, [PdfWord("References", 50.0, 110.0, top, 11.0)], bold=True, margin=50.0, column=0
    ).measure_line()


def read(lines):
    ordered = reference_lists.order_lists(lines)
    return [entry.rough for one in reference_lists.find_reference_lists(ordered) for entry in one.entries]


@pytest.mark.parametrize("entries", [NUMBERED, BY_NAME], ids=["numbered", "by name"])
@pytest.mark.parametrize("step", [10.0, 30.0], ids=["close", "spread"])
def test_what_ends_the_text_in_the_second_column_is_no_part_of_the_list(entries, step):
    lines = [*column(BODY, 0, 100), heading(), *column(entries[:2], 0, 420, step=step)]
    lines += [*column(BODY, 1, 100), *column(entries[2:], 1, 420, step=step)]
    assert [one[-20:] for one in read(lines)] == [one[-20:] for one in entries]


@pytest.mark.parametrize("entries", [NUMBERED, BY_NAME], ids=["numbered", "by name"])
def test_a_list_that_goes_on_at_the_top_of_the_next_column_stays(entries):
    lines = [*column(BODY, 0, 100), heading(), *column(entries[:2], 0, 420)]
    lines += [*column(entries[2:3], 1, 100), *column(entries[3:], 1, 420)]
    assert reference_lists.order_lists(lines) == lines
    assert len(read(lines)) == len(entries)


@pytest.mark.data
def test_the_paper_that_is_set_so():
    if not PLOS.exists():
        pytest.skip("the shared data folder is not here")
    found = extract_here(Document(PLOS.name, PLOS.read_bytes()))
    assert [one.key for one in found.references] == [str(number) for number in range(1, 50)]
    assert (found.expected, found.problems) == (49, ())
    twelfth = found.references[11].text
    assert twelfth.startswith("Du P, Zhang X")
    assert twelfth.endswith("BMC Bioinformatics 11: 587.")
