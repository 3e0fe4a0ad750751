"""Whatever a document looks like: its blocks stay, a second time changes nothing, code citations stand."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citeproof.answers.fix.text_edits import apply_edits
from citeproof.corpus.corpus_types import CorpusLayout, Pattern
from citeproof.corpus.page import read_page
from citeproof.vocabulary import Act, Remedy
from tests.answers.fix.formats.markdown.scanning import OURS, STALE, blocks, mend_document, remedies

CODE = "[a.py@0123456789abcdef, L3]"
CITED = re.compile(
    r"(?<!\\)" + re.escape(CODE) + r"(?!\()"
)  # neither a link's text nor an escaped bracket is one
# Citations stand apart: one that another is glued to becomes another one when that goes.
PIECES = [
    "REF-001", " (REF-002)", "[REF-003]", "DOI1", "DOI2", "proves", CODE, "word", "ünï", "文字", " ", " ",
    "  ", "\n", "\n", "\r\n", "\n\n", "\n> ", "\n- ", "\n1. ", "\n# ", "\n===\n", "\n---\n", "\n    ",
    "\n\t", "```\n", "`", "``", "*", "**", "_", "~~", "[", "]", "(", ")", "](http://x.y)", "![", "<b>",
    "</b>", "<!-- x -->", "<div>", "\n| ", " | ", " |\n|---|---|\n", "|", "\\", "\\\n",
    "  \n", ".", ",", ";", ":", "!", "$", "[^1]", "\n\n[^1]: ", "\n[x]: http://y\n", "- [ ] ", "&amp;",
    "<http://x.y>", "{#a}", '"', "“", "'", "and ", "\f", "\x00",
]  # fmt: skip
documents = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
tables = st.lists(
    st.lists(st.sampled_from([p for p in PIECES if "\n" not in p]), max_size=5).map("".join),
    min_size=4,
    max_size=8,
).map(lambda cells: f"{cells[0]} | {cells[1]}\n---|---\n" + "\n".join(f"{c} | d" for c in cells[2:]))
whole = st.one_of(documents, tables, st.tuples(documents, tables).map("\n\n".join))


@given(whole)
@example("a\nREF-001 <!-- TODO(citeproof): check DOI1 -->\nb")
@example("REF-001( |\n|---|---|\n\n[x]: http://y\n<b>\nDOI2")  # by itself, the last block is HTML
@example("| DOI1 | b |\n|---|---|\n| REF-001 REF-002 | `DOI2 \\| x` |\n")
def test_the_structure_of_any_document_stays(text):
    edits = mend_document(text, remedies(text))
    assert all(a.end <= b.start for a, b in pairwise(edits))
    made = apply_edits(text, edits)
    assert blocks(made) == blocks(text)
    assert len(CITED.findall(made)) >= len(CITED.findall(text))
    assert mend_document(made, remedies(made)) == ()


spans = st.tuples(
    st.sampled_from(list(Act)),
    st.integers(-2, 80),
    st.integers(-2, 80),
    st.text("ab|`>-<![]()\n", max_size=12),
)


@given(
    st.lists(st.sampled_from([*PIECES, "<!--", "-->", "<!X", "<?"]), max_size=25).map("".join),
    st.lists(spans, max_size=6),
)
def test_any_remedies_leave_the_structure(text, wanted):
    """Spans that no scanner would give: in the middle of markup, over blocks, one inside of the other."""
    edits = mend_document(text, [Remedy(*one) for one in wanted])
    made = apply_edits(text, edits)
    assert all(a.end <= b.start for a, b in pairwise(edits))
    assert len(CITED.findall(made)) >= len(CITED.findall(text))
    if all(act in (Act.TODO, Act.REMOVE) for act, *_ in wanted):
        assert blocks(made) == blocks(text)


def found(text: str) -> list[Remedy]:
    """Return remedies for what the real reader finds: stale code, missing references, doubtful DOIs."""
    acts = {Pattern.CODE: Act.ANNOTATE, Pattern.REF: Act.REMOVE, Pattern.MENTION: Act.REMOVE}
    made = []
    for mark in read_page(text, CorpusLayout()).marks:
        act = acts.get(mark.pattern, Act.TODO)
        span = mark.span if act is Act.ANNOTATE else mark.whole
        said = STALE if act is Act.ANNOTATE else f"look at {mark.raw}"
        made.append(Remedy(act, span.start, span.end, said))
    return made


REAL = [
    "It works [src/auth/login.ts@a8f9c2d4e5f60718, L42-58] and (REF-001; REF-002), see Smith et al. (2020).",
    "@.aiwg/research/sources/a.md says so.\n\n- @.aiwg/research/findings/b.md\n- doi:10.1038/nature14539.\n",
    "# Sources\n\n- src/a.py@0123456789abcdef (L4-9)\n- `src/b.py@0123456789abcdef` (L4)\n- src/c.py (L8)\n",
    "| [src/a.py@0123456789abcdef] | REF-001 |\n|---|---|\n| 10.1038/nature14539 | (Doe & Roe, 2019a) |\n",
    "> “Quoted” (REF-001).\n> [x](https://doi.org/10.1038/nature14539)\n\nb\r\nc REF-002\r\n",
    "a[^1]\n\n[^1]: REF-001\n",
    "[src/a.py@0123456789abcdef][src/b.py@0123456789abcdef, L3] **REF-001** _Smith et al., 2020_.\n===\n",
]  # fmt: skip


@pytest.mark.parametrize("text", REAL)
def test_the_real_reader_finds_nothing_more_to_do(text):
    edits = mend_document(text, found(text))
    assert edits
    made = apply_edits(text, edits)
    assert blocks(made) == blocks(text)
    assert mend_document(made, found(made)) == ()
    kept = re.findall(r"[\w/]+\.\w+@[0-9a-f]{16}", OURS.sub("", text))
    assert re.findall(r"[\w/]+\.\w+@[0-9a-f]{16}", OURS.sub("", made)) == kept


cited = st.sampled_from(
    [
        "[src/a.py@0123456789abcdef, L3]", "[src/b.py, L88]", "REF-001 ", "[REF-002]", "(REF-003; REF-004)",
        "@.aiwg/research/sources/a.md ", "doi:10.1038/nature14539 ", "(Smith et al., 2020)", "word", " ",
        "\n", " ", "\n\n", "\n- ", "\n> ", "**", "*", "`", "[", "]", "(", ")", ". ", ", ", "| ", "\n# ",
        "  \n", "the ",
    ]
)  # fmt: skip


@given(st.lists(cited, max_size=20).map("".join))
def test_any_document_that_the_real_reader_reads(text):
    made = apply_edits(text, mend_document(text, found(text)))
    assert blocks(made) == blocks(text)
    assert mend_document(made, found(made)) == ()
