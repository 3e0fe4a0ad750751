"""A reference list ends before what stands behind it: appendices, tables, forms; an entry never ends it."""

from __future__ import annotations

import pytest

from citeproof.reading.extractors.base import extract_here
from citeproof.vocabulary import Document

ENTRIES = (
    "Y. LeCun, Y. Bengio, and G. Hinton. Deep learning. Nature, 521:436-444, 2015.",
    "S. Hochreiter and J. Schmidhuber. Long short-term memory. Neural Computation, 9(8):1735-1780, 1997.",
    "J. D. Watson and F. H. C. Crick. Molecular structure of nucleic acids. Nature, 171:737-738, 1953.",
)
PROSE = (
    "We now prove the main result that was stated above. It is clear that the function is continuous\n"
    "and that the sequence converges. These experiments were run on one machine, which has two\n"
    "processors. The values are shown in the table below, and they have not been rounded.\n"
)


def read(text):
    return [one.text for one in extract_here(Document("a.txt", text.encode())).references]


@pytest.mark.parametrize(
    "heading",
    [
        *("Appendix", "Appendix A: Proofs of the theorems", "A Proofs of the theorems", "A. Proofs"),
        *("A.1 Hyperparameters", "6 Appendix", "SUPPLEMENTARY MATERIAL", "Supplementary information"),
        *("Table 5: values of all runs", "Figure S1. Values", "NeurIPS Paper Checklist", "About the Authors"),
        *("Anhang A: Fragebogen", "Eidesstattliche Erklärung", "Anexo", "Annexe 1"),
    ],
)
@pytest.mark.parametrize("numbered", [True, False], ids=["numbered", "by name"])
@pytest.mark.parametrize("between", ["\n", "\n\n"], ids=["close", "spaced"])
def test_an_appendix_is_no_part_of_the_last_reference(heading, numbered, between):
    listed = [f"[{n}] {text}" for n, text in enumerate(ENTRIES, 1)] if numbered else ENTRIES
    text = f"Said before [1].\n\nReferences\n\n{between.join(listed)}\n\n{heading}\n{PROSE}"
    assert read(text) == list(ENTRIES)


@pytest.mark.parametrize(
    "entry",
    [
        "World Bank\nWorld Development Report\nWashington, 2018.",
        "World Health Organization\nGlobal Report on Diabetes\nGeneva, 2016.",
    ],
)
def test_an_entry_whose_first_line_looks_like_a_heading_is_kept(entry):
    for listed in ((entry, *ENTRIES), (ENTRIES[0], entry, *ENTRIES[1:]), (*ENTRIES, entry)):
        found = read("References\n\n" + "\n\n".join(listed))
        assert len(found) == 4
        assert " ".join(entry.split()) in found


def test_an_undated_entry_of_a_numbered_list_is_kept():
    listed = [f"[{n}] {text}" for n, text in enumerate((*ENTRIES, "Personal Web Page of the Author"), 1)]
    assert len(read("References\n\n" + "\n\n".join(listed))) == 4
