"""What follows the last entry of a list in a PDF is no part of it: appendices, notices, captions."""

from __future__ import annotations

import pytest

from citeproof.reading.extractors.pdf import reference_lists
from citeproof.reading.extractors.pdf.page_layout import PdfLine, PdfWord

NUMBERED = [
    "[1] Y. LeCun, Y. Bengio, and G. Hinton. Deep learning. Nature, 2015.",
    "[2] S. Hochreiter and J. Schmidhuber. Long short-term memory. Neural Computation, 1997.",
    "[3] J. D. Watson and F. H. C. Crick. Molecular structure of nucleic acids. Nature, 1953.",
]
PROSE = [
    "We now prove the main result that was stated above. It is clear that the function",
    "is continuous and that the sequence converges. These experiments were run on one",
    "machine, which has two processors. The values are shown in the table below, and",
    "they have not been rounded.",
]


def line(text, base, left=50.0, size=8.0):
    return PdfLine(1, [PdfWord(text, left, left + 400, base, size)], margin=50.0).measure_line()


def read(entries, behind, *, size=8.0, gap=0.0, left=50.0):
    rows = [line("References", 100, size=12)]
    rows += [line(text, 120 + 10 * at) for at, text in enumerate(entries)]
    top = rows[-1].base + 10 + gap
    rows += [line(text, top + 1.2 * size * at, left, size) for at, text in enumerate(behind)]
    return [entry.rough for one in reference_lists.find_reference_lists(rows) for entry in one.entries]


@pytest.mark.parametrize("size", [8.0, 9.5, 10.0], ids=["same size", "larger", "much larger"])
@pytest.mark.parametrize("gap", [0.0, 4.0, 20.0], ids=["close", "apart", "far"])
@pytest.mark.parametrize(
    "heading",
    [[], ["Appendix A. Proofs of the theorems"], ["Anhang"], ["Supplementary material for this paper"]],
)
def test_an_appendix_is_no_part_of_the_last_entry(heading, gap, size):
    found = read(NUMBERED, [*heading, *PROSE], size=size, gap=gap)
    assert found == [entry[4:] for entry in NUMBERED]


def test_a_paragraph_that_names_a_year_is_told_by_its_size():
    behind = ["a) Details: We have run all of it in 2019, and these are the values that were found.", *PROSE]
    assert read(NUMBERED, behind, size=9.5, gap=4.0) == [entry[4:] for entry in NUMBERED]


@pytest.mark.parametrize(
    "notice",
    ["© 2020 The Authors. Published by Example Press.", "Copyright © 2020 X Press", "(c) 2020 X Press"],
)
def test_a_copyright_notice_is_no_reference(notice):
    entries = [entry[4:] for entry in NUMBERED]
    assert read(entries, [notice], gap=20) == entries


@pytest.mark.parametrize("caption", ["Table S2 Values of all runs", "Figure A.1: Values", "Table 5. Values"])
def test_a_caption_is_no_part_of_an_entry(caption):
    assert read(NUMBERED, [caption, "and what they mean"]) == [entry[4:] for entry in NUMBERED]


def test_the_last_entry_keeps_its_own_lines():
    entries = [*NUMBERED[:2], "[3] J. D. Watson and F. H. C. Crick. 1953.", "Molecular structure of acids."]
    rest = ["A structure that is not the one which was proposed by Pauling. Nature, 171.", "Reprinted."]
    found = read(entries, rest)
    assert found[-1].endswith("Reprinted.")


SPACED = [
    "LeCun, Y., Y. Bengio, and G. Hinton (2015). Deep learning and what it may be used",
    "for in the sciences. Nature 521(7553), 436-444.",
    "Hochreiter, S. and J. Schmidhuber (1997). Long short-term memory in networks that",
    "have loops. Neural Computation 9(8), 1735-1780.",
    "Watson, J. D. and F. H. C. Crick (1953). Molecular structure of nucleic acids and",
    "of others. Nature 171, 737-738.",
]


def test_close_tables_behind_a_wide_list_do_not_part_its_lines():
    rows = [line("References", 100, size=12)]
    for at, text in enumerate(SPACED):
        rows.append(line(text, 130 + 26 * at - 4 * (at % 2), 50 + 11 * (at % 2), 9.8))
    rows += [line(f"{7 * at % 40} recreation park {at + 300}", 330 + 9.5 * at, 56, 7.1) for at in range(40)]
    (one,) = reference_lists.find_reference_lists(rows)
    assert [entry.rough for entry in one.entries] == [
        f"{first} {second}" for first, second in zip(SPACED[::2], SPACED[1::2], strict=True)
    ]


def test_a_numbered_list_continues_behind_figures():
    labels = ("1.00", "0.75", "0.50", "0.25", "0 50K 100K 150K", "Num. of Flows", "HF ES", "HP FR")
    rows = [line("References", 100, size=12)]
    rows += [line(text, 120 + 10 * at) for at, text in enumerate(NUMBERED[:2])]
    rows += [line(text, 150 + 20 * at, size=11.3) for at, text in enumerate(labels * 12)]
    later = ["[3] J. D. Watson and F. H. C. Crick. Molecular structure of nucleic acids. Nature, 1953."]
    later += [entry.replace(f"[{at}]", f"[{at + 3}]") for at, entry in enumerate(NUMBERED, 1)]
    rows += [line(text, rows[-1].base + 20 + 10 * at) for at, text in enumerate(later)]
    (one,) = reference_lists.find_reference_lists(rows)
    assert [entry.label for entry in one.entries] == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("heading", ["PRIMARY STUDIES", "ONLINE SOURCES", "DATASETS"])
def test_a_second_list_with_its_own_numbers_keeps_its_head(heading):
    rows = [line("References", 100, size=12)]
    rows += [line(text, 120 + 10 * at) for at, text in enumerate(NUMBERED)]
    rows.append(line(heading, rows[-1].base + 40))
    second = [f"[{n}] B. Ice and C. Berg. A second list, number {n}. Science, 200{n}." for n in range(1, 8)]
    rows += [line(text, rows[-1].base + 10 + 10 * at) for at, text in enumerate(second)]
    labels = [entry.label for one in reference_lists.find_reference_lists(rows) for entry in one.entries]
    assert labels == ["1", "2", "3", "1", "2", "3", "4", "5", "6", "7"]
