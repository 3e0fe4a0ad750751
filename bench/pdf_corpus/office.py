"""A paper written in a word processor and exported by LibreOffice; its strings are ours."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from pdf_corpus import gold, prose, strings
from pdf_corpus.latex import short
from pdf_corpus.typeset import ToolError, run
from pdf_corpus.works import Work

SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{value}:1.0"'
    for name, value in [
        ("office", "office"),
        ("style", "style"),
        ("text", "text"),
        ("fo", "xsl-fo-compatible"),
    ]
)
INDENTS = {
    "hanging": 'fo:margin-left="1.2cm" fo:text-indent="-1.2cm"',
    "numbers": 'fo:margin-left="0.9cm" fo:text-indent="-0.9cm"',
    "flush": 'fo:margin-left="0cm"',
}


def make(
    recipe: dict[str, Any], works: Sequence[Work], folder: Path, rng: random.Random
) -> list[dict[str, Any]]:
    """Leave paper.pdf in `folder` and return its gold references, in printed order."""
    works = (
        list(works)
        if recipe["list"] == "numbers"
        else sorted(works, key=lambda work: (work.authors, work.year))
    )
    texts = [strings.citation(work, recipe["style"]) for work in works]
    (folder / "paper.fodt").write_text(_document(recipe, works, texts, rng), "utf-8")
    command = [
        "soffice",
        f"-env:UserInstallation=file://{folder}/profile",
        "--headless",
        "--convert-to",
        "pdf",
    ]
    said = run([*command, "paper.fodt"], folder)
    if not (folder / "paper.pdf").is_file():
        raise ToolError(f"soffice made no PDF: {said[-300:]}")
    bare = [(work.key, text.replace("*", "")) for work, text in zip(works, texts, strict=True)]
    return gold.references(bare, works)


def _document(recipe: dict[str, Any], works: Sequence[Work], texts: Sequence[str], rng: random.Random) -> str:
    language = recipe.get("language", "en")
    words = prose.TEXTS[language]
    body = "".join(_body(recipe, works, texts, rng))
    if recipe["cite"] != "footnote":
        body += _paragraph(escape(recipe.get("heading", words["heading"])), "Head")
        body += "".join(
            _paragraph(_entry(recipe, number, text), "Entry") for number, text in enumerate(texts, 1)
        )
    if "appendix after" in recipe["troubles"]:
        body += _paragraph(escape(words["appendix"]), "Head")
        body += "".join(
            _paragraph(" ".join(rng.choice(words["plain"]) for _ in range(6)), "Text") for _ in range(3)
        )
    if recipe.get("columns", 1) > 1:
        body = f'<text:section text:style-name="Columns" text:name="All">{body}</text:section>'
    title = _paragraph(escape(prose.title(works[0], language)), "Title")
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {SPACES} office:version="1.3" '
        f'office:mimetype="application/vnd.oasis.opendocument.text">{_styles(recipe)}'
        f"<office:body><office:text>{title}{body}</office:text></office:body></office:document>"
    )


def _styles(recipe: dict[str, Any]) -> str:
    columns = f'<style:columns fo:column-count="{recipe.get("columns", 1)}" fo:column-gap="0.7cm"/>'
    kinds = [
        (
            "Title",
            'fo:text-align="center" fo:margin-bottom="0.6cm"',
            'fo:font-size="16pt" fo:font-weight="bold"',
        ),
        (
            "Head",
            'fo:margin-top="0.4cm" fo:keep-with-next="always"',
            'fo:font-size="13pt" fo:font-weight="bold"',
        ),
        (
            "Text",
            'fo:text-align="justify" fo:margin-bottom="0.2cm"',
            f'fo:font-size="{recipe.get("size", "11pt")}"',
        ),
        (
            "Entry",
            f'fo:margin-bottom="0.1cm" {INDENTS[recipe["list"]]}',
            f'fo:font-size="{recipe.get("size", "11pt")}"',
        ),
        ("Footnote", 'fo:margin-left="0cm"', 'fo:font-size="9pt"'),
    ]
    made = "".join(
        f'<style:style style:name="{name}" style:family="paragraph"><style:paragraph-properties {layout}/>'
        f'<style:text-properties {letters} style:font-name="{recipe.get("family", "DejaVu Serif")}" '
        f'fo:font-family="{recipe.get("family", "DejaVu Serif")}"/></style:style>'
        for name, layout, letters in kinds
    )
    top = (
        "<text:p>Collected Notes, vol. 12 (2021), pp. 345–378</text:p>"
        if "headers" in recipe["troubles"]
        else "<text:p/>"
    )
    return (
        f'<office:styles>{made}<style:style style:name="Italic" style:family="text"><style:text-properties '
        'fo:font-style="italic"/></style:style></office:styles><office:automatic-styles>'
        f'<style:style style:name="Columns" style:family="section"><style:section-properties>{columns}'
        '</style:section-properties></style:style><style:page-layout style:name="Sheet">'
        "<style:page-layout-properties "
        'fo:page-width="21cm" fo:page-height="29.7cm" fo:margin="2cm"/>'
        "<style:header-style/><style:footer-style/>"
        "</style:page-layout></office:automatic-styles><office:master-styles><style:master-page "
        f'style:name="Standard" style:page-layout-name="Sheet"><style:header>{top}</style:header>'
        "<style:footer>"
        "<text:p><text:page-number/></text:p></style:footer></style:master-page></office:master-styles>"
    )


def _body(
    recipe: dict[str, Any], works: Sequence[Work], texts: Sequence[str], rng: random.Random
) -> Iterator[str]:
    language = recipe.get("language", "en")
    marks = _marks(recipe, works, texts)
    for head, paragraphs in prose.sections(works, language, marks, rng, filler=recipe.get("filler", 1)):
        yield _paragraph(escape(head), "Head")
        yield from (_paragraph(text, "Text") for text in paragraphs)


def _marks(recipe: dict[str, Any], works: Sequence[Work], texts: Sequence[str]) -> prose.Marks:
    numbers = {work.key: at for at, work in enumerate(works, 1)}
    noted: set[str] = set()

    def cite(cited: Sequence[Work]) -> str:
        if recipe["cite"] == "footnote":
            return "".join(note(work) for work in cited)
        if recipe["list"] == "numbers":
            return "[" + ", ".join(str(numbers[work.key]) for work in cited) + "]"
        return "(" + "; ".join(f"{escape(short(work))}, {work.year}" for work in cited) + ")"

    def note(work: Work) -> str:
        """Return the note of a work, once: a sentence may name it and cite it."""
        if work.key in noted:
            return ""
        noted.add(work.key)
        at = numbers[work.key]
        text = _paragraph(_italic(texts[at - 1]), "Footnote")
        return (
            f'<text:note text:note-class="footnote"><text:note-citation>{at}</text:note-citation>'
            f"<text:note-body>{text}</text:note-body></text:note>"
        )

    def who(cited: Sequence[Work]) -> str:
        if recipe["cite"] == "footnote":
            return escape(short(cited[0])) + note(cited[0])
        return f"{escape(short(cited[0]))} {cite(cited[:1])}"

    return prose.Marks(cite, who, escape)


def _entry(recipe: dict[str, Any], number: int, text: str) -> str:
    return (f"{number}.<text:tab/>" if recipe["list"] == "numbers" else "") + _italic(text)


def _italic(text: str) -> str:
    plain = escape(text).replace("**", "")
    return re.sub(r"\*(.*?)\*", r'<text:span text:style-name="Italic">\1</text:span>', plain)


def _paragraph(inner: str, style: str) -> str:
    return f'<text:p text:style-name="{style}">{inner}</text:p>'
