"""The sentences of a document that cite its numbered references and footnotes."""

from __future__ import annotations

import re

MAX_BODY = 2_000_000  # characters of running text that are searched
MAX_SENTENCES = 20  # kept per reference
MAX_SENTENCE = 500
_WIDEST = 100  # references in one range such as [3-8]

_MARK = re.compile(r"\[(\^[^\]\s]{1,60}|\d{1,4}(?:\s{0,2}[,;–-]\s{0,2}\d{1,4}){0,30})\](?![:(])")
_SENTENCE_END = re.compile(r"[.!?][\])\"”’]{0,4}\s+(?=[^\Wa-z_]|[\[(“\"])|\n\s{0,99}\n")


def citing(body: str) -> dict[str, tuple[str, ...]]:
    """Return for each mark (`12`, `^note`) the sentences of `body` that hold it."""
    body = body[:MAX_BODY]
    if not _MARK.search(body):
        return {}
    found: dict[str, list[str]] = {}
    at = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(body)), len(body)]:
        sentence = body[at:end]
        at = end
        for mark in _MARK.finditer(sentence):
            for key in _keys(mark[1]):
                listed = found.setdefault(key, [])
                if len(listed) < MAX_SENTENCES:
                    listed.append(" ".join(sentence.split())[:MAX_SENTENCE])
    return {key: tuple(dict.fromkeys(listed)) for key, listed in found.items()}


def _keys(mark: str) -> list[str]:
    """Return the references one mark names: "1, 3-5" ⇒ 1, 3, 4, 5."""
    if mark.startswith("^"):
        return [mark]
    keys: list[str] = []
    for part in re.split(r"\s{0,2}[,;]\s{0,2}", mark):
        low, _, high = re.sub(r"\s{0,2}[–-]\s{0,2}", "-", part).partition("-")
        last = int(high) if high else int(low)
        keys += [str(n) for n in range(int(low), min(last, int(low) + _WIDEST) + 1)]
    return keys
