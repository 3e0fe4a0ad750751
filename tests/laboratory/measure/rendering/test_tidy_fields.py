from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.laboratory.measure.rendering.tidy_fields import tidy_citation
from tests.laboratory.measure.rendering.works import BY_NAME


@pytest.mark.parametrize(
    ("venue", "expected"),
    [
        ("Social science & medicine (1982)", "Social science & medicine"),
        ("Science (New York, N.Y.)", "Science"),
        ("Hepatology (Baltimore, Md.)", "Hepatology"),
        ("Computational Linguistics, Volume 40, Issue 3 - September 2014", "Computational Linguistics"),
        (r"Proceedings of the Ninth \LREC\ Workshop", "Proceedings of the Ninth LREC Workshop"),
        ("Workshop on Causality (CATOCL)", "Workshop on Causality (CATOCL)"),
        ("  Phys.\nRev.\u200b Lett. ", "Phys. Rev. Lett."),
    ],
)
def test_venues_as_they_are_printed(venue, expected):
    assert tidy_citation(replace(BY_NAME["mind"], venue=venue)).venue == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [("Rosen Reply:", "Rosen Reply"), ("A\x00\u202eB", "AB"), ("می\u200cخواهم", "می\u200cخواهم")],
)
def test_titles(title, expected):
    assert tidy_citation(replace(BY_NAME["mind"], title=title)).title == expected


@pytest.mark.parametrize(
    ("pages", "expected"), [("1 – 10", "1-10"), ("e12—e15", "e12-e15"), ("3--9", "3-9"), ("023526", "023526")]
)
def test_pages(pages, expected):
    assert tidy_citation(replace(BY_NAME["mind"], pages=pages)).pages == expected
