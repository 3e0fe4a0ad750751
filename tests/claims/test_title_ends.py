"""Where the title of a work ends in an entry: an invented subtitle behind it is not verified."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from citeproof.claims.citation_settling import _cut_title, _is_title_of

RECORD = SimpleNamespace(versions=(SimpleNamespace(venue="Genome Research"),))


@pytest.mark.parametrize(
    ("behind", "ends"),
    [
        (". Genome Research 19", True), (", Genome Research 19, 1639", True), (", in Genome Research", True),
        (", 2009", True), (", A Study of Ghosts in Owls", False), (" in Primates", False),
    ],
)  # fmt: skip
def test_a_comma_and_other_words_do_not_end_a_title(behind, ends):
    body = f"Krzywinski et al. (2009). Circos: an information aesthetic{behind}"
    assert _is_title_of(body, "Circos: An Information Aesthetic", RECORD) is ends


def test_a_verb_or_another_script_ends_a_title():
    for behind in (" was a preprint of 1969", " from 2009 says so", " 中用合成"):
        body = f"Krzywinski et al. (2009). Circos: an information aesthetic{behind}"
        assert _is_title_of(body, "Circos: An Information Aesthetic", RECORD)


def test_words_around_a_title_are_cut_away():
    read = "Wayne Gray presented GOMS analysis for parallel activities at CHI"
    assert "GOMS analysis for parallel activities" in _cut_title(read)
