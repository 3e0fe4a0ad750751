"""Lists of names: people who are right keep the name they have, the others get one in its form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.answers.fix.author_list_edits import (
    detect_name_form,
    edit_name_list,
    spell_name,
    split_name_list,
)
from citeproof.answers.fix.text_edits import apply_edits
from citeproof.text import names
from citeproof.vocabulary import Name
from tests.growth import grows_linearly

JANE, RITA, OLE = Name("Smith", "Jane A."), Name("Roe", "Rita"), Name("van den Berg", "Ole")
CERN = Name("ATLAS Collaboration", collective=True)
KING = Name("King", "Martin L.", "Jr.")

CASES = (
    ("one is wrong", "Smith, Jane and Dole, Bob", (JANE, RITA), "Smith, Jane and Roe, Rita"),
    ("initials", "Smith, J. and Dole, B.", (JANE, RITA), "Smith, J. and Roe, R."),
    ("two initials", "Smith, J. A. and Dole, B.", (RITA, JANE), "Roe, R. and Smith, J. A."),
    ("glued initials", "Smith, J.A. and Dole, B.C.", (JANE, KING), "Smith, J.A. and King, Jr., M.L."),
    ("first name first", "Jane A. Smith and Bob Dole", (JANE, OLE), "Jane A. Smith and Ole van den Berg"),
    ("four letters are no initials", "Jane Smith and Andy Dole", (JANE, RITA), "Jane Smith and Rita Roe"),
    ("swapped", "Roe, Rita and Smith, Jane", (JANE, RITA), "Smith, Jane and Roe, Rita"),
    ("missing", "Smith, Jane", (JANE, RITA), "Smith, Jane and Roe, Rita"),
    ("missing first", "Roe, Rita", (JANE, RITA), "Smith, Jane A. and Roe, Rita"),
    ("one too many", "Smith, Jane and Dole, Bob and Roe, Rita", (JANE, RITA), "Smith, Jane and Roe, Rita"),
    ("first too many", "Dole, Bob and Roe, Rita", (RITA,), "Roe, Rita"),
    ("last too many", "Roe, Rita and Dole, Bob", (RITA,), "Roe, Rita"),
    ("lines", "Smith, Jane\n  and Dole, Bob\n  and Roe, Rita", (JANE, OLE, RITA),
     "Smith, Jane\n  and van den Berg, Ole\n  and Roe, Rita"),
    ("given name wrong", "{S}mith, Bob and Roe, Rita", (JANE, RITA), "{S}mith, Jane A. and Roe, Rita"),
    ("cut", "Smith, Jane and Dole, Bob and others", (JANE, RITA, OLE),
     "Smith, Jane and Roe, Rita and others"),
    ("cut, and all there", "Dole, Bob and Roe, Rita and others", (JANE, RITA),
     "Smith, Jane A. and Roe, Rita"),
    ("group", "Smith, Jane and Dole, Bob", (JANE, CERN), "Smith, Jane and {ATLAS Collaboration}"),
    ("and in braces", "{Barnes and Noble} and Dole, Bob", (Name("Barnes and Noble", collective=True), RITA),
     "{Barnes and Noble} and Roe, Rita"),
    ("commas between people", "Jane Smith, Bob Dole, Rita Roe", (JANE, RITA), None),
    ("semicolons", "Smith, Jane; Dole, Bob", (JANE, RITA), None),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_relisted(old, new, expected):
    edits = edit_name_list(old, 0, len(old), new, str)
    assert (None if edits is None else apply_edits(old, edits)) == expected


@pytest.mark.parametrize(
    ("listed", "name", "expected"),
    [
        (["Doe, J."], JANE, "Smith, J. A."),
        (["Doe, JA"], JANE, "Smith, JA"),
        (["John Doe"], KING, "King, Jr., Martin L."),
        (["Doe, John"], Name("Li", "Fei-Fei"), "Li, Fei-Fei"),
        (["Doe, J.", "Roe, R."], Name("Li", "Fei-Fei"), "Li, F.-F."),
        (["J. Doe"], Name("Garcia Lopez", "Ana"), "A. {Garcia Lopez}"),
        ([], JANE, "Smith, Jane A."),
    ],
)
def test_form(listed, name, expected):
    assert spell_name(name, detect_name_form(listed), str) == expected


PEOPLE = st.lists(
    st.builds(Name, st.sampled_from(["Abbot", "Baker", "Curie", "Dirac"]), st.sampled_from(["Xa", "Yb"])),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(PEOPLE, PEOPLE, st.sampled_from([" and ", "\n  and "]))
def test_any_list_becomes_any_other(old, new, joint):
    text = joint.join(f"{name.family}, {name.given}" for name in old)
    mended = apply_edits(text, edit_name_list(text, 0, len(text), new, str))
    assert names.split_names(mended)[0] == tuple(new)
    assert edit_name_list(mended, 0, len(mended), new, str) == []
    assert [piece.text for piece in split_name_list(mended, 0, len(mended))] == [
        f"{n.family}, {n.given}" for n in new
    ]


@pytest.mark.growth
@pytest.mark.parametrize("unit", [" ", "\n ", " an", " and"])
def test_finding_the_names_is_linear(unit):
    assert grows_linearly(
        lambda size: split_name_list("Smith, J." + (unit * size)[:size] + "x", 0, size + 10), 5_000, 20_000
    )
