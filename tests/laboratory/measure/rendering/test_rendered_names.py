from __future__ import annotations

import pytest

from citeproof.laboratory.measure.rendering.rendered_names import (
    NameListing,
    abbreviate_given_names,
    format_name,
    format_name_list,
)
from citeproof.text.names import parse
from citeproof.vocabulary import Name


@pytest.mark.parametrize(
    ("name", "form", "expected"),
    [
        (Name("Virey", "Jean-Marc"), "Family, I. I.", "Virey, J.-M."),
        (Name("Virey", "Jean-Marc"), "I. I. Family", "J.-M. Virey"),
        (Name("Virey", "Jean-Marc"), "Family II", "Virey JM"),
        (Name("Virey", "Jean-Marc"), "Family", "Virey"),
        (Name("van der Waals", "Johannes Diderik"), "Family, I. I.", "van der Waals, J. D."),
        (Name("van der Waals", "Johannes Diderik"), "I.I. Family", "J.D. van der Waals"),
        (Name("van der Waals", "J. D."), "FAMILY I I", "VAN DER WAALS J D"),
        (Name("Rocha", "G de M"), "I.I. Family", "G. de M. Rocha"),
        (Name("King", "Martin L.", "Jr."), "Family, I. I.", "King, M. L., Jr."),
        (Name("King", "Martin L.", "Jr."), "Family II", "King ML Jr."),
        (Name("King", "Martin L.", "Jr."), "Given Family", "Martin L. King Jr."),
        (Name("King", "Martin L.", "Jr."), "Family", "King"),
        (Name("ATLAS Collaboration", collective=True), "Family, I. I.", "ATLAS Collaboration"),
        (Name("ATLAS Collaboration", collective=True), "FAMILY I I", "ATLAS Collaboration"),
        (Name("王", "伟"), "Family, I. I.", "王伟"),
        (Name("王", "伟"), "Family", "王伟"),
        (Name("山田", "太郎"), "I. I. Family", "山田太郎"),
        (Name("김", "철수"), "Given Family", "김철수"),
        (Name("Колмогоров", "Андрей Николаевич"), "Family, I. I.", "Колмогоров, А. Н."),
        (Name("Manin", "Yu. I."), "Family, I. I.", "Manin, Yu. I."),
        (Name("Aristotle"), "Family, I. I.", "Aristotle"),
        (Name("", "Voltaire"), "Family, I. I.", "Voltaire"),
        (Name("Smith", "JA"), "Family, I. I.", "Smith, J. A."),
        (Name("Smith", "J.A."), "Given Family", "J.A. Smith"),
        (Name("Doe", "(?)"), "Family, I. I.", "Doe"),
    ],
)
def test_a_name_in_a_form(name, form, expected):
    assert format_name(name, form) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Jean-Marc", ("J.-M",)),
        ("jean paul", ("J", "P")),
        ("J.-P. Émile", ("J.-P", "É")),
        ("Robert (Bob)", ("R", "B")),
        ("Ludwig van", ("L", "van")),
        ("-", ()),
    ],
)
def test_initials(given, expected):
    assert abbreviate_given_names(given) == expected


@pytest.mark.parametrize(
    ("count", "how", "expected"),
    [
        (1, NameListing("Family"), "Bean"),
        (2, NameListing("Family", two=" & "), "Bean & Said"),
        (3, NameListing("Family", two=" & ", most=2), "Bean et al."),
        (3, NameListing("Family", last=", & "), "Bean, Said, & Lee"),
        (
            4,
            NameListing("Family, I. I.", first="Family, Given", most=3, shown=2),
            "Bean, Rachel, Said, N. et al.",
        ),
        (4, NameListing("Family", most=3, shown=2, tail=", … ", closing=True), "Bean, Said, … Park"),
    ],
)
def test_a_list_of_names(count, how, expected):
    people = tuple(map(parse, ["Bean, Rachel", "Said, Najla", "Lee, Jounghun", "Park, Daeseong"]))[:count]
    assert format_name_list(people, how) == expected


def test_names_that_are_empty_are_not_listed():
    assert format_name_list((Name(""), Name("Bean"), Name("")), NameListing("Family")) == "Bean"
    assert format_name_list((), NameListing("Family")) == ""
