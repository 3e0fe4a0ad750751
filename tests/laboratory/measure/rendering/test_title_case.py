from __future__ import annotations

import pytest

from citeproof.laboratory.measure.rendering.tidy_fields import change_title_case
from citeproof.text.title import make_title_key


@pytest.mark.parametrize(
    ("title", "sentence", "headline"),
    [
        ("Attention Is All You Need for the Task", "Attention is all you need for the task",
         "Attention Is All You Need for the Task"),
        ("A test of the CPL parameterization: the dark-energy case",
         "A test of the CPL parameterization: the dark-energy case",
         "A Test of the CPL Parameterization: The Dark-Energy Case"),
        ("Effects of LiFePO4 and the pH on T Cells in mRNA Vaccines",
         "Effects of LiFePO4 and the pH on T cells in mRNA vaccines",
         "Effects of LiFePO4 and the pH on T Cells in mRNA Vaccines"),
        ("Erratum to the Proof [Phys. Rev. Lett. 99, 128701]",
         "Erratum to the proof [Phys. Rev. Lett. 99, 128701]",
         "Erratum to the Proof [Phys. Rev. Lett. 99, 128701]"),
        ("Comment on the “Quantum Theory of Light”", "Comment on the “Quantum theory of light”",
         "Comment on the “Quantum Theory of Light”"),
        ("A Measurement of |Vub|/|Vcb| (First Results)", "A measurement of |Vub|/|Vcb| (first results)",
         "A Measurement of |Vub|/|Vcb| (First Results)"),
        ("Über die Zukunft der Arbeit und des Lebens", None, None),
        ("Les Misérables", None, None),
        ("ON THE ELECTRODYNAMICS OF MOVING BODIES", None, None),
        ("Три подхода к определению", None, None),
        ("机器学习", None, None),
    ],
)  # fmt: skip
def test_only_plain_english_words_change(title, sentence, headline):
    assert change_title_case(title, "sentence") == (sentence or title)
    assert change_title_case(title, "title") == (headline or title)
    assert change_title_case(title, "") == title
    assert make_title_key(change_title_case(title, "title")) == make_title_key(title)
