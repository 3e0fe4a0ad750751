"""An unstructured citation string to a reference."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from citeproof.parse import anchors as anchor_rules
from citeproof.parse import kinds
from citeproof.parse.anchors import Anchors
from citeproof.parse.split import Pieces, split
from citeproof.text import arxiv
from citeproof.vocabulary import Claimed, FieldOrigin, Kind, Origin, RawReference, Reference

MAX_REFERENCE = 5000  # characters of one citation string that are read

_TAG = re.compile(
    r"</?(?:i|b|em|strong|italic|bold|sup|sub|span|a|p|br)(?:\s[^<>]{0,200})?/?>", re.IGNORECASE
)
_LINK = re.compile(
    r"\[([^\[\]]{1,2000})\]\((https?://[^\s()]{1,2000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)\)"
)
_BUTTONS = frozenset(["link", "doi", "pdf", "arxiv", "here", "url", "source", "paper", "html", "code"])
_BOLD_WORD = re.compile(r"\*\*([^\s*]{1,60})\*\*")
_SPACED = re.compile(r"\s+(?=[,.;:](?:\s|$|[^\W\d_]))")
_INNER = re.compile(r"([(\[])\s|\s([)\]])")
_DEBRIS = re.compile(r"[^\W_] [.,;]\w")
_MISPLACED = re.compile(r"\s{1,3}([.,;:)\]])")
_GLUED = re.compile(r"([,;]|(?<=[^\W\d_]{2})\.)(?=\w)")
_BROKEN = re.compile(r"(?<=[^\W\d_]{2})-\s*\n\s*(?=[a-z])")
_EMPHASIS = re.compile(
    r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,400})(?<=[^\s*])\*(?![\w*])|(?<!\w)_(?=\S)([^_\n]{1,400})(?<=\S)_(?!\w)"
)


def read(raw: RawReference) -> Reference:
    """Return `raw` with the fields its text states."""
    text = plain(raw.text)
    found = anchor_rules.find(text)
    pieces = split(text, found)
    claimed = _claimed(pieces, found)
    kind = kinds.of_text(text, claimed, raw.kind)
    if kind is Kind.PERSONAL_COMMUNICATION:
        claimed = _spoken(claimed)
    elif _LINK.fullmatch(raw.text[:MAX_REFERENCE].strip()) and _first_author_only(claimed):
        claimed = replace(claimed, et_al=True)
    return Reference(raw.key, raw.text, kind, claimed, raw.place, raw.citing, raw.suspicious)


def _spoken(claimed: Claimed) -> Claimed:
    """Return the claims of a personal communication: words in a title's place only say that it is one."""
    origins = tuple(origin for origin in claimed.origins if origin.field not in ("title", "venue"))
    return replace(claimed, title=None, venue=None, origins=origins)


def _first_author_only(claimed: Claimed) -> bool:
    """Return whether a link says `Name, Year, Title` and no more: by custom it names the first author."""
    if len(claimed.authors) != 1 or claimed.authors[0].collective:
        return False
    return bool(claimed.year and claimed.title) and not (claimed.venue or claimed.volume or claimed.pages)


def plain(text: str) -> str:
    """Return a citation string on one line, without markup; a link becomes its text and address."""
    text = unicodedata.normalize("NFC", text[:MAX_REFERENCE])
    text = _BROKEN.sub("", text)
    if "](" in text:
        text = _LINK.sub(lambda m: m[2] if m[1].lower() in _BUTTONS else f"{m[1]} {m[2]}", text)
    if "**" in text:
        text = _BOLD_WORD.sub(r"\1", text)
        text = text.replace("**", "") if text.count("**") % 2 else text
    if "<" in text:
        text = _TAG.sub("", text)
    text = _EMPHASIS.sub(lambda m: m[1] or m[2], text)
    text = _INNER.sub(r"\1\2", " ".join(text.split()))
    return _mended(text) if _DEBRIS.search(text) else _SPACED.sub("", text)


def _mended(text: str) -> str:
    """Return text whose spaces moved to the wrong side of its punctuation ("Phys .Rev ,B"), put right."""
    text = _MISPLACED.sub(r"\1", text)
    return _GLUED.sub(r"\1 ", text)


def _claimed(pieces: Pieces, found: Anchors) -> Claimed:
    values: dict[str, object] = {
        "title": pieces.title,
        "authors": pieces.authors,
        "editors": pieces.editors,
        "year": found.year,
        "venue": pieces.venue,
        "volume": found.volume,
        "issue": found.issue,
        "pages": found.pages,
        "publisher": pieces.publisher,
    }
    sure = {
        "title": pieces.title_confidence,
        "authors": pieces.authors_confidence,
        "editors": pieces.authors_confidence,
        "venue": pieces.venue_confidence,
        "publisher": 0.5,
    }
    origins = [
        FieldOrigin(
            name,
            Origin.SPLIT if name in sure else Origin.RULE,
            sure.get(name, _RULE_CONFIDENCE.get(name, 0.9)),
        )
        for name, value in values.items()
        if value
    ]
    if found.ids:
        weak = any(s == "arxiv" and not arxiv.plausible(v) for s, v in found.ids.pairs)
        origins.append(FieldOrigin("ids", Origin.RULE, 0.8 if weak else 0.99))
    return Claimed(
        title=pieces.title,
        authors=pieces.authors,
        et_al=pieces.et_al,
        editors=pieces.editors,
        year=found.year,
        venue=pieces.venue,
        volume=found.volume,
        issue=found.issue,
        pages=found.pages,
        publisher=pieces.publisher,
        ids=found.ids,
        origins=tuple(origins),
    )


_RULE_CONFIDENCE = {"year": 0.95, "volume": 0.85, "issue": 0.85, "pages": 0.9}
