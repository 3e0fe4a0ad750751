"""Where a text cites a key, by characters; and the same places as an editor counts them."""

from __future__ import annotations

import asyncio
import re

import pytest
from lsprotocol import types

from citeproof.service.editor_check import EditorMark, find_cite_marks, move_marks
from citeproof.settings import load
from citeproof.surfaces.lsp.editor_answers import TextPositions
from citeproof.surfaces.lsp.language_server import CitationServer

KEYS = frozenset({"a", "b:2", "smith_2004"})


@pytest.mark.parametrize(
    ("name", "text", "cited"),
    [
        ("x.tex", r"\cite{a}", ["a"]),
        ("x.tex", r"\citep[see][p. 3]{b:2, a,zzz} and \textcite{smith_2004}", ["b:2", "a", "smith_2004"]),
        ("x.tex", "% \\cite{a}\n50\\% \\cite{b:2}", ["b:2"]),
        ("x.tex", r"\label{a} a \emph{b:2}", []),
        ("x.md", "[@a; see @b:2, p. 3] and @smith_2004.", ["a", "b:2", "smith_2004"]),
        ("x.md", "mail me@a.org, \\@a, [@{b:2}]", ["b:2"]),
        ("x.md", "[@zzz]", []),
        ("x.bib", "@a{b:2,", []),
    ],
)
def test_citations(name, text, cited):
    found = list(find_cite_marks(text, name, KEYS))
    assert [key for _, _, key in found] == cited
    assert [text[start:end] for start, end, _ in found] == cited


def test_positions_count_utf16():
    text = "a𝔸ö\r\nb\n"
    positions = TextPositions(text)
    table = {0: (0, 0), 1: (0, 1), 2: (0, 3), 3: (0, 4), 5: (1, 0), 6: (1, 1), 7: (2, 0)}
    for offset, (line, character) in table.items():
        assert positions.locate(offset) == types.Position(line, character)
        assert positions.find_offset(types.Position(line, character)) == offset
    assert positions.find_offset(types.Position(0, 99)) == 4
    assert positions.find_offset(types.Position(99, 0)) == len(text)


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [
        ("aa [x] bb [y] cc", "aa [x] bb [y] cc", ["[x]", "[y]"]),
        ("aa [x] bb [y] cc", "aa [x] more [y] cc", ["[x]", "[y]"]),
        ("aa [x] bb [y] cc", "[x] bb [y] cc", ["[x]", "[y]"]),
        ("aa [x] bb [y] cc", "aa [z] bb [y] cc", ["[y]"]),
        ("aa [x] bb [y] cc", "aa [x] bb cc", ["[x]"]),
        ("aa [x] bb [y] cc", "", []),
        ("[x][x]", "[x][x][x]", ["[x]", "[x]"]),
    ],
)
def test_marks_move_with_the_text_around_them(before, now, kept):
    marks = [EditorMark(found.start(), found.end(), None, ()) for found in re.finditer(r"\[.\]", before)]
    moved = sorted(move_marks(marks, before, now), key=lambda mark: mark.start)
    assert [now[mark.start : mark.end] for mark in moved] == kept


def test_a_newer_check_cancels_the_one_before():
    async def save_twice():
        server = CitationServer(load({"offline": True}, environment={}), None)
        server.begin_check("file:///a.bib")
        first = server._files["file:///a.bib"].task
        server.begin_check("file:///a.bib")
        server.begin_check("file:///a.py")
        await asyncio.wait([first], timeout=120)
        assert first.cancelled()
        assert list(server._files) == ["file:///a.bib"]
        server._files["file:///a.bib"].task.cancel()

    asyncio.run(save_twice())
