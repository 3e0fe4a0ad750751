"""What a reader should find: the strings as they were typeset, and the fields that stand in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pypdfium2

from pdf_corpus.works import Work

KEY = re.compile(r"\s*(rw\d{5}x)\s*(.*)", re.DOTALL)
# a comma or full stop first: the dash before it is a drawn rule
DASH = re.compile(r"[—–_-]{1,6}[\s,.(]|[,.]\s")
# natdin prints its labels as part of the entry; footnote-dw puts even a full citation into a note
LABEL = re.compile(r"^(?:\[[^\]]{2,60}\d{4}[a-z]?\]|(\d+) \. \1(?!\d))\s*")


class GoldError(Exception):
    """Raised when the strings read back are not those of the works cited."""


def typeset(path: Path) -> list[tuple[str, str]]:
    """Return key and string of every entry of a PDF that holds one entry a page."""
    found: list[tuple[str, str]] = []
    document = pypdfium2.PdfDocument(path)
    for page in document:
        match = KEY.match(page.get_textpage().get_text_range())
        if match:
            found.append((match[1], LABEL.sub("", clean(match[2]))))
    document.close()
    return found


def clean(text: str) -> str:
    """Return a string on one line, composed, without what only a renderer puts there."""
    text = unicodedata.normalize("NFC", text.replace("\ufffe", "").replace("\x02", "").replace("\u00ad", ""))
    return " ".join(text.split())


def folded(text: str) -> str:
    """Return letters and digits without marks or case, for finding a field inside a string."""
    text = unicodedata.normalize(
        "NFKD", text.replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("æ", "ae")
    )
    return "".join(char for char in text.casefold() if char.isalnum())


def references(strings: Iterable[tuple[str, str]], works: Iterable[Work]) -> list[dict[str, Any]]:
    """Return one gold reference a string; a field that the style does not print is null."""
    known = {work.key: work for work in works}
    found = [reference(raw, known[key]) for key, raw in strings]
    if not found:
        raise GoldError("no string was read back")
    if len(found) != len(known):
        raise GoldError(f"{len(found)} strings for {len(known)} works")
    return found


def reference(raw: str, work: Work) -> dict[str, Any]:
    """Return the gold of one string; GoldError if it is not that work's."""
    flat = folded(raw)
    dashed = bool(DASH.match(raw))
    # "Alencar, L. F. de": some styles move the particle, so the last word of the name is what counts
    authors = [
        f"{family}, {given}" for family, given in work.authors if dashed or folded(family.split()[-1]) in flat
    ]
    title = work.title if folded(work.title) in flat else None
    if not authors and title is None:
        raise GoldError(f"{work.key}: neither authors nor title in {raw[:200]!r}")
    return {
        "raw": raw,
        "title": title,
        "authors": authors,
        "year": work.year if str(work.year) in raw else None,
        "venue": work.venue if folded(work.venue) in flat else None,
        "doi": work.doi if work.doi and folded(work.doi) in flat else None,
    }
