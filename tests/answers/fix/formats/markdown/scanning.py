"""A small scanner for tests: what a checker would find in a document, and how its blocks follow."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyromark
from pyromark import Options

from citeproof.answers.fix.formats.markdown import edit_document
from citeproof.answers.fix.text_edits import TextEdit, apply_edits
from citeproof.corpus.document_fixes import find_code_citations
from citeproof.vocabulary import Act, Remedy

OPTIONS = (
    Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_GFM
)
COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)  # one that is not closed hides nothing
OURS = re.compile(r"<!-- (?:citeproof: removed|TODO\(citeproof\):) .*? -->")
STALE = "[STALE: hash mismatch]"
_FOUND = (
    (Act.REMOVE, re.compile(r"\bREF-\d{3}\b|\[REF-\d{3}\](?!\()|\(REF-\d{3}\)")),
    (Act.TODO, re.compile(r"\bDOI\d\b")),
    (Act.REPLACE, re.compile(r"\bproves\b")),
    (Act.ANNOTATE, re.compile(r"\[\w{1,5}\.py@[0-9a-f]{16}(?:, L\d+)?\](?!\()")),
)


def remedies(text: str) -> list[Remedy]:
    """Return what is to be done about `text`: nothing in comments."""
    masked = COMMENT.sub(lambda one: " " * len(one[0]), text)
    return [
        Remedy(act, *one.span(), _said(act, one[0]))
        for act, found in _FOUND
        for one in found.finditer(masked)
    ]


def _said(act: Act, raw: str) -> str:
    return {Act.REPLACE: "suggests", Act.ANNOTATE: STALE, Act.TODO: f"check {raw}"}.get(
        act, raw.strip("[()]")
    )


def mend_document(text: str, wanted: Sequence[Remedy]) -> tuple[TextEdit, ...]:
    """Return the edits of a corpus document."""
    return edit_document(text, wanted, find_code_citations(text))


def mended(text: str) -> str:
    return apply_edits(text, mend_document(text, remedies(text)))


def blocks(text: str) -> list[str]:
    """Return the block events in order; a comment of ours alone counts as the words it replaced."""
    front = re.match(r"---\r?\n.*?\n---\r?\n", text, re.DOTALL)
    made: list[str] = []
    for event in pyromark.events(text[front.end() if front else 0 :], options=OPTIONS):
        name = event if isinstance(event, str) else next(iter(event))
        if name in ("Start", "End"):
            value = event[name]
            kind = value if isinstance(value, str) else next(iter(value))
            if kind in ("Emphasis", "Strong", "Strikethrough", "Link", "Image", "HtmlBlock", "Paragraph"):
                continue
            made.append(f"{name} {value}")
        elif name in ("SoftBreak", "HardBreak", "Text", "Code", "InlineHtml", "FootnoteReference"):
            if not made or made[-1] != "words":
                made.append("words")
        elif name == "Html":
            if OURS.sub("", event["Html"]).strip():
                made.append(f"html {event['Html']}")
            elif made[-1:] != ["words"]:
                made.append("words")
        else:
            made.append(str(event))
    return made
