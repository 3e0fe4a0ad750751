"""Markdown to the words a reader sees, and the phrases by which an answer speaks of itself."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from citeproof.text import lazy_patterns as re

# [3](https://…), [[3]](https://…) and 【3†source】 are marks, as chat programs write them; keep the number.
_MARK_LINK = re.compile(
    r"\[{1,2}\\?\[?(\d{1,3})\\?\]?\]{1,2}\(\s?[^\s()]{1,1000}(?:\s\"[^\"\n]{0,200}\")?\)"
    r"|【(\d{1,3})(?:†[^】\n]{0,60})?】"
)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\n]{0,1000}\)")
_LINK = re.compile(
    r"(?<!!)\[([^\[\]\n]{1,1000})\]"
    r"\(\s?[^\s()]{1,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?(?:\s\"[^\"\n]{0,200}\")?\)"
)
_RAISED = re.compile(r"<sup>\s{0,3}\[?(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9})\]?\s{0,3}</sup>", re.IGNORECASE)
_DRESS = re.compile(
    r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|^[ \t]{0,3}(?:#{1,6}|>)[ \t]+", re.MULTILINE
)


def strip_markdown(text: str) -> str:
    """Return Markdown as plain text: links as their words, marks as [3], no emphasis, no images."""
    if "[" in text or "【" in text:
        text = _MARK_LINK.sub(lambda m: f"[{m[1] or m[2]}]", text)
        text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    if "<" in text:
        text = _RAISED.sub(r"[\1]", text)
    return _DRESS.sub("", text)


def is_own_voice(text: str) -> bool:
    """Return whether `text` is an answer's own voice ("I cannot verify …", "Hope this helps")."""
    return _compile_openings().match(text) is not None


@cache
def _compile_openings() -> re.Pattern[str]:
    source = files("citeproof.reading.extractors.prose").joinpath("talk.toml").read_text("utf-8")
    opens: list[str] = tomllib.loads(source)["opens"]
    words = "|".join(re.escape(one).replace("'", "['’]") for one in sorted(opens, key=len, reverse=True))
    return re.compile(rf"[\s*_>#-]{{0,12}}(?:{words})(?!\w)(?!,\s[A-Z]\.)")  # "Best, J." is an author
