"""Text of strangers at the doors costs time in proportion to its size, however it is laid out."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from lsprotocol import types

from citeproof.judgement.compare.author_patterns import find_author_pattern
from citeproof.service.editor_check import EditorCheck, make_editor_document
from citeproof.surfaces.lsp.editor_answers import TextPositions
from citeproof.surfaces.mcp import bibliography_tools
from citeproof.vocabulary import Claimed, Extraction, Name, Place, Problem, RawReference, Reason
from tests.growth import grows_linearly


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


def test_remarks_on_a_bibliography_of_a_tool_call():
    """Low: problems times entries were compared, up to four seconds a call."""

    def read(count):
        lines = range(1, count + 1)
        entries = tuple(RawReference("x", f"k{n}", Place("b", n)) for n in lines)
        problems = tuple(Problem(Place("b", n), "duplicate") for n in lines)
        engine = SimpleNamespace(extract=lambda _: Extraction(entries, problems, format="bibtex"))
        assert not bibliography_tools._read_text(engine, "x", {}).errors

    assert grows_linearly(read, 1_000, 4_000)


@pytest.mark.parametrize(
    ("spans", "line", "lost"),
    [
        ([], 0, True), ([], 3, True), ([(2, 4)], 1, True), ([(2, 4)], 2, False), ([(2, 4)], 4, False),
        ([(2, 4)], 5, True), ([(2, None)], 2, False), ([(2, None)], 3, True), ([(1, 9), (3, 4)], 8, False),
        ([(5, 6), (1, 2)], 2, False), ([(5, 6), (1, 2)], 3, True),
    ],
)  # fmt: skip
def test_a_remark_inside_an_entry_costs_none(spans, line, lost):
    entries = tuple(RawReference("x", "k", Place("b", start, end_line=end)) for start, end in spans)
    problems = (Problem(Place("b", line), "odd"),)
    engine = SimpleNamespace(extract=lambda _: Extraction(entries, problems, format="bibtex"))
    assert bool(bibliography_tools._read_text(engine, "x", {}).errors) is lost


def test_a_record_with_thousands_of_authors():
    """Low: a record of a hostile server, with one author cited, took minutes."""

    def compare(count):
        letters = "abcdefghij"
        known = [Name("".join(letters[int(digit)] for digit in str(n)), "Ann") for n in range(10, count)]
        claimed = Claimed(authors=(known[0],))
        assert find_author_pattern(claimed, known, Reason.AUTHORS_MISSING) == "authors_missing"

    assert grows_linearly(compare, 750, 3_000)
