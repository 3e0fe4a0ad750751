"""Documents and what --fix makes of them: the structure stays, a second time changes nothing."""

from __future__ import annotations

from itertools import pairwise

import pytest

from citeproof.answers.fix.text_edits import apply_edits
from citeproof.vocabulary import Act, Remedy
from tests.answers.fix.formats.markdown.scanning import STALE, blocks, mend_document, mended, remedies

GONE = "<!-- citeproof: removed {} -->".format
WANTED = "<!-- TODO(citeproof): check {} -->".format
LEFT = "<!-- TODO(citeproof): remove {} -->".format
R1, R2, R3 = GONE("REF-001"), GONE("REF-002"), GONE("REF-003")
A = "[a.py@0123456789abcdef, L3]"
B = "[b.py@fedcba9876543210]"

REMOVED = [
    ("It is so (REF-001). Next.", f"It is so. {R1} Next."),
    ("It is so [REF-001]. Next.", f"It is so. {R1} Next."),
    ("It is so. [REF-001] Next.", f"It is so. {R1} Next."),
    ("So REF-001 it is.", f"So {R1} it is."),
    ("Shown [REF-001; REF-002], they say.", f"Shown, {R1} {R2} they say."),
    ("Shown (REF-001, REF-777x) too.", f"Shown (REF-777x) {R1} too."),
    ("Shown (DOC-7, REF-001) too.", f"Shown (DOC-7) {R1} too."),
    ("Shown (DOC-7; REF-001; DOC-8) too.", f"Shown (DOC-7; {R1} DOC-8) too."),
    ("Shown (see REF-001) too.", f"Shown {R1} too."),
    ("Shown (REF-001, p. 4) too.", f"Shown (p. 4) {R1} too."),
    ("By DOC-7 and REF-001.", f"By DOC-7. {R1}"),
    ("One, REF-001, two.", f"One, {R1} two."),
    ("A ([REF-001]) b", f"A {R1} b"),
    ("A **REF-001** b", f"A {R1} b"),
    ("A *[REF-001](http://x.y)* b", f"A {R1} b"),
    ('A [REF-001](http://x.y "t") b', f"A {R1} b"),
    ("**Bold REF-001**s end", f"**Bold**{R1}s end"),
    ("**REF-001 bold** end", f"**bold** {R1} end"),
    ("**bold**REF-001 end", f"**bold** {R1} end"),
    ("REF-001: the thing. REF-002.", f"the thing. {R1} {R2}"),
    ("REF-001 begins.", f"begins. {R1}"),
    ("REF-001\nbegins the\nparagraph", f"begins the {R1}\nparagraph"),
    ("One\nREF-001\ntwo", f"One {R1}\ntwo"),
    ("One\r\nREF-001\r\ntwo\r\n", f"One {R1}\r\ntwo\r\n"),
    ("One\nREF-001", f"One {R1}"),
    ("One REF-001  \ntwo", f"One {R1}  \ntwo"),
    ("One REF-001\\\ntwo", f"One {R1}\\\ntwo"),
    ("next\\\nREF-001\\\nend", f"next {R1}\\\nend"),
    ("next\\\r\nREF-001\\\r\nend", f"next {R1}\\\r\nend"),
    ("> next\\\n> REF-001\\\n> end", f"> next {R1}\\\n> end"),
    ("next\\\nREF-001\nend", f"next\\\nend {R1}"),
    ("next\\\nREF-001", f"next {R1}"),
    ("next\\\\\nREF-001\\\nend", f"next\\\\ {R1}\\\nend"),
    ("One\n  \nREF-001\n\ntwo", f"One\n  \n{R1}\n\ntwo"),
    ("REF-001", R1),
    ("- REF-001\n- b", f"- {R1}\n- b"),
    ("- REF-001\n  more\n- b", f"- more {R1}\n- b"),
    ("1. [REF-001]\n\n2. b", f"1. {R1}\n\n2. b"),
    ("- [ ] REF-001 do", f"- [ ] do {R1}"),
    ("> REF-001\n> more", f"> more {R1}"),
    ("> one\n> REF-001\n> more", f"> one {R1}\n> more"),
    ("> REF-001", f"> {R1}"),
    ("# REF-001", f"# {R1}"),
    ("## One REF-001 ##\n\nx", f"## One {R1} ##\n\nx"),
    ("One REF-001\n===\n\nx", f"One {R1}\n===\n\nx"),
    ("REF-001 one\n---\n\nx", f"one {R1}\n---\n\nx"),
    ("x[^1]\n\n[^1]: REF-001 one.\n", f"x[^1]\n\n[^1]: one. {R1}\n"),
    ("x[^1]\n\n[^1]: REF-001\n", f"x[^1]\n\n[^1]: {R1}\n"),
    ("| a | b |\n|---|---|\n| REF-001 | c REF-002 |\n", f"| a | b |\n|---|---|\n| {R1} | c {R2} |\n"),
    ("a | b\n--|--\nREF-001 c | d\n", f"a | b\n--|--\nc {R1} | d\n"),
    ("\ufeffSo (REF-001).", f"\ufeffSo. {R1}"),
    ("Ünïcödé 😀 (REF-001). 文字 REF-002", f"Ünïcödé 😀. {R1} 文字 {R2}"),
]  # fmt: skip

LEFT_WITH_A_WORD = [
    (f"As REF-001 {WANTED('REF-002')} says", f"As {R1} {WANTED('REF-002')} says"),
    (f"As REF-001 says. {WANTED('REF-001')}", f"As {R1} says. {WANTED('REF-001')}"),
    ("REF-001\n===\n\nx", f"REF-001 {LEFT('REF-001')}\n===\n\nx"),
    ("a | b\n--|--\nREF-001 | d\n", f"a | b\n--|--\nREF-001 {LEFT('REF-001')} | d\n"),
    ("One\nREF-001 <!-- mine -->\ntwo", f"One\nREF-001 {LEFT('REF-001')} <!-- mine -->\ntwo"),
]

NOTED = [
    ("See DOI1.", f"See DOI1. {WANTED('DOI1')}"),
    ("See DOI1, then DOI2 more", f"See DOI1, {WANTED('DOI1')} then DOI2 {WANTED('DOI2')} more"),
    ("DOI1's", f"DOI1{WANTED('DOI1')}'s"),
    ("DOI1  \nnext", f"DOI1 {WANTED('DOI1')}  \nnext"),
    ("DOI1\\\nnext", f"DOI1 {WANTED('DOI1')}\\\nnext"),
    ("**DOI1** x", f"**DOI1** {WANTED('DOI1')} x"),
    ("`DOI1` x", f"`DOI1` {WANTED('DOI1')} x"),
    ("[DOI1](http://x.y) x", f"[DOI1](http://x.y) {WANTED('DOI1')} x"),
    ("[x](http://x.y/DOI1) x", f"[x](http://x.y/DOI1) {WANTED('DOI1')} x"),
    ("![DOI1](p.png)", f"![DOI1](p.png) {WANTED('DOI1')}"),
    ("| DOI1 | b |\n|---|---|\n", f"| DOI1 {WANTED('DOI1')} | b |\n|---|---|\n"),
    ("| a | b |\n|---|---|\n| DOI2 | c |", f"| a | b |\n|---|---|\n| DOI2 {WANTED('DOI2')} | c |"),
    ("DOI1\n====", f"DOI1 {WANTED('DOI1')}\n===="),
    ("- DOI1\n- DOI2", f"- DOI1 {WANTED('DOI1')}\n- DOI2 {WANTED('DOI2')}"),
    ("DOI1\r\n\r\nb\r\n", f"DOI1 {WANTED('DOI1')}\r\n\r\nb\r\n"),
    ("It proves that.", "It suggests that."),
    (f"So {A}.", f"So {A} {STALE}."),
    (f"So {A}{B} it", f"So {A} {STALE} {B} {STALE} it"),
    (f"So {A} (see b)", f"So {A} {STALE} (see b)"),
    (f"**{A}** x", f"**{A} {STALE}** x"),
    (f"| {A} | b |\n|---|---|\n", f"| {A} {STALE} | b |\n|---|---|\n"),
    (f"- {A}\n", f"- {A} {STALE}\n"),
    (f"{A} proves REF-001 it", f"{A} {STALE} suggests {R1} it"),
]  # fmt: skip

UNTOUCHED = [
    "---\ntitle: REF-001 DOI1\n---\nplain\n",
    "```\nREF-001 DOI1\n```\n",
    "    REF-001 DOI1\n",
    "<div>\nREF-001 DOI1\n</div>\n",
    "[d]: http://x.y/DOI1\n",
    f"See {A} {STALE}",
    f"See {A}\n{STALE}",
    f"See {A} [OLD: gone] {STALE} more",
    f"See DOI1. Then more. {WANTED('DOI1')}",
    f"As REF-001 {WANTED('REF-001')} says",
    f"As REF-001, {WANTED('x')} {WANTED('REF-001')} x",
    "",
    "\ufeff",
    "\n\n",
]


@pytest.mark.parametrize(("text", "wanted"), [*REMOVED, *LEFT_WITH_A_WORD, *NOTED])
def test_what_becomes_of_a_document(text, wanted):
    made = mended(text)
    assert made == wanted
    assert blocks(made) == blocks(text)
    assert mend_document(made, remedies(made)) == ()


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_is_left_alone(text):
    assert mend_document(text, remedies(text)) == ()


TEXT = f"One {A} two three."
AT = TEXT.index(A)


@pytest.mark.parametrize("act", [Act.REMOVE, Act.REPLACE])
@pytest.mark.parametrize("start", [0, AT - 1, AT, AT + 3])
@pytest.mark.parametrize("end", [AT + 5, AT + len(A), AT + len(A) + 4])
def test_a_code_citation_is_never_changed(act, start, end):
    assert mend_document(TEXT, [Remedy(act, start, end, "x")]) == ()


CITING = [
    A,
    "[src/a.py, L4-9]",
    "[src/a.py]",
    "[node_modules/@types/x.d.ts@0123456789abcdef]",
    "[a b.py@abcdef12]",
]


@pytest.mark.parametrize("cited", CITING)
def test_every_form_of_code_citation_is_kept(cited):
    text = f"One {cited} two"
    for start in range(4, 4 + len(cited)):
        assert mend_document(text, [Remedy(Act.REMOVE, start, start + 1, "")]) == ()
        made = apply_edits(text, mend_document(text, [Remedy(Act.TODO, start, start + 1, "look")]))
        assert made == f"One {cited} <!-- TODO(citeproof): look --> two"


def test_a_line_of_a_list_of_sources_is_kept():
    text = "Sources:\n\n- src/a.py@0123456789abcdef (L4-9)\n"
    at = text.index("src")
    assert mend_document(text, [Remedy(Act.REMOVE, at, at + 8, "")]) == ()
    made = apply_edits(text, mend_document(text, [Remedy(Act.ANNOTATE, at, at + 25, STALE)]))
    assert made == f"Sources:\n\n- src/a.py@0123456789abcdef (L4-9) {STALE}\n"
    assert mend_document(made, [Remedy(Act.ANNOTATE, at, at + 25, STALE)]) == ()


LINKED = [
    # a document with one link to a DOI, its words, and what becomes of it
    ("As [the study](https://doi.org/X) explains.", "the study", f"As the study {GONE('X')} explains."),
    ("As [the *old* study](https://doi.org/X).", "the *old* study", f"As the *old* study. {GONE('X')}"),
    ("[The study](https://doi.org/X) explains", "The study", f"The study {GONE('X')} explains"),
    ("So ([the study](https://doi.org/X)). Next", "the study", f"So (the study). {GONE('X')} Next"),
    ("**[the study](https://doi.org/X)**, then", "the study", f"**the study**, {GONE('X')} then"),
    ("So [it][q] is\n\n[q]: https://doi.org/X", "it", f"So it {GONE('X')} is\n\n[q]: https://doi.org/X"),
    ("# [the study](https://doi.org/X)\n", "the study", f"# the study {GONE('X')}\n"),
    (
        "| a |\n|---|\n| [the study](https://doi.org/X) |\n",
        "the study",
        f"| a |\n|---|\n| the study {GONE('X')} |\n",
    ),
    # without the link a list would begin
    ("[1. study](https://doi.org/X) x", "1. study", f"[1. study](https://doi.org/X) {LEFT('X')} x"),
]


@pytest.mark.parametrize(("text", "words", "wanted"), LINKED)
def test_the_words_of_a_removed_link_stay(text, words, wanted):
    low = text.index(words)
    start, end = text.index("["), text.index("]", low) + 1
    end = text.index(")", end) + 1 if text[end] == "(" else text.index("]", end) + 1
    around = (
        text[start - 1 : start] == "("
    )  # the brackets around it are the citation's, but not for its words
    remedy = Remedy(Act.REMOVE, start - around, end + around, "X", (low, low + len(words)))
    made = apply_edits(text, mend_document(text, [remedy]))
    assert made == wanted
    assert blocks(made) == blocks(text)


WORDS = "One two three four."
X, Y = "<!-- TODO(citeproof): x -->", "<!-- TODO(citeproof): y -->"
TOGETHER = [
    ([(Act.REMOVE, 4, 7, "a"), (Act.REPLACE, 4, 13, "b")], f"One {GONE('a')} three four."),
    ([(Act.REMOVE, 4, 8, "a"), (Act.REMOVE, 7, 13, "b")], f"One {GONE('a')} {GONE('b')} four."),
    ([(Act.REMOVE, 4, 13, "a"), (Act.REMOVE, 4, 7, "b")], f"One {GONE('a')} four."),
    ([(Act.REPLACE, 4, 7, "b"), (Act.REPLACE, 4, 13, "c")], "One c four."),
    ([(Act.REPLACE, 4, 13, "c"), (Act.REPLACE, 8, 18, "d")], "One two d."),
    ([(Act.REMOVE, 4, 7, "a"), (Act.TODO, 4, 7, "x")], f"One {GONE('a')} three four."),
    ([(Act.TODO, 4, 7, "x"), (Act.TODO, 4, 7, "x")], f"One two {X} three four."),
    ([(Act.TODO, 4, 7, "x"), (Act.TODO, 5, 7, "x")], f"One two {X} three four."),
    ([(Act.TODO, 4, 7, "x"), (Act.TODO, 4, 7, "y")], f"One two {X} {Y} three four."),
    ([(Act.TODO, 0, 18, "x"), (Act.REPLACE, 4, 7, "b")], f"One b three four. {X}"),
    ([(Act.TODO, 4, 7, "x"), (Act.ANNOTATE, 4, 7, "[OLD: y]")], f"One two [OLD: y] {X} three four."),
    ([(Act.TODO, 4, 6, "x"), (Act.REPLACE, 5, 13, "b")], f"One tb {X} four."),
    ([(Act.REPLACE, -1, 4, "b"), (Act.REPLACE, 9, 9, "b"), (Act.REPLACE, 9, 99, "b")], WORDS),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "made"), TOGETHER)
@pytest.mark.parametrize("turned", [False, True])
def test_remedies_for_the_same_words(wanted, made, turned):
    every = [Remedy(*one) for one in wanted]
    edits = mend_document(WORDS, every[::-1] if turned and Y not in made else every)
    assert apply_edits(WORDS, edits) == made
    assert list(edits) == sorted(edits, key=lambda one: (one.start, one.end))
    assert all(a.end <= b.start for a, b in pairwise(edits))


HOSTILE = [
    "--> <script>alert(1)</script>",
    "a--b---c-",
    "-",
    "->",
    "line\nbreak\r\n\r\n# head",
    "`tick` | pipe | $x$",
    "\x00\x1b[2J\u202e",
    "x" * 5000,
    "",
    "<!-- <!-- --!>",
]


@pytest.mark.parametrize("said", HOSTILE)
@pytest.mark.parametrize("act", [Act.REMOVE, Act.TODO])
@pytest.mark.parametrize("text", ["One ` two three.", "| One | two |\n|---|---|\n| a | b |\n", "One <b two"])
def test_what_a_comment_says_cannot_leave_it(said, act, text):
    at = text.index("two")
    made = apply_edits(text, mend_document(text, [Remedy(act, at, at + 3, said)]))
    assert blocks(made) == blocks(text)
    assert made != text
    comment = made[made.index("<!-- ") :].partition("-->")[0]
    assert len(comment) < 240
    assert "--" not in comment[4:].rstrip("-")
    assert not set(comment) & set("`>\n\r\x00\x1b\u202e")
    assert made.count("-->") == 1


MANY = 1500
# Each line of it has a citation that cannot be removed; what can be done beside it is done.
STUBBORN = [
    ("REF-001\n====\n\n", "TODO(citeproof): remove REF-001", "headings"),
    ("REF-001 ```\n\n", "TODO(citeproof): remove REF-001", "fences that would open"),
    ("- REF-001 # x\n", "TODO(citeproof): remove REF-001", "headings in a list"),
]


@pytest.mark.parametrize(("line", "left"), [row[:2] for row in STUBBORN], ids=[row[2] for row in STUBBORN])
def test_any_number_of_bad_remedies_keeps_no_good_one_back(line, left):
    text = line * MANY + "\nSo (REF-002) it proves.\n"
    made = mended(text)
    assert made.endswith(f"So {R2} it suggests.\n")
    assert made.count(left) == MANY
    assert blocks(made) == blocks(text)
    assert mended(made) == made


def test_a_long_table_is_mended_cell_by_cell():
    rows = "REF-001 | x REF-002 y proves\n" * MANY
    made = mended(f"a | b\n---|---\n{rows}")
    assert made == "a | b\n---|---\n" + f"REF-001 {LEFT('REF-001')} | x {R2} y suggests\n" * MANY
    assert mended(made) == made


def test_remedies_that_are_bad_only_together():
    made = mended("a | b\n---|---\nREF-001 REF-002 | c\n")
    assert made == f"a | b\n---|---\nREF-002 {R1} {LEFT('REF-002')} | c\n"
