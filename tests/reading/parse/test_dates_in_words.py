"""Months in words belong to the date, in every language: never to a venue, publisher, title or name."""

from __future__ import annotations

import pytest

from citeproof.reading.parse import parse
from citeproof.vocabulary import Place, RawReference

ARXIV = "arXiv: 2005.14165 [cs]."


def read(text):
    return parse(RawReference("k", text, Place())).claimed


@pytest.mark.parametrize(
    "date",
    [
        *("Ago. de 2022", "ago. de 2022", "Dic. de 2022", "agosto de 2022", "5 de mayo de 2022"),
        *("Set. de 2022", "Out. de 2022", "Set. 2022", "Ott. 2022", "Març 2022", "maart 2022"),
        *("Août 2022", "août 2022", "Janv. 2022", "Déc. 2022", "Mai 2022", "Okt. 2022", "May 2022"),
    ],
)  # fmt: skip
def test_a_month_before_the_year_is_no_field_of_its_own(date):
    claimed = read(f"Tom B. Brown et al. Language Models are Few-Shot Learners. {date}. {ARXIV}")
    assert claimed.title == "Language Models are Few-Shot Learners"
    assert (claimed.venue, claimed.publisher, claimed.year) == (None, None, 2022)
    assert [name.display for name in claimed.authors] == ["Tom B. Brown"]


@pytest.mark.parametrize(
    ("text", "authors", "title", "venue"),
    [
        (
            "García, J. y López, M. (Ago. de 2022). «Aprendizaje profundo». Revista X, 19(3), 245-257.",
            "J. García; M. López", "Aprendizaje profundo", "Revista X",
        ),
        (
            "J. García y M. López. «Aprendizaje profundo». En: Revista X 19.3 (ago. de 2022), págs. 1-7.",
            "J. García; M. López", "Aprendizaje profundo", "Revista X",
        ),
        (
            "A. Silva e B. Souza. Redes neurais profundas. Set. de 2022. URL: https://example.org.",
            "A. Silva; B. Souza", "Redes neurais profundas", None,
        ),
        (
            "Vaswani, Ashish y col. Attention Is All You Need. Dic. de 2022. url: http://arxiv.org/abs/1706.03762.",
            "Ashish Vaswani", "Attention Is All You Need", None,
        ),
        (
            "D. Cohn-Bendit. Paris in May 1968. London: Penguin, 2022.",
            "D. Cohn-Bendit", "Paris in May 1968", None,
        ),
    ],
)  # fmt: skip
def test_dates_with_months_in_whole_entries(text, authors, title, venue):
    claimed = read(text)
    assert "; ".join(name.display for name in claimed.authors) == authors
    assert (claimed.title, claimed.venue, claimed.year) == (title, venue, 2022)
