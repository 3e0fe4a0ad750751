from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from citeproof.laboratory.measure import rendering
from citeproof.laboratory.measure.rendering import tidy_fields
from citeproof.text.venue_match import match_venues

TABLE = tomllib.loads(resources.files(rendering).joinpath("venues.toml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "full", "short", "nodots"),
    [
        ("Phys. Rev. Lett.", "Physical Review Letters", "Phys. Rev. Lett.", "Phys Rev Lett"),
        ("physical review letters", "Physical Review Letters", "Phys. Rev. Lett.", "Phys Rev Lett"),
        ("Phys Rev Lett", "Physical Review Letters", "Phys. Rev. Lett.", "Phys Rev Lett"),
        ("Memory and Cognition", "Memory & Cognition", "Mem. Cogn.", "Mem Cogn"),
        ("Acta Obscura.", "Acta Obscura.", "Acta Obscura.", "Acta Obscura."),
        ("", "", "", ""),
    ],
)
def test_a_venue_by_habit(name, full, short, nodots):
    found = tuple(tidy_fields.format_venue(name, habit) for habit in ("full", "short", "nodots", ""))
    assert found == (full, short, nodots, name)


@pytest.mark.parametrize("field", TABLE)
def test_every_pair_is_one_venue(field):
    other = [pair for pair in TABLE[field].items() if match_venues(*pair).outcome == "differs"]
    assert not other


def test_no_two_venues_share_an_abbreviation():
    shorts = [short for rows in TABLE.values() for short in rows.values()]
    assert len(shorts) == len(set(shorts)) >= 150
