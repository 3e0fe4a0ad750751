"""Titles in the case a style gives them.

    cased("Attention Is All You Need", "sentence") ⇒ "Attention is all you need"
    cased("BERT: pre-training of transformers", "title") ⇒ "BERT: Pre-Training of Transformers"

Only plain words change: acronyms, formulas, mixed case and single letters stay, and so does a title that
is not English, because German nouns and French titles have capitals of their own.
"""

from __future__ import annotations

import re

_ENGLISH = re.compile(
    r"\b(?:of|the|for|and|with|on|from|by|to|via|using|is|are|through|as|at)\b", re.IGNORECASE
)
_FOREIGN = re.compile(
    r"\b(?:der|die|das|und|von|zur|zum|des|les|du|une|para|los|las|della|degli|het|een|och|uma)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s\-–—/]+")
_PLAIN = re.compile(r"([(\[]*)([A-Za-z][a-z'’]+)([)\].,;:?!\"”’]*)")
_AFTER = re.compile(r"[:?!.–—]\W*\Z")
_SMALL = frozenset((
    "a", "an", "the", "of", "for", "and", "or", "nor", "but", "in", "on", "at", "to", "by", "with", "from",
    "as", "via", "into", "is", "per", "vs", "over", "under",
))  # fmt: skip


def change_title_case(title: str, case: str) -> str:
    """Return the title in "sentence" or "title" case; unchanged for any other word."""
    if case not in {"sentence", "title"} or not _is_english(title) or title.isupper():
        return title
    change = _lower_word if case == "sentence" else _capitalise_word
    return _WORD.sub(lambda m: change(m[0], title[: m.start()]), title)


def _is_english(title: str) -> bool:
    """Return whether the title is surely English: it has small words of English, none of its neighbours."""
    return _ENGLISH.search(title) is not None and not _FOREIGN.search(title)


def _lower_word(word: str, before: str) -> str:
    plain = _PLAIN.fullmatch(word)
    if not plain or not before.strip() or _AFTER.search(before) or plain[3].startswith("."):
        return word  # a dot makes it an abbreviation: "Phys. Rev."
    return plain[1] + plain[2].lower() + plain[3]


def _capitalise_word(word: str, before: str) -> str:
    plain = _PLAIN.fullmatch(word)
    if not plain or (plain[2].lower() in _SMALL and before.strip() and not _AFTER.search(before)):
        return word
    return plain[1] + plain[2][0].upper() + plain[2][1:] + plain[3]
