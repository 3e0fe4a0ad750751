"""What all web pages share: the frame, the headers that keep strangers' text from running, the two assets.

A page holds no script and no style of its own: both are files of this package, and the policy allows nothing
else. Text of documents and sources passes `escape_text` before it stands in a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from urllib.parse import quote, urlencode

from citeproof.answers.reporters.html.page_parts import escape_text
from citeproof.text.unicode import show_controls

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would say `Origin: null` of our own forms
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_PARTS = {
    "web.css": (
        ("citeproof.answers.reporters.html", "page.css"),
        ("citeproof.answers.reporters.html", "papers.css"),
        ("citeproof.surfaces.web.assets", "web.css"),
    ),
    "web.js": (("citeproof.surfaces.web.assets", "web.js"),),
}
MEDIA_TYPES = {"web.css": "text/css; charset=utf-8", "web.js": "text/javascript; charset=utf-8"}


def escape_block(text: str, limit: int = 20_000) -> str:
    """Return text of several lines as HTML text; controls and hidden characters are spelled out."""
    lines = text[:limit].replace("\r\n", "\n").split("\n")
    cut = "…" if len(text) > limit else ""
    return escape("\n".join(show_controls(line.replace("\t", "    ")) for line in lines) + cut, quote=True)


@cache
def load_asset(name: str) -> bytes:
    """Return the style or the script; KeyError for any other name."""
    return "\n".join(
        files(package).joinpath(part).read_text("utf-8") for package, part in _PARTS[name]
    ).encode()


@cache
def load_fragment(name: str) -> str:
    """Return a part of a page that is always the same."""
    return files("citeproof.surfaces.web.assets").joinpath(name).read_text("utf-8")


@cache
def locate_asset(name: str) -> str:
    """Return the address of an asset, another one for another content, so that browsers may keep it."""
    return f"/assets/{name}?v={sha256(load_asset(name)).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class WebFrame:
    """What stands around a page. `title` is text, not HTML."""

    title: str
    heading: str = ""  # if it is not the title
    refresh: int = 0  # seconds after which a browser without script asks again
    always: bool = False  # also a browser with script asks again
    lead: str = ""  # HTML next to the heading
    named: bool = True  # with links to the other pages; a shared report has none to the runs


def format_page(frame: WebFrame, parts: Iterable[str]) -> str:
    """Return the whole page around its parts, which are HTML."""
    title, heading = escape_text(frame.title, 200), escape_text(frame.heading or frame.title, 200)
    refresh = f'<meta http-equiv="refresh" content="{frame.refresh}">\n' if frame.refresh else ""
    if refresh and not frame.always:
        refresh = f"<noscript>{refresh}</noscript>"
    home = '<a class="home" href="/">citeproof</a>' if frame.named else '<span class="home">citeproof</span>'
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="robots" content="noindex">\n'
        f"{refresh}<title>{title} · citeproof</title>\n"
        f'<link rel="stylesheet" href="{locate_asset("web.css")}">\n'
        f'<script type="module" src="{locate_asset("web.js")}"></script>\n</head>\n<body>\n'
        '<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header class="site"><nav aria-label="Site">{home}'
        '<a href="/verdicts">What the verdicts mean</a></nav></header>\n'
        f'<main id="main" tabindex="-1">\n<h1>{heading}</h1>\n{frame.lead}{"".join(parts)}</main>\n'
        "</body>\n</html>\n"
    )


def format_error_page(heading: str, message: str, hint: str = "") -> str:
    """Return a page that says what went wrong and what to do."""
    body = f"<p>{escape_text(message, 2000)}</p>\n"
    if hint:
        body += f'<p class="dim">Hint: {escape_text(hint, 2000)}</p>\n'
    return format_page(
        WebFrame(heading), (f'<div role="alert">{body}</div>', '<p><a href="/">Start page</a></p>\n')
    )


def make_address(path: str, query: Mapping[str, object] | None = None, anchor: str = "") -> str:
    """Return an address of ours as the value of an attribute; empty parts of a query are left out."""
    given = {name: str(value) for name, value in (query or {}).items() if value not in ("", None)}
    address = quote(path, safe="/-._~") + (f"?{urlencode(given)}" if given else "")
    return escape(address + (f"#{quote(anchor)}" if anchor else ""), quote=True)


def format_hidden(name: str, value: object) -> str:
    """Return a hidden field of a form."""
    return f'<input type="hidden" name="{name}" value="{escape_text(str(value), 400)}">'


def format_choices(name: str, choices: Mapping[str, str], chosen: str, label: str) -> str:
    """Return a labelled selection; its words are ours."""
    options = "".join(
        f'<option value="{value}"{" selected" if value == chosen else ""}>{words}</option>'
        for value, words in choices.items()
    )
    return f'<label>{label} <select name="{name}">{options}</select></label>'
