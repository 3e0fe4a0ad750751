"""Entries that name their author by "Ders.", "Idem" or a dash have the people of the entry before."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof.reading.parse import BATCH, parse, parse_all
from citeproof.vocabulary import Place, RawReference

LUHMANN = "Luhmann, Niklas (1984): Soziale Systeme. Frankfurt am Main: Suhrkamp."

ROWS = [
    line.split("|")
    for line in Path(__file__).with_name("same_author.csv").read_text("utf-8").splitlines()[1:]
]


def make_raw(text):
    return RawReference("k", text, Place())


def read(*texts):
    return [one.claimed for one in parse_all(map(make_raw, texts))]


@pytest.mark.parametrize(("before", "text", "authors", "title"), ROWS)
def test_the_people_of_the_entry_before(before, text, authors, title):
    _, found = read(before, text)
    assert "; ".join(name.display for name in found.authors) == authors
    assert found.title == title


def test_the_same_author_is_carried_on_and_over_batches():
    found = read(LUHMANN, *["Ders. (1997): Die Gesellschaft. Frankfurt am Main: Suhrkamp."] * (BATCH + 2))
    assert {tuple(name.display for name in one.authors) for one in found} == {("Niklas Luhmann",)}


@pytest.mark.parametrize("mark", ["Ders.", "Dies.", "Idem,", "———."])
def test_without_an_entry_before_nobody_is_named(mark):
    assert (
        parse(make_raw(f"{mark} (1997): Die Gesellschaft. Frankfurt am Main: Suhrkamp.")).claimed.authors
        == ()
    )


@pytest.mark.parametrize("inside", ["In: ders.:", "In: Ders. (Hrsg.):", "in: Ders.,"])
def test_inside_an_entry_it_is_its_own_author(inside):
    found = read(
        f"Luhmann, Niklas (1975): Interaktion und Organisation. {inside} Soziologische Aufklärung."
        " Opladen: Westdeutscher Verlag, S. 9-20."
    )[0]
    assert found.venue == "Soziologische Aufklärung"
    assert [name.display for name in found.authors] == ["Niklas Luhmann"]
    assert {name.display for name in found.editors} <= {"Niklas Luhmann"}
