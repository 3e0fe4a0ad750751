"""Code citations in brackets and in the Sources footer."""

import pytest

from citeproof.corpus.corpus_types import Pattern
from tests.corpus.page.cases import marks, raws

P = Pattern.CODE
H = "a8f9c2d4e5f60718"


def said(text):
    """Return path, hash, lines, and "?" for what may be no file, of each mark."""
    return [(m.target, m.hash, m.lines + ("" if m.sure else "?")) for m in marks(text, P)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"[src/auth/login.ts@{H}, L42-58]", [("src/auth/login.ts", H, "L42-58")]),
        ("[src/legacy/auth.py, L88]", [("src/legacy/auth.py", "", "L88")]),
        (f"[src/a.py@{H}]", [("src/a.py", H, "")]),
        ("[src/a.py]", [("src/a.py", "", "")]),
        (
            f"[a.py@{H}, L1] [b.py, L2][c.py, L3-4]",
            [("a.py", H, "L1"), ("b.py", "", "L2"), ("c.py", "", "L3-4")],
        ),
        (
            f"[src/__init__.py@{H}, L1] and [__main__.py, L2]",
            [("src/__init__.py", H, "L1"), ("__main__.py", "", "L2")],
        ),
        (f"[src/\\_\\_init\\_\\_.py@{H}]", [("src/__init__.py", H, "")]),
        (f"[node_modules/@types/x.d.ts@{H}, L3]", [("node_modules/@types/x.d.ts", H, "L3")]),
        (f"[@types/x.d.ts@{H}]", [("@types/x.d.ts", H, "")]),
        (f"[my docs/a b.py@{H}, L3]", [("my docs/a b.py", H, "L3")]),
        (f"[Dr. No. Files/A. B.py@{H}, L3]", [("Dr. No. Files/A. B.py", H, "L3")]),
        (f"[Makefile@{H}, L3]", [("Makefile", H, "L3")]),
        ("[src/größe.py, L3] [源/文件.py, L4]", [("src/größe.py", "", "L3"), ("源/文件.py", "", "L4")]),
        ("[../../etc/passwd, L1]", [("../../etc/passwd", "", "L1")]),
        (f"[/etc/passwd@{H}] [~/x/y.py, L1]", [("/etc/passwd", H, ""), ("~/x/y.py", "", "L1")]),
        (f"[C:\\x\\a.py@{H}, L1]", [("C:\\x\\a.py", H, "L1")]),
        ("[src/a\x00b.py, L1]", [("src/a\x00b.py", "", "L1")]),
        ("[src/a.py, L42-L58] [src/a.py, L42–58]", [("src/a.py", "", "L42-58")] * 2),
        (f"[src/a.py@{H},\nL3]", [("src/a.py", H, "L3")]),
        (
            "[src/a.py@ABCDEF12, L1] [src/a.py@abcdef]",
            [("src/a.py", "ABCDEF12", "L1"), ("src/a.py", "abcdef", "")],
        ),
        (f"[a.py@{H}{H}{H}{H}]", [("a.py", H * 4, "")]),
        (f"[src/a.py@{H}, lines 3 to 4]", [("src/a.py", H, "lines 3 to 4")]),
        ("[Makefile, L1] [ghostfile, L1-3]", [("Makefile", "", "L1"), ("ghostfile", "", "L1-3")]),
        ("[ghost.ts] [notes.md]", [("ghost.ts", "", ""), ("notes.md", "", "")]),
        ("[Smith, 2020] [note] [v1.2] [1, p. 5] [x, L1] [two words, L1]", []),
        ("[see src/a.py, L3]", [("src/a.py", "", "L3")]),
        ("[app/[slug]/page.tsx, L3]", [("app/[slug]/page.tsx", "", "L3")]),
        (f"[app/[[...a]]/[b]/page.tsx@{H}]", [("app/[[...a]]/[b]/page.tsx", H, "")]),
        (f"[see [src/a.py@{H}, L3] there]", [("src/a.py", H, "L3")]),
        (f"[[src/a.py@{H}, L3]]", [("src/a.py", H, "L3")]),
        ("[as in [src/a.py, L3]](a.md)", [("src/a.py", "", "L3")]),
        ("> [src/a.py, L3]\n\n- [src/b.py, L4]\n", [("src/a.py", "", "L3"), ("src/b.py", "", "L4")]),
        (f"# See [src/a.py@{H}]\n", [("src/a.py", H, "")]),
        # may be something else
        (
            "[and/or] [Node.js] [example.com] [yes/no]",
            [(x, "", "?") for x in ("and/or", "Node.js", "example.com", "yes/no")],
        ),
        (
            "[example.com/page.html] [fix src/a.py]",
            [("example.com/page.html", "", "?"), ("fix src/a.py", "", "?")],
        ),
        (f"[src/a.py@{H}, L1, L3]", [("src/a.py", H, "L1, L3")]),
        (f"[src/a.py@{H} L1] [src/a.py@{H}:L1-2]", [("src/a.py", H, "L1"), ("src/a.py", H, "L1-2")]),
        (f"[src/a.py@{H}, L1; src/b.py@{H}, L2-3]", [("src/a.py", H, "L1"), ("src/b.py", H, "L2-3")]),
        (f"[src/a.py@{H} line 4]", [("src/a.py", H, "line 4")]),
        ("[me@facade is up]", []),
        # none
        (
            "[1] [12, 13] [x] [Smith, 2020] [@key] [see @key, p. 3] [^1] [1.2.3] [e.g.] [word] [TODO: this]",
            [],
        ),
        ("- [x] done\n- [ ] src\n", []),
        ("\\[src/a.py, L1\\] [src/a.py, L1\\]", []),
        (f"`[src/a.py@{H}, L1]` <!-- [src/a.py@{H}] -->", []),
        (f"```\n[src/a.py@{H}, L1]\n```\n\n    [src/a.py@{H}]\n\n~~~md\n[src/a.py]\n~~~\n", []),
        ("[src/a.py](src/a.py) [src/a.py][d] [src/b.py]\n\n[d]: a\n[src/b.py]: b\n", []),
        ("![src/a.png](src/a.png) ![src/a.png]", []),
        ("[https://example.org/a.py] [10.1000/abc.def] [doi:10.1000/a.b]", []),
        ("[src/a.py, line 3] [src/a.py, 3] [a/b, c/d]", []),
        ("[<path>/a.py, L1] [src/*.py, L1] [{a}/b.py] [$HOME/a.py]", []),
        ("[<artifact_id>@<content_hash>, L<n>-<n>]", []),
        ("[[src/a.py]]", []),
        (f"[{'a' * 1000}/b.py@{H}]", []),
        (f"<code>[src/a.py@{H}]</code> <kbd>[src/a.py]</kbd>", []),
        (f"---\na: [src/a.py@{H}]\n---\n", []),
        ("[src/a.py,\n\nL3]", []),
        ("[`src/a.py`, L3]", []),
    ],
)
def test_code_citations(text, expected):
    assert said(text) == expected


def test_what_is_written_has_its_brackets():
    assert raws("so [src/a.py, L42-L58].", P) == ["[src/a.py, L42-L58]"]


FOOTER = f"""\
- src/a.py@{H} (L42-58)
- src/b.py@{H}
- src/c.py (L88) [un-versioned]
- src/d.py (L1-L3)
- `src/e.py@{H}` (L1)
- `src/f.py@{H} (L2)`
- src/g.py
- my docs/h.py@{H} (L9) — the ninth
- src/(group)/i.tsx@{H} (L9)
- Smith, J. (2020). A title. A journal.
- and more
- [text](a.md)
- https://example.org/a.py
- [src/j.py, L3]
"""
READ = [
    ("src/a.py", H, "L42-58"),
    ("src/b.py", H, ""),
    ("src/c.py", "", "L88"),
    ("src/d.py", "", "L1-3"),
    ("src/e.py", H, "L1"),
    ("src/f.py", H, "L2"),
    ("src/g.py", "", ""),
    ("my docs/h.py", H, "L9"),
    ("src/(group)/i.tsx", H, "L9"),
]


@pytest.mark.parametrize(
    "title",
    [
        "## Sources\n\n",
        "**Sources:**\n",
        "Sources:\n",
        "Sources\n\n",
        "### Sources:\n\nThese:\n\n",
        "So.\nSources:\n",
    ],
)
def test_lines_of_the_footer(title):
    found = marks(title + FOOTER, P)
    assert [(m.target, m.hash, m.lines) for m in found if m.footer] == READ
    assert [m.raw for m in found if not m.footer] == ["[src/j.py, L3]"]
    assert all(m.sure for m in found)


@pytest.mark.parametrize(
    "title", ["", "## Files\n\n", "Sources: none\n\n", "## Sources\n\n## Next\n\n", "Sources:\n\nText\n\n"]
)
def test_other_lists_are_no_footer(title):
    found = marks(title + FOOTER, P)
    assert not any(m.footer for m in found)  # but a path with its hash is a citation wherever it stands
    assert [m.raw for m in found if not m.hash] == ["[src/j.py, L3]"]
    assert [(m.target, m.lines) for m in found if m.hash][:2] == [("src/a.py", "L42-58"), ("src/b.py", "")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"So src/a.py@{H} (L1-3), and src/b.py@{H}, L2.", [("src/a.py", "L1-3"), ("src/b.py", "L2")]),
        (f"Sources: src/x.py@{H} (L1)", [("src/x.py", "L1")]),
        (f"### Sources\n\nsrc/a.py@{H} (L1)\nsrc/b.py (L2)\n", [("src/a.py", "L1"), ("src/b.py", "L2")]),
        (f"(src/a.py@{H})", [("src/a.py", "")]),
        (f"me@{H} and src/(a)/b.py@{H} and https://e.org/a.py@{H} and \\[src/a.py@{H}\\]", []),
        (f"actions/checkout@{H}{H}", []),
        ("### Sources\n\nWe read src/a.py and more.\n", []),
    ],
)
def test_a_path_with_its_hash_is_a_citation_without_brackets(text, expected):
    assert [(m.target, m.lines) for m in marks(text, P)] == expected


def test_a_footer_line_goes_with_its_ticks_and_its_remark():
    (mark,) = marks(f"Sources:\n- `src/e.py@{H}` (L1)\n", P)
    assert mark.raw == f"src/e.py@{H}` (L1)"
    assert mark.whole.end - mark.whole.start == len(mark.raw) + 1
