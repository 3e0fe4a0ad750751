"""Cited pages: as counted in the file, as printed on the page, or as published."""

import pytest

from citeproof.claims.quotes import check_pages, index_source, locate_quotation

UNMARKED = ["alpha beta gamma", "delta epsilon zeta", "eta theta iota", "kappa lambda mu"]
FEET = [f"{text}\n{101 + at}" for at, text in enumerate(UNMARKED)]
HEADS = [f"{101 + at} Journal of Things\n{text}" for at, text in enumerate(UNMARKED)]
YEARS = [f"Journal of Things 2020\n{text}" for text in UNMARKED]  # the same on every page: no page number


@pytest.mark.parametrize(
    ("pages", "quote", "first", "last", "published", "agreement", "printed"),
    [
        (UNMARKED, "eta theta iota", 3, 3, None, "agrees", None),
        (UNMARKED, "eta theta iota", 2, 4, None, "agrees", None),
        (UNMARKED, "eta theta iota", 2, 2, None, "differs", None),
        (UNMARKED, "eta theta iota", 103, 103, None, "differs", None),
        (UNMARKED, "eta theta iota", 103, 103, 101, "agrees", None),
        (UNMARKED, "zeta eta theta", 2, 2, None, "agrees", None),  # it begins there
        (UNMARKED, "zeta eta theta", 3, 3, None, "agrees", None),  # it ends there
        (FEET, "eta theta iota", 103, 103, None, "agrees", 103),
        (FEET, "eta theta iota", 3, 3, None, "agrees", 103),
        (FEET, "eta theta iota", 104, 104, None, "differs", 103),
        (HEADS, "eta theta iota", 103, 103, None, "agrees", 103),
        (HEADS, "eta theta … kappa lambda", 104, 104, None, "agrees", 103),
        (YEARS, "eta theta iota", 2020, 2020, None, "differs", None),
        (UNMARKED, "nothing of the kind", 3, 3, None, "unknown", None),
        (["alpha beta gamma delta"], "beta gamma", 9, 9, None, "unknown", None),
        (["one two three"] * 3, "one two three", 3, 3, None, "agrees", None),  # it is there three times
    ],
)
def test_pages(pages, quote, first, last, published, agreement, printed):
    source = index_source("\f".join(pages))
    found = check_pages(locate_quotation(quote, source), source, first, last, published)
    assert (found.agreement, found.printed) == (agreement, printed)
