"""Source files to pages of text; None for what cannot be checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof.claims.quotes import index_source, locate_quotation
from citeproof.corpus import corpus_context

PDFS = Path(__file__).parents[1] / "fixtures" / "pdf"

PAGE = b"""<html><head><title>t</title><style>p{}</style></head><body><p>A<b>B</b> &amp; C</p>
<script>x()</script><!-- no --></body></html>"""

READ = [
    ("a.md", b"---\ntitle: x\n---\nHello *there*.\n", ("\nHello *there*.\n",)),
    ("a.MD", b"\xef\xbb\xbfHello", ("Hello",)),
    ("a.md", b"So <!-- not\nread -->it `<!--` is `-->`. <!-- open", ("So it `<!--` is `-->`. <!-- open",)),
    ("b.markdown", b"---\n\nA rule, no metadata.", ("---\n\nA rule, no metadata.",)),
    ("c.txt", b"So <!-- read --> it is.", ("So <!-- read --> it is.",)),
    ("sub/dir.pdf/c.txt", b"One\fTwo", ("One", "Two")),
    ("d.txt", b"caf\xe9 au lait", ("café au lait",)),
    ("e.html", PAGE, ("AB&C",)),
    ("f.htm", b"plain", ("plain",)),
]  # fmt: skip


@pytest.mark.parametrize(("path", "data", "wanted"), READ)
def test_what_is_read(path, data, wanted):
    found = corpus_context.read_source_pages(path, data)
    if path.endswith(("html", "htm")):
        found = tuple("".join(page.split()) for page in found)
    assert found == wanted


UNREAD = [
    ("a.docx", b"PK\x03\x04"),
    ("a.yaml", b"title: x"),
    ("a", b"text"),
    ("a.md", b""),
    ("a.md", b"---\ntitle: x\n---\n"),
    ("a.md", b"%PDF-1.4"),
    ("a.txt", b"a\x00b"),
    ("a.pdf", b""),
    ("a.pdf", b"%PDF-1.7 broken"),
    ("a.html", b""),
    ("a.html", b"<div>" * 100_000),
    ("a.html", b"a\x00b"),
]


@pytest.mark.parametrize(("path", "data"), UNREAD)
def test_what_cannot_be_checked(path, data):
    assert corpus_context.read_source_pages(path, data) is None


def test_a_source_that_is_too_large(monkeypatch):
    monkeypatch.setattr(corpus_context, "MAX_BYTES", 10)
    assert corpus_context.read_source_pages("a.txt", b"x" * 10) is not None
    assert corpus_context.read_source_pages("a.txt", b"x" * 11) is None


QUOTED = [
    ("journal", 2, "What remains is the question whether the same holds outside the range considered here"),
    (
        "two_columns",
        4,
        "with different initial values, and the median is given",
    ),  # hyphenated at a line's end
    ("chinese", 1, "前人已有研究"),
]


@pytest.mark.parametrize(("name", "many", "quote"), QUOTED)
def test_quotations_are_found_in_a_pdf(name, many, quote):
    found = corpus_context.read_source_pages("x.pdf", (PDFS / f"{name}.pdf").read_bytes())
    assert len(found) == many
    hit = locate_quotation(quote, index_source("\f".join(found)))
    assert hit.status == "verbatim"
    assert hit.span.first_page == (1 if many > 1 else None)


def test_a_locked_pdf_cannot_be_checked():
    assert corpus_context.read_source_pages("x.pdf", (PDFS / "locked.pdf").read_bytes()) is None


def test_a_source_with_too_long_an_answer_cannot_be_checked(monkeypatch):
    monkeypatch.setattr(
        corpus_context, "_LIMITS", corpus_context.Limits(memory=1 << 30, seconds=60.0, answer=10)
    )
    assert corpus_context.read_source_pages("x.pdf", (PDFS / "journal.pdf").read_bytes()) is None


def test_a_job_that_took_too_long_may_be_tried_again(monkeypatch):
    monkeypatch.setattr(
        corpus_context, "_LIMITS", corpus_context.Limits(memory=1 << 30, seconds=0.0001, answer=1 << 20)
    )
    with pytest.raises(corpus_context.StoppedError):
        corpus_context.read_source_pages("x.pdf", (PDFS / "journal.pdf").read_bytes())
