"""Edits of running text: the one span that is wrong, or nothing."""

from __future__ import annotations

import pytest

from citeproof.answers.fix.running_text import open_references
from citeproof.text import pages
from citeproof.vocabulary import Claimed, FieldOrigin, Ids, Name, Origin
from tests.answers.fix.made import result, wanted
from tests.growth import grows_linearly

TEXT = "Doe, J. & Poe, E. (1999). Deep learnt of nets. *Nature*, 7(3), 11–19. https://doi.org/10.1000/ab.7"
CLAIMED = Claimed(
    "Deep learnt of nets", (Name("Doe", "J."), Name("Poe", "E.")), year=1999, venue="Nature",
    volume="7", issue="3", pages="11-19", ids=Ids((("doi", "10.1000/ab.7"),)),
    origins=(FieldOrigin("volume", Origin.MODEL, 0.9, "7"), FieldOrigin("issue", Origin.MODEL, 0.9, "(3)")),
)  # fmt: skip
DOE, ROE = Name("Doe", "Jo"), Name("Roe", "Al")
UNFOUND = "it is not in one piece"


def _mended(text, field, value, claimed=CLAIMED):
    changes = [wanted(field, claimed, value)]
    return result(text, open_references(text, "\n")(0, len(text), changes))


CASES = (
    ("year", "year", 2001, "1999", "2001"),
    ("title", "title", "Deep learning of nets", "learnt", "learning"),
    ("pages", "pages", "12-19", "11–19", "12–19"),
    ("pages to one", "pages", "12", "11–19", "12"),
    ("venue", "venue", "Science", "*Nature*", "*Science*"),
    ("volume", "volume", "8", ", 7(", ", 8("),
    ("issue", "issue", "4", "(3)", "(4)"),
    ("doi", "doi", "10.1000/ab.9", "ab.7", "ab.9"),
    ("name", "authors", (DOE, ROE), "Poe, E.", "Roe, A."),
)


@pytest.mark.parametrize(("field", "value", "old", "new"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_mended(field, value, old, new):
    assert _mended(TEXT, field, value) == TEXT.replace(old, new)


@pytest.mark.parametrize(
    ("old", "record", "new"),
    [
        ("1–8", "770-778", "770–778"),
        ("134–49", "131-149", "131–149"),
        ("e12–15", "e11-e15", "e11–e15"),
        ("S1–S9", "S2-S9", "S2–S9"),
    ],
)
def test_pages_are_those_of_the_record_in_full(old, record, new):
    text = "Doe (1999). Nets. Nature, %s."
    assert _mended(text % old, "pages", record, Claimed("Nets", pages=pages.normalise(old))) == text % new


@pytest.mark.parametrize(
    ("text", "field", "value", "told"),
    [
        (TEXT.replace("7(3)", "1999(3)").replace("(1999)", "1999"), "year", 2001, UNFOUND),
        (TEXT + " 11–19", "pages", "12-19", UNFOUND),
        (TEXT.replace("of nets", "with nets"), "title", "Deep learning of nets", UNFOUND),
        (TEXT, "authors", (DOE,), "the number of names differs; write the list by hand"),
        (
            TEXT,
            "authors",
            (Name("Poe", "E."), DOE),
            "the names are in another order; write the list by hand",
        ),
        (TEXT, "venue", "<img src=x>", "the record's value would be markup here; write it by hand"),
        (TEXT, "volume", None, "remove it by hand"),
        (TEXT, "doi", None, "take the doi out by hand"),
    ],
    ids=["two years", "pages twice", "title broken", "name less", "order", "markup", "gone", "doi gone"],
)
def test_left_in_doubt(text, field, value, told):
    assert _mended(text, field, value) == told


NONE = Claimed("Deep learnt of nets")


@pytest.mark.parametrize(
    ("before", "entry", "after"),
    [
        (
            "Roe 2001. doi:10.1/y\n",
            "Doe 1999. Deep learnt of nets.",
            "Doe 1999. Deep learnt of nets. doi:10.1000/ab.9",
        ),
        (
            "https://doi.org/10.1234/y\n",
            "Doe 1999. Nets, 3–9",
            "Doe 1999. Nets, 3–9 https://doi.org/10.1000/ab.9",
        ),
    ],
    ids=["doi:", "address"],
)
def test_a_doi_is_added_as_the_neighbours_have_theirs(before, entry, after):
    before = before.replace("10.1/y", "10.1234/y")
    text = before + entry
    changes = [wanted("doi", NONE, "10.1000/ab.9")]
    made = open_references(text, "\n")(len(before), len(text), changes)
    assert result(text, made) == before + after


def test_a_single_page():
    text, claimed = "Doe (1999). Nets. Nature 7, 11.", Claimed("Nets", year=1999, pages="11")
    assert _mended(text, "pages", "12", claimed) == text.replace("11", "12")
    assert _mended(text, "pages", "12-19", claimed) == text.replace("11", "12–19")


def test_without_a_habit_nothing_is_added():
    assert "add it by hand" in _mended("Doe 1999. Deep learnt of nets.", "doi", "10.1000/ab.9", NONE)
    assert "depends on the style" in _mended(TEXT, "issue", "4", NONE)


@pytest.mark.growth
@pytest.mark.parametrize("unit", [".", " ", ". "])
def test_the_end_of_a_reference_is_found_in_linear_time(unit):
    def added(size):
        habit = "Roe 2001. doi:10.1234/y\n"
        text = f"{habit}Doe 1999. {(unit * size)[:size]}x"
        edit = open_references(text, "\n")
        return edit(len(habit), len(text), [wanted("doi", NONE, "10.1000/ab.9")])

    assert grows_linearly(added, 5_000, 20_000)


@pytest.mark.growth
def test_many_references_cost_no_more_than_each():
    line = "Doe, J. (1999). Deep learnt of nets. Nature, 7(3), 11-19.\n"

    def added(count):
        edit = open_references(line * count, "\n")
        return [edit(n, n + len(line), [wanted("doi", NONE, "10.1000/ab.9")])
                for n in range(0, count * len(line), len(line))]  # fmt: skip

    assert grows_linearly(added, 250, 2_000)
