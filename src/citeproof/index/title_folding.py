"""Titles on their way into keys: folded, split into words as bytes, front matter distinguished.

The same as `text.title` does, by a short way for plain ASCII titles (a test holds the two together):
bytes are what the hash takes, and splitting them is three times as fast as splitting text.
"""

from __future__ import annotations

import re

from citeproof.index.signature_keys import EDGE
from citeproof.text.title import fold_title

_WORD = re.compile(r"[^\W_]+")
_FRONT = (
    "proceedings of", "preface", "front matter", "frontmatter", "back matter", "table of contents",
    "editorial", "guest editorial", "foreword", "title page", "author index", "subject index", "message from",
)  # fmt: skip
_VOLUME = re.compile(r"\bproceedings\b[^:]{0,80}\b(?:19|20)\d\d\b|, proceedings\b")
_SPLITTER = bytes(c if chr(c).isalnum() else 32 for c in range(128)) + bytes(range(128, 256))


def is_front_matter(folded: str) -> bool:
    """Return whether a folded title is that of a volume or its front matter, not of a paper."""
    if folded.startswith(_FRONT):
        return True
    return "proceedings" in folded and _VOLUME.search(folded[:400]) is not None


def fold_clean_title(title: str) -> tuple[str, bytes]:
    """Return a cleaned title folded, and its words between spaces, as `text.title` folds and splits it."""
    if title.isascii() and "- " not in title:
        folded = title.lower()
        return folded, folded.encode().translate(_SPLITTER)
    folded = fold_title(title)
    return folded, " ".join(_WORD.findall(folded)).encode()


def cut_edges(whole: bytes) -> tuple[bytes, ...]:
    """Return the first and last letters of a title; nothing of one that has no more than those."""
    if whole.isascii():
        return (whole[:EDGE], whole[-EDGE:]) if len(whole) > EDGE else ()
    text = whole.decode()  # letters, not bytes
    return (text[:EDGE].encode(), text[-EDGE:].encode()) if len(text) > EDGE else ()
