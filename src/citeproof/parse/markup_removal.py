"""A citation string without its markup: what the parser reads."""

from __future__ import annotations

import re
import unicodedata

MAX_REFERENCE = 5000  # characters of one citation string that are read

_TAG = re.compile(
    r"</?(?:i|b|em|strong|italic|bold|sup|sub|span|a|p|br)(?:\s[^<>]{0,200})?/?>", re.IGNORECASE
)
LINK = re.compile(
    r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]{0,300}\]){1,2000})\]\((https?://[^\s()]{1,2000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)\)"
)
_ESCAPED = re.compile(r"\\([\[\]_*])")
_BUTTONS = frozenset(["link", "doi", "pdf", "arxiv", "here", "url", "source", "paper", "html", "code"])
_BOLD_WORD = re.compile(r"\*\*([^\s*]{1,60})\*\*")
_BOLD = re.compile(r"\*\*\s?[“\"]?([^*]{1,600}?)[”\"]?\s?\*\*")
# What is bold and no title: authors with their year, a label.
_NO_TITLE = re.compile(
    r"\bet al\b|\(\d{4}\)|^\W{0,3}\d{4}\W{0,3}$|^[^\W\d_]{1,30}, (?:[A-Z]\.|[A-Z][a-z]+,)|:$", re.IGNORECASE
)
_SPACED = re.compile(r"(?<!\s)\s++(?=[,.;:](?:\s|$|[^\W\d_]))")
_INNER = re.compile(r"([(\[])\s|\s([)\]])")
_DEBRIS = re.compile(r"[^\W_] [.,;]\w")
_MISPLACED = re.compile(r"\s{1,3}([.,;:)\]])")
_GLUED = re.compile(r"([,;]|(?<=[^\W\d_]{2})\.)(?=\w)")
_BROKEN = re.compile(r"(?<=[^\W\d_]{2})-\s*\n\s*(?=[a-z])")
_EMPHASIS = re.compile(
    r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,400})(?<=[^\s*])\*(?![\w*])|(?<!\w)_(?=\S)([^_\n]{1,400})(?<=\S)_(?!\w)"
)
_FULL_WIDTH = str.maketrans(
    {"，": ", ", "。": ". ", "：": ": ", "；": "; ", "（": " (", "）": ") ", "．": ". ", "、": ", "}
)


def strip_markup(text: str) -> str:
    """Return a citation string on one line, without markup; a link becomes its text and address."""
    text = unicodedata.normalize("NFC", text[:MAX_REFERENCE])
    if "\n" in text:
        text = _BROKEN.sub("", text)
    if not text.isascii():
        text = text.translate(_FULL_WIDTH)
    if "](" in text:
        text = LINK.sub(_replace_link, text)
    if "**" in text:
        text = _BOLD_WORD.sub(r"\1", text)
        text = _BOLD.sub(lambda m: m[1] if _NO_TITLE.search(m[1]) else f"“{m[1]}”", text).replace("**", "")
    if "<" in text:
        text = _TAG.sub("", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(lambda m: m[1] or m[2], text)
    text = " ".join(text.split())
    if "( " in text or " )" in text or "[ " in text or " ]" in text:
        text = _INNER.sub(r"\1\2", text)
    if " ." in text or " ," in text or " ;" in text or " :" in text:
        text = _repair_spacing(text) if _DEBRIS.search(text) else _SPACED.sub("", text)
    return text


def _replace_link(link: re.Match[str]) -> str:
    """Return a link as its text and address; one that only says "link" or "PDF" as its address alone."""
    return link[2] if link[1].lower() in _BUTTONS else " ".join((_ESCAPED.sub(r"\1", link[1]), link[2]))


def _repair_spacing(text: str) -> str:
    """Return text whose spaces moved to the wrong side of its punctuation ("Phys .Rev ,B"), put right."""
    text = _MISPLACED.sub(r"\1", text)
    return _GLUED.sub(r"\1 ", text)
