"""The words of a Markdown value, without the marks around them."""

from __future__ import annotations

import re

_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\s]{0,2000}\)")
_LINK = re.compile(
    r"\[([^\[\]\n]{0,1000})\]"
    r"(?:\(<?([^()\s<>]{0,2000}+(?:\([^()\s]{0,200}\)[^()\s<>]{0,500}+)?)>?(?:\s[^()\n]{0,200})?\)|\[[^\[\]\n]{0,100}\])"
)
_NOTE = re.compile(r"\[\^[^\[\]\s]{1,60}\]")
_AUTO = re.compile(r"<((?:https?://|doi:)[^<>\s]{1,2000})>")
_TAG = re.compile(r"<!--.{0,200}?-->|<sup>[^<>]{0,40}</sup>|</?[A-Za-z][^<>]{0,200}>", re.IGNORECASE)
_STRONG = re.compile(r"(?<!\\)\*{1,3}|(?<![\w\\])_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~|`+")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")


def strip_markup(text: str) -> str:
    """Return `text` without emphasis, code marks, tags and notes; of a link its words."""
    if "[" in text:
        text = _LINK.sub(r"\1", _NOTE.sub("", _IMAGE.sub("", text)))
    if "<" in text:
        text = _TAG.sub("", _AUTO.sub(r"\1", text))
    if "*" in text or "_" in text or "`" in text or "~~" in text:
        text = _STRONG.sub("", text)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    return " ".join(text.split())


def find_link_address(text: str) -> str:
    """Return the address of the first link in `text`; empty if there is none."""
    found = _LINK.search(text)
    return (found[2] or "") if found else ""
