from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.laboratory.measure.rendering.rendered_entry import (
    encode_accents,
    escape_latex,
    insert_braces,
    mark_capitals,
)
from citeproof.text.latex import strip_latex


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gödel", r"G{\"o}del"),
        ("Škoda", r"{\v{S}}koda"),
        ("Erdős", r"Erd{\H{o}}s"),
        ("Núñez", r"N{\'u}{\~n}ez"),
        ("François", r"Fran{\c{c}}ois"),
        ("Martín", r"Mart{\'\i}n"),
        ("Łukasz", r"{\L}ukasz"),
        ("Sørensen", r"S{\o}rensen"),
        ("Weiß", r"Wei{\ss}"),
        ("α-decay", r"$\alpha$-decay"),
        ("1990–2000", "1990--2000"),
        ("Nguyễn", "Nguyễn"),  # two marks on one letter: left as it is
        ("Αριστοτέλης", "Αριστοτέλης"),
        ("王伟", "王伟"),
        ("Колмогоров", "Колмогоров"),
    ],
)
def test_letters_as_commands(text, expected):
    assert encode_accents(text) == expected
    assert strip_latex(encode_accents(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50% of R&D_1 #2", r"50\% of R\&D\_1 \#2"),
        (r"\input{x}", r"\textbackslash{}input\textbraceleft{}x\textbraceright{}"),
        ("$5 ~ 6^2", r"\$5 \textasciitilde{} 6\textasciicircum{}2"),
    ],
)
def test_what_tex_acts_on_is_escaped(text, expected):
    assert escape_latex(text, accents=True) == expected


@pytest.mark.parametrize(
    ("title", "habit", "expected"),
    [
        ("Bayesian BERT for the X Ray", "caps", "Bayesian {BERT} for the {X} {R}ay"),
        ("Bayesian BERT for the X Ray", "words", "Bayesian {BERT} for the {X} Ray"),
        ("A Test of iPSCs", "words", "A Test of {iPSCs}"),
        ("Über das Übel", "caps", "Über das {Ü}bel"),
        ("Bayesian", "", "Bayesian"),
    ],
)
def test_capitals_are_held(title, habit, expected):
    assert insert_braces(mark_capitals(title, habit)) == expected


# "ı" is written as \i, which is read as the "i" that accents need.
@given(
    st.text(st.characters(categories=("L", "Nd"), max_codepoint=0x17F, exclude_characters="ı"), max_size=40)
)
def test_letters_come_back(text):
    assert strip_latex(escape_latex(text, accents=True)) == strip_latex(escape_latex(text, accents=False))
