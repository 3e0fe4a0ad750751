"""The diff that is made from known edits is the one that comparing the texts gives."""

from __future__ import annotations

from difflib import unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.answers.fix.fixed_file import format_diff
from citeproof.answers.fix.text_edits import TextEdit, apply_edits

TEXT = "".join(f"line {number}\n" for number in range(40))


def _edits(text, changes):
    """Edits of whole words, one for each (line, new text)."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    return [TextEdit(starts[n] + 5, starts[n] + len(lines[n]) - 1, new) for n, new in sorted(changes.items())]


@given(st.dictionaries(st.integers(0, 39), st.sampled_from(["X", "two\nlines", ""]), max_size=8))
def test_lines_of_the_diff(changes):
    edits = _edits(TEXT, changes)
    new = apply_edits(TEXT, edits)
    made = list(format_diff(TEXT, edits, "f"))
    wanted = list(unified_diff(TEXT.splitlines(keepends=True), new.splitlines(keepends=True), "f", "f"))
    assert [row for row in made if row[0] in "+-"] == [
        row.replace("\t", "") for row in wanted if row[0] in "+-"
    ]
    assert _patched(TEXT, made) == new


def _patched(text, rows):
    """Apply a unified diff by its own numbers."""
    lines, out, at = text.splitlines(keepends=True), [], 0
    for row in rows[2:]:
        if row.startswith("@@"):
            first, _, count = row.split()[1][1:].partition(",")
            start = int(first) - (count != "0")
            out += lines[at:start]
            at = start
        elif row[0] == "+":
            out.append(row[1:])
        else:
            assert lines[at] == row[1:]
            if row[0] == " ":
                out.append(lines[at])
            at += 1
    return "".join([*out, *lines[at:]])


def test_no_edits_no_diff():
    assert list(format_diff(TEXT, [], "f")) == []


@pytest.mark.parametrize(
    ("text", "edit", "told"),
    [
        ("a\nb", TextEdit(2, 3, "c"), "\\ No newline at end of file\n"),
        ("a\r\nb\r\n", TextEdit(3, 4, "c"), "+c\r\n"),
        ("a\n", TextEdit(0, 1, "\x1b[2J"), "+\\x1b[2J\n"),
    ],
    ids=["no newline at the end", "CRLF", "escape"],
)
def test_odd_lines(text, edit, told):
    assert told in "".join(format_diff(text, [edit], "f"))


def test_the_name_cannot_draw_on_the_terminal():
    assert "\x1b" not in "".join(format_diff("a\n", [TextEdit(0, 1, "b")], "\x1b]0;x"))
