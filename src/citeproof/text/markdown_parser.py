"""The one Markdown parser, with its extensions, and the front matter that it would not know."""

from __future__ import annotations

import re

from pyromark import Markdown, Options

MARKDOWN = Markdown(
    options=Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_HEADING_ATTRIBUTES
    | Options.ENABLE_MATH
    | Options.ENABLE_GFM
)
# The parser would take a block between two rules for metadata anywhere in a document: only the first is.
_FRONT = re.compile(r"\ufeff?(?:(---)|\+\+\+)[ \t]{0,99}\r?\n(?=[^\r\n])")
_FRONT_ENDS = {
    True: re.compile(r"\n(?:---|\.\.\.)[ \t]{0,99}(?=[\r\n]|\Z)"),
    False: re.compile(r"\n\+\+\+[ \t]{0,99}(?=[\r\n]|\Z)"),
}


def skip_front_matter(text: str) -> int:
    """Return where the document begins behind its front matter and byte order mark."""
    if (opening := _FRONT.match(text)) and (
        end := _FRONT_ENDS[opening[1] is not None].search(text, opening.end() - 1)
    ):
        return end.end()
    return 1 if text.startswith("\ufeff") else 0
