"""The parts that all pages share: the head with its policy, facts, filters, foldable blocks, lists.

Nothing comes from outside: the page's own policy allows one style and one script, known by their hashes, so
that text of a document that tries to be markup stays text. Without the script all can be read.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from citeproof.answers.reporters import wording

CLOSING = "</main>\n</body>\n</html>\n"


def escape_text(value: str, limit: int = wording.SHOWN) -> str:
    """Return a value on one line as HTML text: no tag, no attribute, no control character."""
    return escape(wording.show_line(value, limit), quote=True)


@cache
def _load_part(names: tuple[str, ...]) -> tuple[str, str]:
    """Return a style or script and the hash by which the policy allows it and nothing else."""
    text = "".join(
        files("citeproof.answers.reporters.html").joinpath(name).read_text("utf-8") for name in names
    )
    return text, f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def open_page(title: str, heading: str, *styles: str, script: bool = False) -> str:
    """Return the page up to its heading; `title` is HTML."""
    style, style_hash = _load_part(("page.css", *styles))
    code, code_hash = _load_part(("page.js",)) if script else ("", "")
    allowed = f"style-src {style_hash}; " + (f"script-src {code_hash}; " if script else "")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="'
        f"default-src 'none'; {allowed}base-uri 'none'; form-action 'none'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{heading}: {title}</title>\n"
        f"<style>{style}</style>\n{f'<script type=module>{code}</script>' if script else ''}"
        f"</head>\n<body>\n<header>\n<h1>{heading}</h1>\n"
    )


def format_facts(rows: Iterable[tuple[str, str]], limit: int = wording.SHOWN) -> str:
    return "".join(f"<dt>{name}</dt><dd>{escape_text(value, limit)}</dd>" for name, value in rows)


def format_filters(what: str, rows: Iterable[tuple[str, str]]) -> str:
    buttons = "".join(
        f'<label><input type="radio" name="show" id="show-{name}"{" checked" if name == "all" else ""}>'
        f"{words}</label>"
        for name, words in rows
    )
    return f'<fieldset aria-label="which {what} to show">{buttons}</fieldset>\n'


def format_article(style: str, head: str, inside: str, *, shown: bool) -> str:
    return (
        f'<article class="{style}"><details{" open" if shown else ""}><summary>{head}</summary>\n'
        f'<div class="inside">{inside}</div></details></article>\n'
    )


def format_list(heading: str, items: Iterable[str]) -> str:
    """Return a heading and a list of what is HTML already, or nothing."""
    every = "".join(f"<li>{item}</li>" for item in items)
    return f"<h2>{heading}</h2>\n<ul>{every}</ul>\n" if every else ""
