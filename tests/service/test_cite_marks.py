"""Where a text cites a key, by characters; and the same places as an editor counts them."""

from __future__ import annotations

import pytest
from lsprotocol import types

from citeproof.service.cite_marks import find_cite_marks
from citeproof.surfaces.lsp.editor_answers import TextPositions

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
