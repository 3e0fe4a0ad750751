"""Text from documents cannot become markup in any medium."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import get_reporter
from citeproof.answers.reporters.markdown import Markdown, escape_markdown, format_link
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.reporters.report_model import Selection
from citeproof.answers.reporters.terminal import Terminal

BLOCKS = (
    "1. an item",
    "12) an item",
    "- an item",
    "+ an item",
    "---",
    "- - -",
    "===",
    "* * *",
    "    code",
    "> quoted",
    "[a]: http://evil.example",
    "```",
    "a\n---",
)
NASTY = (
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](http://evil.example/p.png)",
    "a | b | c",
    "`code` **bold** _it_ ~~no~~ # head",
    "https://evil.example www.evil.example me@evil.example",
    "&lt;b&gt; &#60;b&#62;",
    "line\n\n# forged heading\n- forged item",
    "back\\slash \\| \\`",
    "$x$ <!-- c --> <https://evil.example>",
    *BLOCKS,
)
RENDER = MarkdownIt("gfm-like", {"linkify": False})


@pytest.mark.parametrize("text", NASTY)
def test_markdown_shows_text_as_it_is(text):
    tokens = RENDER.parseInline(escape_markdown(text))[0].children
    assert {token.type for token in tokens} <= {"text", "text_special"}
    assert "".join(token.content for token in tokens) == " ".join(text.split())


@pytest.mark.parametrize("text", BLOCKS)
def test_a_line_of_markdown_is_one_paragraph(text):
    tokens = RENDER.parse(f"before\n\n{escape_markdown(text)}\n\n- {escape_markdown(text)}\n")
    kinds = [token.type for token in tokens if token.type.endswith("_open")]
    assert kinds == ["paragraph_open"] * 2 + ["bullet_list_open", "list_item_open", "paragraph_open"]
    under = RENDER.parse(f"before\n{escape_markdown(text)}\n")
    assert [token.type for token in under] == ["paragraph_open", "inline", "paragraph_close"]


def test_markdown_leaves_nothing_that_readers_link_by_themselves():
    escaped = escape_markdown("https://a.example WWW.b.example c@d.example")
    assert escaped == "https&#58;//a.example WWW&#46;b.example c&#64;d.example"


@pytest.mark.parametrize("text", NASTY)
def test_markdown_keeps_the_shape_of_a_table(text):
    table = f"| a | b |\n| --- | --- |\n| {escape_markdown(text)} | end |\n"
    tokens = RENDER.parse(table)
    assert [t.type for t in tokens].count("td_open") == 2


@pytest.mark.parametrize(
    ("url", "linked"),
    [
        ("https://doi.org/10.1/x", True),
        ("http://example.org/", True),
        ("javascript:alert(1)", False),
        ("https://a)b", False),
        ("https://a b", False),
        ("data:text/html,x", False),
    ],
)
def test_only_web_addresses_become_links(url, linked):
    assert format_link("t", url).startswith("[t](") is linked


def test_hostile_reference_forms_no_markup_in_a_whole_report(made_run, made_checked):
    report = "".join(Markdown().report(ReferenceReport(made_run, [made_checked["hostile"]])))
    kinds = {t.type for t in RENDER.parse(report)} | {
        child.type for t in RENDER.parse(report) for child in t.children or ()
    }
    assert not kinds & {
        "html_inline",
        "html_block",
        "link_open",
        "image",
        "code_inline",
        "strong_open",
        "em_open",
    }


@pytest.mark.parametrize("colour", [False, True])
def test_terminal_lets_no_control_through(colour, made_run, made_checked):
    every = Terminal(colour=colour, selection=Selection.ALL, verbose=True)
    report = "".join(every.report(ReferenceReport(made_run, [made_checked["hostile"]])))
    assert "\x1b[2J" not in report
    assert "\\x1b[2J" in report
    assert not {"\r", "\u202e"} & set(report)
    assert ("\x1b[" in report) is colour


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("a  b\n\tc", 10, "a b c"),
        ("abcdef", 4, "abc…"),
        ("x" * 10_000, 5, "xxxx…"),
        (" " * 100 + "x", 10, "…"),
        ("", 10, ""),
    ],
)
def test_line_is_one_bounded_line(text, limit, shown):
    assert wording.show_line(text, limit) == shown


def test_word_of_blame_is_never_used(made_run, made_checked):
    every = Terminal(selection=Selection.ALL, verbose=True)
    report = "".join(every.report(ReferenceReport(made_run, made_checked.values()))).lower()
    assert "fake" not in report
    assert "fabricated" not in report
    assert "asked: snapshot:made by title" in report


HIDDEN = "\x7f\x85\x9b31m\u061c\u200e\u200f\u202e\u2066\u2028\u2029\ufeff"


@pytest.mark.parametrize("form", ["json", "jsonl", "sarif", "csl"])
def test_json_reports_hold_no_hidden_characters(form, made_run, made_checked):
    one = made_checked["mismatch"]
    claimed = replace(one.reference.claimed, title=f"Deep{HIDDEN}learning", venue=HIDDEN)
    reference = replace(one.reference, key=f"k{HIDDEN}", raw=f"Doe{HIDDEN}", claimed=claimed)
    title = f"Deep {HIDDEN} learning"
    record = replace(one.judgement.matched.record, titles=(title,))
    judgement = replace(one.judgement, matched=replace(one.judgement.matched, record=record))
    text = "".join(
        get_reporter(form).report(
            ReferenceReport(made_run, [replace(one, reference=reference, judgement=judgement)])
        )
    )
    assert not (set(HIDDEN) - set("31m")) & set(text)
    values = [json.loads(part) for part in (text.splitlines() if form == "jsonl" else [text])]
    assert form == "sarif" or "\x9b31m\u061c" in _strings(values)  # its messages spell them out


def _strings(value):
    """Return all text in a JSON value, in one."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return "".join(map(_strings, value)) if isinstance(value, list) else str(value)
