"""A paper printed from a web page by Chromium; its strings are ours, so the gold is what was put in."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pdf_corpus import gold, prose, strings
from pdf_corpus.latex import short
from pdf_corpus.troubles import LIFE, rows
from pdf_corpus.typeset import ToolError, run
from pdf_corpus.works import Work

LISTS = {  # how entries are told apart: CSS of one entry
    "hanging": ".ref{padding-left:2em;text-indent:-2em;margin:0 0 .3em}",
    "indented": ".ref{text-indent:2em;margin:0}",
    "gaps": ".ref{margin:0 0 .9em}",
    "flush": ".ref{margin:0}",
    "bracket": ".ref{padding-left:2.4em;text-indent:-2.4em;margin:0 0 .2em}"
    ".no{display:inline-block;width:2.4em;text-indent:0}",
    "dot": ".ref{padding-left:2em;text-indent:-2em;margin:0 0 .2em}"
    ".no{display:inline-block;width:2em;text-indent:0}",
    "raised": ".ref{margin:0 0 .2em}.no{vertical-align:super;font-size:65%;margin-right:.2em}",
}
LABELS = {"bracket": "[{}]", "dot": "{}.", "raised": "{}"}
VOWEL = re.compile(r"(?<=[a-zäöüé]{3})(?=[bcdfglmnprst][aeiou][a-zäöüé]{2})")


def make(
    recipe: dict[str, Any], works: Sequence[Work], folder: Path, rng: random.Random
) -> list[dict[str, Any]]:
    """Leave paper.pdf in `folder` and return its gold references, in printed order."""
    works = (
        list(works) if recipe["list"] in LABELS else sorted(works, key=lambda work: (work.authors, work.year))
    )
    texts = [strings.citation(work, recipe["style"]) for work in works]
    page = (
        _footnoted(recipe, works, texts, rng)
        if recipe["cite"] == "footnote"
        else _page(recipe, works, texts, rng)
    )
    (folder / "paper.html").write_text(page, "utf-8")
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    said = run(
        [*command, f"--user-data-dir={folder / 'profile'}", "--print-to-pdf=paper.pdf", "paper.html"], folder
    )
    if not (folder / "paper.pdf").is_file():
        raise ToolError(f"chromium made no PDF: {said[-300:]}")
    bare = [(work.key, text.replace("*", "")) for work, text in zip(works, texts, strict=True)]
    return gold.references(bare, works)


def _page(recipe: dict[str, Any], works: Sequence[Work], texts: Sequence[str], rng: random.Random) -> str:
    language = recipe.get("language", "en")
    words = prose.TEXTS[language]
    title = html.escape(prose.title(works[0], language))
    heading = "" if "no heading" in recipe["troubles"] else recipe.get("heading", words["heading"])
    body = [
        f"<h2>{head}</h2>" + "".join(f"<p>{text}</p>" for text in paragraphs)
        for head, paragraphs in prose.sections(
            works, language, _marks(recipe, works), rng, filler=recipe.get("filler", 1)
        )
    ]
    entries = (_entry(recipe, number, text) for number, text in enumerate(texts, 1))
    return "".join(
        [
            _head(recipe, title),
            f"<h1>{title}</h1><main>",
            *body,
            f"<h2>{heading}</h2>" if heading else "<hr>",
            '<div class="refs">',
            *entries,
            "</div>",
            _after(recipe, words, rng),
            "</main>",
        ]
    )


def _head(recipe: dict[str, Any], title: str) -> str:
    furniture = ""
    if "headers" in recipe["troubles"]:
        furniture = (
            "@top-left{content:'Collected Notes, vol. 12 (2021)';font-size:8pt}"
            "@top-right{content:'345–378';font-size:8pt}"
            "@bottom-left{content:'https://example.org/notes/12/345';font-size:8pt}"
        )
    return (
        f"<!doctype html><html lang={recipe.get('language', 'en')}><meta charset=utf-8>"
        f"<title>{title}</title><style>"
        f"@page{{size:{recipe.get('paper', 'A4')};margin:22mm 20mm;"
        f"@bottom-center{{content:counter(page);font-size:8pt}}{furniture}}}"
        f"body{{font:{recipe.get('size', '10pt')}/1.35 {recipe.get('family', 'serif')};margin:0;"
        f"text-align:{'justify' if 'hyphens' in recipe['troubles'] else 'left'};hyphens:manual}}"
        f"main{{column-count:{recipe.get('columns', 1)};column-gap:7mm}}h2{{font-size:115%}}"
        f".page{{position:relative;height:240mm}}.page+.page{{break-before:page}}"
        f".notes{{position:absolute;bottom:0;font-size:80%;"
        f"border-top:1px solid}}.refs,.ref{{overflow-wrap:anywhere}}{LISTS[recipe['list']]}"
        "</style>"
    )


def _entry(recipe: dict[str, Any], number: int, text: str) -> str:
    label = LABELS.get(recipe["list"], "").format(number)
    return f'<p class="ref">{f"<span class=no>{label}</span>" if label else ""}{_marked(text, recipe)}</p>'


def _marked(text: str, recipe: dict[str, Any]) -> str:
    """Return a string as HTML: its italics, and places where a long word may be cut."""
    if "hyphens" in recipe["troubles"]:
        text = " ".join(word if "/" in word else VOWEL.sub("\u00ad", word) for word in text.split(" "))
    safe = html.escape(text, quote=False)
    return re.sub(r"\*(.*?)\*", r"<i>\1</i>", re.sub(r"\*\*(.*?)\*\*", r"<b>\1</b>", safe))


def _marks(recipe: dict[str, Any], works: Sequence[Work]) -> prose.Marks:
    numbers = {work.key: at for at, work in enumerate(works, 1)}

    def cite(cited: Sequence[Work]) -> str:
        if recipe["list"] in LABELS:
            inner = _ranges([numbers[work.key] for work in cited])
            return f"<sup>{inner}</sup>" if recipe["cite"] == "super" else f"[{inner}]"
        return "(" + "; ".join(f"{html.escape(short(work))}, {work.year}" for work in cited) + ")"

    def who(cited: Sequence[Work]) -> str:
        named = html.escape(short(cited[0]))
        return f"{named} {cite(cited[:1])}" if recipe["list"] in LABELS else f"{named} ({cited[0].year})"

    return prose.Marks(cite, who, html.escape)


def _ranges(numbers: Sequence[int]) -> str:
    """Return 3, 4, 5, 9 as 3–5, 9."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}–{numbers[-1]}"
    return ", ".join(map(str, numbers))


def _after(recipe: dict[str, Any], words: dict[str, Any], rng: random.Random) -> str:
    found = ""
    for trouble in recipe["troubles"]:
        if trouble == "appendix after":
            plain = "".join(
                f"<p>{' '.join(rng.choice(words['plain']) for _ in range(6))}</p>" for _ in range(4)
            )
            found += f"<h2>{words['appendix']}</h2>{plain}"
        elif trouble == "tables after":
            lines = "".join("<tr>" + "".join(f"<td>{cell}" for cell in row) for row in rows(rng, 20))
            found += f"<p>Table 1. {words['table']}.</p><table width=100%>{lines}</table>"
        elif trouble == "biographies":
            found += f"<h2>About the author</h2><p>The author {LIFE}</p>"
    return found


def _footnoted(
    recipe: dict[str, Any], works: Sequence[Work], texts: Sequence[str], rng: random.Random
) -> str:
    """Return pages whose works stand in notes at the foot, as in law and history."""
    title = html.escape(prose.title(works[0], recipe.get("language", "en")))
    first, *others = _sheets(recipe, works, texts, rng)
    return "".join([_head(recipe, title), first.replace("<p>", f"<h1>{title}</h1><p>", 1), *others])


def _sheets(
    recipe: dict[str, Any], works: Sequence[Work], texts: Sequence[str], rng: random.Random
) -> Iterator[str]:
    words = prose.TEXTS[recipe.get("language", "en")]
    short_notes = words.get("notes", ["Ibid."])
    number = 0
    for at in range(0, len(works), 7):
        text, notes = "", ""
        for work, string in zip(works[at : at + 7], texts[at : at + 7], strict=True):
            number += 1
            said = " ".join(rng.choice(words["plain"]) for _ in range(2))
            text += f"{html.escape(short(work))}<sup>{number}</sup>: {said} "
            notes += f"<p class=ref>{number} {_marked(string, recipe)}</p>"
            if rng.random() < 0.4:
                number += 1
                text += f"{rng.choice(words['plain'])[:-1]}.<sup>{number}</sup> "
                notes += f"<p class=ref>{number} {rng.choice(short_notes)}</p>"
        yield f"<div class=page><p>{text}</p><div class=notes>{notes}</div></div>"
