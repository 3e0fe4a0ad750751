# ruff: noqa: INP001, ARG001, ANN401 - a hook that mkdocs loads by its path and calls with these arguments
"""Makes links to files outside docs/ plain text on the site: there is nothing to lead to."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

_DOCS = Path(__file__).parent
_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)#\s]*)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, **more: Any) -> str:
    """Return a page's text without links that leave docs/."""
    folder = PurePosixPath(page.file.src_uri).parent
    return _LINK.sub(lambda found: _replace_link(found, folder), markdown)


def _replace_link(found: re.Match[str], folder: PurePosixPath) -> str:
    target = (_DOCS / folder / found[2]).resolve()
    if target.is_relative_to(_DOCS) or not target.exists():  # a link to nothing is for mkdocs to report
        return found[0]
    return f"{found[1]} (`{target.relative_to(_DOCS.parent)}`)"
