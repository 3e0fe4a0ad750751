"""New words are written in the letters of the file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.answers.fix.formats.bibtex import LetterHabit, detect_letter_habit
from citeproof.text.latex import strip_latex

CASES = (
    ("Müller & Søn", 'M{\\"u}ller \\& S{\\o}n', 'M\\"{u}ller \\& S{\\o}n'),
    ("Erdős", "Erd{\\H{o}}s", "Erd\\H{o}s"),
    ("Č", "{\\v{C}}", "\\v{C}"),
    ("naïve", 'na{\\"\\i}ve', 'na\\"{\\i}ve'),
    ("Straße", "Stra{\\ss}e", "Stra{\\ss}e"),
    ("1–2 — “x”", "1--2 --- ``x''", "1--2 --- ``x''"),
    ("α-decay", "$\\alpha$-decay", "$\\alpha$-decay"),
    ("王伟", "王伟", "王伟"),
    ("\\input{x}", "\\textbackslash{}input\\textbraceleft{}x\\textbraceright{}", None),
)  # fmt: skip


@pytest.mark.parametrize(("text", "braced", "inner"), CASES)
def test_latex(text, braced, inner):
    assert LetterHabit(latex=True).write_letters(text) == braced
    assert LetterHabit(latex=True, inner=True).write_letters(text) == (inner or braced)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", LetterHabit(latex=True)),
        ("Müller", LetterHabit()),
        ('M{\\"u}ller', LetterHabit(latex=True)),
        ('M\\"{u}ller', LetterHabit(latex=True, inner=True)),
    ],
)
def test_habit(text, expected):
    assert detect_letter_habit(text) == expected


def test_capitals_are_protected():
    assert LetterHabit().title("A GAN for iPads and DNA", protect=True) == "A {GAN} for {iPads} and {DNA}"
    assert LetterHabit().title("A GAN", protect=False) == "A GAN"


@given(st.text("äöüßéèñçőšžłøåæÆØabc XYZ", max_size=30), st.booleans())
def test_what_is_written_reads_as_meant(text, inner):
    written = LetterHabit(latex=True, inner=inner).write_letters(text)
    assert written.isascii()
    assert strip_latex(written).split() == text.split()
