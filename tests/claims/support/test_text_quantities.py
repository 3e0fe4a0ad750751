"""Numbers of a text with their units and comparators, and what is no number."""

from __future__ import annotations

import pytest

from citeproof.claims.support.text_quantities import Comparator, find_quantities


@pytest.mark.parametrize(
    ("text", "low", "high", "dimension"),
    [
        ("Mortality was 42.3% at 90 days", 42.3, 42.3, "share"),
        ("We enrolled 1,071 patients", 1071, 1071, ""),
        ("in 10–20% of the cases", 10, 20, "share"),
        ("about half of them", 50, 50, "share"),
        ("three-quarters of them", 75, 75, "share"),
        ("2000 patients took part", 2000, 2000, ""),
        ("it was −5 °C outside", -5, -5, "temperature"),
    ],
)
def test_quantities_are_read(text: str, low: float, high: float, dimension: str) -> None:
    found = next(find_quantities(text))
    assert (found.low, found.high, found.dimension) == (low, high, dimension)
    assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    "text",
    [
        "in type 2 diabetes", "IL-6 and 5XFAD mice", "as Figure 3 shows", "published in 2004",
        "the 3rd time", "SARS-CoV-2", "a 10-year-old boy",
    ],
)  # fmt: skip
def test_digits_of_names_and_years_are_no_quantities(text: str) -> None:
    assert [found.text for found in find_quantities(text) if not found.dimension] == []


@pytest.mark.parametrize(
    ("text", "comparator"),
    [
        ("less than 5 mg", Comparator.BELOW),
        ("at least 5 mg", Comparator.ABOVE),
        ("roughly 5 mg", Comparator.ABOUT),
        ("of 5 mg", Comparator.EXACT),
    ],
)
def test_comparators_are_read(text: str, comparator: Comparator) -> None:
    assert next(find_quantities(text)).comparator is comparator


def test_the_same_amount_in_other_units_has_the_same_value() -> None:
    gram, milligram = next(find_quantities("of 0.5 g")), next(find_quantities("of 500 mg"))
    assert gram.dimension == milligram.dimension
    assert gram.low == pytest.approx(milligram.low)


@pytest.mark.parametrize("text", ["p < 0.05", "95% CI 1.2", "p value of > 0.01"])
def test_numbers_of_chance_are_marked(text: str) -> None:
    assert next(find_quantities(text)).chance
