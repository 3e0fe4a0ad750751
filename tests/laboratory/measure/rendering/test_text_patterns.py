from __future__ import annotations

import pytest

from citeproof.laboratory.measure.rendering.text_style import fill_pattern

FIELDS = {"A": "Doe, J.", "T": "Why?", "C": "Phys. Rev. Lett.", "Y": "2001", "V": "", "N": ""}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("{A}< ({Y})>. {T}. {C}", "Doe, J. (2001). Why? Phys. Rev. Lett."),
        ("{A}. {T}", "Doe, J. Why?"),
        ("{T}<, {V}>", "Why?"),
        ("{T} <({V}<, {Y}>)>", "Why?"),
        ("{T} (<{V}><, {Y}>)", "Why? (2001)"),
        ("{T}< (<{V}><, {N}>)>.", "Why?"),
        ("“{T},”< {V}><, {Y}>.", "“Why?” 2001."),
        ("{C}<, {V}><, {Y}>.", "Phys. Rev. Lett., 2001."),
        ("In: {C}.< {V}><, {Y}>.", "In: Phys. Rev. Lett. 2001."),
        ("In {Y}.< {V}><; {A}>", "In 2001. Doe, J."),
        ("{Y},< {V}>.", "2001."),
        ("{V}. {T}", None),
        ("<{V}>", None),
    ],
)
def test_patterns(pattern, expected):
    assert fill_pattern(pattern, FIELDS) == expected


def test_a_field_is_printed_as_it_is():
    assert fill_pattern("{A}. {T}.", {"A": "Doe", "T": ".NET <b>{x}</b>, .."}) == "Doe. .NET <b>{x}</b>, .."
