"""Whether a page is nested deeper than any real one, told before it is parsed.

The parser's work grows with the square of the depth, and text formatting that is never closed is
repeated in every paragraph that follows.
"""

from __future__ import annotations

import re

MAX_DEPTH = 5_000
MAX_FORMATTING = 200

_TAG = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][a-zA-Z0-9]{0,15}))")
_RAW = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"))
# Elements that have no content, or that the next of their kind closes.
_LIGHT = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "optgroup", "html",
    "head", "body", "path", "use", "rect", "circle", "line", "polygon", "image", "frame", "colgroup", "rt",
    "rp",
))  # fmt: skip
_FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)


def is_too_deep(text: str) -> bool:
    """Return whether `text` opens more elements inside each other than a page may."""
    open_blocks = open_formatting = at = 0
    lower = text.lower() if text.isascii() else ""
    while match := _TAG.search(text, at):
        at = match.end()
        if match[1]:
            end = text.find("-->", at)
            at = end if end >= 0 else at
            continue
        name = match[3].lower()
        if name in _RAW and not match[2]:
            end = (lower or text).find(f"</{name}", at)
            at = end if end >= 0 else len(text)
        elif name in _FORMATTING:
            open_formatting = max(0, open_formatting + (-1 if match[2] else 1))
        elif name not in _LIGHT:
            open_blocks = max(0, open_blocks + (-1 if match[2] else 1))
        if open_blocks > MAX_DEPTH or open_formatting > MAX_FORMATTING:
            return True
    return False
