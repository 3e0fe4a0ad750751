"""What became of cited lines between two versions of a file."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.corpus.code import drift
from citeproof.corpus.code.drift import LINES, MOST_LINES, WIDTH, VersionComparison
from citeproof.corpus.corpus_types import Drift, LineChange
from tests.growth import grows_linearly
from tests.soak import choose_pairs

OLD = """\
import os

def first(a):
    if a:
        return 1
    return 2

def second(b):
    return b + 1

def third(c):
    return c * 2
"""

SECOND = "def second(b):\n    return b + 1\n\n"

UNCHANGED, MOVED, WHITESPACE = LineChange.UNCHANGED, LineChange.MOVED, LineChange.WHITESPACE
CONTENT, REMOVED, UNKNOWN = LineChange.CONTENT, LineChange.REMOVED, LineChange.UNKNOWN


def compare_versions(old: bytes, new: bytes, lines: str) -> Drift:
    return VersionComparison(old, new).find_drift(lines)


def _with(*changes: tuple[str, str]) -> str:
    text = OLD
    for before, after in changes:
        assert text.count(before) == 1
        text = text.replace(before, after)
    return text


@pytest.mark.parametrize(
    ("lines", "new", "change", "now"),
    [
        ("L3-6", _with(("c * 2", "c * 3")), UNCHANGED, "L3-6"),
        ("L3-6", OLD + "\nmore = 1\n", UNCHANGED, "L3-6"),
        ("L11-12", OLD.rstrip("\n"), UNCHANGED, "L11-12"),  # the last newline is no line
        ("L3-6", "# new\n" + OLD, MOVED, "L4-7"),
        ("L8-9", _with(("import os\n", "")), MOVED, "L7-8"),
        ("L8-9", _with(("def first(a):\n    if a:\n        return 1\n    return 2\n\n", "")), MOVED, "L3-4"),
        ("L3-6", _with(("import os\n\n", ""), ("c * 2\n", "c * 2\n\nimport os\n")), MOVED, "L1-4"),
        ("L8", _with(("    return 2\n", "    return 2\n\n\n")), MOVED, "L10"),
        ("L8-9", SECOND + OLD.replace(SECOND, ""), MOVED, "L1-2"),  # functions in another order
        ("L8-9", SECOND + OLD, MOVED, "L11-12"),  # a copy of them above
        ("L3-6", _with(("    if a:\n        return 1", "  if a:\n    return 1")), WHITESPACE, "L3-6"),
        ("L3-6", OLD.replace("    ", "\t"), WHITESPACE, "L3-6"),
        ("L3-6", OLD.replace("\n", "\r\n"), WHITESPACE, "L3-6"),
        ("L3-6", "# new\n" + OLD.replace("    ", "\t"), WHITESPACE, "L4-7"),
        ("L8-9", _with(("return b + 1", "return b+1")), WHITESPACE, "L8-9"),
        ("L9", _with(("return b + 1", "return (\n        b + 1\n    )")), CONTENT, "L9-11"),
        ("L8-9", _with(("(b):\n    return b", "(b):\n\n    return\\\n   b")), CONTENT, "L8-11"),
        ("L8-9", _with(("(b):\n    return b", "(b): return b")), WHITESPACE, "L8"),
        ("L8-9", _with(("(b):\n    return b", "(b):\n    return\n        b")), WHITESPACE, "L8-10"),
        ("L8-9", _with(("return b", "retu\nrn b")), CONTENT, "L8-10"),
        ("L3-6", _with(("return 1", "return 7")), CONTENT, "L3-6"),
        ("L5", _with(("return 1", "return 7")), CONTENT, "L5"),
        ("L3-6", "# new\n" + _with(("return 1", "return 7")), CONTENT, "L4-7"),
        ("L3-6", _with(("        return 1\n", "        a += 1\n        return a\n")), CONTENT, "L3-7"),
        ("L3-6", _with(("        return 1\n", "")), CONTENT, "L3-5"),
        ("L8-9", _with(("def second(b):\n    return b + 1\n\n", "")), REMOVED, ""),
        ("L11-12", _with(("def third(c):\n    return c * 2\n", "")), REMOVED, ""),
        ("L1", "", REMOVED, ""),
        ("L5", _with(("        return 1\n", "")), REMOVED, ""),
        ("L2", OLD.replace("os\n", "os\nimport re\n"), MOVED, "L3"),  # a blank line, by what is around it
        ("", OLD.replace("    ", "\t"), WHITESPACE, ""),
        ("", OLD.replace("\n", "\r\n"), WHITESPACE, ""),
        ("", OLD + "x = 1\n", CONTENT, ""),
        ("", OLD, UNCHANGED, ""),
        ("", "", CONTENT, ""),
    ],
)
def test_what_became_of_cited_lines(lines: str, new: str, change: LineChange, now: str) -> None:
    found = compare_versions(OLD.encode(), new.encode(), lines)
    assert (found.change, found.lines) == (change, now)
    assert bool(found.diff) == (change is CONTENT)


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ('A = "a b"', 'A = "ab"', CONTENT),
        ('A = "ab"', 'A = "a b"', CONTENT),
        ('A = "a   b"', 'A = "a b"', WHITESPACE),
        ("A = f(b, c)", "A=f( b,c )", WHITESPACE),
        ("not in x", "notin x", CONTENT),
        ("größe x", "größex", CONTENT),
        ("if a:\n    b()", "if a:\nb()", WHITESPACE),  # and may yet mean another thing
    ],
)
@pytest.mark.parametrize("above", ["", "import os\n"])
def test_white_space_that_parts_words_is_content(old: str, new: str, change: LineChange, above: str) -> None:
    count, more = old.count("\n") + 1, bool(above)
    found = compare_versions(f"{old}\nend()\n".encode(), f"{above}{new}\nend()\n".encode(), _cited(1, count))
    assert (found.change, found.lines) == (change, _cited(1 + more, count + more))
    assert bool(found.diff) == (change is CONTENT)
    assert compare_versions(old.encode(), new.encode(), "").change is change


def test_of_places_with_the_same_letters_that_with_the_same_words_is_meant() -> None:
    old, new = b"total = a b\nx\ny\n", b"x\ntotal = ab\nz\ntotal =  a  b\ny\n"
    found = compare_versions(old, new, "L1")
    assert (found.change, found.lines) == (WHITESPACE, "L4")


def test_the_nearest_of_several_copies_is_meant() -> None:
    """By what stands around the block, not by the number of its line."""
    block = ["    total = 0", "    for x in xs:", "        total += x"]
    old = ["def a(xs):", *block, "    return a1", "def b(xs):", *block, "    return b1"]
    new = [*(f"# {n}" for n in range(6)), *old]
    for first in (2, 7):
        found = compare_versions("\n".join(old).encode(), "\n".join(new).encode(), f"L{first}-{first + 2}")
        assert (found.change, found.lines) == (MOVED, f"L{first + 6}-{first + 8}")


def test_a_brace_elsewhere_is_not_the_cited_one() -> None:
    old, new = b"if (a) {\n  b();\n}\nwhile (c) {\n  d();\n}\n", b"if (a)\n  b();\nwhile (c) {\n  d();\n}\n"
    assert compare_versions(old, new, "L3").change is REMOVED


@pytest.mark.parametrize(
    ("lines", "change", "detail"),
    [
        ("L13-20", UNKNOWN, "L13-20 is outside the cited version, which had 12 lines"),
        ("L11-20", UNCHANGED, "the cited version had 12 lines"),
        ("L0", UNKNOWN, "L0 begins at line 0; lines count from 1"),
        ("L5-3", UNKNOWN, "L5-3 runs backwards"),
        ("5", UNKNOWN, "5 is not a range of lines: write L42 or L42-58"),
    ],
)
def test_lines_that_the_cited_version_had_not_are_told(lines: str, change: LineChange, detail: str) -> None:
    found = compare_versions(OLD.encode(), OLD.encode() + b"x = 1\n", lines)
    assert (found.change, found.detail) == (change, detail)


def test_a_diff_shows_the_cited_lines_with_their_numbers() -> None:
    found = compare_versions(OLD.encode(), ("# new\n" + _with(("return 1", "return 7"))).encode(), "L3-6")
    assert found.diff.splitlines() == [
        "@@ -4,3 +5,3 @@",
        "     if a:",
        "-        return 1",
        "+        return 7",
        "     return 2",
    ]


@pytest.mark.parametrize("lines", ["", "L1-500"])
def test_a_diff_is_bounded_and_safe_to_show(lines: str) -> None:
    evil = b"\x1b]52;c;aGk=\x07\xe2\x80\xae\xff" + b"x" * 1000
    old = b"\n".join(b"%d %s" % (n, evil) for n in range(500))
    found = compare_versions(old, old.replace(b" ", b"  y"), lines)
    shown = found.diff.split("\n")
    assert found.change is CONTENT
    assert len(shown) == LINES
    assert shown[-1] == "…"
    assert max(map(len, shown)) <= WIDTH
    assert all(line.isprintable() for line in shown)


@pytest.mark.parametrize("lines", ["", "L1-2"])
def test_what_is_no_text_or_too_long_has_no_diff(lines: str) -> None:
    long = b"a\n" * (MOST_LINES + 1)
    assert compare_versions(long, long + b"b\n", lines).detail.endswith(("to say where", "to show them"))
    assert compare_versions(long, long.replace(b"a", b" a"), "").change is WHITESPACE
    assert compare_versions(b"a\0b", b"a\0c", "").detail == "the file is not text"


WORDS = st.text("abcxyz_ (){}=+.", min_size=1, max_size=12).filter(str.strip)


@st.composite
def _files(draw: st.DrawFn) -> tuple[list[str], int, int]:
    """A file whose lines are all different, and some of them."""
    count = draw(st.integers(1, 30))
    lines = [f"{draw(WORDS)} word{n} {draw(WORDS)}" for n in range(count)]
    first = draw(st.integers(1, count))
    return lines, first, draw(st.integers(first, count))


def _cited(first: int, last: int) -> str:
    return f"L{first}" if first == last else f"L{first}-{last}"


def _drift(old: list[str], new: list[str], lines: str) -> tuple[LineChange, str]:
    found = compare_versions("\n".join(old).encode(), ("\n".join(new) + "\n").encode(), lines)
    return found.change, found.lines


@given(_files(), st.lists(WORDS, max_size=9))
def test_lines_below_change_nothing(file: tuple[list[str], int, int], more: list[str]) -> None:
    old, first, last = file
    lines = _cited(first, last)
    assert _drift(old, [*old[:last], *more, *old[last:]], lines) == (UNCHANGED, lines)


@given(_files(), st.lists(st.integers(), min_size=1, max_size=9), st.data())
def test_lines_put_above_move_by_exactly_that(
    file: tuple[list[str], int, int], more: list[int], data: st.DataObject
) -> None:
    old, first, last = file
    at = data.draw(st.integers(0, first - 1))
    new = [*old[:at], *(f"new {n}" for n in more), *old[at:]]
    assert _drift(old, new, _cited(first, last)) == (MOVED, _cited(first + len(more), last + len(more)))


@given(_files(), st.integers(0, 5), st.sampled_from([" ", "\t", "    "]))
def test_other_indents_are_white_space(file: tuple[list[str], int, int], more: int, indent: str) -> None:
    old, first, last = file
    new = [*(f"new {n}" for n in range(more)), *(indent + line for line in old)]
    assert _drift(old, new, _cited(first, last)) == (WHITESPACE, _cited(first + more, last + more))


@given(_files(), st.integers(0, 5))
def test_lines_joined_to_one_are_white_space(file: tuple[list[str], int, int], more: int) -> None:
    old, first, last = file
    new = [
        *(f"new {n}" for n in range(more)),
        *old[: first - 1],
        " ".join(old[first - 1 : last]),
        *old[last:],
    ]
    change, lines = _drift(old, new, _cited(first, last))
    joined = UNCHANGED if first == last and not more else MOVED if first == last else WHITESPACE
    assert (change, lines) == (joined, f"L{first + more}")


@given(_files(), st.data())
def test_a_changed_word_is_content_and_lines_taken_away_are_removed(
    file: tuple[list[str], int, int], data: st.DataObject
) -> None:
    old, first, last = file
    at = data.draw(st.integers(first - 1, last - 1))
    new = [*old[:at], old[at].replace("word", "other"), *old[at + 1 :]]
    assert _drift(old, new, _cited(first, last)) == (CONTENT, _cited(first, last))
    assert _drift(old, [*old[: first - 1], *old[last:]], _cited(first, last)) == (REMOVED, "")


@given(st.binary(max_size=300), st.binary(max_size=300), st.sampled_from(["", "L1", "L2-3", "L1-9", "L7"]))
def test_any_two_versions_give_an_answer(old: bytes, new: bytes, lines: str) -> None:
    found = compare_versions(old, new, lines)
    if found.lines:
        first, last = (int(part) for part in (found.lines[1:].split("-") * 2)[:2])
        assert 1 <= first <= last <= max(1, new.count(b"\n") + 1)
    assert found.diff.count("\n") < LINES


SHAPES = {
    "a line above": lambda n: ([b"line %d" % i for i in range(n)], [b"x"]),
    "many alike": lambda n: ([b"abc", b"}", b""] * (n // 3), [b"x"]),
    "all alike": lambda n: ([b"aaaa = 1"] * n, [b"x"]),
    "nothing in common": lambda n: ([b"aaaa = 1"] * n, None),
}


@pytest.mark.growth
@pytest.mark.parametrize(("shape", "lines"), choose_pairs(list(SHAPES), ["", "L100-200"], 1))
def test_large_files_cost_in_proportion(shape: str, lines: str) -> None:
    def work(size: int) -> object:
        old, above = SHAPES[shape](size)
        new = [*above, *old[: size // 2], b"y", *old[size // 2 :]] if above else [b"bbbb = 2"] * size
        return compare_versions(b"\n".join(old), b"\n".join(new), lines)

    assert grows_linearly(work)


REPEATED = {
    "pairs": (b"a\nb\n" * 495, b"b\na\nc\n" * 330),
    "every other": (b"a\n" * 990, b"a\nb\n" * 495),
    "lines between": (b"a\nb\n" * 495, b"q\n" + b"b\na\nc\n" * 330),
    "gaps": (
        b"".join(b"%d\na\nb\n" % n for n in range(900)),
        b"".join(b"%d\nb\na\na\n" % n for n in range(900)),
    ),
}


@pytest.mark.parametrize("shape", REPEATED)
def test_difflib_is_given_little_however_many_lines_are_cited(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It can take the cube of what it is given, and a file may be made for that."""
    sizes = list[int]()

    class Counted(SequenceMatcher):
        def __init__(self, junk: None, a: Sequence[bytes], b: Sequence[bytes], *, autojunk: bool) -> None:
            sizes.append(max(len(a), len(b)))
            super().__init__(junk, a, b, autojunk=autojunk)

    monkeypatch.setattr(drift, "SequenceMatcher", Counted)
    monkeypatch.setattr(drift, "SequenceMatcher", Counted)
    both = VersionComparison(*REPEATED[shape])
    found = [both.find_drift(f"L{line}") for line in range(1, 901)]
    assert max(sizes, default=0) <= 80
    shown = sum(1 for one in found if one.diff)
    assert len(sizes) - shown <= 200  # one for each diff, the others by gap and not by citation


@pytest.mark.parametrize(
    ("old", "new", "line", "now"),
    [
        ("f {\n x\n}\ng {\n x\n}\n", "f {\n x\n}\nnew\ng {\n x\n}\n", 6, "L7"),
        ("1\nx\n2\nx\n3\ny", "1\nq\nx\n2\nr\nx\n3\nz\ny", 2, "L3"),  # once only within its gap
        ("1\nx\n2\nx\n3\ny", "1\nq\nx\n2\nr\nx\n3\nz\ny", 4, "L6"),
    ],
)
def test_lines_that_occur_often_are_followed_by_what_stands_around_them(
    old: str, new: str, line: int, now: str
) -> None:
    found = compare_versions(old.encode(), new.encode(), f"L{line}")
    assert (found.change, found.lines) == (MOVED, now)
