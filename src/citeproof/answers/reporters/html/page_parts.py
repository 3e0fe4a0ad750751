"""The templates of all pages: what every page begins with, and how values become HTML.

Nothing comes from outside: the page's own policy allows one style and one script, known by their hashes, so
that text of a document that tries to be markup stays text. Without the script all can be read.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.html.reference_view import VIEWS
from citeproof.answers.reporters.templates import load_templates
from citeproof.text.unicode import show_controls


def embed_json(value: object) -> Markup:
    """Return a value as JSON that a page's script reads; nothing in it ends the element it stands in."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704


def escape_text(value: str, limit: int = wording.SHOWN) -> str:
    """Return a value on one line as HTML text: no tag, no attribute, no control character."""
    return escape(wording.show_line(value, limit), quote=True)


def write_page(template: str, title: str, heading: str, *parts: str, **values: object) -> Iterator[str]:
    """Yield a page by its template; `title` and `values` are text, unless they are markup.

    `parts` are the styles besides that of all pages, and the script.
    """
    styles = [part for part in parts if part.endswith(".css")]
    style, style_hash = _load_part(("page.css", *styles))
    script, script_hash = _load_part(tuple(part for part in parts if part.endswith(".js")))
    frame = {"title": title, "heading": heading, "style": style, "script": script}
    hashes = {"style_hash": style_hash, "script_hash": script_hash}
    return load_pages().get_template(template).generate(**frame, **hashes, **values)


@cache
def load_pages() -> Environment:
    """Return the templates of this folder."""
    return load_html_templates()


def load_html_templates(*packages: tuple[str, str]) -> Environment:
    """Return the templates of folders and of this one, with what all of them call."""
    made = load_templates((*packages, (__package__, ".")), escape_text)
    made.filters |= {"verbatim": lambda value: Markup(escape(value, quote=True)), "block": escape_block}  # noqa: S704
    made.globals |= VIEWS
    made.filters["advice"] = str  # what a person may do; other pages than a user's own say less
    return made


def escape_block(text: str, limit: int = 20_000) -> Markup:
    """Return text of several lines as HTML text; controls and hidden characters are spelled out."""
    lines = text[:limit].replace("\r\n", "\n").split("\n")
    cut = "…" if len(text) > limit else ""
    shown = "\n".join(show_controls(line.replace("\t", "    ")) for line in lines) + cut
    return Markup(escape(shown, quote=True))  # noqa: S704 - it is escaped


@cache
def _load_part(names: tuple[str, ...]) -> tuple[Markup, Markup]:
    """Return a style or script and the hash by which the policy allows it and nothing else."""
    text = "".join(files(__package__).joinpath(name).read_text("utf-8") for name in names)
    digest = b64encode(sha256(text.encode()).digest()).decode()
    return Markup(text), Markup(f"'sha256-{digest}'")  # noqa: S704 - our own files
