"""Text of strangers at the doors costs time in proportion to its size, however it is laid out."""

from __future__ import annotations

import pytest
from lsprotocol import types

from citeproof.judgement.compare.author_patterns import find_author_pattern
from citeproof.service.editor_check import EditorCheck, make_editor_document
from citeproof.surfaces.lsp.editor_answers import TextPositions
from citeproof.vocabulary import Claimed, Name, Place, Reason
from tests.growth import grows_linearly


@pytest.mark.growth
@pytest.mark.parametrize("letters", ["abcdefg\n", "abcdefgh", "abcdefg𝔸", "äöüß𝔸𝔸𝔸𝔸"])
def test_positions_in_an_editor(letters):
    """Medium: a bibliography of one line took an hour of the editor's server."""

    def locate_all(size):
        text = letters * (size // 8)
        positions = TextPositions(text)
        for offset in range(0, len(text), 40):
            where = positions.locate(offset)
            assert positions.find_offset(where) == offset

    assert grows_linearly(locate_all, 20_000, 80_000)


def test_positions_are_those_that_a_plain_count_gives():
    text = "a𝔸ö\r\n𝔸" * 3000 + "\n" + "x𝔸" * 5000
    positions, lines = TextPositions(text), text.split("\n")
    for line in (0, 1, 2999, 3001):
        start = sum(len(one) + 1 for one in lines[:line])
        for at in {0, 1, len(lines[line]) // 2, len(lines[line].rstrip("\r"))}:
            units = len(lines[line][:at].encode("utf-16-le")) // 2
            assert positions.locate(start + at) == types.Position(line, units)
            assert positions.find_offset(types.Position(line, units)) == start + at


@pytest.mark.growth
@pytest.mark.parametrize("offsets", [True, False])
def test_places_in_an_editor(offsets):
    """Medium: the same, where bytes or lines of the entries become characters."""

    def find_all(size):
        text = "ünder öne line " * (size // 15)
        document = make_editor_document(None, "x.bib", text, None)
        check = EditorCheck(document, text, None, (), whole=True)
        for at in range(0, size, 40):
            place = Place("x.bib", 1, start=at, end=at + 5) if offsets else Place("x.bib", 1)
            assert check._find_entry(place)[1] <= len(text)

    assert grows_linearly(find_all, 200_000, 800_000)


@pytest.mark.growth
def test_a_record_with_thousands_of_authors():
    """Low: a record of a hostile server, with one author cited, took minutes."""

    def compare(count):
        letters = "abcdefghij"
        known = [Name("".join(letters[int(digit)] for digit in str(n)), "Ann") for n in range(10, count)]
        claimed = Claimed(authors=(known[0],))
        assert find_author_pattern(claimed, known, Reason.AUTHORS_MISSING) == "authors_missing"

    assert grows_linearly(compare, 750, 3_000)
