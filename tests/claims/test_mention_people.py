"""Whether a work is by the people named: a mention and authors ⇒ how well they fit, 0 for others."""

from __future__ import annotations

import pytest

from citeproof.claims.mention_people import ALL, ODD, RARE, weigh_people
from citeproof.reading.extractors.prose.mention_finder import find_mentions
from citeproof.text.names import parse


@pytest.mark.parametrize(
    ("text", "authors", "expected"),
    [
        ("(Smith 2004)", ["Smith, J."], ALL),
        ("(Smith 2004)", ["Smith, J.", "Doe, K."], ODD),
        ("(Smith et al. 2004)", ["Smith, J.", "Doe, K.", "Roe, L."], ALL),
        ("(Smith et al. 2004)", ["Smith, J.", "Doe, K."], ODD),
        ("(Smith et al. 2004)", ["Smith, J."], RARE),
        ("(Smith & Doe 2004)", ["Smith, J.", "Doe, K."], ALL),
        ("(Smith & Doe 2004)", ["Smith, J.", "Doe, K.", "Roe, L."], RARE),
        ("(Smith & Doe 2004)", ["Doe, K.", "Smith, J."], 0.0),
        ("(Smith & Doe 2004)", ["Smith, J.", "Roe, L."], 0.0),
        ("(Smith et al. 2004)", ["Smithson, J.", "Doe, K.", "Roe, L."], 0.0),
        ("(Smith et al. 2004)", ["Doe, K.", "Smith, J.", "Roe, L."], 0.0),
        ("(Smith 2004)", [], 0.0),
        ("J. Smith (2004)", ["Smith, Peter"], 0.0),
        ("J. Smith (2004)", ["Smith, John"], ALL),
        ("Smith, J. (2004)", ["Smith, Peter J."], ALL),
        ("(Müller 2010)", ["Mueller, H."], ALL),
        ("(Mueller 2010)", ["Müller, H."], ALL),
        ("(van den Berg 2010)", ["Berg, J. van den"], ALL),
        ("(García López 2010)", ["García López, M."], ALL),
        ("(García López 2010)", ["López, García"], ALL),
        ("(O’Brien 2010)", ["O'Brien, M."], ALL),
        ("(American Cancer Society, 2007)", ["American Cancer Society"], ALL),
        ("(WHO 2007)", ["World Health Organization"], ALL),
        ("(WHO 2007)", ["Women of the Humanities Society"], 0.0),
        ("(Society 2007)", ["American Cancer Society"], 0.0),
    ],
)
def test_people(text, authors, expected):
    [mention] = find_mentions(text)
    assert weigh_people(mention, [parse(author) for author in authors]) == expected


def test_a_list_that_is_cut_may_have_more_authors():
    [mention] = find_mentions("(Smith & Doe 2004)")
    authors = [parse("Smith, J."), parse("Doe, K."), parse("Roe, L.")]
    assert weigh_people(mention, authors, complete=False) == ALL
